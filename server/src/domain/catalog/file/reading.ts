/**
 * Reads typed values from the file's parts and collects all faults with their positions. Knows kinds of
 * values (text, whole number, duration, …) but nothing of upstreams or models. After a fault a reader returns
 * a neutral value, which is never used, because the whole file is refused.
 */
import { idFault, isWhole, readTime, timeForm } from "@plaza/contract/catalog-values.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { suggestion } from "../../../lib/nearest.ts";
import { hasControlCharacter, quote } from "../../../lib/quote.ts";
import { formatDuration, parseDurationMs } from "../../../lib/units.ts";
import { type Environment, type Expanded, expand } from "./expand.ts";
import type { Part } from "./parts.ts";

/**
 * The end of a message about an unknown word: `; did you mean "main"? (upstreams: main, backup)`. `what`:
 * plural name of the candidates, of which at most 20 are listed.
 */
export function guess(word: string, candidates: readonly string[], what: string): Message {
  const { meant, listed } = suggestion(word, candidates);
  return meant === undefined
    ? message("file.candidates", { what, listed })
    : message("file.didYouMean", { meant: quote(meant), what, listed });
}

/** A value and the path to it, like `models[0].price.input`. */
export interface Spot {
  readonly part: Part;
  readonly path: string;
}

export interface Finding {
  readonly start: number;
  readonly path: string;
  readonly message: Message;
}

/** Reads a file with a secret: its text without the line end, or why it cannot be read, as `EACCES`. */
export type ReadSecret = (path: string) => { readonly text: string } | { readonly code: string };

/** State of reading one file. */
export interface Reading {
  /** Values of `${VARIABLE}`; undefined: nothing is expanded, as in the console's forms. */
  readonly env: Environment | undefined;
  readonly faults: Finding[];
  readonly warnings: Finding[];
  /** Undefined: no file may be named. */
  readonly readSecret?: ReadSecret | undefined;
}

export function fault(reading: Reading, { part, path }: Spot, found: Message): void {
  reading.faults.push({ start: part.start, path, message: found });
}

export function warn(reading: Reading, { part, path }: Spot, found: Message): void {
  reading.warnings.push({ start: part.start, path, message: found });
}

/**
 * The members of a mapping; unknown keys are faults. Undefined when it is not a mapping (also a fault).
 * `renamed`: old keys that are still read, with a warning.
 */
export function readFields<Name extends string>(
  reading: Reading,
  spot: Spot,
  known: readonly Name[],
  renamed: Readonly<Record<string, Name>> = {},
): { readonly [N in Name]?: Spot } | undefined {
  const { part, path } = spot;
  if (part.kind !== "mapping") {
    fault(reading, spot, message("file.notMapping", { keys: known.join(", ") }));
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
    const newName = Object.hasOwn(renamed, key) ? renamed[key] : undefined;
    if (newName !== undefined) {
      const isTwice = part.fields.has(newName);
      const found = message(isTwice ? "file.keyTwice" : "file.keyRenamed", { name: newName });
      (isTwice ? reading.faults : reading.warnings).push({ start: keyStart, path: keyPath, message: found });
      fields[newName] = { part: value, path: keyPath };
      continue;
    }
    const unknown = message("file.keyUnknown", { key: quote(key), guess: guess(key, known, "keys") });
    reading.faults.push({ start: keyStart, path, message: unknown });
  }
  return fields;
}

/** Records that `name` is missing from the mapping at `parent`. `why` completes "is missing; …". */
export function missing(reading: Reading, parent: Spot, name: string, why: Message): void {
  const path = parent.path === "" ? name : `${parent.path}.${name}`;
  fault(reading, { part: parent.part, path }, message("file.missing", { why }));
}

/**
 * The items of a list of `min` to `max` items; empty when it is not a list. `what`: plural name of the items.
 */
export function readList(
  reading: Reading,
  spot: Spot,
  what: string,
  min: number,
  max: number,
): readonly Spot[] {
  const { part, path } = spot;
  if (part.kind !== "list") {
    fault(reading, spot, message("file.notList", { what }));
    return [];
  }
  if (part.items.length > max) {
    fault(reading, spot, message("file.tooMany", { count: part.items.length, what, max }));
    return [];
  }
  if (part.items.length < min) fault(reading, spot, message("file.tooFew", { min }));
  return part.items.map((item, index) => ({ part: item, path: `${path}[${index}]` }));
}

/** Reads every item and keeps the valid ones; a repeated id (or another `key` of the items) is a fault. */
export function readAll<Name extends string, T extends { readonly [N in Name]: string }>(
  reading: Reading,
  spots: readonly Spot[],
  read: (spot: Spot) => T | undefined,
  key: Name,
): T[] {
  const firstPaths = new Map<string, string>();
  const values: T[] = [];
  for (const spot of spots) {
    const value = read(spot);
    if (value === undefined) continue;
    values.push(value);
    const first = firstPaths.get(value[key]);
    if (first !== undefined) {
      const field = spot.part.kind === "mapping" ? spot.part.fields.get(key)?.value : undefined;
      const idSpot = { part: field ?? spot.part, path: `${spot.path}.${key}` };
      fault(reading, idSpot, message("file.idTwice", { id: quote(value[key]), first }));
    } else if (value[key] !== "") {
      firstPaths.set(value[key], spot.path);
    }
  }
  return values;
}

