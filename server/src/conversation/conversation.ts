/**
 * A conversation, and what is asked of the model that goes on with it, as every protocol can be read into it
 * and written from it. It knows no wire format: values mean the same whoever said them. What it has no word
 * for is kept beside it in the caller's own words, and survives where both sides know it.
 */
import type { JsonRecord } from "../lib/record.ts";
import type { AssistantBlock, CacheMark, ContentBlock, ToolResultBlock } from "./blocks.ts";
import type { ToolUse } from "./tools.ts";

interface TurnBase {
  /** Where it stood in the caller's request, like `messages[0]`. */
  readonly path: string;
  readonly cache: CacheMark | undefined;
  readonly extras: JsonRecord | undefined;
}

/** Instructions; they may stand anywhere. */
export interface SystemTurn extends TurnBase {
  readonly role: "system";
  /** Said by the developer of an application rather than by its host, where a protocol tells them apart. */
  readonly isDeveloper: boolean;
  readonly blocks: readonly ContentBlock[];
}

export interface UserTurn extends TurnBase {
  readonly role: "user";
  readonly blocks: readonly ContentBlock[];
}

export interface AssistantTurn extends TurnBase {
  readonly role: "assistant";
  readonly blocks: readonly AssistantBlock[];
  /** Where its tool calls stood. */
  readonly callsPath: string;
}

/** Results of tools, and nothing else. */
export interface ToolTurn extends TurnBase {
  readonly role: "tool";
  readonly blocks: readonly ToolResultBlock[];
}

export type Turn = SystemTurn | UserTurn | AssistantTurn | ToolTurn;

/** How the answer is to be written. */
export type AnswerFormat =
  | { readonly kind: "text" | "json_object" }
  | {
      readonly kind: "json_schema";
      readonly name: string;
      readonly description: string | undefined;
      readonly schema: JsonRecord;
      readonly isStrict: boolean;
      readonly schemaPath: string;
    };

/**
 * Numbers that shape the choice of words; undefined = not said, NaN = the
 * caller said something that is no number.
 */
export interface Sampling {
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly topK: number | undefined;
  readonly seed: number | undefined;
  readonly presencePenalty: number | undefined;
  readonly frequencyPenalty: number | undefined;
}

/** How much the model is to think, and whether that is to be seen. */
export interface ReasoningRequest {
  /** Lower case, like `high`; undefined = not said. Which there are differs by vendor. */
  readonly effort: string | undefined;
  /** Tokens it may think; NaN = the caller said something that is no number. */
  readonly budget: number | undefined;
  /** undefined = not said. */
  readonly isOn: boolean | undefined;
  /** Are the thoughts not to be shown? */
  readonly isHidden: boolean;
  /** How closely they are to be told in words, like `auto` or `detailed`; undefined = not said. */
  readonly summary?: string | undefined;
  /** It is a wish: a model that does not reason is to answer all the same, and the caller is told. */
  readonly isWish?: boolean;
}

/** Log probabilities of the answer's tokens. */
export interface LogprobsRequest {
  readonly isWanted: boolean;
  /** Alternatives to each token; NaN = the caller said something that is no number. */
  readonly alternatives: number | undefined;
}

/**
 * What a caller can ask for beside its turns, by one name for all protocols. `manner`: anything else its own
 * protocol has for the manner of answering, under the caller's name of it.
 */
export type SettingName =
  | "model"
  | "fallbackModels"
  | "turns"
  | "isStream"
  | "streamOptions"
  | "choices"
  | "outputTokens"
  | "stop"
  | "tools"
  | "toolChoice"
  | "parallelCalls"
  | "format"
  | "reasoning"
  | "temperature"
  | "topP"
  | "topK"
  | "seed"
  | "presencePenalty"
  | "frequencyPenalty"
  | "logitBias"
  | "logprobs"
  | "logprobAlternatives"
  | "modalities"
  | "webSearch"
  | "serviceTier"
  | "verbosity"
  | "prediction"
  | "store"
  | "metadata"
  | "user"
  | "safetyIdentifier"
  | "promptCacheKey"
  | "promptCacheRetention"
  | "promptCacheOptions"
  | "cache"
  | "manner";

/** The caller's words for settings, and for parts of them that are refused by themselves. */
export type SettingNames = Readonly<
  Record<Exclude<SettingName, "manner"> | "effort" | "reasoningBudget", string>
>;

/** One thing the caller set, as it was sent. */
export interface Parameter {
  /** The caller's own name of it. */
  readonly name: string;
  /** What it is in the model; undefined = the model has no word for it. */
  readonly setting: SettingName | undefined;
  /** Never null, which counts as not sent; undefined for the turns, which are read whole. */
  readonly value: unknown;
}

export interface Conversation {
  /** The protocol it was read from: `parameters` and all `extras` are in its words. */
  readonly protocol: string;
  readonly names: SettingNames;
  /** Everything the caller set, in its order: a protocol accounts for each of them. */
  readonly parameters: readonly Parameter[];
  readonly turns: readonly Turn[];
  readonly toolUse: ToolUse;
  readonly format: AnswerFormat;
  readonly sampling: Sampling;
  /** None twice, none empty. */
  readonly stop: readonly string[];
  /** What is asked for at most, per choice; undefined = not said. */
  readonly outputTokens: number | undefined;
  readonly choices: number;
  readonly reasoning: ReasoningRequest;
  readonly logprobs: LogprobsRequest;
  /** A mark on the whole request. */
  readonly cache: CacheMark | undefined;
}

/** What was sent under a name the model has no word for; undefined = nothing. */
export function extraOf({ parameters }: Conversation, name: string): unknown {
  return parameters.find((parameter) => parameter.setting === undefined && parameter.name === name)?.value;
}

/** What was sent for a setting, as it was sent; undefined = nothing. Of several names the first counts. */
export function settingOf({ parameters }: Conversation, setting: SettingName): unknown {
  return parameters.find((parameter) => parameter.setting === setting)?.value;
}

/**
 * Does the conversation end with results of tools? Then the turn that began their loop: the first of the
 * assistant's since the user last spoke; else undefined.
 */
export function loopStart(turns: readonly Turn[]): AssistantTurn | undefined {
  const lastCall = turns.findLastIndex(({ role }) => role === "assistant");
  if (!turns.slice(lastCall + 1).some(({ role }) => role === "tool")) return undefined;
  let start: AssistantTurn | undefined;
  for (let at = lastCall; at >= 0; at -= 1) {
    const turn = turns[at];
    if (turn === undefined || turn.role === "user") break;
    if (turn.role === "assistant") start = turn;
  }
  return start;
}
