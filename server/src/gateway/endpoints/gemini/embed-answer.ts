/** Answers of embeddings for Gemini's callers: vectors are copied as they are, without being parsed. */
import { joinChunks, type Sliced } from "../../../lib/time/slices.ts";
import { errorBody } from "../../../protocols/gemini/answers/errors.ts";
import { readAnswer } from "../../../protocols/openai-embeddings/decode-answer.ts";
import { openaiEmbeddings } from "../../../protocols/openai-embeddings/openai-embeddings.ts";
import { EmbeddingsReader } from "../../../protocols/openai-embeddings/read-answer.ts";
import { readUsage } from "../../../protocols/openai-embeddings/usage.ts";
import type { AnswerReader, ReadAnswer, WireProtocol } from "../../../protocols/wire-protocol.ts";

/** Callers' names of the fields that upstreams refuse under OpenAI's. */
const callersNames: ReadonlyMap<unknown, string> = new Map([
  ["input", "content"],
  ["dimensions", "outputDimensionality"],
]);

/** How its answers are read, which come in OpenAI's format, and its errors are written. */
export const geminiVectors: WireProtocol = {
  ...openaiEmbeddings,
  errors: { body: (error) => errorBody({ ...error, param: callersNames.get(error.param) ?? error.param }) },
};

/**
 * An answer in OpenAI's format, in Gemini's: a usage that was not reported is not told. undefined: its
 * vectors are not lists of numbers.
 */
function* written(body: Buffer, isBatch: boolean): Sliced<Buffer | undefined> {
  const answer = yield* readAnswer(body);
  if (answer?.form !== "float") return undefined;
  const { vectors, usage } = answer;
  const parts: Buffer[] = [Buffer.from(isBatch ? '{"embeddings":[' : '{"embedding":')];
  for (const [index, { start, end }] of vectors.entries()) {
    parts.push(
      Buffer.from(`${index === 0 ? "" : ","}{"values":[`),
      body.subarray(start, end),
      Buffer.from("]}"),
    );
  }
  const tokens = readUsage(usage)?.input;
  const metadata = tokens === undefined ? "" : `,"usageMetadata":{"promptTokenCount":${tokens}}`;
  parts.push(Buffer.from(`${isBatch ? "]" : ""}${metadata}}`));
  return yield* joinChunks(
    parts,
    parts.reduce((bytes, { length }) => bytes + length, 0),
  );
}

/** The same for an answer that Plaza joined itself. */
export function* writeVectors(body: Buffer, isBatch: boolean): Sliced<Buffer> {
  const answer = yield* written(body, isBatch);
  if (answer === undefined) throw new Error("an answer that was joined has no vectors");
  return answer;
}

/** Reads an answer as it arrives, as for callers of OpenAI's, and gives it in Gemini's format. */
export class GeminiVectorsReader implements AnswerReader {
  readonly #reader: EmbeddingsReader;
  readonly #isBatch: boolean;

  constructor(asked: ConstructorParameters<typeof EmbeddingsReader>[0], isBatch: boolean) {
    this.#reader = new EmbeddingsReader(asked);
    this.#isBatch = isBatch;
  }

  push(chunk: Buffer): void {
    this.#reader.push(chunk);
  }

  *finish(body: Buffer): Sliced<ReadAnswer> {
    const read = yield* this.#reader.finish(body);
    if (read === undefined || "note" in read) return read;
    const answer = yield* written(read.body, this.#isBatch);
    return answer === undefined ? { note: "vectors of another kind" } : { body: answer, usage: read.usage };
  }
}
