/**
 * The Idempotency-Key end to end: repeating a call returns the same bytes and is charged once, however the
 * first attempt ended; calls that failed before content may be repeated under the same key; no key stays
 * claimed without reason.
 */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { nanoUsd, parseUsd } from "@plaza/contract/money.ts";
import type { Store } from "../../../server/src/store/store.ts";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { assertErrorBody, isFinished } from "../harness/caller.ts";
import { chunk, completion, openaiError } from "../harness/openai-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

let upstream: ScriptedUpstream;
let other: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;
/** Store methods that fail, by name. */
const broken = new Set<keyof Store>();
/** Store methods that are executed, but whose result is lost. */
const lost = new Set<keyof Store>();
let keys = 0;
const newKey = (): string => `key-${++keys}`;

before(async () => {
  upstream = await startScriptedUpstream();
  other = await startScriptedUpstream();
  app = await startApp({
    catalog: {
      upstreams: [upstreamAt("main", upstream.baseUrl), upstreamAt("other", other.baseUrl)],
      models: [
        modelOn("priced", ["main"]),
        modelOn("free", ["main"], { price: { input: nanoUsd(0n), output: nanoUsd(0n) } }),
        modelOn("two", ["main", "other"]),
        modelOn("backed", ["other"], { fallbacks: ["free"] }),
      ],
      limits: {},
    },
    env: { PLAZA_IDEMPOTENCY_BYTES_MAX: "4KiB" },
    before: (store) =>
      new Proxy(store, {
        get(target, name: keyof Store) {
          const failure = () => Promise.reject(new Error("the disk is gone"));
          if (broken.has(name)) return failure;
          if (!lost.has(name)) return target[name];
          const method = target[name] as (...args: unknown[]) => Promise<unknown>;
          return (...args: unknown[]) => method(...args).then(failure);
        },
      }),
  });
  account = await app.newAccount("100");
});
after(async () => {
  await app?.stop();
  await upstream?.stop();
  await other?.stop();
});

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const charge = parseUsd("0.00002");
const messages = [{ role: "user", content: "hello" }];
const words = ["one", " two", " six"].map((content) => chunk({ content }));
const role = chunk({ role: "assistant", content: "" });
const ending = [chunk({}, "stop"), { ...chunk({}), choices: [], usage }, "[DONE]"];
const stream = { events: [role, ...words, ...ending] };
const whole = { body: { ...completion({ message: { content: "héllo" } }), usage } };

interface Asked {
  readonly key: string;
  readonly model?: string;
  readonly stream?: boolean;
  readonly more?: Readonly<Record<string, unknown>>;
  readonly from?: TestAccount;
  /** Disconnects when this text has arrived. */
  readonly leaveAt?: string;
  /** Disconnects when this resolves. */
  readonly leaveAfter?: Promise<unknown>;
}

function ask(asked: Asked): Promise<Seen> {
  const { key, model = "priced", more, from = account, leaveAt, leaveAfter } = asked;
  let text = "";
  return post({
    url: app.chatUrl,
    key: from.key,
    headers: { "idempotency-key": key },
    body: JSON.stringify({ model, messages, stream: asked.stream ?? false, ...more }),
    onRequest: (call) => void leaveAfter?.then(() => call.destroy()),
    onArrival: ({ bytes }, call) => {
      text += bytes.toString("utf8");
      if (leaveAt !== undefined && text.includes(leaveAt)) call.destroy();
    },
  });
}

const balance = async (of = account): Promise<bigint> =>
  (await app.store.findAccount(of.accountId))?.balance ?? -1n;

const rowOf = async (seen: Seen) =>
  (await app.store.findRequest(String(seen.headers["x-request-id"])))?.request;

function assertRefused(seen: Seen, status: number, code: string, shouldRetry: boolean, param?: string): void {
  assert.equal(seen.status, status, seen.body.toString("utf8"));
  assertErrorBody(seen.body.toString("utf8"), { code, param });
  assert.equal(seen.headers["x-should-retry"], String(shouldRetry));
}

