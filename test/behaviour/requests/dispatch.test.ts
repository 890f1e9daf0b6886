/**
 * Calls whose first attempt fails or is slow: retries, other deployments, fallback models, hedging and
 * queues. Checks the caller's answer, the upstreams' requests, the record and the charge.
 */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { defaultTimeouts, type Model, type Price, type Upstream } from "@plaza/contract/catalog.ts";
import { parseUsd } from "@plaza/contract/money.ts";
import type { StoredRequest } from "../../../server/src/store/requests/shapes.ts";
import { type Ask, post, type Seen } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { chunk, completion, openaiError } from "../harness/openai-shapes.ts";
import {
  type ScriptedAnswer,
  type ScriptedUpstream,
  startScriptedUpstream,
} from "../harness/scripted-upstream.ts";

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const usageEvent = { ...chunk({}), choices: [], usage };
const role = chunk({ role: "assistant", content: "" });
const whole: ScriptedAnswer = { body: { ...completion({ message: { content: "one" } }), usage } };
const streamed: ScriptedAnswer = {
  events: [role, chunk({ content: "one" }), chunk({}, "stop"), usageEvent, "[DONE]"],
};
const broken: ScriptedAnswer = { status: 500, body: openaiError("no") };
const overloaded: ScriptedAnswer = {
  status: 503,
  body: openaiError("busy", { code: "server_is_overloaded" }),
};
const throttled = (seconds: string): ScriptedAnswer => ({
  status: 429,
  headers: { "retry-after": seconds },
  body: openaiError("slow down", { code: "rate_limit_exceeded" }),
});

/** An app with scripted upstreams `a`, `b`, …, and one account. */
interface Stage {
  readonly app: TestApp;
  readonly account: TestAccount;
  readonly up: readonly [ScriptedUpstream, ScriptedUpstream, ScriptedUpstream];
  ask(body: Record<string, unknown>, more?: Partial<Ask>): Promise<Seen>;
  /** The row of the newest of this many requests. */
  row(count: number): Promise<StoredRequest>;
  balance(): Promise<bigint>;
}

let stop: (() => Promise<void>) | undefined;
afterEach(async () => {
  await stop?.();
  stop = undefined;
});

async function stage(
  models: readonly Model[],
  upstreams: Partial<Upstream> = {},
  balance = "10",
): Promise<Stage> {
  const up = [
    await startScriptedUpstream(),
    await startScriptedUpstream(),
    await startScriptedUpstream(),
  ] as const;
  const list = up.map(({ baseUrl }, index) => upstreamAt("abc"[index] ?? "", baseUrl, upstreams));
  const app = await startApp({ catalog: { upstreams: list, models, limits: {} } });
  stop = async () => {
    await app.stop();
    for (const one of up) await one.stop();
  };
  const account = await app.newAccount(balance);
  return {
    app,
    account,
    up,
    ask: (body, more = {}) =>
      post({
        url: app.chatUrl,
        key: account.key,
        body: JSON.stringify({ messages: [{ role: "user", content: "hello wor" }], ...body }),
        ...more,
      }),
    row: (count) => app.newestRow(account.accountId, count),
    balance: async () => (await app.store.findAccount(account.accountId))?.balance ?? -1n,
  };
}

const codeOf = ({ body }: Seen): unknown =>
  (JSON.parse(body.toString()) as { error: { code: string } }).error.code;
const outcomes = ({ attemptLog }: StoredRequest) =>
  attemptLog?.map(({ upstreamId, fault }) => [upstreamId, fault]);
/** Ten input and five output tokens at 1 and 2 USD, and at ten times that. */
const charge = parseUsd("0.00002");
const dearCharge = parseUsd("0.0002");
const dear: Price = { input: parseUsd("10"), output: parseUsd("20") };

