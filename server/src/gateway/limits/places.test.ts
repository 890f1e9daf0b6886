import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createPlaces, type Place, Places, type Waiter } from "./places.ts";

/** Somebody in line who writes down that it was their turn. */
function waiter(name: string, turns: string[], got: Place[] = []): Waiter {
  return {
    take(place) {
      turns.push(name);
      got.push(place);
    },
  };
}

test("places are handed on in the order of arrival, and nobody overtakes", () => {
  const places = new Places(1, 3);
  const first = places.take();
  assert.ok(first);
  assert.equal(places.take(), undefined);
  const turns: string[] = [];
  const got: Place[] = [];
  for (const name of ["a", "b", "c"]) assert.equal(places.join(waiter(name, turns, got)), true);
  assert.equal(places.join(waiter("d", turns)), false);
  first.release();
  assert.deepEqual(turns, ["a"]);
  assert.equal(places.take(), undefined);
  got[0]?.release();
  got[1]?.release();
  assert.deepEqual(turns, ["a", "b", "c"]);
  got[2]?.release();
  assert.equal(places.taken, 0);
  assert.ok(places.take());
});

test("a place is released once, whoever asks again", () => {
  const places = new Places(2, 2);
  const one = places.take();
  places.take();
  one?.release();
  one?.release();
  assert.equal(places.taken, 1);
  const turns: string[] = [];
  places.take();
  places.join(waiter("a", turns));
  one?.release();
  assert.deepEqual(turns, []);
});

test("who left the line gets nothing", () => {
  const places = new Places(1, 2);
  const held = places.take();
  const turns: string[] = [];
  const gone = waiter("gone", turns);
  places.join(gone);
  places.join(waiter("stays", turns));
  places.leave(gone);
  places.leave(gone);
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
        const places = new Places(most, line);
        const held: Place[] = [];
        const waiting: Waiter[] = [];
        for (const move of moves) {
          if (move <= 2) {
            const place = places.take();
            if (place !== undefined) held.push(place);
            else {
              const one: Waiter = {
                take(handed) {
                  waiting.splice(waiting.indexOf(one), 1);
                  held.push(handed);
                },
              };
              assert.equal(places.join(one), waiting.length < line);
              if (waiting.length < line) waiting.push(one);
            }
          } else if (move <= 4) held.shift()?.release();
          else if (waiting[0] !== undefined) places.leave(waiting.shift() as Waiter);
          assert.equal(places.taken, held.length);
          assert.ok(held.length <= most);
          assert.equal(places.waiting, waiting.length);
          assert.ok(waiting.length === 0 || held.length === most, "nobody waits beside a free place");
        }
      },
    ),
  );
});

test("an owner keeps its places", () => {
  const all = createPlaces();
  const owner = {};
  assert.equal(all.of(owner, 1, 1), all.of(owner, 1, 1));
  assert.notEqual(all.of(owner, 1, 1), all.of({}, 1, 1));
});
