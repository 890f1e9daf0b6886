/**
 * The checks of the money rigs on made-up rows and journals: they accept correct ones and reject each kind of
 * error.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyOf, completedAnswer, exactCall, heldInput } from "../harness/money/calls.ts";
import { judgeAccount } from "../harness/money/conservation.ts";
import type { AccountSums, RequestSeen } from "../harness/money/ledger-reader.ts";
import { costOf } from "../harness/money/money.ts";
import { judgeCharges, reconcile } from "../harness/money/reconcile.ts";
import { readSeen } from "../harness/seen-tokens.ts";
import { judgeBroken } from "../money/p04-books.ts";
import { type Accounted, judgeRow, promptTokensOf } from "../money/p06-aborts.ts";
import { phases } from "../money/p06-phases.ts";
import type { CallRecord } from "../upstream/journal.ts";

const sums: AccountSums = {
  id: "a",
  balance: 70n,
  leased: 20n,
  leases: 20n,
  credited: 100n,
  charged: 35n,
  lost: 5n,
};

test("an account is right when every unit is somewhere, and wrong when one is not", () => {
  assert.equal(judgeAccount(sums), undefined);
  assert.match(judgeAccount({ ...sums, balance: 71n }) ?? "", /-1 units off/);
  assert.match(judgeAccount({ ...sums, charged: 34n }) ?? "", /1 units off/);
  assert.match(judgeAccount({ ...sums, lost: 6n }) ?? "", /units off/);
  assert.match(judgeAccount({ ...sums, leases: 19n }) ?? "", /leases of 19/);
  assert.match(judgeAccount({ ...sums, leased: 71n, leases: 71n }) ?? "", /out of bounds/);
  assert.match(
    judgeAccount({ ...sums, balance: -1n, leased: 0n, leases: 0n, credited: 29n }) ?? "",
    /out of bounds/,
  );
});

function row(more: Partial<RequestSeen> = {}): RequestSeen {
  const tokens = { input: 1_000, cachedInput: 100, output: 40, ...more };
  return {
    id: "req_1",
    keyId: "key_1",
    accountId: "a",
    state: "complete",
    status: 200,
    source: "exact",
    isStream: true,
    charge: more.source === "none" ? 0n : costOf(tokens),
    loss: 0n,
    ...tokens,
    ...more,
  };
}

function record(prompt: number, output: number, more: Partial<CallRecord> = {}): CallRecord {
  return {
    id: "call",
    path: "",
    headers: [],
    bodySha256: "",
    bodyLength: 0,
    isStream: true,
    fault: "",
    acceptedAt: 0,
    tokens: output,
    usage: `{"prompt_tokens":${prompt},"completion_tokens":${output},"prompt_tokens_details":{"cached_tokens":100}}`,
    ...more,
  };
}

test("books agree when exact rows are what was reported, each once", () => {
  const good = reconcile(
    [row(), row({ id: "req_2", source: "estimated" })],
    [record(1_000, 40), record(1_001, 7)],
  );
  assert.deepEqual(good, { exact: 1, estimated: 1, unpaid: 0, wrong: [], tokensOff: 0, unclaimed: 1 });
  const wrongs: Record<string, [RequestSeen[], CallRecord[]]> = {
    "another output": [[row({ output: 41 })], [record(1_000, 40)]],
    "other cached tokens": [[row({ cachedInput: 99 })], [record(1_000, 40)]],
    "never reported": [[row()], [record(1_000, 40, { usage: undefined })]],
    "reported nonsense": [[row()], [record(1_000, -40)]],
    "claimed twice": [[row(), row({ id: "req_2" })], [record(1_000, 40)]],
  };
  for (const [name, [rows, calls]] of Object.entries(wrongs)) {
    const found = reconcile(rows, calls);
    assert.ok(found.wrong.length === 1 && found.tokensOff > 0, name);
  }
  assert.equal(reconcile([row({ charge: 1n })], [record(1_000, 40)]).wrong.length, 1);
  assert.equal(reconcile([row({ source: "none", charge: 0n })], []).wrong.length, 1);
});

test("a complete answer without its one charge is seen", () => {
  const usage = { input: 1_000, cachedInput: 100, output: 40 };
  const answer = { requestId: "req_1", usage };
  const charge = { requestId: "req_1", amount: costOf(usage) };
  const misses = (...args: Parameters<typeof judgeCharges>) =>
    judgeCharges(...args).flatMap((figure) => (figure.ok ? [] : [figure.name]));
  assert.deepEqual(misses([answer], [row()], [charge]), []);
  const lost = ["answers completed without their charge"];
  assert.deepEqual(misses([answer], [], []).slice(0, 1), lost);
  assert.deepEqual(misses([answer], [row()], [{ ...charge, amount: charge.amount - 1n }]), lost);
  assert.deepEqual(misses([answer], [row({ source: "estimated" })], [charge]), lost);
  const double = ["requests charged twice, or charges of no request"];
  assert.deepEqual(misses([answer], [row()], [charge, charge]), double);
  assert.deepEqual(misses([answer], [row()], [charge, { ...charge, requestId: "req_2" }]), double);
});

const promptTokens = 60;

/** A row of a phase in which the upstream stopped after 50 tokens. */
function aborted(more: Partial<RequestSeen>, name = "stream, mid stream, upstream silent"): Accounted {
  const phase = phases.find((one) => one.name === name);
  assert.ok(phase);
  const good = row({
    source: "estimated",
    input: promptTokens,
    cachedInput: 0,
    output: 50,
    state: "aborted",
    ...more,
  });
  return {
    left: {
      id: "call",
      phase,
      keyId: "key_1",
      route: { endpoint: "messages", spoken: "chat" },
      promptTokens,
      seenTokens: 50,
    },
    row: good,
    record: record(promptTokens, 50, { usage: undefined }),
  };
}

