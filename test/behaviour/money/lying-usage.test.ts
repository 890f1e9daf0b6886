/**
 * An upstream with false usage reports: impossible counts are ignored, unrequested output is charged and
 * logged, and no report breaks a sum, page or aggregation.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { parseUsd } from "@plaza/contract/money.ts";
import { slotMs } from "../../../server/src/lib/time/time-zone.ts";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { isFinished } from "../harness/caller.ts";
import { chunk, completion } from "../harness/openai-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

const context = 8_000;
/** One upstream per model, because Plaza logs this once a minute per upstream. */
const beyond = ["output whole", "output streamed", "prompt whole", "prompt streamed", "media"];
let upstream: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;
let rows = 0;

before(async () => {
  upstream = await startScriptedUpstream();
  const price = { input: parseUsd("1000000"), output: parseUsd("1000000") };
  app = await startApp({
    catalog: {
      upstreams: ["main", "odd", ...beyond].map((id) => upstreamAt(id, upstream.baseUrl)),
      models: [
        modelOn("dear", ["main"], { context, price }),
        modelOn("roomy", ["main"], { price }),
        ...["odd", ...beyond].map((id) => modelOn(id, [id], { context, price })),
      ],
      limits: {},
    },
  });
  account = await app.newAccount("1000000000");
});
after(async () => {
  await app?.stop();
  await upstream?.stop();
});

const good = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** An answer with this usage as raw JSON: some of its numbers cannot be written by JavaScript. */
function answerWith(usage: string, isStream: boolean): void {
  const text = (value: object) => JSON.stringify({ ...value, usage: "@" }).replace('"@"', usage);
  if (!isStream) upstream.answerWith({ body: text(completion({ message: { content: "hello" } })) });
  else {
    const last = text({ ...chunk({}), choices: [] });
    upstream.answerWith({ events: [chunk({ content: "hello" }), chunk({}, "stop"), last, "[DONE]"] });
  }
}

async function ask(isStream: boolean, more: object = {}) {
  const seen: Seen = await post({
    url: app.chatUrl,
    key: account.key,
    body: JSON.stringify({
      model: "dear",
      messages: [{ role: "user", content: "hi" }],
      stream: isStream,
      max_tokens: 100,
      ...more,
    }),
  });
  rows += 1;
  const text = seen.body.toString("utf8");
  assert.equal(seen.status, 200, text);
  if (isStream) assert.ok(isFinished(text));
  return await app.newestRow(account.accountId, rows);
}

const places: readonly (readonly [string, (value: string) => string])[] = [
  ["input", (value) => `{"prompt_tokens":${value},"completion_tokens":5}`],
  ["output", (value) => `{"prompt_tokens":10,"completion_tokens":${value}}`],
  [
    "cached",
    (value) =>
      `{"prompt_tokens":${value},"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":${value}}}`,
  ],
  [
    "reasoning",
    (value) =>
      `{"prompt_tokens":10,"completion_tokens":${value},"completion_tokens_details":{"reasoning_tokens":${value}}}`,
  ],
];
const lies = ["1000000000", "1000000000000000", "9223372036854775808", "-1", "0.5", "1e308", String(context)];

const eventsOf = (name: string): number =>
  app.log.filter((line) => (JSON.parse(line) as { event: string }).event === name).length;

async function doubtShown(kind: string, of = "main"): Promise<boolean> {
  const { troubles } = await app.store.readHealth(50);
  return troubles.some((one) => one.kind === "usageDoubted" && one.doubt === kind && one.upstream === of);
}

for (const isStream of [false, true]) {
  describe(`what cannot be true, ${isStream ? "streamed" : "whole"}`, () => {
    for (const [place, report] of places) {
      for (const lie of lies) {
        test(`${lie} as ${place}: charged by estimate`, async () => {
          answerWith(report(lie), isStream);
          const row = await ask(isStream);
          assert.equal(row.usageSource, "estimated");
          assert.ok(row.charge > 0n && row.charge < parseUsd("1000"), String(row.charge));
        });
      }
    }
  });
}

test("it raises an alarm once a minute, and is on the health page", async () => {
  assert.equal(eventsOf("usage_distrusted"), 1);
  assert.ok(await eventually(() => doubtShown("impossible"), 5_000));
});

