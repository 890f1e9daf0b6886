/**
 * Reads the fields of an embeddings request other than the inputs: the model, the user, and what would be
 * billed apart from tokens.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { findField } from "../../../lib/json/scan.ts";
import type { JsonScan } from "../../../lib/json/scan-shapes.ts";
import {
  type EmbeddingsFields,
  readEmbeddingsFields,
  scannedNames as readNames,
} from "../../../protocols/openai-embeddings/decode-request.ts";
import { apartNames, readApart } from "../charged-apart.ts";
import type { CallTarget, RequestFields } from "../endpoint.ts";
import { invalid, readModels, refuseStream } from "../shared-fields.ts";

export interface EmbeddingsCall extends RequestFields, EmbeddingsFields {}

/** Names for the body scanner to find. */
export const scannedNames: readonly string[] = ["model", "models", "stream", ...readNames, ...apartNames];

/**
 * Reads the scan of a complete body. Throws `invalid_request` naming the field. Fallback models are refused,
 * because vectors of different models cannot be compared.
 */
export function readEmbeddingsCall(scan: JsonScan, body: Buffer, target?: CallTarget): EmbeddingsCall {
  const { id, others } = readModels(scan, body, target?.model);
  if (others !== undefined) throw invalid(message("input.oneModel"), "models");
  refuseStream(scan);
  return {
    ...readEmbeddingsFields(scan, body),
    model: id,
    otherModels: undefined,
    isStream: false,
    showsUsage: false,
    spans: {
      model: findField(scan, "model"),
      models: findField(scan, "models"),
      user: findField(scan, "user"),
    },
    apart: readApart(scan, body),
  };
}
