/**
 * For tests: plays a recorded upstream answer to a real attempt in pieces of any size, and collects what the
 * caller gets.
 */
import assert from "node:assert/strict";
import { defaultTimeouts, type Upstream } from "@plaza/contract/catalog.ts";
import type { FormatId } from "@plaza/contract/formats.ts";
import type { AnswerController } from "../../../lib/net/http-client.ts";
import { passChunk } from "../../../lib/net/testing/pass-chunk.ts";
import type { Ticker } from "../../../lib/time/ticker.ts";
import type { ProviderRequest, ReplayMemory, UpstreamCall } from "../../../protocols/protocol.ts";
import type { HttpCodec, HttpProvider } from "../../../providers/provider.ts";
import type { Fixture } from "../../../providers/testing/fixture.ts";
import { chat } from "../../endpoints/chat/chat.ts";
import { prepareEndpoint } from "../../endpoints/endpoint.ts";
import { plainTarget } from "../../endpoints/testing/targets.ts";
import { createDisconnectPolicy } from "../../request/client-disconnect.ts";
import type { Reply } from "../../request/reply.ts";
import type { GatewaySettings } from "../../settings.ts";
import { AnswerAttempt } from "../attempt/answer.ts";
import type { AttemptContext, AttemptEnd } from "../attempt/attempt.ts";
import { StreamAttempt } from "../attempt/relay.ts";
import { bindTranslation } from "../attempt/translated-call.ts";
import { type Way, wayOf } from "../attempt/way.ts";

const settings = {
  stalledReaderMs: 1_000,
  keepAliveCommentMs: 1_000,
  answerBytesMax: 64 * 1024 * 1024,
  jsonDepthMax: 64,
  jsonValuesMax: 200_000,
  eventBytesMax: 8 * 1024 * 1024,
} as GatewaySettings;
const ready = prepareEndpoint(chat, settings);

export interface Played {
  /** Everything written to the caller, including whole answers and the terminal marker. */
  readonly bytes: Buffer;
  readonly end: AttemptEnd;
}

/** A replay memory without limits. */
export function createTestMemory(): ReplayMemory {
  const kept = new Map<string, string>();
  return { recall: (id) => kept.get(id), remember: (id, value) => void kept.set(id, value) };
}

/** The caller's request as a provider gets it. */
export function requestOf(body: object, more: Partial<ProviderRequest> = {}): ProviderRequest {
  const bytes = Buffer.from(JSON.stringify(body));
  const scanner = ready.scanners.create();
  scanner.push(bytes);
  const { spans, isStream } = chat.read(scanner.end(bytes), bytes, plainTarget);
  return { body: bytes, spans, isStream, nowMs: Date.UTC(2026, 10, 21), memory: createTestMemory(), ...more };
}

export function upstreamOf(provider: HttpProvider, more: Partial<Upstream> = {}): Upstream {
  return {
    id: "fixture",
    provider: provider.id,
    baseUrl: "https://upstream.test/v1",
    credentials: ["secret-credential"],
    timeouts: defaultTimeouts,
    ...more,
  };
}

/** What a deployment says, and what was asked. */
export interface ChatUse {
  readonly model?: string;
  readonly formats?: readonly FormatId[] | undefined;
  readonly body?: Buffer;
}

function chatWayOf(provider: HttpProvider, { model = "m", formats, body = empty }: ChatUse): Way {
  return wayOf(provider, chat, { deployment: { model, formats }, body });
}

const empty = Buffer.from("{}");

/** How a provider serves callers of chat. */
export function chatCodecOf(provider: HttpProvider, use: ChatUse = {}): HttpCodec {
  const { single } = chatWayOf(provider, use);
  assert.ok(single !== undefined, provider.id);
  return single;
}

/** The upstream call a provider makes for a fixture's request. */
export function callOf(general: HttpProvider, fixture: Fixture): UpstreamCall {
  const upstream = upstreamOf(general, fixture.upstream);
  const provider = general.forUpstream?.(upstream) ?? general;
  const credential = upstream.credentials[0] ?? "";
  const request = requestOf({ model: fixture.model, ...fixture.request });
  return chatCodecOf(provider, { ...fixture, body: request.body }).encode(
    request,
    upstream,
    credential,
    fixture.model,
  );
}

function bytesOf(answer: Fixture["answer"]): Buffer {
  if (Buffer.isBuffer(answer)) return answer;
  return Buffer.from(typeof answer === "string" ? answer : JSON.stringify(answer));
}

/** Plays the answer in pieces split at these offsets. */
export async function playFixture(
  general: HttpProvider,
  fixture: Fixture,
  cuts: readonly number[],
): Promise<Played> {
  const request = requestOf({ model: fixture.model, ...fixture.request });
  const provider = general.forUpstream?.(upstreamOf(general, fixture.upstream)) ?? general;
  const { translation, faults } = chatWayOf(provider, { ...fixture, body: request.body });
  const out: Buffer[] = [];
  const controller: AnswerController = { abort() {}, pause() {}, resume() {} };
  const reply = {
    lastWriteMs: 0,
    watch: () => {},
    unwatch: () => {},
    follow() {},
    beginStream() {},
    write(bytes: Buffer) {
      out.push(Buffer.from(bytes));
      return true;
    },
    comment() {},
    destroy() {},
  } as unknown as Reply;
  const context: AttemptContext = {
    interruption: { isInterrupted: false },
    disconnects: createDisconnectPolicy(),
    clock: { wallMs: () => 0, elapsedMs: () => 0 },
    ticker: { add() {}, delete() {} } as unknown as Ticker,
    settings,
  };
  const options = {
    provider: faults,
    protocol: chat.protocol,
    timeouts: defaultTimeouts,
    beginMs: defaultTimeouts.firstTokenMs,
    deadlineMs: Number.POSITIVE_INFINITY,
    reply,
    bodyBytes: request.body.length,
    showsUsage: true,
    onDisconnect: "stop",
    caller: { ended: undefined },
    tokensMax: Number.POSITIVE_INFINITY,
    answerBytesMax: settings.answerBytesMax,
    translation:
      translation === undefined
        ? undefined
        : bindTranslation(translation, { model: fixture.model, request, id: "chatcmpl-req_fixture" }),
  } as const;
  const attempt = request.isStream
    ? new StreamAttempt(context, options, ready.streamReaders)
    : new AnswerAttempt(context, options);
  const streamType = translation?.streamType ?? "text/event-stream";
  const isJson = !request.isStream || (fixture.status ?? 200) !== 200;
  attempt.onRequestStart(controller);
  attempt.onResponseStart(
    controller,
    fixture.status ?? 200,
    fixture.headers ?? { "content-type": isJson ? "application/json" : streamType },
  );
  const bytes = bytesOf(fixture.answer);
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    passChunk(attempt, controller, bytes.subarray(from, to));
    from = to;
  }
  attempt.onResponseEnd();
  const end = await attempt.ended;
  if (end.kind === "stream") out.push(Buffer.from(end.tail));
  if (end.kind === "answer") out.push(Buffer.from(end.body));
  return { bytes: Buffer.concat(out), end };
}

export const lengthOf = (fixture: Fixture): number => bytesOf(fixture.answer).length;