test("a 5xx of the only deployment is tried once more, and the charge is for the one that answered", async () => {
  const { up, ask, row } = await stage([modelOn("m", ["a"])]);
  up[0].answerWith(broken, whole);
  assert.equal((await ask({ model: "m" })).status, 200);
  assert.equal(up[0].calls.length, 2);
  const { attempts, charge: paid, ...rest } = await row(1);
  assert.deepEqual([attempts, paid], [2, charge]);
  assert.deepEqual(outcomes({ attempts, charge: paid, ...rest }), [
    ["a", "server"],
    ["a", null],
  ]);
});

test("an overloaded deployment, and one the caller's request is wrong for, are not asked again", async () => {
  const { up, ask } = await stage([modelOn("m", ["a"]), modelOn("n", ["b", "c"])]);
  up[0].answerWith(overloaded);
  const busy = await ask({ model: "m" });
  assert.deepEqual([busy.status, codeOf(busy), up[0].calls.length], [503, "no_available_upstream", 1]);
  up[1].answerWith({ status: 400, body: openaiError("bad", { code: "invalid_value" }) });
  up[2].answerWith(whole);
  assert.equal((await ask({ model: "n" })).status, 400);
  assert.deepEqual([up[1].calls.length, up[2].calls.length], [1, 0]);
});

test("at most three attempts in all", async () => {
  const { up, ask, row } = await stage([
    modelOn("m", ["a", "b", "c"], { fallbacks: ["n"] }),
    modelOn("n", [], { deployments: [{ upstream: "a", model: "another", priority: 1, weight: 1 }] }),
  ]);
  for (const one of up) one.answerWith(broken);
  const seen = await ask({ model: "m" });
  assert.deepEqual(
    [seen.status, codeOf(seen), seen.headers["x-should-retry"]],
    [502, "upstream_error", "false"],
  );
  assert.deepEqual(
    up.map(({ calls }) => calls.length),
    [1, 1, 1],
  );
  const last = await row(1);
  assert.deepEqual([last.attempts, last.charge, last.modelId], [3, 0n, "m"]);
});

test("a throttled upstream's time reaches the caller, and it is not called before", async () => {
  const { up, ask, row } = await stage([modelOn("m", ["a"])]);
  up[0].answerWith(throttled("37"));
  const first = await ask({ model: "m" });
  assert.deepEqual([first.status, codeOf(first)], [429, "rate_limit_exceeded"]);
  assert.deepEqual([first.headers["retry-after"], first.headers["retry-after-ms"]], ["37", "37000"]);
  const second = await ask({ model: "m" });
  assert.deepEqual(
    [second.status, codeOf(second), second.headers["retry-after"]],
    [429, "rate_limit_exceeded", "37"],
  );
  assert.equal(up[0].calls.length, 1);
  const { attempts, attemptLog, upstreamId, charge: paid } = await row(2);
  assert.deepEqual([attempts, attemptLog, upstreamId, paid], [0, null, null, 0n]);
});

test("an overloaded upstream's time reaches the caller too, as what it is", async () => {
  const { up, ask } = await stage([modelOn("m", ["a"])]);
  up[0].answerWith({ ...overloaded, headers: { "retry-after": "23" } });
  for (let index = 0; index < 2; index += 1) {
    const seen = await ask({ model: "m" });
    assert.deepEqual(
      [seen.status, codeOf(seen), seen.headers["retry-after"]],
      [503, "no_available_upstream", "23"],
    );
  }
  assert.equal(up[0].calls.length, 1);
});

test("when all are throttled the caller is told the soonest time", async () => {
  const { up, ask } = await stage([modelOn("m", ["a", "b"])]);
  up[0].answerWith(throttled("20"));
  up[1].answerWith(throttled("50"));
  assert.equal((await ask({ model: "m" })).headers["retry-after"], "20");
  assert.equal((await ask({ model: "m" })).headers["retry-after"], "20");
  assert.deepEqual([up[0].calls.length, up[1].calls.length], [1, 1]);
});