/** `again` equals `first` and is marked as a replay. */
function assertReplay(first: Seen, again: Seen): void {
  assert.equal(again.status, first.status);
  assert.deepEqual(again.body, first.body);
  for (const name of ["content-type", "cache-control", "x-accel-buffering", "x-plaza-charge"]) {
    assert.equal(again.headers[name], first.headers[name], name);
  }
  assert.equal(first.headers["idempotent-replayed"], undefined);
  assert.equal(again.headers["idempotent-replayed"], "true");
  assert.equal(again.headers["x-plaza-original-request"], first.headers["x-request-id"]);
  assert.notEqual(again.headers["x-request-id"], first.headers["x-request-id"]);
}

/** Number of keys of running requests, read from the store. */
function inFlight(): number {
  const database = new DatabaseSync(app.file, { readOnly: true });
  const row = database
    .prepare("select count(*) as n from idempotency_keys where holder_id is not null")
    .get();
  database.close();
  return Number(row?.["n"]);
}

const retryAfterMs = (seen: Seen): number => Number(seen.headers["retry-after"]) * 1_000;

/** Repeats a call until the original has ended. */
async function settled(asked: Asked): Promise<Seen> {
  let seen = await ask(asked);
  await eventually(async () => {
    if (seen.status !== 409) return true;
    seen = await ask(asked);
    return false;
  }, 10_000);
  return seen;
}

describe("the same call again", () => {
  for (const [name, asked, answer] of [
    ["whole", {}, whole],
    ["streamed", { stream: true }, stream],
    ["free of charge", { model: "free" }, whole],
    ["clamped", { more: { max_tokens: 5 } }, whole],
  ] as const) {
    test(`${name}: the same bytes, paid once, called once`, async () => {
      upstream.answerWith(answer);
      const had = await balance();
      const key = newKey();
      const first = await ask({ key, ...asked });
      assert.equal(first.status, 200, first.body.toString("utf8"));
      const again = await ask({ key, ...asked });
      const third = await ask({ key, ...asked });
      assertReplay(first, again);
      assertReplay(first, third);
      assert.equal(upstream.calls.length, 1);
      const paid = name === "free of charge" ? 0n : charge;
      assert.equal(had - (await balance()), paid);
      assert.equal((await rowOf(first))?.charge, paid);
      const row = await rowOf(again);
      assert.deepEqual(
        [row?.state, row?.status, row?.charge, row?.attempts, row?.usageSource, row?.priceId],
        ["complete", 200, 0n, 0, "none", null],
      );
    });
  }
  test("a stream ends as a stream", async () => {
    upstream.answerWith(stream);
    const key = newKey();
    await ask({ key, stream: true });
    const again = await ask({ key, stream: true });
    assert.match(String(again.headers["content-type"]), /^text\/event-stream/);
    assert.ok(isFinished(again.body.toString("utf8")));
  });
  test("the clamp of a small balance is told again", async () => {
    const poor = await app.newAccount("0.001");
    upstream.answerWith(whole);
    const key = newKey();
    const first = await ask({ key, from: poor });
    const again = await ask({ key, from: poor });
    assert.match(String(first.headers["x-plaza-max-tokens"]), /^\d+$/);
    assert.equal(again.headers["x-plaza-max-tokens"], first.headers["x-plaza-max-tokens"]);
    assertReplay(first, again);
  });
  test("another account's key of the same name is another key", async () => {
    const stranger = await app.newAccount("1");
    upstream.answerWith(whole);
    const key = newKey();
    await ask({ key });
    const seen = await ask({ key, from: stranger });
    assert.equal(seen.headers["idempotent-replayed"], undefined);
    assert.equal(upstream.calls.length, 2);
  });
});

test("the same call at the same time: one goes on, the others wait", async () => {
  const gate = Promise.withResolvers<void>();
  upstream.answerWith({ ...stream, after: gate.promise });
  const had = await balance();
  const key = newKey();
  const first = ask({ key, stream: true });
  await upstream.called(1);
  const others = await Promise.all(Array.from({ length: 10 }, () => ask({ key, stream: true })));
  for (const seen of others) {
    assertRefused(seen, 409, "idempotency_in_flight", true);
    assert.ok(retryAfterMs(seen) > 0);
  }
  // The first refusals of a minute have their own rows.
  const rows = (await Promise.all(others.map(rowOf))).filter((row) => row !== undefined);
  assert.ok(rows.length > 0 && rows.every((row) => row.charge === 0n));
  gate.resolve();
  const seen = await first;
  assertReplay(seen, await ask({ key, stream: true }));
  assert.equal(upstream.calls.length, 1);
  assert.equal(had - (await balance()), charge);
});

