/**
 * Compares the scanner with `JSON.parse`: same texts accepted, same fields found, wherever the text is cut;
 * limits and positions are exact.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../testing/any-character.ts";
import { runsOf } from "../testing/runs.ts";
import { createJsonScannerFactory, findField } from "./scan.ts";
import type { JsonField, JsonScan, JsonScanFault } from "./scan-shapes.ts";
import { membersIn } from "./testing/samples.ts";

const wanted = ["model", "stream", "n", "max_tokens", "stream_options", "mode", "é"];
const createScanner = createJsonScannerFactory(wanted, { depthMax: 64, valuesMax: 200_000 });
const runs = runsOf(1000);

type Result = JsonScan | JsonScanFault;

/** Scans `bytes` cut at the given offsets (sorted, within the length). */
function scanCut(bytes: Uint8Array, cuts: readonly number[], create = createScanner): Result {
  const scanner = create();
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    // A copy at an odd offset: word loops must neither read outside the chunk nor depend on its alignment.
    const padded = Buffer.alloc(cut - from + 9, '"');
    padded.set(bytes.subarray(from, cut), 3);
    scanner.push(padded.subarray(3, 3 + cut - from));
    from = cut;
  }
  return scanner.end();
}

const scan = (text: string): Result => scanCut(Buffer.from(text), []);
const everyCut = (length: number): number[] => Array.from({ length }, (_, i) => i);

function scanOf(result: Result): JsonScan {
  if (result.reason !== undefined) assert.fail(`refused: ${result.reason} at ${result.at}`);
  return result;
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

const kindOf = (value: unknown): string =>
  value === null || typeof value === "boolean"
    ? String(value)
    : Array.isArray(value)
      ? "array"
      : typeof value;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * All guarantees for one text: accepted like `JSON.parse`, the same for every cut, and spans equal to the
 * fields.
 */
function check(bytes: Buffer, cuts: readonly number[]): void {
  const text = bytes.toString("utf8");
  const whole = scanCut(bytes, []);
  assert.deepEqual(scanCut(bytes, cuts), whole);
  if (bytes.length < 200) assert.deepEqual(scanCut(bytes, everyCut(bytes.length)), whole);
  const parsed = parse(text);
  assert.equal(whole.reason, parsed === undefined ? "syntax" : undefined, text);
  if (parsed === undefined || whole.reason !== undefined) return;
  const { value } = parsed;
  assert.equal(whole.root, kindOf(value));
  assert.equal(whole.isEmpty, typeof value === "object" && value !== null && Object.keys(value).length === 0);
  const members = isRecord(value) ? membersIn(text) : new Map<string, string>();
  for (const field of whole.fields) {
    const slice = bytes.toString("utf8", field.start, field.end);
    assert.equal(field.kind, kindOf(JSON.parse(slice)));
    if (whole.misspelt === undefined) assert.equal(slice, members.get(field.name));
  }
  if (whole.misspelt !== undefined) return;
  const found = whole.fields.map((field) => field.name).sort();
  assert.deepEqual(found, wanted.filter((name) => members.has(name)).sort());
}

const space = fc.stringMatching(/^[ \t\r\n]{0,2}$/);
const number = fc.constantFrom(
  "0",
  "-0",
  "10",
  "1e400",
  "-1.50E+07",
  "0.0e-1",
  "123456789012345678901234567890",
);
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 8 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.constantFrom("\ud800", "\udfff\ud800", "\\", '"', "\n\t\b\f\r/", "a".repeat(70)),
);
const jsonText = fc.oneof(
  text.map((value) => JSON.stringify(value)),
  fc.constantFrom('"\\u00e9\\/\\uD83d\\uDE00"', '"\\\\\\""', '""', '"\\ud800"', '"model\\":1"'),
);
const name = fc.oneof(
  fc.constantFrom(...wanted).map((key) => JSON.stringify(key)),
  fc.constant('"\\u006d"'),
  jsonText,
);

