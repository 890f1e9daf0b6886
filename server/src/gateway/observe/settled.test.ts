/** Every configured observer gets each request once, with consistent times; absent observers are skipped. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { reportSettled } from "./settled.ts";

/** Typed loosely, because the tests pass only the fields they need. */
const tell = reportSettled as (watchers: object, marks: object, told: object) => void;

const row = {
  id: "req_1",
  accountId: "acc_1",
  keyId: "key_1",
  operation: "chat",
  modelId: "m",
  upstreamId: "main",
  isStream: false,
  status: 200,
  state: "complete",
  errorCode: null,
  attempts: 1,
  inputTokens: 10,
  cachedInputTokens: 2,
  cacheWriteTokens: 3,
  outputTokens: 5,
  attemptLog: null as object[] | null,
  charge: nanoUsd(20_000n),
  firstTokenMs: 30,
  durationMs: 90,
};
const marks = {
  endpoint: { path: "/v1/messages" },
  call: { createdAt: 1_000_000, startedMs: 100, trace: { id: "t" }, sender: "192.0.2.1" },
  read: { receivedMs: 110 },
  outcome: { dispatchedMs: 130, answeredMs: 180 },
};

function told(changes: { row?: object; marks?: object } = {}) {
  const heard = { observed: [] as object[], traced: [] as object[], lines: [] as Record<string, unknown>[] };
  const watchers = {
    observe: { settled: (one: object) => heard.observed.push(one) },
    tracer: { end: (one: object) => heard.traced.push(one) },
    requestLog: { info: (_event: string, fields: Record<string, unknown>) => heard.lines.push(fields) },
  };
  const what = { row: { ...row, ...changes.row }, model: "m", provider: "openai" };
  tell(watchers, { ...marks, ...changes.marks }, { ...what, beganMs: 185, endedMs: 190.4, isRecorded: true });
  return heard;
}

test("the time that is ours is what the upstream did not use, and settling is part of it", () => {
  const [observed] = told().observed as Record<string, number>[];
  // 20 ms before the call and 10.4 ms after it.
  assert.deepEqual(
    [observed?.["overheadMs"], observed?.["durationMs"], observed?.["settleMs"]].map((ms) => ms?.toFixed(1)),
    ["30.4", "90.4", "5.4"],
  );
  const [refused] = told({ marks: { outcome: undefined } }).observed as object[];
  assert.equal((refused as { overheadMs: unknown }).overheadMs, undefined);
});

test("a trace gets the wall clock's times; a request that is not traced gets none", () => {
  const [traced] = told().traced as Record<string, number>[];
  assert.equal(traced?.["path"], "/v1/messages");
  assert.deepEqual(
    [traced?.["startMs"], traced?.["dispatchedMs"], traced?.["answeredMs"], traced?.["endMs"]],
    [1_000_000, 1_000_030, 1_000_080, 1_000_090.4],
  );
  assert.deepEqual(told({ marks: { call: { ...marks.call, trace: undefined } } }).traced, []);
});

test("the line of a request: every attempt with its end and time, the whole prompt, the charge", () => {
  const [line] = told().lines;
  assert.deepEqual(
    [line?.["request"], line?.["tried"], line?.["input"], line?.["charge"], line?.["ms"], line?.["replay"]],
    ["req_1", "main answered 50", 15, "0.00002", 95, undefined],
  );
  assert.equal(line?.["endpoint"], "/v1/messages");
  const attemptLog = [
    { upstreamId: "main", fault: "timeout", durationMs: 5_000 },
    { upstreamId: "backup", fault: null, durationMs: 412 },
  ];
  assert.equal(told({ row: { attemptLog } }).lines[0]?.["tried"], "main timeout 5000, backup answered 412");
  assert.equal(told({ row: { upstreamId: null } }).lines[0]?.["tried"], undefined);
  assert.equal(told({ marks: { earlier: {} } }).lines[0]?.["replay"], true);
});

test("where only the counters listen, nothing else is made", () => {
  const observed: object[] = [];
  const watchers = { observe: { settled: (one: object) => observed.push(one) }, tracer: undefined };
  tell({ ...watchers, requestLog: undefined }, marks, { row, beganMs: 1, endedMs: 2, isRecorded: false });
  assert.equal((observed[0] as { isRecorded: boolean }).isRecorded, false);
});
