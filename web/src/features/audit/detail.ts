/** The detail of an audit line, flat, so that people can read it. Pure; knows no words. */

/** A name like `limits.concurrency`, and its value. */
export type DetailLine = readonly [name: string, value: string | number | boolean | null];

const depthMax = 4;
const linesMax = 60;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function plainValue(value: unknown): DetailLine[1] {
  if (value === null || typeof value === "number" || typeof value === "boolean" || typeof value === "string")
    return value;
  if (Array.isArray(value) && value.every((one) => typeof one === "string" || typeof one === "number"))
    return value.join(", ");
  return JSON.stringify(value) ?? "";
}

function linesOf(name: string, value: unknown, depth: number): DetailLine[] {
  if (!isRecord(value) || depth >= depthMax) return [[name, plainValue(value)]];
  return Object.entries(value).flatMap(([part, inner]) => linesOf(`${name}.${part}`, inner, depth + 1));
}

/** In the order they were written; what is too long is cut after some lines. */
export function detailLines(detail: Readonly<Record<string, unknown>> | null): DetailLine[] {
  return Object.entries(detail ?? {})
    .flatMap(([name, value]) => linesOf(name, value, 1))
    .slice(0, linesMax);
}

/** How long lines of the audit log are kept, in whole days: no line is gone sooner than is said. */
export function keptDays(keptMs: number): number {
  return Math.floor(keptMs / 86_400_000);
}
