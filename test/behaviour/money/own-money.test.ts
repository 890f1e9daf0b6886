/**
 * `GET /v1/balance` and `GET /v1/requests/{id}`: callers see their balance and the requests of their key
 * only.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { parseUsd } from "@plaza/contract/money.ts";
import type { Store } from "../../../server/src/store/store.ts";
import { get, post } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { assertErrorBody } from "../harness/caller.ts";
import { completion, openaiError } from "../harness/openai-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

let upstream: ScriptedUpstream;
let app: TestApp;
let owner: TestAccount;
const broken = new Set<keyof Store>();

before(async () => {
  upstream = await startScriptedUpstream();
  app = await startApp({
    catalog: {
      upstreams: [upstreamAt("secret-upstream", upstream.baseUrl)],
      models: [
        modelOn("priced", ["secret-upstream"], {
          price: {
            input: parseUsd("1"),
            output: parseUsd("2"),
            cachedInput: parseUsd("0.1"),
            perRequest: parseUsd("0.5"),
          },
        }),
      ],
      limits: {},
    },
    before: (store) =>
      new Proxy(store, {
        get(target, name: keyof Store) {
          return broken.has(name) ? () => Promise.reject(new Error("the disk is gone")) : target[name];
        },
      }),
  });
  owner = await app.newAccount("5");
});
after(async () => {
  await app?.stop();
  await upstream?.stop();
});

const look = async (path: string, from: TestAccount) => {
  const seen = await get(`${app.origin}${path}`, { authorization: `Bearer ${from.key}` });
  return { ...seen, json: JSON.parse(seen.text) as Record<string, unknown> };
};

const usage = {
  prompt_tokens: 100,
  completion_tokens: 50,
  total_tokens: 150,
  prompt_tokens_details: { cached_tokens: 40, audio_tokens: 10 },
  completion_tokens_details: { reasoning_tokens: 20 },
};

async function chat(from: TestAccount): Promise<string> {
  const body = JSON.stringify({
    model: "priced",
    messages: [{ role: "user", content: "hi" }],
    max_tokens: 100,
  });
  const seen = await post({ url: app.chatUrl, key: from.key, body });
  return String(seen.headers["x-request-id"]);
}

test("balance: what there is, what is held, and no budget", async () => {
  const account = await app.newAccount("1.5");
  const { status, json } = await look("/v1/balance", account);
  assert.equal(status, 200);
  assert.deepEqual(json, {
    object: "balance",
    currency: "USD",
    balance: "1.50",
    held: "0.00",
    available: "1.50",
    budget: null,
  });
});

test("balance: a budget with what its period has seen", async () => {
  const limited = await app.newAccount("5", { amount: parseUsd("2"), period: "day" });
  upstream.answerWith({ body: { ...completion({ message: { content: "x" } }), usage } });
  await chat(limited);
  const { json } = await look("/v1/balance", limited);
  const budget = json["budget"] as Record<string, unknown>;
  const { resets_at: resetsAt, ...amounts } = budget;
  assert.deepEqual(amounts, {
    period: "day",
    limit: "2.00",
    spent: "0.500164",
    remaining: "1.499836",
  });
  assert.match(String(resetsAt), /^\d{4}-\d\d-\d\dT00:00:00\.000Z$/);
  assert.ok(Date.parse(String(resetsAt)) > Date.now());
});

test("balance: what a call under way holds is not available, and comes back", async () => {
  const account = await app.newAccount("5");
  const gate = Promise.withResolvers<void>();
  const body = { ...completion({ message: { content: "x" } }), usage };
  upstream.answerWith({ body, after: gate.promise });
  const call = chat(account);
  await upstream.called(1);
  const { json } = await look("/v1/balance", account);
  const [total, held, available] = ["balance", "held", "available"].map((name) =>
    parseUsd(String(json[name])),
  );
  assert.equal(total, parseUsd("5"));
  assert.ok((held ?? 0n) >= parseUsd("0.5002"), `held ${held}`);
  assert.equal((held ?? 0n) + (available ?? 0n), total);
  gate.resolve();
  await call;
  const isBack = async () => (await look("/v1/balance", account)).json["held"] === "0.00";
  assert.ok(await eventually(isBack, 10_000, 100));
  assert.equal((await look("/v1/balance", account)).json["balance"], "4.499836");
});

test("request: usage by class, the price it was charged by, the charge, the tries, no upstream's name", async () => {
  upstream.answerWith(
    { status: 500, body: openaiError("no") },
    { body: { ...completion({ message: { content: "x" } }), usage } },
  );
  await chat(owner);
  const id = await chat(owner);
  const { status, json, text } = await look(`/v1/requests/${id}`, owner);
  assert.equal(status, 200);
  const { created, duration_ms: duration, queue_ms: queue, price, attempts, ...rest } = json;
  assert.deepEqual(rest, {
    id,
    object: "request",
    model: "priced",
    operation: "chat",
    stream: false,
    status: 200,
    state: "complete",
    error_code: null,
    usage: {
      source: "exact",
      input: 60,
      cached_input: 40,
      cache_write: 0,
      output: 50,
      reasoning: 20,
      audio_input: 10,
    },
    charge: "0.500164",
    first_token_ms: null,
  });
  assert.ok(Math.abs(Number(created) - Date.now() / 1000) < 60);
  assert.deepEqual(
    (attempts as { start_ms: number; duration_ms: number }[]).map((one) => [one.start_ms, one.duration_ms]),
    [[queue, Number(duration) - Number(queue)]],
  );
  const { id: priceId, valid_from: validFrom, ...rates } = price as Record<string, unknown>;
  assert.equal(typeof priceId, "number");
  assert.ok(Date.parse(String(validFrom)) <= Date.now());
  assert.deepEqual(rates, { input: "1.00", output: "2.00", cached_input: "0.10", per_request: "0.50" });
  assert.deepEqual(
    (attempts as { outcome: string; status: number | null }[]).map(({ outcome }) => outcome),
    ["answered"],
  );
  assert.doesNotMatch(text, /secret-upstream|upstream-model/);
});

test("request: the operator's trouble with an upstream stays the operator's", async () => {
  upstream.answerWith({ status: 401, body: openaiError("Incorrect API key provided: sk-up") });
  const id = await chat(owner);
  const { json, text } = await look(`/v1/requests/${id}`, owner);
  assert.equal(json["usage"], null);
  assert.equal(json["price"], null);
  assert.equal(json["charge"], "0.00");
  const [attempt] = json["attempts"] as Record<string, unknown>[];
  assert.deepEqual([attempt?.["outcome"], attempt?.["status"]], ["failed", null]);
  // Id and time may contain any digits.
  const told = JSON.stringify({ ...json, id: "", created: 0 });
  assert.doesNotMatch(told, /401|sk-up/);
  assert.doesNotMatch(text, /sk-up/);
});

test("request: another account's and an unknown one are the same 404", async () => {
  upstream.answerWith({ body: { ...completion({ message: { content: "x" } }), usage } });
  const id = await chat(owner);
  const stranger = await app.newAccount("1");
  const [other, unknown] = [
    await look(`/v1/requests/${id}`, stranger),
    await look("/v1/requests/req_0", stranger),
  ];
  assert.equal(other.status, 404);
  assertErrorBody(other.text, { code: "not_found" });
  assert.equal(other.text, unknown.text);
});

test("request: a key sees what was made with it, and nothing of the account's other keys", async () => {
  upstream.answerWith({ body: { ...completion({ message: { content: "x" } }), usage } });
  const id = await chat(owner);
  const others = [
    await app.newKey(owner, {}),
    await app.newKey(owner, { models: ["something-else"] }),
    await app.newKey(owner, { models: ["priced"] }),
  ];
  for (const key of others) {
    const { status, text } = await look(`/v1/requests/${id}`, key);
    assert.equal(status, 404);
    assert.equal(text, (await look("/v1/requests/req_0", key)).text);
  }
  assert.equal((await look(`/v1/requests/${id}`, owner)).status, 200);
  upstream.answerWith({ body: { ...completion({ message: { content: "x" } }), usage } });
  const [, , restricted] = others;
  assert.ok(restricted !== undefined);
  const own = await chat(restricted);
  assert.equal((await look(`/v1/requests/${own}`, restricted)).status, 200);
  assert.equal((await look(`/v1/requests/${own}`, owner)).status, 404);
});

test("without a key nothing is told, and a lost store is a 503", async () => {
  for (const path of ["/v1/balance", "/v1/requests/req_0"]) {
    assert.equal((await get(`${app.origin}${path}`)).status, 401);
    broken.add("findAccount").add("findRequest");
    const seen = await look(path, owner);
    broken.clear();
    assert.equal(seen.status, 503);
    assertErrorBody(seen.text, { code: "ledger_unavailable" });
  }
});
