/**
 * The types that describe a service's deviations from OpenAI's protocol (`deviations.ts`): members its
 * requests must not have or must rename, and members of its answers that OpenAI's do not have. Types only.
 */

/** The name and value of a member that replaces another. */
export interface Replacement {
  readonly name: string;
  readonly value: unknown;
}

/** How one top-level parameter is handled. */
export type ParamRule =
  /**
   * The service does not support it: refused by name, unless the value asks for nothing (`isNothing`, or one
   * of `neutral` if given).
   */
  | { readonly kind: "unknown"; readonly neutral?: readonly unknown[] }
  /**
   * The service does not support it, or only the values in `keeps`. Because it affects style only, it is
   * dropped without the caller's permission and reported, unless the value asks for nothing (as above).
   */
  | { readonly kind: "dropped"; readonly neutral?: readonly unknown[]; readonly keeps?: readonly unknown[] }
  /** The service has another name for it. If the caller sends that name too, that one is used. */
  | { readonly kind: "renamed"; readonly to: string }
  /**
   * The service has other words for some values; null: no such word, so it is dropped and reported. Words not
   * listed stay.
   */
  | { readonly kind: "words"; readonly words: Readonly<Record<string, string | Replacement | null>> }
  /** A number that is limited to the service's range. */
  | { readonly kind: "range"; readonly min?: number; readonly max?: number }
  /**
   * A `response_format.type` the service lacks. `json_object` can be expressed as a schema, but not the other
   * way round.
   */
  | { readonly kind: "format"; readonly lacks: "json_object" | "json_schema" };

/** How one field of a message is handled. */
export type FieldRule =
  /** Refused by name. In a tool's message it has no meaning and is dropped. */
  | { readonly kind: "unknown" }
  | { readonly kind: "ignored" }
  | { readonly kind: "renamed"; readonly to: string };

/**
 * A field of assistant messages. If the caller sent none, the thoughts remembered for the turn's tool calls
 * are used (`AnswerRules.isRemembered`). If there are none, the field is left out, or empty if it is
 * required.
 */
export interface Replay {
  readonly field: "reasoning_content";
  readonly isNeeded: boolean;
}

/** Rules for models that differ from their service's others. */
export interface ModelDeviations {
  /** Matched against the model's name at the service, in lower case. */
  readonly pattern: RegExp;
  /** Applied before the service's own rules. */
  readonly params: Readonly<Record<string, ParamRule>>;
}

export interface RequestRules {
  readonly params?: Readonly<Record<string, ParamRule>>;
  /** The first row that matches applies. */
  readonly models?: readonly ModelDeviations[];
  /** Roles with other names. */
  readonly roles?: Readonly<Record<string, string>>;
  readonly fields?: Readonly<Record<string, FieldRule>>;
  /** The service needs the thoughts of earlier turns, which most clients drop. */
  readonly replays?: Replay;
  /** Tool call ids must have exactly this many letters and digits. */
  readonly toolIdLength?: number;
  /** The service refuses `stream_options`, but sends usage anyway. */
  readonly sendsUsageUnasked?: boolean;
  /** The service refuses an output limit above the model's own instead of lowering it. */
  readonly refusesTooMuchOutput?: boolean;
}

export type FinishMeaning = "stop" | "length" | "content_filter" | "tool_calls" | "failed";

export interface AnswerRules {
  /** The field that holds reasoning, if it is not `reasoning_content`. */
  readonly reasoning?: string;
  /** The service's own finish reasons. `failed`: there is no answer. */
  readonly finish?: Readonly<Record<string, FinishMeaning>>;
  /** Thoughts before tool calls are remembered for `Replay`. */
  readonly isRemembered?: boolean;
  /** Content may be a list of parts that includes the thoughts. */
  readonly hasParts?: boolean;
  /**
   * Streams end with the terminal marker but have no finish reason (Snowflake Cortex). A marker after at
   * least one chunk means `stop`, or `tool_calls` if there was a call. A stream without the marker is still
   * unfinished.
   */
  readonly endsWithoutFinish?: boolean;
  /** Usage may be inside a choice. */
  readonly hasChoiceUsage?: boolean;
  /** Fields removed from answers, their choices and their deltas. */
  readonly strips?: readonly string[];
  /**
   * Drops chunks without role, content, finish reason or usage, and fills in empty ids, times and model
   * names.
   */
  readonly tidies?: boolean;
}

/** All deviations of one service. */
export interface Deviations {
  readonly request?: RequestRules;
  readonly answer?: AnswerRules;
  /**
   * Path of legacy completions below the base URL without its `/v1` or `/beta`. Absent: the protocol's path
   * below the base URL.
   */
  readonly completionsPath?: string;
}
