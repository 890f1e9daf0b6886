/**
 * Reads the `options` of an upstream, which only its provider defines. Uses no provider names: the rules are
 * a parameter.
 */
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { hasControlCharacter, quote } from "../../../lib/quote.ts";
import { fault, guess, missing, type Reading, readText, type Spot } from "./reading.ts";

/** The rule of one option. */
export interface KnownOption {
  /** Its purpose, to complete "give …". */
  readonly help: Message;
  readonly pattern: RegExp;
  readonly isRequired?: boolean | undefined;
}

/** By name. */
export type KnownOptions = Readonly<Record<string, KnownOption>>;

const lengthMax = 1_024;

/** A string, or a number or boolean as written in the file; undefined after a fault. */
function readValue(reading: Reading, spot: Spot, rule: KnownOption): string | undefined {
  const { part } = spot;
  if (part.kind === "list" || part.kind === "mapping") {
    fault(reading, spot, message("file.notPlainValue", { what: rule.help }));
    return undefined;
  }
  const isPlain = part.kind === "other" && ["number", "boolean"].includes(typeof part.value);
  const asText: Spot = isPlain
    ? { ...spot, part: { kind: "text", start: part.start, text: part.source } }
    : spot;
  const read = readText(reading, asText, rule.help);
  if (read === undefined) return undefined;
  if (read.text.length <= lengthMax && !hasControlCharacter(read.text) && rule.pattern.test(read.text)) {
    return read.text;
  }
  fault(reading, spot, message("file.notAllowed", { given: read.shown, what: rule.help }));
  return undefined;
}

/**
 * The options as strings by name; undefined when there are none. `spot`: the mapping `options`, if the file
 * has one.
 */
export function readOptions(
  reading: Reading,
  upstream: Spot,
  spot: Spot | undefined,
  provider: { readonly id: string; readonly options: KnownOptions },
): Readonly<Record<string, string>> | undefined {
  const rules = new Map(Object.entries(provider.options));
  const values: Record<string, string> = {};
  if (spot !== undefined && spot.part.kind !== "mapping") {
    fault(reading, spot, message("file.notNames"));
    return undefined;
  }
  const fields = spot?.part.kind === "mapping" ? spot.part.fields : new Map<string, never>();
  for (const [name, { keyStart, value }] of fields) {
    const path = `${spot?.path}.${name}`;
    const rule = rules.get(name);
    if (rule === undefined) {
      const unknown =
        rules.size === 0
          ? message("file.noOptions", { provider: provider.id })
          : message("file.optionUnknown", {
              provider: provider.id,
              name: quote(name),
              guess: guess(name, [...rules.keys()], "options"),
            });
      reading.faults.push({ start: keyStart, path, message: unknown });
      continue;
    }
    const read = readValue(reading, { part: value, path }, rule);
    if (read !== undefined) values[name] = read;
  }
  for (const [name, { isRequired, help }] of rules) {
    if (isRequired !== true || fields.has(name)) continue;
    const parent = spot ?? { part: upstream.part, path: `${upstream.path}.options` };
    missing(reading, parent, name, message("file.giveOption", { provider: provider.id, what: help }));
  }
  return Object.keys(values).length === 0 ? undefined : values;
}
