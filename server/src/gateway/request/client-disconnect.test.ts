import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultTimeouts } from "@plaza/contract/catalog.ts";
import type { AnswerController } from "../../lib/net/http-client.ts";
import { passChunk } from "../../lib/net/testing/pass-chunk.ts";
import { createSseReaderFactory } from "../../lib/sse/sse.ts";
import type { Ticker } from "../../lib/time/ticker.ts";
import { openaiChat } from "../../protocols/openai-chat/answers/answers.ts";
import { openai } from "../../providers/openai/openai.ts";
import type { Provider } from "../../providers/provider.ts";
import type { AttemptContext } from "../dispatch/attempt/attempt.ts";
import { StreamAttempt } from "../dispatch/attempt/relay.ts";
import type { GatewaySettings } from "../settings.ts";
import { createDisconnectPolicy, type DisconnectPolicy, type OnDisconnect } from "./client-disconnect.ts";
import type { CallerWatcher, Reply } from "./reply.ts";

const readers = createSseReaderFactory({ marks: openaiChat.streamMarks, eventBytesMax: 1_000_000 });
const chunk = (delta: object, more: object = {}): Buffer =>
  Buffer.from(
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`,
  );
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

/** A streaming attempt with a caller, clock and upstream that the test controls. */
function startAttempt(disconnects: DisconnectPolicy, onDisconnect: OnDisconnect) {
  const state = { nowMs: 1_000, aborted: 0, paused: 0, takes: true };
  const controller: AnswerController = {
    abort: () => {
      state.aborted += 1;
    },
    pause: () => {
      state.paused += 1;
    },
    resume: () => {
      state.paused -= 1;
    },
  };
  const watchers = new Set<CallerWatcher>();
  const reply = {
    lastWriteMs: 0,
    watch: (watcher: CallerWatcher) => watchers.add(watcher),
    unwatch: (watcher: CallerWatcher) => watchers.delete(watcher),
    follow: () => {},
    beginStream: () => {},
    write: () => state.takes,
    comment: () => {},
    destroy: () => {},
  } as unknown as Reply;
  const context: AttemptContext = {
    interruption: { isInterrupted: false },
    disconnects,
    clock: { wallMs: () => state.nowMs, elapsedMs: () => state.nowMs },
    ticker: { add: () => {}, delete: () => {} } as unknown as Ticker,
    settings: { stalledReaderMs: 1_000, keepAliveCommentMs: 1_000 } as GatewaySettings,
  };
  const provider: Provider = openai;
  const timing = {
    bodyBytes: 0,
    timeouts: defaultTimeouts,
    beginMs: 240_000,
    deadlineMs: Number.POSITIVE_INFINITY,
  };
  const options = {
    provider,
    protocol: openaiChat,
    ...timing,
    reply,
    showsUsage: false,
    onDisconnect,
    caller: {},
    tokensMax: 1e9,
    answerBytesMax: 1_000_000,
  };
  const attempt = new StreamAttempt(context, options, readers);
  attempt.onRequestStart(controller);
  attempt.onResponseStart(controller, 200, { "content-type": "text/event-stream" });
  return {
    state,
    attempt,
    controller,
    leave: () => {
      for (const watcher of [...watchers]) watcher.callerLeft();
    },
    take: (bytes: Buffer) => passChunk(attempt, controller, bytes),
    tick(nowMs: number) {
      state.nowMs = nowMs;
      attempt.tick(nowMs);
    },
  };
}

test("stop: over at once, with what was there", async () => {
  const { attempt, state, leave, take } = startAttempt(createDisconnectPolicy(), "stop");
  take(chunk({ content: "hi" }));
  leave();
  const end = await attempt.ended;
  assert.equal(end.kind, "aborted");
  assert.equal(end.kind === "aborted" && end.delivered.events, 1);
  assert.equal(state.aborted, 1);
});

test("finish: read on, but for no longer than its bound", async () => {
  const disconnects = createDisconnectPolicy();
  const { attempt, state, leave, take, tick } = startAttempt(disconnects, "finish");
  take(chunk({ content: "hi" }));
  leave();
  tick(61_000);
  assert.equal(state.aborted, 0);
  take(chunk({ content: "ho" }, { usage }));
  tick(61_001);
  const end = await attempt.ended;
  assert.equal(end.kind, "aborted");
  assert.deepEqual(end.usage?.output, 2);
  assert.equal(state.aborted, 1);
});

test("keep: for as long as the attempt's own timers allow", async () => {
  const { attempt, leave, take, tick } = startAttempt(createDisconnectPolicy(), "keep");
  take(chunk({ content: "hi" }));
  leave();
  for (let nowMs = 1_000; nowMs < 900_000; nowMs += 100_000) {
    tick(nowMs);
    take(chunk({ content: "x" }));
  }
  tick(901_001);
  const end = await attempt.ended;
  assert.equal(end.kind === "cut" && end.fault.kind, "timeout");
});

test("an upstream that was waiting for a slow caller goes on when the caller leaves", () => {
  const { state, leave, take } = startAttempt(createDisconnectPolicy(), "finish");
  state.takes = false;
  take(chunk({ content: "hi" }));
  assert.equal(state.paused, 1);
  leave();
  assert.equal(state.paused, 0);
});

test("only so many are read on at a time, each kind by its own count, and their places come back", async () => {
  const disconnects = createDisconnectPolicy({ finishMs: 10, finishingMax: 1, keepingMax: 1 });
  const first = startAttempt(disconnects, "finish");
  const second = startAttempt(disconnects, "finish");
  const kept = startAttempt(disconnects, "keep");
  first.leave();
  second.leave();
  kept.leave();
  assert.deepEqual([first.state.aborted, second.state.aborted, kept.state.aborted], [0, 1, 0]);
  assert.equal((await second.attempt.ended).kind, "aborted");
  first.tick(2_000);
  assert.equal((await first.attempt.ended).kind, "aborted");
  const third = startAttempt(disconnects, "finish");
  third.leave();
  assert.equal(third.state.aborted, 0);
});

test("leaving twice, or after the end, changes nothing", async () => {
  const disconnects = createDisconnectPolicy({ finishMs: 10, finishingMax: 1, keepingMax: 1 });
  const { attempt, leave, state } = startAttempt(disconnects, "stop");
  leave();
  attempt.callerLeft();
  assert.equal((await attempt.ended).kind, "aborted");
  assert.equal(state.aborted, 1);
});

test("an empty finish reason is none: it begins no answer and ends none", async () => {
  const { attempt, controller } = startAttempt(createDisconnectPolicy(), "stop");
  const empty = (delta: object): Buffer =>
    Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: "" }] })}\n\n`);
  attempt.onResponseData(controller, empty({ role: "assistant", content: "" }));
  assert.equal(attempt.firstContentMs, undefined);
  for (let turn = 0; turn < 2_000; turn += 1) attempt.onResponseData(controller, empty({ content: "word" }));
  attempt.onResponseData(controller, Buffer.from("data: [DONE]\n\n"));
  const end = await attempt.ended;
  assert.equal(end.kind, "cut");
  assert.deepEqual(end.kind === "cut" && end.delivered, {
    events: 2_000,
    contentBytes: 8_000,
    mergedBytes: 0,
    images: 0,
  });
});

