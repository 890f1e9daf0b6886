import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isRecord, type JsonRecord, recordOf } from "../../lib/record.ts";
import { demo } from "../demo.ts";
import type { Script } from "../provider.ts";
import { checkStream, eventsOf, requestOf } from "./stream-rules.ts";

const user = (content: unknown): object[] => [{ role: "user", content }];
const play = (body: object): Script =>
  demo.script(requestOf({ model: "demo", ...body }), "up", 1_760_000_000);

const bodyOf = (script: Script): JsonRecord =>
  JSON.parse(Buffer.concat(script.steps.map(({ bytes }) => bytes)).toString()) as JsonRecord;

interface Choice {
  readonly index: number;
  readonly message: Record<string, unknown>;
  readonly finish_reason: string;
  readonly logprobs: JsonRecord | null;
}

const choicesOf = (script: Script): Choice[] => bodyOf(script)["choices"] as Choice[];

function only(script: Script): Choice {
  const [choice, ...more] = choicesOf(script);
  assert(choice !== undefined && more.length === 0);
  return choice;
}

const say = (content: unknown, more: object = {}): Choice => only(play({ messages: user(content), ...more }));

/** The stream and the whole answer of one body must say the same. */
function checkBoth(body: object): Choice[] {
  const whole = play(body);
  assert.equal(whole.status, 200, JSON.stringify(bodyOf(whole)));
  const choices = choicesOf(whole);
  const stream = checkStream(play({ ...body, stream: true }), choices.length);
  for (const choice of choices) {
    const seen = stream.choices[choice.index];
    const { annotations, ...message } = choice.message;
    assert.deepEqual(annotations, []);
    const shown = seen?.message ?? {};
    const plain = (value: Record<string, unknown>) =>
      JSON.parse(JSON.stringify(value, (key, inner) => (key === "id" ? "id" : inner))) as unknown;
    assert.deepEqual(plain({ ...shown, content: shown["content"] || null }), {
      ...(plain({ ...message, content: message["content"] || null }) as object),
    });
    assert.equal(seen?.finish, choice.finish_reason);
  }
  assert.deepEqual(stream.usage, bodyOf(whole)["usage"]);
  const usage = demo.usage(stream.usage);
  assert(usage !== undefined && usage.input > 0, "usage can be billed");
  return choices;
}

const weather = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer", minimum: 2 } },
      required: ["city", "days"],
    },
  },
};
const clock = { type: "function", function: { name: "clock" } };
const sql = { type: "custom", custom: { name: "sql", format: { type: "text" } } };

test("says who it is and repeats the last user text", () => {
  const messages = [
    { role: "developer", content: "Be brief." },
    { role: "user", content: "first" },
    {
      role: "assistant",
      content: "ok",
      refusal: null,
      annotations: [],
      tool_calls: null,
      parsed: null,
      audio: null,
    },
    { role: "user", content: [{ type: "text", text: "Grüße 你好 🙂" }] },
  ];
  const [choice] = checkBoth({ messages });
  const text = "This is Plaza's built-in demo, not a language model. You said: Grüße 你好 🙂";
  assert.equal(choice?.message["content"], text);
  assert.equal(choice?.finish_reason, "stop");
});

test("a long text is echoed up to 4 KB, without half characters", () => {
  const content = String(say("🙂".repeat(10_000))["message"]["content"]);
  assert(content.length < 4_300 && content.endsWith("🙂…"));
});

test("says what else it was given", () => {
  const url = "data:image/png;base64,AAAA";
  const content = [
    { type: "image_url", image_url: { url } },
    { type: "image_url", image_url: { url } },
    { type: "input_audio", input_audio: { data: "AA", format: "wav" } },
    { type: "file", file: { file_id: "f" } },
  ];
  assert.match(
    String(say(content).message["content"]),
    / I was given 2 images and 1 audio clip and 1 file\.$/,
  );
});

test("the same body, model and time give the same bytes; another time another id", () => {
  const request = requestOf({ model: "m", messages: user("x"), stream: true });
  assert.deepEqual(demo.script(request, "m", 5), demo.script(request, "m", 5));
  assert.notDeepEqual(demo.script(request, "m", 5), demo.script(request, "m", 6));
});

test("model and created are what the caller of script says", () => {
  const { id, model, created, object } = bodyOf(play({ messages: user("x") }));
  assert.match(String(id), /^chatcmpl-demo-\w{20}$/);
  assert.deepEqual([model, created, object], ["up", 1_760_000_000, "chat.completion"]);
});

