import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelReport } from "@plaza/contract/upstream-states.ts";
import { createModelStatuses } from "./model-statuses.ts";

const report = (changes: Partial<ModelReport> = {}): ModelReport => ({
  down: [],
  degraded: [],
  served: [],
  ...changes,
});

test("what this process finds and what the others say are one; its own old word in the store is not read", async () => {
  let own = report();
  const statuses = createModelStatuses({
    report: () => own,
    holderId: () => "hld_me",
  });
  assert.equal(statuses.look(), true);
  own = report({ served: ["a"] });
  assert.equal(statuses.look(), false, "nothing that is urgent");
  own = report({ down: ["a"] });
  assert.equal(statuses.look(), true);
  assert.equal(statuses.measuredOf("a"), "down");
  statuses.hear([
    { process: "hld_me", models: report({ down: ["a", "old"] }) },
    { process: "hld_other", models: report({ down: ["b"], served: ["a"] }) },
  ]);
  assert.deepEqual(["a", "b", "old", "c"].map(statuses.measuredOf), [
    "degraded",
    "down",
    undefined,
    undefined,
  ]);
  own = report();
  statuses.look();
  assert.deepEqual(["a", "b"].map(statuses.measuredOf), [undefined, "down"], "what was known stays");
});