test("another body under the same key is refused, also while the first is under way", async () => {
  const gate = Promise.withResolvers<void>();
  upstream.answerWith({ ...whole, after: gate.promise });
  const key = newKey();
  const first = ask({ key });
  await upstream.called(1);
  assertRefused(await ask({ key, more: { temperature: 0 } }), 422, "idempotency_key_reused", false);
  gate.resolve();
  await first;
  assertRefused(await ask({ key, more: { temperature: 0 } }), 422, "idempotency_key_reused", false);
  assert.equal(upstream.calls.length, 1);
});

describe("keys that are none", () => {
  for (const [name, key] of [
    ["empty", ""],
    ["a space within", "a b"],
    ["too long", "k".repeat(256)],
    ["not ASCII", "sch\u00f6n"],
  ] as const) {
    test(name, async () => {
      upstream.answerWith(whole);
      const seen = await ask({ key });
      assertRefused(seen, 400, "invalid_request", false);
      assert.match(seen.body.toString("utf8"), /Idempotency-Key/);
      assert.equal(upstream.calls.length, 0);
    });
  }
  test("the longest one is one", async () => {
    upstream.answerWith(whole);
    assert.equal((await ask({ key: "~".repeat(255) })).status, 200);
  });
});

describe("the caller leaves", () => {
  test("mid-stream: the answer is finished and waits for the next try", async () => {
    const { promise, resolve: go } = Promise.withResolvers<void>();
    upstream.answerWith({ events: [role, ...words, promise, ...ending] });
    const had = await balance();
    const key = newKey();
    const first = await ask({ key, stream: true, leaveAt: "six" });
    await app.callersGone();
    assertRefused(await ask({ key, stream: true }), 409, "idempotency_in_flight", true);
    go();
    const again = await settled({ key, stream: true });
    assert.equal(again.status, 200);
    assert.equal(upstream.calls.length, 1);
    upstream.answerWith(stream);
    const stayed = await ask({ key: newKey(), stream: true });
    assert.deepEqual(again.body.toString("utf8"), stayed.body.toString("utf8"));
    assert.equal(had - (await balance()), 2n * charge);
    const row = await rowOf(first);
    assert.deepEqual([row?.state, row?.usageSource, row?.charge], ["aborted", "exact", charge]);
  });
  for (const asked of [{ stream: true }, {}]) {
    test(`before the head, ${"stream" in asked ? "streamed" : "whole"}`, async () => {
      const gate = Promise.withResolvers<void>();
      upstream.answerWith({ ...("stream" in asked ? stream : whole), after: gate.promise });
      const had = await balance();
      const key = newKey();
      await ask({ key, ...asked, leaveAfter: upstream.called(1) });
      await app.callersGone();
      gate.resolve();
      const again = await settled({ key, ...asked });
      assert.equal(again.status, 200);
      assert.equal(again.headers["idempotent-replayed"], "true");
      assert.equal(upstream.calls.length, 1);
      assert.equal(had - (await balance()), charge);
    });
  }
  test("another deployment is still tried", async () => {
    const gate = Promise.withResolvers<void>();
    upstream.answerWith({ status: 500, body: openaiError("no"), after: gate.promise });
    other.answerWith(stream);
    const key = newKey();
    await ask({ key, model: "two", stream: true, leaveAfter: upstream.called(1) });
    await app.callersGone();
    gate.resolve();
    const again = await settled({ key, model: "two", stream: true });
    assert.ok(isFinished(again.body.toString("utf8")));
    assert.equal(again.headers["idempotent-replayed"], "true");
    assert.equal(other.calls.length, 1);
  });
});

test("a cut stream was charged: it is given again as it was, its error included", async () => {
  upstream.answerWith({ events: [role, ...words], ending: "cut" }, stream);
  const key = newKey();
  const first = await ask({ key, stream: true });
  const had = await balance();
  const text = first.body.toString("utf8");
  assert.match(text, /"code":"upstream_error"/);
  assert.ok(!isFinished(text));
  assertReplay(first, await ask({ key, stream: true }));
  assert.equal(upstream.calls.length, 1);
  assert.equal(await balance(), had);
});

