import assert from "node:assert/strict";
import { test } from "node:test";
import { orderDeployments } from "./routing.ts";

const item = (name: string, priority: number, weight: number) => ({ name, deployment: { priority, weight } });

/** A small seeded generator, so that the shares below are the same on every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test("a lower priority number always comes first", () => {
  const random = seeded(1);
  for (let round = 0; round < 200; round += 1) {
    const order = orderDeployments([item("b", 2, 100), item("a", 1, 1), item("c", 2, 1)], random);
    assert.equal(order[0]?.name, "a");
  }
});

test("within a priority the first place is shared by weight", () => {
  const random = seeded(7);
  let first = 0;
  for (let round = 0; round < 10_000; round += 1) {
    if (orderDeployments([item("a", 1, 3), item("b", 1, 1)], random)[0]?.name === "a") first += 1;
  }
  assert.ok(first > 7_300 && first < 7_700, `a came first ${first} of 10000 times, wanted about 7500`);
});

test("weight 0 is only a last resort", () => {
  const random = seeded(3);
  for (let round = 0; round < 200; round += 1) {
    const order = orderDeployments([item("rest", 1, 0), item("a", 1, 1), item("b", 1, 1)], random);
    assert.equal(order[2]?.name, "rest");
  }
});
