/**
 * Checks the table "one rule for every ending" of docs/call/billing.md row by row: who pays what, exact or
 * estimated, and the recorded state. Every record is read through the caller's `GET /v1/requests/{id}`.
 */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import type { Timeouts } from "@plaza/contract/catalog.ts";
import { formatUsd, nanoUsd, parseUsd } from "@plaza/contract/money.ts";
import type { RequestObject } from "../../../server/src/gateway/endpoints/requests.ts";
import { get, post, type Seen } from "../../rigs/harness/http-client.ts";
import { eventually, pause } from "../../rigs/harness/measure/clock.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { chunk, completion, openaiError } from "../harness/openai-shapes.ts";
import {
  type ScriptedAnswer,
  type ScriptedUpstream,
  startScriptedUpstream,
} from "../harness/scripted-upstream.ts";

const timeouts: Timeouts = { connectMs: 2_000, firstTokenMs: 400, idleMs: 400, totalMs: 5_000 };

let first: ScriptedUpstream;
let second: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;
let rows = 0;

before(async () => {
  first = await startScriptedUpstream();
  second = await startScriptedUpstream();
  app = await startApp({
    catalog: {
      upstreams: [
        upstreamAt("stopping", first.baseUrl),
        upstreamAt("finishing", first.baseUrl, { onDisconnect: "finish" }),
        upstreamAt("hurried", first.baseUrl, { timeouts }),
        // An upstream of its own, which earlier tests have not ejected.
        upstreamAt("fresh", first.baseUrl),
        upstreamAt("other", second.baseUrl),
      ],
      models: [
        modelOn("stop", ["stopping"]),
        modelOn("finish", ["finishing"]),
        modelOn("hurried", ["hurried"]),
        modelOn("two", ["fresh", "other"]),
        modelOn("free", ["stopping"], { price: { input: nanoUsd(0n), output: nanoUsd(0n) } }),
        modelOn("small", ["stopping"], { maxOutput: 10 }),
      ],
      limits: {},
    },
  });
  account = await app.newAccount("100");
});
after(async () => {
  await app?.stop();
  await first?.stop();
  await second?.stop();
});

/** Ten input tokens at 1 USD per million, five output tokens at 2. */
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const exact = { source: "exact", charge: "0.00002" } as const;

/** 44 bytes of messages: 11 input tokens. Three events: three output tokens. */
const messages = [{ role: "user", content: "hello wor" }];
const promptBytes = JSON.stringify(messages).length;
const cost = (input: number, output: number): string =>
  formatUsd(nanoUsd(BigInt(input) * 1_000n + BigInt(output) * 2_000n));
const promptTokens = Math.ceil(promptBytes / 4);
const estimated = { source: "estimated", charge: cost(promptTokens, 3) } as const;
const nothing = { source: undefined, charge: "0.00" } as const;

const words = ["one", " two", " six"].map((content) => chunk({ content }));
const role = chunk({ role: "assistant", content: "" });
const finish = chunk({}, "stop");
const usageEvent = (value: unknown = usage) => ({ ...chunk({}), choices: [], usage: value });
const withUsage = (event: object, value: unknown) => ({ ...event, usage: value });
const streamWith = (...end: unknown[]): ScriptedAnswer => ({
  events: [role, ...words, finish, ...end, "[DONE]"],
});
/** A whole answer with 12 bytes of text: 3 tokens. */
const wholeWith = (value: unknown): ScriptedAnswer => {
  const { usage: _, ...rest } = completion({ message: { content: "one two six!" } });
  return { body: value === undefined ? rest : { ...rest, usage: value } };
};

const nonsense: readonly (readonly [name: string, usage: unknown])[] = [
  ["negative", { prompt_tokens: -1, completion_tokens: 5, total_tokens: 4 }],
  ["fractional", { prompt_tokens: 10.5, completion_tokens: 5, total_tokens: 15.5 }],
  ["huge", { prompt_tokens: 10, completion_tokens: 1e18, total_tokens: 1e18 }],
  ["text", { prompt_tokens: "10", completion_tokens: "5", total_tokens: "15" }],
  ["half of it", { prompt_tokens: 10 }],
];

interface Asked {
  readonly model?: string;
  readonly stream: boolean;
  /** Disconnects when this text has arrived. */
  readonly leaveAt?: string;
  /** Disconnects when this resolves. */
  readonly leaveAfter?: Promise<unknown>;
}

