/**
 * Streams of every wire format, through real attempts and replies: however the bytes are split in transit,
 * the caller gets the same bytes and is charged the same, and a broken stream never ends like a complete one.
 * `SEED` repeats a run, `CUTS` sets the number of splits.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defaultTimeouts } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import type { StreamSink } from "../../../conversation/answer.ts";
import { type Random, randomOf, sayRandomAnswer } from "../../../conversation/testing/random-answers.ts";
import type { AnswerController } from "../../../lib/net/http-client.ts";
import { passChunk } from "../../../lib/net/testing/pass-chunk.ts";
import { createSseReaderFactory, type SseReaderFactory } from "../../../lib/sse/sse.ts";
import { runsOf } from "../../../lib/testing/runs.ts";
import type { Ticker } from "../../../lib/time/ticker.ts";
import { anthropicMessages } from "../../../protocols/anthropic-messages/answers/answers.ts";
import { MessageWriter } from "../../../protocols/anthropic-messages/encode-answer.ts";
import { headOf as messageHead } from "../../../protocols/anthropic-messages/testing/answers.ts";
import { gemini } from "../../../protocols/gemini/answers/answers.ts";
import { ResponseWriter as GeminiWriter } from "../../../protocols/gemini/encode-answer.ts";
import { openaiChat } from "../../../protocols/openai-chat/answers/answers.ts";
import { ChunkWriter } from "../../../protocols/openai-chat/chunks.ts";
import { openaiResponses } from "../../../protocols/openai-responses/answers/answers.ts";
import { ResponseWriter } from "../../../protocols/openai-responses/encode-answer.ts";
import { headOf as responseHead } from "../../../protocols/openai-responses/testing/answers.ts";
import { plainSeal } from "../../../protocols/payloads/seal.ts";
import type { WireProtocol } from "../../../protocols/wire-protocol.ts";
import { createDisconnectPolicy } from "../../request/client-disconnect.ts";
import { Reply } from "../../request/reply.ts";
import { ScriptedCaller } from "../../request/testing/scripted-caller.ts";
import type { GatewaySettings } from "../../settings.ts";
import type { AttemptContext, AttemptEnd } from "./attempt.ts";
import { StreamAttempt } from "./relay.ts";

const first = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const cuts = runsOf(2_000);

interface Format {
  readonly protocol: WireProtocol;
  readonly writer: () => StreamSink & { take(): Buffer };
  /** Matches only complete answers. */
  readonly end: RegExp;
  /** Matches only failed answers. */
  readonly failure: RegExp;
  readonly showsUsage: boolean;
}

