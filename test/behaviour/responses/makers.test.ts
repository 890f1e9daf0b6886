/**
 * Encrypted reasoning stays with the upstream that made it: where another one answers the next turn it is
 * left out and told, and it goes back to its maker as it came. For callers of Responses, whose bytes pass,
 * and for callers of the other formats, who carry it in payloads of Plaza's.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { parseUsd } from "@plaza/contract/money.ts";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import {
  endEvent,
  functionCallItem,
  messageItem,
  reasoningItem,
  response,
  startEvents,
  streamOf,
} from "../harness/responses-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

const secret = "Z0FBQUFBQm9mdGhlZmlyc3Rvcmdhbml6YXRpb24=";
let first: ScriptedUpstream;
let second: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;

/** A model of its own for each test: what an upstream did to a call is remembered. */
const models = Array.from({ length: 12 }, (_, index) => `m-${index}`);
let used = 0;
const fresh = (): string => models[used++] ?? assert.fail("more models");

before(async () => {
  first = await startScriptedUpstream();
  second = await startScriptedUpstream();
  const price = { input: parseUsd("1"), output: parseUsd("2") };
  const formats = ["openai-responses"] as const;
  app = await startApp({
    catalog: {
      upstreams: models.flatMap((id) => [
        upstreamAt(`first-${id}`, first.baseUrl),
        upstreamAt(`second-${id}`, second.baseUrl),
      ]),
      models: models.map((id) => ({
        id,
        name: id,
        maxOutput: 1_000,
        price,
        deployments: ["first", "second"].map((at, index) => ({
          upstream: `${at}-${id}`,
          model: "gpt-5.1",
          priority: index + 1,
          weight: 1,
          formats,
        })),
      })),
      limits: {},
    },
  });
  account = await app.newAccount("100");
});
after(async () => {
  await app?.stop();
  await first?.stop();
  await second?.stop();
});

const ask = (path: string, body: object): Promise<Seen> =>
  post({ url: `${app.origin}${path}`, key: account.key, body: JSON.stringify(body) });

const thought = reasoningItem(secret);
const call = functionCallItem("call_1", "f", {});
const thinking = { body: response([thought, call]) };
const done = { body: response([messageItem("Done.")]) };
const busy = { status: 503, body: { error: { message: "Busy.", type: "server_error", code: null } } };

const tools = [{ type: "function", name: "f", parameters: { type: "object" } }];
const question = { role: "user", content: "Q" };
const result = { type: "function_call_output", call_id: "call_1", output: "1" };
const secondTurn = (model: string) => ({
  model,
  store: false,
  tools,
  input: [question, thought, call, result],
});

/** What the upstream that was called last has got. */
const sentTo = ({ calls }: ScriptedUpstream): string => calls.at(-1)?.text ?? "";

test("callers of Responses: it goes back to its maker, and to nobody else", async () => {
  for (const isStream of [false, true]) {
    const model = fresh();
    const streamed = streamOf([...startEvents(), endEvent([thought, call])]);
    first.answerWith(isStream ? streamed : thinking);
    const asked = { model, store: false, tools, input: [question], stream: isStream };
    assert.equal((await ask("/v1/responses", asked)).status, 200);
    first.answerWith(done);
    assert.equal((await ask("/v1/responses", secondTurn(model))).status, 200);
    assert.ok(sentTo(first).includes(`"encrypted_content":"${secret}"`), "its maker gets it");
    first.answerWith(busy);
    second.answerWith(done);
    const elsewhere = await ask("/v1/responses", secondTurn(model));
    assert.equal(elsewhere.status, 200, String(elsewhere.body));
    assert.ok(sentTo(first).includes(secret));
    const items = (JSON.parse(sentTo(second)) as { input: { type?: string }[] }).input;
    assert.deepEqual(
      items.map(({ type }) => type),
      [undefined, "function_call", "function_call_output"],
    );
    assert.equal(elsewhere.headers["x-plaza-dropped-params"], "input[1]");
  }
});

test("a conversation goes on at the maker of its reasoning, also where another comes first", async () => {
  const model = fresh();
  first.answerWith(busy);
  second.answerWith(thinking);
  assert.equal((await ask("/v1/responses", { model, store: false, tools, input: [question] })).status, 200);
  first.answerWith(done);
  second.answerWith(done);
  assert.equal((await ask("/v1/responses", secondTurn(model))).status, 200);
  assert.equal(first.calls.length, 0);
  assert.ok(sentTo(second).includes(secret));
  assert.equal((await ask("/v1/responses", { model, store: false, input: [question] })).status, 200);
  assert.equal(first.calls.length + second.calls.length, 2);
});

test("what nobody remembers goes on as it came", async () => {
  const model = fresh();
  first.answerWith(busy);
  second.answerWith(done);
  const unknown = reasoningItem(`${secret.slice(0, -4)}AAA=`);
  const { headers } = await ask("/v1/responses", {
    ...secondTurn(model),
    input: [question, unknown, call, result],
  });
  assert.ok(sentTo(second).includes(String(unknown["encrypted_content"])));
  assert.equal(headers["x-plaza-dropped-params"], undefined);
});

