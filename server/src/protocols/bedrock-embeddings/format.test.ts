/** Built from docs/wire/openai-embeddings.md section 8. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { atOnce } from "../../lib/time/slices.ts";
import { faultOfAnswer } from "../bedrock-converse/fault.ts";
import type { EmbeddingsFormat, EmbeddingsRequest } from "../embeddings/request.ts";
import { Untranslatable } from "../untranslatable.ts";
import { bedrockEmbeddings } from "./format.ts";

const ask = (more: Partial<EmbeddingsRequest> = {}): EmbeddingsRequest => ({
  texts: ["a", "b"],
  dimensions: undefined,
  purpose: undefined,
  dropsParams: false,
  others: {},
  ...more,
});
const header = { "x-amzn-bedrock-input-token-count": "12" };

function formatOf(model: string): EmbeddingsFormat {
  const format = bedrockEmbeddings(model);
  assert.ok(format !== undefined, model);
  return format;
}
const bodies = (model: string, request: EmbeddingsRequest): unknown[] =>
  formatOf(model)
    .encode(request)
    .map(({ body }) => JSON.parse(String(body)));
const decode = (model: string, answer: object, count: number, headers = {}) => {
  const decoded = atOnce(formatOf(model).decode(Buffer.from(JSON.stringify(answer)), headers, count));
  return decoded && { vectors: decoded.vectors.map((one) => [...one]), tokens: decoded.inputTokens };
};

const titan1 = "amazon.titan-embed-text-v1";
const titan2 = "amazon.titan-embed-text-v2:0";
const cohere3 = "cohere.embed-multilingual-v3";
const cohere4 = "us.cohere.embed-v4:0";

test("whose model it is shows in its id, in an ARN and behind a region too", () => {
  const arn = `arn:aws:bedrock:us-east-1::foundation-model/${titan2}`;
  assert.equal(formatOf(arn), formatOf(titan2));
  assert.deepEqual(
    [formatOf(titan1).textsMax, formatOf(cohere3).textsMax, formatOf(cohere4).textsMax],
    [1, 96, 96],
  );
  assert.equal(bedrockEmbeddings("anthropic.claude-sonnet-4-6"), undefined);
});

test("Titan gets one text in a call", () => {
  assert.deepEqual(bodies(titan2, ask({ dimensions: 512 })), [
    { inputText: "a", dimensions: 512 },
    { inputText: "b", dimensions: 512 },
  ]);
  assert.deepEqual(bodies(titan1, ask({ dimensions: 1_536 })), [{ inputText: "a" }, { inputText: "b" }]);
  assert.deepEqual(
    formatOf(titan2)
      .encode(ask())
      .map(({ first, count }) => [first, count]),
    [
      [0, 1],
      [1, 1],
    ],
  );
});

test("Cohere gets 96 texts in a call, and what they are for", () => {
  assert.deepEqual(bodies(cohere3, ask({ purpose: "RETRIEVAL_QUERY" })), [
    { texts: ["a", "b"], input_type: "search_query", embedding_types: ["float"] },
  ]);
  assert.deepEqual(bodies(cohere4, ask({ dimensions: 256, others: { truncate: "RIGHT" } })), [
    {
      texts: ["a", "b"],
      input_type: "search_document",
      embedding_types: ["float"],
      truncate: "RIGHT",
      output_dimension: 256,
    },
  ]);
  const calls = formatOf(cohere3).encode(ask({ texts: Array.from({ length: 200 }, () => "x") }));
  assert.deepEqual(
    calls.map(({ first, count }) => [first, count]),
    [
      [0, 96],
      [96, 96],
      [192, 8],
    ],
  );
});

test("Titan's answers, of both generations", () => {
  assert.deepEqual(decode(titan1, { embedding: [1, 2], inputTextTokenCount: 3 }, 1), {
    vectors: [[1, 2]],
    tokens: 3,
  });
  const second = { embedding: [1, 2], embeddingsByType: { float: [1, 2] }, inputTextTokenCount: 4 };
  assert.deepEqual(decode(titan2, second, 1), { vectors: [[1, 2]], tokens: 4 });
  assert.deepEqual(decode(titan2, { embedding: [1] }, 1, header), { vectors: [[1]], tokens: 12 });
  assert.equal(decode(titan2, { embedding: [1], inputTextTokenCount: -4 }, 1)?.tokens, undefined);
  assert.equal(decode(titan2, { message: "no" }, 1), undefined);
});

test("Cohere's answers, by type or not; the header tells the tokens", () => {
  const plain = {
    id: "i",
    texts: ['"embeddings":[[9]]', "b"],
    embeddings: [
      [1, 2],
      [3, 4],
    ],
    response_type: "embeddings_floats",
  };
  const expected = {
    vectors: [
      [1, 2],
      [3, 4],
    ],
    tokens: 12,
  };
  assert.deepEqual(decode(cohere3, plain, 2, header), expected);
  const byType = {
    ...plain,
    embeddings: {
      float: [
        [1, 2],
        [3, 4],
      ],
    },
    response_type: "embeddings_by_type",
  };
  assert.deepEqual(decode(cohere4, byType, 2, header), expected);
  assert.equal(decode(cohere4, byType, 2)?.tokens, undefined);
  assert.equal(decode(cohere4, byType, 2, { "x-amzn-bedrock-input-token-count": "-3" })?.tokens, undefined);
  assert.equal(decode(cohere4, byType, 3, header), undefined);
});

test("what cannot be said is refused by name", () => {
  const rows: [model: string, more: Partial<EmbeddingsRequest>, param: string][] = [
    [titan1, { dimensions: 512 }, "dimensions"],
    [titan2, { purpose: "search_query" }, "input_type"],
    [titan2, { others: { truncate: "END" } }, "truncate"],
    [cohere3, { dimensions: 512 }, "dimensions"],
    [cohere3, { purpose: "image" }, "input_type"],
  ];
  for (const [model, more, param] of rows) {
    assert.throws(
      () => formatOf(model).encode(ask(more)),
      (error) => error instanceof Untranslatable && error.param === param,
      param,
    );
  }
  assert.deepEqual(formatOf(titan1).encode(ask({ dimensions: 512, dropsParams: true }))[0]?.dropped, [
    "dimensions",
  ]);
});

test("a hint is left out and told where there is no word for it", () => {
  const hints = { taskType: "CODE_RETRIEVAL_QUERY", titles: ["A", undefined], truncates: true };
  const [titan] = formatOf(titan2).encode(ask({ purpose: hints.taskType, hints }));
  assert.deepEqual(titan?.dropped, ["taskType", "title", "autoTruncate"]);
  const [other] = formatOf(cohere3).encode(ask({ purpose: hints.taskType, hints }));
  assert.deepEqual(other?.dropped, ["taskType", "title", "autoTruncate"]);
  assert.equal(JSON.parse(String(other?.body)).input_type, "search_document");
  const known = { ...hints, taskType: "RETRIEVAL_QUERY", titles: undefined, truncates: false };
  const [said] = formatOf(cohere3).encode(ask({ purpose: known.taskType, hints: known }));
  assert.deepEqual([said?.dropped, JSON.parse(String(said?.body)).input_type], [undefined, "search_query"]);
});

test("Bedrock's refusals of such calls", () => {
  const rows: [status: number, name: string, message: string, kind: string][] = [
    [
      400,
      "ValidationException",
      "400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 11530 ",
      "context_length",
    ],
    [
      400,
      "ValidationException",
      "Malformed input request: #/texts/0: expected maxLength: 2048, actual: 3000, please reformat your input and try again.",
      "bad_request",
    ],
    [429, "ThrottlingException", "Too many requests, please wait before trying again.", "rate_limit"],
    [
      403,
      "AccessDeniedException",
      "You don't have access to the model with the specified model ID.",
      "model_unavailable",
    ],
  ];
  for (const [status, name, message, kind] of rows) {
    const fault = faultOfAnswer(status, { "x-amzn-errortype": name }, JSON.stringify({ message }));
    assert.equal(fault.kind, kind, message);
  }
});
