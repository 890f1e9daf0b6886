/**
 * Types with which a provider describes its secrets to `scrub.ts`, and the code that turns them into
 * patterns.
 */

/**
 * Steps of `scrub.ts` in order: values after names like `token=`, keys like `sk-…`, prefixes of providers'
 * keys.
 */
export type Stage = "names" | "keys" | "beginnings";

/** One kind of secret of one provider, as it may appear in an upstream's error. */
export interface SecretShape {
  /** For tests, with its article: "a Groq key". */
  readonly name: string;
  /** An example that was never valid, with a realistic length. */
  readonly sample: string;
  /** A prefix in any case, followed by `_` or `-`; part of a regular expression. */
  readonly word?: string;
  /** An exact prefix; part of a regular expression. */
  readonly start?: string;
  /**
   * Any other form: a global regular expression, linear in the text (its repeats are bounded or cannot fail).
   */
  readonly pattern?: RegExp;
  /** Run `pattern` before this stage, which would remove a part of the match; absent: after all stages. */
  readonly before?: Stage;
}

/** Services without a provider or preset, and common words. Upstreams quote such keys too. */
const otherWords = [
  "r8",
  "glpat",
  "xox[a-z]",
  "dapi",
  "jina",
  "voyage",
  "pa",
  "tvly",
  "lin_api",
  "secret",
  "key",
];
/** Prefix of a token in JSON (JWT). */
const otherStarts = ["eyJ"];

const partsOf = (shapes: readonly SecretShape[], part: "word" | "start"): string[] =>
  shapes.flatMap((shape) => shape[part] ?? []);

/** Patterns of whole secrets that run before this stage; undefined: after all stages. */
export const formsBefore = (shapes: readonly SecretShape[], stage: Stage | undefined): readonly RegExp[] =>
  shapes.flatMap(({ pattern, before }) => (before === stage ? (pattern ?? []) : []));

/** The prefixes of secrets: the case-sensitive ones first. */
export function beginnings(shapes: readonly SecretShape[]): readonly [starts: RegExp, words: RegExp] {
  const starts = [...partsOf(shapes, "start"), ...otherStarts].join("|");
  const words = [...partsOf(shapes, "word"), ...otherWords].join("|");
  return [
    new RegExp(String.raw`(?<![A-Za-z0-9])(?:${starts})[\w.+/=*-]{6,}`, "g"),
    new RegExp(String.raw`(?<![A-Za-z0-9])(?:${words})[_-][\w*-]{6,}`, "gi"),
  ];
}
