/**
 * The subject of a call, read from its route's description before anything is done. Knows no store and no
 * handler.
 */
import type { RouteSpec } from "@plaza/contract/api/index.ts";

/** Longest subject stored. */
export const subjectCharactersMax = 300;

/** The input of a call, already validated against the route's schemas. */
export interface AuditInput {
  readonly params: unknown;
  readonly body: unknown;
}

const fieldOf = (given: unknown, name: string): unknown =>
  typeof given === "object" && given !== null
    ? (given as Readonly<Record<string, unknown>>)[name]
    : undefined;

/** The template with parts of the call filled in; undefined when one is missing. */
function filled(template: string, { params, body }: AuditInput): string | undefined {
  let isComplete = true;
  const text = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const part = fieldOf(params, name) ?? fieldOf(body, name);
    if (typeof part === "string" && part !== "") return part;
    isComplete = false;
    return "";
  });
  return isComplete ? text : undefined;
}

/** Only ids, because other parts of a path may be secrets, such as a link's token. */
function lastIdOf({ path }: RouteSpec): string | undefined {
  return [...path.matchAll(/\{(id|\w+Id)\}/g)].at(-1)?.[0];
}

/** Undefined when the call names nothing. */
export function subjectOf(spec: RouteSpec, input: AuditInput): string | undefined {
  const templates = [spec.subject ?? lastIdOf(spec) ?? []].flat();
  for (const template of templates) {
    const text = filled(template, input);
    if (text !== undefined) return text.slice(0, subjectCharactersMax);
  }
  return undefined;
}
