/**
 * Reasoning before a tool call at a service that wants it back (docs/wire/openai-compatible.md section 1).
 */
import { type KeptReasoning, thought } from "../../testing/kept-reasoning.ts";
import { json, sse } from "../../testing/wire.ts";

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const chat = (object: string, choice: object, more: object = {}): object => ({
  id: "c1",
  object,
  created: 1,
  model: "m",
  choices: [{ index: 0, ...choice }],
  ...more,
});
const chunk = (delta: object, finish_reason: string | null, more: object = {}): object =>
  chat("chat.completion.chunk", { delta, finish_reason }, more);

export const openaiReasoning: readonly KeptReasoning[] = [
  {
    preset: "deepseek",
    model: "deepseek-reasoner",
    reply(isStream, call) {
      const tool_calls = [
        {
          index: 0,
          id: `call_00_abcdefgh${call}`,
          type: "function",
          function: { name: "look", arguments: "{}" },
        },
      ];
      if (isStream)
        return sse(
          chunk({ role: "assistant", reasoning_content: thought }, null),
          chunk({ tool_calls }, null),
          chunk({}, "tool_calls", { usage }),
          "[DONE]",
        );
      const message = { role: "assistant", content: null, reasoning_content: thought, tool_calls };
      return json(chat("chat.completion", { message, finish_reason: "tool_calls" }, { usage }));
    },
    wanted: [thought],
  },
];