test("completion tokens are the pieces streamed", () => {
  const script = play({ messages: user("/words 30"), stream: true });
  const { usage } = checkStream(script, 1);
  const content = eventsOf(script).filter((event) => /"content":"[^"]/.test(event));
  assert.equal(usage?.["completion_tokens"], content.length);
  assert.equal(content.length, 30);
});

test("usage: null before the end only for callers who asked", () => {
  const asked = eventsOf(
    play({ messages: user("x"), stream: true, stream_options: { include_usage: true } }),
  );
  assert(asked.slice(0, -2).every((event) => event.includes('"usage":null')));
  const unasked = eventsOf(play({ messages: user("x"), stream: true }));
  assert.equal(unasked.filter((event) => event.includes('"usage"')).length, 1);
});

test("n choices interleave", () => {
  assert.equal(checkBoth({ messages: user("hello there"), n: 3 }).length, 3);
});

test("max_tokens cuts, max_completion_tokens goes first", () => {
  const cut = (limits: object) => checkBoth({ messages: user("/words 20"), ...limits })[0];
  assert.deepEqual(
    [cut({ max_tokens: 2 })?.message["content"], cut({ max_tokens: 2 })?.finish_reason],
    ["the quick", "length"],
  );
  assert.equal(cut({ max_tokens: 2, max_completion_tokens: 3 })?.message["content"], "the quick brown");
  assert.equal(cut({ max_tokens: 20 })?.finish_reason, "stop");
  assert.equal(cut({ max_tokens: null })?.finish_reason, "stop");
});

test("nothing is longer than the model's output limit", () => {
  const script = play({ messages: user(`/echo ${"a ".repeat(5_000)}`), stream: true });
  const { usage, choices } = checkStream(script, 1);
  assert.deepEqual([usage?.["completion_tokens"], choices[0]?.finish], [4_096, "length"]);
});

test("stop ends before the sequence that comes first", () => {
  assert.equal(say("/echo one two three", { stop: "two" }).message["content"], "one ");
  assert.equal(say("/echo one two three", { stop: ["three", "two", ""] }).message["content"], "one ");
  assert.equal(say("/echo one", { stop: null }).message["content"], "one");
});

test("logprobs are one per token, with the alternatives asked for", () => {
  const body = { messages: user("/words 5"), logprobs: true, top_logprobs: 3 };
  const content = only(play(body)).logprobs?.["content"] as JsonRecord[];
  assert.equal(content.length, 5);
  for (const { token, logprob, bytes, top_logprobs: top } of content) {
    assert(typeof logprob === "number" && logprob < 0);
    assert.equal(Buffer.from(bytes as number[]).toString(), token);
    assert.equal((top as JsonRecord[]).length, 3);
    assert.equal((top as JsonRecord[])[0]?.["token"], token);
  }
  assert.equal(checkStream(play({ ...body, stream: true }), 1).choices[0]?.logprobs, 5);
  assert.equal(say("x").logprobs, null);
});

test("reasoning comes first and is counted", () => {
  for (const effort of ["low", "medium", "high", "xhigh", "max"]) {
    const body = { messages: user("x"), reasoning_effort: effort };
    assert.match(String(checkBoth(body)[0]?.message["reasoning_content"]), /^Reading the last message\./);
    const usage = demo.usage(bodyOf(play(body))["usage"]);
    assert(usage !== undefined && usage.reasoning > 0 && usage.reasoning < usage.output);
  }
  for (const effort of ["none", "minimal", null]) {
    assert.equal("reasoning_content" in say("x", { reasoning_effort: effort }).message, false);
  }
});

const calls = (content: string, more: object): string[] => {
  const [choice] = checkBoth({ messages: user(content), tools: [weather, clock, sql], ...more });
  const found = (choice?.message["tool_calls"] ?? []) as JsonRecord[];
  assert.equal(choice?.finish_reason, found.length > 0 ? "tool_calls" : "stop");
  if (found.length === 0) assert.equal("tool_calls" in (choice?.message ?? {}), false);
  return found.map((call) => String(recordOf(call["function"] ?? call["custom"])["name"]));
};