function ask({ model = "stop", stream, leaveAt, leaveAfter }: Asked): Promise<Seen> {
  let text = "";
  return post({
    url: app.chatUrl,
    key: account.key,
    body: JSON.stringify({ model, messages, stream }),
    onRequest: (call) => void leaveAfter?.then(() => call.destroy()),
    onArrival: ({ bytes }, call) => {
      text += bytes.toString("utf8");
      if (leaveAt !== undefined && text.includes(leaveAt)) call.destroy();
    },
  });
}

/** The newest request as its caller sees it; asserts that the balance decreased by exactly its charge. */
async function newest(balanceBefore: bigint): Promise<RequestObject> {
  rows += 1;
  const { id } = await app.newestRow(account.accountId, rows);
  const seen = await get(`${app.origin}/v1/requests/${id}`, { authorization: `Bearer ${account.key}` });
  assert.equal(seen.status, 200, seen.text);
  const request = JSON.parse(seen.text) as RequestObject;
  const entries = await app.store.listEntries({ accountId: account.accountId, limit: 1_000 });
  const charged = entries.filter((entry) => entry.requestId === id).map((entry) => entry.amount);
  const paid = parseUsd(request.charge);
  assert.deepEqual(charged, paid === 0n ? [] : [-paid]);
  assert.equal(balanceBefore - (await balance()), paid);
  return request;
}

async function balance(): Promise<bigint> {
  return (await app.store.findAccount(account.accountId))?.balance ?? -1n;
}

interface Expected {
  readonly state: RequestObject["state"];
  readonly status?: number;
  readonly errorCode?: string;
  readonly source: string | undefined;
  readonly charge: string;
  readonly outcomes?: readonly string[];
}

function check(request: RequestObject, expected: Expected): void {
  assert.deepEqual(
    {
      state: request.state,
      status: request.status,
      errorCode: request.error_code ?? undefined,
      source: request.usage?.source,
      charge: request.charge,
      outcomes: request.attempts.map((attempt) => attempt.outcome),
    },
    { status: 200, errorCode: undefined, outcomes: ["answered"], ...expected },
  );
  assert.equal(request.price === null, expected.source === undefined);
}

/** One row of the table, for a caller that stays connected. */
function cell(
  name: string,
  asked: Omit<Asked, "leaveAt" | "leaveAfter">,
  answers: readonly ScriptedAnswer[],
  expected: Expected,
  answersOfSecond: readonly ScriptedAnswer[] = [],
): void {
  test(name, async () => {
    first.answerWith(...answers);
    second.answerWith(...answersOfSecond);
    const had = await balance();
    const seen = await ask(asked);
    const request = await newest(had);
    check(request, expected);
    if (!asked.stream) {
      const header = seen.headers["x-plaza-charge"];
      assert.equal(header, request.state === "complete" ? request.charge : undefined);
    }
  });
}

/** `weat` and `{"city":"Rome"}`: 19 bytes, 5 tokens; ids and types are not counted. */
const toolFunction = { name: "weat", arguments: '{"city":"Rome"}' };
const toolCalls = [{ id: "call_12345678901234567890", type: "function", function: toolFunction }];
const toolMessage = { role: "assistant", content: null, tool_calls: toolCalls };

const complete = { state: "complete" } as const;

describe("complete", () => {
  cell("stream, usage present", { stream: true }, [streamWith(usageEvent())], { ...complete, ...exact });
  cell("whole, usage present", { stream: false }, [wholeWith(usage)], { ...complete, ...exact });
  const zero = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  cell("stream, zeros alone", { stream: true }, [streamWith(usageEvent(zero))], {
    ...complete,
    ...estimated,
  });
  cell("whole, zeros alone", { stream: false }, [wholeWith(zero)], { ...complete, ...estimated });
  const unread = { ...zero, prompt_tokens: 10, total_tokens: 10 };
  const promptOnly = { ...complete, source: "exact", charge: cost(10, 0) } as const;
  cell("stream, one of them zero", { stream: true }, [streamWith(usageEvent(unread))], promptOnly);
  cell("whole, one of them zero", { stream: false }, [wholeWith(unread)], promptOnly);
  cell("stream, usage absent", { stream: true }, [streamWith()], { ...complete, ...estimated });
  const overfull = { ...usage, prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 5 } };
  cell(
    "stream, more read and written than the prompt holds: cut down to it, and flagged",
    { stream: true },
    [streamWith(usageEvent(overfull))],
    { ...complete, source: "estimated", charge: exact.charge },
  );
  cell("whole, usage absent", { stream: false }, [wholeWith(undefined)], { ...complete, ...estimated });
  for (const [name, value] of nonsense) {
    const expected = { ...complete, ...estimated };
    cell(`stream, usage ${name}`, { stream: true }, [streamWith(usageEvent(value))], expected);
    cell(`whole, usage ${name}`, { stream: false }, [wholeWith(value)], expected);
  }
  const more = { prompt_tokens: 10, completion_tokens: 50, total_tokens: 60 };
  cell("usage twice: the last", { stream: true }, [streamWith(usageEvent(more), usageEvent())], {
    ...complete,
    ...exact,
  });
  const growing = words.map((event, index) =>
    withUsage(event, { prompt_tokens: 10, completion_tokens: index, total_tokens: 10 + index }),
  );
  cell(
    "usage with every chunk: the last",
    { stream: true },
    [{ events: [role, ...growing, finish, usageEvent(), "[DONE]"] }],
    { ...complete, ...exact },
  );
  cell(
    "usage twice, the last one nonsense: the last one that can be true",
    { stream: true },
    [streamWith(usageEvent(), usageEvent(nonsense[0]?.[1]))],
    { ...complete, ...exact },
  );
  cell("a free model", { model: "free", stream: true }, [streamWith(usageEvent())], {
    ...complete,
    source: "exact",
    charge: "0.00",
  });
  cell(
    "tool calls count as output where usage is absent",
    { stream: false },
    [{ body: { choices: [{ index: 0, message: toolMessage, finish_reason: "tool_calls" }] } }],
    { ...complete, source: "estimated", charge: cost(promptTokens, 5) },
  );
});

