import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { plainNamed, plainText } from "../../../lib/json/testing/samples.ts";
import { withoutNullUsage } from "./null-usage.ts";

const strip = (text: string): string => withoutNullUsage(Buffer.from(text)).toString("utf8");
const event = (json: string): string => `data: ${json}\n\n`;

test("the member goes with its comma, wherever it stands and however it is written", () => {
  const rows: readonly (readonly [before: string, after: string])[] = [
    [
      '{"id":"1","choices":[{"delta":{"content":"a"}}],"usage":null}',
      '{"id":"1","choices":[{"delta":{"content":"a"}}]}',
    ],
    ['{"a":1,"usage":null,"obfuscation":"x}y\\"{"}', '{"a":1,"obfuscation":"x}y\\"{"}'],
    ['{"usage":null,"a":1}', '{"a":1}'],
    ['{"usage":null}', "{}"],
    ['{"a": 1, "usage": null, "b": [1, {"c": 2}]}', '{"a": 1, "b": [1, {"c": 2}]}'],
    ['{"a":1 ,\t"usage"\t: null }', '{"a":1  }'],
    ['{ "usage" : null , "a":1}', '{ "a":1}'],
  ];
  for (const [before, after] of rows) assert.equal(strip(event(before)), event(after));
});

test("what is no member of the chunk itself stays, and so does usage that is told", () => {
  const kept = [
    '{"choices":[],"usage":{"prompt_tokens":1}}',
    '{"a":{"usage":null},"b":1}',
    '{"a":{"usage":null}}',
    '{"choices":[{"delta":{"content":"\\"usage\\":null}"}}]}',
    '{"x\\"usage":null}',
    '{"choices":[{"delta":{"content":",\\"usage\\":null"}}]}',
    '{"a":"usage"}',
    '{"usage":nul}',
    '{"a":1}',
    "[DONE]",
    '["usage",null]',
  ].map(event);
  for (const text of [...kept, ': "usage":null\n\n']) {
    const bytes = Buffer.from(text);
    assert.equal(withoutNullUsage(bytes), bytes, text);
  }
});

test("of several events at once every one loses its own, with any line ends and comments between", () => {
  const chunk = '{"choices":[{"delta":{"content":"ü"}}],"usage":null}';
  const bare = '{"choices":[{"delta":{"content":"ü"}}]}';
  const text = `: hi\n\ndata: ${chunk}\r\n\r\nevent: x\ndata:${chunk}\n\ndata: {"a":{"usage":null}}\r\rdata: ${chunk}\r\r`;
  assert.equal(strip(text), text.replaceAll(chunk, bare));
});

test("any JSON means the same afterwards, but for that member", () => {
  const json = fc.dictionary(fc.oneof(fc.constantFrom("usage", "a", "b"), plainText), plainNamed(3));
  fc.assert(
    fc.property(json, fc.boolean(), (value, isSpaced) => {
      const text = isSpaced ? JSON.stringify(value).replaceAll("null", " null ") : JSON.stringify(value);
      const { usage, ...others } = JSON.parse(text) as Record<string, unknown>;
      const expected = usage === null || usage === undefined ? others : { usage, ...others };
      const stripped = /^data: (.*)\n\n$/s.exec(strip(event(text)))?.[1] ?? "";
      assert.deepEqual(JSON.parse(stripped), expected);
    }),
    { numRuns: 500 },
  );
});

test("hostile lines are gone through once", () => {
  const members = Array(600_000).fill('"usage":null').join();
  for (const json of [
    `{${members}}`,
    `{"a":{${members}},"b":1}`,
    `${'{"usage":null,"a":'.repeat(200_000)}1`,
  ]) {
    const started = performance.now();
    strip(event(json));
    assert.ok(performance.now() - started < 2_000);
  }
});