test("a cut stream that cost nothing gives the key free", async () => {
  upstream.answerWith({ events: [role, ...words], ending: "cut" }, stream);
  const key = newKey();
  await ask({ key, model: "free", stream: true });
  const again = await ask({ key, model: "free", stream: true });
  assert.ok(isFinished(again.body.toString("utf8")));
  assert.equal(upstream.calls.length, 2);
});

describe("what failed before content gives the key free", () => {
  for (const asked of [{ stream: true }, {}]) {
    const kind = "stream" in asked ? "streamed" : "whole";
    test(`the upstream failed, ${kind}`, async () => {
      const broken = { status: 500, body: openaiError("no") };
      upstream.answerWith(broken, broken, "stream" in asked ? stream : whole);
      const had = await balance();
      const key = newKey();
      assert.equal((await ask({ key, ...asked })).status, 502);
      const again = await ask({ key, ...asked });
      assert.equal(again.status, 200);
      assert.equal(again.headers["idempotent-replayed"], undefined);
      assertReplay(again, await ask({ key, ...asked }));
      assert.equal(upstream.calls.length, 3);
      assert.equal(had - (await balance()), charge);
    });
  }
  test("the balance was too low", async () => {
    const poor = await app.newAccount("0.000001");
    upstream.answerWith(whole);
    const key = newKey();
    assertRefused(await ask({ key, from: poor }), 402, "insufficient_balance", false);
    await app.store.addEntry({ accountId: poor.accountId, kind: "topup", amount: parseUsd("1") });
    await eventually(async () => (await ask({ key, from: poor })).status === 200, 5_000);
    assert.equal(upstream.calls.length, 1);
  });
  test("the request was not valid: nothing was claimed", async () => {
    upstream.answerWith(whole);
    const key = newKey();
    assert.equal((await ask({ key, more: { n: "two" } })).status, 400);
    assert.equal((await ask({ key, model: "nope" })).status, 404);
    assert.equal((await ask({ key })).status, 200);
  });
});

describe("answers too large to be kept", () => {
  const long = "x".repeat(5_000);
  for (const [name, asked, answer] of [
    ["whole", {}, { body: { ...completion({ message: { content: long } }), usage } }],
    ["streamed", { stream: true }, { events: [role, chunk({ content: long }), ...ending] }],
  ] as const) {
    test(`${name}: paid once, and not given again`, async () => {
      upstream.answerWith(answer);
      const had = await balance();
      const key = newKey();
      const first = await ask({ key, ...asked });
      assert.ok(first.body.toString("utf8").includes(long));
      const again = await ask({ key, ...asked });
      assertRefused(again, 409, "idempotency_answer_not_kept", false);
      assert.ok(again.body.toString("utf8").includes(String(first.headers["x-request-id"])));
      assertRefused(await ask({ key, more: { n: 1 } }), 422, "idempotency_key_reused", false);
      assert.equal(upstream.calls.length, 1);
      assert.equal(had - (await balance()), charge);
    });
  }
});

describe("the store is lost", () => {
  test("at the claim: 503, and no upstream is called", async () => {
    upstream.answerWith(whole);
    broken.add("claimIdempotencyKey");
    const key = newKey();
    const seen = await ask({ key });
    broken.clear();
    assertRefused(seen, 503, "ledger_unavailable", true);
    assert.equal(upstream.calls.length, 0);
    assert.equal((await ask({ key })).status, 200);
  });
  test("a claim whose news was lost does not stay", async () => {
    upstream.answerWith(whole);
    lost.add("claimIdempotencyKey");
    const key = newKey();
    assertRefused(await ask({ key }), 503, "ledger_unavailable", true);
    lost.clear();
    assert.equal((await settled({ key })).status, 200);
    assert.equal(upstream.calls.length, 1);
  });
  for (const asked of [{ stream: true }, {}]) {
    const kind = "stream" in asked ? "streamed" : "whole";
    test(`at the settlement, ${kind}: the caller gets no end, pays nothing, and may try again`, async () => {
      upstream.answerWith("stream" in asked ? stream : whole);
      const had = await balance();
      const key = newKey();
      broken.add("recordRequest");
      const seen = await ask({ key, ...asked });
      broken.clear();
      assert.match(seen.body.toString("utf8"), /"code":"ledger_unavailable"/);
      assert.ok(!isFinished(seen.body.toString("utf8")));
      assert.equal(await balance(), had);
      const again = await settled({ key, ...asked });
      assert.equal(again.status, 200);
      assert.equal(upstream.calls.length, 2);
      assert.equal(had - (await balance()), charge);
    });
  }
  test("a claim that could not be given back at once is given back later", async () => {
    upstream.answerWith({ status: 500, body: openaiError("no") }, whole);
    const key = newKey();
    broken.add("recordRequest").add("dropIdempotencyClaim");
    await ask({ key });
    broken.clear();
    assertRefused(await ask({ key }), 409, "idempotency_in_flight", true);
    assert.equal((await settled({ key })).status, 200);
  });
});

