/**
 * Gemini's `:embedContent` and `:batchEmbedContents`. Providers serve embeddings in OpenAI's format, so that
 * a call is written in that format when it is read, and its answer in Gemini's when it is whole.
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import { type DecodedEmbeds, decodeEmbeds } from "../../../protocols/gemini/request/decode-embeds.ts";
import { camelName } from "../../../protocols/gemini/request/spelling.ts";
import { valuesMin } from "../../../protocols/openai-embeddings/decode-request.ts";
import { answerBytesMax } from "../../../protocols/openai-embeddings/read-answer.ts";
import { Untranslatable } from "../../../protocols/untranslatable.ts";
import { createBodyScanners } from "../../request/body/body-scan.ts";
import { apartNames, readApart } from "../charged-apart.ts";
import { embeddings } from "../embeddings/embeddings.ts";
import { type EmbeddingsCall, readEmbeddingsCall, scannedNames } from "../embeddings/embeddings-fields.ts";
import type { CallTarget, Endpoint } from "../endpoint.ts";
import { GeminiVectorsReader, geminiVectors, writeVectors } from "./embed-answer.ts";
import { modelIn } from "./gemini-fields.ts";
import { modelPaths } from "./generate.ts";

/** Of bodies that were written here. */
const scanners = createBodyScanners(
  { names: scannedNames, counted: [] },
  { jsonDepthMax: 8, jsonValuesMax: valuesMin },
);

const ignored: ReadonlySet<string> = new Set(apartNames.map(camelName));

/** What callers get of a request that cannot be read. */
function decoded(body: Buffer, model: string, isBatch: boolean): DecodedEmbeds {
  try {
    return decodeEmbeds(body, { model, isBatch, ignored });
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error;
    const { code, param, messageRef } = error;
    throw new GatewayError(code, { message: messageRef, param });
  }
}

function readEmbed(
  scan: Parameters<Endpoint["read"]>[0],
  body: Buffer,
  { tail }: CallTarget,
  isBatch: boolean,
): EmbeddingsCall {
  const model = modelIn(tail);
  const { texts, dimensions, hints } = decoded(body, model, isBatch);
  const fields = { model, input: texts, ...(dimensions === undefined ? {} : { dimensions }) };
  const written = Buffer.from(JSON.stringify(fields));
  const scanner = scanners.create();
  scanner.push(written);
  const call = readEmbeddingsCall(scanner.end(written), written);
  return { ...call, hints, body: written, apart: readApart(scan, body) };
}

const embed = (path: string, isBatch: boolean): Endpoint<EmbeddingsCall> => ({
  ...embeddings,
  path,
  fingerprintMark: undefined,
  protocol: geminiVectors,
  protocolOf: (fields) => ({
    ...geminiVectors,
    answerReader: () => new GeminiVectorsReader(fields, isBatch),
    answerBytesMax: (set) => answerBytesMax(fields, set),
    joined: (answer) => writeVectors(answer, isBatch),
  }),
  scanned: { names: apartNames, counted: [], valuesMin },
  promptField: isBatch ? "requests" : "content",
  // The format has no word for a session or a user, and nothing that may be left out alone.
  sessionFields: [],
  droppable: new Set(),
  madeGood: new Set(),
  read: (scan, body, target) => readEmbed(scan, body, target, isBatch),
});

export const geminiEmbed: readonly Endpoint<EmbeddingsCall>[] = modelPaths.flatMap((path) => [
  embed(`${path}:embedContent`, false),
  embed(`${path}:batchEmbedContents`, true),
]);