for (const stream of [false, true]) {
  const kind = stream ? "streamed" : "whole";
  test(`a fallback model takes over at its own price, told in the header, ${kind}`, async () => {
    const { up, ask, row, balance, app } = await stage([
      modelOn("m", ["a"], { fallbacks: ["n"] }),
      modelOn("n", ["b"], { price: dear }),
    ]);
    const had = await balance();
    up[0].answerWith(overloaded);
    up[1].answerWith(stream ? streamed : whole);
    const seen = await ask({ model: "m", stream });
    assert.deepEqual([seen.status, seen.headers["x-plaza-model"]], [200, "n"]);
    if (!stream) assert.equal(seen.headers["x-plaza-charge"], "0.0002");
    const found = await row(1);
    assert.deepEqual([found.modelId, found.charge, found.upstreamId], ["n", dearCharge, "b"]);
    const [failed, served] = found.attemptLog ?? [];
    assert.deepEqual([failed?.fault, failed?.model], ["overloaded", undefined]);
    assert.deepEqual([served?.fault, served?.model, served?.askedModel], [null, "n", "m"]);
    assert.equal(had - (await balance()), dearCharge);
    assert.equal((await app.store.verifyLedger()).isOk, true);
  });
}

test("a model that takes another's place stays within its own limits: beyond them the next one does", async () => {
  const models = [
    modelOn("m", ["a"], { fallbacks: ["n", "o"] }),
    modelOn("n", ["b"], { limits: { requestsPerMinute: 1 } }),
    modelOn("o", ["c"]),
  ];
  const { up, ask } = await stage(models);
  up[0].answerWith(overloaded);
  for (const one of up.slice(1)) one.answerWith(whole);
  const served = [];
  for (let call = 0; call < 3; call += 1) served.push((await ask({ model: "m" })).headers["x-plaza-model"]);
  assert.deepEqual(served, ["n", "o", "o"]);
  assert.equal(up[1].calls.length, 1);
});

test("the caller's own list: cut out of what is sent, first come first, none twice, before the catalog's", async () => {
  const { up, ask, row } = await stage([
    modelOn("m", ["a"], { fallbacks: ["c"] }),
    modelOn("n", ["b"], { price: dear }),
    modelOn("c", ["c"]),
  ]);
  up[0].answerWith(overloaded);
  up[1].answerWith(whole);
  up[2].answerWith(whole);
  const seen = await ask({ model: "m", models: ["m", "n", "n"], user: "u" });
  assert.deepEqual([seen.status, seen.headers["x-plaza-model"]], [200, "n"]);
  const sent = '{"messages":[{"role":"user","content":"hello wor"}],"model":"upstream-model","user":"u"}';
  assert.deepEqual([up[0].calls[0]?.text, up[1].calls[0]?.text, up[2].calls.length], [sent, sent, 0]);
  assert.equal((await row(1)).charge, dearCharge);
});

test("a list alone names the models, and an answer of the first needs no header", async () => {
  const { up, ask, row } = await stage([modelOn("m", ["a"]), modelOn("n", ["b"])]);
  up[0].answerWith(whole);
  const seen = await ask({ models: ["m", "n"] });
  assert.deepEqual([seen.status, seen.headers["x-plaza-model"]], [200, undefined]);
  assert.equal(
    up[0].calls[0]?.text,
    '{"model":"upstream-model","messages":[{"role":"user","content":"hello wor"}]}',
  );
  const { modelId, attemptLog } = await row(1);
  assert.deepEqual([modelId, attemptLog], ["m", null]);
});

