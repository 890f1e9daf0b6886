/** Writes answers as Anthropic's upstream does (docs/wire/anthropic-messages.md). */
import { json, namedSse as named, type Wire } from "../../testing/wire.ts";

const claudeUsage = { input_tokens: 10, output_tokens: 5 };
const message = (content: readonly object[], reason: string | null): object => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content,
  stop_reason: reason,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: reason === null ? 1 : 5 },
});
export const anthropicWire: Wire = {
  id: "anthropic",
  basePath: "/v1",
  credential: "sk-ant-api03-0123456789",
  endBytes: named({ type: "message_stop" }).length,
  streamType: "text/event-stream",
  whole: (text) => json(message([{ type: "text", text }], "end_turn")),
  stream: (text) => ({
    begin: Buffer.concat([
      named(
        { type: "message_start", ...{ message: message([], null) } },
        { type: "content_block_start", ...{ index: 0, content_block: { type: "text", text: "" } } },
      ),
      named({ type: "content_block_delta", ...{ index: 0, delta: { type: "text_delta", text } } }),
    ]),
    rest: named(
      { type: "content_block_stop", ...{ index: 0 } },
      {
        type: "message_delta",
        ...{ delta: { stop_reason: "end_turn", stop_sequence: null }, usage: claudeUsage },
      },
      { type: "message_stop" },
    ),
  }),
  error: (_status, type, text, more = {}) =>
    json({
      type: "error",
      error: { type, message: text, ...more },
      request_id: "req_011CSHoEeqs5C35K2UUqR7Fy",
    }),
  streamError: (_status, type, text) => named({ type: "error", ...{ error: { type, message: text } } }),
};
