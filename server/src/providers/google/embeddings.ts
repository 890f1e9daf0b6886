/** Embeddings at the Gemini API and Vertex AI: the method and address for each model. */
import { geminiEmbeddings, methodOf } from "../../protocols/gemini-embeddings/format.ts";
import { createBatch } from "../../protocols/openai-embeddings/call-batch.ts";
import type { BatchCodec } from "../provider.ts";
import { apiOf, googleHeaders, methodPath, resourceOf } from "./endpoint.ts";

export const googleEmbeddings: BatchCodec = {
  encodeBatch(request, upstream, credential, model) {
    const api = apiOf(upstream);
    const method = methodOf(api, model);
    return createBatch(request, geminiEmbeddings(method, resourceOf(model)), {
      model,
      path: methodPath(upstream.baseUrl, model, method),
      headers: googleHeaders(api, credential, false),
    });
  },
};
