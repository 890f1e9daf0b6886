/**
 * `POST /v1/responses` and what is stored of it with OpenAI's unmodified packages, at a model whose upstream
 * speaks chat completions and at one whose upstream speaks Responses itself.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import OpenAI from "openai";
import {
  modelOn,
  startApp,
  type TestAccount,
  type TestApp,
  upstreamAt,
} from "../behaviour/harness/app-in-process.ts";
import { streamOf as chatStream, completion, toolCallDeltas } from "../behaviour/harness/openai-shapes.ts";
import {
  endEvent,
  functionCallItem,
  messageEvents,
  messageItem,
  type ResponsesEvent,
  type ResponsesItem,
  response,
  startEvents,
  streamOf,
} from "../behaviour/harness/responses-shapes.ts";
import {
  type ScriptedAnswer,
  type ScriptedUpstream,
  startScriptedUpstream,
} from "../behaviour/harness/scripted-upstream.ts";
import { startProcess } from "../rigs/harness/processes/processes.ts";
import { pythonFolder, pythonWith, whyNoPython } from "./python.ts";

let upstream: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;
let client: OpenAI;

const clientOf = ({ key }: TestAccount): OpenAI =>
  new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: key, maxRetries: 0, timeout: 20_000 });

before(async () => {
  upstream = await startScriptedUpstream();
  const own = modelOn("responses", ["responses"]);
  const formats = ["openai-responses"] as const;
  app = await startApp({
    catalog: {
      upstreams: [upstreamAt("chat", upstream.baseUrl), upstreamAt("responses", upstream.baseUrl)],
      models: [
        modelOn("chat", ["chat"]),
        { ...own, deployments: own.deployments.map((one) => ({ ...one, formats })) },
      ],
      limits: {},
    },
  });
  account = await app.newAccount("100");
  client = clientOf(account);
});
after(async () => {
  await app?.stop();
  await upstream?.stop();
});

const city = { city: "Århus" };
let made = 0;

/** A text and a function call as an upstream of each format says them, whole and streamed. */
interface Wire {
  text(text: string): ScriptedAnswer;
  textStream(parts: readonly string[]): ScriptedAnswer;
  callStream(callId: string): ScriptedAnswer;
}

const fresh = () => ({ id: `resp_up${made++}` });

function callEvents(item: ResponsesItem): ResponsesEvent[] {
  const place = { item_id: item["id"], output_index: 0 };
  const text = String(item["arguments"]);
  const added = { ...item, status: "in_progress", arguments: "" };
  return [
    { type: "response.output_item.added", output_index: 0, item: added },
    { type: "response.function_call_arguments.delta", ...place, delta: text },
    { type: "response.function_call_arguments.done", ...place, name: item["name"], arguments: text },
    { type: "response.output_item.done", output_index: 0, item },
  ];
}

const wires: Readonly<Record<string, Wire>> = {
  chat: {
    text: (content) => ({ body: completion({ message: { content } }) }),
    textStream: (parts) => ({ events: chatStream(parts.map((content) => ({ content }))) }),
    callStream: (id) => ({
      events: chatStream(toolCallDeltas({ id, name: "weather", args: city }), "tool_calls"),
    }),
  },
  responses: {
    text: (text) => ({ body: response([messageItem(text, `msg_${made}`)], fresh()) }),
    textStream(parts) {
      const more = fresh();
      const item = messageItem(parts.join(""), `msg_${made}`);
      return streamOf([
        ...startEvents(more),
        ...messageEvents(parts, 0, `msg_${made}`),
        endEvent([item], more),
      ]);
    },
    callStream(callId) {
      const more = fresh();
      const item = functionCallItem(callId, "weather", city, `fc_${made}`);
      return streamOf([...startEvents(more), ...callEvents(item), endEvent([item], more)]);
    },
  },
};

const tools = [
  {
    type: "function" as const,
    name: "weather",
    description: "Tells the weather.",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
    strict: true,
  },
];

