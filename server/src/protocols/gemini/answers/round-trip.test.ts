/**
 * Gemini's reader decodes what its writer wrote, whole and streamed, however the bytes are cut; and a history
 * sent back contains what the vendor needs. `SEED` repeats a run, `CUTS` is the number of cuts.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnswerSink, OpaqueReasoning } from "../../../conversation/answer.ts";
import { conversationOf } from "../../../conversation/testing/conversations.ts";
import {
  type AnswerBounds,
  type Random,
  randomOf,
  sayRandomAnswer,
  streamed,
} from "../../../conversation/testing/random-answers.ts";
import { createSseReaderFactory, flagComment } from "../../../lib/sse/sse.ts";
import { runsOf } from "../../../lib/testing/runs.ts";
import { plainSeal } from "../../payloads/seal.ts";
import { geminiDecoder } from "../decode-answer.ts";
import { decodeRequest } from "../decode-request.ts";
import { ResponseWriter } from "../encode-answer.ts";
import { gather, objectsOf, partsOf } from "../testing/gather.ts";
import { gemini } from "./answers.ts";
import { JsonArrayStream } from "./json-array.ts";
import { GeminiStreamReader, streamMarks } from "./stream-reader.ts";

const first = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const cuts = runsOf(10_000);
const plainBounds = { hasWholeArguments: true, isPlain: true };
const head = { id: "r1", model: "m", showsThoughts: true, seal: plainSeal };
const context = {
  conversation: conversationOf({ choices: 3 }),
  model: "m",
  memory: undefined,
  answerId: "r1",
};

/** A random answer as a stream, taken piece by piece. */
function written(seed: number, bounds: AnswerBounds): Buffer {
  const writer = new ResponseWriter(head);
  const random = randomOf(seed + 7);
  const pieces: Buffer[] = [];
  const taking = new Proxy(writer, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        value.apply(target, given);
        if (random(3) === 0) pieces.push(writer.take());
      };
    },
  });
  sayRandomAnswer(taking, randomOf(seed), bounds);
  writer.conclude();
  writer.close();
  pieces.push(writer.take());
  return Buffer.concat(pieces);
}

function cut(bytes: Buffer, random: Random, push: (piece: Buffer) => void): void {
  for (let from = 0; from < bytes.length; ) {
    const size = 1 + random(random(3) === 0 ? 8 : 900);
    push(bytes.subarray(from, from + size));
    from += size;
  }
}

const said = (say: (sink: AnswerSink) => void): unknown => {
  const { sink, read } = gather();
  say(sink);
  return read();
};

/** An answer without text or call that a filter stopped is a blocked prompt, which has one candidate. */
const isBlocked = (meant: unknown): boolean => {
  const { choices } = meant as { choices: Record<string, unknown>[] };
  const isSilent = (one: Record<string, unknown>): boolean =>
    one["finish"] === "content_filter" &&
    `${one["text"]}${one["calls"]}${one["images"]}${one["thoughts"]}` === "";
  return choices.every(isSilent);
};

test(`answers mean the same after a round trip, streamed in random cuts and whole (seed ${first})`, () => {
  for (let round = 0; round < cuts; round += 1) {
    const seed = first + round;
    const choices = seed % 5 === 0 ? 3 : 1;
    const meant = said((sink) => sayRandomAnswer(sink, randomOf(seed), { choices }));
    if (isBlocked(meant)) continue;
    const bytes = written(seed, { choices });
    const ends: string[] = [];
    const read = said((sink) => {
      const reader = geminiDecoder.stream(
        context,
        streamed(sink, (how) => ends.push(how)),
      );
      cut(bytes, randomOf(seed + 1), (piece) => reader.push(piece));
      reader.end();
    });
    assert.deepEqual(ends, ["close"], `seed ${seed}`);
    assert.deepEqual(read, meant, `seed ${seed}`);
    if (round % 4 !== 0) continue;
    const writer = new ResponseWriter(head);
    sayRandomAnswer(writer, randomOf(seed), { choices });
    const body = writer.build() ?? Buffer.alloc(0);
    assert.deepEqual(
      said((sink) => assert.ok(geminiDecoder.whole(body, context, sink))),
      meant,
      `seed ${seed}`,
    );
    const answer = gemini.readWhole(body);
    assert.ok(answer !== undefined);
    assert.deepEqual(gemini.readUsage(answer.usage), (meant as { usage: unknown }).usage);
    const array = new JsonArrayStream();
    const text: Buffer[] = [];
    cut(bytes, randomOf(seed + 2), (piece) => void text.push(array.push(piece)));
    text.push(array.end(Buffer.alloc(0)));
    assert.deepEqual(JSON.parse(Buffer.concat(text).toString()), objectsOf(bytes), `seed ${seed}`);
  }
});

