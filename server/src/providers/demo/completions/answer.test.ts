import assert from "node:assert/strict";
import { test } from "node:test";
import { streamedCompletion, wholeCompletion } from "./answer.ts";

const identity = { seed: "s", model: "demo", createdSeconds: 1 };
const whole = (body: Record<string, unknown>, outputTokensMax?: number) =>
  JSON.parse(wholeCompletion(body, identity, { outputTokensMax }).toString());

test("sixteen tokens where nothing is said; no more than asked, or paid for", () => {
  const { choices, usage, object } = whole({ prompt: "Hello there" });
  assert.deepEqual([choices.length, choices[0].finish_reason, object], [1, "length", "text_completion"]);
  assert.deepEqual(usage, { prompt_tokens: 3, completion_tokens: 16, total_tokens: 19 });
  assert.equal(whole({ prompt: "x", max_tokens: 3 }).usage.completion_tokens, 3);
  assert.equal(whole({ prompt: "x", max_tokens: 30 }, 2).usage.completion_tokens, 2);
  assert.equal(whole({ prompt: "x", max_tokens: 0 }).choices[0].text, "");
  assert.equal(whole({ prompt: "x", max_tokens: -1 }).choices[0].finish_reason, "stop");
  assert.equal(whole({ prompt: "x", max_tokens: 500 }).choices[0].finish_reason, "stop");
});

test("every prompt has n choices, best_of are billed, echo and stop are obeyed", () => {
  const { choices, usage } = whole({ prompt: ["a", [1, 2]], n: 2, best_of: 3, max_tokens: 2, echo: true });
  assert.deepEqual(
    choices.map(({ text, index }: { text: string; index: number }) => [index, text.startsWith("a")]),
    [
      [0, true],
      [1, true],
      [2, false],
      [3, false],
    ],
  );
  assert.deepEqual(usage, { prompt_tokens: 3, completion_tokens: 12, total_tokens: 15 });
  assert.equal(whole({ prompt: "x", max_tokens: 99, stop: " text" }).choices[0].text, " This");
});

test("a stream says the same as the whole answer", () => {
  const body = { prompt: ["a", "b"], n: 2, max_tokens: 5, echo: true };
  const events = streamedCompletion(body, identity).map((event) => event.toString().slice(6, -2));
  assert.equal(events.at(-1), "[DONE]");
  const chunks = events.slice(0, -1).map((event) => JSON.parse(event));
  const texts: string[] = ["", "", "", ""];
  for (const { choices } of chunks) for (const { text, index } of choices) texts[index] += text;
  const answer = whole(body);
  assert.deepEqual(
    texts,
    answer.choices.map(({ text }: { text: string }) => text),
  );
  assert.deepEqual(chunks.at(-1).usage, answer.usage);
});
