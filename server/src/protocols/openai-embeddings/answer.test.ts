import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { atOnce } from "../../lib/time/slices.ts";
import { convertAnswer } from "./convert-answer.ts";
import { problemOf, readAnswer } from "./decode-answer.ts";
import { encodeAnswer, encodeEntries } from "./encode-answer.ts";
import { createAnswerScanner, openaiEmbeddings } from "./openai-embeddings.ts";
import { usageOnWire } from "./usage.ts";

const base64Of = (vector: readonly number[]): string =>
  Buffer.from(Float32Array.from(vector).buffer).toString("base64");

const entry = (embedding: unknown, index: number): object => ({ object: "embedding", index, embedding });
const answerOf = (embeddings: readonly unknown[], more: object = {}): Buffer =>
  Buffer.from(
    JSON.stringify({
      object: "list",
      data: embeddings.map(entry),
      model: "text-embedding-3-small",
      usage: { prompt_tokens: 5, total_tokens: 5 },
      ...more,
    }),
  );

const read = (body: Buffer) => atOnce(readAnswer(body));

const convert = (body: Buffer, to: "float" | "base64"): Buffer | undefined => {
  const answer = read(body);
  assert.ok(answer !== undefined && answer.vectors.length > 0);
  return atOnce(convertAnswer(body, answer, to));
};

const component = fc
  .integer({ min: 0, max: 0xffffffff })
  .map((bits) => new Float32Array(Uint32Array.of(bits).buffer)[0] as number)
  .filter(Number.isFinite)
  // JSON writes -0 as 0.
  .map((value) => value + 0);
const batch = fc
  .integer({ min: 1, max: 20 })
  .chain((length) =>
    fc.array(fc.array(component, { minLength: length, maxLength: length }), { minLength: 1, maxLength: 6 }),
  );

test("floats become base64 of the same floats and back, and nothing else changes", () => {
  fc.assert(
    fc.property(batch, fc.constantFrom(0, 1), (vectors, space) => {
      const floats = Buffer.from(JSON.stringify(JSON.parse(answerOf(vectors).toString()), null, space));
      const base64 = convert(floats, "base64");
      assert.ok(base64 !== undefined);
      const expected = JSON.parse(answerOf(vectors.map(base64Of)).toString());
      assert.deepEqual(JSON.parse(base64.toString()), expected);
      const back = convert(base64, "float");
      assert.ok(back !== undefined);
      // The digits may be fewer; the floats are the same.
      assert.deepEqual(convert(back, "base64"), base64);
    }),
    { numRuns: 300 },
  );
});

test("vectors that are none, or of unequal length, are not converted", () => {
  assert.equal(convert(answerOf([[1], [1, 2]]), "base64"), undefined);
  assert.equal(convert(answerOf([[1, 1e39]]), "base64"), undefined);
  assert.equal(
    convert(
      Buffer.from(
        answerOf([[7]])
          .toString()
          .replace("[7]", "[7,NaN]"),
      ),
      "base64",
    ),
    undefined,
  );
  for (const text of ["AAAA", "AA=A", "AAAAAA", "AACAfw==", "AADAfw==", "AAAAAAA*"])
    assert.equal(convert(answerOf([text]), "float"), undefined, text);
});

test("a slash of base64 may be escaped", () => {
  const vector = [-1.3, 5e9, Math.fround(-3.1e-7)].map(Math.fround);
  assert.match(base64Of([-1.5, 1.7e38]), /./);
  const body = answerOf([base64Of(vector)])
    .toString()
    .replaceAll("/", "\\/");
  const back = JSON.parse(String(convert(Buffer.from(body), "float")));
  assert.deepEqual(back.data[0].embedding.map(Math.fround), vector);
});

