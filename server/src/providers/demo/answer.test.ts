import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecord, type JsonRecord, recordOf } from "../../lib/record.ts";
import { readUsage } from "../../protocols/openai-chat/usage.ts";
import { bodyOf, checkBoth, clock, only, play, say, sql, user, weather } from "../testing/play-rig.ts";
import { checkStream } from "./stream-rules.ts";

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
    const usage = readUsage(bodyOf(play(body))["usage"]);
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
