import assert from "node:assert/strict";
import { test } from "node:test";
import type { Script } from "../../provider.ts";
import { playCompletion } from "./play.ts";

function play(body: object, more: { isStream?: boolean; outputTokensMax?: number } = {}): Script {
  const bytes = Buffer.from(JSON.stringify(body));
  return playCompletion({ body: bytes, spans: {}, isStream: false, ...more }, "demo", 1);
}
const textOf = ({ steps }: Script): string => Buffer.concat(steps.map(({ bytes }) => bytes)).toString();

test("the same request is answered alike, whole and streamed, within what is paid for", () => {
  const body = { prompt: "Hello", max_tokens: 40 };
  assert.deepEqual(play(body), play(body));
  const answer = JSON.parse(textOf(play(body, { outputTokensMax: 3 })));
  assert.equal(answer.usage.completion_tokens, 3);
  const stream = play(body, { isStream: true, outputTokensMax: 3 });
  assert.match(String(stream.headers["content-type"]), /^text\/event-stream/);
  assert.equal(stream.steps.length, 3 + 3);
  assert.ok(textOf(stream).endsWith("data: [DONE]\n\n"));
});

test("directives that need no conversation are obeyed", () => {
  const failed = play({ prompt: "/fail 429\nGo on" });
  assert.equal(failed.status, 429);
  const cut = play({ prompt: "/slow 1 /cut 2\nGo on" }, { isStream: true });
  assert.deepEqual([cut.ending, cut.steps.length, cut.steps[0]?.afterMs], ["cut", 2, 1]);
  assert.equal(play({ prompt: ["/hang 0"] }, { isStream: true }).steps.length, 0);
  assert.match(textOf(play({ prompt: "/error 1" }, { isStream: true })), /server_error/);
  assert.match(textOf(play({ prompt: "/error 1" })), /server_error/);
  assert.doesNotMatch(textOf(play({ prompt: "/usage none" }, { isStream: true })), /usage/);
  const broken = play({ prompt: "/cut 1" });
  assert.equal(broken.ending, "cut");
  assert.throws(() => JSON.parse(textOf(broken)));
});

test("so many completions that the demo would be a load are refused", () => {
  const many = play({ prompt: Array.from({ length: 65 }, () => "a"), n: 2 });
  assert.equal(many.status, 400);
  assert.equal(play({ prompt: Array.from({ length: 64 }, () => "a"), n: 2 }).status, 200);
});
