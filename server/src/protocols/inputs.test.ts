import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import fc from "fast-check";
import { anyCharacter } from "../lib/testing/any-character.ts";
import { estimateInputs, type InputRules, readInputs, textsOf } from "./inputs.ts";

const rules: InputRules = { param: "input", countMax: 4, allowsEmptyText: false };

const read = (value: unknown, more: Partial<InputRules> = {}, space = 0) => {
  const body = Buffer.from(`{"x":1,"input": ${JSON.stringify(value, null, space)} }`);
  return { body, inputs: readInputs(body, body.indexOf("input") + 8, { ...rules, ...more }) };
};

test("the four shapes of input, with their sizes", () => {
  const shapes: [value: unknown, kind: string, sizes: number[]][] = [
    ["hé", "texts", [3]],
    ["a\n", "texts", [3]],
    [["a", "bcd"], "texts", [1, 3]],
    [[1, 22, 333], "tokens", [3]],
    [[[1], [2, 3]], "tokens", [1, 2]],
  ];
  for (const [value, kind, sizes] of shapes) {
    for (const space of [0, 2]) {
      const { inputs } = read(value, {}, space);
      assert.equal(inputs.kind, kind);
      assert.deepEqual(
        inputs.items.map(({ size }) => size),
        sizes,
      );
    }
  }
});

const refusals: [value: unknown, code: string, param: string, words: RegExp][] = [
  [null, "invalid_type", "input", /got null/],
  [7, "invalid_type", "input", /expected a string, or an array .* but got a number instead\.$/],
  [true, "invalid_type", "input", /got a boolean/],
  [{}, "invalid_type", "input", /got an object/],
  [[], "empty_array", "input", /empty array\. Expected an array with minimum length 1/],
  [[[]], "empty_array", "input[0]", /empty array/],
  ["", "invalid_value", "input", /cannot be an empty string/],
  [["a", ""], "invalid_value", "input[1]", /cannot be an empty string/],
  [["a", 1], "invalid_type", "input[1]", /expected a string, but got a number/],
  [["a", null], "invalid_type", "input[1]", /got null/],
  [[{}], "invalid_type", "input[0]", /got an object/],
  [[1, "a"], "invalid_type", "input[1]", /expected a token number, but got a string/],
  [[1, -2], "integer_below_min_value", "input[1]", />= 0, but got -2 instead/],
  [[1.5], "invalid_type", "input[0]", /expected an integer, but got a decimal number/],
  [[[1], [2, 1e30]], "invalid_type", "input[1][1]", /expected an integer/],
  [[[1], 2], "invalid_type", "input[1]", /expected an array of token numbers, but got a number/],
  [
    ["a", "b", "c", "d", "e", "f"],
    "array_above_max_length",
    "input",
    /maximum length 4, .* length 6 instead/,
  ],
  [[[1], [1], [1], [1], [1]], "array_above_max_length", "input", /maximum length 4, .* length 5 instead/],
];

for (const [value, code, param, words] of refusals) {
  test(`refused as ${code}: ${JSON.stringify(value)}`, () => {
    assert.throws(
      () => read(value),
      (error) => {
        assert.ok(error instanceof GatewayError);
        assert.deepEqual(
          [error.code, error.detail.passedCode, error.detail.param],
          ["invalid_request", code, param],
        );
        assert.match(error.message, words);
        return true;
      },
    );
  });
}

test("one array of token numbers may be longer than a list of inputs, and a text may be empty where a format allows it", () => {
  assert.equal(read([1, 2, 3, 4, 5, 6]).inputs.items[0]?.size, 6);
  assert.equal(read("", { allowsEmptyText: true }).inputs.items[0]?.size, 0);
});

test("texts come back as they were sent; token numbers are none", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1, unit: anyCharacter }), { minLength: 1, maxLength: 4 }),
      (texts) => {
        const { body, inputs } = read(texts);
        assert.deepEqual(textsOf(body, inputs), JSON.parse(JSON.stringify(texts)));
      },
    ),
  );
  const { body, inputs } = read([1, 2]);
  assert.equal(textsOf(body, inputs), undefined);
});

test("token numbers count exactly, a text has at least one token, no input counts for more than the model reads", () => {
  assert.equal(estimateInputs(read([1, 2, 3]).inputs), 3);
  assert.equal(estimateInputs(read([[1, 2, 3], [4]]).inputs, 2), 3);
  assert.equal(estimateInputs(read(["a", "abcde"]).inputs), 3);
  assert.equal(estimateInputs(read("", { allowsEmptyText: true }).inputs), 1);
});
