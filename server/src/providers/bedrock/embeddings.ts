/** Embeddings at Bedrock: InvokeModel, with the body format of the model's vendor. */
import { message } from "@plaza/contract/messages/message.ts";
import { bedrockEmbeddings as formatOf } from "../../protocols/bedrock-embeddings/format.ts";
import { createBatch } from "../../protocols/openai-embeddings/call-batch.ts";
import { unsupported } from "../../protocols/untranslatable.ts";
import type { BatchCodec } from "../provider.ts";
import { modelPath } from "./address.ts";
import { headersFor } from "./call.ts";

export const bedrockEmbeddings: BatchCodec = {
  encodeBatch(request, upstream, credential, model) {
    const format = formatOf(model);
    if (format === undefined) throw unsupported("model", message("input.modelNotKnown"));
    return createBatch(request, format, {
      model,
      path: modelPath(upstream, model, "invoke"),
      headers: headersFor(credential, "application/json"),
    });
  },
};
