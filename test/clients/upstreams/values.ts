/** Reads parsed JSON whose shape is not known yet. Knows no wire format. */

export type Fields = Readonly<Record<string, unknown>>;

/** True for an object that is neither null nor a list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object itself, or an empty one in place of anything else. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** The objects of a list; empty for anything that is no list. */
export const rowsOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter(isFields) : [];

/** The text itself, or "" in place of anything else. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** All text inside a value, joined: of a tool's result, whatever shape a client gave it. */
export function allText(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(allText).join("\n");
  return isFields(value) ? Object.values(value).map(allText).join("\n") : "";
}

/** Cuts a text into pieces of at most `length` characters; a pair of surrogates stays together. */
export function piecesOf(text: string, length: number): string[] {
  const letters = [...text];
  const pieces: string[] = [];
  for (let at = 0; at < letters.length; at += length) pieces.push(letters.slice(at, at + length).join(""));
  return pieces;
}
