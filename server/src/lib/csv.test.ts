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

test("a formula sign is found behind blanks, line ends and marks nobody sees, and in its other widths", () => {
  const signs = [
    "=",
    "+",
    "-",
    "@",
    "\uff1d",
    "\uff0b",
    "\uff0d",
    "\uff20",
    "\ufe66",
    "\ufe62",
    "\ufe63",
    "\ufe6b",
  ];
  const before = [
    "",
    " ",
    "\n",
    "\r\n",
    "\t",
    "\v",
    "\0",
    "\u00a0",
    "\u3000",
    "\ufeff",
    "\u200b",
    "\u2028",
    "\u202e",
    " \n\t ",
  ];
  for (const start of before) {
    for (const sign of signs) {
      const cell = `${start}${sign}SUM(A1)`;
      const line = csvLine([cell]);
      assert.equal(line.replace(/^"|"?\r\n$/g, ""), `'${cell}`, JSON.stringify(cell));
    }
  }
  for (const text of ["\nplain", "\tplain", "\rplain"]) assert.match(csvLine([text]), /^"?'/, text);
});

test("what only looks like one stays as it is", () => {
  const plain = ["a=b", "a\n=b", "1-2", "ana@example.com", " two words ", "", "5", "-0.000000001"];
  for (const text of plain) assert.doesNotMatch(csvLine([text]), /^"?'/, JSON.stringify(text));
});
