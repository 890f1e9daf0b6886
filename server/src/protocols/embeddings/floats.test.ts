import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../lib/testing/runs.ts";
import { readFloats } from "./read-floats.ts";
import { floatBytesMax, writeFloat } from "./write-floats.ts";

/** The numbers of a JSON array; undefined when it is rejected. */
function read(text: string, room = 100): number[] | undefined {
  const bytes = Buffer.from(`xx${text}`);
  const into = new Float32Array(room);
  const count = readFloats(bytes, 3, bytes.length - 1, into);
  return count < 0 ? undefined : [...into.subarray(0, count)];
}

const written = (value: number): string => {
  const out = Buffer.alloc(floatBytesMax + 4, "x");
  const end = writeFloat(value, out, 2);
  assert.equal(
    out.toString("latin1", end),
    "x".repeat(out.length - end),
    "nothing is written behind the end",
  );
  return out.toString("latin1", 2, end);
};

/** Finite 32-bit floats with random bits, and some of the usual size of vector values. */
const floats = fc.oneof(
  fc
    .integer({ min: 0, max: 0xffffffff })
    .map((bits) => new Float32Array(Uint32Array.of(bits).buffer)[0] as number)
    .filter(Number.isFinite),
  fc.double({ min: -1, max: 1, noNaN: true }).map(Math.fround),
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((count) => Math.fround(count / 1_000)),
);

/** Numbers as JSON allows them, with up to 40 digits and any exponent within a float's range. */
const numberTexts = fc.oneof(
  fc.double({ min: -3e38, max: 3e38, noNaN: true }).map(String),
  floats.map(String),
  fc
    .tuple(
      fc.boolean(),
      fc.bigInt({ min: 0n, max: 10n ** 20n }),
      fc.option(fc.stringMatching(/^\d{1,25}$/)),
      fc.option(fc.integer({ min: -60, max: 15 })),
    )
    .map(
      ([isNegative, whole, fraction, exponent]) =>
        `${isNegative ? "-" : ""}${whole}${fraction === null ? "" : `.${fraction}`}${exponent === null ? "" : `e${exponent}`}`,
    ),
);

test("numbers are read as JSON.parse and a rounding to 32 bits would read them", () => {
  fc.assert(
    fc.property(fc.array(numberTexts, { maxLength: 6 }), (texts) => {
      const text = `[${texts.join(" ,\n")}]`;
      const expected = (JSON.parse(text) as number[]).map(Math.fround);
      assert.deepEqual(read(text), expected);
    }),
    { numRuns: runsOf(20_000) },
  );
});

test("a number exactly between two floats, and one just beside it, are rounded right", () => {
  // 1 + 2^-24 is halfway between 1 and the next float.
  const between = "1.000000059604644775390625";
  // So close to the middle that fifteen digits cannot decide the rounding.
  const beside = String(1 + 2 ** -24 + 2 ** -52);
  const texts = [
    beside,
    between,
    `${between}1`,
    `${between.slice(0, -1)}4999999999`,
    "16777217",
    "16777217.0000000001",
  ];
  for (const text of texts) assert.deepEqual(read(`[${text}]`), [Math.fround(Number(text))], text);
});

test("what is no array of numbers is refused", () => {
  const wrong = [
    "[null]",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[NaN]",
    "[.5]",
    "[1.]",
    "[1e]",
    "[-]",
    '["1"]',
    "[[1]]",
    "[1e39]",
    "[1e99999]",
    "[--1]",
  ];
  for (const text of wrong) assert.equal(read(text), undefined, text);
  assert.equal(read("[1,2,3]", 2), undefined);
  assert.deepEqual(read("[ ]"), []);
  assert.deepEqual(read("[1,2,3]", 3), [1, 2, 3]);
});

test("a written float reads back as the same float", () => {
  fc.assert(
    fc.property(floats, (value) => {
      const text = written(value);
      assert.ok(text.length <= floatBytesMax, text);
      assert.ok(Object.is(Math.fround(JSON.parse(text) as number), value), `${value} → ${text}`);
    }),
    { numRuns: runsOf(50_000) },
  );
});

test("a float is written with the fewest digits that tell it", () => {
  const digitsOf = (text: string): number =>
    (/^[-0.]*(\d[\d.]*?)0*(?:e.*)?$/.exec(text)?.[1] ?? "").replace(".", "").length;
  fc.assert(
    fc.property(floats, (value) => {
      if (value === 0) return;
      const text = written(value);
      for (let digits = 1; digits < 9; digits += 1) {
        if (Math.fround(Number(value.toPrecision(digits))) !== value) continue;
        assert.ok(digitsOf(text) <= digits, `${value.toPrecision(digits)} is shorter than ${text}`);
        return;
      }
    }),
    { numRuns: runsOf(50_000) },
  );
});

test("how numbers of every size are written", () => {
  const texts = ["0", "-0", "1", "-0.5", "0.1", "100", "1234.5", "123456790", "0.0023064255", "-0.009327292"];
  const more = ["1e-8", "1.25e-10", "0.0000001", "3.4028235e+38", "1e-45", "9.9999994e-8", "99999990"];
  for (const text of [...texts, ...more]) assert.equal(written(Math.fround(Number(text))), text);
});
