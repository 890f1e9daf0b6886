import assert from "node:assert/strict";
import { test } from "node:test";
import { csvLine } from "./csv.ts";

test("cells with commas, quotes and line ends are quoted, the others as they are", () => {
  assert.equal(csvLine(["a", 1, null, undefined, "ü 🎁"]), "a,1,,,ü 🎁\r\n");
  assert.equal(csvLine(["a,b", 'say "x"', "two\nlines"]), '"a,b","say ""x""","two\nlines"\r\n');
});

test("what a spreadsheet would run is text, and numbers stay numbers", () => {
  const formulas = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1"];
  for (const text of formulas) assert.match(csvLine([text]), /^"?'/, text);
  assert.equal(csvLine(["-0.25", "+5", -3]), "-0.25,+5,-3\r\n");
  assert.equal(csvLine(['=HYPERLINK("x")']), `"'=HYPERLINK(""x"")"\r\n`);
});
