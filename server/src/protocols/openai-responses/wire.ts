/** Parts of the Responses format that several files here use (docs/wire/openai-responses.md). */

export type Fields = Readonly<Record<string, unknown>>;

/** A non-empty text; undefined for anything else. */
export const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