test(`opaque reasoning comes back from the caller as it was told, in its order (seed ${first})`, () => {
  for (let round = 0; round < cuts / 5; round += 1) {
    const seed = first + round;
    const told: OpaqueReasoning[] = [];
    const signatures: (string | undefined)[] = [];
    const { sink } = gather();
    const listening: AnswerSink = {
      ...sink,
      opaqueReasoning: ({ callsBefore: _, ...reasoning }) => void told.push(reasoning),
      toolCall: (_, call) => void signatures.push(call.signature),
    };
    sayRandomAnswer(listening, randomOf(seed), plainBounds);
    const parts = partsOf(objectsOf(written(seed, plainBounds)));
    // Gemini CLI drops thoughts.
    const kept = seed % 2 === 0 ? parts : parts.filter((part) => part.thought !== true);
    const contents = [
      { role: "user", parts: [{ text: "Q" }] },
      { role: "model", parts: kept },
    ];
    const { turns } = decodeRequest(Buffer.from(JSON.stringify({ contents })));
    const blocks = turns[1]?.blocks ?? [];
    const back = blocks.flatMap((block) => {
      if (block.kind !== "reasoning" || block.format === undefined) return [];
      const { kind: _, ...rest } = block;
      return [JSON.parse(JSON.stringify(rest)) as unknown];
    });
    assert.deepEqual(back, JSON.parse(JSON.stringify(told)), `seed ${seed}`);
    const calls = blocks.flatMap((block) =>
      block.kind === "tool call" && block.name !== "sql" ? [block.signature] : [],
    );
    assert.deepEqual(calls, signatures, `seed ${seed}`);
  }
});

const readers = createSseReaderFactory({ marks: streamMarks, eventBytesMax: 8 * 1024 * 1024 });

test(`what passes is read as it was meant, and only the last object is the end (seed ${first})`, () => {
  for (let round = 0; round < cuts / 20; round += 1) {
    const seed = first + round;
    const sse = readers.create();
    const reader = new GeminiStreamReader();
    const kinds: unknown[] = [];
    let usage: unknown;
    cut(written(seed, { choices: 2 }), randomOf(seed), (piece) => {
      sse.push(piece);
      for (let index = 0; index < sse.count; index += 1) {
        if (sse.flags(index) === flagComment) continue;
        const event = reader.read(sse.dataText(index), sse.flags(index), undefined);
        assert.equal(event.kind, "part");
        kinds.push(event.isClosing);
        assert.equal(reader.isWhole, event.isClosing);
        usage = event.usage ?? usage;
        reader.count(event);
      }
    });
    assert.deepEqual(
      [...new Set(kinds.slice(0, -1)), kinds.at(-1)],
      kinds.length > 1 ? [false, true] : [true],
    );
    const meant = said((sink) => sayRandomAnswer(sink, randomOf(seed), { choices: 2 }));
    assert.deepEqual(gemini.readUsage(usage), (meant as { usage: unknown }).usage, `seed ${seed}`);
  }
});

test(`lies of callers are refused by name, and never crash (seed ${first})`, () => {
  const lies = [
    "null",
    "7",
    '""',
    '"x"',
    "[]",
    "{}",
    "[[]]",
    "-1",
    "true",
    '{"a":null}',
    "[null]",
    '[{"role":7}]',
  ];
  const request = {
    system_instruction: { parts: [{ text: "S" }] },
    contents: [
      { role: "user", parts: [{ text: "Q" }, { inline_data: { mime_type: "image/png", data: "AAAA" } }] },
      { role: "model", parts: [{ functionCall: { name: "f", args: { a: 1 } }, thoughtSignature: "c2ln" }] },
      { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "x" } } }] },
    ],
    tools: [{ functionDeclarations: [{ name: "f", parameters: { type: "OBJECT", properties: {} } }] }],
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } },
    generationConfig: { temperature: 1, stopSequences: ["x"], thinkingConfig: { thinkingBudget: 5 } },
  };
  const text = JSON.stringify(request);
  const values = [...text.matchAll(/(?<=[:[,])(?:"[^"]*"(?!:)|\d+|\{\}|\[(?="))/g)];
  const random = randomOf(first);
  for (let round = 0; round < cuts / 4; round += 1) {
    const value = values[random(values.length)];
    assert.ok(value !== undefined);
    const lie = value[0] === "[" ? "[7," : (lies[random(lies.length)] as string);
    const body = text.slice(0, value.index) + lie + text.slice(value.index + value[0].length);
    try {
      decodeRequest(Buffer.from(body));
    } catch (error) {
      assert.equal((error as Error).constructor.name, "Untranslatable", `${body}\n${(error as Error).stack}`);
      assert.notEqual((error as { param: string }).param, "");
    }
  }
});
