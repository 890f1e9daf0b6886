/**
 * What Anthropic writes in Messages (docs/wire/anthropic-messages.md sections 3 and 4), as objects, for
 * upstreams of tests. Shares no code with the product.
 */
import type { Fields, Tokens } from "./tokens.ts";

/** The tokens of the prompt; the cache is beside the input. */
export const inputUsage = ({ input, cached }: Tokens): Fields => ({
  input_tokens: input - cached,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cached,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
});

/** The tokens of the answer. */
export const outputUsage = ({ output, reasoning }: Tokens): Fields => ({
  output_tokens: output,
  output_tokens_details: { thinking_tokens: reasoning },
});

/** A whole message without its usage. `content`: its blocks. `reason`: null while it is being written. */
export const messageWith = (
  { id, model }: { readonly id: string; readonly model: unknown },
  content: readonly Fields[],
  reason: string | null,
): Fields => ({
  id,
  type: "message",
  role: "assistant",
  model,
  content,
  stop_reason: reason,
  stop_sequence: null,
});

/** An event; its `type` is its `event:` line too. */
export interface MessagesEvent extends Fields {
  readonly type: string;
}

export const messageStart = (message: Fields): MessagesEvent => ({ type: "message_start", message });
export const ping: MessagesEvent = { type: "ping" };
export const blockStart = (index: number, block: Fields): MessagesEvent => ({
  type: "content_block_start",
  index,
  content_block: block,
});
export const blockDelta = (index: number, delta: Fields): MessagesEvent => ({
  type: "content_block_delta",
  index,
  delta,
});
export const blockStop = (index: number): MessagesEvent => ({ type: "content_block_stop", index });
export const messageDelta = (reason: string, usage: Fields | undefined): MessagesEvent => ({
  type: "message_delta",
  delta: { stop_reason: reason, stop_sequence: null },
  ...(usage === undefined ? {} : { usage }),
});
export const messageStop: MessagesEvent = { type: "message_stop" };

/** An error, as a whole answer and as an event. */
export const messagesError = (type: string, message: string, requestId: string): MessagesEvent => ({
  type: "error",
  error: { type, message },
  request_id: requestId,
});