const { json } = fc.letrec<{ json: string; array: string; object: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, depthIdentifier: "json" },
    fc.oneof(number, jsonText, fc.constantFrom("true", "false", "null")),
    tie("array"),
    tie("object"),
  ),
  array: fc
    .tuple(space, fc.array(fc.tuple(space, tie("json"), space), { maxLength: 4, depthIdentifier: "json" }))
    .map(
      ([inside, items]) => `[${items.length === 0 ? inside : items.map((item) => item.join("")).join(",")}]`,
    ),
  object: fc
    .tuple(
      space,
      fc.array(fc.tuple(space, name, space, space, tie("json"), space), {
        maxLength: 5,
        depthIdentifier: "json",
      }),
    )
    .map(([inside, members]) => {
      const shown = members.map(([a, key, b, c, value, d]) => `${a}${key}${b}:${c}${value}${d}`);
      return `{${shown.length === 0 ? inside : shown.join(",")}}`;
    }),
}));

const cutsOf = (length: number, seeds: readonly number[]): number[] =>
  seeds.map((seed) => Math.floor(seed * length)).sort((a, b) => a - b);
const cutSeeds = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });

test("accepts every JSON text and finds its fields, at any cuts", () => {
  fc.assert(
    fc.property(space, json, space, cutSeeds, (before, body, after, seeds) => {
      const bytes = Buffer.from(before + body + after);
      assert.notEqual(parse(bytes.toString("utf8")), undefined);
      check(bytes, cutsOf(bytes.length, seeds));
    }),
    { numRuns: runs },
  );
});

test("agrees with JSON.parse on mutated JSON", () => {
  const byte = fc.oneof(
    fc.constantFrom(...Buffer.from('{}[]",:\\ \t\n\u0000\u001f0123456789-+.eEtrufalsn')),
    fc.integer({ min: 0, max: 255 }),
  );
  const edit = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 2 }), byte);
  const edits = fc.array(edit, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(json, edits, cutSeeds, (body, changes, seeds) => {
      const bytes = [...Buffer.from(body)];
      for (const [where, removed, inserted] of changes) {
        bytes.splice(Math.floor(where * bytes.length), removed, ...(removed === 2 ? [] : [inserted]));
      }
      const changed = Buffer.from(bytes);
      check(changed, cutsOf(changed.length, seeds));
    }),
    { numRuns: runs * 5 },
  );
});

test("agrees with JSON.parse on arbitrary bytes", () => {
  const letters = fc.constantFrom(...Buffer.from('{}[]",:\\ \n-+.0123eEtruefalsn'));
  const anyBytes = fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc.array(letters, { maxLength: 12 }).map((bytes) => Uint8Array.from(bytes)),
  );
  fc.assert(
    fc.property(anyBytes, cutSeeds, (bytes, seeds) => check(Buffer.from(bytes), cutsOf(bytes.length, seeds))),
    { numRuns: runs * 5 },
  );
});

test("finds the end of text at every distance and alignment", () => {
  for (let length = 0; length < 80; length++) {
    for (const stop of [
      '"',
      "\\n",
      "\u0001",
      "\u001f",
      "\\x",
      "\\u12",
      "é",
      "\u0080",
      "!",
      "#",
      "[",
      "]",
      "\x7f",
      " ",
    ]) {
      for (let pad = 0; pad < 4; pad++) {
        const bytes = Buffer.from(`${" ".repeat(pad)}"${"a".repeat(length)}${stop}bcdefghi"`);
        check(bytes, [pad + 1 + (length >> 1)]);
      }
    }
  }
});

