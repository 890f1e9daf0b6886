import assert from "node:assert/strict";
import { test } from "node:test";
import { inSlices, type Sliced } from "../../lib/time/slices.ts";
import { geminiEmbeddings } from "../gemini-embeddings/format.ts";
import { createBatch } from "./call-batch.ts";
import type { EmbeddingsFields } from "./decode-request.ts";
import { EmbeddingsReader } from "./read-answer.ts";

/** The number of slices the work took, and its result. */
async function counted<Result>(work: Sliced<Result>): Promise<[slices: number, result: Result]> {
  let slices = 1;
  const result = await inSlices(work, async () => {
    slices += 1;
  });
  return [slices, result];
}

const count = 250;
const dimensions = 3_072;
const numbers = count * dimensions;
/** Most numbers in one slice: 40,000, plus the vector that exceeds them. */
const sliceNumbers = 40_000 + dimensions;
const slicesMin = Math.ceil(numbers / sliceNumbers);

const vector = `[${Array.from({ length: dimensions }, (_, at) => Math.fround(Math.sin(at)).toFixed(9)).join(",")}]`;
const fields: EmbeddingsFields = {
  inputs: {
    kind: "texts",
    items: Array.from({ length: count }, () => ({ bytes: 4, tokens: 1 })),
  } as unknown as EmbeddingsFields["inputs"],
  form: "float",
  dimensions,
};
const request = {
  body: Buffer.from(JSON.stringify({ input: Array.from({ length: count }, () => "text") })),
  spans: {},
  isStream: false,
  fields,
};

test("what a call of a batch answers is read and written in slices, and joined in slices", async () => {
  const format = geminiEmbeddings("predict", "m");
  const batch = createBatch(request, format, { model: "m", path: "/", headers: [] });
  assert.equal(batch.calls.length, 1);
  const prediction = `{"embeddings":{"values":${vector},"statistics":{"token_count":1}}}`;
  const body = Buffer.from(`{"predictions":[${Array.from({ length: count }, () => prediction).join(",")}]}`);
  const [slices, part] = await counted(batch.take(0, body, {}));
  assert.equal(part?.inputTokens, count);
  // Reading is one pass over the numbers, writing another.
  assert.ok(slices >= 2 * slicesMin - 1, `${slices} slices`);
  const [joined, { usage }] = await counted(batch.join(Array.from({ length: 4 }, () => part)));
  assert.deepEqual(usage, { prompt_tokens: 4 * count, total_tokens: 4 * count });
  assert.ok(joined >= (4 * part.bytes.length) / (16 * 1024 * 1024), `${joined} slices`);
});

const entries = (of: string): string =>
  Array.from({ length: count }, (_, index) => `{"index":${index},"embedding":${of}}`).join(",");
const base64 = JSON.stringify(
  Buffer.from(Float32Array.from(JSON.parse(vector) as number[]).buffer).toString("base64"),
);

for (const [came, form, text, slicesLeast] of [
  ["float", "base64", vector, slicesMin],
  ["base64", "float", base64, slicesMin],
] as const) {
  test(`an answer that came as ${came} is converted to ${form} in slices`, async () => {
    const reader = new EmbeddingsReader({ ...fields, form });
    const body = Buffer.from(`{"data":[${entries(text)}]}`);
    reader.push(body);
    const [slices, read] = await counted(reader.finish(body));
    assert.ok(read !== undefined && "body" in read, JSON.stringify(read));
    assert.ok(slices >= slicesLeast, `${slices} slices`);
  });
}

test("an answer that is passed on is searched in slices of some MiB", async () => {
  const reader = new EmbeddingsReader({
    ...fields,
    inputs: { ...fields.inputs, items: Array.from({ length: 3 * count }, () => ({})) } as never,
  });
  const all = Array.from(
    { length: 3 * count },
    (_, index) => `{"index":${index},"embedding":${vector}}`,
  ).join(",");
  const body = Buffer.from(`{"data":[${all}]}`);
  reader.push(body);
  const [slices, read] = await counted(reader.finish(body));
  assert.ok(read !== undefined && "body" in read && read.body === body, JSON.stringify(read));
  assert.ok(
    slices >= Math.floor(body.length / (9 * 1024 * 1024)),
    `${slices} slices of ${body.length} bytes`,
  );
});
