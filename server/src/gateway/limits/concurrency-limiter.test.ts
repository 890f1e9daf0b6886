import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  ConcurrencyLimiter,
  createConcurrencyLimiters,
  type Permit,
  type Waiter,
} from "./concurrency-limiter.ts";

/** A waiter that records when it got its permit. */
function waiter(name: string, turns: string[], got: Permit[] = []): Waiter {
  return {
    take(permit) {
      turns.push(name);
      got.push(permit);
    },
  };
}

test("permits are handed on in the order of arrival, and nobody overtakes", () => {
  const limiter = new ConcurrencyLimiter(1, 3);
  const first = limiter.take();
  assert.ok(first);
  assert.equal(limiter.take(), undefined);
  const turns: string[] = [];
  const got: Permit[] = [];
  for (const name of ["a", "b", "c"]) assert.equal(limiter.join(waiter(name, turns, got)), true);
  assert.equal(limiter.join(waiter("d", turns)), false);
  first.release();
  assert.deepEqual(turns, ["a"]);
  assert.equal(limiter.take(), undefined);
  got[0]?.release();
  got[1]?.release();
  assert.deepEqual(turns, ["a", "b", "c"]);
  got[2]?.release();
  assert.equal(limiter.taken, 0);
  assert.ok(limiter.take());
});

test("a permit is released once, whoever asks again", () => {
  const limiter = new ConcurrencyLimiter(2, 2);
  const one = limiter.take();
  limiter.take();
  one?.release();
  one?.release();
  assert.equal(limiter.taken, 1);
  const turns: string[] = [];
  limiter.take();
  limiter.join(waiter("a", turns));
  one?.release();
  assert.deepEqual(turns, []);
});

test("who left the line gets nothing", () => {
  const limiter = new ConcurrencyLimiter(1, 2);
  const held = limiter.take();
  const turns: string[] = [];
  const gone = waiter("gone", turns);
  limiter.join(gone);
  limiter.join(waiter("stays", turns));
  limiter.leave(gone);
  limiter.leave(gone);
  held?.release();
  assert.deepEqual(turns, ["stays"]);
});

test("never more than the bound at once, none lost, in any order of events", () => {
  const steps = fc.array(fc.nat({ max: 5 }), { maxLength: 300 });
  fc.assert(
    fc.property(
      steps,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 5 }),
      (moves, most, line) => {
        const limiter = new ConcurrencyLimiter(most, line);
        const held: Permit[] = [];
        const waiting: Waiter[] = [];
        for (const move of moves) {
          if (move <= 2) {
            const permit = limiter.take();
            if (permit !== undefined) held.push(permit);
            else {
              const one: Waiter = {
                take(handed) {
                  waiting.splice(waiting.indexOf(one), 1);
                  held.push(handed);
                },
              };
              assert.equal(limiter.join(one), waiting.length < line);
              if (waiting.length < line) waiting.push(one);
            }
          } else if (move <= 4) held.shift()?.release();
          else if (waiting[0] !== undefined) limiter.leave(waiting.shift() as Waiter);
          assert.equal(limiter.taken, held.length);
          assert.ok(held.length <= most);
          assert.equal(limiter.waiting, waiting.length);
          assert.ok(waiting.length === 0 || held.length === most, "nobody waits beside a free permit");
        }
      },
    ),
  );
});

test("an owner keeps its permits", () => {
  const all = createConcurrencyLimiters();
  const owner = {};
  assert.equal(all.of(owner, 1, 1), all.of(owner, 1, 1));
  assert.notEqual(all.of(owner, 1, 1), all.of({}, 1, 1));
});
