/** Writes answers as an upstream with OpenAI's chat completions does (docs/wire/openai-chat.md). */
import { json, sse, type Wire } from "../../testing/wire.ts";

const completion = (object: string, choice: object, more: object = {}): object => ({
  id: "chatcmpl-1",
  object,
  created: 1_790_000_000,
  model: "m",
  choices: [{ index: 0, ...choice }],
  ...more,
});
const openaiUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const chunk = (delta: object, finish: string | null = null): object =>
  completion("chat.completion.chunk", { delta, finish_reason: finish });

export const openaiWire: Wire = {
  id: "openai",
  basePath: "/v1",
  credential: "sk-up-0123456789",
  endBytes: sse("[DONE]").length,
  streamType: "text/event-stream",
  whole: (content) =>
    json(
      completion(
        "chat.completion",
        { message: { role: "assistant", content }, finish_reason: "stop" },
        { usage: openaiUsage },
      ),
    ),
  stream: (content) => ({
    begin: sse(chunk({ role: "assistant", content: "" }), chunk({ content })),
    rest: sse(
      chunk({}, "stop"),
      { ...completion("chat.completion.chunk", {}), choices: [], usage: openaiUsage },
      "[DONE]",
    ),
  }),
  error: (_status, code, message, more = {}) =>
    json({ error: { message, type: "invalid_request_error", param: null, code, ...more } }),
  streamError: (_status, code, message) =>
    sse({ error: { message, type: "server_error", param: null, code } }),
};
