/**
 * Tells the gateway how a request to count tokens is read and its answer written
 * (docs/wire/openai-responses.md section 10). A count has no content and no usage.
 */
import { addressesOf } from "../../../conversation/media.ts";
import { countAnswers, countIn } from "../../counting.ts";
import type { CallerFormat } from "../../format.ts";
import type { WireProtocol } from "../../wire-protocol.ts";
import { createRequestReader } from "../decode-request.ts";
import { errorBody } from "../errors.ts";

const read = createRequestReader();

function never(): never {
  throw new Error("a count is no answer of a model");
}

const format: CallerFormat = {
  id: "openai-responses",
  decode: ({ body, seal }) => read(body, seal).conversation,
  translation: never,
};

/** Fields OpenAI accepts in a count request; other fields of a call are refused. */
export const countedFields: readonly string[] = [
  "model",
  "input",
  "instructions",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "reasoning",
  "text",
  "truncation",
];

const objectName = "response.input_tokens";

const countBody = (tokens: number): Buffer =>
  Buffer.from(JSON.stringify({ object: objectName, input_tokens: tokens }));

/** The count in an upstream's answer; undefined when it has no plausible one. */
export const readCount = (body: Buffer): number | undefined => countIn(body, "input_tokens");

export const responsesCount: WireProtocol = {
  ...countAnswers(readCount),
  format,
  idPrefix: "",
  errors: { body: errorBody },
  writeCount: countBody,
  addressesOf: (request) => addressesOf(format.decode(request)),
};
