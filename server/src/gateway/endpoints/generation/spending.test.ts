/** Finding the fields that decide the cost, wherever they are and however they are spelled. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { createJsonScannerFactory } from "../../../lib/json/scan.ts";
import { allOutputNames } from "../../../providers/output-names.ts";
import { readSpending, type Spending, spendingNames } from "./spending.ts";

const createScanner = createJsonScannerFactory(spendingNames, { depthMax: 64, valuesMax: 200_000 });

function read(text: string): Spending {
  const body = Buffer.from(text);
  const scanner = createScanner();
  scanner.push(body);
  const scan = scanner.end();
  if (scan.reason !== undefined) assert.fail(`${scan.reason} at ${scan.at}`);
  return readSpending(scan, body);
}

function refusal(text: string): [string | undefined, string] {
  try {
    read(text);
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    return [error.detail.param, error.message];
  }
  return assert.fail(`accepted: ${text}`);
}

const shown = (numbers: Spending["tokens"]): string[] => numbers.map(({ path, value }) => `${path}=${value}`);

test("bounds of the output under every name, at the top and in the objects some upstreams read", () => {
  const cases: [string, string[]][] = [
    ['{"max_tokens":5}', ["max_tokens=5"]],
    ['{"max_completion_tokens":1,"max_tokens":100000}', ["max_completion_tokens=1", "max_tokens=100000"]],
    ['{"max_tokens":null,"n_predict":7}', ["n_predict=7"]],
    ['{"options":{"num_predict":9,"seed":1}}', ["options.num_predict=9"]],
    ['{"extra_body":{"max_tokens":3}}', ["extra_body.max_tokens=3"]],
    [
      '{"extra_body":{"google":{"generationConfig":{"maxOutputTokens":4}}}}',
      ["extra_body.google.generationConfig.maxOutputTokens=4"],
    ],
    ['{"generation_config":{"max_output_tokens":4}}', ["generation_config.max_output_tokens=4"]],
    ['{"options":[{"num_predict":9}],"parameters":7}', []],
    ['{"x":{"max_tokens":9}}', []],
  ];
  for (const [text, wanted] of cases) assert.deepEqual(shown(read(text).tokens), wanted, text);
  for (const name of allOutputNames.tokens) {
    assert.deepEqual(shown(read(`{"${name}":8}`).tokens), [`${name}=8`]);
  }
});

test("a bound that may be read as none is endless; fractions count in full", () => {
  for (const none of ["0", "-1", "-2", "1e10", "1e400"]) {
    assert.equal(read(`{"max_tokens":${none}}`).tokens[0]?.value, Number.POSITIVE_INFINITY, none);
  }
  for (const [text, value] of [
    ["1e3", 1000],
    ["10.2", 11],
    ["0.5", 1],
  ]) {
    assert.equal(read(`{"max_tokens":${text}}`).tokens[0]?.value, value);
  }
});

test("choices multiply under all their names, and no more than upstreams take", () => {
  assert.deepEqual(shown(read('{"n":2,"best_of":5}').choices), ["n=2", "best_of=5"]);
  assert.deepEqual(shown(read('{"n":1.5,"candidateCount":0}').choices), ["n=2", "candidateCount=1"]);
  assert.deepEqual(refusal('{"best_of":129}'), ["best_of", "'best_of' must be at most 128."]);
  assert.equal(refusal('{"extra_body":{"n":1000}}')[0], "extra_body.n");
});

test("numbers that are none are refused by name, at any depth", () => {
  for (const value of ['"100000"', "true", "[5]", "{}"]) {
    assert.equal(refusal(`{"n_predict":${value}}`)[0], "n_predict", value);
    assert.equal(refusal(`{"options":{"num_predict":${value}}}`)[0], "options.num_predict", value);
  }
});

test("names in objects are exact, occur once, and the objects are small", () => {
  for (const name of ["Num_Predict", "num_predi\\u0063t", "NUM_PREDICT"]) {
    const [param, message] = refusal(`{"options":{"num_predict":1,"${name}":2}}`);
    assert.deepEqual([param, /exactly/.test(message)], ["options.num_predict", true], name);
  }
  assert.match(refusal('{"options":{"num_predict":1,"num_predict":2}}')[1], /twice/);
  assert.match(refusal(`{"options":{"x":"${"x".repeat(300_000)}"}}`)[1], /at most/);
  assert.match(refusal(`${'{"extra_body":'.repeat(6)}{"max_tokens":1}${"}".repeat(6)}`)[1], /too deep/);
});

test("what is charged apart is told by its path, and what means the usual price is not", () => {
  const apart: [string, string[]][] = [
    ['{"service_tier":"auto"}', []],
    ['{"service_tier":"default"}', []],
    ['{"service_tier":null,"web_search_options":null,"plugins":[],"enable_search":false}', []],
    ['{"search_parameters":{"mode":"off"}}', []],
    ['{"service_tier":"priority"}', ["service_tier"]],
    ['{"service_tier":"pri\\u006frity"}', ["service_tier"]],
    ['{"service_tier":"\\u0061uto"}', []],
    ['{"service_tier":["auto"]}', ["service_tier"]],
    ['{"web_search_options":{}}', ["web_search_options"]],
    ['{"plugins":[{"id":"web"}]}', ["plugins"]],
    [
      '{"extra_body":{"service_tier":"flex","model":"other"}}',
      ["extra_body.service_tier", "extra_body.model"],
    ],
    ['{"extra_body":{"google":{"tools":[{"googleSearch":{}}]}}}', ["extra_body.google.tools[0]"]],
    ['{"googleSearch":{}}', ["googleSearch"]],
    ['{"fallbacks":["dear"]}', ["fallbacks"]],
  ];
  for (const [text, wanted] of apart) assert.deepEqual(read(text).apart, wanted, text);
});

test("tools of the caller's own pass; what an upstream runs itself is told", () => {
  const own = [
    '{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}',
    '{"type":"\\u0066unction","function":{"name":"web_search"}}',
    '{"type":"custom","custom":{"name":"c"}}',
    '{"function":{"name":"f"}}',
    '{"name":"f","description":"flat","parameters":{}}',
    '{ "type" : "function" , "function" : { "name" : "f" , "google_search" : 1 } , "cache_control":{} }',
  ];
  assert.deepEqual(read(`{"tools":[${own.join(" , ")}]}`).apart, []);
  assert.deepEqual(read('{"tools":[]}').apart, []);
  // Of another format, and no more charged apart than these: refused by its name.
  const [param] = refusal('{"tools":[{"name":"f","description":"flat","input_schema":{}}]}');
  assert.equal(param, "tools[0].input_schema");
  const hosted = [
    '{"type":"web_search"}',
    '{"type":"web_search_20250305","name":"web_search"}',
    '{"type":"code_interpreter","container":{}}',
    '{"type":"file_search"}',
    '{"type":"builtin_function","function":{"name":"$web_search"}}',
    '{"google_search":{}}',
    '{"googleSearch":{}}',
    '{"Type":"web_search","function":{"name":"f"}}',
    '{"type":"function","type":"web_search"}',
    '{"type":"function","function":{"name":"f"},"googleSearch":{}}',
    '{"type":"function","function":{"name":"f"},"goo\\u0067le_search":{}}',
    '{"type":7,"function":{}}',
    `{"type":"${"x".repeat(400)}"}`,
    '"web_search"',
    "{}",
  ];
  for (const tool of hosted) {
    assert.deepEqual(read(`{"tools":[${own[0]},${tool}]}`).apart, ["tools[1]"], tool);
  }
});