test("says where the text stops being JSON", () => {
  const cases: [string, number][] = [
    ["", 0],
    ["  ", 2],
    ["\ufeff{}", 0],
    ["nul}", 3],
    ["tru", 3],
    ["01", 1],
    ["-", 1],
    ["-a", 1],
    ["1.", 2],
    ["1.}", 2],
    ["1e+", 3],
    ["+1", 0],
    [".5", 0],
    ["{} x", 3],
    ["{}{}", 2],
    ["[1,]", 3],
    ["[,1]", 1],
    ["[1 2]", 3],
    ["[}", 1],
    ["[1}", 2],
    ['{"a":1]', 6],
    ['{"a":1,}', 7],
    ["{a:1}", 1],
    ['{"a"}', 4],
    ['{"a" 1}', 5],
    ['{"a":}', 5],
    ['{"a":1', 6],
    ['{"a', 3],
    ['{"a\n":1}', 3],
    ['"ab', 3],
    ['"a\u0000b"', 2],
    [`"${"é".repeat(40)}\u001f"`, 81],
    ['"\\x"', 2],
    ['"\\u12g4"', 5],
    [`"${"a".repeat(50)}\\u12g4"`, 55],
    ['"\\u123g"', 6],
    ['"\\u12', 5],
    ["]", 0],
    [":", 0],
    ["\u00a01", 0],
  ];
  for (const [body, at] of cases) {
    const bytes = Buffer.from(body);
    for (const cuts of [[], everyCut(bytes.length)]) {
      assert.deepEqual(scanCut(bytes, cuts), { reason: "syntax", at }, JSON.stringify(body));
    }
  }
});

test("a fault is final and keeps its position", () => {
  const scanner = createScanner();
  assert.equal(scanner.push(Buffer.from("[1,")), undefined);
  const fault = scanner.push(Buffer.from(" }"));
  assert.deepEqual(fault, { reason: "syntax", at: 4 });
  assert.equal(scanner.push(Buffer.from("[]")), fault);
  assert.equal(scanner.end(), fault);
});

test("nesting is limited exactly", () => {
  const nested = (depth: number, phase = 1): string => {
    const opening = Array.from({ length: depth }, (_, i) => (i % 3 === phase ? '{"a":' : "["));
    const closing = opening.map((open) => (open === "[" ? "]" : "}")).reverse();
    return `${opening.join("")}1${closing.join("")}`;
  };
  assert.equal(scan(nested(64)).reason, undefined);
  const tooDeep = nested(65);
  const at = tooDeep.lastIndexOf("{");
  assert.deepEqual(scan(tooDeep), { reason: "depth", at });
  assert.deepEqual(scanCut(Buffer.from(tooDeep), everyCut(tooDeep.length)), { reason: "depth", at });

  const deep = createJsonScannerFactory([], { depthMax: 1_000, valuesMax: 10_000 });
  for (let depth = 1; depth < 130; depth++) {
    const body = nested(depth, depth % 2);
    assert.equal(scanCut(Buffer.from(body), [], deep).reason, undefined);
    const wrong = body.replace(/[\]}]$/, (close) => (close === "]" ? "}" : "]"));
    assert.deepEqual(scanCut(Buffer.from(wrong), [], deep), { reason: "syntax", at: wrong.length - 1 });
  }
});

test("values are limited exactly, keys are not values", () => {
  const few = createJsonScannerFactory([], { depthMax: 9, valuesMax: 5 });
  const scanFew = (body: string): Result => scanCut(Buffer.from(body), [], few);
  assert.equal(scanFew('{"a":1,"b":[true,"x"]}').reason, undefined);
  assert.deepEqual(scanFew('{"a":1,"b":[true,"x",{}]}'), { reason: "values", at: 21 });
  assert.deepEqual(scanFew("[1,2,3,4,null]"), { reason: "values", at: 9 });
  assert.equal(scanFew("[[[[[]]]]]").reason, undefined);
});

test("limits act before the text is complete", () => {
  const scanner = createScanner();
  assert.equal(scanner.push(Buffer.from(`[${"{},".repeat(199_999)}`)), undefined);
  assert.deepEqual(scanner.push(Buffer.from("{")), { reason: "values", at: 1 + 3 * 199_999 });
});