/**
 * A text after expansion. `shown`: the text as in the file, for messages, so that no variable's value is
 * shown.
 */
export interface ReadText {
  readonly text: string;
  readonly shown: string;
}

/** A non-empty text; undefined after a fault. `what` describes it; a secret is never shown. */
export function readText(
  reading: Reading,
  spot: Spot,
  what: Message,
  isSecret = false,
): ReadText | undefined {
  const { part } = spot;
  if (part.kind === "other" && part.source !== "" && part.value !== null && !isSecret) {
    fault(reading, spot, message("file.notQuoted", { quoted: quote(part.source) }));
    return undefined;
  }
  if (part.kind !== "text") {
    fault(reading, spot, message("file.notText", { what }));
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
    fault(reading, spot, message(expanded.isChanged ? "file.variableEmpty" : "file.empty", { what }));
    return undefined;
  }
  return { text: expanded.text, shown: quote(part.text) };
}

/** One line of text of at most `lengthMax` characters; "" after a fault. */
export function readLine(reading: Reading, spot: Spot, what: Message, lengthMax: number): string {
  const read = readText(reading, spot, what);
  if (read === undefined) return "";
  if (read.text.length > lengthMax) fault(reading, spot, message("file.tooLong", { max: lengthMax }));
  if (hasControlCharacter(read.text)) fault(reading, spot, message("file.notOneLine"));
  return read.text;
}

/** One of some words; the first of them after a fault. `what` describes it. */
export function readWord<const Words extends readonly [string, ...string[]]>(
  reading: Reading,
  spot: Spot,
  words: Words,
): Words[number] {
  const what = message("file.oneOf", { words: words.join(", ") });
  const read = readText(reading, spot, what);
  const word = words.find((one) => one === read?.text);
  if (read !== undefined && word === undefined)
    fault(reading, spot, message("file.notForm", { given: read.shown, form: what }));
  return word ?? words[0];
}

/** True or false; false after a fault. */
export function readBoolean(reading: Reading, spot: Spot): boolean {
  const { part } = spot;
  if (part.kind === "other" && typeof part.value === "boolean") return part.value;
  fault(reading, spot, notForm(part, message("file.trueOrFalse")));
  return false;
}

/** True for a value that is written as `null`. */
export const isNull = ({ part }: Spot): boolean =>
  part.kind === "other" && part.value === null && part.source !== "";

/** An id; "" after a fault. */
export function readId(reading: Reading, spot: Spot): string {
  const read = readText(reading, spot, message("file.anId"));
  if (read === undefined) return "";
  const wrong = idFault(read.text, read.shown);
  if (wrong === undefined) return read.text;
  fault(reading, spot, wrong);
  return "";
}

/** The fault of a value with the wrong form; a quoted number gets a hint. */
export function notForm(part: Part, form: Message): Message {
  if (part.kind === "other" && part.source !== "")
    return message("file.notForm", { given: quote(part.source), form });
  return message(part.kind === "text" && /^\d+$/.test(part.text) ? "file.mustBeUnquoted" : "file.mustBe", {
    form,
  });
}

/** A whole number within bounds; 0 after a fault. */
export function readWhole(reading: Reading, spot: Spot, min: number, max: number): number {
  const { part } = spot;
  const value = part.kind === "other" ? part.value : undefined;
  if (isWhole(value, min, max)) return value;
  fault(reading, spot, notForm(part, message("file.whole", { min, max })));
  return 0;
}

/** Milliseconds of "5s", "500ms" or "15m"; 0 after a fault. */
export function readDurationMs(reading: Reading, spot: Spot, minMs: number, maxMs: number): number {
  const { part } = spot;
  const form = message("file.duration", { min: formatDuration(minMs), max: formatDuration(maxMs) });
  if (part.kind === "other" && part.source !== "") {
    fault(reading, spot, message("file.noUnit", { given: quote(part.source), form }));
    return 0;
  }
  const read = readText(reading, spot, form);
  if (read === undefined) return 0;
  const ms = parseDurationMs(read.text);
  if (ms !== undefined && ms >= minMs && ms <= maxMs) return ms;
  fault(reading, spot, message("file.notForm", { given: read.shown, form }));
  return 0;
}

/** Unix milliseconds of a date (its start) or time in UTC; 0 after a fault. */
export function readTimeMs(reading: Reading, spot: Spot): number {
  const read = readText(reading, spot, timeForm);
  if (read === undefined) return 0;
  const time = readTime(read.text, read.shown);
  if (typeof time === "number") return time;
  fault(reading, spot, time);
  return 0;
}
