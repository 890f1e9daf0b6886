/** The live view's store: events in, reconnecting, pausing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LivePoint, LiveSnapshot } from "@plaza/contract/api/live.ts";
import { ApiError } from "../../api/error.ts";
import { createLiveFeed, type LiveFeed, withPoints } from "./feed.ts";

const latency = { p50: null, p95: null, p99: null };
const point = (t: number, complete = 0): LivePoint => ({
  t,
  requests: { complete, incomplete: 0, aborted: 0, refused: 0, failed: 0 },
  inputTokens: 0,
  outputTokens: 0,
  spend: 0,
  firstToken: latency,
  duration: latency,
});

const snapshot = (changes: Partial<LiveSnapshot>): LiveSnapshot => ({
  t: 0,
  requestsPerSecond: 0,
  inputTokensPerSecond: 0,
  outputTokensPerSecond: 0,
  inFlight: 0,
  streams: 0,
  spendPerMinute: "0",
  requests: { complete: 0, incomplete: 0, aborted: 0, refused: 0, failed: 0 },
  firstToken: { ...latency, count: 0, bounds: [], counts: [0] },
  duration: { ...latency, count: 0, bounds: [], counts: [0] },
  errors: [],
  upstreamErrors: [],
  models: [],
  processes: [],
  isWhole: true,
  history: null,
  points: [],
  ...changes,
});

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

const retryAtOf = ({ state: { status } }: LiveFeed): number | undefined =>
  status.kind === "waiting" ? status.retryAtMs : undefined;

/** A feed whose server and clock are played. */
function rig() {
  const state = { nowMs: 0, opened: 0, refusal: undefined as ApiError | undefined };
  const timers = new Set<{ atMs: number; then: () => void }>();
  let send: ReadableStreamDefaultController<Uint8Array> | undefined;
  const feed = createLiveFeed({
    nowMs: () => state.nowMs,
    later(ms, then) {
      const timer = { atMs: state.nowMs + ms, then };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async open() {
      state.opened += 1;
      if (state.refusal !== undefined) throw state.refusal;
      return new Response(
        new ReadableStream({
          start(controller) {
            send = controller;
          },
        }),
      );
    },
  });
  return {
    feed,
    state,
    async say(said: object) {
      await settle();
      send?.enqueue(new TextEncoder().encode(`event: any\ndata: ${JSON.stringify(said)}\n\n`));
      await settle();
    },
    async hangUp(error?: Error) {
      if (error === undefined) send?.close();
      else send?.error(error);
      await settle();
    },
    async pass(ms: number) {
      state.nowMs += ms;
      for (const timer of [...timers]) {
        if (timer.atMs > state.nowMs || !timers.delete(timer)) continue;
        timer.then();
      }
      await settle();
    },
  };
}

test("points replace those of their time and are bounded", () => {
  const known = [point(0), point(5_000, 1)];
  assert.deepEqual(withPoints(known, [point(5_000, 2), point(10_000, 3)]), [
    point(0),
    point(5_000, 2),
    point(10_000, 3),
  ]);
  assert.equal(withPoints(known, []), known);
  const many = Array.from({ length: 500 }, (_, index) => point(index * 5_000));
  assert.equal(withPoints([], many).length, 180);
});

test("events become the state; a history replaces what was known", async () => {
  const { feed, say } = rig();
  const kinds: string[] = [];
  feed.subscribe(() => kinds.push(feed.state.status.kind));
  feed.start();
  await say(snapshot({ history: [point(0), point(5_000)], points: [point(5_000, 1)], inFlight: 3 }));
  await say(snapshot({ points: [point(10_000)], inFlight: 4 }));
  assert.deepEqual(
    feed.state.points.map(({ t }) => t),
    [0, 5_000, 10_000],
  );
  assert.equal(feed.state.points[1]?.requests.complete, 1);
  assert.deepEqual(
    feed.state.recent.map(({ inFlight }) => inFlight),
    [3, 4],
  );
  assert.deepEqual([...new Set(kinds)], ["connecting", "live"]);
  await say(snapshot({ history: [point(20_000)] }));
  assert.deepEqual(
    feed.state.points.map(({ t }) => t),
    [20_000],
  );
});

test("a lost stream is opened again after longer and longer waits, and what was shown stays", async () => {
  const { feed, state, say, hangUp, pass } = rig();
  feed.start();
  await say(snapshot({ inFlight: 7 }));
  await hangUp(new Error("reset"));
  assert.deepEqual(
    feed.state.status.kind === "waiting" && [feed.state.status.retryAtMs, feed.state.status.error?.code],
    [1_000, "network_lost"],
  );
  assert.equal(feed.state.snapshot?.inFlight, 7);
  state.refusal = new ApiError({ code: "overloaded", status: 503, retryAfterMs: 10_000 });
  await pass(1_000);
  assert.equal(retryAtOf(feed), 11_000);
  state.refusal = undefined;
  await pass(10_000);
  assert.equal(state.opened, 3);
  await say(snapshot({}));
  assert.equal(feed.state.status.kind, "live");
  await hangUp();
  assert.equal(retryAtOf(feed), 12_000, "from one second");
});

test("a stream that ends because it is old is opened again at once, without a word", async () => {
  const { feed, state, say, hangUp } = rig();
  feed.start();
  await say(snapshot({}));
  const kinds: string[] = [];
  feed.subscribe(() => kinds.push(feed.state.status.kind));
  await say({ end: "again" });
  await hangUp();
  assert.equal(state.opened, 2);
  assert.deepEqual(kinds, []);
});

test("a stream that says nothing for ten seconds is lost", async () => {
  const { feed, say, pass } = rig();
  feed.start();
  await say(snapshot({}));
  await pass(9_000);
  assert.equal(feed.state.status.kind, "live");
  await pass(1_000);
  assert.equal(feed.state.status.kind, "waiting");
});

test("paused, nothing is read and nothing changes; going on opens a new stream", async () => {
  const { feed, state, say, pass } = rig();
  feed.start();
  await say(snapshot({ inFlight: 1 }));
  feed.setPaused(true);
  await say(snapshot({ inFlight: 2 }));
  feed.start();
  await pass(60_000);
  assert.deepEqual([feed.state.status.kind, feed.state.snapshot?.inFlight, state.opened], ["paused", 1, 1]);
  feed.setPaused(false);
  await say(snapshot({ inFlight: 3 }));
  assert.deepEqual([feed.state.status.kind, feed.state.snapshot?.inFlight, state.opened], ["live", 3, 2]);
});
