/**
 * P11 can fail: its checks reject each kind of lateness, and the rig misses its target with a relay that
 * delays chunks, collects them, or waits for acknowledgements. Uses the rigs' upstream, without Plaza.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Figure } from "../harness/figure.ts";
import { type CarelessWay, carelessWays, startHoldingProxy } from "../harness/processes/holding-proxy.ts";
import { seededRandom } from "../harness/random.ts";
import { compareWays, directFrom, judgeTimes, type StreamTimes } from "../streams/p11-latency.ts";
import { startUpstream } from "../upstream/server.ts";

/** A hundred streams of fifty tokens; `late`: delay of one token of one stream. */
const streams = (firstMs: (stream: number) => number, late: (token: number) => number): StreamTimes[] =>
  Array.from({ length: 100 }, (_, stream) => ({
    firstMs: firstMs(stream),
    lagsMs: Array.from({ length: 50 }, (_lag, token) => 1 + late(token)),
  }));

const direct = streams(
  () => 3,
  () => 0,
);
const missed = (figures: readonly Figure[]): string[] =>
  figures.filter(({ ok }) => !ok).map(({ name }) => name);

test("times within the bounds are right", () => {
  assert.deepEqual(missed(judgeTimes(direct, direct)), []);
  const within = streams(
    (stream) => (stream < 98 ? 4.9 : 12.9),
    () => 4.9,
  );
  assert.deepEqual(missed(judgeTimes(within, direct)), []);
});

test("each kind of lateness is missed by its own figure", () => {
  const none = () => 0;
  assert.deepEqual(
    missed(
      judgeTimes(
        streams(() => 5.1, none),
        direct,
      ),
    ),
    ["added first-token p50"],
  );
  const twoLate = streams((stream) => (stream < 98 ? 3 : 13.1), none);
  assert.deepEqual(missed(judgeTimes(twoLate, direct)), ["added first-token p99"]);
  const oneTokenLate = streams(
    () => 3,
    (token) => (token === 0 ? 5.1 : 0),
  );
  assert.deepEqual(missed(judgeTimes(oneTokenLate, direct)), ["added chunk lag p99"]);
  assert.equal(missed(judgeTimes(oneTokenLate, direct, true)).length, 1);
  assert.deepEqual(missed(judgeTimes(direct, direct, true)), []);
});

test("a careless relay lets a piece go when its way says so", () => {
  assert.equal(carelessWays.hold(100, 90), 120);
  assert.equal(carelessWays.hold(100, 130), 130);
  assert.equal(carelessWays.coalesce(100, 50), 200);
  assert.equal(carelessWays.coalesce(100, 150), 150);
  assert.equal(carelessWays.nagle(100, 50), 100);
  assert.equal(carelessWays.nagle(100, 90), 130);
  assert.equal(carelessWays.nagle(100, 130), 130);
});

/** Only tokens that arrive faster than acknowledgements are delayed by them. */
const gapOf: Readonly<Record<CarelessWay, number>> = { hold: 50, coalesce: 50, nagle: 15 };

for (const way of Object.keys(carelessWays) as CarelessWay[]) {
  test(`the rig misses with a relay that is careless: ${way}`, async () => {
    const upstream = await startUpstream();
    const { port } = new URL(upstream.baseUrl);
    const proxy = await startHoldingProxy(Number(port), carelessWays[way]);
    try {
      const figures = await compareWays(
        directFrom(`http://127.0.0.1:${proxy.port}`),
        directFrom(`http://127.0.0.1:${port}`),
        { count: 20, tokens: 20, overMs: 200, gapMs: gapOf[way] },
        seededRandom(11),
      );
      const [whole, ...times] = figures;
      assert.equal(whole?.ok, true, "the streams themselves are sound");
      assert.notDeepEqual(missed(times), [], JSON.stringify(times));
    } finally {
      await proxy.stop();
      await upstream.stop();
    }
  });
}