test("a report that cannot be read because its numbers are none raises it, too; one that lacks something does not", async () => {
  answerWith('{"prompt_tokens":10}', false);
  assert.equal((await ask(false, { model: "odd" })).usageSource, "estimated");
  assert.equal(eventsOf("usage_distrusted"), 1);
  answerWith('{"prompt_tokens":10,"completion_tokens":-1}', true);
  assert.equal((await ask(true, { model: "odd" })).usageSource, "estimated");
  assert.ok(await eventually(() => doubtShown("impossible", "odd"), 5_000));
  assert.equal(eventsOf("usage_distrusted"), 2);
});

test("several choices may fill the context each, and no more", async () => {
  answerWith(`{"prompt_tokens":10,"completion_tokens":${context * 3 - 10}}`, false);
  assert.equal((await ask(false, { n: 3 })).usageSource, "exact");
  answerWith(`{"prompt_tokens":11,"completion_tokens":${context * 3 - 10}}`, false);
  assert.equal((await ask(false, { n: 3 })).usageSource, "estimated");
});

for (const isStream of [false, true]) {
  for (const [what, usage] of [
    ["output", { ...good, completion_tokens: 500 }],
    ["prompt", { ...good, prompt_tokens: 7_000 }],
  ] as const) {
    test(`more ${what} than was asked for is charged, and told, ${isStream ? "streamed" : "whole"}`, async () => {
      const model = `${what} ${isStream ? "streamed" : "whole"}`;
      const before = eventsOf("usage_beyond_asked");
      answerWith(JSON.stringify(usage), isStream);
      const row = await ask(isStream, { model });
      assert.equal(row.usageSource, "exact");
      assert.equal(row.charge, BigInt(usage.prompt_tokens + usage.completion_tokens) * 1_000_000_000n);
      assert.ok(await eventually(() => doubtShown("beyond_asked", model), 5_000));
      assert.equal(eventsOf("usage_beyond_asked"), before + 1);
    });
  }
}

test("zeros after a report take nothing back of it", async () => {
  const report = (usage: object) => ({ ...chunk({}), choices: [], usage });
  const none = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  const said = [chunk({ content: "hello" }), chunk({}, "stop")];
  for (const [reports, source] of [
    [[good, none], "exact"],
    [[none, good], "exact"],
    [[none, none], "estimated"],
  ] as const) {
    upstream.answerWith({ events: [...said, ...reports.map(report), "[DONE]"] });
    const row = await ask(true);
    assert.equal(row.usageSource, source);
    if (source === "exact") assert.deepEqual([row.inputTokens, row.outputTokens], [10, 5]);
    else assert.ok(row.inputTokens > 0 && row.outputTokens > 0);
  }
});

test("what was asked for raises nothing", async () => {
  const before = eventsOf("usage_beyond_asked") + eventsOf("usage_distrusted");
  answerWith(JSON.stringify({ ...good, completion_tokens: 100 }), false);
  assert.equal((await ask(false)).usageSource, "exact");
  answerWith("null", false);
  assert.equal((await ask(false)).usageSource, "estimated");
  answerWith(JSON.stringify({ ...good, prompt_tokens: 7_000 }), false);
  const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
  await ask(false, { model: "media", messages: [{ role: "user", content: [image] }] });
  assert.equal(eventsOf("usage_beyond_asked") + eventsOf("usage_distrusted"), before);
});

test("a model of unknown room may lie a little more; sums and the self-check still work", async () => {
  for (let call = 0; call < 12; call += 1) {
    answerWith('{"prompt_tokens":10,"completion_tokens":16000000}', call % 2 === 0);
    const row = await ask(call % 2 === 0, { model: "roomy" });
    assert.equal(row.usageSource, "exact");
  }
  const from = Math.floor(Date.now() / slotMs) - 1;
  const question = { stretches: [{ from, to: from + 3, offset: 0 }], byDay: false, rowsMax: 10 } as const;
  const before = await app.store.sumUsage({ ...question, by: "none" });
  while ((await app.store.rollUpUsage(7)) > 0);
  const sums = await app.store.sumUsage({ ...question, by: "none" });
  assert.deepEqual(sums, before);
  assert.equal(sums?.[0]?.requests, rows);
  const report = await app.store.verifyLedger();
  assert.deepEqual(report.findings, []);
  await app.store.scanEntries({ accountId: account.accountId, limit: 50 } as never);
});
