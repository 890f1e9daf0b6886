/**
 * When a call's attempts began: the wait before the first one, and the start of each one after a failed and a
 * hung one. Time is moved by hand at the moments the upstreams report, so that the order and the least length
 * of every span are known.
 */
import assert from "node:assert/strict";
import { request } from "node:http";
import { type TestContext, test } from "node:test";
import { defaultTimeouts, type Upstream } from "@plaza/contract/catalog.ts";
import { systemClock } from "../../../server/src/lib/time/clock.ts";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { modelOn, startApp, upstreamAt } from "../harness/app-in-process.ts";
import { chunk, completion, openaiError } from "../harness/openai-shapes.ts";
import { startScriptedUpstream } from "../harness/scripted-upstream.ts";

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const whole = { body: { ...completion({ message: { content: "one" } }), usage } };
const firstTokenMs = 5_000;

/** A promise and what resolves it. */
const gate = () => Promise.withResolvers<void>();

async function stage(context: TestContext, changes: Partial<Upstream> = {}) {
  let ahead = 0;
  const clock = { wallMs: systemClock.wallMs, elapsedMs: () => systemClock.elapsedMs() + ahead };
  const up = [
    await startScriptedUpstream(),
    await startScriptedUpstream(),
    await startScriptedUpstream(),
  ] as const;
  const timeouts = { ...defaultTimeouts, firstTokenMs };
  const app = await startApp({
    clock,
    catalog: {
      upstreams: up.map(({ baseUrl }, index) =>
        upstreamAt("abc"[index] ?? "", baseUrl, { timeouts, ...changes }),
      ),
      models: [modelOn("one", ["a"]), modelOn("all", ["a", "b", "c"])],
      limits: {},
    },
  });
  context.after(async () => {
    await app.stop();
    for (const one of up) await one.stop();
  });
  const account = await app.newAccount("10");
  return {
    ...{ app, account, up },
    nowMs: clock.elapsedMs,
    pass: (ms: number): void => {
      ahead += ms;
    },
    ask: (model: string, stream = false): Promise<Seen> =>
      post({
        url: app.chatUrl,
        key: account.key,
        body: JSON.stringify({ model, stream, messages: [{ role: "user", content: "hello" }] }),
      }),
    /** Waits until this many calls have arrived and are not answered. */
    arrived: async (count: number): Promise<void> => {
      const line = `\nplaza_in_flight{process="1"} ${count}\n`;
      const isThere = async () => (await (await fetch(`${app.origin}/metrics`)).text()).includes(line);
      assert.ok(await eventually(isThere, 10_000), `${count} calls in flight`);
    },
    row: (count: number) => app.newestRow(account.accountId, count),
    /** What `GET /v1/requests/{id}` says. */
    shown: async (id: string) => {
      const headers = { authorization: `Bearer ${account.key}` };
      return (await (await fetch(`${app.origin}/v1/requests/${id}`, { headers })).json()) as {
        queue_ms: number | null;
        attempts: { start_ms: number | null; duration_ms: number }[];
      };
    },
  };
}

