/**
 * Keys that are shut down during calls: the calls end with the error a new call would get, and delivered
 * content is charged. Calls of other keys, and of keys that were only changed, continue. Stalls of the
 * machine do not count.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { parseUsd } from "@plaza/contract/money.ts";
import type { Store } from "../../../server/src/store/store.ts";
import { monotonicMs } from "../../rigs/harness/measure/clock.ts";
import { type StallWatch, startStallWatch } from "../../rigs/harness/measure/stall-watch.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { assertErrorBody, isFinished } from "../harness/caller.ts";
import { assertEndedInTime, type EndingCall, startEndingCall } from "../harness/ending-calls.ts";
import { chunk, completion } from "../harness/openai-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

let upstream: ScriptedUpstream;
let app: TestApp;
let watch: StallWatch;
/** Number of upcoming key lookups that fail. */
let lookupsLost = 0;

before(async () => {
  watch = await startStallWatch();
  upstream = await startScriptedUpstream();
  const { baseUrl } = upstream;
  app = await startApp({
    catalog: {
      upstreams: [
        upstreamAt("main", baseUrl),
        upstreamAt("narrow", baseUrl, { concurrency: 1, queue: 10_000 }),
      ],
      models: [modelOn("priced", ["main"]), modelOn("queued", ["narrow"])],
      limits: {},
    },
    before: (store) =>
      new Proxy(store, {
        get(target, name: keyof Store) {
          if (name !== "findKeyByDigest" || lookupsLost <= 0) return target[name];
          lookupsLost -= 1;
          return () => Promise.reject(new Error("the disk is gone"));
        },
      }),
  });
});
after(async () => {
  await app?.stop();
  await upstream?.stop();
  await watch?.stop();
});

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const role = chunk({ role: "assistant", content: "" });
const words = ["one", " two", " six"].map((content) => chunk({ content }));
const ending = [chunk({}, "stop"), { ...chunk({}), choices: [], usage }, "[DONE]"];

const call = (from: TestAccount, more: Readonly<Record<string, unknown>> = {}): EndingCall =>
  startEndingCall("six", {
    url: app.chatUrl,
    key: from.key,
    body: JSON.stringify({
      model: "priced",
      messages: [{ role: "user", content: "hi" }],
      stream: true,
      ...more,
    }),
  });

interface Shutting {
  readonly name: string;
  readonly code: string;
  readonly shut: (of: TestAccount) => Promise<unknown>;
}

const changed = async (of: TestAccount, change: object) => {
  const details = await app.store.findConsoleKey(of.keyId, { accountId: of.accountId });
  const outcome = await app.store.changeKey(
    of.keyId,
    { accountId: of.accountId },
    details?.revision ?? 0,
    change as never,
  );
  assert.equal(outcome.kind, "done");
};

const ways: readonly Shutting[] = [
  { name: "revoked", code: "invalid_api_key", shut: ({ keyId }) => app.store.setKeyStatus(keyId, "revoked") },
  {
    name: "disabled",
    code: "api_key_disabled",
    shut: ({ keyId }) => app.store.setKeyStatus(keyId, "disabled"),
  },
  {
    name: "expired by a date that was moved",
    code: "api_key_expired",
    shut: (of) => changed(of, { expiresAt: Date.now() - 1_000 }),
  },
  {
    name: "suspended with its account",
    code: "account_suspended",
    shut: ({ accountId }) => app.store.setAccountStatus(accountId, "suspended"),
  },
];

