import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isRecord } from "../../lib/record.ts";
import { atOnce } from "../../lib/time/slices.ts";
import { type CutAnswer, cutVectors, vectorAt } from "./cut-vectors.ts";

const cutOut = (body: Buffer, names: readonly string[]) => atOnce(cutVectors(body, names));

/** The answer with its vectors put back. */
function restored(cut: CutAnswer, body: Buffer, value: unknown): unknown {
  const vector = vectorAt(cut, value);
  if (vector !== undefined) {
    const text = body.toString("utf8", vector.start, vector.end);
    return vector.kind === "text" ? JSON.parse(`"${text}"`) : JSON.parse(`[${text}]`);
  }
  if (Array.isArray(value)) return value.map((item) => restored(cut, body, item));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, restored(cut, body, one)]));
}

test("what was cut and what is left are the answer again, whatever the answer is", () => {
  // Random objects that contain the vector names, and decoys in names and texts.
  const leaf = fc.oneof(
    fc.constantFrom('"v":[1,2]', '\\"v\\":[', "v", '"v"', "\0vector 0x"),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(fc.integer(), { minLength: 1, maxLength: 4 }),
    fc.array(fc.array(fc.integer(), { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
    fc.constant(null),
    fc.stringMatching(/^[\w+/=]{0,9}$/),
  );
  const names = fc.constantFrom("v", "w", "x", 'a"v', "embedding");
  // Lists that mix numbers and other values are left out: they are refused.
  const { tree, record } = fc.letrec((tie) => ({
    record: fc.dictionary(names, tie("tree"), { maxKeys: 3 }),
    tree: fc.oneof(
      { maxDepth: 3 },
      leaf,
      tie("record"),
      fc.array(fc.oneof(tie("record"), fc.string()), { maxLength: 3 }),
    ),
  }));
  fc.assert(
    fc.property(fc.oneof(record, tree), fc.constantFrom(0, 1), (value, space) => {
      // A vector text must not contain a quote; base64 never does.
      if (JSON.stringify(value).match(/"[vw]": ?"[^"]*\\"/) !== null) return;
      const body = Buffer.from(JSON.stringify(value, null, space));
      const cut = cutOut(body, ["v", "w"]);
      assert.ok(cut !== undefined, body.toString());
      assert.deepEqual(restored(cut, body, cut.rest), JSON.parse(body.toString()), body.toString());
    }),
    { numRuns: 2_000 },
  );
});

test("vectors of all kinds are found in their order", () => {
  const body = Buffer.from(
    '{"data":[{"v":[1, 2]},{"v" : "AAAA"},{"v":[]},{"v":{"w":[[3],[4,5]]}}],"texts":["\\"v\\":[9]"],"a\\"v":[8],"v":7}',
  );
  const cut = cutOut(body, ["v", "w"]);
  assert.ok(cut !== undefined);
  const texts = cut.vectors.map(({ start, end, kind }) => `${kind} ${body.toString("utf8", start, end)}`);
  assert.deepEqual(texts, ["numbers 1, 2", "text AAAA", "numbers 3", "numbers 4,5"]);
});

test("what is cut short, no JSON, or has too much beside its vectors is refused", () => {
  for (const text of ["", "{", '{"v":[1,[]]}', '{"v":[1', '{"v":"A', '{"v":[1]', '{"v":[1,[2]]}'])
    assert.equal(cutOut(Buffer.from(text), ["v"]), undefined, text);
  const large = JSON.stringify({ text: "x".repeat(8 * 1024 * 1024), v: [1] });
  assert.equal(cutOut(Buffer.from(large), ["v"]), undefined);
  const many = JSON.stringify({ v: Array.from({ length: 16_385 }, () => [1]) });
  assert.equal(cutOut(Buffer.from(many), ["v"]), undefined);
});
