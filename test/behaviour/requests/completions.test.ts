/**
 * Legacy completions end to end: upstream requests, responses, holds and charges, retries and fallbacks, and
 * the ends of streams.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { nanoUsd, parseUsd } from "@plaza/contract/money.ts";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { assertErrorBody, eventTexts, isFinished } from "../harness/caller.ts";
import {
  completionUsage,
  textChunk,
  textCompletion,
  textStream,
  textUsage,
} from "../harness/completion-shapes.ts";
import { openaiError } from "../harness/openai-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

const operations = ["completion"] as const;
/** Each model's first upstream is separate, because health state persists between calls. */
const freshMax = 30;
let used = 0;
const fresh = (): string => `two-${used++}`;
let upstream: ScriptedUpstream;
let other: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;

before(async () => {
  upstream = await startScriptedUpstream();
  other = await startScriptedUpstream();
  const baseUrl = upstream.baseUrl.replace(/\/v1$/, "");
  app = await startApp({
    catalog: {
      upstreams: [
        upstreamAt("main", upstream.baseUrl),
        upstreamAt("other", other.baseUrl),
        ...Array.from({ length: freshMax }, (_, index) => upstreamAt(`up-${index}`, upstream.baseUrl)),
        upstreamAt("groq", upstream.baseUrl, { preset: "groq" }),
        upstreamAt("deepseek", upstream.baseUrl, { preset: "deepseek" }),
        upstreamAt("azure", baseUrl, { provider: "azure" }),
        { ...upstreamAt("claude", upstream.baseUrl), provider: "anthropic" },
      ],
      models: [
        modelOn("text", ["main"], { operations }),
        modelOn("both", ["main"], { operations: ["chat", "completion"] }),
        modelOn("chatting", ["main"]),
        ...Array.from({ length: freshMax }, (_, index) =>
          modelOn(`two-${index}`, [`up-${index}`, "other"], { operations }),
        ),
        modelOn("hedged", ["main", "other"], { operations, hedge: { afterMs: 20 } }),
        modelOn("open", ["main"], { operations, maxOutput: undefined }),
        modelOn("free", ["main"], { operations, price: { input: nanoUsd(0n), output: nanoUsd(0n) } }),
        modelOn("mixed", ["groq", "other"], { operations }),
        modelOn("groq", ["groq"], { operations }),
        modelOn("claude", ["claude"], { operations }),
        modelOn("deepseek", ["deepseek"], { operations }),
        modelOn("azure", ["azure"], { operations }),
        modelOn("limited", ["main"], { operations, limits: { tokensPerMinute: 60 } }),
      ],
      limits: {},
    },
  });
  account = await app.newAccount("100");
});
after(async () => {
  await app?.stop();
  await upstream?.stop();
  await other?.stop();
});

const whole = { body: textCompletion(" Hello") };
const stream = { events: textStream(" Hel", "lo") };
const charge = parseUsd("0.00002");

