/** Estimated thinking tokens, by waiting time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createThinkingSpeeds } from "./thinking.ts";

test("the time before the first words, at the speed of earlier answers", () => {
  const speeds = createThinkingSpeeds();
  assert.equal(speeds.estimate("a", 1_000), undefined);
  speeds.learn("a", { waitedMs: 500, reasoning: 1_000, unseen: 1_010 });
  assert.equal(speeds.estimate("a", 500), 1_000);
  assert.equal(speeds.estimate("a", 2_000), 4_000);
  assert.equal(speeds.estimate("a", 50), 100);
  assert.equal(speeds.estimate("a", 49), 0, "too short to be thinking");
  assert.equal(speeds.estimate("b", 500), undefined);
});

test("what was shown of it, and what a stream waits that does not think, is none", () => {
  const speeds = createThinkingSpeeds();
  speeds.learn("shown", { waitedMs: 100, reasoning: 1_000, unseen: 0 });
  assert.equal(speeds.estimate("shown", 1_000), 0);
  speeds.learn("both", { waitedMs: 300, reasoning: 0, unseen: 0 });
  assert.equal(speeds.estimate("both", 5_000), 0, "it has never thought");
  speeds.learn("both", { waitedMs: 1_300, reasoning: 500, unseen: 500 });
  assert.equal(speeds.estimate("both", 300), 0);
  assert.equal(speeds.estimate("both", 2_300), 1_000);
});

test("later answers count for more, and the oldest deployments are forgotten", () => {
  const speeds = createThinkingSpeeds();
  for (let index = 0; index < 50; index += 1) speeds.learn("a", { waitedMs: 100, reasoning: 10, unseen: 10 });
  for (let index = 0; index < 50; index += 1)
    speeds.learn("a", { waitedMs: 100, reasoning: 100, unseen: 100 });
  assert.equal(speeds.estimate("a", 100), 100);
  for (let index = 0; index < 1_000; index += 1)
    speeds.learn(`d${index}`, { waitedMs: 1, reasoning: 1, unseen: 1 });
  assert.equal(speeds.estimate("a", 100), undefined);
});
