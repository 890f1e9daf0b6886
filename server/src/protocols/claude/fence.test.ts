/** Removes fences however the text is cut into pieces, and removes nothing else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Fence } from "./fence.ts";

function read(pieces: readonly string[]): string {
  const fence = new Fence();
  return pieces.map((piece) => fence.push(piece)).join("") + fence.end();
}

const cases: readonly (readonly [text: string, read: string])[] = [
  ['{"a":1}', '{"a":1}'],
  ['```json\n{"a":1}\n```', '{"a":1}'],
  ['  ```\n{"a":1}\n```  \n', '{"a":1}'],
  ['```JSON\r\n{"a":"``` b"}\r\n```', '{"a":"``` b"}'],
  ['```json\n{"a":1', '{"a":1'],
  ["```", "```"],
  ["``` not a fence", "``` not a fence"],
  ["", ""],
  ['{"a":"```"}', '{"a":"```"}'],
  [`{"a":"${" ".repeat(5_000)}"}`, `{"a":"${" ".repeat(5_000)}"}`],
  [" ".repeat(5_000), " ".repeat(5_000)],
  ["Here:\n```json\n{}\n```", "Here:\n```json\n{}\n```"],
];

test("in any pieces", () => {
  for (const [text, expected] of cases) {
    assert.equal(read([text]), expected, JSON.stringify(text.slice(0, 60)));
    assert.equal(read([...text]), expected, `byte by byte ${JSON.stringify(text.slice(0, 60))}`);
  }
  fc.assert(
    fc.property(fc.constantFrom(...cases), fc.array(fc.nat(60)), ([text, expected], cuts) => {
      const places = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
      assert.equal(read(places.map((place, at) => text.slice(place, places[at + 1]))), expected);
    }),
  );
});
