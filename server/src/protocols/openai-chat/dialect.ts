/**
 * What a chat upstream takes of a conversation that came in another format, where those who speak chat
 * differ. Data only: whoever knows the upstream fills it in. What a caller of chat itself sent is never
 * asked of it.
 */
import type { ReplayMemory } from "../protocol.ts";

export interface ChatDialect {
  /** The name of the bound of the output: older servers know only `max_tokens`. */
  readonly outputName: "max_completion_tokens" | "max_tokens";
  /** Is `developer` a role of its own? Otherwise it is `system`. */
  readonly takesDeveloper: boolean;
  /** Are there custom tools? Otherwise each is a function with one text. */
  readonly takesCustomTools: boolean;
  /** May a tool's result hold pictures? Otherwise they follow in a user's message. */
  readonly takesToolImages: boolean;
  /** Are `cache_control` marks taken, as on routes to Claude? Otherwise they are left out. */
  readonly takesCacheMarks: boolean;
  readonly takesTopK: boolean;
  /** Under which name earlier thoughts go back; undefined: they do not. */
  readonly thoughts: "reasoning_details" | "reasoning_content" | undefined;
  /** The words of `reasoning_effort` the model takes; undefined: nobody knows, empty: none. */
  readonly efforts?: readonly string[] | undefined;
}

/** OpenAI's own. */
export const openaiDialect: ChatDialect = {
  outputName: "max_completion_tokens",
  takesDeveloper: true,
  takesCustomTools: true,
  takesToolImages: false,
  takesCacheMarks: false,
  takesTopK: false,
  thoughts: undefined,
};

/** How turns are written. */
export interface TurnRules {
  /** Was the conversation read from a chat request, so that extras and all else are in chat's words? */
  readonly isKept: boolean;
  /** Of the upstream; asked only where it was not. */
  readonly dialect: ChatDialect;
  /** As it is called. */
  readonly model: string;
  readonly memory: ReplayMemory | undefined;
}
