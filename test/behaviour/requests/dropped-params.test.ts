/**
 * An upstream that refuses one parameter by name: callers that allow it are served without that parameter,
 * once, and informed by a header.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { chunk, completion, openaiError } from "../harness/openai-shapes.ts";
import {
  type ScriptedAnswer,
  type ScriptedUpstream,
  startScriptedUpstream,
} from "../harness/scripted-upstream.ts";

let up: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;

before(async () => {
  up = await startScriptedUpstream();
  app = await startApp({
    catalog: { upstreams: [upstreamAt("a", up.baseUrl)], models: [modelOn("m", ["a"])], limits: {} },
  });
});
beforeEach(async () => {
  account = await app.newAccount("10");
});
after(async () => {
  await app?.stop();
  await up?.stop();
});

const refusal = (param: string): ScriptedAnswer => ({
  status: 400,
  body: openaiError("Unsupported parameter", { code: "unsupported_parameter", param }),
});
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const whole: ScriptedAnswer = { body: { ...completion({ message: { content: "one" } }), usage } };
const streamed: ScriptedAnswer = {
  events: [chunk({ content: "one" }), chunk({}, "stop"), { ...chunk({}), choices: [], usage }, "[DONE]"],
};
const allows = { "x-plaza-drop-params": "true" };

const ask = (more: object, headers: Record<string, string> = allows): Promise<Seen> =>
  post({
    url: app.chatUrl,
    key: account.key,
    headers,
    body: JSON.stringify({
      temperature: 0.2,
      model: "m",
      seed: 7,
      messages: [{ role: "user", content: "hi" }],
      ...more,
    }),
  });

for (const stream of [true, false]) {
  test(`once more without it, and the caller is told, ${stream ? "streamed" : "whole"}`, async () => {
    up.answerWith(refusal("temperature"), stream ? streamed : whole);
    const seen = await ask({ stream });
    assert.deepEqual([seen.status, seen.headers["x-plaza-dropped-params"]], [200, "temperature"]);
    const [first, second] = up.calls.map(({ body }) => body);
    const { temperature, ...rest } = first ?? {};
    assert.equal(temperature, 0.2);
    assert.deepEqual(second, rest);
    const { attempts, state } = await app.newestRow(account.accountId, 1);
    assert.deepEqual([attempts, state], [2, "complete"]);
  });
}

test("only one parameter, only once; what is refused then is the caller's", async () => {
  up.answerWith(refusal("temperature"), refusal("seed"), whole);
  const seen = await ask({});
  assert.deepEqual([seen.status, up.calls.length], [400, 2]);
  assert.match(seen.body.toString(), /"param":"seed"/);
});

test("callers that do not allow it, and parameters that change what is asked for, get the refusal", async () => {
  up.answerWith(refusal("temperature"));
  assert.deepEqual([(await ask({}, {})).status, up.calls.length], [400, 1]);
  up.answerWith(refusal("messages"));
  assert.deepEqual([(await ask({})).status, up.calls.length], [400, 1]);
});
