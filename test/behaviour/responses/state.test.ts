/**
 * Stored responses from end to end, at upstreams of other formats: conversations that go on by
 * `previous_response_id` and by references, reading and deleting, and whose they are.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { type Answer, assertErrorBody, send } from "../harness/caller.ts";
import { streamOf as messagesStream, textMessage, wholeMessage } from "../harness/messages-shapes.ts";
import { streamOf as chatStream, completion, toolCall } from "../harness/openai-shapes.ts";
import { eventsIn, lastResponse } from "../harness/responses-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

let upstream: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;

before(async () => {
  upstream = await startScriptedUpstream();
  app = await startApp({
    catalog: {
      upstreams: [
        upstreamAt("chat", upstream.baseUrl),
        { ...upstreamAt("claude", upstream.baseUrl), provider: "anthropic" },
        { ...upstreamAt("gemini", upstream.baseUrl.replace(/\/v1$/, "/v1beta")), provider: "google" },
      ],
      models: [
        modelOn("chat", ["chat"]),
        modelOn("claude", ["claude"]),
        modelOn("gemini", ["gemini"]),
        modelOn("secret", ["chat"]),
      ],
      limits: {},
    },
  });
  account = await app.newAccount("100");
});
after(async () => {
  await app?.stop();
  await upstream?.stop();
});

const geminiAnswer = (text: string) => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason: "STOP", index: 0 }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  modelVersion: "upstream-model",
});

/** A text as an upstream of each format says it, whole and streamed. */
const answers = {
  chat: {
    whole: (text: string) => ({ body: completion({ message: { content: text } }) }),
    stream: (text: string) => ({ events: chatStream([{ content: text }]) }),
  },
  claude: {
    whole: (text: string) => ({ body: wholeMessage([{ type: "text", text }]) }),
    stream: (text: string) => messagesStream(textMessage(text)),
  },
  gemini: {
    whole: (text: string) => ({ body: geminiAnswer(text) }),
    stream: (text: string) => ({ events: [geminiAnswer(text)] }),
  },
} as const;

interface Asked {
  readonly from?: TestAccount;
  readonly headers?: Readonly<Record<string, string>>;
}

const ask = (body: object, { from = account, headers }: Asked = {}): Promise<Seen> =>
  post({
    url: `${app.origin}/v1/responses`,
    key: from.key,
    headers,
    body: JSON.stringify({ model: "chat", ...body }),
  });

const read = (path: string, from: TestAccount = account, method = "GET"): Promise<Answer> =>
  send(app.origin, {
    method,
    path: `/v1/responses/${path}`,
    headers: { authorization: `Bearer ${from.key}` },
  });

const textOf = ({ body }: Seen): string => body.toString("utf8");

function responseIn(seen: Seen): Record<string, unknown> {
  assert.equal(seen.status, 200, textOf(seen));
  const isStream = String(seen.headers["content-type"]).startsWith("text/event-stream");
  return isStream ? lastResponse(textOf(seen)) : JSON.parse(textOf(seen));
}

/** Asks and returns the id of the answer, which the upstream gives as `text`. */
async function said(text: string, body: object = {}, asked: Asked = {}): Promise<string> {
  upstream.answerWith(answers.chat.whole(text));
  return responseIn(await ask({ input: `say ${text}`, ...body }, asked))["id"] as string;
}

function assertRefused(seen: Seen, status: number, code: string, param?: string, message?: RegExp): void {
  assert.equal(seen.status, status, textOf(seen));
  assertErrorBody(textOf(seen), { code, param, message, format: "openai-responses" });
}

