import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cutMember, type Edit, splice } from "./splice.ts";

test("without edits the same buffer comes back", () => {
  const body = Buffer.from("abc");
  assert.equal(splice(body, []), body);
});

test("replaces, removes and inserts, also at both ends and with wide characters", () => {
  const edits: Edit[] = [
    { start: 0, end: 0, text: "é" },
    { start: 1, end: 2, text: "" },
    { start: 2, end: 2, text: "→" },
    { start: 3, end: 3, text: "!" },
  ];
  const body = Buffer.from("abc");
  assert.equal(splice(body, edits).toString(), "éa→c!");
  assert.equal(body.toString(), "abc");
});

test("refuses edits out of order, overlapping or outside", () => {
  const body = Buffer.from("abcdef");
  const both = (first: [number, number], second: [number, number]) => () =>
    splice(body, [
      { start: first[0], end: first[1], text: "x" },
      { start: second[0], end: second[1], text: "y" },
    ]);
  assert.throws(both([3, 4], [0, 1]));
  assert.throws(both([0, 3], [2, 4]));
  assert.throws(both([0, 1], [4, 7]));
});

test("equals the same edits made on text", () => {
  const cuts = fc.array(fc.tuple(fc.nat(39), fc.string({ unit: "grapheme", maxLength: 6 })), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii", minLength: 40, maxLength: 60 }), cuts, (text, drawn) => {
      const points = [...new Set(drawn.map(([at]) => at))].sort((a, b) => a - b);
      const edits = points.flatMap((start, index) => {
        const end = Math.min(points[index + 1] ?? start + 1, start + 2);
        return [{ start, end, text: drawn[index]?.[1] ?? "" }];
      });
      let expected = text;
      for (const { start, end, text: replacement } of [...edits].reverse()) {
        expected = expected.slice(0, start) + replacement + expected.slice(end);
      }
      assert.equal(splice(Buffer.from(text), edits).toString(), expected);
    }),
  );
});

test("a member is cut out with its comma, wherever it stands", () => {
  const cases: [string, string][] = [
    ['{"x":[1],"a":2}', '{"a":2}'],
    ['{ "x" : [1] , "a":2}', '{  "a":2}'],
    ['{"a":2,"x":[1]}', '{"a":2}'],
    ['{"a":2 ,\n "x"\t: [1] }', '{"a":2  }'],
    ['{"a":"]\\",\\"","x":[1],"b":3}', '{"a":"]\\",\\"","b":3}'],
    ['{"x":[1]}', "{}"],
  ];
  for (const [text, wanted] of cases) {
    const body = Buffer.from(text);
    const start = text.indexOf("[1]");
    const cut = splice(body, [cutMember(body, { start, end: start + 3 })]).toString();
    assert.equal(cut, wanted);
    assert.ok(JSON.parse(cut));
  }
});
