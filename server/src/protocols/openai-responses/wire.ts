/** Responses' words, as far as several files here need them (docs/wire/openai-responses.md). */

export type Fields = Readonly<Record<string, unknown>>;

/** A text that says something; undefined for anything else. */
export const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
