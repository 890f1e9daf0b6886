/**
 * What Google writes in Gemini's format (docs/wire/gemini.md sections 3, 4 and 9), as objects, for upstreams
 * of tests. Shares no code with the product.
 */
import type { Fields, Tokens } from "./tokens.ts";

/** The report of usage; thoughts are beside the answer. */
export const usageMetadata = ({ input, cached, output, reasoning }: Tokens): Fields => ({
  promptTokenCount: input,
  cachedContentTokenCount: cached,
  candidatesTokenCount: output - reasoning,
  thoughtsTokenCount: reasoning,
  totalTokenCount: input + output,
});

/** An answer, or one object of a stream. `reason`: with the last one. */
export const contentWith = (
  parts: readonly Fields[],
  more: {
    readonly reason?: string | undefined;
    readonly usage: Fields | undefined;
    readonly version: string;
    readonly id: string;
  },
): Fields => ({
  candidates: [
    {
      index: 0,
      content: { role: "model", parts },
      ...(more.reason === undefined ? {} : { finishReason: more.reason }),
    },
  ],
  ...(more.usage === undefined ? {} : { usageMetadata: more.usage }),
  modelVersion: more.version,
  responseId: more.id,
});

/** An error, as a whole answer and as an object of a stream. */
export const geminiError = (code: number, status: string, message: string): Fields => ({
  error: { code, message, status },
});