test("tools are called when asked for", () => {
  assert.deepEqual(calls("hello", {}), []);
  assert.deepEqual(calls("what does get_weather say?", {}), ["get_weather"]);
  assert.deepEqual(calls("Clock and get_weather", {}), ["get_weather", "clock"]);
  assert.deepEqual(calls("clockwork get_weather2", {}), []);
  assert.deepEqual(calls("clock and get_weather", { parallel_tool_calls: false }), ["get_weather"]);
  assert.deepEqual(calls("/tool", {}), ["get_weather"]);
  assert.deepEqual(calls("/tool clock", {}), ["clock"]);
  assert.deepEqual(calls("/tools 2", {}), ["get_weather", "clock"]);
  assert.deepEqual(calls("/tools 9", {}), ["get_weather", "clock", "sql"]);
  assert.deepEqual(calls("/tools 2", { parallel_tool_calls: false }), ["get_weather"]);
  assert.deepEqual(calls("/tool", { tool_choice: "none" }), []);
});

test("tool_choice is obeyed in all its forms", () => {
  const named = (type: string, name: string) => ({ tool_choice: { type, [type]: { name } } });
  const allowed = (mode: string, ...names: string[]) => ({
    tool_choice: {
      type: "allowed_tools",
      allowed_tools: { mode, tools: names.map((name) => ({ type: "function", function: { name } })) },
    },
  });
  assert.deepEqual(calls("hello", { tool_choice: "required" }), ["get_weather"]);
  assert.deepEqual(calls("clock", { tool_choice: "required" }), ["clock"]);
  assert.deepEqual(calls("hello", named("function", "clock")), ["clock"]);
  assert.deepEqual(calls("hello", named("custom", "sql")), ["sql"]);
  assert.deepEqual(calls("hello", allowed("auto", "clock")), []);
  assert.deepEqual(calls("get_weather clock", allowed("auto", "clock")), ["clock"]);
  assert.deepEqual(calls("hello", allowed("required", "clock")), ["clock"]);
});

test("arguments conform to the tool's schema, custom input is the text", () => {
  const choice = say("/tools 3 hello", { tools: [weather, clock, sql] });
  const [first, second, third] = choice.message["tool_calls"] as JsonRecord[];
  assert.deepEqual(JSON.parse(String(recordOf(first?.["function"])["arguments"])), {
    city: "demo city",
    days: 2,
  });
  assert.equal(recordOf(second?.["function"])["arguments"], "{}");
  assert.deepEqual(third?.["custom"], { name: "sql", input: "hello" });
  const ids = [first, second, third].map((call) => call?.["id"]);
  assert.equal(new Set(ids).size, 3);
});

test("after the results it answers with them", () => {
  const assistant = (say("/tool get_weather", { tools: [weather] }).message ?? {}) as Record<string, unknown>;
  const id = (assistant["tool_calls"] as JsonRecord[])[0]?.["id"];
  const messages = [
    ...user("get_weather please"),
    { ...assistant, parsed: null },
    { role: "tool", tool_call_id: id, content: "sunny" },
  ];
  const [choice] = checkBoth({ messages, tools: [weather] });
  assert.match(String(choice?.message["content"]), /get_weather answered: sunny$/);
});

test("functions are answered in their old shape", () => {
  const functions = [weather.function];
  const body = { messages: user("get_weather"), functions };
  const [choice] = checkBoth(body);
  assert.equal(choice?.finish_reason, "function_call");
  assert.equal(recordOf(choice?.message["function_call"])["name"], "get_weather");
  assert.equal(checkBoth({ ...body, function_call: "none" })[0]?.finish_reason, "stop");
  const forced = checkBoth({ messages: user("hi"), functions, function_call: { name: "get_weather" } });
  assert.equal(forced[0]?.finish_reason, "function_call");
  const result = { role: "function", name: "get_weather", content: "sunny" };
  const after = checkBoth({
    ...body,
    messages: [...user("get_weather"), { role: "assistant", content: null, function_call: {} }, result],
  });
  assert.match(String(after[0]?.message["content"]), /get_weather answered: sunny$/);
});

test("response_format gives JSON, conforming to the schema", () => {
  const object = JSON.parse(
    String(say("hi", { response_format: { type: "json_object" } }).message["content"]),
  ) as unknown;
  assert(isRecord(object));
  const schema = {
    $defs: { step: { type: "object", properties: { note: { type: "string" } }, required: ["note"] } },
    type: "object",
    properties: {
      steps: { type: "array", items: { $ref: "#/$defs/step" }, minItems: 2 },
      kind: { enum: ["a", "b"] },
      size: { anyOf: [{ type: "integer" }, { type: "null" }] },
    },
    required: ["steps", "kind", "size"],
    additionalProperties: false,
  };
  const response_format = { type: "json_schema", json_schema: { name: "plan", schema, strict: true } };
  const [choice] = checkBoth({ messages: user("hi"), response_format });
  assert.deepEqual(JSON.parse(String(choice?.message["content"])), {
    steps: [{ note: "demo note" }, { note: "demo note" }],
    kind: "a",
    size: 1,
  });
});

