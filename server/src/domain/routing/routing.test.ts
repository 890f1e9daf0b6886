import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { chooseTarget, createRoutingTable, type RoutingTarget, type Standing, seedOf } from "./routing.ts";

/** A small seeded generator, so that the shares below are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const target = (name: string, weight: number, changes: Partial<RoutingTarget> = {}): RoutingTarget => ({
  priority: 1,
  weight,
  seed: seedOf(name),
  isBinding: true,
  ...changes,
});

const well: Standing = {
  isUsable: true,
  isFull: false,
  isSlow: false,
  share: 1,
  health: 1,
  firstTokenMs: 0,
  inFlight: 0,
};

/** How many of `rounds` choices each target gets. */
function counts(
  targets: readonly RoutingTarget[],
  standings: readonly Standing[],
  { rounds = 20_000, affinity = (_round: number): number | undefined => undefined } = {},
): number[] {
  const table = createRoutingTable(targets);
  const random = seeded(7);
  const found = targets.map(() => 0);
  for (let round = 0; round < rounds; round += 1) {
    const index = chooseTarget(table, standings, { affinity: affinity(round), random });
    if (index >= 0) found[index] = (found[index] ?? 0) + 1;
  }
  return found;
}

/** Within five standard deviations of the shares expected from the weights. */
function assertShares(found: readonly number[], weights: readonly number[]): void {
  const rounds = found.reduce((sum, one) => sum + one, 0);
  const total = weights.reduce((sum, one) => sum + one, 0);
  found.forEach((count, index) => {
    const share = (weights[index] ?? 0) / total;
    const bound = 5 * Math.sqrt(rounds * share * (1 - share)) + 1;
    assert.ok(
      Math.abs(count - rounds * share) <= bound,
      `${index} got ${count}, not about ${rounds * share}`,
    );
  });
}

const weightLists = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 2, maxLength: 8 });

test("equally good places share by weight, with and without affinity", () => {
  fc.assert(
    fc.property(weightLists, (weights) => {
      const targets = weights.map((weight, index) => target(`up${index}`, weight));
      const standings = targets.map(() => well);
      assertShares(counts(targets, standings), weights);
      const spread = (round: number) => Math.imul(round, 0x9e3779b1) >>> 0;
      assertShares(counts(targets, standings, { affinity: spread }), weights);
    }),
    { numRuns: 20, seed: 4 },
  );
});

test("one affinity always means one place while that is usable; when a place leaves, only those bound to it move", () => {
  fc.assert(
    fc.property(weightLists, fc.nat(), fc.integer(), (weights, leaver, seed) => {
      const targets = weights.map((weight, index) => target(`up${index}`, weight));
      const table = createRoutingTable(targets);
      const gone = leaver % targets.length;
      const random = seeded(seed);
      const all = targets.map(() => well);
      const fewer = targets.map((_, index) => ({ ...well, isUsable: index !== gone }));
      const full = targets.map((_, index) => ({ ...well, isFull: index === gone }));
      for (let round = 0; round < 100; round += 1) {
        const affinity = Math.floor(random() * 2 ** 32);
        const before = chooseTarget(table, all, { affinity, random });
        assert.equal(chooseTarget(table, all, { affinity, random }), before);
        const after = chooseTarget(table, fewer, { affinity, random });
        if (before !== gone) assert.equal(after, before);
        else assert.notEqual(after, gone);
        assert.equal(
          chooseTarget(table, full, { affinity, random }),
          after,
          "full ones are passed by the same way",
        );
      }
    }),
    { numRuns: 50 },
  );
});

test("places are known by name: in another order, or with others beside them, callers stay where they were", () => {
  const targets = ["a", "b", "c", "d"].map((name) => target(name, 1));
  const others = [target("new", 1), ...[...targets].reverse()];
  const random = seeded(1);
  const seedBy = (list: readonly RoutingTarget[], affinity: number) =>
    list[
      chooseTarget(
        createRoutingTable(list),
        list.map(() => well),
        { affinity, random },
      )
    ]?.seed;
  for (let affinity = 0; affinity < 200; affinity += 1) {
    const after = seedBy(others, affinity);
    if (after !== seedOf("new")) assert.equal(after, seedBy(targets, affinity));
  }
});

test("a share that grows back takes its callers back, and only from others", () => {
  const targets = [target("a", 1), target("b", 1), target("c", 1)];
  const table = createRoutingTable(targets);
  const random = seeded(1);
  const withShare = (share: number) => [{ ...well, share }, well, well];
  let mine = 0;
  for (let affinity = 0; affinity < 2_000; affinity += 1) {
    const early = chooseTarget(table, withShare(0.1), { affinity, random });
    const late = chooseTarget(table, withShare(1), { affinity, random });
    if (early === 0) mine += 1;
    if (early !== late) assert.equal(late, 0);
  }
  assert.ok(mine > 30 && mine < 150, `${mine} of 2000 at a tenth of the weight`);
});

