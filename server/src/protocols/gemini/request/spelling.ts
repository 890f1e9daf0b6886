/**
 * Reads proto3's JSON as callers write it: names in camel or snake case, whole numbers possibly as strings.
 * Applies to Google's own objects only; arguments, schemas and results belong to the caller.
 */
import { type JsonRecord, recordOf } from "../../../lib/record.ts";

/** A name of Google's in camel case, whichever way it is spelled. */
export const camelName = (name: string): string =>
  name.includes("_") && !name.startsWith("__")
    ? name.replace(/_+([a-z\d])/g, (_, letter: string) => letter.toUpperCase())
    : name;

/** The members by camel case name, without nulls; empty for anything but an object. */
export function membersOf(value: unknown): JsonRecord {
  const raw = recordOf(value);
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(raw)) {
    if (member === null || member === undefined) continue;
    const camel = camelName(name);
    // If both spellings are present, camel case wins, as at Google.
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
  // The exact parser represents some numbers as objects.
  const given = typeof value === "object" ? Number(JSON.stringify(value)) : value;
  if (typeof given === "number") return Number.isFinite(given) ? given : Number.NaN;
  return typeof given === "string" && /^-?\d{1,20}(?:\.\d{1,20})?$/.test(given) ? Number(given) : Number.NaN;
}
