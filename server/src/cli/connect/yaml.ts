/**
 * `plaza connect`: writes catalog entries as YAML text, in the style of docs/operate/catalog.md, or as JSON.
 * Pure.
 */

/** The values an entry may have. */
export type YamlValue = string | number | boolean | null | readonly YamlValue[] | YamlMapping;
export interface YamlMapping {
  readonly [key: string]: YamlValue | undefined;
}

/** An entry. In its texts `${NAME}` means a variable; any other dollar sign must be doubled (`plainText`). */
export interface Entry {
  readonly fields: YamlMapping;
  /** Comments after fields, by field name. */
  readonly remarks?: Readonly<Record<string, string>>;
}

/** Text that never needs quotes; words that YAML would read as another type are excluded. */
const plainForm = /^[A-Za-z](?:(?:[A-Za-z0-9 ._/@()+-]|:(?=[A-Za-z0-9/]))*[A-Za-z0-9._/@()+-])?$/;
const otherWords = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** Escapes characters that are invisible or end a line. */
const escaped = (json: string): string =>
  json.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u00a0\ufeff]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
      .join(""),
  );

/** Formats a text; with `isJson` always in quotes. */
function textOf(text: string, isJson: boolean): string {
  return !isJson && plainForm.test(text) && !otherWords.test(text) ? text : escaped(JSON.stringify(text));
}

/** Escapes a literal text: in a catalog file `$` begins a variable and `$$` is a dollar sign. */
export const plainText = (text: string): string => text.replaceAll("$", () => "$$");

const isMapping = (value: YamlValue): value is YamlMapping =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function fieldsOf(mapping: YamlMapping): [string, YamlValue][] {
  return Object.entries(mapping).filter((field): field is [string, YamlValue] => field[1] !== undefined);
}

/** On one line, in brackets or braces. */
export function flowOf(value: YamlValue, isJson: boolean): string {
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value);
  if (typeof value === "string") return textOf(value, isJson);
  if (!isMapping(value)) return `[${value.map((item) => flowOf(item, isJson)).join(", ")}]`;
  const fields = fieldsOf(value).map(([key, one]) => `${isJson ? `"${key}"` : key}: ${flowOf(one, isJson)}`);
  return isJson ? `{${fields.join(", ")}}` : `{ ${fields.join(", ")} }`;
}

/**
 * Returns the lines of an entry in a block list with dashes at this column. Each mapping in a list gets its
 * own line.
 */
export function blockLines({ fields, remarks = {} }: Entry, column: number): string[] {
  const pad = " ".repeat(column);
  const lines = fieldsOf(fields).flatMap(([key, value]) => {
    const remark = remarks[key] === undefined ? "" : ` # ${remarks[key]}`;
    const isList = Array.isArray(value) && value.some((item: YamlValue) => isMapping(item));
    if (!isList) return [`${key}: ${flowOf(value, false)}${remark}`];
    return [
      `${key}:${remark}`,
      ...(value as readonly YamlValue[]).map((item) => `  - ${flowOf(item, false)}`),
    ];
  });
  return lines.map((line, index) => `${pad}${index === 0 ? "- " : "  "}${line}`);
}
