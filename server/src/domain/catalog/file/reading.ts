/**
 * Reads typed values out of the file's parts and collects every fault with its place. Knows kinds of values (text, whole
 * number, duration, …), nothing of upstreams or models. A reader that meets a fault records it and returns a neutral value;
 * the file is refused as a whole, so nobody sees that value.
 */
import { hasControlCharacter } from "../../../lib/control-characters.ts";
import { suggest } from "../../../lib/nearest.ts";
import { quote } from "../../../lib/quote.ts";
import { formatDuration, parseDurationMs } from "../../../lib/units.ts";
import { type Environment, type Expanded, expand } from "./expand.ts";
import type { Part } from "./parts.ts";

/** A value and the path to it, like `models[0].price.input`. */
export interface Spot {
  readonly part: Part;
  readonly path: string;
}

export interface Finding {
  readonly start: number;
  readonly path: string;
  readonly message: string;
}

/** What one reading of a file has met so far. */
export interface Reading {
  /** For `${VARIABLE}` in texts; undefined: every text means itself, as what people type into a form does. */
  readonly env: Environment | undefined;
  readonly faults: Finding[];
  readonly warnings: Finding[];
}

export function fault(reading: Reading, { part, path }: Spot, message: string): void {
  reading.faults.push({ start: part.start, path, message });
}

export function warn(reading: Reading, { part, path }: Spot, message: string): void {
  reading.warnings.push({ start: part.start, path, message });
}

/** The fields of a mapping; keys that are not known are faults. undefined where it is no mapping (a fault too). */
export function readFields<Name extends string>(
  reading: Reading,
  spot: Spot,
  known: readonly Name[],
): { readonly [N in Name]?: Spot } | undefined {
  const { part, path } = spot;
  if (part.kind !== "mapping") {
    fault(reading, spot, `must be a mapping with the keys ${known.join(", ")}`);
    return undefined;
  }
  const fields: { [N in Name]?: Spot } = {};
  for (const [key, { keyStart, value }] of part.fields) {
    const keyPath = path === "" ? key : `${path}.${key}`;
    const name = known.find((one) => one === key);
    if (name !== undefined) {
      fields[name] = { part: value, path: keyPath };
      continue;
    }
    const message = `there is no key ${quote(key)} here${suggest(key, known, "keys")}`;
    reading.faults.push({ start: keyStart, path, message });
  }
  return fields;
}

/** Records that `name` is missing from the mapping at `parent`. `why` completes "is missing; …". */
export function missing(reading: Reading, parent: Spot, name: string, why: string): void {
  const path = parent.path === "" ? name : `${parent.path}.${name}`;
  fault(reading, { part: parent.part, path }, `is missing; ${why}`);
}

/** The items of a list of `min` to `max` items; none where it is not one. `what` is the plural of an item. */
export function readList(
  reading: Reading,
  spot: Spot,
  what: string,
  min: number,
  max: number,
): readonly Spot[] {
  const { part, path } = spot;
  if (part.kind !== "list") {
    fault(reading, spot, `must be a list of ${what}`);
    return [];
  }
  if (part.items.length > max) {
    fault(reading, spot, `has ${part.items.length} ${what}; at most ${max} are allowed`);
    return [];
  }
  if (part.items.length < min) fault(reading, spot, `is empty; give at least ${min}`);
  return part.items.map((item, index) => ({ part: item, path: `${path}[${index}]` }));
}

/** A text after expansion. `shown` is fit for messages: the text as the file has it, so that no variable's value shows. */
export interface ReadText {
  readonly text: string;
  readonly shown: string;
}

/** A text that is not empty; undefined after a fault. `what` says what it should be; a secret is never shown. */
export function readText(reading: Reading, spot: Spot, what: string, isSecret = false): ReadText | undefined {
  const { part } = spot;
  if (part.kind === "other" && part.source !== "" && part.value !== null && !isSecret) {
    fault(reading, spot, `must be text; put it in quotes: ${quote(part.source)}`);
    return undefined;
  }
  if (part.kind !== "text") {
    fault(reading, spot, `must be text: ${what}`);
    return undefined;
  }
  const expanded: Expanded =
    reading.env === undefined
      ? { ok: true, text: part.text, isChanged: false }
      : expand(part.text, reading.env);
  if (!expanded.ok) {
    fault(reading, spot, expanded.message);
    return undefined;
  }
  if (expanded.text === "") {
    const from = expanded.isChanged ? " (its variable is)" : "";
    fault(reading, spot, `is empty${from}; give ${what}`);
    return undefined;
  }
  return { text: expanded.text, shown: quote(part.text) };
}

/** One line of text of at most `lengthMax` characters; "" after a fault. */
export function readLine(reading: Reading, spot: Spot, what: string, lengthMax: number): string {
  const read = readText(reading, spot, what);
  if (read === undefined) return "";
  if (read.text.length > lengthMax) fault(reading, spot, `is longer than ${lengthMax} characters`);
  if (hasControlCharacter(read.text)) fault(reading, spot, "must be one line without control characters");
  return read.text;
}

const idForm = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/;

/** An id; "" after a fault. */
export function readId(reading: Reading, spot: Spot): string {
  const read = readText(reading, spot, "an id");
  if (read === undefined) return "";
  if (idForm.test(read.text)) return read.text;
  const form = "start with a letter or digit, then at most 127 letters, digits or . _ : / @ -";
  fault(reading, spot, `${read.shown} is not an id: ${form}`);
  return "";
}

/** A whole number within bounds; 0 after a fault. */
export function readWhole(reading: Reading, spot: Spot, min: number, max: number): number {
  const { part } = spot;
  const value = part.kind === "other" ? part.value : undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max) return value;
  const given = part.kind === "other" && part.source !== "" ? `${quote(part.source)} is not allowed; ` : "";
  const unquoted = part.kind === "text" && /^\d+$/.test(part.text) ? ", without quotes" : "";
  fault(reading, spot, `${given}must be a whole number from ${min} to ${max}${unquoted}`);
  return 0;
}

/** Milliseconds of "5s", "500ms" or "15m"; 0 after a fault. */
export function readDurationMs(reading: Reading, spot: Spot, minMs: number, maxMs: number): number {
  const { part } = spot;
  const form = `a duration from ${formatDuration(minMs)} to ${formatDuration(maxMs)}, like 500ms, 5s or 15m`;
  if (part.kind === "other" && part.source !== "") {
    fault(reading, spot, `${quote(part.source)} has no unit; must be ${form}`);
    return 0;
  }
  const read = readText(reading, spot, form);
  if (read === undefined) return 0;
  const ms = parseDurationMs(read.text);
  if (ms !== undefined && ms >= minMs && ms <= maxMs) return ms;
  fault(reading, spot, `${read.shown} is not allowed; must be ${form}`);
  return 0;
}
