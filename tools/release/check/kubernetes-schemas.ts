/** Schemas of Kubernetes' objects for kubeconform, from the description of its API in its Go module. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What the chart makes; each file has all definitions in it. */
const wanted = new Set([
  "Deployment",
  "HorizontalPodAutoscaler",
  "Ingress",
  "PodDisruptionBudget",
  "Service",
  "ServiceAccount",
  "StatefulSet",
]);

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface Definition {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Definition>>;
  readonly "x-kubernetes-group-version-kind"?: readonly Kind[];
}

/** Refuses unknown fields, as a server does that is asked to be strict. */
function converted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(converted);
  if (typeof value !== "object" || value === null) return value;
  const { format, ...rest } = value as Record<string, unknown>;
  // A number or a text, which the description calls a text.
  if (format === "int-or-string") return { oneOf: [{ type: "string" }, { type: "integer" }] };
  const entries = Object.entries(rest).map(([key, part]) => [key, converted(part)]);
  const result = Object.fromEntries(entries) as Record<string, unknown>;
  if (result["properties"] !== undefined && result["additionalProperties"] === undefined)
    result["additionalProperties"] = false;
  return result;
}

/** Writes a schema for each kind below the folder. */
export function writeKubernetesSchemas(swaggerFile: string, folder: string): void {
  const { definitions } = JSON.parse(readFileSync(swaggerFile, "utf8")) as {
    definitions: Readonly<Record<string, Definition>>;
  };
  mkdirSync(folder, { recursive: true });
  const all = converted(definitions) as Record<string, Definition>;
  for (const [name, definition] of Object.entries(definitions)) {
    for (const { group, version, kind } of definition["x-kubernetes-group-version-kind"] ?? []) {
      const schema = { definitions: all, $ref: `#/definitions/${name}` };
      const file = [kind, group.split(".")[0], version].filter(Boolean).join("-").toLowerCase();
      if (definition.properties?.["metadata"] !== undefined && wanted.has(kind))
        writeFileSync(join(folder, `${file}.json`), JSON.stringify(schema));
    }
  }
}