for (const [model, wire] of Object.entries(wires)) {
  describe(`openai (Node), an upstream of ${model}`, () => {
    test("create, and what it used", async () => {
      upstream.answerWith(wire.text("Hello."));
      const made = await client.responses.create({ model, input: "Hi", instructions: "Be brief." });
      assert.deepEqual([made.output_text, made.status], ["Hello.", "completed"]);
      assert.deepEqual(
        [made.usage?.input_tokens, made.usage?.input_tokens_details.cached_tokens, made.usage?.output_tokens],
        [21, 4, 9],
      );
      assert.equal(made.usage?.output_tokens_details.reasoning_tokens, 3);
    });

    test("create as a stream: every event, in order", async () => {
      upstream.answerWith(wire.textStream(["Hel", "lo."]));
      const types: string[] = [];
      let text = "";
      let last = -1;
      for await (const event of await client.responses.create({ model, input: "Hi", stream: true })) {
        types.push(event.type);
        assert.equal(event.sequence_number, last + 1);
        last = event.sequence_number;
        if (event.type === "response.output_text.delta") text += event.delta;
      }
      assert.equal(text, "Hello.");
      assert.deepEqual(
        types.filter((type, index) => type !== types[index - 1]),
        [
          "response.created",
          "response.in_progress",
          "response.output_item.added",
          "response.content_part.added",
          "response.output_text.delta",
          "response.output_text.done",
          "response.content_part.done",
          "response.output_item.done",
          "response.completed",
        ],
      );
    });

    test("the stream helper with a tool, its result sent back by previous_response_id", async () => {
      upstream.answerWith(wire.callStream("call_1"), wire.textStream(["Rain."]));
      let args = "";
      const asked = client.responses
        .stream({ model, input: "Weather in Århus?", tools })
        .on("response.function_call_arguments.delta", ({ delta }) => {
          args += delta;
        });
      const first = await asked.finalResponse();
      const [call] = first.output;
      assert.ok(call?.type === "function_call");
      assert.deepEqual([call.call_id, call.name, JSON.parse(args)], ["call_1", "weather", city]);
      assert.deepEqual(call.parsed_arguments, city);
      const result = { type: "function_call_output" as const, call_id: call.call_id, output: "rain" };
      const second = await client.responses
        .stream({ model, input: [result], previous_response_id: first.id, tools })
        .finalResponse();
      assert.equal(second.output_text, "Rain.");
      const sent = upstream.calls[1]?.text ?? "";
      for (const word of ["Weather in Århus?", "call_1", "weather", "rain"])
        assert.ok(sent.includes(word), sent);
    });

    test("output sent back as input, as it came", async () => {
      upstream.answerWith(wire.callStream("call_2"), wire.text("Sun."));
      const user = { role: "user" as const, content: "Weather?" };
      const first = await client.responses.stream({ model, input: [user], tools }).finalResponse();
      const result = { type: "function_call_output" as const, call_id: "call_2", output: "sun" };
      const input = [user, ...first.output, result] as OpenAI.Responses.ResponseInput;
      const second = await client.responses.create({ model, input, tools, store: false });
      assert.equal(second.output_text, "Sun.");
    });

    test("parse by a plain JSON schema", async () => {
      upstream.answerWith(wire.text('{"city":"Århus"}'));
      const format = {
        type: "json_schema" as const,
        name: "place",
        strict: true,
        schema: tools[0]?.parameters ?? {},
      };
      const parsed = await client.responses.parse({ model, input: "Where?", text: { format } });
      assert.deepEqual(parsed.output_parsed, city);
      assert.match(upstream.calls[0]?.text ?? "", /"json_schema"/);
    });

    test("retrieve as a stream: every event of what is stored, or those after a number", async () => {
      upstream.answerWith(wire.callStream("call_3"));
      const stored = await client.responses.stream({ model, input: "Weather?", tools }).finalResponse();
      const read = async (more: { starting_after?: number } = {}) => {
        const events: OpenAI.Responses.ResponseStreamEvent[] = [];
        for await (const event of await client.responses.retrieve(stored.id, { stream: true, ...more }))
          events.push(event);
        return events;
      };
      const whole = await client.responses.retrieve(stored.id);
      const events = await read();
      assert.deepEqual(
        events.map((event) => event.sequence_number),
        events.map((_, index) => index),
      );
      const [created, inProgress] = events;
      assert.deepEqual([created?.type, inProgress?.type], ["response.created", "response.in_progress"]);
      const done = events.flatMap((event) => (event.type === "response.output_item.done" ? event.item : []));
      assert.deepEqual(done, whole.output);
      const last = events.at(-1);
      assert.ok(last?.type === "response.completed");
      assert.deepEqual(last.response.usage, whole.usage);
      assert.deepEqual(await read({ starting_after: 2 }), events.slice(3));
      const [only, ...none] = await read({ starting_after: 900 });
      assert.deepEqual([only?.type, only?.sequence_number, none], ["response.completed", 901, []]);
      const helped = await client.responses.stream({ response_id: stored.id, tools }).finalResponse();
      assert.deepEqual(helped.output_text, stored.output_text);
      assert.equal(helped.output.length, stored.output.length);
    });

    test("retrieve, inputItems.list over pages, delete", async () => {
      upstream.answerWith(wire.text("Kept."));
      const input = ["one", "two", "three"].map((content) => ({ role: "user" as const, content }));
      const { id } = await client.responses.create({ model, input });
      assert.equal((await client.responses.retrieve(id)).output_text, "Kept.");
      const contents: unknown[] = [];
      for await (const item of client.responses.inputItems.list(id, { limit: 2, order: "asc" }))
        contents.push((item as { content?: unknown }).content);
      assert.deepEqual(contents, ["one", "two", "three"]);
      await client.responses.delete(id);
      const gone = { status: 404, code: "not_found" };
      await assert.rejects(client.responses.retrieve(id), gone);
      await assert.rejects(client.responses.inputItems.list(id), gone);
      await assert.rejects(client.responses.delete(id), gone);
      const next = client.responses.create({ model, input: "x", previous_response_id: id });
      await assert.rejects(next, { ...gone, param: "previous_response_id" });
    });
  });
}

