/** A signed tool call of Gemini; the thought itself is not sent back (docs/wire/gemini.md). */
import { type KeptReasoning, signature } from "../../testing/kept-reasoning.ts";
import { json, sse } from "../../testing/wire.ts";

const answer = {
  candidates: [
    {
      index: 0,
      content: {
        role: "model",
        parts: [{ functionCall: { name: "look", args: {} }, thoughtSignature: signature }],
      },
      finishReason: "STOP",
    },
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
};

export const googleReasoning: readonly KeptReasoning[] = [
  {
    model: "gemini-3-pro",
    // Its calls have no ids; Plaza makes them.
    reply: (isStream) => (isStream ? sse(answer) : json(answer)),
    wanted: [signature],
  },
];