test("what an answer holds, and what is none", () => {
  const answered = (embeddings: readonly unknown[], more: object = {}) => read(answerOf(embeddings, more));
  assert.equal(answered([[1, 2]])?.form, "float");
  assert.equal(answered(["AACAPw=="])?.form, "base64");
  // Mixed, sparse and multi-vector embeddings can only be passed through.
  for (const other of [[[1], "AACAPw=="], [[[1], [2]]], [{ 7: 1 }]])
    assert.equal(answered(other)?.form, undefined);
  assert.deepEqual(answered([[1]])?.usage, { prompt_tokens: 5, total_tokens: 5 });
  for (const more of [{ error: { message: "x" } }, { data: [] }, { data: {} }, { data: [1] }]) {
    assert.equal(answered([[1]], more), undefined);
  }
  for (const text of ["", "null", "[]", "{}", '{"data":[{"embedding":[1}]}'])
    assert.equal(read(Buffer.from(text)), undefined, text);
});

test("an answer has a vector for each input, in order", () => {
  const problem = (body: Buffer, inputs: number): string | undefined => {
    const answer = read(body);
    assert.ok(answer !== undefined);
    return problemOf(answer, inputs);
  };
  assert.equal(problem(answerOf([[1], [2]]), 2), undefined);
  assert.equal(problem(answerOf([[1], [2]]), 3), "an answer of 2 vectors to 3 inputs");
  const swapped = { data: [entry([1], 1), entry([2], 0)] };
  assert.equal(problem(answerOf([], swapped), 2), "vectors out of order");
  const unnumbered = { data: [{ embedding: [1] }, { embedding: [2] }] };
  assert.equal(problem(answerOf([], unnumbered), 2), undefined);
});

test("usage: what cannot be true is not believed, our own estimate is no report", () => {
  const { readUsage } = openaiEmbeddings;
  assert.equal(readUsage({ prompt_tokens: 5, total_tokens: 5 })?.input, 5);
  assert.equal(readUsage({ total_tokens: 7 })?.input, 7);
  assert.equal(readUsage({ prompt_tokens: 0, total_tokens: 0 })?.input, 0);
  const untrue = [-1, 1.5, "5", 1e10].map((prompt_tokens) => ({ prompt_tokens, total_tokens: 5 }));
  for (const report of [undefined, null, {}, [], ...untrue, { prompt_tokens: 5, is_estimated: true }]) {
    assert.equal(readUsage(report), undefined, JSON.stringify(report));
  }
});

test("entries of several calls make one answer, in either form, that reads back as it was meant", () => {
  const vectors = [
    [1, 2],
    [3, 4],
    [5, -6.5],
  ].map((vector) => Float32Array.from(vector));
  for (const form of ["float", "base64"] as const) {
    const entries = [vectors.slice(0, 2), vectors.slice(2)].map((some, at) =>
      atOnce(encodeEntries(some, at * 2, form)),
    );
    const body = atOnce(encodeAnswer(entries, { model: "m", usage: usageOnWire(9, false) }));
    const expected =
      form === "float"
        ? [
            [1, 2],
            [3, 4],
            [5, -6.5],
          ]
        : vectors.map((one) => base64Of([...one]));
    const whole = {
      object: "list",
      data: expected.map(entry),
      model: "m",
      usage: { prompt_tokens: 9, total_tokens: 9 },
    };
    assert.deepEqual(JSON.parse(body.toString()), whole);
    const answer = read(body);
    assert.ok(answer !== undefined);
    assert.deepEqual([answer.form, problemOf(answer, 3)], [form, undefined]);
    assert.equal(openaiEmbeddings.readUsage(answer.usage)?.input, 9);
  }
  const estimated = atOnce(
    encodeAnswer([atOnce(encodeEntries(vectors, 0, "float"))], { model: "m", usage: usageOnWire(9, true) }),
  );
  assert.equal(openaiEmbeddings.readUsage(read(estimated)?.usage), undefined);
});

test("a scan as it arrives finds what is no JSON inside a vector, where nothing is parsed", () => {
  const isJson = (body: Buffer): boolean => {
    const scanner = createAnswerScanner();
    for (let at = 0; at < body.length; at += 5) scanner.push(body.subarray(at, at + 5));
    return scanner.end().reason === undefined;
  };
  const body = answerOf([[0.5, 0.25]]);
  assert.ok(isJson(body));
  const broken = Buffer.from(body.toString().replace("0.25", "NaN"));
  assert.ok(read(broken) !== undefined);
  assert.equal(isJson(broken), false);
});