test("audio is well-formed", () => {
  const more = { modalities: ["text", "audio"], audio: { voice: "alloy", format: "wav" } };
  const [choice] = checkBoth({ messages: user("hi"), ...more });
  const audio = recordOf(choice?.message["audio"]);
  assert.equal(choice?.message["content"], null);
  const bytes = Buffer.from(String(audio["data"]), "base64");
  assert.equal(bytes.subarray(0, 4).toString() + bytes.subarray(8, 12).toString(), "RIFFWAVE");
  assert.equal(bytes.readUInt32LE(4), bytes.length - 8);
  assert.match(String(audio["transcript"]), /built-in demo/);
  assert.equal(audio["expires_at"], 1_760_003_600);
});

test("/refuse and /filter", () => {
  const [refused] = checkBoth({ messages: user("/refuse"), tools: [weather] });
  assert.deepEqual([refused?.message["content"], refused?.finish_reason], [null, "stop"]);
  assert.match(String(refused?.message["refusal"]), /decline/);
  const [filtered] = checkBoth({ messages: user("/filter hello") });
  assert.deepEqual(
    [filtered?.message["content"], filtered?.finish_reason],
    ["This is Plaza's", "content_filter"],
  );
});

test("/usage none, zero and bad, streamed and whole", () => {
  const usage = (kind: string): unknown[] => {
    const messages = user(`/usage ${kind}`);
    return [bodyOf(play({ messages }))["usage"], checkStream(play({ messages, stream: true }), 1).usage];
  };
  assert.deepEqual(usage("none"), [undefined, undefined]);
  for (const value of usage("zero")) {
    assert.deepEqual(demo.usage(value), { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 });
  }
  for (const value of usage("bad")) {
    assert(isRecord(value));
    assert.equal(demo.usage(value), undefined);
  }
});

test("/fail answers as OpenAI does, and its own classification agrees", () => {
  const cases: [string, number, string][] = [
    ["400", 400, "bad_request"],
    ["400 context_length_exceeded", 400, "context_length"],
    ["400 unsupported_parameter", 400, "bad_request"],
    ["400 invalid_value", 400, "bad_request"],
    ["400 content_filter", 400, "content_filter"],
    ["401", 401, "upstream_auth"],
    ["402", 402, "upstream_quota"],
    ["403", 403, "upstream_auth"],
    ["404", 404, "model_unavailable"],
    ["413", 413, "too_large"],
    ["418", 418, "server"],
    ["429", 429, "rate_limit"],
    ["429 insufficient_quota", 429, "upstream_quota"],
    ["500", 500, "server"],
    ["503", 503, "overloaded"],
    ["504", 504, "timeout"],
  ];
  for (const [what, status, kind] of cases) {
    for (const stream of [false, true]) {
      const script = play({ messages: user(`/fail ${what}`), stream });
      assert.equal(script.status, status);
      assert.equal(script.headers["content-type"], "application/json");
      const error = recordOf(bodyOf(script)["error"]);
      assert.deepEqual(Object.keys(error).sort(), ["code", "message", "param", "type"]);
      assert.equal(demo.fault(status, script.headers, JSON.stringify(bodyOf(script))).kind, kind, what);
    }
  }
  const limited = play({ messages: user("/fail 429") });
  assert.equal(demo.fault(429, limited.headers, JSON.stringify(bodyOf(limited))).retryAfterMs, 1_000);
});

const contentChunks = (events: readonly string[]): number =>
  events.filter((event) => /"content":"[^"]/.test(event)).length;

test("/cut, /error and /hang stop a stream after N content chunks", () => {
  for (const count of [1, 3, 500]) {
    const shown = Math.min(count, 10);
    const cut = play({ messages: user(`/words 10 /cut ${count}`), stream: true });
    assert.deepEqual([cut.ending, contentChunks(eventsOf(cut))], ["cut", shown]);
    assert.equal(
      eventsOf(cut).some((event) => event === "[DONE]" || event.includes('"finish_reason":"')),
      false,
    );
    const hang = play({ messages: user(`/words 10 /hang ${count}`), stream: true });
    assert.deepEqual([hang.ending, contentChunks(eventsOf(hang))], ["hang", shown]);
    const error = play({ messages: user(`/words 10 /error ${count}`), stream: true });
    const events = eventsOf(error);
    assert.deepEqual([error.ending, contentChunks(events)], ["end", shown]);
    assert.equal(demo.fault(200, {}, events.at(-1) ?? "").kind, "server");
    assert(isRecord((JSON.parse(events.at(-1) ?? "") as JsonRecord)["error"]));
  }
  assert.equal(contentChunks(eventsOf(play({ messages: user("/cut 0"), stream: true }))), 0);
  assert.deepEqual(play({ messages: user("/hang 0"), stream: true }).steps, []);
});

