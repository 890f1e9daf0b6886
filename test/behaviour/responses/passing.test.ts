/**
 * Callers of Responses at upstreams that speak it: what of a call's bytes changes on the way, what is held
 * and charged, what is tried again elsewhere, and how streams end.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { nanoUsd, parseUsd } from "@plaza/contract/money.ts";
import type { Store } from "../../../server/src/store/store.ts";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { assertErrorBody, send } from "../harness/caller.ts";
import { openaiError } from "../harness/openai-shapes.ts";
import {
  endEvent,
  eventsIn,
  functionCallItem,
  messageEvents,
  messageItem,
  type ResponsesEvent,
  response,
  responsesWire,
  startEvents,
  streamOf,
  textResponse,
} from "../harness/responses-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

/** Models with an upstream of their own before the other one: what one did to a call is remembered. */
const freshMax = 20;
let used = 0;
const fresh = (): string => `two-${used++}`;
let upstream: ScriptedUpstream;
let other: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;
/** Called before a response is stored. */
let beforeStoring: () => Promise<void> = async () => {};

const price = {
  input: parseUsd("1"),
  cachedInput: parseUsd("0.1"),
  cacheWrite: parseUsd("1.25"),
  output: parseUsd("2"),
};
/** 15 fresh, 4 cached and 2 written tokens; 9 of output. */
const charge = nanoUsd(15_000n + 400n + 2_500n + 18_000n);

const speaking = (id: string, upstreams: readonly string[], more: object = {}) => {
  const model = modelOn(id, upstreams, { price, ...more });
  const formats = ["openai-responses"] as const;
  return { ...model, deployments: model.deployments.map((one) => ({ ...one, formats })) };
};