test("names fields, the last of duplicates, and where to insert", () => {
  const body =
    ' { "model" : "m" , "x":{"model":7,"n":[1]}, "max_tokens":12 ,"model":null,"modes":1, "stream_options":{"n":2}}';
  const result = scanOf(scan(body));
  const shown = (field: JsonField | undefined): unknown =>
    field && [field.kind, body.slice(field.start, field.end)];
  assert.deepEqual(shown(findField(result, "model")), ["null", "null"]);
  assert.deepEqual(shown(findField(result, "max_tokens")), ["number", "12"]);
  assert.deepEqual(shown(findField(result, "stream_options")), ["object", '{"n":2}']);
  assert.equal(findField(result, "n"), undefined);
  assert.equal(findField(result, "mode"), undefined);
  assert.equal(result.duplicate, "model");
  assert.equal(result.firstMemberAt, 2);
  assert.equal(result.isEmpty, false);
  assert.equal(result.misspelt, undefined);

  assert.equal(scanOf(scan(" [ ] ")).isEmpty, true);
  assert.equal(scanOf(scan(" [ ] ")).firstMemberAt, 2);
  assert.equal(scanOf(scan('{"a":[],"b":{}}')).isEmpty, false);
  assert.equal(scanOf(scan("7")).firstMemberAt, -1);
  assert.equal(scanOf(scan('{"n":1}')).duplicate, undefined);
});

test("a key that only begins like a wanted one is not it, at any cut", () => {
  const body = '{"stream_options2":1,"strea":2,"":3,"stream_option":4,"n":5}';
  const result = scanOf(scan(body));
  assert.deepEqual(
    result.fields.map((field) => field.name),
    ["n"],
  );
  for (const cut of everyCut(body.length)) assert.deepEqual(scanCut(Buffer.from(body), [cut]), result);
  assert.deepEqual(scanCut(Buffer.from(body), everyCut(body.length)), result);
});

test("tells a key of the top level that spells a wanted name otherwise, at any cut", () => {
  const cases: [string, string | undefined][] = [
    ['{"m\\u006fdel":1}', "model"],
    ['{"\\u006d\\u006F\\u0064\\u0065\\u006c":1}', "model"],
    ['{"model":1,"MODEL":2}', "model"],
    ['{"Max_Tokens":1}', "max_tokens"],
    ['{"MAX_TO\u212aENS":1}', "max_tokens"],
    ['{"max_to\\u212aens":1}', "max_tokens"],
    ['{"\u017ftream":1}', "stream"],
    ['{"\\u017FTREAM_OPTION\\u017f":1}', "stream_options"],
    ['{"N":1}', "n"],
    ['{"\\u004e":1}', "n"],
    ['{"\u00c9":1}', "é"],
    ['{"\\u00E9":1}', "é"],
    ['{"model":1,"n":2,"\u00e9":3}', undefined],
    ['{"a":1,"\\n":1}', undefined],
    ['{"model ":1,"mo\\u0000del":1,"m\u00f6del":1,"strea\u017f":1}', undefined],
    [`{"${"\\u006d".repeat(20)}":1,"${"M".repeat(500)}":1}`, undefined],
    ['{"a":{"MODEL":1},"b":"MODEL"}', undefined],
    ['[{"MODEL":1}]', undefined],
  ];
  for (const [body, expected] of cases) {
    const bytes = Buffer.from(body);
    for (const cuts of [[], everyCut(bytes.length)]) {
      assert.equal(scanOf(scanCut(bytes, cuts)).misspelt, expected, body);
    }
  }
});