test("/cut, /error and /hang of a whole answer", () => {
  const half = play({ messages: user("/cut 1") });
  assert.equal(half.ending, "cut");
  assert.throws(() => bodyOf(half), SyntaxError);
  assert.deepEqual(play({ messages: user("/hang 0") }), {
    ...half,
    headers: half.headers,
    steps: [],
    ending: "hang",
  });
  assert.equal(play({ messages: user("/hang 2") }).steps.length, 1);
  const error = play({ messages: user("/error 2") });
  assert.deepEqual([error.status, error.ending, isRecord(bodyOf(error)["error"])], [200, "end", true]);
});

test("/html is a web page with status 200", () => {
  for (const stream of [true, false]) {
    const script = play({ messages: user("/html"), stream });
    assert.equal(script.status, 200);
    assert.match(script.headers["content-type"] ?? "", /^text\/html/);
    assert.equal(demo.fault(200, {}, String(script.steps[0]?.bytes)).kind, "server");
  }
});

test("/slow and /wait set the pauses; a whole answer takes as long as its stream", () => {
  const pauses = (content: string, n = 1): number[] =>
    play({ messages: user(content), stream: true, n }).steps.map(({ afterMs }) => afterMs);
  assert.deepEqual(pauses("/words 3"), [20, 20, 20, 20, 0, 0, 0]);
  assert.deepEqual(pauses("/words 3 /slow 7 /wait 100"), [107, 7, 7, 7, 0, 0, 0]);
  assert.deepEqual(pauses("/words 2 /slow 0"), [0, 0, 0, 0, 0, 0]);
  assert.deepEqual(pauses("/words 2", 2), [20, 0, 20, 0, 20, 0, 0, 0, 0, 0]);
  const [whole] = play({ messages: user("/words 3 /slow 7 /wait 100") }).steps;
  assert.equal(whole?.afterMs, 100 + 4 * 7);
});

test("a directive that cannot be understood is explained", () => {
  const text = String(say("/slow fast /dance").message["content"]);
  assert.match(text, /\/slow needs milliseconds from 0 to 60000; there is no directive \/dance/);
});