test("an aborted call's row is judged by the upstream's count", () => {
  assert.equal(judgeRow(aborted({})), undefined);
  const wrong: Record<string, Partial<RequestSeen>> = {
    "fewer tokens than the caller saw": { output: 49 },
    "more than the upstream emitted": { output: 52 },
    "another prompt": { input: promptTokens + 1 },
    "said to be exact": { source: "exact" },
    "for nothing": { source: "none", input: 0, output: 0 },
    "another charge": { charge: 1n },
  };
  for (const [name, more] of Object.entries(wrong)) assert.notEqual(judgeRow(aborted(more)), undefined, name);
  assert.match(judgeRow({ ...aborted({}), record: undefined }) ?? "", /without a call/);
  const exact = aborted({ source: "exact" }, "stream, after its end");
  assert.match(judgeRow(exact) ?? "", /the upstream said/);
  assert.equal(judgeRow({ ...exact, record: record(promptTokens, 50) }), undefined);
});

test("an upstream that reports on the way may be exact only where nothing came after its report", () => {
  const gemini = (more: Partial<RequestSeen>): Accounted => {
    const one = aborted({ source: "exact", ...more });
    const left = { ...one.left, route: { endpoint: "chat" as const, spoken: "gemini" as const } };
    return { ...one, left, record: record(promptTokens, 50, { end: "cancelled" }) };
  };
  assert.equal(judgeRow(gemini({})), undefined);
  assert.match(judgeRow(gemini({ output: 49 })) ?? "", /source exact/);
  assert.match(judgeRow(gemini({ output: 52 })) ?? "", /source exact/);
  assert.match(judgeRow(gemini({ input: promptTokens + 1 })) ?? "", /source exact/);
  assert.match(judgeRow(gemini({ charge: 1n })) ?? "", /charge 1/);
});

