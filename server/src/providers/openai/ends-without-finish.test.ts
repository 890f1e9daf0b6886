/** Streams that never have a finish reason (`endsWithoutFinish`), played through real attempts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { playFixture } from "../../gateway/dispatch/testing/fixture-rig.ts";
import type { Fixture } from "../testing/fixture.ts";
import { deviations } from "./deviations.ts";
import { askStream, call, chunk, read92, sse, usage92, usageChunk } from "./fixtures/answers.ts";
import { openai } from "./openai.ts";
import type { AnswerRules } from "./rules.ts";
import { createVariant } from "./variant.ts";

/**
 * Snowflake Cortex (docs.snowflake.com, Cortex REST API, 2026-11): chunks
 * without a finish reason, usage, the marker.
 */
const cortex: AnswerRules = deviations["cortex"]?.answer ?? {};
const bare = (delta: object): object => {
  const { id, model, created } = chunk({}) as Record<string, unknown>;
  return { id, model, created, choices: [{ delta }] };
};
const fixture = (answer: string): Fixture => ({
  name: "cortex",
  kind: "stream",
  model: "m",
  request: askStream,
  answer,
  expected: {},
});

interface Chunk {
  readonly id: string;
  readonly choices: readonly { readonly index: number; readonly finish_reason: string | null }[];
}

/**
 * Plays the stream whole and cut at every byte; returns how it ended and the finish reasons the caller got.
 */
async function play(
  rules: AnswerRules,
  answer: string,
): Promise<{ kind: string; finishes: unknown[]; text: string }> {
  const { forUpstream: _, ...provider } = createVariant(openai, { answer: rules });
  const whole = await playFixture(provider, fixture(answer), []);
  const cuts = Array.from({ length: Buffer.byteLength(answer) - 1 }, (_, index) => index + 1);
  const bit = await playFixture(provider, fixture(answer), cuts);
  const text = whole.bytes.toString();
  assert.equal(bit.bytes.toString(), text);
  assert.deepEqual(bit.end, whole.end);
  const chunks = text
    .split("\n\n")
    .filter((event) => event.startsWith("data: {"))
    .map((event) => JSON.parse(event.slice(6)) as Chunk);
  assert.deepEqual([...new Set(chunks.map(({ id }) => id))], chunks.length === 0 ? [] : ["chatcmpl-1"]);
  const finishes = chunks.flatMap(({ choices }) =>
    choices
      .filter((choice) => typeof choice.finish_reason === "string")
      .map((choice) => choice.finish_reason),
  );
  if (whole.end.kind === "stream") assert.deepEqual(whole.end.usage, read92);
  return { kind: whole.end.kind, finishes, text };
}

test("the marker after chunks is a stop, once", async () => {
  const seen = await play(
    cortex,
    sse([bare({ role: "assistant", content: "He" }), bare({ content: "y" }), usageChunk(usage92)]),
  );
  assert.deepEqual([seen.kind, seen.finishes], ["stream", ["stop"]]);
  assert.ok(seen.text.endsWith("data: [DONE]\n\n"));
});

test("it is tool_calls where a call was made", async () => {
  const seen = await play(
    cortex,
    sse([bare({ role: "assistant", tool_calls: [call(0, "c1", "f", "{}")] }), usageChunk(usage92)]),
  );
  assert.deepEqual([seen.kind, seen.finishes], ["stream", ["tool_calls"]]);
});

test("a reason that is said is the one that counts", async () => {
  const seen = await play(
    cortex,
    sse([chunk({ role: "assistant", content: "He" }), chunk({}, "length"), usageChunk(usage92)]),
  );
  assert.deepEqual([seen.kind, seen.finishes], ["stream", ["length"]]);
});

test("no chunk at all, or no marker, is no end; nor is it for services that say why", async () => {
  const unfinished = sse([bare({ role: "assistant", content: "He" })]);
  const cases: [AnswerRules, string, string][] = [
    [cortex, sse([]), "fault"],
    [cortex, sse([": keep-alive"]), "fault"],
    [cortex, unfinished.replace("data: [DONE]\n\n", ""), "cut"],
    [{}, unfinished, "cut"],
  ];
  for (const [rules, answer, kind] of cases) {
    const seen = await play(rules, answer);
    assert.deepEqual([seen.kind, seen.finishes], [kind, []], JSON.stringify(answer));
  }
});
