/**
 * The overload rule: only lasting delay counts, the bound follows the load in both directions, and it always
 * recovers.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  calmState,
  comeBackMs,
  hasRoomForBody,
  heapFloor,
  judgeWindow,
  lagFloor,
  largeLimit,
  type OverloadState,
  type OverloadWindow,
  roundFloor,
} from "./overload.ts";

const bounds = {
  lagMaxMs: 10,
  heapShareMax: 0.8,
  inFlightMax: 10_000,
  bodyBytesMax: 32_000_000,
  bodiesBytesMax: 256_000_000,
};
const calm = calmState(bounds);
const quiet: OverloadWindow = {
  lagMs: 0,
  roundMs: 0,
  heapLiveShare: 0.1,
  heapUsedShare: 0.2,
  inFlight: 1_000,
  admitted: 100,
  refused: 0,
};

function after(state: OverloadState, windows: readonly Partial<OverloadWindow>[]): OverloadState {
  return windows.reduce<OverloadState>(
    (now, window) => judgeWindow(now, { ...quiet, ...window }, bounds),
    state,
  );
}

const late = { lagMs: 15 };

test("a delay that passes limits nobody, one that stands does", () => {
  assert.equal(after(calm, [late, late, {}, late, late]).limit, bounds.inFlightMax);
  const standing = after(calm, [late, late, late]);
  assert.equal(standing.reason, "lag");
  assert.equal(standing.limit, 666);
});

test("a delay of many times the bound counts at once, and lowers the bound in proportion, to no less than three tenths", () => {
  assert.equal(after(calm, [{ lagMs: 30 }]).limit, 333);
  assert.equal(after(calm, [{ lagMs: 500 }]).limit, 300);
});

test("so few requests as cannot hold up the loop are never refused for its delay", () => {
  const few = { lagMs: 500, inFlight: lagFloor };
  assert.deepEqual(after(calm, [few, few, few, few]).reason, "in_flight");
  const more = { lagMs: 500, inFlight: lagFloor + 1 };
  assert.equal(after(calm, [more, more, more, more]).limit, lagFloor);
});

test("rounds that cost half the delay allowed lower the bound once they stand, below the floor of other people's delay", () => {
  const round = { roundMs: 6, inFlight: 400, refused: 10 };
  assert.equal(after(calm, [round, round]).reason, "in_flight");
  assert.equal(
    after(calm, [{ roundMs: 500, inFlight: 400 }]).reason,
    "in_flight",
    "one collection of garbage",
  );
  const standing = after(calm, [round, round, round]);
  assert.equal(standing.reason, "lag");
  assert.equal(standing.limit, 333);
  const few = { roundMs: 50, inFlight: 250 };
  assert.equal(after(calm, [few, few, few, few]).limit, roundFloor);
  const fewest = { roundMs: 50, inFlight: roundFloor };
  assert.equal(after(calm, [fewest, fewest, fewest, fewest]).reason, "in_flight");
  assert.equal(
    after(standing, [{ ...round, roundMs: 4 }]).limit,
    standing.limit,
    "between the two nothing moves",
  );
  assert.equal(after(standing, [{ ...round, roundMs: 3 }]).limit, 428);
});

test("the bound falls from what is really in flight, so long streams do not drive it to the floor", () => {
  const long = Array.from({ length: 50 }, () => ({ lagMs: 11, inFlight: 5_000, refused: 10 }));
  const { limit } = after(calm, long);
  assert.ok(limit >= 4_500, String(limit));
});

test("the bound rises while callers are refused at ease, stands between, and is forgotten when nobody is refused", () => {
  const limited = after(calm, [late, late, late]);
  const refusing = { inFlight: limited.limit, refused: 50 };
  assert.equal(after(limited, [{ ...refusing, lagMs: 2 }]).limit, 707);
  assert.equal(after(limited, [{ ...refusing, lagMs: 2, inFlight: 2_000 }]).limit, 2_108);
  assert.equal(after(limited, [{ ...refusing, lagMs: 9 }]).limit, limited.limit);
  const back = after(
    limited,
    Array.from({ length: 100 }, () => ({ ...refusing, inFlight: 9_000 })),
  );
  assert.equal(back.limit, bounds.inFlightMax);
  assert.equal(back.reason, "in_flight");
  assert.equal(
    after(
      limited,
      Array.from({ length: 60 }, () => ({})),
    ).limit,
    bounds.inFlightMax,
  );
});

test("a heap full of what lives limits, one full of garbage does not, and some always go on", () => {
  assert.equal(after(calm, [{ heapUsedShare: 0.9, heapLiveShare: 0.3 }]).reason, "in_flight");
  const full = after(calm, [{ heapLiveShare: 0.85 }]);
  assert.equal(full.reason, "heap");
  assert.equal(full.limit, 800);
  const emptier = after(
    full,
    Array.from({ length: 40 }, (_, index) => ({ heapLiveShare: 0.9, inFlight: 800 - index * 20 })),
  );
  assert.equal(emptier.limit, heapFloor);
  assert.equal(after(calm, [{ heapUsedShare: 0.97 }]).reason, "heap");
});

test("the operator's bound holds whatever is seen, and no bound is ever below its floor", () => {
  const window = fc.record({
    lagMs: fc.double({ min: 0, max: 5_000, noNaN: true }),
    roundMs: fc.double({ min: 0, max: 5_000, noNaN: true }),
    heapLiveShare: fc.double({ min: 0, max: 1, noNaN: true }),
    heapUsedShare: fc.double({ min: 0, max: 1, noNaN: true }),
    inFlight: fc.nat(20_000),
    admitted: fc.nat(1_000),
    refused: fc.nat(1_000),
  });
  fc.assert(
    fc.property(
      fc.array(window, { maxLength: 60 }),
      fc.integer({ min: 1, max: 20_000 }),
      (windows, inFlightMax) => {
        const own = { ...bounds, inFlightMax };
        let state = calmState(own);
        for (const one of windows) {
          state = judgeWindow(state, one, own);
          assert.ok(
            state.limit <= inFlightMax && state.limit >= Math.min(heapFloor, inFlightMax),
            String(state.limit),
          );
          assert.ok(state.severity >= 0 && state.severity <= 1);
        }
      },
    ),
  );
});

test("bodies together have a bound, its last quarter is for small ones, one alone is always taken", () => {
  const room = (bytes: number, heldBytes: number, ownBytes = 0): boolean =>
    hasRoomForBody(bounds, { bytes, ownBytes, heldBytes });
  assert.equal(room(32_000_000, 160_000_000), true);
  assert.equal(room(32_000_001, 160_000_000), false);
  assert.equal(room(1_000, 255_000_000), true);
  assert.equal(room(1_000, 255_999_001), false);
  assert.equal(room(1_000, 255_000_000, 64 * 1024), false);
  assert.equal(room(900_000_000, 0), true);
  assert.equal(room(1, 900_000_000, 900_000_000), true);
});

test("large bodies meet the bound first, and a bound of one lets one in", () => {
  assert.equal(largeLimit(100), 75);
  assert.equal(largeLimit(1), 1);
});

test("callers come back after 1 s, later and scattered the more are refused, never after more than 5 s", () => {
  assert.equal(comeBackMs(0, 0), 1_000);
  assert.equal(comeBackMs(0, 1), 1_250);
  assert.equal(comeBackMs(0.5, 0), 2_250);
  assert.equal(comeBackMs(0.5, 1), 3_750);
  assert.equal(comeBackMs(1, 1), 5_000);
});
