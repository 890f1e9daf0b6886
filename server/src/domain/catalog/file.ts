/**
 * Reads the catalog from a file: `plaza.yaml` → `Catalog`, or every fault in it with file, line, column and
 * path. Pure: text, environment and known providers are parameters. Format: docs/operate/catalog.md.
 */

import type { Catalog, Limits, Model, Upstream } from "@plaza/contract/catalog.ts";
import { type Message, message, textOf } from "@plaza/contract/messages/message.ts";
import { readConfiguration } from "../configuration/read.ts";
import type { Configuration } from "../configuration/shapes.ts";
import type { Environment } from "./file/expand.ts";
import { checkFallbacks, type FallbackLink } from "./file/fallbacks.ts";
import { formatFaults } from "./file/formats.ts";
import { readLimits, readOptionalLimits } from "./file/limits.ts";
import { readModel } from "./file/models.ts";
import { type LacksOperation, lacksNothing, operationLacking } from "./file/operations.ts";
import { type PartTree, parseParts } from "./file/parts.ts";
import {
  type Finding,
  fault,
  missing,
  type Reading,
  type ReadSecret,
  readAll,
  readFields,
  readList,
  type Spot,
  warn,
} from "./file/reading.ts";
import { type KnownPreset, type KnownProvider, type KnownUpstreams, readUpstream } from "./file/upstreams.ts";

const upstreamsMax = 1_000;
const modelsMax = 10_000;
/** Most faults listed; further ones are only counted. */
const listedMax = 100;

interface CatalogFileOptions {
  /** Values of `${VARIABLE}` in texts. */
  readonly env: Environment;
  /** Start of every fault's line. */
  readonly fileName: string;
  readonly providers: readonly KnownProvider[];
  /** Default: none. */
  readonly presets?: readonly KnownPreset[];
  /** Default: every upstream serves everything. */
  readonly lacksOperation?: LacksOperation;
  /** Reads the file that a credential like `file:/run/secrets/key` names. Default: that is a fault. */
  readonly readSecret?: ReadSecret;
}

/**
 * Each fault and warning is a line like `plaza.yaml:12:14 models[0].price.input: …` and never contains a
 * credential.
 */
export type CatalogFileResult =
  | {
      readonly ok: true;
      readonly catalog: Catalog;
      /** The sections that only `plaza apply` applies. */
      readonly configuration: Configuration;
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly faults: readonly string[] };

/** The keys of the file. */
export const sections = [
  "upstreams",
  "models",
  "limits",
  "installation",
  "settings",
  "accounts",
  "users",
] as const satisfies readonly (keyof Catalog | keyof Configuration)[];

function readSections(
  reading: Reading,
  root: Spot,
  known: KnownUpstreams,
  lacks: LacksOperation,
): { catalog: Catalog; configuration: Configuration } {
  const fields = readFields(reading, root, sections) ?? {};
  const catalog = readCatalog(reading, root, fields, known, lacks);
  return { catalog, configuration: readConfiguration(reading, fields, catalog.models) };
}

function readCatalog(
  reading: Reading,
  root: Spot,
  fields: { readonly [Name in (typeof sections)[number]]?: Spot },
  known: KnownUpstreams,
  lacks: LacksOperation,
): Catalog {
  const isMapping = root.part.kind === "mapping";
  if (isMapping && fields.upstreams === undefined) {
    missing(reading, root, "upstreams", message("file.listUpstreams"));
  }
  if (isMapping && fields.models === undefined) {
    missing(reading, root, "models", message("file.listModels"));
  }
  const listed = (field: Spot | undefined, what: string, max: number): readonly Spot[] =>
    field === undefined ? [] : readList(reading, field, what, 0, max);
  const upstreams: Upstream[] = readAll(
    reading,
    listed(fields.upstreams, "upstreams", upstreamsMax),
    (spot) => readUpstream(reading, spot, known),
    "id",
  );
  const upstreamIds = upstreams.map(({ id }) => id).filter((id) => id !== "");
  const links: FallbackLink[] = [];
  const byId = new Map(upstreams.map((upstream) => [upstream.id, upstream]));
  const models: Model[] = readAll(
    reading,
    listed(fields.models, "models", modelsMax),
    (spot) => {
      const model = readModel(reading, spot, upstreamIds, links);
      const lacking = model && operationLacking(model, (id) => byId.get(id), lacks);
      if (lacking !== undefined) warn(reading, spot, lacking);
      const wrong = model && formatFaults(model, (id) => byId.get(id), known.providers);
      for (const { at, message } of wrong ?? [])
        fault(reading, { ...spot, path: `${spot.path}.deployments[${at}].formats` }, message);
      return model;
    },
    "id",
  );
  checkFallbacks(reading, links, models);
  const limits: Limits = fields.limits === undefined ? {} : readLimits(reading, fields.limits);
  const installation = readOptionalLimits(reading, fields.installation);
  return { upstreams, models, limits, ...(installation === undefined ? {} : { installation }) };
}

/** A fault that only the database knows, at a path of the file like `users[2].email`. */
export interface FoundLater {
  readonly path: string;
  readonly message: Message;
}

/** Such faults as lines; a path that the file does not have is at its nearest part. */
export function formatFoundLater(text: string, found: readonly FoundLater[], fileName: string): string[] {
  const tree = parseParts(text);
  const findings = found.map(({ path, message: what }) => {
    let part = tree.root;
    for (const step of path.split(/[.[\]]+/).filter((one) => one !== "")) {
      const next =
        part?.kind === "list"
          ? part.items[Number(step)]
          : part?.kind === "mapping"
            ? part.fields.get(step)?.value
            : undefined;
      if (next === undefined) break;
      part = next;
    }
    return { start: part?.start ?? 0, path, message: what };
  });
  return formatFindings(findings, tree, fileName);
}

/** The findings as lines, in the file's order. */
function formatFindings(findings: readonly Finding[], tree: PartTree, fileName: string): string[] {
  const inOrder = findings.toSorted((a, b) => a.start - b.start);
  const lines = inOrder.slice(0, listedMax).map(({ start, path, message: found }) => {
    const { line, column } = tree.position(start);
    return `${fileName}:${line}:${column} ${path === "" ? "" : `${path}: `}${textOf(found)}`;
  });
  const more = inOrder.length - lines.length;
  return more > 0 ? [...lines, `${fileName}: and ${more} more`] : lines;
}

/** Reads a catalog file. When it fails, lists all faults (at most 100, then their number). */
export function readCatalogFile(text: string, options: CatalogFileOptions): CatalogFileResult {
  const { env, fileName, providers, presets = [], lacksOperation = lacksNothing, readSecret } = options;
  const tree = parseParts(text);
  const refuse = (findings: readonly Finding[]): CatalogFileResult => ({
    ok: false,
    faults: formatFindings(findings, tree, fileName),
  });
  const reading: Reading = {
    env,
    faults: tree.faults.map((found) => ({ ...found, path: "" })),
    warnings: [],
    readSecret,
  };
  if (tree.root === undefined) {
    if (reading.faults.length > 0) return refuse(reading.faults);
    return refuse([{ start: 0, path: "", message: message("file.noKeys") }]);
  }
  const known = { providers, presets };
  const read = readSections(reading, { part: tree.root, path: "" }, known, lacksOperation);
  if (reading.faults.length > 0) return refuse(reading.faults);
  return { ok: true, ...read, warnings: formatFindings(reading.warnings, tree, fileName) };
}
