import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../lib/testing/any-character.ts";
import { answerEmbeddings } from "./answer.ts";
import { textVector, tokenVector } from "./vectors.ts";

const dot = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] as number), 0);

test("every vector has length 1, and is the same every time, whatever is asked", () => {
  const input = fc.oneof(fc.string({ unit: anyCharacter }), fc.array(fc.nat(), { maxLength: 9 }));
  fc.assert(
    fc.property(input, fc.integer({ min: 1, max: 1_536 }), (value, dimensions) => {
      const make = () =>
        typeof value === "string" ? textVector(value, dimensions) : tokenVector(value, dimensions);
      const vector = make();
      assert.equal(vector.length, dimensions);
      assert.ok(Math.abs(dot(vector, vector) - 1) < 1e-5);
      assert.deepEqual(make(), vector);
    }),
  );
});

test("texts with words in common are nearer than others, at any length worth the name", () => {
  for (const dimensions of [64, 256, 1_536]) {
    const [cats, cat, tax] = [
      "The cats sat on the warm mat in the sun.",
      "A cat sits on a mat in the sun",
      "Quarterly revenue grew by nine percent after taxes",
    ].map((text) => textVector(text, dimensions)) as [Float32Array, Float32Array, Float32Array];
    assert.ok(dot(cats, cat) > dot(cats, tax) + 0.2, String(dimensions));
  }
  assert.ok(
    dot(tokenVector([1, 2, 3]), tokenVector([1, 2, 4])) > dot(tokenVector([1, 2, 3]), tokenVector([7, 8, 9])),
  );
});

test("an answer: one vector for each input, in the form asked, token numbers counted exactly", () => {
  const answer = (body: object) => {
    const { status, body: bytes } = answerEmbeddings(body, "demo-embedding");
    return { status, value: JSON.parse(bytes.toString()) };
  };
  const { value } = answer({ input: ["a", "b"], dimensions: 4 });
  assert.deepEqual([value.data.length, value.data[1].index, value.data[0].embedding.length], [2, 1, 4]);
  assert.deepEqual(value.usage, { prompt_tokens: 2, total_tokens: 2 });
  const base64 = answer({ input: ["a", "b"], dimensions: 4, encoding_format: "base64" }).value;
  const bytes = Buffer.from(base64.data[0].embedding, "base64");
  assert.deepEqual(
    new Float32Array(new Uint8Array(bytes).buffer),
    Float32Array.from(value.data[0].embedding),
  );
  assert.equal(answer({ input: [[1, 2], [3]] }).value.usage.prompt_tokens, 3);
  assert.equal(answer({ input: "a" }).value.data[0].embedding.length, 1_536);
  assert.deepEqual([answer({ input: "a", dimensions: 1_537 }).status], [400]);
});