describe("the caller left", () => {
  /** A stream that pauses at `at` until `go` is called. */
  function gated(at: number, end: readonly unknown[] = [usageEvent()]) {
    const { promise, resolve: go } = Promise.withResolvers<void>();
    const events: unknown[] = [role, ...words, finish, ...end, "[DONE]"];
    return { answer: { events: events.toSpliced(at, 0, promise) }, go };
  }
  const left = { state: "aborted", outcomes: ["caller_left"] } as const;

  for (const stream of [true, false]) {
    const kind = stream ? "stream" : "whole";
    for (const model of ["stop", "finish"]) {
      test(`${kind}, before the upstream's head, ${model}`, async () => {
        const had = await balance();
        const gate = Promise.withResolvers<void>();
        const body = stream ? streamWith(usageEvent()) : wholeWith(usage);
        first.answerWith({ ...body, after: gate.promise });
        await ask({ model, stream, leaveAfter: first.called(1) });
        await app.callersGone();
        if (model === "stop") await first.calls[0]?.cancelled;
        gate.resolve();
        check(await newest(had), { ...left, status: 499, ...(model === "stop" ? nothing : exact) });
      });
    }
  }
  for (const model of ["stop", "finish"]) {
    const isStop = model === "stop";
    test(`before the first token, ${model}`, async () => {
      const had = await balance();
      const { answer, go } = gated(1);
      first.answerWith(answer);
      await ask({ model, stream: true, leaveAfter: first.called(1).then(() => pause(20)) });
      await app.callersGone();
      if (isStop) await first.calls[0]?.cancelled;
      go();
      check(await newest(had), { ...left, status: 499, ...(isStop ? nothing : exact) });
    });
    test(`mid-stream, ${model}`, async () => {
      const had = await balance();
      const { answer, go } = gated(4);
      first.answerWith(answer);
      await ask({ model, stream: true, leaveAt: "six" });
      await app.callersGone();
      if (isStop) await first.calls[0]?.cancelled;
      go();
      check(await newest(had), { ...left, ...(isStop ? estimated : exact) });
    });
    test(`after the finish reason, before usage, ${model}`, async () => {
      const had = await balance();
      const { answer, go } = gated(5);
      first.answerWith(answer);
      await ask({ model, stream: true, leaveAt: '"finish_reason":"stop"' });
      await app.callersGone();
      if (isStop) await first.calls[0]?.cancelled;
      go();
      check(await newest(had), { ...left, ...(isStop ? estimated : exact) });
    });
    test(`when usage was there already, ${model}`, async () => {
      const had = await balance();
      const { answer, go } = gated(5, []);
      const events = answer.events.map((event) => (event === finish ? withUsage(finish, usage) : event));
      first.answerWith({ events });
      await ask({ model, stream: true, leaveAt: '"finish_reason":"stop"' });
      await app.callersGone();
      if (isStop) await first.calls[0]?.cancelled;
      go();
      check(await newest(had), { ...left, ...exact });
    });
  }
  test("finish, and the upstream breaks before content: nothing, and no other is asked", async () => {
    const had = await balance();
    const gate = Promise.withResolvers<void>();
    first.answerWith({ status: 500, body: "{}", after: gate.promise });
    await ask({ model: "finish", stream: true, leaveAfter: first.called(1) });
    await app.callersGone();
    gate.resolve();
    const expected = { ...nothing, status: 499, errorCode: "upstream_error", outcomes: ["failed"] };
    check(await newest(had), { state: "aborted", ...expected });
    assert.equal(first.calls.length, 1);
  });
  test("finish, and the upstream breaks after content: what there was, estimated", async () => {
    const had = await balance();
    const { promise, resolve: go } = Promise.withResolvers<void>();
    first.answerWith({ events: [role, ...words, promise], ending: "cut" });
    await ask({ model: "finish", stream: true, leaveAt: "six" });
    await app.callersGone();
    go();
    const expected = { errorCode: "upstream_error", outcomes: ["failed"], ...estimated };
    check(await newest(had), { state: "aborted", ...expected });
  });
  test("after the end: complete", async () => {
    const had = await balance();
    first.answerWith(streamWith(usageEvent()));
    await ask({ stream: true, leaveAt: "[DONE]" });
    check(await newest(had), { ...complete, ...exact });
  });
});

