/** Signed reasoning before a tool call of Converse (docs/wire/bedrock-converse.md). */
import { type KeptReasoning, signature, thought } from "../../testing/kept-reasoning.ts";
import { json } from "../../testing/wire.ts";
import { frame } from "./wire.ts";

const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
const delta = (contentBlockIndex: number, told: object): Buffer =>
  frame("event", "contentBlockDelta", { contentBlockIndex, delta: told });
const stop = (contentBlockIndex: number): Buffer => frame("event", "contentBlockStop", { contentBlockIndex });

export const bedrockReasoning: readonly KeptReasoning[] = [
  {
    model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    reply(isStream, call) {
      const tool = { toolUseId: `tooluse_abcdefgh${call}`, name: "look" };
      if (!isStream) {
        const reasoningContent = { reasoningText: { text: thought, signature } };
        const content = [{ reasoningContent }, { toolUse: { ...tool, input: {} } }];
        return json({ output: { message: { role: "assistant", content } }, stopReason: "tool_use", usage });
      }
      return Buffer.concat([
        frame("event", "messageStart", { role: "assistant" }),
        delta(0, { reasoningContent: { text: thought } }),
        delta(0, { reasoningContent: { signature } }),
        stop(0),
        frame("event", "contentBlockStart", { contentBlockIndex: 1, start: { toolUse: tool } }),
        delta(1, { toolUse: { input: "{}" } }),
        stop(1),
        frame("event", "messageStop", { stopReason: "tool_use" }),
        frame("event", "metadata", { usage }),
      ]);
    },
    wanted: [thought, signature],
  },
];
