import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { createJsonScannerFactory } from "../../lib/json/scan.ts";
import { Untranslatable } from "../untranslatable.ts";
import { decodeRequest, readEmbeddingsFields, scannedNames, valuesMin } from "./decode-request.ts";

const createScanner = createJsonScannerFactory([...scannedNames], { depthMax: 8, valuesMax: valuesMin });

function read(value: object) {
  const body = Buffer.from(JSON.stringify(value));
  const scanner = createScanner();
  scanner.push(body);
  const scan = scanner.end();
  assert.ok(scan.reason === undefined, scan.reason);
  return { body, fields: readEmbeddingsFields(scan, body) };
}

test("what is absent or null has OpenAI's defaults", () => {
  for (const more of [{}, { encoding_format: null, dimensions: null, user: null }]) {
    const { fields } = read({ model: "m", input: "hi", ...more });
    assert.deepEqual([fields.form, fields.dimensions, fields.inputs.items.length], ["float", undefined, 1]);
  }
  const { fields } = read({ input: ["a", "b"], encoding_format: "base64", dimensions: 256 });
  assert.deepEqual([fields.form, fields.dimensions, fields.inputs.items.length], ["base64", 256, 2]);
});

test("the largest batch of token numbers there may be is scanned and counted", () => {
  const input = Array.from({ length: 2_048 }, () => Array.from({ length: 146 }, () => 7));
  const { fields } = read({ input });
  assert.equal(fields.inputs.items.length, 2_048);
});

const refusals: [body: object, code: string, param: string][] = [
  [{}, "missing_required_parameter", "input"],
  [{ input: null }, "invalid_type", "input"],
  [{ input: Array.from({ length: 2_049 }, () => "a") }, "array_above_max_length", "input"],
  [{ input: "a", encoding_format: "int8" }, "invalid_value", "encoding_format"],
  [{ input: "a", encoding_format: 7 }, "invalid_value", "encoding_format"],
  [{ input: "a", encoding_format: "x".repeat(100) }, "invalid_value", "encoding_format"],
  [{ input: "a", dimensions: 0 }, "integer_below_min_value", "dimensions"],
  [{ input: "a", dimensions: -1 }, "integer_below_min_value", "dimensions"],
  [{ input: "a", dimensions: 1.5 }, "invalid_type", "dimensions"],
  [{ input: "a", dimensions: "256" }, "invalid_type", "dimensions"],
  [{ input: "a", dimensions: 1e6 }, "integer_above_max_value", "dimensions"],
];

for (const [body, code, param] of refusals) {
  test(`refused as ${code}: ${JSON.stringify(body).slice(0, 60)}`, () => {
    assert.throws(
      () => read(body),
      (error) => {
        assert.ok(error instanceof GatewayError);
        assert.deepEqual(
          [error.code, error.detail.passedCode, error.detail.param],
          ["invalid_request", code, param],
        );
        return true;
      },
    );
  });
}

test("the request for other formats: texts, purpose, and every other field by name", () => {
  const { body, fields } = read({
    model: "m",
    input: "hi",
    dimensions: 8,
    input_type: "search_query",
    user: "u",
    truncate: "END",
    x: null,
  });
  assert.deepEqual(decodeRequest(body, fields, true), {
    texts: ["hi"],
    dimensions: 8,
    purpose: "search_query",
    hints: undefined,
    dropsParams: true,
    others: { user: "u", truncate: "END" },
  });
});

test("token numbers cannot be said in another format", () => {
  const { body, fields } = read({ input: [1, 2] });
  assert.throws(
    () => decodeRequest(body, fields, true),
    (error) => error instanceof Untranslatable && error.param === "input",
  );
});
