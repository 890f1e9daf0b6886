/**
 * For tests: one call of one pair, from the caller's body to the caller's bytes, through the endpoint that
 * reads it, the provider that encodes it, a real attempt and a real reply. No network.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { defaultTimeouts } from "@plaza/contract/catalog.ts";
import type { Usage } from "@plaza/contract/usage.ts";
import type { AnswerController, AnswerHandler } from "../../../../lib/net/http-client.ts";
import { passChunk } from "../../../../lib/net/testing/pass-chunk.ts";
import type { Ticker } from "../../../../lib/time/ticker.ts";
import { plainSeal, type Seal } from "../../../../protocols/payloads/seal.ts";
import type { ProviderRequest, ReplayMemory, UpstreamCall } from "../../../../protocols/protocol.ts";
import type { HttpProvider } from "../../../../providers/provider.ts";
import { prepareEndpoint, type ReadyEndpoint } from "../../../endpoints/endpoint.ts";
import { createDisconnectPolicy } from "../../../request/client-disconnect.ts";
import { Reply } from "../../../request/reply.ts";
import { ScriptedCaller } from "../../../request/testing/scripted-caller.ts";
import type { GatewaySettings } from "../../../settings.ts";
import type { LiveDeployment } from "../../../snapshot.ts";
import { AnswerAttempt } from "../../attempt/answer.ts";
import type { AttemptContext, AttemptEnd } from "../../attempt/attempt.ts";
import { StreamAttempt } from "../../attempt/relay.ts";
import { ThreadedStream, type ThreadedTranslation } from "../../attempt/threaded-call.ts";
import { bindTranslation, type TranslatedTarget } from "../../attempt/translated-call.ts";
import { type Way, wayOf } from "../../attempt/way.ts";
import { faultError } from "../../fault-error.ts";
import type { TranslationThreads } from "../../threads/translation-threads.ts";
import { createTestMemory, upstreamOf } from "../fixture-rig.ts";
import type { PairCaller } from "./callers.ts";
import type { Question } from "./talk.ts";
import type { PairUpstream } from "./upstreams.ts";

const settings = {
  stalledReaderMs: 1_000,
  keepAliveCommentMs: 1_000,
  answerBytesMax: 64 * 1024 * 1024,
  jsonDepthMax: 64,
  jsonValuesMax: 200_000,
  eventBytesMax: 8 * 1024 * 1024,
} as GatewaySettings;

const context: AttemptContext = {
  interruption: { isInterrupted: false },
  disconnects: createDisconnectPolicy(),
  clock: { wallMs: () => 0, elapsedMs: () => 0 },
  ticker: { add() {}, delete() {} } as unknown as Ticker,
  settings,
};
const controller: AnswerController = { abort() {}, pause() {}, resume() {} };

const prepared = new Map<string, ReadyEndpoint>();

function readyFor({ name, endpoint }: PairCaller, isStream: boolean): ReadyEndpoint {
  const id = `${name} ${isStream}`;
  const ready = prepared.get(id) ?? prepareEndpoint(endpoint(isStream), settings);
  prepared.set(id, ready);
  return ready;
}

/** What upstream a provider is asked as, made once: ways are kept by provider. */
const adapted = new Map<PairUpstream, { readonly provider: HttpProvider; readonly upstream: Upstream }>();

function adaptedOf(at: PairUpstream): { readonly provider: HttpProvider; readonly upstream: Upstream } {
  let known = adapted.get(at);
  if (known === undefined) {
    const upstream = upstreamOf(at.provider, at.upstream);
    known = { upstream, provider: at.provider.forUpstream?.(upstream) ?? at.provider };
    adapted.set(at, known);
  }
  return known;
}

const liveOf = (at: PairUpstream): LiveDeployment => ({
  deployment: { upstream: "fixture", priority: 1, weight: 1, ...at.deployment },
  live: { ...adaptedOf(at), client: undefined },
});

export interface Call {
  readonly endpoint: ReadyEndpoint;
  readonly request: ProviderRequest;
  readonly way: Way;
  /** Do the caller's bytes pass? */
  readonly isPassing: boolean;
  /** What the upstream gets. */
  readonly sent: UpstreamCall;
  /** Who it is. */
  readonly target: Omit<TranslatedTarget, "protocol" | "memory">;
}

