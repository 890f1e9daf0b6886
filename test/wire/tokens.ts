/**
 * Tokens that an upstream of a test reports, whatever the format; `cached` is inside `input`, `reasoning`
 * inside `output`.
 */
export interface Tokens {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

/** A JSON object whose members the writer of a format does not look into. */
export type Fields = Readonly<Record<string, unknown>>;
