/**
 * Amazon Titan's text embeddings through InvokeModel (docs/wire/openai-embeddings.md section 8): one text per
 * call, so a batch becomes as many calls.
 */
import { isRecord } from "../../lib/record.ts";
import { cutVectors } from "../embeddings/cut-vectors.ts";
import { divide, type EmbeddingsFormat } from "../embeddings/request.ts";
import { leftoversOf, takeVectors } from "../embeddings/take-vectors.ts";
import { count as tokenCount } from "../usage-counts.ts";
import { inputTokensOf } from "./usage.ts";

/** The only vector length of the first generation. */
const firstDimensions = 1_536;

/** `generation`: the first accepts only a text, without options. */
export function titanEmbeddings(generation: 1 | 2): EmbeddingsFormat {
  return {
    textsMax: 1,
    encode(request) {
      const leftovers = leftoversOf(request);
      const { dimensions, purpose, hints } = request;
      if (purpose !== undefined && hints === undefined) leftovers.leaveOut("input_type");
      if (generation === 1 && dimensions !== undefined && dimensions !== firstDimensions) {
        leftovers.leaveOut("dimensions");
      }
      const settings = generation === 2 && dimensions !== undefined ? { dimensions } : {};
      const { dropped } = leftovers;
      return divide(request.texts, 1, ([inputText], first) => ({
        first,
        count: 1,
        body: Buffer.from(JSON.stringify({ inputText, ...settings })),
        dropped,
      }));
    },
    *decode(body, headers, count) {
      // The second generation returns the vector twice; the copy under `float` is ignored.
      const cut = yield* cutVectors(body, ["embedding", "float"]);
      if (cut === undefined || !isRecord(cut.rest)) return undefined;
      const vectors = yield* takeVectors(body, cut, [cut.rest["embedding"]], count);
      if (vectors === undefined) return undefined;
      return { vectors, inputTokens: inputTokensOf(tokenCount(cut.rest["inputTextTokenCount"]), headers) };
    },
  };
}
