/**
 * OpenAI-compatible services with differences, and Azure, as a caller sees them: upstream requests,
 * responses, refusals by name, and token requests.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, test } from "node:test";
import type { Upstream } from "@plaza/contract/catalog.ts";
import { type Ask, post, type Seen } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, upstreamAt } from "../harness/app-in-process.ts";
import { chunk, completion } from "../harness/openai-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

let ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.reverse()) await end();
  ends = [];
});

interface Stage {
  readonly up: readonly [ScriptedUpstream, ScriptedUpstream];
  ask(body: Record<string, unknown>, more?: Partial<Ask>): Promise<Seen>;
}

/** Model `one` has one deployment on the first upstream; `both` has a second on a plain upstream. */
async function stage(first: Partial<Upstream>, path = "/v1"): Promise<Stage> {
  const up = [await startScriptedUpstream(), await startScriptedUpstream()] as const;
  ends.push(
    () => up[0].stop(),
    () => up[1].stop(),
  );
  const at = (index: 0 | 1) => up[index].baseUrl.replace("/v1", index === 0 ? path : "/v1");
  const app = await startApp({
    catalog: {
      upstreams: [upstreamAt("a", at(0), first), upstreamAt("b", at(1))],
      models: [modelOn("one", ["a"]), modelOn("both", ["a", "b"])],
      limits: {},
    },
  });
  ends.push(() => app.stop());
  const { key } = await app.newAccount("10");
  return {
    up,
    ask: (body, more = {}) =>
      post({
        url: app.chatUrl,
        key,
        body: JSON.stringify({ messages: [{ role: "user", content: "hello wor" }], ...body }),
        ...more,
      }),
  };
}

const whole = { body: { ...completion({ message: { content: "ok" } }), usage } };
const errorOf = ({ body }: Seen) =>
  (JSON.parse(body.toString()) as { error: { code: string; param: string } }).error;

test("what a service has not is a 400 that names it, and the header says what was left out where that is allowed", async () => {
  const { up, ask } = await stage({ preset: "groq" });
  up[0].answerWith(whole);
  const refused = await ask({ model: "one", n: 2, logprobs: true });
  assert.equal(refused.status, 400);
  assert.deepEqual([errorOf(refused).code, errorOf(refused).param], ["unsupported_parameter", "n"]);
  assert.equal(up[0].calls.length, 0);
  const taken = await ask(
    { model: "one", n: 2, logprobs: true },
    { headers: { "x-plaza-drop-params": "true" } },
  );
  assert.equal(taken.status, 200);
  assert.equal(taken.headers["x-plaza-dropped-params"], "n, logprobs");
  assert.deepEqual(Object.keys(up[0].calls[0]?.body ?? {}).sort(), ["messages", "model"]);
});

test("the same holds where only the requests deviate", async () => {
  const { up, ask } = await stage({ preset: "perplexity" });
  up[0].answerWith(whole);
  const tools = [{ type: "function", function: { name: "f" } }];
  const refused = await ask({ model: "one", tools });
  assert.deepEqual([refused.status, errorOf(refused).code], [400, "unsupported_parameter"]);
  assert.equal((await ask({ model: "one", tools: [] })).status, 200);
});

test("what asks for a manner and cannot be had is left out, and told without being asked for", async () => {
  // One preset has its own answers, the other only its own requests.
  for (const [preset, asked, told] of [
    [
      "mistral",
      { user: "u", store: true, metadata: { a: "b" }, verbosity: "low" },
      "user, store, metadata, verbosity",
    ],
    ["perplexity", { parallel_tool_calls: false }, "parallel_tool_calls"],
  ] as const) {
    const { up, ask } = await stage({ preset });
    const events = [chunk({ role: "assistant", content: "ok" }), { ...chunk({}, "stop"), usage }, "[DONE]"];
    for (const [stream, answer] of [
      [false, whole],
      [true, { events }],
    ] as const) {
      up[0].answerWith(answer);
      const seen = await ask({ model: "one", stream, ...asked });
      assert.equal(seen.status, 200);
      assert.equal(seen.headers["x-plaza-dropped-params"], told, `${preset} ${stream}`);
    }
    for (const { body } of up[0].calls)
      for (const name of Object.keys(asked)) assert.equal(body[name], undefined);
  }
});

