/**
 * Upstream costs recorded beside the account's charge: for the successful attempt and for failed ones that
 * used tokens, unknown when a deployment has no cost, and hidden from callers.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Deployment, Price } from "@plaza/contract/catalog.ts";
import { parseUsd } from "@plaza/contract/money.ts";
import type { StoredRequest } from "../../../server/src/store/requests/shapes.ts";
import { get, post } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { chunk, completion, openaiError } from "../harness/openai-shapes.ts";
import {
  type ScriptedAnswer,
  type ScriptedUpstream,
  startScriptedUpstream,
} from "../harness/scripted-upstream.ts";

let first: ScriptedUpstream;
let second: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;
let rows = 0;

const cheap: Price = { input: parseUsd("0.1"), output: parseUsd("0.4") };
const dear: Price = { input: parseUsd("3"), output: parseUsd("7"), perRequest: parseUsd("0.001") };

const on = (upstream: string, priority: number, cost?: Price): Deployment => ({
  upstream,
  model: "upstream-model",
  priority,
  weight: 1,
  ...(cost === undefined ? {} : { cost }),
});

/** A model with a deployment on each of two upstreams, each with its cost. */
const model = (id: string, ofFirst: Price | undefined, ofSecond: Price | undefined) =>
  modelOn(id, [], { deployments: [on("a", 1, ofFirst), on("b", 2, ofSecond)] });

before(async () => {
  first = await startScriptedUpstream();
  second = await startScriptedUpstream();
  app = await startApp({
    catalog: {
      upstreams: [upstreamAt("a", first.baseUrl), upstreamAt("b", second.baseUrl)],
      models: [
        model("both", cheap, dear),
        model("first-unknown", undefined, dear),
        model("second-unknown", cheap, undefined),
        model("none", undefined, undefined),
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

const tokens = (input: number, output: number) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
});
const usageEvent = (usage: object) => ({ ...chunk({}), choices: [], usage });
const events = [chunk({ role: "assistant", content: "" }), chunk({ content: "one" }), chunk({}, "stop")];
const answer: ScriptedAnswer = { events: [...events, usageEvent(tokens(10, 5)), "[DONE]"] };
const bare: ScriptedAnswer = { events: [...events, "[DONE]"] };
/** Fails in its stream after reporting usage, before any content. */
const burning: ScriptedAnswer = {
  events: [usageEvent(tokens(1_000, 200)), openaiError("no", { type: "server_error" })],
};
const broken: ScriptedAnswer = { status: 500, body: openaiError("no") };

/** The row of a call with these upstream answers; asserts that its caller sees no costs. */
async function call(
  model: string,
  ofFirst: ScriptedAnswer,
  ofSecond: ScriptedAnswer,
  stream = true,
): Promise<StoredRequest> {
  first.answerWith(ofFirst);
  second.answerWith(ofSecond);
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "hello wor" }], stream });
  const seen = await post({ url: app.chatUrl, key: account.key, body });
  rows += 1;
  const row = await app.newestRow(account.accountId, rows);
  const shown = await get(`${app.origin}/v1/requests/${row.id}`, { authorization: `Bearer ${account.key}` });
  assert.equal(shown.status, 200);
  for (const text of [shown.text, JSON.stringify(seen.headers)])
    assert.doesNotMatch(text, /cost|wastedCost/i);
  return row;
}

/** 10 input and 5 output tokens: at the model's price of 1 and 2 USD, at `cheap`, and at `dear`. */
const charge = parseUsd("0.00002");
const cheapAnswer = parseUsd("0.000003");
const dearAnswer = parseUsd("0.001065");
/** 1,000 input and 200 output tokens at `cheap`. */
const cheapWastedCost = parseUsd("0.00018");

test("an answer is billed at its deployment's cost, whatever its price is", async () => {
  for (const stream of [true, false]) {
    const whole = { body: { ...completion({ message: { content: "one" } }), usage: tokens(10, 5) } };
    const row = await call("both", stream ? answer : whole, broken, stream);
    assert.deepEqual([row.cost, row.charge, row.attemptLog], [cheapAnswer, charge, null]);
  }
});

test("a fallback: the account pays for the answer, the cost is of both attempts", async () => {
  const row = await call("both", burning, answer);
  assert.deepEqual([row.charge, row.cost], [charge, cheapWastedCost + dearAnswer]);
  const [failed, answered] = row.attemptLog ?? [];
  assert.deepEqual([failed?.usage, failed?.cost], [{ input: 1_000, output: 200 }, "0.00018"]);
  assert.deepEqual([answered?.usage, answered?.cost], [undefined, undefined]);
});

test("a failed attempt that reported no usage adds nothing", async () => {
  const row = await call("both", broken, answer);
  assert.deepEqual([row.charge, row.cost], [charge, dearAnswer]);
});

test("all failed: nobody is charged, what was used is the cost", async () => {
  const row = await call("both", burning, broken);
  assert.deepEqual([row.state, row.charge, row.cost], ["failed", 0n, cheapWastedCost]);
  const last = await call("both", broken, burning);
  assert.deepEqual([last.charge, last.cost], [0n, parseUsd("0.0054")]);
});

test("the cost is unknown when tokens were used on a deployment without one, and only then", async () => {
  assert.equal((await call("none", answer, broken)).cost, null);
  assert.equal((await call("first-unknown", burning, answer)).cost, null);
  assert.equal((await call("first-unknown", broken, answer)).cost, dearAnswer);
  const half = await call("second-unknown", burning, answer);
  assert.deepEqual([half.cost, half.charge], [null, charge]);
  assert.equal(half.attemptLog?.[0]?.cost, "0.00018");
  assert.equal((await call("second-unknown", answer, broken)).cost, cheapAnswer);
  assert.equal((await call("none", broken, broken)).cost, 0n);
});

test("estimated usage is billed as it is charged", async () => {
  const row = await call("both", bare, broken);
  assert.equal(row.usageSource, "estimated");
  const { inputTokens, outputTokens } = row;
  assert.equal(row.charge, BigInt(inputTokens) * 1_000n + BigInt(outputTokens) * 2_000n);
  assert.equal(row.cost, BigInt(inputTokens) * 100n + BigInt(outputTokens) * 400n);
});

test("a stream that breaks after content is billed at the cost of the deployment that broke", async () => {
  const cut: ScriptedAnswer = {
    events: [chunk({ content: "one" }), usageEvent(tokens(10, 5))],
    ending: "cut",
  };
  const row = await call("both", broken, cut);
  assert.deepEqual([row.state, row.charge, row.cost], ["incomplete", charge, dearAnswer]);
});

test("a refusal costs nothing", async () => {
  const body = JSON.stringify({ model: "no-such-model", messages: [{ role: "user", content: "x" }] });
  await post({ url: app.chatUrl, key: account.key, body });
  rows += 1;
  assert.equal((await app.newestRow(account.accountId, rows)).cost, 0n);
});

test("the list of models shows prices and no costs", async () => {
  const seen = await get(`${app.origin}/v1/models`, { authorization: `Bearer ${account.key}` });
  assert.equal(seen.status, 200);
  assert.match(seen.text, /pricing/);
  assert.doesNotMatch(seen.text, /cost|0\.40|3\.00|0\.001/);
});
