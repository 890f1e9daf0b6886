/** The live view: one stream of events that shows all processes, from any of them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type LiveSnapshot, liveSnapshot } from "@plaza/contract/api/live.ts";
import { inParallel } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { startUpstream, type Upstream } from "../../rigs/upstream/server.ts";
import { sendChat } from "../harness/caller.ts";
import { model, openaiUpstream } from "../harness/catalogs.ts";
import { startConsole } from "../harness/console-rig.ts";
import { type Product, startProduct } from "../harness/product.ts";

const operatorToken = "operator-token-0123456789";
const authorization = `Bearer ${operatorToken}`;
const workers = 3;
const env = { PLAZA_OPERATOR_TOKEN: operatorToken };

let upstream: Upstream;
let product: Product;
let account: string;

before(async () => {
  upstream = await startUpstream();
  const catalog = {
    upstreams: [openaiUpstream("counting", upstream.baseUrl)],
    models: [model("counting", ["counting", "upstream-model"])],
  };
  product = await startProduct({ catalog, env, serve: ["--workers", String(workers)] });
  account = await product.createAccount();
});
after(async () => {
  await product?.stop();
  await upstream?.stop();
});

/** Reads the stream; `seen` grows while it is open. */
async function openLive(origin: string, headers: Record<string, string> = { authorization }) {
  const stop = new AbortController();
  const response = await fetch(`${origin}/api/operator/live`, { headers, signal: stop.signal });
  const seen: LiveSnapshot[] = [];
  let text = "";
  let rest = "";
  const reading = (async () => {
    try {
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        const piece = Buffer.from(chunk).toString();
        text += piece;
        const events = (rest + piece).split("\n\n");
        rest = events.pop() ?? "";
        for (const event of events) {
          const data = /^data: (\{"t".*)$/m.exec(event)?.[1];
          if (data !== undefined) seen.push(liveSnapshot.parse(JSON.parse(data)));
        }
      }
    } catch {
      // The test closed it.
    }
  })();
  return {
    response,
    seen,
    text: () => text,
    ended: reading,
    async close() {
      stop.abort();
      await reading;
    },
  };
}

const call = (key: string, isStream: boolean) =>
  sendChat(product.origin, key, {
    model: "counting",
    messages: [{ role: "user", content: "hi" }],
    stream: isStream,
  });

test("calls served by several processes add up in the events of one", async (context) => {
  const { key } = await product.createKey(account);
  const live = await openLive(product.origin);
  context.after(live.close);
  assert.equal(live.response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  assert.equal(live.response.headers.get("cache-control"), "no-store");
  assert.ok(await eventually(() => live.seen.length > 0, 15_000));
  assert.ok(Array.isArray(live.seen[0]?.history), "the first event has the history");
  assert.ok(
    await eventually(() => live.seen.at(-1)?.processes.length === workers, 10_000),
    "the other processes appear without being asked by the caller",
  );
  const before = live.seen.at(-1)?.requests.complete ?? 0;
  const answers = await inParallel(
    Array.from({ length: 40 }, (_, index) => index),
    8,
    (index) => call(key, index % 2 === 0),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  await sendChat(product.origin, "sk-plaza-wrong", { model: "counting", messages: [] });
  const isThere = (): boolean => {
    const last = live.seen.at(-1);
    return last?.requests.complete === before + 40 && last.requests.refused >= 1;
  };
  assert.ok(await eventually(isThere, 10_000), JSON.stringify(live.seen.at(-1)));
  const last = live.seen.at(-1) as LiveSnapshot;
  assert.equal(last.firstToken.count, 20, "of streams");
  assert.equal(last.duration.count, 40);
  assert.deepEqual(last.models, [{ model: "counting", count: 40 }]);
  assert.deepEqual(last.errors, [{ code: "invalid_api_key", count: 1 }]);
  assert.ok(Number(last.spendPerMinute) > 0);
  assert.equal(last.isWhole, true);
  // Each point's rates are of the time between two readings, five seconds on average.
  const fast = live.seen.some(({ requestsPerSecond }) => requestsPerSecond > 1);
  assert.ok(fast, "the rate has moved");
});

test("a program gets one event with all processes, and the stream's end", async () => {
  const response = await fetch(`${product.origin}/api/operator/live?once=true`, {
    headers: { authorization },
  });
  const text = await response.text();
  const snapshot = liveSnapshot.parse(JSON.parse(text.slice(text.indexOf("data: ") + 6)));
  assert.equal(snapshot.processes.length, workers);
});

test("a stopping server ends the streams at once and says when to come back", async (context) => {
  const other = await startProduct({ env: { ...env, PLAZA_LAME_DUCK_MS: "3000" } });
  context.after(() => other.stop());
  const live = await openLive(other.origin);
  context.after(live.close);
  assert.ok(await eventually(() => live.seen.length > 0, 15_000));
  const stopped = other.stop();
  await live.ended;
  assert.match(live.text(), /retry: 2000\nevent: closing\n/);
  assert.equal(await stopped, 0);
});

test("only operators see it; refusals are errors in the usual shape", async (context) => {
  const rig = await startConsole(context);
  for (const [sender, status, code] of [
    [rig.nobody, 401, "not_signed_in"],
    [rig.as("owner"), 403, "not_permitted"],
    [await rig.withToken("usage:read"), 403, "not_permitted"],
  ] as const) {
    const { status: given, body } = await sender.call("GET", "/operator/live");
    assert.deepEqual([given, body.error.code], [status, code]);
    assert.equal(typeof body.error.message, "string");
  }
  const { body } = await rig.as("operator").call("GET", "/operator/live?once=true");
  assert.match(body, /data: \{"t":\d+/);
  assert.equal((await rig.as("operator").call("GET", "/operator/live?once=perhaps")).status, 400);
});

test("the stream ends with its session", async (context) => {
  const rig = await startConsole(context);
  const { cookie, userId, sessionId } = rig.as("operator");
  const live = await openLive(rig.url, { cookie });
  context.after(live.close);
  assert.ok(await eventually(() => live.seen.length > 0, 15_000));
  await rig.store.endSession(userId, sessionId);
  await live.ended;
  assert.match(live.text(), /event: ended\n/);
  assert.equal(rig.context.live.viewers, 0);
});

test("viewers that leave are forgotten, those that only asked for the head, too", async (context) => {
  const rig = await startConsole(context);
  const { cookie } = rig.as("operator");
  const live = await openLive(rig.url, { cookie });
  assert.ok(await eventually(() => live.seen.length > 0, 15_000));
  assert.equal(rig.context.live.viewers, 1);
  await live.close();
  assert.ok(await eventually(() => rig.context.live.viewers === 0, 15_000));
  const head = await fetch(`${rig.url}/api/operator/live`, { method: "HEAD", headers: { cookie } });
  assert.equal(head.status, 200);
  await rig.as("operator").call("GET", "/operator/live?once=true");
  assert.ok(rig.context.live.viewers <= 1);
});
