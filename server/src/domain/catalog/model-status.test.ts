import assert from "node:assert/strict";
import { test } from "node:test";
import { parseUsd } from "@plaza/contract/money.ts";
import { type Operation, operationNames, operationPaths } from "@plaza/contract/operations.ts";
import type { ModelReport } from "@plaza/contract/upstream-states.ts";
import { type DeploymentFound, judgeModel, mergeReports, statusAt } from "./model-status.ts";

const quiet: DeploymentFound = { isOut: false, isResting: false, calls: 0, faults: 0 };
const out: DeploymentFound = { ...quiet, isOut: true, calls: 9, faults: 9 };
const busy = (calls: number, faults: number): DeploymentFound => ({ ...quiet, calls, faults });

test("one process: all out is down, some out or resting or too many faults is degraded, answers are served", () => {
  const cases: [readonly DeploymentFound[], string | undefined][] = [
    [[], undefined],
    [[quiet], undefined],
    [[out], "down"],
    [[out, out], "down"],
    [[out, quiet], "degraded"],
    [[{ ...quiet, isResting: true }], "degraded"],
    [[{ ...out, isResting: true }], "down"],
    [[busy(19, 10)], "served"],
    [[busy(20, 2)], "served"],
    [[busy(20, 3)], "degraded"],
    [[busy(10, 1), busy(10, 2)], "degraded"],
    [[busy(3, 3)], undefined],
  ];
  for (const [deployments, expected] of cases) {
    assert.equal(judgeModel(deployments, 0.9), expected, JSON.stringify(deployments));
  }
  assert.equal(judgeModel([busy(20, 20)], 0), undefined, "a bound of 0 is none");
});

const report = (changes: Partial<ModelReport>): ModelReport => ({
  down: [],
  degraded: [],
  served: [],
  ...changes,
});

test("all processes: down where it is down for some and answers for nobody, degraded where they disagree", () => {
  const merged = mergeReports([
    report({ down: ["a", "b", "c", "d"], served: ["e"] }),
    report({ down: ["a"], served: ["b", "f"], degraded: ["d"] }),
    report({ degraded: ["e"] }),
  ]);
  assert.deepEqual([...merged].sort(), [
    ["a", "down"],
    ["b", "degraded"],
    ["c", "down"],
    ["d", "degraded"],
    ["e", "degraded"],
  ]);
  assert.equal(mergeReports([]).size, 0);
});

test("a model that is for nothing this version serves is never said to be available", () => {
  const price = { input: parseUsd("1"), output: parseUsd("1") };
  const deployments = [{ upstream: "u", model: "x", priority: 1, weight: 1 }];
  const served = (operations: readonly Operation[]) =>
    statusAt({ id: "m", name: "m", deployments, operations }, price, undefined);
  for (const operation of operationNames) {
    const { isServed } = operationPaths[operation];
    assert.equal(served([operation]), isServed ? "available" : "unserved", operation);
    assert.equal(served([operation, "chat"]), "available");
    const unpriced = { id: "m", name: "m", deployments, operations: [operation] };
    assert.equal(statusAt(unpriced, undefined, "down"), isServed ? "unpriced" : "unserved", operation);
  }
});

test("without a price nothing else counts, without a deployment it is down", () => {
  const price = { input: parseUsd("1"), output: parseUsd("1") };
  const bare = { id: "m", name: "m", deployments: [] };
  const model = { ...bare, deployments: [{ upstream: "u", model: "x", priority: 1, weight: 1 }] };
  assert.equal(statusAt(model, undefined, "down"), "unpriced");
  assert.equal(statusAt(bare, price, undefined), "down");
  assert.deepEqual(
    ([undefined, "degraded", "down"] as const).map((measured) => statusAt(model, price, measured)),
    ["available", "degraded", "down"],
  );
});
