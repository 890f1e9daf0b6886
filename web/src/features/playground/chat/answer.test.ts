/** Turns events into an answer; separates errors, odd types and the end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ChatAnswer, emptyAnswer, errorIn, readEvent, readWhole } from "./answer.ts";

function after(...deltas: object[]): ChatAnswer {
  let answer = emptyAnswer;
  for (const delta of deltas) {
    const event = readEvent(answer, JSON.stringify({ choices: [{ index: 0, delta }] }));
    assert.equal(event.kind, "part");
    if (event.kind === "part") answer = event.answer;
  }
  return answer;
}

test("text, both names of reasoning, refusal and tool calls add up", () => {
  const answer = after(
    { role: "assistant", content: "" },
    { reasoning_content: "hm" },
    { reasoning: ", yes" },
    { content: "Hel" },
    { content: "lo" },
    { refusal: "no" },
    { tool_calls: [{ index: 0, function: { name: "look", arguments: '{"a"' } }] },
    { tool_calls: [{ index: 0, function: { arguments: ":1}" } }] },
  );
  assert.deepEqual(answer, {
    text: "Hello",
    reasoning: "hm, yes",
    refusal: "no",
    toolCalls: [{ id: "", name: "look", arguments: '{"a":1}' }],
    finishReason: null,
  });
});

test("the role alone, a usage event and another choice are no content", () => {
  for (const body of [
    { choices: [{ index: 0, delta: { role: "assistant", content: "" } }] },
    { choices: [], usage: { total_tokens: 3 } },
    { choices: [{ index: 1, delta: { content: "x" } }] },
    { choices: [{ delta: { content: 7, reasoning: null, tool_calls: [{ index: 900 }] } }] },
    null,
  ]) {
    const event = readEvent(emptyAnswer, JSON.stringify(body));
    assert.deepEqual(event, { kind: "part", answer: emptyAnswer, hasContent: false }, JSON.stringify(body));
  }
});

test("the finish reason stays, the end and an in-band error are seen", () => {
  const event = readEvent(emptyAnswer, '{"choices":[{"delta":{},"finish_reason":"length"}]}');
  assert.equal(event.kind === "part" && event.answer.finishReason, "length");
  assert.deepEqual(readEvent(emptyAnswer, "[DONE]"), { kind: "done" });
  assert.deepEqual(
    readEvent(emptyAnswer, '{"error":{"message":"gone","code":"upstream_error","param":null}}'),
    {
      kind: "error",
      error: { code: "upstream_error", message: "gone", messageRef: null, param: null },
    },
  );
  assert.throws(() => readEvent(emptyAnswer, "<html>"), SyntaxError);
});

test("errors of odd shapes still say something", () => {
  assert.deepEqual(errorIn({ error: "boom" }), {
    code: "upstream_error",
    message: "boom",
    messageRef: null,
    param: null,
  });
  const ours = { id: "limit.blocked", params: { scope: "key", kind: "rpm" } };
  assert.deepEqual(
    errorIn({ error: { code: "rate_limit_exceeded", message: "no", ...ours } })?.messageRef,
    ours,
  );
  assert.deepEqual(errorIn({ error: { code: 5 } }), {
    code: "5",
    message: "",
    messageRef: null,
    param: null,
  });
  assert.equal(errorIn({ error: null }), undefined);
  assert.equal(errorIn("text"), undefined);
});

test("a whole answer is read from its message", () => {
  const body = { choices: [{ finish_reason: "stop", message: { content: "Hi", reasoning_content: "so" } }] };
  assert.deepEqual(readWhole(body), { ...emptyAnswer, text: "Hi", reasoning: "so", finishReason: "stop" });
  assert.deepEqual(readWhole(undefined), emptyAnswer);
});