describe("whose answers are given again, and how often", () => {
  test("a repeated answer counts as a request of its key's, and uses none of its tokens", async () => {
    upstream.answerWith(whole);
    const from = await app.newKey(account, { requestsPerMinute: 3, tokensPerMinute: 2_000 });
    const key = newKey();
    const more = { max_tokens: 1_000 };
    const first = await ask({ key, from, more });
    assertReplay(first, await ask({ key, from, more }));
    assertReplay(first, await ask({ key, from, more }));
    const refused = await ask({ key, from, more });
    assertRefused(refused, 429, "rate_limit_exceeded", true);
    assert.equal((await rowOf(refused))?.charge, 0n);
    assert.equal(upstream.calls.length, 1);
  });
  for (const kind of ["requestsPerMinute", "tokensPerMinute", "concurrency"] as const) {
    test(`a key whose ${kind} is 0 gets nothing`, async () => {
      upstream.answerWith(whole);
      const key = newKey();
      await ask({ key });
      const from = await app.newKey(account, { [kind]: 0 });
      assertRefused(await ask({ key, from }), 429, "rate_limit_exceeded", false);
    });
  }
  test("another key of the account gets it, and pays nothing: keys are rotated", async () => {
    upstream.answerWith(whole);
    const key = newKey();
    const first = await ask({ key });
    const had = await balance();
    const from = await app.newKey(account, { models: ["priced"] });
    assertReplay(first, await ask({ key, from }));
    assert.equal(await balance(), had);
  });
  test("a key that may not use the model asked for does not", async () => {
    upstream.answerWith(whole);
    const key = newKey();
    await ask({ key });
    const from = await app.newKey(account, { models: ["free"] });
    assertRefused(await ask({ key, from }), 403, "model_not_allowed", false, "model");
  });
  for (const asked of [{ stream: true }, {}]) {
    test(`nor one that may not use the model that took its place, ${"stream" in asked ? "streamed" : "whole"}`, async () => {
      const broken = { status: 500, body: openaiError("no") };
      other.answerWith(broken);
      upstream.answerWith("stream" in asked ? stream : whole);
      const key = newKey();
      const first = await ask({ key, model: "backed", ...asked });
      assert.equal(first.headers["x-plaza-model"], "free");
      const narrow = await app.newKey(account, { models: ["backed"] });
      assertRefused(
        await ask({ key, model: "backed", from: narrow, ...asked }),
        403,
        "model_not_allowed",
        false,
        "model",
      );
      const wide = await app.newKey(account, { models: ["backed", "free"] });
      assertReplay(first, await ask({ key, model: "backed", from: wide, ...asked }));
    });
  }
});

test("a process that was thought dead claims under its new name", async () => {
  const database = new DatabaseSync(app.file, { readOnly: true });
  const holder = String(database.prepare("select id from holders").get()?.["id"]);
  database.close();
  await app.store.closeHolder(holder);
  const gate = Promise.withResolvers<void>();
  upstream.answerWith({ ...whole, after: gate.promise });
  const key = newKey();
  const call = ask({ key });
  await upstream.called(1);
  // A claim under the old holder id could be taken by any process, since that holder is closed.
  assertRefused(await ask({ key }), 409, "idempotency_in_flight", true);
  gate.resolve();
  const first = await call;
  assert.equal(first.status, 200, first.body.toString("utf8"));
  assertReplay(first, await ask({ key }));
  assert.equal(upstream.calls.length, 1);
});

test("no key stays taken", () => {
  assert.equal(inFlight(), 0);
});
