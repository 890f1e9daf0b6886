/**
 * The demo's answer to an embeddings request (docs/wire/openai-embeddings.md sections 1 to 5): a checked body
 * → the bytes of the whole answer.
 */

import { type JsonRecord, recordOf } from "../../../lib/record.ts";
import { atOnce } from "../../../lib/time/slices.ts";
import type { VectorForm } from "../../../protocols/embeddings/request.ts";
import { encodeAnswer, encodeEntries } from "../../../protocols/openai-embeddings/encode-answer.ts";
import { usageOnWire } from "../../../protocols/openai-embeddings/usage.ts";
import type { Problem } from "../checks.ts";
import { problemBody } from "../failures.ts";
import { countTokens } from "../tokens.ts";
import { dimensionsMax, textVector, tokenVector } from "./vectors.ts";

type DemoInput = string | readonly number[];

/** One input per vector. */
function inputsOf({ input }: JsonRecord): readonly DemoInput[] {
  if (!Array.isArray(input)) return [String(input)];
  return typeof input[0] === "number" ? [input as number[]] : (input as DemoInput[]);
}

/** Status and bytes of the answer. The status is 400 when more dimensions are requested than the demo has. */
export function answerEmbeddings(
  parsedBody: unknown,
  model: string,
): { readonly status: number; readonly body: Buffer } {
  const request = recordOf(parsedBody);
  const dimensions = typeof request["dimensions"] === "number" ? request["dimensions"] : dimensionsMax;
  if (dimensions > dimensionsMax) {
    const problem: Problem = {
      message: `Invalid 'dimensions': integer above maximum value. Expected a value <= ${dimensionsMax}, but got ${dimensions} instead.`,
      param: "dimensions",
      code: "integer_above_max_value",
    };
    return { status: 400, body: Buffer.from(JSON.stringify(problemBody(problem))) };
  }
  const form: VectorForm = request["encoding_format"] === "base64" ? "base64" : "float";
  const inputs = inputsOf(request);
  const vectors = inputs.map((input) =>
    typeof input === "string" ? textVector(input, dimensions) : tokenVector(input, dimensions),
  );
  const inputTokens = inputs.reduce(
    (tokens, input) => tokens + (typeof input === "string" ? countTokens(input) : input.length),
    0,
  );
  const head = { model, usage: usageOnWire(inputTokens, false) };
  return { status: 200, body: atOnce(encodeAnswer([atOnce(encodeEntries(vectors, 0, form))], head)) };
}