const impossible = { prompt_tokens: 3, completion_tokens: -1, total_tokens: 2 };
const choice = (content: string, finish: string | null): object => ({
  index: 0,
  delta: { content },
  finish_reason: finish,
});
const eventOf = (chunk: object, before = ""): string => `${before}data: ${JSON.stringify(chunk)}\n\n`;

/** Events of four bytes of text each, all parsed by the relay; the caller disconnects after the last one. */
const lookedAt: Readonly<Record<string, (index: number) => string>> = {
  "with a name before it": () => eventOf({ choices: [choice("word", null)] }, "event: message\n"),
  "on two data lines": () =>
    eventOf({ choices: [choice("word", null)] }).replace('"choices":', '"choices":\ndata: '),
  "with usage that cannot be": () => eventOf({ choices: [choice("word", null)], usage: impossible }),
  "with empty usage": () => eventOf({ choices: [choice("word", null)], usage: {} }),
  "with its choice's finish reason": (index) => eventOf({ choices: [{ ...choice("word", "stop"), index }] }),
};
for (const [name, write] of Object.entries(lookedAt)) {
  test(`an event ${name} is read apart and counts like any other`, async () => {
    const { attempt, leave, take } = startAttempt(createDisconnectPolicy(), "stop");
    for (let index = 0; index < 200; index += 1) take(Buffer.from(write(index)));
    leave();
    const end = await attempt.ended;
    assert.equal(end.kind, "aborted");
    assert.deepEqual(end.kind === "aborted" && [end.usage, end.delivered], [
      undefined,
      { events: 200, contentBytes: 800, mergedBytes: 0, images: 0 },
    ]);
  });
}
