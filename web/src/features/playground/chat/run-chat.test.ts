/**
 * A call against an endpoint made of functions: every ending, what is kept of the text,
 * ephemeral keys that ran out, and the charge.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Endpoint } from "../endpoint.ts";
import { createEphemeralKeys } from "./ephemeral-keys.ts";
import { type ChatRun, runChat } from "./run-chat.ts";

const record = {
  state: "complete",
  usage: { source: "exact", input: 3, cached_input: 0, cache_write: 0, output: 2, reasoning: 0 },
  charge: "0.0001",
  first_token_ms: 20,
  duration_ms: 40,
};

const chunk = (delta: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
const head = {
  "content-type": "text/event-stream",
  "x-request-id": "req_1",
  "x-ratelimit-limit-requests": "9",
  "x-ratelimit-remaining-requests": "8",
};

function streamOf(
  pieces: readonly string[],
  ending: "close" | "break" | "hang" = "close",
): ReadableStream<Uint8Array> {
  const bytes = pieces.map((piece) => new TextEncoder().encode(piece));
  return new ReadableStream({
    pull(controller) {
      const next = bytes.shift();
      if (next !== undefined) controller.enqueue(next);
      else if (ending === "close") controller.close();
      else if (ending === "break") controller.error(new TypeError("network error"));
      else return new Promise(() => undefined);
      return undefined;
    },
  });
}

type Answer = (init: RequestInit, secret: string) => Response | Promise<Response>;

function rig(answer: Answer, recordOf: () => Response = () => Response.json(record)) {
  const seen: string[] = [];
  let made = 0;
  let ms = 0;
  const ephemeralKeys = createEphemeralKeys(
    async () => {
      made += 1;
      return { secret: `pass-${made}`, expiresAt: new Date(600_000).toISOString() };
    },
    () => 0,
  );
  const endpoint: Endpoint = {
    baseUrl: "http://gateway.test/v1",
    ephemeralKeys,
    elapsedMs: () => {
      ms += 10;
      return ms;
    },
    wait: async () => undefined,
    fetch: async (address, init) => {
      const secret = String((init.headers as Record<string, string>)["authorization"]);
      seen.push(`${init.method ?? "GET"} ${address} ${secret}`);
      return address.endsWith("/chat/completions") ? await answer(init, secret) : recordOf();
    },
  };
  const states: string[] = [];
  const run = (signal = new AbortController().signal): Promise<ChatRun> =>
    runChat(endpoint, { model: "m", keyId: "key_1", body: "{}" }, signal, (now) => {
      if (states.at(-1) !== now.state) states.push(now.state);
    });
  return { run, states, seen };
}

test("a whole stream: text, first token, limits, charge", async () => {
  const { run, states, seen } = rig(
    () =>
      new Response(
        streamOf([
          chunk({ role: "assistant" }),
          chunk({ content: "Hé" }),
          chunk({ content: "llo" }),
          "data: [DONE]\n\n",
        ]),
        { headers: head },
      ),
  );
  const last = await run();
  assert.deepEqual(states, ["waiting", "streaming", "complete"]);
  assert.equal(last.answer.text, "Héllo");
  assert.ok(last.firstTokenMs !== null && last.durationMs !== null && last.firstTokenMs < last.durationMs);
  assert.deepEqual(last.limits, { requests: { limit: 9, remaining: 8, resetMs: null }, tokens: null });
  assert.deepEqual(last.record, record);
  assert.equal(last.fault, null);
  assert.deepEqual(seen, [
    "POST http://gateway.test/v1/chat/completions Bearer pass-1",
    "GET http://gateway.test/v1/requests/req_1 Bearer pass-1",
  ]);
});

test("an end without [DONE] is a cut that keeps its text, not a finish", async () => {
  const last = await rig(() => new Response(streamOf([chunk({ content: "half" })]), { headers: head })).run();
  assert.equal(last.state, "cut");
  assert.equal(last.fault?.code, "cut_off");
  assert.equal(last.answer.text, "half");
});

test("a lost connection keeps the text and is called by its name", async () => {
  const last = await rig(
    () => new Response(streamOf([chunk({ content: "half" })], "break"), { headers: head }),
  ).run();
  assert.equal(last.state, "cut");
  assert.equal(last.fault?.code, "network_lost");
  assert.equal(last.answer.text, "half");
  assert.deepEqual(last.record, record);
});

test("an in-band error is a cut after content and a failure before", async () => {
  const error =
    'data: {"error":{"message":"gone","code":"upstream_error","param":null,"type":"server_error"}}\n\n';
  const after = await rig(
    () => new Response(streamOf([chunk({ content: "half" }), error]), { headers: head }),
  ).run();
  assert.deepEqual([after.state, after.fault?.code, after.fault?.message], ["cut", "upstream_error", "gone"]);
  const before = await rig(() => new Response(streamOf([error]), { headers: head })).run();
  assert.equal(before.state, "failed");
});

test("an error answer says code, wait and id", async () => {
  const refuse: Answer = () =>
    Response.json(
      {
        error: {
          code: "insufficient_balance",
          message: "Top it up.",
          type: "insufficient_quota",
          param: null,
        },
      },
      { status: 402, headers: { "x-request-id": "req_2", "retry-after-ms": "1500" } },
    );
  const last = await rig(refuse).run();
  assert.equal(last.state, "failed");
  assert.deepEqual(last.fault, {
    code: "insufficient_balance",
    message: "Top it up.",
    messageRef: null,
    param: null,
    status: 402,
    requestId: "req_2",
    retryAfterMs: 1_500,
  });
});

test("an ephemeral key that ran out is renewed, once, without a word", async () => {
  const refused = () => Response.json({ error: { code: "invalid_api_key", message: "no" } }, { status: 401 });
  const { run, seen, states } = rig((_, secret) =>
    secret === "Bearer pass-1"
      ? refused()
      : new Response(streamOf([chunk({ content: "hi" }), "data: [DONE]\n\n"]), { headers: head }),
  );
  assert.equal((await run()).state, "complete");
  assert.equal(states.includes("failed"), false);
  assert.equal(seen.filter((line) => line.startsWith("POST")).length, 2);
  const never = rig(refused);
  const last = await never.run();
  assert.equal(last.fault?.code, "invalid_api_key");
  assert.equal(never.seen.filter((line) => line.startsWith("POST")).length, 2);
});

test("stopping keeps the text and still learns the charge", async () => {
  const stop = new AbortController();
  const { run, states } = rig((init) => {
    const body = streamOf([chunk({ content: "so far" })], "hang");
    const through = new TransformStream<Uint8Array, Uint8Array>();
    void body.pipeTo(through.writable, { signal: init.signal as AbortSignal }).catch(() => undefined);
    return new Response(through.readable, { headers: head });
  });
  const ending = run(stop.signal);
  while (states.at(-1) !== "streaming") await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  const last = await ending;
  assert.deepEqual([last.state, last.answer.text, last.fault], ["stopped", "so far", null]);
  assert.deepEqual(last.record, record);
});

test("no connection, no ephemeral key, no JSON", async () => {
  const lost = await rig(() => Promise.reject(new TypeError("fetch failed"))).run();
  assert.deepEqual([lost.state, lost.fault?.code, lost.record], ["failed", "network_lost", null]);
  const page = await rig(() => new Response(streamOf(["data: <html>\n\n"]), { headers: head })).run();
  assert.deepEqual([page.state, page.fault?.code], ["failed", "unreadable_answer"]);
});

test("a whole answer is read, and an answer on record late is waited for", async () => {
  let asked = 0;
  const { run } = rig(
    () =>
      Response.json(
        { choices: [{ message: { content: "Hi" }, finish_reason: "stop" }] },
        { headers: { "x-request-id": "req_3" } },
      ),
    () => {
      asked += 1;
      return asked < 3
        ? Response.json({ error: { code: "not_found", message: "" } }, { status: 404 })
        : Response.json(record);
    },
  );
  const last = await run();
  assert.deepEqual([last.state, last.answer.text, last.firstTokenMs], ["complete", "Hi", null]);
  assert.deepEqual([asked, last.record], [3, record]);
});

test("a record that is not to be had stays unknown", async () => {
  const last = await rig(
    () => new Response(streamOf([chunk({ content: "x" }), "data: [DONE]\n\n"]), { headers: head }),
    () => Response.json({}, { status: 503 }),
  ).run();
  assert.deepEqual([last.state, last.record], ["complete", null]);
});
