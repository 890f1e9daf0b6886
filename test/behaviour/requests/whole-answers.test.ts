/**
 * Whole answers of an upstream that hangs: before its headers, after them, after whitespace, in the middle of
 * its JSON. Another deployment takes over in time, the caller pays for its answer only, and the possible cost
 * of the abandoned call is recorded.
 */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { defaultTimeouts, type Model, type Timeouts } from "@plaza/contract/catalog.ts";
import { parseUsd } from "@plaza/contract/money.ts";
import type { StoredRequest } from "../../../server/src/store/requests/shapes.ts";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, upstreamAt } from "../harness/app-in-process.ts";
import { chunk, completion } from "../harness/openai-shapes.ts";
import {
  type ScriptedAnswer,
  type ScriptedUpstream,
  startScriptedUpstream,
} from "../harness/scripted-upstream.ts";

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const whole: ScriptedAnswer = { body: { ...completion({ message: { content: "one" } }), usage } };
const never = new Promise(() => {});
const json = { "content-type": "application/json" };

/** Answers that stop at different points. */
const hanging: Readonly<Record<string, ScriptedAnswer>> = {
  "before its head": { after: never },
  "after its head": { events: [], headers: json, ending: "hang" },
  "after blanks": { body: "  \n", ending: "hang" },
  "in the middle": { body: JSON.stringify(whole.body).slice(0, 60), ending: "hang" },
};

interface Stage {
  readonly up: readonly [ScriptedUpstream, ScriptedUpstream];
  ask(more?: Record<string, unknown>): Promise<Seen>;
  row(): Promise<StoredRequest>;
}

let stop: (() => Promise<void>) | undefined;
afterEach(async () => {
  await stop?.();
  stop = undefined;
});

async function stage(model: Model, timeouts: Partial<Timeouts>): Promise<Stage> {
  const up = [await startScriptedUpstream(), await startScriptedUpstream()] as const;
  const upstreams = up.map(({ baseUrl }, index) =>
    upstreamAt("ab"[index] ?? "", baseUrl, { timeouts: { ...defaultTimeouts, ...timeouts } }),
  );
  const app = await startApp({ catalog: { upstreams, models: [model], limits: {} } });
  stop = async () => {
    await app.stop();
    for (const one of up) await one.stop();
  };
  const account = await app.newAccount("10");
  const messages = [{ role: "user", content: "hello wor" }];
  return {
    up,
    ask: (more = {}) =>
      post({
        url: app.chatUrl,
        key: account.key,
        body: JSON.stringify({ model: "m", messages, max_tokens: 50, ...more }),
      }),
    row: () => app.newestRow(account.accountId, 1),
  };
}

const cost = { input: parseUsd("1"), output: parseUsd("2") };
const both = modelOn("m", [], {
  deployments: [
    { upstream: "a", model: "x", priority: 1, weight: 1, cost },
    { upstream: "b", model: "x", priority: 2, weight: 1, cost },
  ],
});
const short: Partial<Timeouts> = { firstByteMs: 300, idleMs: 300 };

for (const [when, answer] of Object.entries(hanging)) {
  test(`a whole answer that hangs ${when} is taken over, paid once, and its possible cost recorded`, async () => {
    const { up, ask, row } = await stage(both, short);
    up[0].answerWith(answer);
    up[1].answerWith(whole);
    const seen = await ask();
    assert.deepEqual([seen.status, seen.headers["x-plaza-charge"]], [200, "0.00002"]);
    assert.ok(seen.endedAt - seen.sentAt < 5_000, `${seen.endedAt - seen.sentAt} ms`);
    await (await up[0].called(1)).cancelled;
    const found = await row();
    assert.deepEqual([found.attempts, found.state, found.charge], [2, "complete", parseUsd("0.00002")]);
    const [first] = found.attemptLog ?? [];
    assert.deepEqual([first?.upstreamId, first?.fault, first?.isBound], ["a", "timeout", true]);
    // The whole prompt and all output that the balance paid for, at the deployment's cost.
    assert.equal(first?.usage?.output, 50);
    const input = first?.usage?.input ?? 0;
    assert.ok(input > 0);
    const wasted = parseUsd("0.000001") * BigInt(input) + parseUsd("0.0001");
    assert.equal(found.cost, wasted + parseUsd("0.00002"));
  });

  test(`alone, one that hangs ${when} is a 504 once its timer has run out`, async () => {
    const { up, ask, row } = await stage(modelOn("m", ["a"]), short);
    up[0].answerWith(answer);
    const seen = await ask();
    const { error } = JSON.parse(seen.body.toString()) as { error: { code: string } };
    assert.deepEqual([seen.status, error.code, up[0].calls.length], [504, "upstream_timeout", 1]);
    assert.equal((await row()).charge, 0n);
  });
}

test("an answer that has begun is bounded by idle and total, not by firstByte", async () => {
  const { up, ask } = await stage(modelOn("m", ["a"]), { firstByteMs: 200 });
  const text = JSON.stringify(whole.body);
  let goOn = (): void => {};
  const later = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  // Sent as events to arrive in two chunks; with the "data: " prefixes it is not JSON. The failure must not
  // be a timeout.
  up[0].answerWith({ events: [text.slice(0, 10), later, text.slice(10)], headers: json });
  const asking = ask();
  await up[0].called(1);
  setTimeout(goOn, 600);
  assert.equal((await asking).status, 502);
});

test("streams have firstToken, not firstByte", async () => {
  const { up, ask } = await stage(modelOn("m", ["a"]), { firstByteMs: 200 });
  const later = new Promise((resolve) => setTimeout(resolve, 600));
  up[0].answerWith({ events: [later, chunk({ content: "one" }), chunk({}, "stop"), "[DONE]"] });
  assert.equal((await ask({ stream: true })).status, 200);
});

test("where nobody set a time, another deployment is tried within the whole time", async () => {
  const { up, ask, row } = await stage(both, { totalMs: 900 });
  up[0].answerWith({ after: never });
  up[1].answerWith(whole);
  assert.equal((await ask()).status, 200);
  assert.equal((await row()).attempts, 2);
});

test("the last attempt a request has gets all the time that is left, whatever else there were to call", async () => {
  const deployments = ["a one", "b one", "a two", "b two"].map((name, index) => {
    const [upstream = "", model = ""] = name.split(" ");
    return { upstream, model, priority: index + 1, weight: 1 };
  });
  const { up, ask, row } = await stage(modelOn("m", [], { deployments }), { totalMs: 3_000 });
  const later = new Promise((resolve) => setTimeout(resolve, 2_400));
  const broken: ScriptedAnswer = { status: 500, body: { error: { message: "broken" } } };
  up[0].answerWith(broken, { ...whole, after: later });
  up[1].answerWith(broken);
  assert.equal((await ask()).status, 200);
  assert.equal((await row()).attempts, 3);
});

test("blanks are no beginning: they keep a connection open, not a caller waiting", async () => {
  const { up, ask } = await stage(both, { firstByteMs: 300, idleMs: 20_000 });
  up[0].answerWith({ body: "  \n", ending: "hang" });
  up[1].answerWith(whole);
  const seen = await ask();
  assert.equal(seen.status, 200);
  assert.ok(seen.endedAt - seen.sentAt < 5_000, `${seen.endedAt - seen.sentAt} ms`);
});