test("a list that is none, or names what may not be had, is refused by name", async () => {
  const { ask } = await stage([modelOn("m", ["a"])]);
  const cases: [unknown, number, string][] = [
    ["m", 400, "invalid_request"],
    [{}, 400, "invalid_request"],
    [[7], 400, "invalid_request"],
    [[""], 400, "invalid_request"],
    [["m", null], 400, "invalid_request"],
    [["x".repeat(257)], 400, "invalid_request"],
    [["1", "2", "3", "4", "5", "6", "7", "8", "9"], 400, "invalid_request"],
    [["no-such-model"], 404, "model_not_found"],
  ];
  for (const [models, status, code] of cases) {
    const seen = await ask({ model: "m", models });
    const { error } = JSON.parse(seen.body.toString()) as { error: Record<string, unknown> };
    assert.deepEqual(
      [seen.status, error["code"], error["param"]],
      [status, code, "models"],
      JSON.stringify(models),
    );
  }
  const empty = await ask({ models: [] });
  assert.deepEqual([empty.status, codeOf(empty)], [400, "invalid_request"]);
});

test("the dearest of the models is held; what the balance cannot pay for does not serve", async () => {
  // 10 output tokens: a little over 0.00002 at m, ten thousand times that at n.
  const price: Price = { input: parseUsd("10000"), output: parseUsd("20000") };
  const models = [modelOn("m", ["a"], { fallbacks: ["n"] }), modelOn("n", ["b"], { price })];
  const { up, ask, app } = await stage(models, {}, "0.01");
  up[0].answerWith(whole, overloaded);
  up[1].answerWith(whole);
  assert.equal((await ask({ model: "m", max_tokens: 10 })).status, 200);
  assert.equal((await ask({ model: "m", max_tokens: 10 })).status, 503);
  assert.equal(up[1].calls.length, 0);
  assert.equal((await app.store.verifyLedger()).isOk, true);
});

test("each model's output is cut to what the money pays for at its own price", async () => {
  const models = [modelOn("m", ["a"], { fallbacks: ["n"] }), modelOn("n", ["b"], { price: dear })];
  // A thousand tokens cost 0.002 at m and 0.02 at n.
  const { up, ask } = await stage(models, {}, "0.01");
  up[0].answerWith(overloaded);
  up[1].answerWith(whole);
  const seen = await ask({ model: "m" });
  const sent = up[1].calls[0]?.body["max_tokens"];
  assert.ok(typeof sent === "number" && sent > 256 && sent < 500, String(sent));
  assert.equal(seen.headers["x-plaza-max-tokens"], String(sent));
  assert.equal(up[0].calls[0]?.body["max_tokens"], undefined);
});

const hedged = (more: Partial<Model> = {}): Model =>
  modelOn("m", ["a", "b"], { hedge: { afterMs: 50 }, ...more });

for (const stream of [true, false]) {
  const kind = stream ? "streamed" : "whole";
  test(`a slow first attempt is overtaken: its work is stopped, the winner alone is charged, ${kind}`, async () => {
    const { up, ask, row, balance, app } = await stage([hedged()]);
    const had = await balance();
    // A report of usage without content does not win the hedge.
    up[0].answerWith(
      stream ? { events: [role, usageEvent], ending: "hang" } : { after: new Promise(() => {}) },
    );
    up[1].answerWith(stream ? streamed : whole);
    const seen = await ask({ model: "m", stream });
    assert.deepEqual([seen.status, seen.isWhole], [200, true]);
    if (stream) assert.match(seen.body.toString(), /"one"[\s\S]*\[DONE\]/);
    await (await up[0].called(1)).cancelled;
    const found = await row(1);
    assert.deepEqual(
      [found.attempts, found.charge, found.upstreamId, found.state],
      [2, charge, "b", "complete"],
    );
    assert.deepEqual(outcomes(found), [
      ["a", "superseded"],
      ["b", null],
    ]);
    if (stream) assert.deepEqual(found.attemptLog?.[0]?.usage, { input: 10, output: 5 });
    assert.equal(had - (await balance()), charge);
    assert.equal((await app.store.verifyLedger()).isOk, true);
  });
}

