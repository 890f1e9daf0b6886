/**
 * Gemini's generateContent from end to end: what upstreams of its own and of another format are asked and the
 * caller gets, whole, as events and as an array; what is charged, how streams end, what is refused.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { parseUsd } from "@plaza/contract/money.ts";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { readError } from "../harness/error-shapes.ts";
import {
  finishOf,
  geminiError,
  geminiEvents,
  geminiResponse,
  geminiText,
  partsOf,
  textOf,
} from "../harness/gemini-shapes.ts";
import { completion, streamOf } from "../harness/openai-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

const freshMax = 20;
let used = 0;
/** A model at Google with another upstream behind it: what one did to a call is remembered. */
const fresh = (): string => `two-${used++}`;
let google: ScriptedUpstream;
let chat: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;

before(async () => {
  google = await startScriptedUpstream();
  chat = await startScriptedUpstream();
  const at = google.baseUrl.replace(/\/v1$/, "/v1beta");
  const own = { provider: "google" } as const;
  app = await startApp({
    catalog: {
      upstreams: [
        upstreamAt("google", at, own),
        upstreamAt("chat", chat.baseUrl),
        ...Array.from({ length: freshMax }, (_, index) => upstreamAt(`up-${index}`, at, own)),
        upstreamAt("open", at, { ...own, options: { allowUnpriced: "tools,serviceTier" } }),
      ],
      models: [
        modelOn("gemini", ["google"], { maxOutput: 9_000 }),
        modelOn("vendor/model-x:free", ["google"]),
        {
          ...modelOn("lite", ["google"], { maxOutput: 300 }),
          deployments: [{ upstream: "google", model: "gemini-2.5-flash-lite", priority: 1, weight: 1 }],
        },
        modelOn("gpt", ["chat"], { maxOutput: 500 }),
        modelOn("open", ["open"]),
        ...Array.from({ length: freshMax }, (_, index) => modelOn(`two-${index}`, [`up-${index}`, "chat"])),
        modelOn("limited", ["google"], { limits: { tokensPerMinute: 60 } }),
        modelOn("embeds", ["chat"], { operations: ["embeddings"] }),
      ],
      limits: {},
    },
  });
  account = await app.newAccount("100");
});
after(async () => {
  await app?.stop();
  await google?.stop();
  await chat?.stop();
});

const charge = parseUsd("0.00002");
const contents = [{ role: "user", parts: [{ text: "Say it." }] }];
const generationConfig = { maxOutputTokens: 100 };

