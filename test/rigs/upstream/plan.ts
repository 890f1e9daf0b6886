/**
 * The plan of one answer: number of tokens, pace and fault. A plan comes from the request (`x_rig` in the
 * body, or a model name like `rig.tokens=40.fault=cut`), over defaults set at start.
 */

/** All options of the counting upstream; times in milliseconds, sizes in bytes. */
export interface Plan {
  /** Matches a rig's call with the journal; generated when empty. */
  readonly id: string;
  readonly tokens: number;
  /** `en`, `zh` or `emoji`. */
  readonly text: string;
  /** Number of tool calls instead of text. */
  readonly tools: number;
  /** Name of a recorded-style stream to replay instead of a generated one. */
  readonly replay: string;
  /** Text of the answer instead of known tokens (one token); for canaries. */
  readonly content: string;
  /** Delay before the response headers. */
  readonly headersMs: number;
  /** Delay between the headers and the first event (stream) or the body (whole answer). */
  readonly firstMs: number;
  /** Delay between tokens. */
  readonly gapMs: number;
  /** Number of tokens at the start without that delay. */
  readonly burst: number;
  /** Delay between the finish event and the next. */
  readonly endMs: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  /** `asked` (only when requested), `always`, `absent`, and the faulty forms of `usage-shapes.ts`. */
  readonly usage: string;
  /** `"usage": null` on every chunk of chat before the last. */
  readonly usageNull: boolean;
  /** `json.dumps` spacing. */
  readonly python: boolean;
  readonly crlf: boolean;
  /** A comment before every n-th event; 0 = none. */
  readonly commentEvery: number;
  /** Each token's text is the monotonic milliseconds at which it was written. */
  readonly stamp: boolean;
  readonly coalesce: number;
  /** Sizes of the writes, used in turn; overrides `coalesce`. */
  readonly split: readonly number[];
  /** Pads every content token to this many bytes. */
  readonly padBytes: number;
  /** Ends the answer before event `cutEvent`, or before byte `cutByte`, in the way of `how`; -1 = do not. */
  readonly cutEvent: number;
  readonly cutByte: number;
  /**
   * `end` (clean HTTP end), `fin` (end of a body framed by closing), `truncate` (chunked
   * without its last chunk), `rst`, `hang`.
   */
  readonly how: string;
  /** Name of a row of `faults.ts`. */
  readonly fault: string;
  /** Applies the fault to requests for this model only; empty = to all. */
  readonly faultModel: string;
  /** Keeps the request body in the journal, base64. */
  readonly keepBody: boolean;
}

export const defaultPlan: Plan = {
  id: "",
  tokens: 8,
  text: "en",
  tools: 0,
  replay: "",
  content: "",
  headersMs: 0,
  firstMs: 0,
  gapMs: 0,
  burst: 0,
  endMs: 0,
  promptTokens: 21,
  cachedTokens: 0,
  reasoningTokens: 0,
  usage: "asked",
  usageNull: false,
  python: false,
  crlf: false,
  commentEvery: 0,
  stamp: false,
  coalesce: 1,
  split: [],
  padBytes: 0,
  cutEvent: -1,
  cutByte: -1,
  how: "truncate",
  fault: "",
  faultModel: "",
  keepBody: false,
};

/** Applies `over` to `base`; ignores keys that are unknown or of a type other than the default's. */
export function planOver(base: Plan, over: unknown): Plan {
  if (typeof over !== "object" || over === null) return base;
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    if (!Object.hasOwn(defaultPlan, key)) continue;
    const usual = defaultPlan[key as keyof Plan];
    if (Array.isArray(usual) ? isSizes(value) : typeof value === typeof usual) result[key] = value;
  }
  return result as unknown as Plan;
}

function isSizes(value: unknown): boolean {
  return Array.isArray(value) && value.every((size) => Number.isInteger(size) && size > 0);
}

/** Reads `x-rig:…;` out of a request's text: for callers whose request is translated on its way. */
export function planInText(body: Buffer): unknown {
  const from = body.indexOf("x-rig:");
  const to = from < 0 ? -1 : body.indexOf(";", from);
  if (to < 0) return undefined;
  try {
    return JSON.parse(Buffer.from(body.toString("latin1", from + 6, to), "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Reads `rig.tokens=40.fault=cut` out of a model name; other names change nothing. */
export function planFromModel(base: Plan, model: string): Plan {
  if (!model.startsWith("rig.")) return base;
  const over: Record<string, unknown> = {};
  for (const pair of model.slice(4).split(".")) {
    const [key = "", value = ""] = pair.split("=");
    const usual = defaultPlan[key as keyof Plan];
    over[key] =
      typeof usual === "number" ? Number(value) : typeof usual === "boolean" ? value === "true" : value;
  }
  return planOver(base, over);
}
