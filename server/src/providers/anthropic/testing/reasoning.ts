/** Signed thinking before a tool call (docs/wire/anthropic-messages.md section 6). */
import { type KeptReasoning, signature, thought } from "../../testing/kept-reasoning.ts";
import { json, sse } from "../../testing/wire.ts";

const message = (content: readonly object[], more: object = {}): object => ({
  id: "msg_01",
  type: "message",
  role: "assistant",
  model: "claude-opus-4-7",
  content,
  stop_reason: "tool_use",
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 5 },
  ...more,
});
const block = (index: number, begin: object, ...deltas: readonly object[]): object[] => [
  { type: "content_block_start", index, content_block: begin },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];

export const claudeReasoning: readonly KeptReasoning[] = [
  {
    model: "claude-opus-4-7",
    reply(isStream, call) {
      const tool = { type: "tool_use", id: `toolu_01AbCdEfGhIjKlMnOp${call}`, name: "look", input: {} };
      if (!isStream) return json(message([{ type: "thinking", thinking: thought, signature }, tool]));
      return sse(
        { type: "message_start", message: message([], { stop_reason: null }) },
        ...block(
          0,
          { type: "thinking", thinking: "", signature: "" },
          { type: "thinking_delta", thinking: thought },
          { type: "signature_delta", signature },
        ),
        ...block(1, tool),
        {
          type: "message_delta",
          delta: { stop_reason: "tool_use", stop_sequence: null },
          usage: { output_tokens: 5 },
        },
        { type: "message_stop" },
      );
    },
    wanted: [thought, signature],
  },
];
