import assert from "node:assert/strict";
import { test } from "node:test";
import { codeSheet, totalOf } from "./sheet.ts";

test("a sheet has a header and a line for each code, quoted", () => {
  const sheet = codeSheet({ codes: ["AAAA-BBBB", 'x"y'], amount: "0.1", expiresAt: null });
  assert.equal(sheet, '"code","amount_usd","expires_at"\r\n"AAAA-BBBB","0.1",""\r\n"x""y","0.1",""\r\n');
});

test("totals are exact", () => {
  assert.equal(totalOf("0.1", 3), "0.3");
  assert.equal(totalOf("0.000000001", 1_000), "0.000001");
  assert.equal(totalOf("9007199254740993", 2), "18014398509481986");
  assert.equal(totalOf("1e3", 2), undefined);
  assert.equal(totalOf("1", 1.5), undefined);
});