describe("a key that is shut down", () => {
  for (const { name, code, shut } of ways) {
    test(`${name}: its streams end within a second, and are charged`, async () => {
      const never = Promise.withResolvers<void>();
      upstream.answerWith({ events: [role, ...words, never.promise] });
      const of = await app.newAccount("10");
      const { seen, flowing } = call(of);
      await flowing;
      const upstreamCall = await upstream.called(1);
      const shutMs = monotonicMs();
      await shut(of);
      const end = await seen;
      await assertEndedInTime(watch, shutMs, end);
      const text = end.body.toString("utf8");
      assert.ok(!isFinished(text));
      const events = text.trim().split("\n\n");
      assertErrorBody(String(events.at(-1)).replace(/^data: /, ""), { code });
      await upstreamCall.cancelled;
      const row = await app.newestRow(of.accountId, 1);
      assert.deepEqual([row.state, row.errorCode, row.usageSource], ["incomplete", code, "estimated"]);
      assert.ok(row.charge > 0n);
      never.resolve();
    });
    test(`${name}: a whole answer never comes, and costs nothing`, async () => {
      const gate = Promise.withResolvers<void>();
      upstream.answerWith({
        body: { ...completion({ message: { content: "hi" } }), usage },
        after: gate.promise,
      });
      const of = await app.newAccount("10");
      const { seen } = call(of, { stream: false });
      const upstreamCall = await upstream.called(1);
      await shut(of);
      const { status, body } = await seen;
      assert.ok(status === 401 || status === 403, String(status));
      assertErrorBody(body.toString("utf8"), { code });
      await upstreamCall.cancelled;
      assert.equal((await app.newestRow(of.accountId, 1)).charge, 0n);
      gate.resolve();
    });
  }

  test("what waits in line for an upstream is never sent to it", async () => {
    const gate = Promise.withResolvers<void>();
    upstream.answerWith({ events: [role, ...words, gate.promise, ...ending] });
    const first = call(await app.newAccount("10"), { model: "queued" });
    await first.flowing;
    const of = await app.newAccount("10");
    const second = call(of, { model: "queued" });
    const third = call(of);
    await third.flowing;
    await app.store.setKeyStatus(of.keyId, "revoked");
    assert.ok(!isFinished((await third.seen).body.toString("utf8")));
    gate.resolve();
    const { status, body } = await second.seen;
    assert.equal(status, 401);
    assertErrorBody(body.toString("utf8"), { code: "invalid_api_key" });
    assert.ok(isFinished((await first.seen).body.toString("utf8")));
    assert.equal(upstream.calls.length, 2);
  });

  test("a store that does not answer at once is asked again", async () => {
    const gate = Promise.withResolvers<void>();
    upstream.answerWith({ events: [role, ...words, gate.promise, ...ending] });
    const of = await app.newAccount("10");
    const { seen, flowing } = call(of);
    await flowing;
    lookupsLost = 2;
    await app.store.setKeyStatus(of.keyId, "revoked");
    assert.ok(!isFinished((await seen).body.toString("utf8")));
    assert.equal(lookupsLost, 0);
    gate.resolve();
  });
});

describe("what goes on", () => {
  const harmless: readonly (readonly [string, (of: TestAccount) => Promise<unknown>])[] = [
    [
      "another key of the account is revoked",
      async (of) => app.store.setKeyStatus((await app.newKey(of, {})).keyId, "revoked"),
    ],
    ["its limits change", (of) => app.store.setKeyLimits(of.keyId, { requestsPerMinute: 1 })],
    ["its name changes", (of) => changed(of, { name: "other" })],
    [
      "its account is topped up",
      (of) => app.store.addEntry({ accountId: of.accountId, kind: "topup", amount: parseUsd("1") }),
    ],
  ];
  for (const [name, change] of harmless) {
    test(`a stream, when ${name}`, async () => {
      const gate = Promise.withResolvers<void>();
      upstream.answerWith({ events: [role, ...words, gate.promise, ...ending] });
      const of = await app.newAccount("10");
      const other = await app.newAccount("10");
      const going = call(of);
      const ended = call(other);
      await Promise.all([going.flowing, ended.flowing]);
      await change(of);
      // Changes take effect in order: once this one has, the earlier one was processed.
      await app.store.setKeyStatus(other.keyId, "revoked");
      await ended.seen;
      gate.resolve();
      assert.ok(isFinished((await going.seen).body.toString("utf8")));
    });
  }

  test("a stream whose key's date of expiry comes, as it was set when the call began", async () => {
    const gate = Promise.withResolvers<void>();
    upstream.answerWith({ events: [role, ...words, gate.promise, ...ending] });
    const account = await app.newAccount("10");
    const expiresAt = Date.now() + 700;
    const of = await app.newKey(account, { expiresAt });
    const { seen, flowing } = call(of);
    await flowing;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, expiresAt - Date.now()) + 5));
    assert.equal((await call(of).seen).status, 401);
    // An update that leaves the expiry unchanged does not end it either.
    const other = await app.newAccount("10");
    const ended = call(other);
    await ended.flowing;
    await app.store.addEntry({ accountId: of.accountId, kind: "topup", amount: parseUsd("1") });
    await app.store.setKeyStatus(other.keyId, "revoked");
    await ended.seen;
    gate.resolve();
    assert.ok(isFinished((await seen).body.toString("utf8")));
  });
});