interface Asked {
  readonly model?: string;
  readonly key?: string;
  readonly from?: TestAccount;
  readonly path?: string;
  /** Disconnects when this text has arrived. */
  readonly leaveAt?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function ask(body: object = {}, asked: Asked = {}): Promise<Seen> {
  const { model = "text", from = account, path = "/v1/completions", key, leaveAt } = asked;
  let text = "";
  return post({
    url: `${app.origin}${path}`,
    key: from.key,
    headers: { ...asked.headers, ...(key === undefined ? {} : { "idempotency-key": key }) },
    body: JSON.stringify({ model, prompt: "Say it.", ...body }),
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
const sent = (index = 0) => upstream.calls[index]?.body ?? {};

function assertRefused(seen: Seen, status: number, code: string, param?: string, message?: RegExp): void {
  assert.equal(seen.status, status, textOf(seen));
  assertErrorBody(textOf(seen), { code, param, message });
}

describe("what the upstream is asked, and the caller gets", () => {
  test("a whole answer: the upstream's bytes, at its path, charged by its usage", async () => {
    upstream.answerWith(whole);
    const seen = await ask({ suffix: "!", logprobs: 2, odd: { n: 12345678901234567890n.toString() } });
    assert.equal(seen.status, 200, textOf(seen));
    assert.equal(textOf(seen), JSON.stringify(whole.body));
    const [call] = upstream.calls;
    assert.equal(call?.path, "/v1/completions");
    assert.equal(call?.headers.authorization, "Bearer sk-up");
    const { model, suffix, logprobs, max_tokens: most, stream_options: options } = sent();
    assert.deepEqual([model, suffix, logprobs, most, options], ["upstream-model", "!", 2, 16, undefined]);
    const row = await rowOf(seen);
    assert.deepEqual(
      [row.operation, row.state, row.inputTokens, row.outputTokens, row.usageSource, row.charge],
      ["completion", "complete", 10, 5, "exact", charge],
    );
    assert.equal(seen.headers["x-plaza-charge"], "0.00002");
  });

  test("a stream: usage is asked for upstream, and shown to who asked", async () => {
    for (const asks of [false, true]) {
      upstream.answerWith(stream);
      const seen = await ask({ stream: true, ...(asks ? { stream_options: { include_usage: true } } : {}) });
      assert.deepEqual(sent()["stream_options"], { include_usage: true });
      const events = eventTexts(textOf(seen));
      const shown = stream.events.filter((event) => asks || event !== textUsage);
      assert.deepEqual(
        events,
        shown.map((event) => (typeof event === "string" ? event : JSON.stringify(event))),
      );
      assert.ok(isFinished(textOf(seen)));
      const row = await rowOf(seen);
      assert.deepEqual([row.isStream, row.usageSource, row.charge], [true, "exact", charge]);
      assert.ok(row.firstTokenMs !== null);
    }
  });

  test("without a bound sixteen tokens are told, as much as is asked otherwise", async () => {
    const rows: [body: object, model: string, told: unknown][] = [
      [{}, "open", 16],
      [{}, "free", 16],
      [{ max_tokens: null }, "open", 16],
      [{ max_tokens: 300 }, "open", 300],
      [{ max_tokens: 3_000 }, "text", 1_000],
      [{ max_tokens: 0, echo: true, logprobs: 1 }, "open", 0],
    ];
    for (const [body, model, told] of rows) {
      upstream.answerWith(whole);
      const seen = await ask(body, { model });
      assert.equal(seen.status, 200, textOf(seen));
      assert.equal(sent()["max_tokens"], told, JSON.stringify(body));
      assert.equal(upstream.calls[0]?.text.match(/max_tokens/g)?.length, 1);
    }
  });

  test("prompts of every kind go up as they are", async () => {
    for (const prompt of ["", ["a", "b"], [1, 2, 3], [[1, 2], [3]], null]) {
      upstream.answerWith({ body: textCompletion("x", "y") });
      const seen = await ask({ prompt, n: 2 });
      assert.equal(seen.status, 200, textOf(seen));
      assert.deepEqual(sent()["prompt"], prompt);
    }
  });

  test("deepseek's and Azure's paths; Azure's remarks of its filter are left out", async () => {
    upstream.answerWith(whole);
    assert.equal((await ask({}, { model: "deepseek" })).status, 200);
    assert.equal(upstream.calls[0]?.path, "/beta/completions");
    const remark = { content_filter_results: { hate: { filtered: false } } };
    const body = textCompletion(" Hello");
    const choices = (body["choices"] as object[]).map((one) => ({ ...one, ...remark }));
    upstream.answerWith({ body: { ...body, choices, prompt_filter_results: [remark] } });
    const seen = await ask({}, { model: "azure" });
    assert.deepEqual(JSON.parse(textOf(seen)), body);
    const [call] = upstream.calls;
    assert.match(call?.path ?? "", /^\/openai\/deployments\/upstream-model\/completions\?api-version=/);
    assert.deepEqual([call?.headers["api-key"], sent()["max_tokens"]], ["sk-up", 16]);
    const events = textStream(" Hel", "lo");
    const marked = events.map((event) => {
      const { choices: said } = event as { choices?: object[] };
      return said === undefined
        ? event
        : { ...(event as object), choices: said.map((one) => ({ ...one, ...remark })) };
    });
    upstream.answerWith({ events: marked });
    const streamed = textOf(await ask({ stream: true }, { model: "azure" }));
    assert.doesNotMatch(streamed, /content_filter/);
    assert.ok(isFinished(streamed));
    assert.match(streamed, /" Hel"/);
  });
});

describe("what is refused before anything is called", () => {
  test("a body that is none, by name and in OpenAI's words", async () => {
    const rows: [body: object, param: string][] = [
      [{ prompt: {} }, "prompt"],
      [{ prompt: [1, "a"] }, "prompt[1]"],
      [{ max_tokens: "all" }, "max_tokens"],
      [{ n: 1_000 }, "n"],
      [{ stream_options: { include_usage: true } }, "stream_options"],
    ];
    upstream.answerWith(whole);
    for (const [body, param] of rows) {
      const seen = await ask(body);
      assert.equal(seen.status, 400, textOf(seen));
      assert.equal(JSON.parse(textOf(seen)).error.param, param);
    }
    assert.equal(upstream.calls.length, 0);
  });

  test("a model for something else, each way, with the right path named", async () => {
    assertRefused(
      await ask({}, { model: "chatting" }),
      400,
      "wrong_endpoint",
      "model",
      /\/v1\/chat\/completions/,
    );
    const messages = [{ role: "user", content: "hi" }];
    const chat = await ask({ messages }, { path: "/v1/chat/completions" });
    assertRefused(chat, 400, "wrong_endpoint", "model", /POST \/v1\/completions/);
  });

  test("a model none of whose upstreams has such a path; one with another that does is served there", async () => {
    upstream.answerWith(whole);
    other.answerWith(whole);
    for (const model of ["groq", "claude"]) {
      const seen = await ask({}, { model });
      assertRefused(seen, 503, "no_available_upstream", undefined, /No upstream .* serves completion/);
      assert.equal(seen.headers["x-should-retry"], "false");
    }
    assert.equal((await ask({}, { model: "mixed" })).status, 200);
    assert.deepEqual([upstream.calls.length, other.calls.length], [0, 1]);
  });

  test("more than the balance pays for", async () => {
    const poor = await app.newAccount("0.00001");
    upstream.answerWith(whole);
    const prompt = Array.from({ length: 50 }, () => "word");
    assertRefused(await ask({ prompt, n: 3 }, { from: poor }), 402, "insufficient_balance");
    assert.equal(upstream.calls.length, 0);
  });

  test("more tokens than a limit has, counting every completion", async () => {
    upstream.answerWith(whole);
    assert.equal((await ask({ max_tokens: 16 }, { model: "limited" })).status, 200);
    const many = { prompt: ["a", "b"], best_of: 2, max_tokens: 16 };
    assertRefused(await ask(many, { model: "limited" }), 429, "rate_limit_exceeded");
    assert.equal(upstream.calls.length, 1);
  });
});

describe("an upstream that lies", () => {
  const { usage: _, ...unmetered } = textCompletion(" Hello there, you");

  test("no usage, or one that cannot be: charged by what came", async () => {
    for (const usage of [
      undefined,
      null,
      { prompt_tokens: -1, completion_tokens: 2 },
      { prompt_tokens: 1e12 },
      { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    ]) {
      upstream.answerWith({ body: { ...unmetered, usage } });
      const row = await rowOf(await ask());
      assert.deepEqual([row.usageSource, row.inputTokens, row.outputTokens], ["estimated", 2, 5]);
      const events = textStream(" Hello", " there").filter((event) => event !== textUsage);
      const told = usage === undefined ? events : events.toSpliced(-1, 0, { ...textUsage, usage });
      upstream.answerWith({ events: told });
      const streamed = await rowOf(await ask({ stream: true }));
      assert.deepEqual([streamed.usageSource, streamed.outputTokens], ["estimated", 2]);
    }
  });

  test("what it repeats of the prompt is no output, whole and streamed", async () => {
    const prompt = 'One\n"two"\n three four five six seven eight nine ten eleven twelve thirteen';
    const { usage: __, ...echoed } = textCompletion(`${prompt} and on`);
    upstream.answerWith({ body: echoed });
    const row = await rowOf(await ask({ prompt, echo: true }));
    assert.deepEqual([row.usageSource, row.outputTokens], ["estimated", 2]);
    const events = textStream(prompt, " and", " on").filter((event) => event !== textUsage);
    upstream.answerWith({ events });
    const streamed = await ask({ prompt, echo: true, stream: true });
    assert.ok(textOf(streamed).includes(JSON.stringify(prompt)));
    assert.equal((await rowOf(streamed)).outputTokens, 2);
  });

  test("an error in place of the first text, or a stream without any, is tried elsewhere", async () => {
    const bad: { readonly events: readonly unknown[]; readonly ending?: "cut" }[] = [
      { events: [openaiError("busy", { type: "server_error" })] },
      { events: [] },
      { events: [textChunk(""), textChunk("")], ending: "cut" },
      { events: ["oops"] },
      { events: ["[DONE]"] },
    ];
    for (const answer of bad) {
      upstream.answerWith(answer);
      other.answerWith(stream);
      const seen = await ask({ stream: true }, { model: fresh() });
      assert.equal(seen.status, 200, textOf(seen));
      assert.ok(isFinished(textOf(seen)), JSON.stringify(answer));
      assert.equal((await rowOf(seen)).upstreamId, "other");
    }
  });

  test("after the first text nothing is tried again, and a cut stream never looks finished", async () => {
    const begun = [textChunk(" Hel"), textChunk("lo")];
    const bad: { readonly events: readonly unknown[]; readonly ending?: "cut" }[] = [
      { events: [...begun, openaiError("busy", { type: "server_error" }), "[DONE]"] },
      { events: begun, ending: "cut" },
      { events: begun },
      { events: [...begun, "[DONE]"] },
      { events: [...begun, textChunk("", "stop"), textUsage] },
    ];
    for (const answer of bad) {
      upstream.answerWith(answer);
      other.answerWith(stream);
      const seen = await ask({ stream: true }, { model: fresh() });
      const text = textOf(seen);
      assert.match(text, /" Hel"/);
      assert.ok(!isFinished(text), JSON.stringify(answer));
      assert.match(text, /"code":"upstream_error"/);
      assert.equal(other.calls.length, 0);
      const row = await rowOf(seen);
      assert.ok(row.charge > 0n);
      assert.equal(row.state, "incomplete");
    }
  });

  test("a whole answer that is an error, or none", async () => {
    for (const body of [openaiError("busy", { type: "server_error" }), {}, "<html>", { choices: "none" }]) {
      upstream.answerWith({ body });
      other.answerWith(whole);
      const seen = await ask({}, { model: fresh() });
      assert.equal(textOf(seen), JSON.stringify(whole.body));
      assert.equal((await rowOf(seen)).upstreamId, "other");
    }
  });
});

describe("tried again, hedged, repeated, left", () => {
  test("a failure is tried elsewhere; one about the request is told", async () => {
    upstream.answerWith({ status: 500, body: openaiError("no", { type: "server_error" }) });
    other.answerWith(whole);
    const seen = await ask({}, { model: fresh() });
    assert.deepEqual([seen.status, (await rowOf(seen)).attempts], [200, 2]);
    const error = openaiError("Invalid 'suffix'.", { param: "suffix" });
    upstream.answerWith({ status: 400, body: error });
    other.answerWith(whole);
    assertRefused(await ask({ suffix: "x" }, { model: fresh() }), 400, "invalid_request", "suffix");
    assert.equal(other.calls.length, 0);
  });

  test("the second attempt of a hedge answers where the first is slow", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    upstream.answerWith({ ...stream, after: promise });
    other.answerWith(stream);
    const seen = await ask({ stream: true }, { model: "hedged" });
    resolve();
    assert.ok(isFinished(textOf(seen)));
    assert.equal((await rowOf(seen)).upstreamId, "other");
  });

  for (const isStream of [false, true]) {
    test(`the same call again, ${isStream ? "streamed" : "whole"}: the same bytes, paid once`, async () => {
      upstream.answerWith(isStream ? stream : whole);
      const key = `again-${isStream}`;
      const [first, again] = [
        await ask({ stream: isStream }, { key }),
        await ask({ stream: isStream }, { key }),
      ];
      assert.deepEqual(again.body, first.body);
      assert.equal(again.headers["idempotent-replayed"], "true");
      assert.equal(upstream.calls.length, 1);
      assert.deepEqual([(await rowOf(first)).charge, (await rowOf(again)).charge], [charge, 0n]);
    });
  }

  test("a key used at another path is another call's", async () => {
    upstream.answerWith(whole);
    const body = { messages: [{ role: "user", content: "hi" }] };
    const asked = { model: "both", key: "two-paths" };
    assert.equal((await ask(body, asked)).status, 200);
    const chat = await ask(body, { ...asked, path: "/v1/chat/completions" });
    assertRefused(chat, 422, "idempotency_key_reused");
  });

  test("a caller that leaves: the upstream is stopped, and what was written is charged", async () => {
    const never = new Promise<void>(() => {});
    upstream.answerWith({ events: [textChunk(" Hel"), textChunk("lo"), never] });
    const seen = await ask({ stream: true }, { leaveAt: "lo" });
    await upstream.calls[0]?.cancelled;
    await app.callersGone();
    const row = await rowOf(seen);
    assert.deepEqual([row.state, row.usageSource, row.outputTokens], ["aborted", "estimated", 2]);
  });

  test("a parameter that is refused by name is left out where the caller allows it", async () => {
    const refusal = openaiError("Unsupported parameter: 'logit_bias'", {
      param: "logit_bias",
      code: "unsupported_parameter",
    });
    upstream.answerWith({ status: 400, body: refusal }, whole);
    const headers = { "x-plaza-drop-params": "true" };
    const seen = await ask({ logit_bias: { "50256": -100 } }, { headers });
    assert.equal(seen.status, 200, textOf(seen));
    assert.equal(seen.headers["x-plaza-dropped-params"], "logit_bias");
    assert.equal(sent(1)["logit_bias"], undefined);
  });
});

test("every completion of many prompts is held for, and charged by the upstream's sum", async () => {
  const rich = await app.newAccount("1");
  const usage = { ...completionUsage, completion_tokens: 64 };
  upstream.answerWith({ body: { ...textCompletion("a", "b", "c", "d"), usage } });
  const seen = await ask({ prompt: ["one", "two"], n: 2, best_of: 2 }, { from: rich });
  const row = await rowOf(seen);
  assert.deepEqual([row.outputTokens, row.usageSource], [64, "exact"]);
  assert.equal((await app.store.findAccount(rich.accountId))?.balance, parseUsd("1") - row.charge);
});
