import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../server/src/lib/testing/any-character.ts";
import { plainDecimal, wholeNumber } from "./decimal.ts";
import { familyOf, kindOf } from "./kinds.ts";
import { digitsOf, fieldsOf, itemsOf, type Literal, readLiteral } from "./literal.ts";

test("decimals keep their digits", () => {
  const texts = {
    "0.25": "0.25",
    "2.50": "2.5",
    "2e5": "200000",
    "1.25e-3": "0.00125",
    ".5": "0.5",
    "5.": "5",
    "007": "7",
    "0.0": "0",
    "-0": "0",
    "-1.5": "-1.5",
    "0.09999999999999999": "0.09999999999999999",
    "4.300000000000001": "4.300000000000001",
    "1E+2": "100",
  };
  for (const [text, plain] of Object.entries(texts)) assert.equal(plainDecimal(text), plain, text);
  for (const text of ["", ".", "1,5", "0x10", "1e", "NaN", "1e9999", " 1"])
    assert.equal(plainDecimal(text), undefined, text);
  assert.equal(plainDecimal("12", -3), "0.012");
  assert.equal(plainDecimal("0.00000025", 6), "0.25");
});

test("a decimal is worth what it was worth", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }), (value) => {
      assert.equal(Number(plainDecimal(String(value))), value === 0 ? 0 : value);
    }),
  );
});

test("sizes are whole numbers", () => {
  assert.deepEqual(["128e3", "272000", "1"].map(wholeNumber), [128_000, 272_000, 1]);
  for (const text of ["0", "-1", "1.5", "", "1e12", "x"]) assert.equal(wholeNumber(text), undefined, text);
});

/** Converts numbers as JSON.parse would. */
function plain(value: Literal): unknown {
  const digits = digitsOf(value);
  if (digits !== undefined) return Number(digits);
  if (Array.isArray(value)) return itemsOf(value).map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(fieldsOf(value)).map(([name, one]) => [name, plain(one)]));
}

test("JSON is read as JSON.parse reads it", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: anyCharacter }), (value) => {
      const text = JSON.stringify(value);
      assert.deepEqual(plain(readLiteral(` ${text} `).value), JSON.parse(text));
    }),
  );
});

test("what a bundler makes of JSON is read without being run", () => {
  const text =
    "[{ id: 'it\\'s', yes: !0, no: !1, 'a-b': 2e5, text: `two\nlines \\u00e9 \\x41`, list: [.5, -1,], }], J = run()";
  const { value, end } = readLiteral(text);
  assert.deepEqual(plain(value), [
    { id: "it's", yes: true, no: false, "a-b": 200_000, text: "two\nlines é A", list: [0.5, -1] },
  ]);
  assert.equal(text.slice(end), ", J = run()");
  const named = fieldsOf(readLiteral('{"__proto__": {"x": 1}, "constructor": 2}').value);
  assert.deepEqual([Object.keys(named), named["x"]], [["__proto__", "constructor"], undefined]);
});

test("code is not data", () => {
  const deep = "[".repeat(1_000);
  for (const text of [
    "run()",
    "[1 2]",
    "{a}",
    "{a: `$" + "{b}`}",
    '"open',
    "'\\u12",
    "",
    "[1,,2]",
    "new Map()",
    deep,
  ]) {
    assert.throws(() => readLiteral(text), SyntaxError, text.slice(0, 20));
  }
});

test("names say families and kinds", () => {
  const families = {
    "us.anthropic.claude-opus-5-5": "claude",
    "openai/gpt-oss-120b": "gpt-oss",
    "gpt-5-mini": "gpt",
    o3: "o-series",
    "o3-mini": "o-series",
    "models/gemini-2.5-pro": "gemini",
    "accounts/fireworks/models/kimi-k3": "kimi",
    "deepseek-r1-distill-llama-70b": "deepseek",
    "nvidia/NVIDIA-Nemotron-3-Ultra": "nemotron",
    "mistral.magistral-small-2509": "mistral",
    "solo-1": undefined,
    "": undefined,
  };
  for (const [id, family] of Object.entries(families)) assert.equal(familyOf(id), family, id);
  const kinds = {
    "text-embedding-3-small": "embedding",
    "gpt-4o-mini-tts": "tts",
    "gpt-4o-transcribe": "stt",
    "gpt-realtime-2": "realtime",
    "gemini-2.5-flash-image": "image",
    davinci: "completion",
    "gpt-4o": "chat",
    "olive-1": "chat",
    "imagery-chat": "chat",
  };
  for (const [id, kind] of Object.entries(kinds)) assert.equal(kindOf(id), kind, id);
});