describe("a conversation goes on by the id of its last response", () => {
  for (const [name, answer] of Object.entries(answers)) {
    for (const isStream of [false, true]) {
      test(`${name}, ${isStream ? "streamed" : "whole"}`, async () => {
        const form = isStream ? answer.stream : answer.whole;
        upstream.answerWith(form("One."), form("Two."), form("Three."));
        const more = { model: name, stream: isStream };
        const first = responseIn(await ask({ ...more, input: "first", instructions: "Be brief." }));
        assert.equal(first["store"], true);
        assert.equal(first["previous_response_id"], null);
        const second = responseIn(await ask({ ...more, input: "second", previous_response_id: first["id"] }));
        assert.equal(second["previous_response_id"], first["id"]);
        const third = responseIn(
          await ask({
            ...more,
            input: [{ role: "user", content: "third" }],
            previous_response_id: second["id"],
            store: false,
          }),
        );
        assert.equal(third["store"], false);
        const sent = upstream.calls.map(({ text }) => text);
        for (const word of ["first", "One.", "second", "Two.", "third"])
          assert.equal(sent[2]?.split(word).length, 2, `${word} once in ${sent[2]}`);
        assert.doesNotMatch(sent[1] ?? "", /brief/, "instructions are not inherited");
        assert.doesNotMatch(sent.join(), /previous_response_id/);
        assert.equal((await read(String(third["id"]))).status, 404, "store: false is not kept");
      });
    }
  }

  test("a tool's loop: the call comes from the store, its result from the caller", async () => {
    const calling = { message: { tool_calls: [toolCall("call_1", "add", { a: 1 })] }, finish: "tool_calls" };
    const tools = [{ type: "function", name: "add", parameters: { type: "object" }, strict: false }];
    upstream.answerWith({ body: completion(calling) }, answers.chat.whole("3"));
    const first = responseIn(await ask({ input: "add", tools }));
    const input = [{ type: "function_call_output", call_id: "call_1", output: "3" }];
    responseIn(await ask({ input, tools, previous_response_id: first["id"] }));
    const messages = upstream.calls[1]?.body["messages"] as { role: string; tool_call_id?: string }[];
    assert.deepEqual(
      messages.map(({ role }) => role),
      ["user", "assistant", "tool"],
    );
    assert.equal(messages[2]?.tool_call_id, "call_1");
  });

  test("50 turns keep every word in order, and parallel turns of one response do not meet", async () => {
    let id: string | undefined;
    for (let turn = 0; turn < 50; turn += 1)
      id = await said(`answer ${turn}.`, {
        input: `question ${turn}.`,
        ...(id === undefined ? {} : { previous_response_id: id }),
      });
    upstream.answerWith(answers.chat.whole("end"));
    const turns = await Promise.all(
      ["left", "right"].map((input) => ask({ input, previous_response_id: id })),
    );
    assert.equal(new Set(turns.map((seen) => responseIn(seen)["id"])).size, 2);
    const ends = upstream.calls.map(({ body }) => {
      const contents = (body["messages"] as { content: string }[]).map(({ content }) => content);
      const expected = Array.from({ length: 50 }, (_, turn) => [`question ${turn}.`, `answer ${turn}.`]);
      assert.deepEqual(contents.slice(0, -1), expected.flat());
      return contents.at(-1);
    });
    assert.deepEqual(ends.sort(), ["left", "right"]);
  });
});

describe("items by their ids", () => {
  test("a reference stands for the item of an earlier response", async () => {
    upstream.answerWith(answers.chat.whole("Kept."));
    const first = responseIn(await ask({ input: "keep" }));
    const [item] = first["output"] as { id: string }[];
    for (const reference of [{ type: "item_reference", id: item?.id }, { id: item?.id }]) {
      const input = [{ role: "user", content: "keep" }, reference, { role: "user", content: "go on" }];
      responseIn(await ask({ input }));
      const messages = upstream.calls.at(-1)?.body["messages"] as { role: string; content: string }[];
      assert.deepEqual(
        messages.map(({ role, content }) => [role, content]),
        [
          ["user", "keep"],
          ["assistant", "Kept."],
          ["user", "go on"],
        ],
      );
    }
  });

  test("an id of the client's own on an item that says what it is, is no reference", async () => {
    upstream.answerWith(answers.chat.whole("ok"));
    const input = [
      {
        type: "message",
        id: "msg_01890-codex",
        role: "developer",
        content: [{ type: "input_text", text: "d" }],
      },
      { type: "message", id: "msg_01891-codex", role: "user", content: [{ type: "input_text", text: "u" }] },
      { type: "function_call", id: "fc_x", call_id: "c", name: "f", arguments: "{}" },
      { type: "function_call_output", id: "fco_01892-codex", call_id: "c", output: "o" },
    ];
    for (const store of [undefined, false]) responseIn(await ask({ input, store }));
  });

  test("one that was never there is not found, by its place", async () => {
    const input = [
      { role: "user", content: "a" },
      { type: "item_reference", id: "msg_never" },
    ];
    assertRefused(await ask({ input }), 404, "not_found", "input[1]", /msg_never/);
  });
});