describe("the upstream failed", () => {
  const failed = { state: "failed", ...nothing, outcomes: ["failed"] } as const;
  const broken = { status: 502, errorCode: "upstream_error" } as const;
  const cut = { state: "incomplete", errorCode: "upstream_error", outcomes: ["cut"] } as const;
  for (const stream of [true, false]) {
    const kind = stream ? "stream" : "whole";
    cell(`${kind}, status 500`, { stream }, [{ status: 500, body: openaiError("no") }], {
      ...failed,
      ...broken,
      outcomes: ["failed", "failed"],
    });
    cell(`${kind}, refused`, { stream }, [{ status: 400, body: openaiError("bad") }], {
      ...failed,
      status: 400,
      errorCode: "invalid_request",
      outcomes: ["refused"],
    });
    cell(`${kind}, its quota is used up`, { stream }, [{ status: 402, body: openaiError("pay") }], {
      ...failed,
      status: 503,
      errorCode: "no_available_upstream",
    });
  }
  cell("whole, cut in the body", { stream: false }, [{ body: '{"choices":[', ending: "cut" }], {
    ...failed,
    ...broken,
    outcomes: ["failed", "failed"],
  });
  cell("cut before content", { stream: true }, [{ events: [role], ending: "cut" }], {
    ...failed,
    ...broken,
    outcomes: ["failed", "failed"],
  });
  cell(
    "an error event before content, with usage: what it used is the operator's",
    { stream: true },
    [{ events: [usageEvent(), openaiError("no", { type: "server_error" })] }],
    { ...failed, ...broken },
  );
  cell("silence before content", { model: "hurried", stream: true }, [{ events: [], ending: "hang" }], {
    ...failed,
    status: 504,
    errorCode: "upstream_timeout",
    outcomes: ["timeout"],
  });
  cell("cut after content", { stream: true }, [{ events: [role, ...words], ending: "cut" }], {
    ...cut,
    ...estimated,
  });
  cell(
    "cut after content and usage",
    { stream: true },
    [{ events: [role, ...words, usageEvent()], ending: "cut" }],
    { ...cut, ...exact },
  );
  cell(
    "an error event after content: its text is no output",
    { stream: true },
    [{ events: [role, ...words, openaiError("x".repeat(4_000), { type: "server_error" })] }],
    { ...cut, ...estimated },
  );
  cell("no [DONE]", { stream: true }, [{ events: [role, ...words, finish] }], { ...cut, ...estimated });
  cell(
    "silence after content",
    { model: "hurried", stream: true },
    [{ events: [role, ...words], ending: "hang" }],
    { ...cut, errorCode: "upstream_timeout", ...estimated },
  );
});

describe("retries and fallbacks: only the attempt that answered is charged", () => {
  const answer = streamWith(usageEvent());
  cell("the same deployment again", { stream: true }, [{ events: [role], ending: "cut" }, answer], {
    ...complete,
    ...exact,
    outcomes: ["failed", "answered"],
  });
  cell(
    "another deployment, after one that used tokens",
    { model: "two", stream: true },
    [{ events: [usageEvent(), openaiError("no", { type: "server_error" })] }],
    { ...complete, ...exact, outcomes: ["failed", "answered"] },
    [answer],
  );
  test("what the others used is on record for the operator", async () => {
    const row = await app.newestRow(account.accountId, rows);
    assert.deepEqual(row.attemptLog?.[0]?.usage, { input: 10, output: 5 });
    assert.equal(row.attemptLog?.[1]?.usage, undefined);
  });
  cell(
    "all fail",
    { model: "two", stream: false },
    [{ status: 500, body: openaiError("no") }],
    {
      state: "failed",
      ...nothing,
      status: 429,
      errorCode: "rate_limit_exceeded",
      outcomes: ["failed", "rate_limited"],
    },
    [{ status: 429, body: openaiError("slow down") }],
  );
});

