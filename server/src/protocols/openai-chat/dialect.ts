/**
 * What a chat upstream accepts of a conversation that came in another format, where chat servers differ. Data
 * only, set by the provider. Not used for requests that came as chat.
 */
import type { Leftovers } from "../leftovers.ts";
import type { ReplayMemory } from "../protocol.ts";

export interface ChatDialect {
  /** The name of the output limit; older servers know only `max_tokens`. */
  readonly outputName: "max_completion_tokens" | "max_tokens";
  /** True when the role `developer` exists; otherwise `system` is used. */
  readonly takesDeveloper: boolean;
  /** True when there are custom tools; otherwise each becomes a function with one text. */
  readonly takesCustomTools: boolean;
  /** True when a tool result may contain images; otherwise they follow in a user message. */
  readonly takesToolImages: boolean;
  /** True when `cache_control` marks are accepted, as on routes to Claude; otherwise they are dropped. */
  readonly takesCacheMarks: boolean;
  readonly takesTopK: boolean;
  /** True when an assistant message may have `images`, those the model made; otherwise they are dropped. */
  readonly takesMadeImages: boolean;
  /** The field that earlier thoughts are sent in; undefined: they are dropped. */
  readonly thoughts: "reasoning_details" | "reasoning_content" | undefined;
  /** The values of `reasoning_effort` the model accepts; undefined: unknown; empty: none. */
  readonly efforts?: readonly string[] | undefined;
}

/** OpenAI's own dialect. */
export const openaiDialect: ChatDialect = {
  outputName: "max_completion_tokens",
  takesDeveloper: true,
  takesCustomTools: true,
  takesToolImages: false,
  takesCacheMarks: false,
  takesTopK: false,
  takesMadeImages: false,
  thoughts: undefined,
};

/** How turns are written. */
export interface TurnRules {
  /** True when the conversation came as a chat request, so that extras are already in chat's format. */
  readonly isKept: boolean;
  /** The upstream's dialect, used only when `isKept` is false. */
  readonly dialect: ChatDialect;
  /** The model's name as it is called. */
  readonly model: string;
  readonly memory: ReplayMemory | undefined;
  readonly leftovers: Leftovers;
}