test("the first attempt may still win, and then the second one leaves no trace in the answer", async () => {
  const { up, ask, row } = await stage([hedged()]);
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  up[0].answerWith({ events: [role, begun, ...(streamed.events ?? []).slice(1)] });
  up[1].answerWith({ events: [chunk({ role: "assistant", content: "" })], ending: "hang" });
  const asking = ask({ model: "m", stream: true });
  const second = await up[1].called(1);
  begin();
  const seen = await asking;
  assert.equal(seen.body.toString().match(/"role":"assistant"/g)?.length, 1);
  await second.cancelled;
  assert.deepEqual(outcomes(await row(1)), [
    ["b", "superseded"],
    ["a", null],
  ]);
});

test("a first attempt that begins in time has no second one", async () => {
  const { up, ask, row } = await stage([hedged({ hedge: { afterMs: 5_000 } })]);
  up[0].answerWith(streamed);
  assert.equal((await ask({ model: "m", stream: true })).status, 200);
  const { attempts, attemptLog } = await row(1);
  assert.deepEqual([attempts, attemptLog, up[1].calls.length], [1, null, 0]);
});

test("both of a pair fail: the next deployment is asked", async () => {
  const { up, ask, row } = await stage([modelOn("m", ["a", "b", "c"], { hedge: { afterMs: 50 } })]);
  up[0].answerWith({ ...broken, after: up[1].called(1) });
  up[1].answerWith({ ...broken, after: up[0].called(1) });
  up[2].answerWith(whole);
  assert.equal((await ask({ model: "m" })).status, 200);
  assert.deepEqual((await row(1)).attempts, 3);
});

test("a caller that leaves stops both of a pair", async () => {
  const { up, ask, row } = await stage([hedged()]);
  for (const one of up) one.answerWith({ events: [role], ending: "hang" });
  const asking = ask(
    { model: "m", stream: true },
    { onRequest: (call) => void up[1].called(1).then(() => call.destroy()) },
  );
  const calls = [await up[0].called(1), await up[1].called(1)];
  await Promise.all(calls.map(({ cancelled }) => cancelled));
  await asking;
  const found = await row(1);
  assert.deepEqual([found.state, found.status, found.charge, found.attempts], ["aborted", 499, 0n, 2]);
});