describe("money that is not there", () => {
  test("refused before any upstream: nothing", async () => {
    const poor = await app.newAccount("0.000001");
    first.answerWith(streamWith(usageEvent()));
    const seen = await post({
      url: app.chatUrl,
      key: poor.key,
      body: JSON.stringify({ model: "stop", messages, stream: true }),
    });
    assert.equal(seen.status, 402);
    assert.equal(first.calls.length, 0);
    const row = await app.newestRow(poor.accountId, 1);
    assert.deepEqual([row.state, row.errorCode, row.charge], ["failed", "insufficient_balance", 0n]);
  });
  test("more was used than was set aside and is there: the operator bears the rest", async () => {
    const poor = await app.newAccount("0.0001");
    const much = { prompt_tokens: 10, completion_tokens: 100, total_tokens: 110 };
    first.answerWith(wholeWith(much));
    const seen = await post({
      url: app.chatUrl,
      key: poor.key,
      body: JSON.stringify({ model: "small", messages }),
    });
    assert.equal(seen.headers["x-plaza-charge"], "0.00021");
    const { id, loss } = await app.newestRow(poor.accountId, 1);
    const shown = await get(`${app.origin}/v1/requests/${id}`, { authorization: `Bearer ${poor.key}` });
    const request = JSON.parse(shown.text) as RequestObject;
    assert.deepEqual([request.charge, request.covered_by_operator], ["0.00021", "0.00011"]);
    assert.equal(loss, parseUsd("0.00011"));
    assert.equal((await app.store.findAccount(poor.accountId))?.balance, 0n);
  });
});

test("a crash of ours between the upstream's end and the settlement: nothing, and no end of the answer", async (t) => {
  const isAsked = Promise.withResolvers<void>();
  const crashing = await startApp({
    catalog: {
      upstreams: [upstreamAt("main", first.baseUrl)],
      models: [modelOn("stop", ["main"])],
      limits: {},
    },
    // A process that dies before its commit: its writes are never executed.
    before: (store) =>
      new Proxy(store, {
        get(target, name: keyof typeof store) {
          if (name !== "recordRequest") return target[name];
          return () => {
            isAsked.resolve();
            return new Promise(() => {});
          };
        },
      }),
    env: { PLAZA_DRAIN_MS: "0" },
  });
  t.after(() => crashing.stop());
  const caller = await crashing.newAccount("1");
  first.answerWith(streamWith(usageEvent()));
  const body = JSON.stringify({ model: "stop", messages, stream: true });
  let text = "";
  const seen = post({
    url: crashing.chatUrl,
    key: caller.key,
    body,
    headers: { "idempotency-key": "crash" },
    onArrival: ({ bytes }, call) => {
      text += bytes.toString("utf8");
      if (text.includes("six")) void isAsked.promise.then(() => call.destroy());
    },
  });
  await seen;
  assert.match(text, /one/);
  assert.doesNotMatch(text, /DONE/);
  const holders = new DatabaseSync(crashing.file, { readOnly: true });
  const holder = String(holders.prepare("select id from holders").get()?.["id"]);
  holders.close();
  const claim = { accountId: caller.accountId, key: "crash", fingerprint: "other", requestId: "req_next" };
  await crashing.store.openHolder("next");
  const next = { ...claim, holderId: "next", expiresAt: Date.now() + 60_000 };
  assert.equal((await crashing.store.claimIdempotencyKey(next)).kind, "other_body");
  assert.ok(((await crashing.store.findAccount(caller.accountId))?.leased ?? 0n) > 0n);
  // Does what the sweep does after the dead process's expiry.
  await crashing.store.closeHolder(holder);
  const account = await crashing.store.findAccount(caller.accountId);
  assert.deepEqual([account?.balance, account?.leased], [parseUsd("1"), 0n]);
  assert.deepEqual(await crashing.store.listRequests({ accountId: caller.accountId, limit: 10 }), []);
  assert.equal((await crashing.store.claimIdempotencyKey(next)).kind, "claimed");
});

test("afterwards nothing is held", async () => {
  const isFree = async () => (await app.store.findAccount(account.accountId))?.leased === 0n;
  assert.ok(await eventually(isFree, 10_000), "leases never went back");
});
