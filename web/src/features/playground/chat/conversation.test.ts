/** What is sent of a conversation, and what its sums are of. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { before, type Exchange, messagesOf, totalsOf, withRun } from "./conversation.ts";
import { type ChatRun, newRun } from "./run-chat.ts";

function runOf(text: string, change: Partial<ChatRun> = {}): ChatRun {
  const run = newRun({ model: "m", keyId: "k", body: "{}" });
  return { ...run, state: "complete", answer: { ...run.answer, text }, ...change };
}

const exchange = (id: number, text: string, answer: string): Exchange => ({
  id,
  text,
  images: [],
  run: runOf(answer),
});

const recordOf = (charge: string, source: "exact" | "estimated" = "exact") => ({
  state: "complete",
  usage: { source, input: 10, cached_input: 3, cache_write: 2, output: 7, reasoning: 1 },
  charge,
  first_token_ms: 1,
  duration_ms: 2,
});

test("earlier turns are sent in order, those without an answer are not", () => {
  const past = [exchange(1, "one", "1"), exchange(2, "lost", ""), exchange(3, "two", "2")];
  assert.deepEqual(
    messagesOf(past, { text: "three", images: [] }).map(({ role, text }) => `${role}: ${text}`),
    ["user: one", "assistant: 1", "user: two", "assistant: 2", "user: three"],
  );
});

test("before an exchange, and a run in its place", () => {
  const all = [exchange(1, "a", "x"), exchange(2, "b", "y")];
  assert.deepEqual(before(all, 2), [all[0]]);
  assert.deepEqual(before(all, 9), all);
  assert.equal(withRun(all, 2, runOf("z"))[1]?.run.answer.text, "z");
  assert.equal(withRun(all, 2, runOf("z"))[0], all[0]);
});

test("sums are of what is on record; the rest is counted as unknown", () => {
  const runs = [
    runOf("a", { requestId: "r1", record: recordOf("0.000000001") }),
    runOf("b", { requestId: "r2", record: recordOf("0.1", "estimated") }),
    runOf("c", { requestId: "r3", record: "asking" }),
    runOf("d", { requestId: "r4", record: null }),
    runOf("", { requestId: null, record: null }),
    runOf("", { requestId: "r5", record: { ...recordOf("0.00"), usage: null } }),
  ];
  assert.deepEqual(totalsOf(runs), {
    promptTokens: 30,
    outputTokens: 14,
    charge: "0.100000001",
    counted: 3,
    unknown: 2,
    hasEstimates: true,
  });
});

test("calls of tools are repeated with their results only", () => {
  const asked = exchange(1, "weather?", "");
  const toolCalls = [{ id: "call_1", name: "look", arguments: "{}" }];
  const called = { ...asked, run: { ...asked.run, answer: { ...asked.run.answer, toolCalls } } };
  const results = [{ id: "call_1", text: "sunny" }];
  assert.deepEqual(
    messagesOf([called], { text: "", images: [], results }).map(({ role, text, toolCalls, toolCallId }) => [
      role,
      text,
      toolCalls?.length,
      toolCallId,
    ]),
    [
      ["user", "weather?", undefined, undefined],
      ["assistant", "", 1, undefined],
      ["tool", "sunny", undefined, "call_1"],
    ],
  );
  assert.deepEqual(
    messagesOf([called], { text: "never mind", images: [] }).map(({ role }) => role),
    ["user"],
  );
  const after = { ...exchange(2, "", "It is sunny."), results };
  assert.deepEqual(
    messagesOf([called, after], { text: "thanks", images: [] }).map(({ role }) => role),
    ["user", "assistant", "tool", "assistant", "user"],
  );
});
