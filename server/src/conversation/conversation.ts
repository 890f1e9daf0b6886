/**
 * A conversation and the request to continue it, in a form that every protocol can be decoded to and encoded
 * from. Knows no wire format; values mean the same whatever protocol they came from. What has no field here
 * is kept in the caller's own terms, and survives if both protocols know it.
 */
import type { JsonRecord } from "../lib/record.ts";
import type { AssistantBlock, CacheMark, ContentBlock, ToolResultBlock } from "./blocks.ts";
import type { ToolUse } from "./tools.ts";

interface TurnBase {
  /** Path in the caller's request, like `messages[0]`. */
  readonly path: string;
  readonly cache: CacheMark | undefined;
  readonly extras: JsonRecord | undefined;
}

/** Instructions, at any position. */
export interface SystemTurn extends TurnBase {
  readonly role: "system";
  /** True when they come from an application's developer rather than its host, in protocols with both. */
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
  /** Path of its tool calls. */
  readonly callsPath: string;
}

/** Tool results and nothing else. */
export interface ToolTurn extends TurnBase {
  readonly role: "tool";
  readonly blocks: readonly ToolResultBlock[];
}

export type Turn = SystemTurn | UserTurn | AssistantTurn | ToolTurn;

/** The requested format of the answer. */
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

/** Sampling settings; undefined: not given; NaN: the caller sent something that is not a number. */
export interface Sampling {
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly topK: number | undefined;
  readonly seed: number | undefined;
  readonly presencePenalty: number | undefined;
  readonly frequencyPenalty: number | undefined;
}

/** How much the model should think, and whether to show it. */
export interface ReasoningRequest {
  /** Lower case, like `high`; undefined: not given. The values differ by vendor. */
  readonly effort: string | undefined;
  /** Thinking budget in tokens; NaN: the caller sent something that is not a number. */
  readonly budget: number | undefined;
  /** Undefined: not given. */
  readonly isOn: boolean | undefined;
  /** True when the thoughts must not be shown. */
  readonly isHidden: boolean;
  /** Requested detail of the shown thoughts, like `auto` or `detailed`; undefined: not given. */
  readonly summary?: string | undefined;
  /** True when a model that does not reason should answer all the same; the setting is then reported. */
  readonly isOptional?: boolean;
}

/** Log probabilities of the answer's tokens. */
export interface LogprobsRequest {
  readonly isWanted: boolean;
  /** Alternatives per token; NaN: the caller sent something that is not a number. */
  readonly alternatives: number | undefined;
}

/**
 * Names of settings, the same for all protocols. `manner`: a setting of the caller's own protocol that
 * affects style only, under the caller's name.
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

/** The caller's names of settings, and of parts of them that are refused separately. */
export type SettingNames = Readonly<
  Record<Exclude<SettingName, "manner"> | "effort" | "reasoningBudget", string>
>;

/** One setting as the caller sent it. */
export interface Parameter {
  /** The caller's own name of it. */
  readonly name: string;
  /** The setting it is; undefined: there is no such setting here. */
  readonly setting: SettingName | undefined;
  /** Never null, which counts as not sent; undefined for the turns, which are decoded as a whole. */
  readonly value: unknown;
}

export interface Conversation {
  /** The protocol it was read from; `parameters` and all `extras` are in its terms. */
  readonly protocol: string;
  readonly names: SettingNames;
  /** Everything the caller set, in order. A protocol must handle each of them. */
  readonly parameters: readonly Parameter[];
  readonly turns: readonly Turn[];
  readonly toolUse: ToolUse;
  readonly format: AnswerFormat;
  readonly sampling: Sampling;
  /** Distinct and not empty. */
  readonly stop: readonly string[];
  /** The requested output limit per choice; undefined: not given. */
  readonly outputTokens: number | undefined;
  readonly choices: number;
  readonly reasoning: ReasoningRequest;
  readonly logprobs: LogprobsRequest;
  /** A mark on the whole request. */
  readonly cache: CacheMark | undefined;
}

/** The value of a parameter that is no known setting; undefined: not sent. */
export function extraOf({ parameters }: Conversation, name: string): unknown {
  return parameters.find((parameter) => parameter.setting === undefined && parameter.name === name)?.value;
}

/** The value of a setting as it was sent; undefined: not sent. Of several names the first counts. */
export function settingOf({ parameters }: Conversation, setting: SettingName): unknown {
  return parameters.find((parameter) => parameter.setting === setting)?.value;
}

/**
 * The turn that began the current tool loop: the first assistant turn since the last user turn. Undefined
 * when the conversation does not end with tool results.
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

/**
 * The turns with instructions at the beginning only, for protocols that have no other place for them. Later
 * ones become the user's words where they stand: at the beginning they would change the first bytes of the
 * prompt, and the upstream's cache of it would end. Those between calls and their results follow the results.
 */
export function withLeadingSystem(turns: readonly Turn[]): readonly Turn[] {
  const leading = turns.findIndex(({ role }) => role !== "system");
  if (leading < 0 || !turns.some(({ role }, at) => at > leading && role === "system")) return turns;
  const moved: Turn[] = turns.slice(0, leading);
  let late: UserTurn[] = [];
  for (const turn of turns.slice(leading)) {
    if (turn.role === "system") {
      const { path, cache, extras, blocks } = turn;
      late.push({ role: "user", path, cache, extras, blocks });
      continue;
    }
    if (turn.role !== "tool") {
      moved.push(...late);
      late = [];
    }
    moved.push(turn);
  }
  return [...moved, ...late];
}
