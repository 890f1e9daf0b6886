/**
 * For tests: sends short requests to the demo model, streamed and whole, and checks that both give the same
 * answer.
 */

import assert from "node:assert/strict";
import type { JsonRecord } from "../../lib/record.ts";
import { readUsage } from "../../protocols/openai-chat/usage.ts";
import { demo } from "../demo/demo.ts";
import { checkStream, requestOf } from "../demo/stream-rules.ts";
import type { Script } from "../provider.ts";

export const user = (content: unknown): object[] => [{ role: "user", content }];
export const play = (body: object): Script =>
  demo.scripts.chat(requestOf({ model: "demo", ...body }), "up", 1_760_000_000);

export const bodyOf = (script: Script): JsonRecord =>
  JSON.parse(Buffer.concat(script.steps.map(({ bytes }) => bytes)).toString()) as JsonRecord;

export interface Choice {
  readonly index: number;
  readonly message: Record<string, unknown>;
  readonly finish_reason: string;
  readonly logprobs: JsonRecord | null;
}

const choicesOf = (script: Script): Choice[] => bodyOf(script)["choices"] as Choice[];

export function only(script: Script): Choice {
  const [choice, ...more] = choicesOf(script);
  assert(choice !== undefined && more.length === 0);
  return choice;
}

export const say = (content: unknown, more: object = {}): Choice =>
  only(play({ messages: user(content), ...more }));

/** Checks that the stream and the whole answer of one body are equal. */
export function checkBoth(body: object): Choice[] {
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
  const usage = readUsage(stream.usage);
  assert(usage !== undefined && usage.input > 0, "usage can be billed");
  return choices;
}

export const weather = {
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
export const clock = { type: "function", function: { name: "clock" } };
export const sql = { type: "custom", custom: { name: "sql", format: { type: "text" } } };