test("tells that a letter is written as an escape, anywhere, at any cut", () => {
  const cases: [string, boolean][] = [
    ['{"a":"\\u0061udio"}', true],
    ['["\\u0041"]', true],
    ['{"a":[{"\\u007A":1}]}', true],
    ['{"a":"\\\\u0061udio \\n \\u003c\\u4e61\\u0161\\u0000"}', false],
    ['"audio"', false],
  ];
  for (const [body, expected] of cases) {
    const bytes = Buffer.from(body);
    for (const cuts of [[], everyCut(bytes.length)]) {
      assert.equal(scanOf(scanCut(bytes, cuts)).hasEscapedLetter, expected, body);
    }
  }
});

test("wanted names are different, as many as one likes", () => {
  const limits = { depthMax: 1, valuesMax: 9 };
  const names = Array.from({ length: 64 }, (_, i) => `n${i}`);
  assert.throws(() => createJsonScannerFactory(["a", "a"], limits), RangeError);
  const many = createJsonScannerFactory(names, limits);
  const result = scanOf(scanCut(Buffer.from('{"n31":1,"n63":2,"n31":3}'), [], many));
  assert.equal(result.duplicate, "n31");
  assert.equal(result.fields.length, 2);
});

test("counts keys below the top however they are spelled, at any cut", () => {
  const create = createJsonScannerFactory(["n"], { depthMax: 9, valuesMax: 99 }, ["image_url", "file_id"]);
  const body =
    '{"image_url":1,"a":[{"image_url":"image_url"},{"IMAGE_URL":1,"im\\u0061ge_url":2,"images_url":3}],"b":{"file_id":{"file_id":0}}}';
  const wanted = new Map([
    ["image_url", 3],
    ["file_id", 2],
  ]);
  assert.deepEqual(scanOf(scanCut(Buffer.from(body), [], create)).counts, wanted);
  for (const cut of everyCut(body.length)) {
    assert.deepEqual(scanOf(scanCut(Buffer.from(body), [cut], create)).counts, wanted, String(cut));
  }
  assert.deepEqual(scanOf(scanCut(Buffer.from(body), everyCut(body.length), create)).counts, wanted);
  assert.equal(scanOf(scan(body)).counts.size, 0);
});

test("arrays at a depth are told: where each ends, how many values it has, and whether all are numbers", () => {
  const createTelling = createJsonScannerFactory([], { depthMax: 64, valuesMax: 200_000, listDepth: 3 });
  const listOf = (item: fc.Arbitrary<unknown>) => fc.array(item, { maxLength: 5 });
  const leaf = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
  const other = fc.oneof(
    fc.string(),
    fc.boolean(),
    fc.constant(null),
    listOf(leaf),
    fc.dictionary(fc.string(), leaf),
  );
  const third = fc.oneof(listOf(leaf), listOf(fc.oneof(leaf, other)), fc.dictionary(fc.string(), leaf), leaf);
  const valuesIn = (value: unknown): number =>
    typeof value === "object" && value !== null
      ? Object.values(value).reduce((sum: number, one) => sum + 1 + valuesIn(one), 0)
      : 0;
  fc.assert(
    fc.property(listOf(listOf(third)), fc.constantFrom(0, 1), (value, space) => {
      const text = Buffer.from(JSON.stringify(value, null, space));
      const { lists } = scanOf(scanCut(text, everyCut(text.length), createTelling));
      const expected = value.flat().filter(Array.isArray);
      assert.deepEqual(
        lists.map(({ values, isNumbers }) => [values, isNumbers]),
        expected.map((list) => [valuesIn(list), list.every((item) => typeof item === "number")]),
      );
      assert.ok(lists.every(({ closeAt }) => text[closeAt] === 0x5d));
    }),
    { numRuns: runs },
  );
  const exact = scanOf(scanCut(Buffer.from("[[[1,2] ,3],[[4,null]]]"), [], createTelling));
  assert.deepEqual(exact.lists, [
    { closeAt: 6, values: 2, isNumbers: true },
    { closeAt: 20, values: 2, isNumbers: false },
  ]);
  assert.deepEqual(scanOf(scan("[[[1]]]")).lists, []);
});
