/**
 * Cohere's embeddings through Bedrock's InvokeModel (docs/wire/openai-embeddings.md section 8): up to 96
 * texts per call, with a required purpose.
 */
import { isRecord, recordOf } from "../../lib/record.ts";
import { cutVectors } from "../embeddings/cut-vectors.ts";
import { type Purpose, purposeOf } from "../embeddings/purposes.ts";
import { divide, type EmbeddingsFormat, type EmbeddingsRequest } from "../embeddings/request.ts";
import { leftoversOf, takeVectors } from "../embeddings/take-vectors.ts";
import { unsupported } from "../untranslatable.ts";
import { inputTokensOf } from "./usage.ts";

const textsMax = 96;

/** The default purpose: most texts are embedded to be searched later. */
const usualPurpose: Purpose = "document";
const inputTypes: Readonly<Record<Purpose, string>> = {
  query: "search_query",
  document: "search_document",
  classification: "classification",
  clustering: "clustering",
};

/** Undefined where it has no word for the caller's purpose. */
function inputTypeOf({ purpose }: EmbeddingsRequest): string | undefined {
  const known = purpose === undefined ? usualPurpose : purposeOf(purpose);
  return known === undefined ? undefined : inputTypes[known];
}

const used: ReadonlySet<string> = new Set(["truncate"]);
const usedWithPurpose: ReadonlySet<string> = new Set([...used, "taskType"]);

/** `generation`: only the fourth accepts a vector length. */
export function cohereEmbeddings(generation: 3 | 4): EmbeddingsFormat {
  return {
    textsMax,
    encode(request) {
      const inputType = inputTypeOf(request);
      const { dimensions, others, hints } = request;
      if (inputType === undefined && hints === undefined) throw unsupported("input_type");
      const leftovers = leftoversOf(request, inputType === undefined ? used : usedWithPurpose);
      if (generation === 3 && dimensions !== undefined) leftovers.leaveOut("dimensions");
      const truncate = others["truncate"];
      const settings = {
        input_type: inputType ?? inputTypes[usualPurpose],
        embedding_types: ["float"],
        ...(truncate === undefined ? {} : { truncate }),
        ...(generation === 4 && dimensions !== undefined ? { output_dimension: dimensions } : {}),
      };
      const { dropped } = leftovers;
      return divide(request.texts, textsMax, (texts, first) => ({
        first,
        count: texts.length,
        body: Buffer.from(JSON.stringify({ texts, ...settings })),
        dropped,
      }));
    },
    *decode(body, headers, count) {
      const cut = yield* cutVectors(body, ["embeddings", "float"]);
      if (cut === undefined || !isRecord(cut.rest)) return undefined;
      const { embeddings } = cut.rest;
      const list = Array.isArray(embeddings) ? embeddings : recordOf(embeddings)["float"];
      const vectors = yield* takeVectors(body, cut, Array.isArray(list) ? list : [], count);
      // The body has no token count; the headers do.
      return vectors === undefined ? undefined : { vectors, inputTokens: inputTokensOf(undefined, headers) };
    },
  };
}