test("another account's response is an APIError that says nothing of it", async () => {
  upstream.answerWith(wires["chat"]?.text("mine") ?? {});
  const { id } = await client.responses.create({ model: "chat", input: "x" });
  const other = clientOf(await app.newAccount("1"));
  await assert.rejects(other.responses.retrieve(id), OpenAI.NotFoundError);
  await assert.rejects(other.responses.cancel(id), { status: 404 });
  await assert.rejects(client.responses.compact({ model: "chat" as "gpt-5.4" }), { status: 404 });
});

test("openai (Python)", { skip: whyNoPython }, async () => {
  const python = await pythonWith("requirements-openai.txt");
  for (const [model, wire] of Object.entries(wires)) {
    upstream.answerWith(
      wire.text("Hello."),
      wire.textStream(["Hel", "lo."]),
      wire.callStream("call_1"),
      wire.text("Rain."),
      wire.text('{"city":"Århus"}'),
    );
    const running = startProcess(python, [`${pythonFolder}responses.py`]);
    running.child.stdin?.end(JSON.stringify({ baseUrl: `${app.origin}/v1`, key: account.key, model, tools }));
    const code = await running.ended;
    assert.equal(code, 0, running.stderr().slice(-2_000));
    assert.deepEqual(JSON.parse(running.stdout()), {
      created: ["Hello.", 21, 3],
      streamed: "Hello.",
      ended: "response.completed",
      call: ["call_1", "weather", city],
      answered: "Rain.",
      parsed: city,
      retrieved: "Hello.",
      items: ["Hi"],
      gone: ["NotFoundError", "not_found"],
    });
    assert.match(upstream.calls[3]?.text ?? "", /Weather\?/);
  }
});