before(async () => {
  upstream = await startScriptedUpstream();
  other = await startScriptedUpstream();
  app = await startApp({
    catalog: {
      upstreams: [
        upstreamAt("main", upstream.baseUrl),
        upstreamAt("other", other.baseUrl),
        upstreamAt("whole", upstream.baseUrl, { preset: "xai" }),
        ...Array.from({ length: freshMax }, (_, index) => upstreamAt(`up-${index}`, upstream.baseUrl)),
      ],
      models: [
        speaking("m", ["main"]),
        speaking("whole", ["whole"]),
        speaking("named", ["main"], {
          maxOutput: undefined,
          deployments: [{ upstream: "main", model: "named", priority: 1, weight: 1 }],
        }),
        speaking("open", ["main"], { maxOutput: undefined }),
        ...Array.from({ length: freshMax }, (_, index) => speaking(`two-${index}`, [`up-${index}`, "other"])),
        speaking("limited", ["main"], { limits: { requestsPerMinute: 1 } }),
      ],
      limits: {},
    },
    before: (store) =>
      new Proxy(store, {
        get(target, name: keyof Store) {
          if (name !== "storeResponse") return target[name];
          return (...args: Parameters<Store["storeResponse"]>) =>
            beforeStoring().then(() => target.storeResponse(...args));
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

const whole = { body: response([messageItem("Hello.")]) };
const stream = streamOf(textResponse(["Hel", "lo."]));
const failure = { code: "server_error", message: "no" };
const failed = endEvent([], { status: "failed", error: failure, usage: null });

interface Asked {
  readonly key?: string;
  readonly from?: TestAccount;
  /** Leaves when this text has arrived. */
  readonly leaveAt?: string;
}

/** Sends a body as it is written. */
function ask(body: string | object, asked: Asked = {}): Promise<Seen> {
  const { from = account, key, leaveAt } = asked;
  let text = "";
  return post({
    url: `${app.origin}/v1/responses`,
    key: from.key,
    headers: key === undefined ? {} : { "idempotency-key": key },
    body: typeof body === "string" ? body : JSON.stringify({ model: "m", input: "Say it.", ...body }),
    onArrival: ({ bytes }, call) => {
      text += bytes.toString("utf8");
      if (leaveAt !== undefined && text.includes(leaveAt)) call.destroy();
    },
  });
}

const textOf = ({ body }: Seen): string => body.toString("utf8");
const rowOf = async (seen: Seen) => {
  const found = await app.store.findRequest(String(seen.headers["x-request-id"]));
  assert.ok(found !== undefined, textOf(seen));
  return found.request;
};
const sent = (): string => upstream.calls[0]?.text ?? "";
const isFinished = (text: string): boolean => /event: response\.(?:completed|incomplete)/.test(text);

/** A failed stream ends with both events that clients read, in order, for the response it began. */
function assertFailed(text: string, code: string): ResponsesEvent[] {
  const events = eventsIn(text);
  const [error, last] = events.slice(-2);
  assert.deepEqual([error?.type, last?.type], ["error", "response.failed"], text);
  const told = last?.["response"] as { id: string; status: string; error: { code: string } };
  assert.deepEqual([told.id, told.status, told.error.code], ["resp_up", "failed", code]);
  assert.ok(!isFinished(text));
  return events;
}

describe("what the upstream is asked", () => {
  test("every byte goes on but the model, the store and the bound that is paid for", async () => {
    const rest =
      '"input" :[ {"role":"user","content":"a\\u00e9"},{"type":"odd_item","n":12345678901234567890,"id":"o"} ]' +
      ', "instructions":null,"stream_options":{"include_obfuscation":false},"x":1.50,"metadata":{"store":"true"}';
    const rows: [caller: string, upstream: string][] = [
      [
        `{"model": "m", ${rest},"max_output_tokens": 500 , "store":false}`,
        `{"model": "upstream-model", ${rest},"max_output_tokens": 500 , "store":false}`,
      ],
      [
        `{"model":"m","store": true ,${rest},"max_output_tokens":5000}`,
        `{"model":"upstream-model","store": false ,${rest},"max_output_tokens":1000}`,
      ],
      [
        `{"store":null,"max_output_tokens":null,"model":"open",${rest}}`,
        `{"store":false,"max_output_tokens":16384,"model":"upstream-model",${rest}}`,
      ],
      [
        `{"models":["m"],${rest},"store":false,"max_output_tokens":16}`,
        `{"model":"upstream-model",${rest},"store":false,"max_output_tokens":16}`,
      ],
    ];
    for (const [caller, expected] of rows) {
      upstream.answerWith(whole);
      const seen = await ask(caller);
      assert.equal(seen.status, 200, textOf(seen));
      assert.equal(sent(), expected);
      assert.equal(upstream.calls[0]?.path, "/v1/responses");
      assert.equal(upstream.calls[0]?.headers.authorization, "Bearer sk-up");
    }
  });

  test("what is not said is put in once", async () => {
    upstream.answerWith(whole);
    await ask('{"model":"named","input":"x","stream":false}');
    const { store, max_output_tokens: bound, ...left } = upstream.calls[0]?.body ?? {};
    assert.deepEqual([store, bound, left], [false, 16_384, { model: "named", input: "x", stream: false }]);
  });

  test("a poor account's answer is bounded, and never by less than the format allows", async () => {
    const poor = await app.newAccount("0.0008");
    upstream.answerWith(whole);
    const seen = await ask({}, { from: poor });
    assert.equal(seen.status, 200, textOf(seen));
    const bound = Number(upstream.calls[0]?.body["max_output_tokens"]);
    assert.ok(bound >= 16 && bound < 1_000, String(bound));
    assert.equal(seen.headers["x-plaza-max-tokens"], String(bound));
    upstream.answerWith(whole);
    const poorest = await app.newAccount("0.0001");
    const refused = await ask({}, { from: poorest });
    assert.equal(refused.status, 402, textOf(refused));
    assertErrorBody(textOf(refused), { code: "insufficient_balance", format: "openai-responses" });
    assert.equal(upstream.calls.length, 0);
  });

  test("the model's own limits refuse in this format", async () => {
    upstream.answerWith(whole);
    await ask({ model: "limited" });
    const refused = await ask({ model: "limited" });
    assert.equal(refused.status, 429);
    assertErrorBody(textOf(refused), { code: "rate_limit_exceeded", format: "openai-responses" });
    assert.ok(refused.headers["retry-after"]);
  });
});

describe("what the caller gets, and pays", () => {
  test("a whole answer: the upstream's bytes, charged by each kind of token", async () => {
    upstream.answerWith(whole);
    const seen = await ask({});
    assert.equal(textOf(seen), JSON.stringify(whole.body));
    const row = await rowOf(seen);
    assert.deepEqual(
      [
        row.operation,
        row.state,
        row.inputTokens,
        row.cachedInputTokens,
        row.cacheWriteTokens,
        row.outputTokens,
      ],
      ["chat", "complete", 15, 4, 2, 9],
    );
    assert.deepEqual([row.reasoningTokens, row.usageSource, row.charge], [3, "exact", charge]);
    assert.equal(seen.headers["x-plaza-charge"], "0.0000359");
  });

  test("what a server leaves out is put in, but at one that leaves out nothing every byte passes", async () => {
    const lacking = { output: [messageItem("Hello.")], usage: { input_tokens: 21, output_tokens: 9 } };
    const bare = streamOf(textResponse(["Hel", "lo."])).body.replaceAll(/,"sequence_number":\d+/g, "");
    const bareStream = { body: bare, headers: { "content-type": "text/event-stream" } };
    for (const model of ["m", "whole"]) {
      upstream.answerWith({ body: lacking }, bareStream);
      const seen = await ask({ model });
      const streamed = await ask({ model, stream: true });
      assert.equal(textOf(seen) === JSON.stringify(lacking), model === "whole");
      assert.equal(textOf(streamed) === bare, model === "whole");
      assert.deepEqual([(await rowOf(seen)).state, (await rowOf(streamed)).state], ["complete", "complete"]);
      if (model === "whole") continue;
      const told = JSON.parse(textOf(seen));
      assert.deepEqual(
        [told.object, told.model, told.output],
        ["response", "upstream-model", lacking.output],
      );
      assert.deepEqual(told.usage, {
        input_tokens_details: { cached_tokens: 0 },
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 30,
        ...lacking.usage,
      });
      assert.equal(eventsIn(textOf(streamed)).length, textResponse(["Hel", "lo."]).length);
    }
  });

  test("a stream: the upstream's bytes, charged the same", async () => {
    upstream.answerWith(stream);
    const seen = await ask({ stream: true });
    assert.equal(textOf(seen), stream.body);
    assert.match(String(seen.headers["content-type"]), /^text\/event-stream/);
    const row = await rowOf(seen);
    assert.deepEqual(
      [row.isStream, row.state, row.usageSource, row.charge],
      [true, "complete", "exact", charge],
    );
    assert.ok(row.firstTokenMs !== null);
  });

  test("an answer that ran out of tokens, or was filtered, is one", async () => {
    for (const reason of ["max_output_tokens", "content_filter"]) {
      const more = { status: "incomplete", incomplete_details: { reason } };
      const events = [...startEvents(), ...messageEvents(["Hel"]), endEvent([messageItem("Hel")], more)];
      upstream.answerWith(streamOf(events), { body: response([messageItem("Hel")], more) });
      for (const isStream of [true, false]) {
        const seen = await ask({ stream: isStream });
        assert.equal(seen.status, 200, textOf(seen));
        assert.match(textOf(seen), new RegExp(reason));
        const row = await rowOf(seen);
        assert.deepEqual([row.state, row.charge], ["complete", charge]);
      }
    }
  });

  test("an answer without any content is kept as it ended", async () => {
    const more = {
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      id: "resp_none",
    };
    upstream.answerWith(streamOf([...startEvents({ id: "resp_none" }), endEvent([], more)]));
    const seen = await ask({ stream: true });
    assert.equal(seen.status, 200);
    const found = await send(app.origin, {
      method: "GET",
      path: "/v1/responses/resp_none",
      headers: { authorization: `Bearer ${account.key}` },
    });
    assert.equal(JSON.parse(found.text).status, "incomplete");
  });
});

describe("what goes wrong", () => {
  test("before content, another deployment answers", async () => {
    const failures = [
      { status: 500, body: openaiError("no") },
      { status: 429, body: openaiError("slow down") },
      streamOf([...startEvents(), failed]),
      streamOf([...startEvents(), { type: "error", ...failure, param: null }, failed]),
      { ...streamOf(startEvents()), ending: "cut" as const },
      streamOf(startEvents()),
      streamOf([]),
    ];
    for (const failure of failures) {
      upstream.answerWith(failure);
      other.answerWith(stream);
      const seen = await ask({ stream: true, model: fresh() });
      assert.equal(seen.status, 200, textOf(seen));
      assert.equal(textOf(seen), stream.body);
      const row = await rowOf(seen);
      assert.deepEqual([row.attempts, row.upstreamId, row.charge], [2, "other", charge]);
    }
  });

  test("a whole response that failed is none", async () => {
    upstream.answerWith({
      body: response([], { status: "failed", error: { code: "server_error", message: "no" } }),
    });
    other.answerWith(whole);
    const seen = await ask({ model: fresh() });
    assert.equal(textOf(seen), JSON.stringify(whole.body));
    assert.equal((await rowOf(seen)).attempts, 2);
  });

  test("what the caller did wrong is told by the upstream's words, and costs nothing", async () => {
    const body = openaiError("Unknown parameter: 'x'.", { param: "x", code: "unknown_parameter" });
    upstream.answerWith({ status: 400, body });
    const seen = await ask({ x: 1 });
    assert.equal(seen.status, 400);
    assert.match(textOf(seen), /Unknown parameter/);
    assert.equal((await rowOf(seen)).charge, 0n);
  });

  test("after content, the stream ends as failed, numbered on, and is not stored", async () => {
    const begun = [...startEvents(), ...messageEvents(["Hel", "lo"]).slice(0, 4)];
    const rows = [
      { ...streamOf(begun), ending: "cut" as const },
      streamOf(begun),
      streamOf([...begun, failed]),
      streamOf([...begun, { type: "error", ...failure, param: null }]),
    ];
    for (const row of rows) {
      upstream.answerWith(row);
      const seen = await ask({ stream: true, model: fresh() });
      assert.equal(seen.status, 200);
      assert.ok(textOf(seen).startsWith(responsesWire(begun)), textOf(seen));
      assertFailed(textOf(seen), "server_error");
      assert.equal((await rowOf(seen)).state, "incomplete");
    }
  });

  test("a caller that leaves ends the upstream's call and pays for what was said", async () => {
    upstream.answerWith({
      ...streamOf([...startEvents(), ...messageEvents(["Hel", "lo"]).slice(0, 4)]),
      ending: "hang",
    });
    const seen = await ask({ stream: true }, { leaveAt: '"delta":"lo"' });
    await upstream.calls[0]?.cancelled;
    let row = await app.store.findRequest(String(seen.headers["x-request-id"]));
    await eventually(async () => {
      row = await app.store.findRequest(String(seen.headers["x-request-id"]));
      return row !== undefined;
    }, 5_000);
    assert.deepEqual([row?.request.state, row?.request.usageSource], ["aborted", "estimated"]);
    assert.ok((row?.request.charge ?? 0n) > 0n);
  });
});

describe("state", () => {
  test("a call and its result go on from the store, byte for byte", async () => {
    const call = functionCallItem("call_1", "add", { a: 1 });
    upstream.answerWith({ body: response([call], { id: "resp_call" }) }, whole);
    await ask({ input: "add" });
    const seen = await ask(
      '{"previous_response_id":"resp_call","model":"m","max_output_tokens":20,"store":false,"input":[{"type":"function_call_output","call_id":"call_1","output":"3"}]}',
    );
    assert.equal(seen.status, 200, textOf(seen));
    assert.equal(
      upstream.calls[1]?.text,
      `{"model":"upstream-model","max_output_tokens":20,"store":false,"input":[{"type":"message","role":"user","content":"add"},${JSON.stringify(call)},{"type":"function_call_output","call_id":"call_1","output":"3"}]}`,
    );
  });

  for (const [name, lacked] of Object.entries({
    "an empty output": { output: [] },
    "no output": { output: undefined },
    "no id": { id: undefined },
    "an output without one of the items": { output: [messageItem("Ada.", "msg_a")] },
    "neither id nor output": { id: null, output: [] },
  }))
    test(`a stream that ends with ${name} passes, and is stored with what it said before`, async () => {
      const model = "whole";
      const call = functionCallItem("call_9", "f", { a: "é" }, "fc_9");
      const id = `resp_${name.replaceAll(" ", "_")}`;
      const events = [
        ...startEvents({ id }),
        ...messageEvents(["Ada", "."], 0, "msg_a"),
        { type: "response.output_item.done", output_index: 1, item: call },
      ];
      const answer = streamOf([...events, endEvent([messageItem("Ada.", "msg_a"), call], { id, ...lacked })]);
      upstream.answerWith(answer, whole, whole);
      const seen = await ask({ model, stream: true, input: "my name?" });
      assert.equal(textOf(seen), answer.body);
      const headers = { authorization: `Bearer ${account.key}` };
      const stored = await send(app.origin, { method: "GET", path: `/v1/responses/${id}`, headers });
      assert.equal(stored.status, 200, stored.text);
      const { id: storedId, output, model: by } = JSON.parse(stored.text);
      assert.deepEqual([storedId, by], [id, "upstream-model"]);
      assert.deepEqual(output, [messageItem("Ada.", "msg_a"), call]);
      const result = { type: "function_call_output", call_id: "call_9", output: "3" };
      const next = await ask({ model, input: [result], previous_response_id: id });
      assert.equal(next.status, 200, textOf(next));
      const asked = [{ type: "message", role: "user", content: "my name?" }, ...output, result];
      assert.deepEqual(upstream.calls[1]?.body["input"], asked);
      const reference = { type: "item_reference", id: "fc_9" };
      const again = await ask({ model, store: false, input: [reference, result] });
      assert.equal(again.status, 200, textOf(again));
      assert.deepEqual(upstream.calls[2]?.body["input"], [call, result]);
    });

  test("of a server that says the least, the next turn has the answer that the caller got", async () => {
    const least = streamOf([
      { type: "response.output_text.delta", delta: "Ada" },
      { type: "response.output_text.delta", delta: "." },
      { type: "response.completed", response: { status: "completed" } },
    ]);
    upstream.answerWith({ ...least, body: least.body.replaceAll(/"sequence_number":\d+/g, '"x":1') }, whole);
    const seen = await ask({ stream: true, input: "my name?" });
    const events = eventsIn(textOf(seen));
    const told = events.at(-1)?.["response"] as { id: string; output: { id: string }[] };
    assert.equal(told.id, `resp_${seen.headers["x-request-id"]}`);
    const headers = { authorization: `Bearer ${account.key}` };
    const stored = await send(app.origin, { method: "GET", path: `/v1/responses/${told.id}`, headers });
    assert.deepEqual(JSON.parse(stored.text), told);
    await ask({ previous_response_id: told.id, input: "again" });
    assert.deepEqual(upstream.calls[1]?.body["input"], [
      { type: "message", role: "user", content: "my name?" },
      messageItem("Ada.", told.output[0]?.id),
      { type: "message", role: "user", content: "again" },
    ]);
    assert.equal((await rowOf(seen)).usageSource, "estimated");
  });

  test("the end is told when the response is stored, and not before", async () => {
    for (const isStream of [true, false]) {
      const stored = Promise.withResolvers<void>();
      const asked = Promise.withResolvers<void>();
      beforeStoring = () => {
        asked.resolve();
        return stored.promise;
      };
      upstream.answerWith(isStream ? stream : whole);
      let isTold = false;
      const seeing = ask({ stream: isStream }).then((seen) => {
        isTold = true;
        return seen;
      });
      await asked.promise;
      assert.equal(isTold, false);
      beforeStoring = async () => {};
      stored.resolve();
      assert.equal((await seeing).status, 200);
    }
  });

  test("a store that fails loses the response, not the answer", async () => {
    beforeStoring = () => Promise.reject(new Error("the disk is gone"));
    upstream.answerWith(stream);
    const seen = await ask({ stream: true });
    beforeStoring = async () => {};
    assert.equal(textOf(seen), stream.body);
    assert.ok(app.log.some((line) => line.includes("response_not_stored")));
  });
});