describe("whose a response is", () => {
  test("it is read, its input listed, deleted once, and then gone", async () => {
    const id = await said("Read me.", { input: [{ role: "user", content: "in" }] });
    const found = await read(id);
    assert.equal(found.status, 200);
    assert.equal(JSON.parse(found.text).id, id);
    assert.match(found.text, /Read me\./);
    const items = JSON.parse((await read(`${id}/input_items`)).text);
    assert.deepEqual([items.object, items.data.length, items.data[0].content], ["list", 1, "in"]);
    const deleted = await read(id, account, "DELETE");
    assert.deepEqual(JSON.parse(deleted.text), { id, object: "response", deleted: true });
    for (const answer of [await read(id), await read(id, account, "DELETE"), await read(`${id}/input_items`)])
      assert.equal(answer.status, 404, answer.text);
    assertRefused(
      await ask({ input: "x", previous_response_id: id }),
      404,
      "not_found",
      "previous_response_id",
    );
  });

  test("it is read as a stream, from where the caller wants to go on", async () => {
    const id = await said("Read me.");
    const whole = await read(id);
    const seen = await read(`${id}?stream=true`);
    assert.equal(seen.status, 200);
    assert.match(String(seen.headers["content-type"]), /^text\/event-stream/);
    const events = eventsIn(seen.text);
    assert.deepEqual(events.at(-1)?.["response"], JSON.parse(whole.text));
    assert.deepEqual(events[4]?.["delta"], "Read me.");
    const rest = await read(`${id}?stream=true&starting_after=3`);
    assert.ok(rest.text.length > 0 && seen.text.endsWith(rest.text));
    assert.equal((await read(`${id}?stream=false&starting_after=3`)).text, whole.text);
    for (const [query, param] of [
      ["stream=1", "stream"],
      ["stream=true&starting_after=-1", "starting_after"],
      ["stream=true&starting_after=x", "starting_after"],
    ] as const) {
      const refused = await read(`${id}?${query}`);
      assert.equal(refused.status, 400, refused.text);
      assertErrorBody(refused.text, { code: "invalid_request", param, format: "openai-responses" });
    }
    const other = await app.newAccount("1");
    for (const answer of [await read(`${id}?stream=true`, other), await read("resp_no?stream=true")])
      assert.equal(answer.status, 404, answer.text);
  });

  test("another account's is not there, nor one of a model the key may not use", async () => {
    const id = await said("mine", { model: "secret" });
    const other = await app.newAccount("100");
    const lesser = await app.newKey(account, { models: ["chat"] });
    for (const from of [other, lesser]) {
      for (const path of [id, `${id}/input_items`]) assert.equal((await read(path, from)).status, 404);
      assert.equal((await read(id, from, "DELETE")).status, 404);
      const seen = await ask({ input: "x", previous_response_id: id }, { from });
      assertRefused(seen, 404, "not_found", "previous_response_id");
    }
    assert.equal((await read(id)).status, 200);
  });

  test("a refusal costs nothing", async () => {
    const poor = await app.newAccount("1");
    for (let turn = 0; turn < 3; turn += 1)
      await ask({ input: "x", previous_response_id: "resp_no" }, { from: poor });
    const row = await app.newestRow(poor.accountId, 3);
    assert.deepEqual([row.status, row.state, row.charge], [404, "failed", 0n]);
  });
});

test("a stream is replayed under its Idempotency-Key, and goes on from there", async () => {
  upstream.answerWith(answers.chat.stream("Once."), answers.chat.whole("Twice."));
  const headers = { "idempotency-key": "k-1" };
  const first = await ask({ input: "a", stream: true }, { headers });
  const again = await ask({ input: "a", stream: true }, { headers });
  assert.equal(textOf(again), textOf(first));
  assert.equal(upstream.calls.length, 1);
  eventsIn(textOf(first));
  responseIn(await ask({ input: "b", previous_response_id: responseIn(again)["id"] }));
  assert.match(upstream.calls[1]?.text ?? "", /Once\./);
});