test("after a failed and a hung attempt the starts and durations of all three add up", async (context) => {
  const { up, ask, pass, nowMs, row, shown } = await stage(context);
  const failing = gate();
  const begins = gate();
  const ends = gate();
  up[0].answerWith({ status: 500, body: openaiError("no"), after: failing.promise });
  up[1].answerWith({ events: [], ending: "hang" });
  const content = [begins.promise, chunk({ content: "one" }), ends.promise, chunk({}, "stop")];
  up[2].answerWith({ events: [...content, { ...chunk({}), choices: [], usage }, "[DONE]"] });

  const sentMs = nowMs();
  const asking = ask("all", true);
  const tooSoon = asking.then(({ status, body }) => assert.fail(`answered too soon: ${status} ${body}`));
  const called = (index: 0 | 1 | 2) => Promise.race([up[index].called(1), tooSoon]);
  await called(0);
  const firstCalledMs = nowMs() - sentMs;
  pass(1_000);
  failing.resolve();
  const hung = await called(1);
  const secondCalledMs = nowMs() - sentMs;
  pass(firstTokenMs + 1);
  await hung.cancelled;
  await called(2);
  tooSoon.catch(() => {});
  const thirdCalledMs = nowMs() - sentMs;
  pass(2_000);
  begins.resolve();
  ends.resolve();
  assert.equal((await asking).status, 200);

  const found = await row(1);
  const [failed, timedOut, answered] = found.attemptLog ?? [];
  assert.deepEqual(
    [failed, timedOut, answered].map((one) => [one?.upstreamId, one?.fault]),
    [
      ["a", "server"],
      ["b", "timeout"],
      ["c", null],
    ],
  );
  const starts = [failed, timedOut, answered].map((one) => one?.startMs ?? Number.NaN);
  const ending = [failed, timedOut, answered].map((one) => (one?.startMs ?? 0) + (one?.durationMs ?? 0));
  const text = JSON.stringify({ starts, ending, firstCalledMs, secondCalledMs, thirdCalledMs });
  assert.equal(found.queueMs, starts[0]);
  // Each began before its upstream was called, and not before the one ahead of it had ended.
  assert.ok((starts[0] ?? 0) >= 0 && (starts[0] ?? 0) <= Math.ceil(firstCalledMs), text);
  assert.ok((starts[1] ?? 0) >= (ending[0] ?? 0) && (starts[1] ?? 0) <= Math.ceil(secondCalledMs), text);
  assert.ok((starts[2] ?? 0) >= (ending[1] ?? 0) && (starts[2] ?? 0) <= Math.ceil(thirdCalledMs), text);
  // The time that was passed is within the attempt that ran meanwhile; 1 ms is lost by rounding at most.
  assert.ok((failed?.durationMs ?? 0) >= 999, text);
  assert.ok((timedOut?.durationMs ?? 0) >= firstTokenMs, text);
  assert.ok((answered?.durationMs ?? 0) >= 1_999, text);
  assert.ok((ending[2] ?? 0) <= found.durationMs, text);
  assert.ok((found.firstTokenMs ?? 0) >= (starts[2] ?? 0) + 1_999, text);

  const { queue_ms: queueMs, attempts } = await shown(found.id);
  assert.equal(queueMs, found.queueMs);
  assert.deepEqual(
    attempts.map(({ start_ms: startMs, duration_ms: durationMs }) => [startMs, durationMs]),
    [failed, timedOut, answered].map((one) => [one?.startMs, one?.durationMs]),
  );
});

test("the attempt of a call that waited in the queue of its upstream began after the wait", async (context) => {
  const { up, ask, arrived, pass, row, shown } = await stage(context, {
    concurrency: 1,
    timeouts: { ...defaultTimeouts, firstTokenMs: 60_000 },
  });
  const goesOn = gate();
  up[0].answerWith({ ...whole, after: goesOn.promise }, whole);
  const first = ask("one");
  await up[0].called(1);
  const second = ask("one");
  await arrived(2);
  pass(7_000);
  goesOn.resolve();
  assert.deepEqual([(await first).status, (await second).status], [200, 200]);
  const waited = await row(2);
  assert.equal(waited.attemptLog, null);
  assert.ok((waited.queueMs ?? 0) >= 6_999, `${waited.queueMs} ms`);
  const { queue_ms: queueMs, attempts } = await shown(waited.id);
  assert.deepEqual(
    [queueMs, attempts],
    [
      waited.queueMs,
      [
        {
          ...{ outcome: "answered", status: null },
          ...{ start_ms: waited.queueMs, duration_ms: waited.durationMs - (waited.queueMs ?? 0) },
        },
      ],
    ],
  );
});

test("the time a body takes to arrive is part of the wait; a call without an attempt has none", async (context) => {
  const { app, account, up, ask, arrived, pass, row } = await stage(context);
  up[0].answerWith(whole);
  // After this call the key is known, and the next one's time begins with its head.
  assert.equal((await ask("one")).status, 200);
  const body = JSON.stringify({ model: "one", messages: [{ role: "user", content: "hello" }] });
  const headers = { authorization: `Bearer ${account.key}`, "content-length": String(body.length) };
  const call = request(app.chatUrl, { method: "POST", headers });
  const status = new Promise((resolve) =>
    call.on("response", (response) => response.resume().on("end", () => resolve(response.statusCode))),
  );
  call.write(body.slice(0, 20));
  await arrived(1);
  pass(3_000);
  call.end(body.slice(20));
  assert.equal(await status, 200);
  const slow = await row(2);
  assert.ok((slow.queueMs ?? 0) >= 2_999, `${slow.queueMs} ms`);
  assert.ok((slow.queueMs ?? 0) <= slow.durationMs);
  assert.equal((await ask("absent")).status, 404);
  assert.equal((await row(3)).queueMs, null);
});
