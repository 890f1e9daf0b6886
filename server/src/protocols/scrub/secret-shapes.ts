/** What a provider tells `scrub.ts` of its own secrets: types and a rule that make patterns of them. */

/**
 * Steps of `scrub.ts`, in order: values after names like `token=`, keys like
 * `sk-…`, the beginnings of providers' keys.
 */
export type Stage = "names" | "keys" | "beginnings";

/** One kind of secret of one provider, as it may stand in an upstream's error. */
export interface SecretShape {
  /** For tests, with its article: "a Groq key". */
  readonly name: string;
  /** One like it that was never valid; long enough to be one. */
  readonly sample: string;
  /** It begins with this in any case, then comes `_` or `-`: part of a regular expression. */
  readonly word?: string;
  /** It begins with exactly this: part of a regular expression. */
  readonly start?: string;
  /** Any other form: a global expression, linear in the text (its repeats are bounded, or cannot fail). */
  readonly pattern?: RegExp;
  /** Its `pattern` runs before these, which would take a part of it away; absent: after them all. */
  readonly before?: Stage;
}

/** Services that no provider or preset speaks to, and words anybody uses: upstreams quote their keys too. */
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
/** Of a token in JSON (JWT). */
const otherStarts = ["eyJ"];

const partsOf = (shapes: readonly SecretShape[], part: "word" | "start"): string[] =>
  shapes.flatMap((shape) => shape[part] ?? []);

/** Forms of whole secrets that run before this stage; undefined: after them all. */
export const formsBefore = (shapes: readonly SecretShape[], stage: Stage | undefined): readonly RegExp[] =>
  shapes.flatMap(({ pattern, before }) => (before === stage ? (pattern ?? []) : []));

/** The beginnings of secrets: those that are spelt in one way first. */
export function beginnings(shapes: readonly SecretShape[]): readonly [starts: RegExp, words: RegExp] {
  const starts = [...partsOf(shapes, "start"), ...otherStarts].join("|");
  const words = [...partsOf(shapes, "word"), ...otherWords].join("|");
  return [
    new RegExp(String.raw`(?<![A-Za-z0-9])(?:${starts})[\w.+/=*-]{6,}`, "g"),
    new RegExp(String.raw`(?<![A-Za-z0-9])(?:${words})[_-][\w*-]{6,}`, "gi"),
  ];
}