interface Asked {
  readonly model?: string;
  readonly key?: string;
  readonly from?: TestAccount;
  readonly method?: string;
  readonly version?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function askText(body: string, asked: Asked = {}): Promise<Seen> {
  const { from = account, model = "gemini", key, method = "generateContent", version = "v1beta" } = asked;
  return post({
    url: `${app.origin}/${version}/models/${model}:${method}`,
    key: from.key,
    headers: { ...asked.headers, ...(key === undefined ? {} : { "idempotency-key": key }) },
    body,
  });
}

const ask = (body: object = {}, asked: Asked = {}): Promise<Seen> =>
  askText(JSON.stringify({ contents, generationConfig, ...body }), asked);
const events = "streamGenerateContent?alt=sse";
const array = "streamGenerateContent";

const textIn = ({ body }: Seen): string => body.toString("utf8");
type Fields = Record<string, unknown>;
const jsonOf = (seen: Seen): Fields => JSON.parse(textIn(seen)) as Fields;
const rowOf = async (seen: Seen) => {
  const found = await app.store.findRequest(String(seen.headers["x-request-id"]));
  assert.ok(found !== undefined, textIn(seen));
  return found.request;
};

function assertRefused(seen: Seen, status: number, code: string, param: string | null = null): void {
  assert.equal(seen.status, status, textIn(seen));
  const told = readError(textIn(seen), "gemini");
  assert.deepEqual([told.code, told.param], [code, param], textIn(seen));
}

const hello = geminiResponse([geminiText("Hello")], "STOP");
const stream = [geminiResponse([geminiText("Hel")]), geminiResponse([geminiText("lo")], "STOP")];

describe("at Google", () => {
  test("the bytes go up as they are and come down as they are, charged by the report", async () => {
    google.answerWith({ body: hello });
    const sent =
      '{ "contents":[ {"parts":[{"text":"é\\u00e9"}]} ],  "generation_config":{"max_output_tokens":"9"} }';
    const seen = await askText(sent);
    assert.equal(seen.status, 200, textIn(seen));
    assert.equal(textIn(seen), JSON.stringify(hello));
    const [call] = google.calls;
    assert.deepEqual([call?.path, call?.text], ["/v1beta/models/upstream-model:generateContent", sent]);
    assert.equal(call?.headers["x-goog-api-key"], "sk-up");
    assert.equal(call?.headers.authorization, undefined);
    const row = await rowOf(seen);
    assert.deepEqual(
      [row.operation, row.state, row.inputTokens, row.outputTokens, row.usageSource, row.charge],
      ["chat", "complete", 10, 5, "exact", charge],
    );
    assert.equal(seen.headers["x-plaza-charge"], "0.00002");
  });

  test("a stream passes as events, or as an array, with the usage in it", async () => {
    for (const version of ["v1beta", "v1"]) {
      google.answerWith({ events: stream });
      const seen = await ask({}, { method: events, version });
      assert.match(String(seen.headers["content-type"]), /^text\/event-stream/);
      assert.equal(google.calls[0]?.path, "/v1beta/models/upstream-model:streamGenerateContent?alt=sse");
      assert.deepEqual(geminiEvents(textIn(seen)), stream);
      google.answerWith({ events: stream });
      const listed = await ask({}, { method: array, version });
      assert.match(String(listed.headers["content-type"]), /^application\/json/);
      assert.deepEqual(JSON.parse(textIn(listed)), stream);
      for (const one of [seen, listed]) {
        const row = await rowOf(one);
        assert.deepEqual([row.isStream, row.usageSource, row.charge], [true, "exact", charge]);
      }
    }
  });

  test("names with slashes and colons are found, percent-encoded or not", async () => {
    for (const model of ["vendor/model-x:free", "vendor%2Fmodel-x%3Afree", "models/vendor/model-x:free"]) {
      google.answerWith({ body: hello });
      assert.equal((await ask({}, { model })).status, 200, model);
    }
    google.answerWith({ body: hello });
    const path = `${app.origin}/v1beta/models/vendor%2Fmodel-x%3Afree%3AgenerateContent`;
    const seen = await post({ url: path, key: account.key, body: JSON.stringify({ contents }) });
    assert.equal(seen.status, 200, textIn(seen));
  });

  test("the output is cut to what is paid for, and nothing else changes", async () => {
    google.answerWith({ body: hello });
    const [before, after] = [
      '{"contents":[{"parts":[{"text":"x"}]}], "generationConfig":{"maxOutputTokens":',
      ',"topK":1}}',
    ];
    await askText(`${before}50000${after}`, { model: "vendor/model-x:free" });
    assert.equal(google.calls[0]?.text, `${before}1000${after}`);
  });

  test("a budget of thoughts follows the lowered output; what is turned off is told", async () => {
    const rest = `,"contents":${JSON.stringify(contents)}}`;
    const text = (budget: number | string, bound: number): string =>
      `{"generationConfig":{"thinking_config":{"thinkingBudget": ${budget} },"maxOutputTokens":${bound}}${rest}`;
    for (const [model, bound, budget, dropped] of [
      ["vendor/model-x:free", 1_000, 999, undefined],
      ["lite", 300, 0, "generationConfig.thinkingConfig.thinkingBudget"],
    ] as const) {
      for (const method of ["generateContent", events]) {
        google.answerWith(method === events ? { events: stream } : { body: hello });
        const seen = await askText(text(8_000, 9_000), { model, method });
        assert.equal(seen.status, 200, textIn(seen));
        const off = text(0, bound).replace('{"thinkingBudget": 0 }', '{"thinkingBudget":0}');
        assert.equal(google.calls[0]?.text, budget === 0 ? off : text(budget, bound));
        assert.equal(seen.headers["x-plaza-max-tokens"], String(bound));
        assert.equal(seen.headers["x-plaza-dropped-params"], dropped);
      }
    }
  });

  test("a thought signature survives a turn of tools, to the byte", async () => {
    const call = { functionCall: { name: "f", args: { city: "Oslo" } }, thoughtSignature: "c2lnbmF0dXJl" };
    google.answerWith({ events: [geminiResponse([call], "STOP")] });
    const seen = await ask({}, { method: events });
    const parts = partsOf(geminiEvents(textIn(seen)));
    assert.deepEqual(parts, [call]);
    google.answerWith({ body: hello });
    const result = { functionResponse: { name: "f", response: { output: "1" } } };
    await ask({ contents: [...contents, { role: "model", parts }, { role: "user", parts: [result] }] });
    const [, turn] = (google.calls[0]?.body["contents"] ?? []) as Fields[];
    assert.deepEqual(turn?.["parts"], [call]);
  });

  test("a prompt that is blocked is an answer, whole and streamed", async () => {
    const blocked = {
      promptFeedback: { blockReason: "SAFETY" },
      usageMetadata: { promptTokenCount: 10, totalTokenCount: 10 },
    };
    google.answerWith({ body: blocked });
    assert.deepEqual(jsonOf(await ask()), blocked);
    google.answerWith({ events: [blocked] });
    assert.deepEqual(geminiEvents(textIn(await ask({}, { method: events }))), [blocked]);
  });

  test("what the operator allows goes up; the rest is refused by name", async () => {
    const search = { tools: [{ googleSearch: {} }, { urlContext: {} }], serviceTier: "priority" };
    google.answerWith({ body: hello });
    const seen = await ask(search, { model: "open" });
    assert.equal(seen.status, 200, textIn(seen));
    assert.deepEqual(google.calls[0]?.body["tools"], search.tools);
    google.answerWith({ body: hello });
    assertRefused(await ask({ tools: search.tools }), 400, "unsupported_parameter", "tools[0].googleSearch");
    assertRefused(await ask({ serviceTier: "flex" }), 400, "unsupported_parameter", "serviceTier");
    assert.equal(google.calls.length, 0);
  });

  test("hosted tools beside the caller's own are left out and told, unless the operator allows them", async () => {
    const declared = { functionDeclarations: [{ name: "f" }] };
    const sent = `{"tools":[ ${JSON.stringify(declared)}, {"googleSearch":{}} ],"contents":${JSON.stringify(contents)}}`;
    google.answerWith({ body: hello });
    const seen = await askText(sent);
    assert.equal(seen.status, 200, textIn(seen));
    assert.equal(seen.headers["x-plaza-dropped-params"], "tools[1].googleSearch");
    assert.equal(google.calls[0]?.text.startsWith(`{"tools":[ ${JSON.stringify(declared)} ],`), true);
    google.answerWith({ body: hello });
    const open = await askText(sent, { model: "open" });
    assert.deepEqual([open.status, open.headers["x-plaza-dropped-params"]], [200, undefined]);
    assert.equal(google.calls[0]?.text, sent);
    chat.answerWith({ body: completion({ message: { content: "Hello" } }) });
    const other = await ask({ tools: [{ url_context: {}, ...declared }] }, { model: "gpt" });
    assert.deepEqual(
      [other.status, other.headers["x-plaza-dropped-params"]],
      [200, "tools[0].url_context"],
      textIn(other),
    );
    assert.deepEqual([chat.calls[0]?.body["tools"]].flat().length, 1);
  });
});

describe("at an upstream of chat", () => {
  test("a whole answer and streams are Gemini's, exact", async () => {
    chat.answerWith({ body: completion({ message: { content: "Hello" } }) });
    const seen = await ask({ systemInstruction: { parts: [{ text: "Be brief." }] } }, { model: "gpt" });
    assert.equal(seen.status, 200, textIn(seen));
    assert.deepEqual([textOf([jsonOf(seen)]), finishOf([jsonOf(seen)])], ["Hello", "STOP"]);
    assert.equal(chat.calls[0]?.path, "/v1/chat/completions");
    assert.deepEqual(
      ((chat.calls[0]?.body["messages"] ?? []) as Fields[]).map((one) => one["role"]),
      ["system", "user"],
    );
    for (const method of [events, array]) {
      chat.answerWith({ events: streamOf([{ content: "Hel" }, { content: "lo" }]) });
      const streamed = await ask({}, { model: "gpt", method });
      const objects =
        method === array ? (JSON.parse(textIn(streamed)) as Fields[]) : geminiEvents(textIn(streamed));
      assert.deepEqual([textOf(objects), finishOf(objects)], ["Hello", "STOP"]);
      assert.ok(objects.at(-1)?.["usageMetadata"] !== undefined);
      assert.doesNotMatch(textIn(streamed), /usageOnly|\[DONE\]/);
      const row = await rowOf(streamed);
      assert.deepEqual([row.state, row.usageSource], ["complete", "exact"]);
    }
  });

  test("what has no word there is refused by Gemini's name", async () => {
    chat.answerWith({ body: completion({ message: { content: "Hello" } }) });
    const seen = await ask(
      {
        generationConfig: {
          responseMimeType: "text/x.enum",
          responseSchema: { type: "STRING", enum: ["a"] },
        },
      },
      { model: "gpt" },
    );
    assert.equal(readError(textIn(seen), "gemini").code, "unsupported_parameter");
  });
});

describe("how it ends", () => {
  test("an error before the content is the other upstream's turn", async () => {
    google.answerWith({ status: 503, body: geminiError(503, "UNAVAILABLE") });
    chat.answerWith({ events: streamOf([{ content: "Hello" }]) });
    const seen = await ask({}, { model: fresh(), method: events });
    assert.deepEqual([seen.status, textOf(geminiEvents(textIn(seen)))], [200, "Hello"]);
  });

  test("a stream cut before a finish reason is an error in Google's shape, never an end", async () => {
    for (const method of [events, array]) {
      for (const ending of ["end", "cut"] as const) {
        google.answerWith({ events: [geminiResponse([geminiText("Hel")])], ending });
        const seen = await ask({}, { model: fresh(), method });
        const objects =
          method === array ? (JSON.parse(textIn(seen)) as Fields[]) : geminiEvents(textIn(seen));
        assert.equal(textOf(objects), "Hel");
        assert.equal(finishOf(objects), undefined);
        const { error } = objects.at(-1) as { error: { code: number; status: string } };
        assert.deepEqual([error.code, error.status], [502, "UNAVAILABLE"], `${method} ${ending}`);
        const row = await rowOf(seen);
        assert.notEqual(row.state, "complete");
      }
    }
  });

  test("an error within the stream is told once, and what came is charged", async () => {
    google.answerWith({
      events: [geminiResponse([geminiText("Hello there")]), geminiError(503, "UNAVAILABLE", "secret-host")],
    });
    const seen = await ask({}, { model: fresh(), method: events });
    const objects = geminiEvents(textIn(seen));
    assert.deepEqual(
      objects.map((object) => "error" in object),
      [false, true],
    );
    assert.doesNotMatch(textIn(seen), /secret-host/);
    assert.ok((await rowOf(seen)).charge > 0n);
  });

  test("a repeated call is answered from what is kept, each method and model by itself", async () => {
    const body = { generationConfig: { maxOutputTokens: 77 } };
    google.answerWith({ body: hello });
    const first = await ask(body, { key: "k-1" });
    const again = await ask(body, { key: "k-1" });
    assert.deepEqual([again.status, textIn(again)], [200, textIn(first)]);
    assert.equal(google.calls.length, 1);
    const elsewhere = await ask(body, { key: "k-1", model: "gpt" });
    assertRefused(elsewhere, 422, "idempotency_key_reused");
    google.answerWith({ events: stream });
    const listed = await ask(body, { key: "k-2", method: array });
    const replayed = await ask(body, { key: "k-2", method: array });
    assert.deepEqual([textIn(replayed), google.calls.length], [textIn(listed), 1]);
    assert.equal(replayed.headers["content-type"], listed.headers["content-type"]);
  });
});

describe("what is refused", () => {
  test("in Google's shape, before anything is called", async () => {
    google.answerWith({ body: hello });
    assertRefused(await ask({ contents: [] }), 400, "invalid_request", "contents");
    assertRefused(await askText("{"), 400, "invalid_request");
    assertRefused(await ask({}, { model: "nope" }), 404, "model_not_found", "model");
    assertRefused(await ask({}, { model: "embeds" }), 400, "wrong_endpoint", "model");
    assertRefused(await ask({ cachedContent: "cachedContents/a" }), 404, "not_found", "cachedContent");
    const file = { fileData: { fileUri: "files/a", mimeType: "image/png" } };
    assertRefused(
      await ask({ contents: [{ parts: [file] }] }),
      404,
      "not_found",
      "contents[0].parts[0].fileData.fileUri",
    );
    assertRefused(await ask({}, { from: { ...account, key: "sk-plaza-wrong" } }), 401, "invalid_api_key");
    const poor = await app.newAccount("0.0000001");
    assertRefused(await ask({}, { from: poor }), 402, "insufficient_balance");
    assert.equal(google.calls.length, 0);
    google.answerWith({
      status: 400,
      body: geminiError(400, "INVALID_ARGUMENT", "Invalid value at 'contents'"),
    });
    assert.equal((await ask()).status, 400);
  });

  test("methods that Plaza has not are told with those it has", async () => {
    for (const [path, served] of [
      ["/v1beta/models/gemini:predict", /:generateContent.*:embedContent/],
      ["/v1beta/cachedContents", /stores no contents/],
      ["/v1beta/files/x", /inlineData/],
      ["/upload/v1beta/files", /inlineData/],
      ["/v1beta1/publishers/google/models/gemini:generateContent", /Gemini API/],
      ["/v1beta/tunedModels/x:generateContent", /:generateContent/],
    ] as const) {
      const seen = await post({ url: `${app.origin}${path}`, key: account.key, body: "{}" });
      assertRefused(seen, 404, "not_found");
      assert.match(textIn(seen), served, path);
    }
  });
});
