/** Viewers of the live view: what they get and when, how many there may be, and how their streams end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type LiveSnapshot, liveSnapshot } from "@plaza/contract/api/live.ts";
import type { LiveBin, LiveSample } from "../../domain/live/sample.ts";
import type { StoredLiveSample } from "../../store/operation/live-shapes.ts";
import { createLiveHub, viewersMax, viewersPerNameMax } from "./hub.ts";

const bin: LiveBin = {
  t: 1_000_000,
  ms: 5_000,
  outcomes: [10, 0, 0, 0, 0],
  inputTokens: 0,
  outputTokens: 0,
  charge: "0",
  firstToken: [],
  duration: [],
};

const sampleOf = (host: string, requests: number): LiveSample => ({
  v: 1,
  host,
  pid: 1,
  inFlight: 0,
  streams: 0,
  loopLagMs: 0,
  rssBytes: 1,
  now: { ms: 1_000, requests, inputTokens: 0, outputTokens: 0 },
  minute: {
    outcomes: [requests, 0, 0, 0, 0],
    charge: "0",
    firstToken: [],
    duration: [],
    errors: [],
    upstreams: [],
    models: [],
  },
  bins: [bin],
});

const settle = () => new Promise((resolve) => setImmediate(resolve));

function rig() {
  const state = {
    nowMs: 0,
    requests: 1,
    announced: 0,
    isDown: false,
    rows: [] as StoredLiveSample[],
    histories: [] as { process: string; history: string }[],
    tick: undefined as (() => void) | undefined,
  };
  const answer = <T>(value: T): Promise<T> =>
    state.isDown ? Promise.reject(new Error("no database")) : Promise.resolve(value);
  const hub = createLiveHub({
    clock: { wallMs: () => 1_000_000 + state.nowMs, elapsedMs: () => state.nowMs },
    own: {
      processId: () => "p1",
      sample: () => sampleOf("own", state.requests),
      history: () => [bin],
      interestLeftMs: () => 0,
    },
    store: {
      announceLiveViewers() {
        state.announced += 1;
        return answer(undefined);
      },
      publishLiveSample: () => answer(undefined),
      listLiveSamples: () => answer(state.rows),
      listLiveHistories: () => answer(state.histories),
    },
    every(_ms, work) {
      state.tick = work;
      return () => {
        state.tick = undefined;
      };
    },
  });
  const pass = async (ms: number) => {
    state.nowMs += ms;
    state.tick?.();
    await settle();
    await settle();
  };
  const watch = (name = "usr_1", more: { isOnce?: boolean; isStillAllowed?: () => Promise<boolean> } = {}) =>
    hub
      .watch({ name, isOnce: false, isStillAllowed: () => Promise.resolve(true), ...more })
      [Symbol.asyncIterator]();
  return { state, hub, pass, watch };
}

const textOf = async (events: AsyncIterator<string>): Promise<string> => String((await events.next()).value);

async function read(events: AsyncIterator<string>): Promise<LiveSnapshot> {
  const text = await textOf(events);
  assert.match(text, /^(retry: \d+\n)?data: \{.*\}\n\n$/);
  return liveSnapshot.parse(JSON.parse(text.slice(text.indexOf("data: ") + 6)));
}

test("the first event comes at once with the history, the next ones without", async () => {
  const { watch, pass, state } = rig();
  const events = watch();
  const first = await read(events);
  assert.equal(first.history?.length, 1);
  assert.equal(first.isWhole, true);
  state.requests = 7;
  await pass(1_000);
  const second = await read(events);
  assert.equal(second.history, null);
  assert.equal(second.requests.complete, 7);
  assert.equal(second.points[0]?.t, 1_000_000);
});

test("processes that report are added, with their past, and those of unknown versions are not", async () => {
  const { watch, pass, state } = rig();
  const events = watch();
  await read(events);
  state.rows = [
    { process: "p1", sample: JSON.stringify(sampleOf("own", 100)), ageMs: 0 },
    { process: "p2", sample: JSON.stringify(sampleOf("other", 4)), ageMs: 0 },
    { process: "p3", sample: JSON.stringify({ ...sampleOf("newer", 5), v: 2 }), ageMs: 0 },
    { process: "p4", sample: "{", ageMs: 0 },
  ];
  state.histories = [{ process: "p0", history: JSON.stringify([{ ...bin, t: 995_000 }]) }];
  await pass(1_000);
  const snapshot = await read(events);
  assert.deepEqual(
    snapshot.processes.map(({ host }) => host),
    ["other", "own"],
  );
  assert.equal(snapshot.requests.complete, 5);
  assert.deepEqual(
    snapshot.history?.map(({ t }) => t),
    [995_000, 1_000_000],
    "also the past of one that ended",
  );
});

test("without the database this process is shown alone, and said to be", async () => {
  const { watch, state } = rig();
  state.isDown = true;
  const snapshot = await read(watch());
  assert.equal(snapshot.isWhole, false);
  assert.equal(snapshot.processes.length, 1);
});

test("a slow reader gets the newest event only, and one that never reads loses its place", async () => {
  const { watch, pass, state, hub } = rig();
  const events = watch();
  for (const requests of [2, 3, 4]) {
    state.requests = requests;
    await pass(1_000);
  }
  assert.equal((await read(events)).requests.complete, 4);
  await pass(1_000);
  await pass(30_000);
  assert.equal(hub.viewers, 0);
  assert.equal(state.tick, undefined, "without viewers nothing runs");
});

test("viewers are bounded, all together and each", async () => {
  const { watch, hub } = rig();
  for (let count = 0; count < viewersPerNameMax; count += 1) watch("usr_same");
  assert.throws(() => watch("usr_same"), { code: "overloaded" });
  const others = Array.from({ length: viewersMax - viewersPerNameMax }, (_, index) => watch(`usr_${index}`));
  assert.throws(() => watch("usr_late"), { code: "overloaded" });
  await others[0]?.return?.();
  assert.equal(hub.viewers, viewersMax - 1);
  watch("usr_late");
});

test("a stream ends with the session, but not because the database is away", async () => {
  const { watch, pass, hub } = rig();
  let isAllowed = true;
  const events = watch("usr_1", {
    isStillAllowed: () => (isAllowed ? Promise.reject(new Error("no database")) : Promise.resolve(false)),
  });
  await read(events);
  for (let second = 0; second < 15; second += 1) await pass(1_000);
  assert.equal(hub.viewers, 1);
  isAllowed = false;
  for (let second = 0; second < 15; second += 1) await pass(1_000);
  assert.equal(await textOf(events), 'event: ended\ndata: {"end":"ended"}\n\n');
  assert.equal((await events.next()).done, true);
  assert.equal(hub.viewers, 0);
});

test("a stopping process ends its streams at once and takes no more", async () => {
  const { watch, hub } = rig();
  const [reading, slow] = [watch("usr_1"), watch("usr_2")];
  await read(reading);
  const next = textOf(reading);
  hub.close();
  assert.equal(await next, 'retry: 2000\nevent: closing\ndata: {"end":"closing"}\n\n');
  assert.match(await textOf(slow), /event: closing/);
  assert.throws(() => watch(), { code: "overloaded" });
});

test("a stream ends after ten minutes, so that its caller is identified again", async () => {
  const { watch, pass } = rig();
  const events = watch();
  await read(events);
  await pass(10 * 60_000);
  assert.match(await textOf(events), /^retry: 200\nevent: again/);
});

test("once: one event, after the others had time to report", async () => {
  const { watch, pass } = rig();
  const events = watch("tok_1", { isOnce: true });
  const only = read(events);
  await pass(1_000);
  await pass(1_000);
  assert.notEqual((await only).history, null);
  assert.equal((await events.next()).done, true);
});

test("viewers are announced again while there are some", async () => {
  const { watch, pass, state } = rig();
  const events = watch();
  await read(events);
  assert.equal(state.announced, 1);
  await pass(1_000);
  assert.equal(state.announced, 1);
  await pass(5_000);
  assert.equal(state.announced, 2);
});