test("it is known also where the last event of a stream lacks it", async () => {
  const model = fresh();
  const own = reasoningItem(`${secret.slice(0, -4)}CCC=`);
  const item = { type: "response.output_item.done", output_index: 0, item: own };
  const named = { type: "response.output_item.done", output_index: 1, item: call };
  first.answerWith(streamOf([...startEvents(), item, named, endEvent([])]));
  const asked = { model, store: false, tools, input: [question], stream: true };
  assert.equal((await ask("/v1/responses", asked)).status, 200);
  first.answerWith(busy);
  second.answerWith(done);
  const next = { ...secondTurn(model), input: [question, own, call, result] };
  assert.equal((await ask("/v1/responses", next)).status, 200);
  assert.ok(!sentTo(second).includes("encrypted_content"), sentTo(second));
});

test("a compaction stays with its maker, too", async () => {
  const model = fresh();
  const compaction = { type: "compaction", id: "cmp_1", encrypted_content: "Y29tcGFjdGlvbg==" };
  first.answerWith({ body: response([compaction, messageItem("Shorter now.")]) });
  assert.equal((await ask("/v1/responses", { model, store: false, input: [question] })).status, 200);
  const next = { model, store: false, input: [compaction, question] };
  first.answerWith(done);
  assert.equal((await ask("/v1/responses", next)).status, 200);
  assert.ok(sentTo(first).includes(compaction.encrypted_content), "its maker gets it");
  first.answerWith(busy);
  second.answerWith(done);
  const elsewhere = await ask("/v1/responses", next);
  assert.equal(elsewhere.status, 200, String(elsewhere.body));
  assert.deepEqual((JSON.parse(sentTo(second)) as { input: unknown }).input, [question]);
  assert.equal(elsewhere.headers["x-plaza-dropped-params"], "input[0]");
});

test("an upstream that cannot read what nobody remembers refuses it under its own code, readably", async () => {
  const model = fresh();
  const message =
    "The encrypted content gAAAAABofoo=... could not be verified. Reason: Encrypted content organization_id did not match the target organization.";
  const error = { message, type: "invalid_request_error", param: null, code: "invalid_encrypted_content" };
  first.answerWith({ status: 400, body: { error } });
  second.answerWith(done);
  const seen = await ask("/v1/responses", {
    ...secondTurn(model),
    input: [question, reasoningItem(`${secret.slice(0, -4)}BBB=`), call, result],
  });
  assert.equal(seen.status, 400, String(seen.body));
  const told = (JSON.parse(String(seen.body)) as { error: Record<string, string> }).error;
  assert.deepEqual([told["code"], told["type"]], ["invalid_encrypted_content", "invalid_request_error"]);
  assert.match(String(told["message"]), /cannot read an item with 'encrypted_content'.*Leave such items out/);
  assert.equal(second.calls.length, 0);
});

/** How each of the other formats asks, and sends back what it got. */
const others = {
  "/v1/chat/completions": {
    ask: { tools: [{ type: "function", function: { name: "f" } }], messages: [question] },
    next(body: Record<string, unknown>) {
      const [{ message }] = body["choices"] as [{ message: { tool_calls: [{ id: string }] } }];
      const answer = { role: "tool", tool_call_id: message.tool_calls[0].id, content: "1" };
      return { messages: [question, message, answer] };
    },
  },
  "/v1/messages": {
    ask: {
      max_tokens: 900,
      thinking: { type: "adaptive" },
      tools: [{ name: "f", input_schema: { type: "object" } }],
      messages: [question],
    },
    next({ content }: Record<string, unknown>) {
      const made = (content as { type: string; id: string }[]).find(({ type }) => type === "tool_use");
      const answer = { type: "tool_result", tool_use_id: made?.id, content: "1" };
      return {
        messages: [question, { role: "assistant", content }, { role: "user", content: [answer] }],
      };
    },
  },
  "/v1beta/models": {
    ask: {
      tools: [{ functionDeclarations: [{ name: "f" }] }],
      contents: [{ role: "user", parts: [{ text: "Q" }] }],
    },
    next(body: Record<string, unknown>) {
      const [{ content }] = body["candidates"] as [
        { content: { parts: { functionCall?: { id: string } }[] } },
      ];
      const made = content.parts.find(({ functionCall }) => functionCall !== undefined)?.functionCall;
      const answer = { functionResponse: { id: made?.id, name: "f", response: { output: "1" } } };
      return {
        contents: [{ role: "user", parts: [{ text: "Q" }] }, content, { role: "user", parts: [answer] }],
      };
    },
  },
} as const;

for (const [path, format] of Object.entries(others))
  test(`callers of ${path}: the same, and nobody can read what they carry`, async () => {
    const model = fresh();
    const isInPath = path === "/v1beta/models";
    const url = isInPath ? `${path}/${model}:generateContent` : path;
    const named = isInPath ? {} : { model };
    first.answerWith(thinking);
    const answered = await ask(url, { ...named, ...format.ask });
    assert.equal(answered.status, 200, String(answered.body));
    const body = JSON.parse(String(answered.body)) as Record<string, unknown>;
    if (path !== "/v1/chat/completions") {
      assert.ok(!String(answered.body).includes(secret));
      assert.ok(
        !Buffer.from(String(answered.body).match(/[\w+/=-]{200,}/)?.[0] ?? "", "base64").includes(secret),
      );
    }
    const next = { ...named, ...format.ask, ...format.next(body) };
    first.answerWith(done);
    assert.equal((await ask(url, next)).status, 200);
    assert.ok(sentTo(first).includes(secret), "its maker gets it");
    first.answerWith(busy);
    second.answerWith(done);
    const elsewhere = await ask(url, next);
    assert.equal(elsewhere.status, 200, String(elsewhere.body));
    assert.ok(sentTo(second).includes("function_call_output"));
    assert.ok(!sentTo(second).includes(secret), "nobody else gets it");
  });
