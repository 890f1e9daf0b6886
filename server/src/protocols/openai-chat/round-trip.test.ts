/**
 * The chat reader decodes what the chat writer wrote, however the bytes are cut. For damaged bytes nothing
 * throws, and no end is reported that was not there. `SEED` repeats a run, `CUTS` is the number of cuts.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnswerSink } from "../../conversation/answer.ts";
import { conversationOf, recordingSink } from "../../conversation/testing/conversations.ts";
import {
  type Random,
  randomOf,
  sayRandomAnswer,
  streamed,
} from "../../conversation/testing/random-answers.ts";
import { runsOf } from "../../lib/testing/runs.ts";
import { ChunkWriter } from "./chunks.ts";
import { chatDecoder } from "./decode-answer.ts";
import { MessageBuilder } from "./message.ts";

const first = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const cuts = runsOf(10_000);

const head = { id: "chatcmpl-1", createdSeconds: 7, model: "called", isLegacy: false };
const contextOf = (choices: number) => ({
  conversation: conversationOf({ choices, logprobs: { isWanted: true, alternatives: 1 } }),
  model: "called",
  memory: undefined,
  answerId: "chatcmpl-1",
});

function built(say: (sink: AnswerSink) => void): unknown {
  const builder = new MessageBuilder(head);
  say(builder);
  return JSON.parse(builder.build()?.toString() ?? "null");
}

function pushCut(bytes: Buffer, random: Random, push: (piece: Buffer) => void): void {
  let from = 0;
  while (from < bytes.length) {
    const size = 1 + random(random(3) === 0 ? 8 : 700);
    push(bytes.subarray(from, from + size));
    from += size;
  }
}

/** The bytes of one random answer. */
function written(seed: number, choices: number): Buffer {
  const writer = new ChunkWriter(head);
  sayRandomAnswer(writer, randomOf(seed), { choices });
  writer.close();
  return writer.take();
}

test(`answers mean the same after a round trip, streamed in random cuts and whole (seed ${first})`, () => {
  for (let round = 0; round < cuts; round += 1) {
    const seed = first + round;
    const choices = seed % 5 === 0 ? 3 : 1;
    const meant = built((sink) => sayRandomAnswer(sink, randomOf(seed), { choices }));
    const bytes = written(seed, choices);
    let ended = "";
    const read = built((sink) => {
      const reader = chatDecoder.stream(
        contextOf(choices),
        streamed(sink, (how) => (ended += how)),
      );
      pushCut(bytes, randomOf(seed + 1), (piece) => reader.push(piece));
      reader.end();
    });
    assert.equal(ended, "close", `seed ${seed}`);
    assert.deepEqual(read, meant, `seed ${seed}`);
    if (round % 4 !== 0) continue;
    const body = Buffer.from(JSON.stringify(meant));
    const whole = built((sink) =>
      assert.ok(chatDecoder.whole(body, contextOf(choices), sink), `seed ${seed}`),
    );
    assert.deepEqual(whole, meant, `seed ${seed}`);
  }
});

test(`an answer that is cut off anywhere says what it said, and an end only once it was there (seed ${first})`, () => {
  const bytes = written(first, 2);
  const reasons = bytes.lastIndexOf('"finish_reason":"');
  const finished = bytes.indexOf("\n\n", reasons);
  const full = said(bytes);
  for (let at = 0; at <= bytes.length; at += 1) {
    const list = said(bytes.subarray(0, at));
    const isWhole = list.some(([name]) => name === "close");
    assert.equal(isWhole, at >= finished, `cut at ${at} of ${bytes.length}`);
    if (isWhole) continue;
    const words = list.filter(([name]) => !["usage", "reportUsage", "error"].includes(String(name)));
    assert.deepEqual(words, full.slice(0, words.length), `cut at ${at}`);
    assert.ok(!list.some(([name]) => name === "finish"), `cut at ${at}`);
  }
});

function said(bytes: Buffer): unknown[][] {
  const { sink, said: list } = recordingSink();
  const reader = chatDecoder.stream(contextOf(2), sink);
  reader.push(bytes);
  reader.end();
  return list;
}

/** Values an upstream may write in place of others. */
const lies = [
  "null",
  "7",
  '""',
  '"x"',
  "[]",
  "{}",
  "[[]]",
  "-1",
  "1e999",
  "true",
  '{"a":null}',
  "[null]",
  '[{"type":7}]',
];

test(`lies of an upstream never crash, and nothing is said after an end (seed ${first})`, () => {
  for (let round = 0; round < cuts / 4; round += 1) {
    const seed = first + round;
    const random = randomOf(seed);
    let text = written(seed, 2).toString();
    for (let left = 1 + random(4); left > 0; left -= 1) {
      const values = [...text.matchAll(/(?<=":)(?:"[^"\\]*"|-?[\d.]+|null|\[\]|\{\})/g)];
      const value = values[random(Math.max(1, values.length))];
      if (value === undefined) break;
      const lie = lies[random(lies.length)] as string;
      text = text.slice(0, value.index) + lie + text.slice(value.index + value[0].length);
    }
    const list = said(Buffer.from(text));
    const end = list.findIndex(([name]) => name === "close" || name === "error");
    assert.ok(end < 0 || end === list.length - 1, `seed ${seed}`);
    const { sink } = recordingSink();
    for (const [line] of text.matchAll(/(?<=data: ).*/g))
      chatDecoder.whole(Buffer.from(line.replaceAll('"delta"', '"message"')), contextOf(2), sink);
  }
});