const head = { id: "chatcmpl-1", createdSeconds: 7, model: "m", isLegacy: false };
const formats: Readonly<Record<string, Format>> = {
  "openai-chat": {
    protocol: openaiChat,
    writer: () => new ChunkWriter(head),
    end: /^data: \[DONE\]$/m,
    failure: /^data: \{"error":\{/m,
    showsUsage: true,
  },
  "openai-responses": {
    protocol: openaiResponses,
    writer: () => new ResponseWriter(responseHead(), true),
    end: /^event: response\.(?:completed|incomplete)\n|"type":"response\.(?:completed|incomplete)"/m,
    failure: /^event: error\n[^\n]*\n\nevent: response\.failed\n/m,
    showsUsage: false,
  },
  "anthropic-messages": {
    protocol: anthropicMessages,
    writer: () => new MessageWriter(messageHead(), true),
    end: /^event: message_(?:stop|delta)\n|"type":"message_(?:stop|delta)"/m,
    failure: /^event: error$/m,
    showsUsage: false,
  },
  gemini: {
    protocol: gemini,
    writer: () => new GeminiWriter({ id: "r1", model: "m", showsThoughts: true, seal: plainSeal }),
    end: /"(?:finishReason|blockReason)":"/,
    failure: /^data: \{"error":\{/m,
    showsUsage: false,
  },
};

/** An answer as an upstream of this format might stream it. */
function written({ writer: create }: Format, seed: number): Buffer {
  const writer = create();
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
  taking.begin();
  sayRandomAnswer(taking, randomOf(seed), { hasWholeArguments: true, isPlain: true });
  writer.conclude();
  writer.close();
  pieces.push(writer.take());
  return Buffer.concat(pieces);
}

const settings = { stalledReaderMs: 1_000, keepAliveCommentMs: 1_000 } as GatewaySettings;
const controller: AnswerController = { abort() {}, pause() {}, resume() {} };
const context: AttemptContext = {
  interruption: { isInterrupted: false },
  disconnects: createDisconnectPolicy(),
  clock: { wallMs: () => 0, elapsedMs: () => 0 },
  ticker: { add() {}, delete() {} } as unknown as Ticker,
  settings,
};
const readers = new Map<WireProtocol, SseReaderFactory>();

function readersOf(protocol: WireProtocol): SseReaderFactory {
  const made =
    readers.get(protocol) ??
    createSseReaderFactory({ marks: protocol.streamMarks, eventBytesMax: 8 * 1024 * 1024 });
  readers.set(protocol, made);
  return made;
}

interface Passed {
  readonly end: AttemptEnd;
  /** Text sent before settlement. */
  readonly before: string;
  /** All text, including the end or the failure. */
  readonly all: string;
  /** The answer stored for a repeated call. */
  readonly kept: string;
}

const error = new GatewayError("upstream_error");

/** Passes chunks of a stream; `breaks`: its connection ends with an error. */
async function pass(format: Format, pieces: readonly Buffer[], breaks = false): Promise<Passed> {
  const { protocol, showsUsage } = format;
  const caller = new ScriptedCaller("", {});
  const reply = new Reply(caller, "req_1");
  reply.speak(protocol);
  reply.keepStream(10_000_000);
  const options = {
    provider: { fault: (status: number) => ({ kind: "server", status }) as const },
    protocol,
    timeouts: defaultTimeouts,
    beginMs: 1_000,
    deadlineMs: Number.POSITIVE_INFINITY,
    reply,
    bodyBytes: 100,
    showsUsage,
    onDisconnect: "stop",
    caller: { ended: undefined },
    tokensMax: Number.POSITIVE_INFINITY,
    answerBytesMax: 0,
  } as const;
  const attempt = new StreamAttempt(context, options, readersOf(protocol));
  attempt.onRequestStart(controller);
  attempt.onResponseStart(controller, 200, { "content-type": "text/event-stream" });
  for (const piece of pieces) passChunk(attempt, controller, piece);
  if (breaks) attempt.onResponseError(controller, new Error("ECONNRESET"));
  else attempt.onResponseEnd();
  const end = await attempt.ended;
  const before = caller.text;
  const tail = end.kind === "stream" ? end.tail : reply.failureOf(error);
  const kept = String(reply.keptStream(tail));
  if (end.kind === "stream") reply.endStream(tail);
  else if (reply.isStream) reply.fail(error);
  return { end, before, all: caller.text, kept };
}

function cutAt(bytes: Buffer, random: Random): Buffer[] {
  const pieces: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const size = 1 + random(random(2) === 0 ? 8 : 400);
    pieces.push(Buffer.from(bytes.subarray(from, from + size)));
    from += size;
  }
  return pieces;
}

/** The bytes without events for the gateway only. */
const shown = (bytes: Buffer): string =>
  bytes
    .toString()
    .replace(/^event: plaza\.usage\ndata: .*\n\n/gm, "")
    .replace(/^data: \{[^\n]*"usageOnly":true[^\n]*\r\n\r\n/gm, "");

const lines = (text: string): string => text.replaceAll("\r\n", "\n");

function summary({ end, all }: Passed): object {
  return { kind: end.kind, usage: end.usage, all, delivered: "delivered" in end ? end.delivered : undefined };
}

for (const [name, format] of Object.entries(formats)) {
  describe(`${name} (seed ${first})`, () => {
    test("what passes is what was sent, byte by byte and at random cuts, and its end waits", async () => {
      for (let round = 0; round < cuts / 20; round += 1) {
        const seed = first + round;
        const bytes = written(format, seed);
        const once = await pass(format, [bytes]);
        const note = `seed ${seed}`;
        assert.equal(once.end.kind, "stream", note);
        assert.equal(once.all, shown(bytes), note);
        assert.equal(once.kept, once.all, note);
        assert.doesNotMatch(once.before, format.end, note);
        assert.match(once.all, format.end, note);
        const single = Array.from(bytes, (_, index) => Buffer.from(bytes.subarray(index, index + 1)));
        for (const pieces of [single, cutAt(bytes, randomOf(seed)), cutAt(bytes, randomOf(seed + 1))]) {
          const cut = await pass(format, pieces);
          assert.deepEqual(summary(cut), summary(once), note);
          assert.doesNotMatch(cut.before, format.end, note);
        }
      }
    });

    test("a stream that is cut anywhere fails where it stops, and is no finished one", async () => {
      for (let round = 0; round < cuts; round += 1) {
        const seed = first + round;
        const random = randomOf(seed);
        const bytes = written(format, seed % (first + 50));
        const length = random(bytes.length);
        const part = Buffer.from(bytes.subarray(0, length));
        const breaks = random(2) === 0;
        const { end, before, all, kept } = await pass(format, cutAt(part, random), breaks);
        const note = `seed ${seed}, ${length} of ${bytes.length}`;
        // Missing line ends of an event are added.
        assert.ok(lines(shown(bytes)).startsWith(lines(before)), note);
        assert.doesNotMatch(before, format.end, note);
        if (end.kind === "stream") {
          // Only the line ends after the last event are missing.
          assert.ok(bytes.length - length <= 4 && !breaks, note);
          assert.match(all, format.end, note);
          continue;
        }
        assert.doesNotMatch(all, format.end, note);
        assert.equal(end.kind, before === "" ? "fault" : "cut", note);
        if (end.kind !== "cut") continue;
        assert.match(all, format.failure, note);
        assert.equal(kept, all, note);
      }
    });

    test("whatever an upstream makes of it, it ends in one way, and an end is held back", async () => {
      const lies = ['"', "{", "}", "\n\n", "null", "[]", "-1", "\r", "data: ", "event: error\n", "7", "\0"];
      for (let round = 0; round < cuts; round += 1) {
        const seed = first + round;
        const random = randomOf(seed);
        const bytes = written(format, seed % (first + 50));
        const pieces = cutAt(bytes, random);
        for (let count = 1 + random(3); count > 0; count -= 1)
          pieces[random(pieces.length)] = Buffer.from(lies[random(lies.length)] as string);
        const { end, all } = await pass(format, pieces);
        if (end.kind === "stream") assert.match(all, format.end, `seed ${seed}`);
        else assert.ok(end.kind === "cut" || end.kind === "fault", `seed ${seed}`);
      }
    });
  });
}
