/**
 * P24's check: the meaning of each row of the table for each caller, and that the table is independent of the
 * product's declarations.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { apiRoutes, type RouteSpec } from "@plaza/contract/api/index.ts";
import { askers, verdictOf } from "../security/p24-rights.ts";
import { rights } from "../security/p24-table.ts";

test("a row of the table says what everybody gets", () => {
  const cells = (right: string) => askers.map((asker) => verdictOf(right, asker)).join(" ");
  const [out, no] = ["not_signed_in", "not_permitted"];
  // anonymous, member, owner, stranger, operator, token without the scope, token with it
  assert.equal(cells("anyone"), "in in in in in in in");
  assert.equal(cells("user"), `${out} in in in in ${no} ${no}`);
  assert.equal(cells("member"), `${out} in in in ${no} ${no} ${no}`);
  assert.equal(cells("owner"), `${out} ${no} in in ${no} ${no} ${no}`);
  assert.equal(cells("operator accounts:read"), `${out} ${no} ${no} ${no} in ${no} in`);
});

test("the table agrees with the contract, whatever either of them is changed to", () => {
  const declared = Object.entries(apiRoutes as Readonly<Record<string, RouteSpec>>).map(
    ([name, { access, scope }]) => [name, scope === undefined ? access : `${access} ${scope}`],
  );
  assert.deepEqual(Object.fromEntries(declared), rights);
});