test("a lower priority number always comes first, weight 0 last of its priority, and nothing unusable is ever chosen", () => {
  const shape = fc.record({
    priority: fc.integer({ min: 1, max: 3 }),
    weight: fc.integer({ min: 0, max: 3 }),
    isUsable: fc.boolean(),
    isFull: fc.boolean(),
    isSlow: fc.boolean(),
    inFlight: fc.integer({ min: 0, max: 50 }),
    firstTokenMs: fc.integer({ min: 0, max: 5_000 }),
    health: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const affinity = fc.option(fc.nat(), { nil: undefined });
  fc.assert(
    fc.property(fc.array(shape, { maxLength: 8 }), affinity, fc.integer(), (shapes, wanted, seed) => {
      const targets = shapes.map(({ priority, weight }, index) => target(`up${index}`, weight, { priority }));
      const standings = shapes.map((one) => ({ ...well, ...one }));
      const rank = (index: number) =>
        (targets[index]?.priority ?? 9) * 2 + (targets[index]?.weight === 0 ? 1 : 0);
      const usable = targets.flatMap((_, index) => (standings[index]?.isUsable ? [index] : []));
      const chosen = chooseTarget(createRoutingTable(targets), standings, {
        affinity: wanted,
        random: seeded(seed),
      });
      if (usable.length === 0) assert.equal(chosen, -1);
      else {
        assert.ok(usable.includes(chosen));
        assert.equal(rank(chosen), Math.min(...usable.map(rank)));
        const equals = usable.filter((index) => rank(index) === rank(chosen));
        const hasRoom = equals.some((index) => standings[index]?.isFull === false);
        if (hasRoom) assert.equal(standings[chosen]?.isFull, false);
      }
    }),
    { numRuns: 500 },
  );
});

test("a priority that returns gets its share of the calls, the next one the rest; the same callers stay with it", () => {
  const targets = [target("a", 1), target("b", 1, { priority: 2 }), target("c", 1, { priority: 3 })];
  const returning = [{ ...well, share: 0.2 }, well, well];
  assertShares(counts(targets, returning), [0.2, 0.8, 0]);
  assertShares(
    counts(targets, returning, { affinity: (round) => Math.imul(round, 0x9e3779b1) >>> 0 }),
    [0.2, 0.8, 0],
  );
  assert.deepEqual(
    counts(targets.slice(0, 1), returning.slice(0, 1), { rounds: 50 }),
    [50],
    "there is no other",
  );
  const table = createRoutingTable(targets);
  for (let affinity = 0; affinity < 500; affinity += 1) {
    const at = (share: number) =>
      chooseTarget(table, [{ ...well, share }, well, well], { affinity, random: assert.fail });
    if (at(0.3) === 0) assert.equal(at(0.7), 0);
  }
  const beside = [target("a", 1), target("z", 1), target("b", 1, { priority: 2 })];
  assertShares(counts(beside, returning), [0.2, 1, 0]);
  const full = [returning[0] ?? well, { ...well, isFull: true }, { ...well, isFull: true }];
  assert.deepEqual(counts(targets, full, { rounds: 50 }), [50, 0, 0], "nobody waits there for its sake");
});

test("of two draws the quicker, the less busy and the healthier one gets more than its weight", () => {
  const targets = [target("a", 1), target("b", 1)];
  const worse: Partial<Standing>[] = [{ firstTokenMs: 900 }, { inFlight: 40 }, { health: 0.5 }];
  for (const changes of worse) {
    const base = { ...well, firstTokenMs: 300 };
    const [first = 0, second = 0] = counts(targets, [{ ...base, ...changes }, base]);
    assert.ok(first < 0.3 * (first + second), `${JSON.stringify(changes)} still got ${first}`);
    assert.ok(first > 0, "it is still looked at now and then");
  }
});

test("calls in flight count by weight, and small differences count for nothing", () => {
  const targets = [target("a", 3), target("b", 1)];
  const base = { ...well, firstTokenMs: 300 };
  assertShares(
    counts(targets, [
      { ...base, inFlight: 30 },
      { ...base, inFlight: 10 },
    ]),
    [3, 1],
  );
  assertShares(counts(targets, [{ ...base, firstTokenMs: 330 }, base]), [3, 1]);
  assertShares(counts(targets, [{ ...base, firstTokenMs: 0 }, base]), [3, 1]);
});

test("nobody is bound to a place without affinity, and its share stays what it is", () => {
  const targets = [
    target("a", 2),
    target("b", 1, { isBinding: false }),
    target("c", 1, { isBinding: false }),
  ];
  const standings = targets.map(() => well);
  const spread = (round: number) => Math.imul(round, 0x9e3779b1) >>> 0;
  assertShares(counts(targets, standings, { affinity: spread }), [2, 1, 1]);
  const bound = Array.from({ length: 50 }, (_, affinity) =>
    counts(targets, standings, { rounds: 40, affinity: () => affinity }),
  );
  for (const [a = 0, b = 0, c = 0] of bound) {
    assert.ok(a === 40 || (a === 0 && b > 0 && c > 0), `${a} ${b} ${c}`);
  }
});
