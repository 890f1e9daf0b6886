/**
 * Encodes a caller's embeddings request as calls of another format, and combines their answers into one of
 * OpenAI's. The provider supplies addresses and headers.
 */
import type { EmbeddingsFormat } from "../embeddings/request.ts";
import { estimateInputs } from "../inputs.ts";
import type { CallBatch, ProviderRequest, UpstreamCall } from "../protocol.ts";
import { decodeRequest, type EmbeddingsFields } from "./decode-request.ts";
import { encodeAnswer, encodeEntries } from "./encode-answer.ts";
import { usageOnWire } from "./usage.ts";

/**
 * `request.fields`: what the endpoint read. `model`: the name in the answer. Throws `Untranslatable` for what
 * the format cannot express.
 */
export function createBatch(
  request: ProviderRequest,
  format: EmbeddingsFormat,
  { model, path, headers }: Omit<UpstreamCall, "body" | "dropped"> & { readonly model: string },
): CallBatch {
  const fields = request.fields as EmbeddingsFields;
  const { form, inputs } = fields;
  const encoded = format.encode(decodeRequest(request.body, fields, request.dropsParams === true));
  // The length of all vectors: as requested, else as the first one received.
  const isLengthSent = encoded[0]?.dropped?.includes("dimensions") !== true;
  let length = isLengthSent ? fields.dimensions : undefined;
  return {
    calls: encoded.map(({ body, dropped }) => ({ path, headers, body, dropped })),
    *take(index, body, answered) {
      const { first, count } = encoded[index] as (typeof encoded)[number];
      const decoded = yield* format.decode(body, answered, count);
      if (decoded === undefined) return undefined;
      const { vectors, inputTokens } = decoded;
      length ??= vectors[0]?.length;
      if (vectors.some((vector) => vector.length !== length)) return undefined;
      return { bytes: yield* encodeEntries(vectors, first, form), inputTokens };
    },
    *join(parts) {
      const isReported = parts.every(({ inputTokens }) => inputTokens !== undefined);
      const inputTokens = isReported
        ? parts.reduce((sum, part) => sum + (part.inputTokens ?? 0), 0)
        : estimateInputs(inputs, request.contextTokens);
      const usage = usageOnWire(inputTokens, !isReported);
      const entries = parts.map(({ bytes }) => bytes);
      return { body: yield* encodeAnswer(entries, { model, usage }), usage };
    },
  };
}
