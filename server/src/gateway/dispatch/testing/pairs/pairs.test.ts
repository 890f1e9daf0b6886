/**
 * Every case with every pair of a caller's format and an upstream, streamed and whole, as it is written down.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pairCallers } from "./callers.ts";
import { caseNames, outcomeOf } from "./cases.ts";
import { pairTable } from "./table.ts";
import { pairUpstreams } from "./upstreams.ts";

for (const caller of pairCallers)
  for (const name of caseNames)
    test(`${caller.name}: ${name}`, async () => {
      for (const at of pairUpstreams) {
        const note = `${caller.name} at ${at.name}: ${name}`;
        assert.equal(await outcomeOf({ caller, at }, name), pairTable[caller.name][name][at.name], note);
      }
    });
