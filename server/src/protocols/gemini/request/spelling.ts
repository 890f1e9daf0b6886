/**
 * Proto3's JSON as callers write it: names in camel or in snake case, whole numbers perhaps as texts. Only
 * objects of Google's own are read so; arguments, schemas and results are the caller's.
 */
import { type JsonRecord, recordOf } from "../../../lib/record.ts";

const camelName = (name: string): string =>
  name.includes("_") && !name.startsWith("__")
    ? name.replace(/_+([a-z\d])/g, (_, letter: string) => letter.toUpperCase())
    : name;

/** The members by their camel case names, without nulls; an empty record for what is no object. */
export function membersOf(value: unknown): JsonRecord {
  const raw = recordOf(value);
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(raw)) {
    if (member === null || member === undefined) continue;
    const camel = camelName(name);
    // Spelt both ways, the first spelling is Google's own.
    if (name !== camel && Object.hasOwn(raw, camel)) continue;
    Object.defineProperty(members, camel, {
      value: member,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return members;
}

/** A number; undefined when absent; NaN for anything else. */
export function numberIn(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  // Parsed so that it can be written again, a number may be an object.
  const given = typeof value === "object" ? Number(JSON.stringify(value)) : value;
  if (typeof given === "number") return Number.isFinite(given) ? given : Number.NaN;
  return typeof given === "string" && /^-?\d{1,20}(?:\.\d{1,20})?$/.test(given) ? Number(given) : Number.NaN;
}

export const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