test("an upstream gets as many calls at once as it takes; the others wait in line", async () => {
  const { up, ask } = await stage([modelOn("m", ["a"])], { concurrency: 1 });
  let goOn = (): void => {};
  up[0].answerWith(
    {
      ...whole,
      after: new Promise<void>((resolve) => {
        goOn = resolve;
      }),
    },
    whole,
  );
  const asking = [ask({ model: "m" })];
  await up[0].called(1);
  asking.push(ask({ model: "m" }), ask({ model: "m" }));
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(up[0].calls.length, 1);
  goOn();
  assert.deepEqual(
    (await Promise.all(asking)).map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal(up[0].calls.length, 3);
});

test("a full line is 503 with a time to come back, or the next deployment", async () => {
  const { up, ask, row } = await stage([modelOn("m", ["a"]), modelOn("n", ["a", "b"])], {
    concurrency: 1,
    queue: 0,
  });
  let goOn = (): void => {};
  up[0].answerWith({
    ...whole,
    after: new Promise<void>((resolve) => {
      goOn = resolve;
    }),
  });
  up[1].answerWith(whole);
  const asking = ask({ model: "m" });
  await up[0].called(1);
  const full = await ask({ model: "m" });
  assert.deepEqual(
    [full.status, codeOf(full), full.headers["retry-after"]],
    [503, "no_available_upstream", "1"],
  );
  const { attempts, charge: paid } = await row(1);
  assert.deepEqual([attempts, paid], [0, 0n]);
  assert.equal((await ask({ model: "n" })).status, 200);
  assert.equal(up[1].calls.length, 1);
  goOn();
  assert.equal((await asking).status, 200);
});

test("who leaves the line gives up its turn at once", async () => {
  const { up, ask, row } = await stage([modelOn("m", ["a"])], { concurrency: 1 });
  let goOn = (): void => {};
  up[0].answerWith(
    {
      ...whole,
      after: new Promise<void>((resolve) => {
        goOn = resolve;
      }),
    },
    whole,
  );
  const asking = ask({ model: "m" });
  await up[0].called(1);
  const gone = await ask({ model: "m" }, { onRequest: (call) => void setTimeout(() => call.destroy(), 50) });
  assert.equal(gone.status, 0);
  const left = await row(1);
  assert.deepEqual([left.state, left.status, left.attempts, left.charge], ["aborted", 499, 0, 0n]);
  goOn();
  assert.equal((await asking).status, 200);
  assert.equal((await ask({ model: "m" })).status, 200);
  assert.equal(up[0].calls.length, 2);
});

test("who waits longer than the first token may take is sent away", async () => {
  const timeouts = { ...defaultTimeouts, firstTokenMs: 300 };
  const { up, ask } = await stage([modelOn("m", ["a"])], { concurrency: 1, timeouts });
  let goOn = (): void => {};
  up[0].answerWith(
    {
      ...whole,
      after: new Promise<void>((resolve) => {
        goOn = resolve;
      }),
    },
    whole,
  );
  const asking = ask({ model: "m" });
  await up[0].called(1);
  const late = await ask({ model: "m" });
  assert.deepEqual([late.status, codeOf(late)], [503, "no_available_upstream"]);
  goOn();
  assert.equal((await asking).status, 200);
  assert.equal((await ask({ model: "m" })).status, 200);
  assert.equal(up[0].calls.length, 2);
});

test("a deployment's own timers come before its upstream's", async () => {
  const { up, ask } = await stage([
    modelOn("m", [], {
      deployments: [{ upstream: "a", model: "x", priority: 1, weight: 1, timeouts: { firstTokenMs: 200 } }],
    }),
  ]);
  up[0].answerWith({ events: [], ending: "hang" });
  const seen = await ask({ model: "m", stream: true });
  assert.deepEqual([seen.status, codeOf(seen)], [504, "upstream_timeout"]);
});

test("all attempts together have one time: the smallest total timer", async () => {
  const timeouts = { ...defaultTimeouts, totalMs: 1_500 };
  const { up, ask, row } = await stage([modelOn("m", ["a", "b"])], { timeouts });
  up[0].answerWith({ ...broken, after: new Promise((resolve) => setTimeout(resolve, 1_200)) });
  up[1].answerWith({ after: new Promise(() => {}) });
  const seen = await ask({ model: "m" });
  assert.deepEqual([seen.status, codeOf(seen)], [504, "upstream_timeout"]);
  // With a timeout of its own the second attempt would have had 1,500 ms, not the remaining 300.
  const second = (await row(1)).attemptLog?.[1];
  assert.ok((second?.durationMs ?? 9_999) < 1_400, `${second?.durationMs} ms`);
});

test("when everything fails, attempts stay near the requests", async () => {
  const { up, ask } = await stage([modelOn("m", ["a"])]);
  up[0].answerWith(broken);
  for (let index = 0; index < 60; index += 1) await ask({ model: "m" });
  assert.ok(up[0].calls.length <= 60 + 5 + 4, `${up[0].calls.length} calls for 60 requests`);
});

test("a session stays at one deployment", async () => {
  const deployments = ["a", "b", "c"].map((upstream) => ({ upstream, model: "x", priority: 1, weight: 1 }));
  const { up, ask } = await stage([modelOn("m", [], { deployments })]);
  for (const one of up) one.answerWith(whole);
  for (let index = 0; index < 12; index += 1) await ask({ model: "m", prompt_cache_key: "session" });
  assert.deepEqual(
    up.map(({ calls }) => calls.length).sort((x, y) => x - y),
    [0, 0, 12],
  );
  for (let index = 0; index < 30; index += 1) await ask({ model: "m", prompt_cache_key: `session ${index}` });
  assert.ok(await eventually(async () => up.every(({ calls }) => calls.length > 0), 1_000));
});
