/**
 * The words in which a service's deviations from OpenAI's protocol are written down
 * (`deviations.ts`): what its requests must not hold or hold under another name, and what its answers
 * hold that OpenAI's do not. Shapes only.
 */

/** A member that takes the place of another: its name and its value. */
export interface Replacement {
  readonly name: string;
  readonly value: unknown;
}

/** What becomes of one top-level parameter. */
export type ParamRule =
  /**
   * The service has no such thing: refused by name, unless the value asks for nothing:
   * `isNothing`, or where it is given `neutral`.
   */
  | { readonly kind: "unknown"; readonly neutral?: readonly unknown[] }
  /**
   * The service has no such thing, or takes no value but those in `keeps`. It asks for a
   * manner, not for a result: left out whether the caller allowed that or not, and told, unless
   * the value asks for nothing (as above).
   */
  | { readonly kind: "told"; readonly neutral?: readonly unknown[]; readonly keeps?: readonly unknown[] }
  /** The same under another name; where that is given too, this one is the one that counts. */
  | { readonly kind: "renamed"; readonly to: string }
  /**
   * Other words for the same values; null: there is none, so that it is left out and
   * told. A word that is not listed stays.
   */
  | { readonly kind: "words"; readonly words: Readonly<Record<string, string | Replacement | null>> }
  /** A number that is cut down to what the service takes. */
  | { readonly kind: "range"; readonly min?: number; readonly max?: number }
  /**
   * A `response_format.type` the service has not. JSON of any shape can be said as a
   * schema; a schema cannot be said as JSON.
   */
  | { readonly kind: "format"; readonly lacks: "json_object" | "json_schema" };

/** What becomes of one field of a message. */
export type FieldRule =
  /** Refused by name; in a tool's message it says nothing and is left out. */
  | { readonly kind: "unknown" }
  | { readonly kind: "ignored" }
  | { readonly kind: "renamed"; readonly to: string };

/**
 * A field of assistants' messages. Where the caller sent none, what was remembered of the
 * turn's tool calls stands in (`AnswerRules.isRemembered`); where nothing was, the field is
 * left out, or empty where that is needed.
 */
export interface Replay {
  readonly field: "reasoning_content";
  readonly isNeeded: boolean;
}

/** What some models do otherwise than their service's others. */
export interface ModelDeviations {
  /** Found in the model's name at the service, lower case. */
  readonly pattern: RegExp;
  /** They come before the service's own. */
  readonly params: Readonly<Record<string, ParamRule>>;
}

export interface RequestRules {
  readonly params?: Readonly<Record<string, ParamRule>>;
  /** The first that fits counts. */
  readonly models?: readonly ModelDeviations[];
  /** Roles by other names. */
  readonly roles?: Readonly<Record<string, string>>;
  readonly fields?: Readonly<Record<string, FieldRule>>;
  /** It wants the thoughts of earlier turns back, and most clients drop them. */
  readonly replays?: Replay;
  /** Ids of tool calls are exactly so many letters and digits. */
  readonly toolIdLength?: number;
  /** It refuses to be asked for usage in a stream, and sends it anyway. */
  readonly sendsUsageUnasked?: boolean;
  /** It refuses more output than the model can make, instead of making less. */
  readonly refusesTooMuchOutput?: boolean;
}

export type FinishMeaning = "stop" | "length" | "content_filter" | "tool_calls" | "failed";

export interface AnswerRules {
  /** The field reasoning comes in, where it is not `reasoning_content`. */
  readonly reasoning?: string;
  /** Finish reasons of its own. `failed`: the answer is none. */
  readonly finish?: Readonly<Record<string, FinishMeaning>>;
  /** The thoughts before tool calls are remembered, for `Replay`. */
  readonly isRemembered?: boolean;
  /** Content may be a list of parts, with the thoughts among them. */
  readonly hasParts?: boolean;
  /**
   * Its streams end with the terminal marker, but never say why (Snowflake Cortex): the marker
   * after some chunk is a `stop`, or `tool_calls` where a call was made. A stream that ends without
   * the marker is unfinished all the same.
   */
  readonly endsWithoutFinish?: boolean;
  /** Usage may stand in a choice. */
  readonly hasChoiceUsage?: boolean;
  /** Fields left out of answers, of their choices and of their deltas. */
  readonly strips?: readonly string[];
  /**
   * Chunks that say nothing (no role, content, finish or usage) are left out, and empty
   * ids, times and model names filled in.
   */
  readonly tidies?: boolean;
}

/** What a service does its own way. */
export interface Deviations {
  readonly request?: RequestRules;
  readonly answer?: AnswerRules;
}