test("the prompt of a body is measured in each format", () => {
  const prompt = [{ role: "user", content: "x".repeat(100) }];
  const tokens = Math.ceil(JSON.stringify(prompt).length / 4);
  for (const name of ["messages", "input", "contents"])
    assert.equal(promptTokensOf(JSON.stringify({ model: "m", [name]: prompt, max_tokens: 9 })), tokens);
});

test("what a caller has seen of a stream is counted in each format", () => {
  const streams = {
    responses: [
      'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"a"}\n\n',
      'event: response.completed\ndata: {"type":"response.completed","response":{"status":"completed"}}\n\n',
    ],
    messages: [
      'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}\n\n',
      'data: {"type":"message_stop"}\n\n',
    ],
    gemini: [
      'data: {"candidates":[{"content":{"parts":[{"text":"a"}]}}]}\r\n\r\n',
      'data: {"candidates":[{"content":{"parts":[{"text":""}]},"finishReason":"STOP"}]}\r\n\r\n',
    ],
  };
  for (const [name, [token = "", end = ""]] of Object.entries(streams)) {
    const begun = readSeen(Buffer.from(token + token));
    assert.deepEqual([begun.tokens, begun.hasDone], [2, false], name);
    const whole = readSeen(Buffer.from(token + end));
    assert.deepEqual([whole.tokens, whole.hasDone], [1, true], name);
  }
});

test("what is held for a call can be made equal to its charge", () => {
  for (const isStream of [true, false]) {
    const call = exactCall({ id: "p02-0001", isStream, maxTokens: 100 });
    assert.equal(call.plan.promptTokens, heldInput(bodyOf(call)));
  }
});

test("an answer is complete with [DONE] or a whole JSON body, and not without", () => {
  const seen = (type: string, text: string, isWhole = true) => ({
    status: 200,
    headers: { "content-type": type, "x-request-id": "req_1" },
    body: Buffer.from(text),
    isWhole,
  });
  const usage = '"usage":{"prompt_tokens":3,"completion_tokens":4}';
  const stream = `data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: {"choices":[],${usage}}\n\n`;
  const told = { requestId: "req_1", usage: { input: 3, cachedInput: 0, output: 4 } };
  assert.deepEqual(completedAnswer(seen("text/event-stream", `${stream}data: [DONE]\n\n`)), told);
  assert.equal(completedAnswer(seen("text/event-stream", stream)), undefined);
  assert.deepEqual(completedAnswer(seen("application/json", `{"choices":[],${usage}}`)), told);
  assert.equal(completedAnswer(seen("application/json", `{"choices":[],${usage}}`, false)), undefined);
  assert.equal(completedAnswer({ ...seen("application/json", "{}"), status: 402 }), undefined);
  assert.deepEqual(readSeen(Buffer.from(stream)), {
    tokens: 1,
    hasFinish: false,
    hasUsage: true,
    hasDone: false,
  });
});

test("a broken stream has to say so in its format, and must not look complete", () => {
  const judge = (text: string) =>
    judgeBroken({
      status: 200,
      headers: { "content-type": "text/event-stream" },
      body: Buffer.from(text),
      isWhole: true,
    });
  const failures = [
    'data: {"error":{"message":"x","code":"upstream_error"}}\n\n',
    'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"x"}}\n\n',
    'event: response.failed\ndata: {"type":"response.failed","response":{"status":"failed"}}\n\n',
  ];
  for (const failure of failures) assert.equal(judge(`data: {"type":"ping"}\n\n${failure}`), undefined);
  assert.match(judge('data: {"type":"ping"}\n\n') ?? "", /without an error/);
  const ends = [
    "data: [DONE]\n\n",
    'data: {"type":"message_stop"}\n\n',
    'data: {"type":"response.completed","response":{"status":"completed"}}\n\n',
    'data: {"candidates":[{"finishReason":"STOP"}]}\n\n',
  ];
  for (const end of ends) assert.match(judge(end) ?? "", /presented as complete/);
});