export interface CallOptions {
  readonly memory?: ReplayMemory;
  readonly seal?: Seal;
  readonly dropsParams?: boolean;
  readonly outputTokensMax?: number;
}

/** The upstream's call for a caller's question. Throws `Untranslatable`, and what the endpoint refuses. */
export function callOf(
  caller: PairCaller,
  at: PairUpstream,
  question: Question,
  { memory = createTestMemory(), seal = plainSeal, dropsParams = false, outputTokensMax }: CallOptions = {},
): Call {
  const { isStream } = question;
  const endpoint = readyFor(caller, isStream);
  const body = Buffer.from(JSON.stringify(caller.write(question)));
  const scanner = endpoint.scanners.create();
  scanner.push(body);
  const target = { tail: caller.tail, query: caller.query, forwarded: {} };
  const { spans } = endpoint.read(scanner.end(body), body, target);
  const nowMs = Date.UTC(2026, 10, 21);
  const edits = { dropsParams, outputTokensMax };
  const request: ProviderRequest = { body, spans, isStream, nowMs, memory, seal, ...edits };
  const { provider, upstream } = adaptedOf(at);
  const way = wayOf(provider, endpoint, { deployment: at.deployment, body });
  const { single } = way;
  if (single === undefined) throw new Error(`${at.name} serves no ${caller.name}`);
  const credential = upstream.credentials[0] ?? "";
  const { model } = at.deployment;
  const sent = single.encode(request, upstream, credential, model);
  const asked = { provider, codec: single, upstream, credential, model };
  return { endpoint, request, way, isPassing: way.translation === undefined, sent, target: asked };
}

export interface Answered {
  readonly end: AttemptEnd;
  readonly status: number;
  /** Everything the caller got. */
  readonly text: string;
  /** What the caller had before the call was settled. */
  readonly before: string;
  readonly usage: Usage | undefined;
}

export interface Played {
  readonly status?: number;
  readonly type: string;
  readonly pieces: readonly Buffer[];
  /** Does the connection break after the last piece? */
  readonly breaks?: boolean;
}

/** Where an answer is translated, if not on the event loop. */
export interface Elsewhere {
  /** The call is in a thread. */
  readonly threaded?: ThreadedTranslation;
  /** For an answer that is large itself. */
  readonly threads?: TranslationThreads;
}

/** Plays an upstream's answer to a call. */
export async function answer(
  { endpoint, request, way }: Call,
  at: PairUpstream,
  { status = 200, type, pieces, breaks = false }: Played,
  { threaded, threads }: Elsewhere = {},
): Promise<Answered> {
  const exchange = new ScriptedCaller("", {});
  const reply = new Reply(exchange, "req_pair");
  reply.speak(endpoint.protocol);
  const { translation } = way;
  const { model } = at.deployment;
  const options = {
    provider: way.faults,
    protocol: endpoint.protocol,
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
    choice: { live: liveOf(at), answered() {} },
    translation:
      threaded !== undefined || translation === undefined
        ? threaded
        : bindTranslation(translation, { model, request, id: `${endpoint.protocol.idPrefix}pair` }),
  } as const;
  const attempt = request.isStream
    ? new StreamAttempt(context, options, endpoint.streamReaders)
    : new AnswerAttempt({ ...context, threads }, options);
  const handler: AnswerHandler =
    threaded === undefined || !request.isStream ? attempt : new ThreadedStream(attempt, threaded);
  handler.onRequestStart(controller);
  handler.onResponseStart(controller, status, { "content-type": type });
  for (const piece of pieces) passChunk(handler, controller, Buffer.from(piece));
  if (breaks) handler.onResponseError(controller, new Error("ECONNRESET"));
  else handler.onResponseEnd(controller);
  const end = await attempt.ended;
  const before = exchange.text;
  if (end.kind === "stream") reply.endStream(end.tail);
  else if (end.kind === "answer") reply.send(200, "application/json", end.body);
  else if (end.kind !== "aborted")
    reply.fail(faultError(end.fault, { attempts: 1, promptField: endpoint.promptField }));
  return { end, before, status: exchange.status, text: exchange.text, usage: end.usage };
}