test("what OpenAI would refuse is refused with its code and param", () => {
  const message = { role: "user", content: "x" };
  const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
  const format = (json_schema: object) => ({ response_format: { type: "json_schema", json_schema } });
  const cases: [object, string | null, string | null][] = [
    [{}, "messages", "missing_required_parameter"],
    [{ messages: [] }, "messages", "empty_array"],
    [{ messages: "x" }, "messages", "invalid_type"],
    [{ messages: [1] }, "messages[0]", "invalid_type"],
    [{ messages: [message, { content: "x" }] }, "messages[1].role", "missing_required_parameter"],
    [{ messages: [{ role: "robot", content: "x" }] }, "messages[0].role", "invalid_value"],
    [{ messages: [{ role: "user" }] }, "messages[0].content", "missing_required_parameter"],
    [{ messages: [{ role: "user", content: null }] }, "messages[0].content", "invalid_type"],
    [{ messages: user([{ type: "smell" }]) }, "messages[0].content[0].type", "invalid_value"],
    [{ messages: user([{ text: "x" }]) }, "messages[0].content[0].type", "missing_required_parameter"],
    [{ messages: user([{ type: "text" }]) }, "messages[0].content[0].text", "missing_required_parameter"],
    [{ messages: [message, { role: "tool", content: "x" }] }, "messages.[1].tool_call_id", null],
    [{ messages: [message, { role: "tool", content: "x", tool_call_id: "c" }] }, "messages.[1].role", null],
    [{ messages: [message, { role: "assistant", tool_calls: [call] }] }, "messages", null],
    [{ messages: [message, { role: "assistant", tool_calls: [call] }, message] }, "messages", null],
    [{ messages: [message], temperature: 3 }, "temperature", "decimal_above_max_value"],
    [{ messages: [message], temperature: -1 }, "temperature", "decimal_below_min_value"],
    [{ messages: [message], temperature: "1" }, "temperature", "invalid_type"],
    [{ messages: [message], n: 9 }, "n", "integer_above_max_value"],
    [{ messages: [message], n: 0 }, "n", "integer_below_min_value"],
    [{ messages: [message], n: 1.5 }, "n", "invalid_type"],
    [{ messages: [message], max_tokens: 0 }, "max_tokens", "integer_below_min_value"],
    [{ messages: [message], top_logprobs: 2 }, "top_logprobs", null],
    [{ messages: [message], logprobs: true, top_logprobs: 21 }, "top_logprobs", "integer_above_max_value"],
    [{ messages: [message], stop: ["a", "b", "c", "d", "e"] }, "stop", "array_above_max_length"],
    [{ messages: [message], stop: 5 }, "stop", "invalid_type"],
    [{ messages: [message], reasoning_effort: "huge" }, "reasoning_effort", "invalid_value"],
    [{ messages: [message], modalities: ["audio"] }, "audio", "missing_required_parameter"],
    [{ messages: [message], response_format: { type: "xml" } }, "response_format.type", "invalid_value"],
    [
      { messages: [message], ...format({}) },
      "response_format.json_schema.name",
      "missing_required_parameter",
    ],
    [
      { messages: [message], ...format({ name: "a b" }) },
      "response_format.json_schema.name",
      "invalid_value",
    ],
    [{ messages: [message], tools: [{ type: "x" }] }, "tools[0].type", "invalid_value"],
    [
      { messages: [message], tools: [{ type: "function" }] },
      "tools[0].function",
      "missing_required_parameter",
    ],
    [
      { messages: [message], tools: [{ type: "function", function: { name: "a b" } }] },
      "tools[0].function.name",
      "invalid_value",
    ],
    [{ messages: [message], tool_choice: "auto" }, "tool_choice", null],
    [{ messages: [message], tools: [clock], tool_choice: "always" }, "tool_choice", "invalid_value"],
    [
      { messages: [message], tools: [clock], tool_choice: { type: "function", function: { name: "g" } } },
      "tool_choice",
      null,
    ],
  ];
  for (const [body, param, code] of cases) {
    const script = play(body);
    const error = recordOf(bodyOf(script)["error"]);
    assert.deepEqual(
      [script.status, error["param"], error["code"]],
      [400, param, code],
      JSON.stringify(body),
    );
    const fault = demo.fault(400, script.headers, JSON.stringify(bodyOf(script)));
    assert.deepEqual(
      [fault.kind, fault.param, fault.code ?? null],
      ["bad_request", param ?? undefined, code],
    );
    assert(typeof fault.message === "string" && !fault.message.includes("[removed]"), fault.message);
  }
});

test("extra fields and explicit nulls are accepted", () => {
  const keys =
    "temperature top_p n max_tokens stop seed stream_options response_format tools tool_choice logprobs user store metadata audio";
  const nulls = Object.fromEntries(keys.split(" ").map((key) => [key, null]));
  assert.equal(say("x", { ...nulls, x_unknown: { deep: [1] }, seed: 2 ** 53 }).finish_reason, "stop");
});

test("any text and any mixture of directives and options give a stream by the rules, equal to the whole answer", () => {
  const word = fc.constantFrom(
    "/words 3",
    "/slow 1",
    "/tool",
    "/tools 2",
    "/refuse",
    "/filter",
    "/dance",
    "clock",
    "hi",
  );
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.array(word, { maxLength: 4 }).map((all) => all.join(" ")),
  );
  const options = fc.record(
    {
      n: fc.integer({ min: 1, max: 4 }),
      max_tokens: fc.integer({ min: 1, max: 30 }),
      reasoning_effort: fc.constantFrom("none", "low", "high"),
      tools: fc.constantFrom([weather, clock, sql], [clock]),
      stop: fc.constantFrom("demo", ["a", "b"]),
      logprobs: fc.boolean(),
      response_format: fc.constantFrom({ type: "text" }, { type: "json_object" }),
    },
    { requiredKeys: [] },
  );
  const isControl = /\/(?:fail|html|hang|cut|error|usage|echo)/;
  fc.assert(
    fc.property(text, options, (content, more) => {
      if (!isControl.test(content)) checkBoth({ messages: user(content), ...more });
    }),
    { numRuns: 300 },
  );
});
