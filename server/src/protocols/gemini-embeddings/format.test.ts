/** Built from docs/wire/openai-embeddings.md section 7. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { atOnce } from "../../lib/time/slices.ts";
import type { EmbeddingsRequest } from "../embeddings/request.ts";
import { faultOfGoogle } from "../gemini/fault.ts";
import { Untranslatable } from "../untranslatable.ts";
import { geminiEmbeddings, methodOf } from "./format.ts";

const ask = (more: Partial<EmbeddingsRequest> = {}): EmbeddingsRequest => ({
  texts: ["a", "b"],
  dimensions: undefined,
  purpose: undefined,
  dropsParams: false,
  others: {},
  ...more,
});
const json = (body: Buffer | undefined): unknown => JSON.parse(String(body));

test("which method a model is asked by", () => {
  const rows: [api: "gemini" | "vertex", model: string, method: string, textsMax: number][] = [
    ["gemini", "models/gemini-embedding-001", "batchEmbedContents", 100],
    ["gemini", "models/gemini-embedding-2", "batchEmbedContents", 100],
    ["vertex", "publishers/google/models/gemini-embedding-001", "predict", 1],
    ["vertex", "publishers/google/models/gemini-embedding-2", "embedContent", 1],
    ["vertex", "publishers/google/models/text-embedding-005", "predict", 250],
  ];
  for (const [api, model, method, textsMax] of rows) {
    const found = methodOf(api, model);
    assert.deepEqual([found, geminiEmbeddings(found, model).textsMax], [method, textsMax]);
  }
});

test("the three bodies", () => {
  const request = ask({ dimensions: 768, purpose: "search_query" });
  const [batch] = geminiEmbeddings("batchEmbedContents", "models/m").encode(request);
  const shared = { taskType: "RETRIEVAL_QUERY", outputDimensionality: 768 };
  assert.deepEqual(json(batch?.body), {
    requests: ["a", "b"].map((text) => ({ model: "models/m", content: { parts: [{ text }] }, ...shared })),
  });
  const [one, two] = geminiEmbeddings("embedContent", "m").encode(request);
  assert.deepEqual([one?.first, one?.count, two?.first, two?.count], [0, 1, 1, 1]);
  assert.deepEqual(json(two?.body), {
    content: { parts: [{ text: "b" }] },
    embedContentConfig: { ...shared, autoTruncate: false },
  });
  const [predict] = geminiEmbeddings("predict", "text-embedding-005").encode(request);
  assert.deepEqual(json(predict?.body), {
    instances: [
      { content: "a", task_type: "RETRIEVAL_QUERY" },
      { content: "b", task_type: "RETRIEVAL_QUERY" },
    ],
    parameters: { autoTruncate: false, outputDimensionality: 768 },
  });
});

test("a batch of 2,048 texts is 21 calls", () => {
  const texts = Array.from({ length: 2_048 }, (_, index) => `text ${index}`);
  const calls = geminiEmbeddings("batchEmbedContents", "models/m").encode(ask({ texts }));
  assert.deepEqual([calls.length, calls[20]?.first, calls[20]?.count], [21, 2_000, 48]);
});

test("titles stay with their texts, also in the second call", () => {
  const texts = Array.from({ length: 102 }, (_, index) => `text ${index}`);
  const titles = texts.map((_, index) => (index % 2 === 0 ? undefined : `title ${index}`));
  const hints = { taskType: undefined, titles, truncates: false };
  const [, second] = geminiEmbeddings("batchEmbedContents", "models/m").encode(ask({ texts, hints }));
  assert.deepEqual(json(second?.body), {
    requests: [
      { model: "models/m", content: { parts: [{ text: "text 100" }] } },
      { model: "models/m", content: { parts: [{ text: "text 101" }] }, title: "title 101" },
    ],
  });
});

const answers: [
  name: string,
  method: "batchEmbedContents" | "embedContent" | "predict",
  answer: object,
  tokens: number | undefined,
][] = [
  [
    "without usage",
    "batchEmbedContents",
    { embeddings: [{ values: [0.5, 1] }, { values: [-1, 0] }] },
    undefined,
  ],
  [
    "with usage",
    "batchEmbedContents",
    {
      embeddings: [{ values: [0.5, 1] }, { values: [-1, 0] }],
      usageMetadata: { promptTokenCount: 5, promptTokenDetails: [{ modality: "TEXT", tokenCount: 5 }] },
    },
    5,
  ],
  [
    "of predict",
    "predict",
    {
      predictions: [
        { embeddings: { values: [0.5, 1], statistics: { token_count: 3, truncated: false } } },
        { embeddings: { values: [-1, 0], statistics: { token_count: 4, truncated: false } } },
      ],
      metadata: { billableCharacterCount: 2 },
    },
    7,
  ],
  [
    "with usage that cannot be true",
    "batchEmbedContents",
    { embeddings: [{ values: [0.5, 1] }, { values: [-1, 0] }], usageMetadata: { promptTokenCount: -5 } },
    undefined,
  ],
];

for (const [name, method, answer, tokens] of answers) {
  test(`an answer ${name}`, () => {
    const body = Buffer.from(JSON.stringify(answer, null, 2));
    const decoded = atOnce(geminiEmbeddings(method, "m").decode(body, {}, 2));
    assert.deepEqual(
      decoded?.vectors.map((vector) => [...vector]),
      [
        [0.5, 1],
        [-1, 0],
      ],
    );
    assert.equal(decoded?.inputTokens, tokens);
    assert.equal(atOnce(geminiEmbeddings(method, "m").decode(body, {}, 3)), undefined);
  });
}

test("an answer of embedContent", () => {
  const answer = { embedding: { values: [1, 2] }, usageMetadata: { promptTokenCount: 3 }, truncated: false };
  const decoded = atOnce(
    geminiEmbeddings("embedContent", "m").decode(Buffer.from(JSON.stringify(answer)), {}, 1),
  );
  assert.deepEqual([[...(decoded?.vectors[0] ?? [])], decoded?.inputTokens], [[1, 2], 3]);
});

test("what is no answer", () => {
  for (const text of [
    "",
    "{}",
    '{"embeddings":[{"values":["x"]}]}',
    '{"embeddings":[{"values":[1,null]}]}',
    '{"error":{"code":400}}',
  ])
    assert.equal(
      atOnce(geminiEmbeddings("batchEmbedContents", "m").decode(Buffer.from(text), {}, 1)),
      undefined,
      text,
    );
});

test("what cannot be said is refused by name, or left out and told", () => {
  const format = geminiEmbeddings("batchEmbedContents", "models/m");
  const refusedFor = (more: Partial<EmbeddingsRequest>): string => {
    try {
      format.encode(ask(more));
    } catch (error) {
      if (error instanceof Untranslatable) return `${error.code} ${error.param}`;
      throw error;
    }
    return "accepted";
  };
  assert.equal(refusedFor({ others: { input_image: 1 } }), "unsupported_parameter input_image");
  assert.equal(refusedFor({ purpose: "image" }), "unsupported_parameter input_type");
  assert.equal(refusedFor({ purpose: "code_retrieval_query", others: { stream: false } }), "accepted");
  const [call] = format.encode(ask({ others: { input_image: 1, user: "u" }, dropsParams: true }));
  assert.deepEqual(call?.dropped, ["input_image", "user"]);
  assert.deepEqual(format.encode(ask({ others: { user: "u" } }))[0]?.dropped, ["user"]);
});

test("Google's refusals of such calls", () => {
  const error = (code: number, status: string, message: string) =>
    JSON.stringify({ error: { code, status, message } });
  const rows: [status: number, body: string, kind: string][] = [
    [
      400,
      error(
        400,
        "INVALID_ARGUMENT",
        "* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch",
      ),
      "bad_request",
    ],
    [
      400,
      error(400, "INVALID_ARGUMENT", "The input token count is 9000 but the model supports up to 2048."),
      "context_length",
    ],
    [
      404,
      error(
        404,
        "NOT_FOUND",
        "models/x is not found for API version v1beta, or is not supported for embedContent.",
      ),
      "model_unavailable",
    ],
    [429, error(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."), "rate_limit"],
  ];
  for (const [status, body, kind] of rows) assert.equal(faultOfGoogle(status, {}, body).kind, kind, body);
});
