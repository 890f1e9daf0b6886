/**
 * `POST /v1/embeddings`. Holds only what differs from other endpoints: answers come whole, have no output
 * tokens, and are converted to the format the caller asked for.
 */
import { estimateInputs } from "../../../protocols/inputs.ts";
import { valuesMin } from "../../../protocols/openai-embeddings/decode-request.ts";
import { openaiEmbeddings } from "../../../protocols/openai-embeddings/openai-embeddings.ts";
import { answerBytesMax, EmbeddingsReader } from "../../../protocols/openai-embeddings/read-answer.ts";
import { type WorstCase, worstCaseOfInput } from "../../money/worst-case.ts";
import type { LiveModel } from "../../snapshot.ts";
import type { Endpoint } from "../endpoint.ts";
import { type EmbeddingsCall, readEmbeddingsCall, scannedNames } from "./embeddings-fields.ts";

/**
 * Inputs are counted one by one, each at most one context window. Each vector counts as an answer, so
 * reported usage is believed up to a full window per input.
 */
function worstCase({ model }: LiveModel, _price: unknown, { inputs }: EmbeddingsCall): WorstCase {
  return worstCaseOfInput(estimateInputs(inputs, model.context), inputs.items.length);
}

export const embeddings: Endpoint<EmbeddingsCall> = {
  path: "/v1/embeddings",
  fingerprintMark: "embeddings\n",
  operation: "embeddings",
  protocol: openaiEmbeddings,
  protocolOf: (fields) => ({
    ...openaiEmbeddings,
    answerReader: () => new EmbeddingsReader(fields),
    answerBytesMax: (set) => answerBytesMax(fields, set),
  }),
  scanned: { names: scannedNames, counted: [], valuesMin },
  promptField: "input",
  sessionFields: ["user"],
  droppable: new Set(["encoding_format"]),
  madeGood: new Set(["encoding_format"]),
  read: readEmbeddingsCall,
  worstCase,
  promptTokens: ({ inputs }, _body, _provider, context) => estimateInputs(inputs, context),
};
