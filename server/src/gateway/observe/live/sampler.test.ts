/** What a process reports of itself: read from the metrics it counts anyway, over moving windows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { liveHistory, liveSample } from "../../../domain/live/sample.ts";
import { createRegistry } from "../../../lib/telemetry/metrics.ts";
import type { RequestRow } from "../../../store/requests/shapes.ts";
import { createObserve, type SettledRequest } from "../observe.ts";
import { createLivePublisher } from "./publisher.ts";
import { createLiveSampler } from "./sampler.ts";

const row: RequestRow = {
  id: "req_1",
  createdAt: 0,
  accountId: "acc_1",
  keyId: "key_1",
  operation: "chat",
  modelId: "m",
  upstreamId: "main",
  upstreamModel: "um",
  isStream: true,
  status: 200,
  state: "complete",
  errorCode: null,
  attempts: 1,
  inputTokens: 10,
  cachedInputTokens: 4,
  cacheWriteTokens: 2,
  outputTokens: 7,
  reasoningTokens: 3,
  usageSource: "exact",
  usageParts: null,
  firstTokenMs: 40,
  durationMs: 100,
  charge: nanoUsd(1_500_000_001n),
  cost: nanoUsd(5n),
  priceId: 1,
  attemptLog: null,
  queueMs: null,
};

const settled: SettledRequest = {
  row,
  path: "/v1/chat/completions",
  model: "m",
  provider: "openai",
  durationMs: 100,
  overheadMs: 1.5,
  settleMs: 1,
  isRecorded: true,
};

function rig() {
  let nowMs = 0;
  const registry = createRegistry();
  const observe = createObserve(registry);
  const clock = { wallMs: () => 1_000_000 + nowMs, elapsedMs: () => nowMs };
  const readings = () => ({ inFlight: 3, streams: 2, loopLagMs: 1.26 });
  const sampler = createLiveSampler({ registry, clock, readings });
  return {
    observe,
    clock,
    sampler,
    /** Ticks once a second. */
    pass(seconds: number, each: () => void = () => {}) {
      for (let second = 0; second < seconds; second += 1) {
        each();
        nowMs += 1_000;
        sampler.tick();
      }
    },
    setBack(ms: number) {
      clock.wallMs = () => 1_000_000 + nowMs - ms;
    },
  };
}

test("everything a request counts is in the sample, and what has a shape keeps to it", () => {
  const { observe, sampler, pass } = rig();
  pass(1, () => {
    observe.settled(settled);
    observe.settled({
      ...settled,
      row: {
        ...row,
        state: "failed",
        status: 502,
        errorCode: "upstream_error",
        usageSource: "none",
        firstTokenMs: null,
        attemptLog: [
          { upstreamId: "main", upstreamModel: "um", fault: "timeout", status: null, durationMs: 1 },
          { upstreamId: "main", upstreamModel: "um", fault: null, status: null, durationMs: 1 },
        ],
      },
    });
    observe.refused("rate_limit_exceeded", 429, { path: "/v1/chat/completions", operation: "chat" });
    observe.settled({ ...settled, row: { ...row, state: "aborted", status: 499, usageSource: "none" } });
    observe.settled({ ...settled, row: { ...row, state: "incomplete", usageSource: "none" } });
  });
  const sample = sampler.sample();
  assert.deepEqual(sample.minute.outcomes, [1, 1, 1, 1, 1]);
  assert.deepEqual(sample.now, { ms: 1_000, requests: 5, inputTokens: 16, outputTokens: 7 });
  assert.equal(sample.minute.charge, "1500000001");
  assert.deepEqual(sample.minute.firstToken, [0, 0, 0, 0, 3]);
  assert.deepEqual(sample.minute.duration, [0, 0, 0, 0, 1], "100 ms is in the bucket up to 160");
  assert.deepEqual(sample.minute.errors, [
    ["upstream_error", 1],
    ["rate_limit_exceeded", 1],
  ]);
  assert.deepEqual(sample.minute.upstreams, [["main", "timeout", 1]]);
  assert.deepEqual(sample.minute.models, [["m", 4]]);
  assert.deepEqual([sample.inFlight, sample.streams, sample.loopLagMs], [3, 2, 1.3]);
  assert.ok(liveSample.safeParse(JSON.parse(JSON.stringify(sample))).success);
  assert.ok(liveHistory.safeParse(JSON.parse(JSON.stringify(sampler.history()))).success);
});

test("what was counted before the sampler began is not in it", () => {
  const registry = createRegistry();
  createObserve(registry).settled(settled);
  let nowMs = 0;
  const clock = { wallMs: () => nowMs, elapsedMs: () => nowMs };
  const readings = () => ({ inFlight: 0, streams: 0, loopLagMs: 0 });
  const sampler = createLiveSampler({ registry, clock, readings });
  nowMs = 1_000;
  sampler.tick();
  assert.deepEqual(sampler.sample().minute.outcomes, [0, 0, 0, 0, 0]);
});

test("rates are of five seconds, the other figures of one minute, points of 15 minutes", () => {
  const { observe, sampler, pass } = rig();
  pass(10, () => observe.settled(settled));
  assert.deepEqual([sampler.sample().now.ms, sampler.sample().now.requests], [5_000, 5]);
  pass(5);
  assert.equal(sampler.sample().now.requests, 0);
  assert.equal(sampler.sample().minute.outcomes[0], 10);
  pass(40);
  assert.equal(sampler.sample().minute.outcomes[0], 10);
  pass(20);
  assert.equal(sampler.sample().minute.outcomes[0], 0);
  assert.deepEqual(sampler.sample().minute.models, []);
  const sumOfBins = (): number => sampler.history().reduce((sum, { outcomes: [one = 0] }) => sum + one, 0);
  assert.equal(sumOfBins(), 10);
  pass(15 * 60);
  assert.equal(sampler.history().length, 180);
  assert.equal(sumOfBins(), 0);
});

test("a clock that is set back makes no second bin of the same time", () => {
  const { sampler, pass, setBack } = rig();
  pass(11);
  const before = sampler.history().length;
  setBack(60_000);
  pass(3);
  const times = sampler.history().map(({ t }) => t);
  assert.equal(times.length, before);
  assert.deepEqual(times, [...new Set(times)].sort());
});

test("samples are published only while there are viewers, the history when it has grown", async () => {
  const { clock, sampler, pass } = rig();
  const published: { sample: string; history: string | undefined }[] = [];
  let isDown = false;
  const publisher = createLivePublisher({
    sampler,
    clock,
    processId: () => "p",
    store: {
      async publishLiveSample(_process, sample, history) {
        if (isDown) throw new Error("no database");
        published.push({ sample, history });
      },
    },
  });
  const tick = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      pass(1);
      await publisher.tick();
    }
  };
  await tick(3);
  assert.equal(published.length, 0);
  publisher.noteViewers();
  await tick(3);
  assert.equal(published.length, 3);
  assert.notEqual(published[0]?.history, undefined, "the first has the history");
  isDown = true;
  await tick(1);
  isDown = false;
  await tick(1);
  assert.notEqual(published.at(-1)?.history, undefined, "as has the first after a failure");
  await tick(100);
  assert.equal(published.length, 43, "45 seconds after viewers were announced it ends");
  assert.equal(publisher.interestLeftMs(), 0);
});
