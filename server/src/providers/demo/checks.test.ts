import assert from "node:assert/strict";
import { test } from "node:test";
import { recordOf } from "../../lib/record.ts";
import { bodyOf, clock, play, say, user } from "../testing/play-rig.ts";
import { demo } from "./demo.ts";

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
    [
      { messages: [message], functions: [{ name: "f" }, { name: "" }] },
      "functions[1].name",
      "missing_required_parameter",
    ],
    [{ messages: [message], functions: {} }, "functions", "invalid_type"],
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