test("another deployment that has it answers instead", async () => {
  const { up, ask } = await stage({ preset: "zhipu" });
  up[1].answerWith(whole);
  const seen = await ask({ model: "both", seed: 7 });
  assert.equal(seen.status, 200);
  assert.deepEqual([up[0].calls.length, up[1].calls[0]?.body["seed"]], [0, 7]);
});

test("a stream with an accent comes without it, its usage is charged", async () => {
  const { up, ask } = await stage({ preset: "mistral" });
  up[0].answerWith({
    events: [
      chunk({ role: "assistant", content: "" }),
      chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm" }] }] }),
      chunk({ content: [{ type: "text", text: "ok" }] }),
      { ...chunk({ content: "" }, "model_length"), usage },
      "[DONE]",
    ],
  });
  const seen = await ask({ model: "one", stream: true, max_completion_tokens: 9, seed: 7 });
  const text = seen.body.toString();
  assert.match(text, /"reasoning_content":"Hm"/);
  assert.match(text, /"content":"ok"/);
  assert.match(text, /"finish_reason":"length"/);
  assert.match(text, /data: \[DONE\]\n\n$/);
  const { body } = up[0].calls[0] ?? assert.fail("not called");
  assert.deepEqual([body["max_tokens"], body["random_seed"], body["stream_options"]], [9, 7, undefined]);
});

/** Answers every POST with a token, and records the requests. */
async function startIssuer(status = 200) {
  const asked: { path: string; form: URLSearchParams }[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    request.on("end", () => {
      asked.push({ path: request.url ?? "", form: new URLSearchParams(text) });
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify({ token_type: "Bearer", expires_in: 3_599, access_token: "ey.token" }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => new Promise((resolve) => server.close(resolve)));
  return { asked, authority: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const application = "11111111-2222-3333-4444-555555555555:66666666-7777-8888-9999-000000000000:s:ecret";

test("Azure: a key goes to the deployment, remarks of the filter and Azure's headers do not reach the caller", async () => {
  const { up, ask } = await stage({ provider: "azure", credentials: ["key-1"] }, "");
  const remark = { content_filter_results: { hate: { filtered: false, severity: "safe" } } };
  up[0].answerWith({
    headers: { "apim-request-id": "a", "x-ms-region": "Sweden Central" },
    body: {
      ...completion({ message: { content: "ok" }, ...remark }),
      prompt_filter_results: [{ prompt_index: 0, ...remark }],
      usage,
    },
  });
  const seen = await ask({ model: "one" });
  assert.equal(seen.status, 200);
  assert.doesNotMatch(seen.body.toString(), /filter/);
  assert.deepEqual(
    Object.keys(seen.headers).filter((name) => /^(?:apim|x-ms)/.test(name)),
    [],
  );
  const { headers } = up[0].calls[0] ?? assert.fail("not called");
  assert.deepEqual([headers["api-key"], headers.authorization], ["key-1", undefined]);
});

test("Azure: an application's secret is exchanged once, and never sent to the upstream", async () => {
  const { asked, authority } = await startIssuer();
  const { up, ask } = await stage(
    { provider: "azure", credentials: [application], options: { authority } },
    "/openai/v1",
  );
  up[0].answerWith(whole);
  for (let round = 0; round < 3; round += 1) assert.equal((await ask({ model: "one" })).status, 200);
  assert.equal(asked.length, 1);
  assert.equal(asked[0]?.path, "/11111111-2222-3333-4444-555555555555/oauth2/v2.0/token");
  assert.equal(asked[0]?.form.get("client_secret"), "s:ecret");
  assert.equal(asked[0]?.form.get("scope"), "https://ai.azure.com/.default");
  for (const { headers } of up[0].calls) {
    assert.equal(headers.authorization, "Bearer ey.token");
    assert.doesNotMatch(JSON.stringify(headers), /ecret/);
  }
});

test("Azure: without a token nothing is sent", async () => {
  const { authority } = await startIssuer(401);
  const { up, ask } = await stage(
    { provider: "azure", credentials: [application], options: { authority } },
    "/openai/v1",
  );
  up[0].answerWith(whole);
  const seen = await ask({ model: "one" });
  assert.ok(seen.status >= 500, String(seen.status));
  assert.equal(up[0].calls.length, 0);
  assert.doesNotMatch(seen.body.toString(), /ecret|127\.0\.0\.1/);
});
