/**
 * Runs one attempt and records it: it is counted in upstream health, its permit released and its cost added,
 * each exactly once. Whether another attempt follows is decided elsewhere.
 */

import { defaultFirstByteMs, type Model, type Timeouts } from "@plaza/contract/catalog.ts";
import { formatUsd } from "@plaza/contract/money.ts";
import type { Usage } from "@plaza/contract/usage.ts";
import { addCosts, costOf } from "../../domain/money/cost.ts";
import { isBeyondAsked, tokensMaxOf, type UsageDoubt } from "../../domain/money/usage-trust.ts";
import { givenUpBeside } from "../../domain/routing/attempt-outcome.ts";
import { canFallBack, isOwnEnding } from "../../domain/routing/fault.ts";
import type { AnswerTranslation, ProviderRequest } from "../../protocols/protocol.ts";
import type { AttemptRecord } from "../../store/requests/shapes.ts";
import type { Permit } from "../limits/concurrency-limiter.ts";
import type { RequestMemory } from "../request/memory/replay-memory.ts";
import { type Reply, servedByHeader } from "../request/reply.ts";
import { type LiveModel, timeoutsOf } from "../snapshot.ts";
import type { Choice } from "../upstreams/health.ts";
import { AnswerAttempt } from "./attempt/answer.ts";
import type { Attempt, AttemptEnd } from "./attempt/attempt.ts";
import { StreamAttempt } from "./attempt/relay.ts";
import { sendCall } from "./attempt/send-call.ts";
import { openSession, ThreadedTranslation } from "./attempt/threaded-call.ts";
import { type BoundTranslation, bindTranslation } from "./attempt/translated-call.ts";
import { wayOf } from "./attempt/way.ts";
import { noteMakers, piecesOfOthers } from "./makers.ts";
import {
  attemptsMax,
  type Candidate,
  type DispatchRequest,
  type DispatchState,
  type Running,
} from "./state.ts";
import { threadedBytesMin } from "./threads/translation-threads.ts";
import { barredOffers, callersPath, type WithoutPieces, withoutPieces } from "./without-offers.ts";
import { cutParam, type Lesser } from "./without-param.ts";

/** Decides which of several parallel attempts may write to the caller. */
export interface Hedge {
  claim(attempt: Attempt): boolean;
}

/**
 * Share of the total time after which the next deployment is tried, when no timeout is configured. The rest
 * is for that one.
 */
const firstShare = 2 / 3;

/**
 * Returns how long a whole answer may take to begin, in milliseconds. `hasMore`: another deployment could
 * still be tried afterwards.
 */
export function firstByteMsOf({ firstByteMs, totalMs }: Timeouts, model: Model, hasMore: boolean): number {
  if (firstByteMs !== undefined) return firstByteMs;
  const byModel =
    defaultFirstByteMs[model.capabilities?.includes("reasoning") === true ? "reasoning" : "ordinary"];
  return hasMore ? Math.min(byModel, totalMs * firstShare) : byModel;
}

/** True when the catalog has another deployment or model to try after this attempt. */
function hasMore({ request, attempts }: DispatchState, { model, deployments }: LiveModel): boolean {
  if (attempts >= attemptsMax) return false;
  const isLast = request.candidates.at(-1)?.resolved.model.model === model;
  return !isLast || deployments.length > attempts;
}

/** Starts an attempt. `isOwed`: the retry budget must be settled when it ends. */
export function startAttempt(
  state: DispatchState,
  { candidate, choice }: { readonly candidate: Candidate; readonly choice: Choice },
  permit: Permit | undefined,
  { isOwed, hedge }: { readonly isOwed: boolean; readonly hedge?: Hedge | undefined },
): Running {
  const { context, request } = state;
  const { live } = choice.live;
  const timeouts = timeoutsOf(choice.live);
  state.attempts += 1;
  state.tried.push(choice);
  state.deadlineMs = Math.min(state.deadlineMs, state.startedMs + timeouts.totalMs);
  const { provider } = live;
  const { endpoint } = request;
  const { protocol } = endpoint;
  const set = context.settings.answerBytesMax;
  const { deployment } = choice.live;
  const way = wayOf(provider, endpoint, { deployment, body: request.body });
  const memory = way.isPlain ? undefined : context.memories.of(request.caller.key.accountId);
  const { upstream } = live;
  const isWhole = request.offers === undefined && state.made === undefined;
  const less = isWhole
    ? undefined
    : withoutPieces(request, [
        ...barredOffers(request.offers, upstream.options),
        ...piecesOfOthers(state.made, upstream.id),
      ]);
  const lesser = lesserOf(less, state.lesser ?? knownLesser(state, choice));
  const asked = requestFor(state, { candidate, choice }, memory, lesser ?? less);
  const translation =
    way.translation === undefined
      ? undefined
      : bindAnswer(state, way.translation, {
          choice,
          request: asked,
          id: `${protocol.idPrefix}${request.reply.requestId}`,
        });
  const hasNews =
    isOwed ||
    hedge !== undefined ||
    request.candidates.length > 1 ||
    candidate.resolved.model.model.id !== request.fields.model ||
    request.dropsParams === true ||
    request.isRewritten ||
    way.batch !== undefined ||
    translation !== undefined ||
    less !== undefined ||
    way.single?.isPicky === true ||
    (candidate.outputTokensMax !== undefined && way.single?.dropsWithinBound === true);
  const options = {
    provider: way.faults,
    protocol,
    timeouts,
    beginMs: request.isStream
      ? timeouts.firstTokenMs
      : firstByteMsOf(timeouts, candidate.resolved.model.model, hasMore(state, candidate.resolved.model)),
    deadlineMs: state.deadlineMs,
    reply: request.reply,
    bodyBytes: request.body.length,
    showsUsage: request.showsUsage,
    onDisconnect: request.isKept ? "keep" : (live.upstream.onDisconnect ?? "stop"),
    caller: request.caller,
    tokensMax: tokensMaxOf(candidate.resolved.model.model.context, request.most.answers),
    claim: hasNews ? () => claim(state, running, hedge) : undefined,
    choice,
    isHedged: hedge !== undefined,
    translation,
    // A batch answer is built by Plaza itself, so it is not checked again.
    reader: way.batch !== undefined || request.isStream ? undefined : protocol.answerReader?.(),
    answerBytesMax: protocol.answerBytesMax?.(set) ?? set,
  } as const;
  const attempt = request.isStream
    ? new StreamAttempt(context, options, request.endpoint.streamReaders)
    : new AnswerAttempt(context, options);
  const running: Running = {
    attempt,
    candidate,
    choice,
    permit,
    isOwed,
    dropped: undefined,
    left: less?.names,
  };
  if (translation?.session !== undefined) void attempt.ended.then(() => translation.session?.close());
  context.upstreamHealth.begin(choice, attempt.startedMs);
  sendCall(state, running, { way, asked, memory, translation });
  if (request.reply.isGone) attempt.callerLeft();
  return running;
}

/** Binds the translation of the answer: in a thread where the request is large. */
function bindAnswer(
  { context: { threads }, request: { endpoint } }: DispatchState,
  translation: AnswerTranslation,
  { choice, request, id }: { choice: Choice; request: ProviderRequest; id: string },
): BoundTranslation {
  const { deployment, live } = choice.live;
  const isLarge = request.body.length >= threadedBytesMin && translation.readsNoRequest !== true;
  if (threads !== undefined && isLarge && live.client !== undefined) {
    const session = openSession(
      threads,
      endpoint.protocol,
      { upstream: live.upstream, deployment },
      { request, id },
    );
    if (session !== undefined) return new ThreadedTranslation(translation, { request, id }, session);
  }
  return bindTranslation(translation, { model: deployment.model, request, id });
}

/**
 * Returns the request without a parameter this deployment refused recently, when leaving it out does not
 * change the caller's answer; undefined otherwise.
 */
function knownLesser({ context, request }: DispatchState, { live }: Choice): Lesser | undefined {
  if (request.endpoint.madeGood === undefined) return undefined;
  const name = context.refusedParams.of(live, context.clock.elapsedMs());
  return name === undefined ? undefined : cutParam(request, name);
}

/** The same in a body that lacks more already. */
function lesserOf(less: WithoutPieces | undefined, lesser: Lesser | undefined): Lesser | undefined {
  return less === undefined || lesser === undefined ? lesser : cutParam(less, lesser.name);
}

/**
 * Builds the request for the provider. `memory`: undefined when the provider needs only the caller's bytes.
 */
function requestFor(
  { context, request: whole }: DispatchState,
  { candidate, choice }: Pick<Running, "candidate" | "choice">,
  memory: RequestMemory | undefined,
  less: Pick<ProviderRequest, "body" | "spans"> | undefined,
): ProviderRequest {
  const { outputTokensMax, resolved } = candidate;
  const request = less === undefined ? whole : { ...whole, body: less.body, spans: less.spans };
  if (memory === undefined) return outputTokensMax === undefined ? request : { ...request, outputTokensMax };
  return {
    ...request,
    outputTokensMax,
    outputCap: resolved.model.model.maxOutput,
    contextTokens: resolved.model.model.context,
    nowMs: context.clock.wallMs(),
    seal: context.seals.of(whole.caller.key.accountId),
    maker: choice.live.live.upstream.id,
    memory,
  };
}

/** Adds the header with the output limit that the hold pays for. */
function addBound(reply: Reply, { outputTokensMax }: Candidate): void {
  if (outputTokensMax !== undefined) reply.addHeader("x-plaza-max-tokens", String(outputTokensMax));
}

/**
 * Adds the output limit before the first attempt. With several candidates each has its own, so the header is
 * added once one of them answers.
 */
export function reportBound({ reply, candidates }: Pick<DispatchRequest, "reply" | "candidates">): void {
  if (candidates.length === 1) addBound(reply, candidates[0]);
}

/**
 * Called at an attempt's first content. Returns whether it may be sent, and adds the headers that depend on
 * the attempt.
 */
function claim(state: DispatchState, running: Running, hedge: Hedge | undefined): boolean {
  if (hedge !== undefined && !hedge.claim(running.attempt)) return false;
  pay(state, running, false);
  const { candidates, fields, reply } = state.request;
  const { candidate } = running;
  const name = state.lesser?.name;
  const refused = name !== undefined && state.request.endpoint.madeGood?.has(name) ? undefined : name;
  const { left = [] } = running;
  const dropped = [
    ...left,
    ...(running.dropped ?? []).map((path) => callersPath(path, left)),
    ...(refused === undefined ? [] : [refused]),
  ];
  if (dropped.length > 0) reply.addHeader("x-plaza-dropped-params", dropped.join(", "));
  const { id } = candidate.resolved.model.model;
  if (id !== fields.model) reply.addHeader(servedByHeader, id);
  if (candidates.length > 1) addBound(reply, candidate);
  return true;
}

/** Settles the retry budget for an attempt it allowed. */
function pay(state: DispatchState, running: Running, isWasted: boolean): void {
  if (!running.isOwed) return;
  running.isOwed = false;
  state.budget.settle(isWasted);
}

/**
 * Records the end of an attempt; called exactly once. `isLoser`: it lost to a faster attempt, failed while
 * another one goes on, or ended with the others because the caller left.
 */
export function finishAttempt(
  state: DispatchState,
  running: Running,
  end: AttemptEnd,
  isLoser = false,
): void {
  const { context, request } = state;
  const { choice, permit } = running;
  const nowMs = context.clock.elapsedMs();
  const fault = end.kind === "fault" || end.kind === "cut" ? end.fault : undefined;
  const isOurs = end.kind === "aborted" || (fault !== undefined && isOwnEnding(fault));
  const doubt = doubtOf(state, running, end);
  if (doubt !== undefined) context.upstreamHealth.doubtUsage(choice, doubt, nowMs);
  context.upstreamHealth.end(choice, { fault: isOurs ? undefined : fault, isCallerGone: isOurs }, nowMs);
  noteMakers(state, running, end);
  permit?.release();
  pay(state, running, end.kind === "fault" && canFallBack(end.fault));
  const wasted = wastedOf(state, running, end, isLoser);
  state.log.push(recordOf(state, running, { end, isLoser, nowMs, wasted }));
  state.wastedCost = addCosts(state.wastedCost, costOf(wasted?.usage, choice.live.deployment.cost));
  if (fault === undefined) return;
  if (fault.kind === "upstream_auth") context.tokens.forget(choice.live.live.upstream, choice.credential);
  if (fault.kind === "rate_limit") {
    state.throttled.push(choice);
    const { retryAfterMs } = fault;
    if (retryAfterMs !== undefined) state.soonestMs = Math.min(state.soonestMs ?? retryAfterMs, retryAfterMs);
  }
  context.log.warn("attempt_failed", {
    request: request.reply.requestId,
    upstream: choice.live.live.upstream.id,
    model: choice.live.deployment.model,
    fault: fault.kind,
    status: fault.status,
    note: fault.note,
  });
}

/** Usage of an attempt that did not serve the caller. */
interface Wasted {
  readonly usage: Usage;
  /** True when the usage is an upper bound and not reported. */
  readonly isBound: boolean;
}

/**
 * Returns the upstream's reported usage. For an attempt that Plaza gave up and the upstream may have
 * finished, returns the most it may bill: the whole prompt, and all paid output of a whole answer. A stream
 * without content has no output.
 */
function wastedOf(
  state: DispatchState,
  running: Running,
  end: AttemptEnd,
  isLoser: boolean,
): Wasted | undefined {
  if (end.kind !== "fault" && !isLoser) return undefined;
  if (end.usage !== undefined) return { usage: end.usage, isBound: false };
  const isGivenUp =
    end.kind === "fault" ? end.fault.kind === "timeout" && end.fault.status === undefined : isLoser;
  if (!isGivenUp || !running.attempt.isSent) return undefined;
  const { isStream, most } = state.request;
  const outputEach = Math.min(most.outputTokens, running.candidate.outputTokensMax ?? most.outputTokens);
  const output = isStream ? 0 : outputEach * most.answers;
  return {
    usage: { input: most.inputTokens, cachedInput: 0, cacheWrite: 0, output, reasoning: 0 },
    isBound: true,
  };
}

/** Words in a body that may bring in tokens its size does not show: media, files, search results. */
const bringing = ["://", "data:", "file", "image", "audio", "video", "search"];

/** Returns what is wrong with an attempt's reported usage; undefined when it is plausible. */
function doubtOf(
  { request }: DispatchState,
  { attempt, candidate }: Running,
  end: AttemptEnd,
): UsageDoubt | undefined {
  if (attempt.isUsageDoubted) return "impossible";
  if (end.usage === undefined) return undefined;
  const { body, most } = request;
  const each =
    Math.min(candidate.outputTokensMax ?? Number.POSITIVE_INFINITY, most.outputTokens) + most.furtherTokens;
  const asked = { outputTokens: each * most.answers, promptBytes: body.length };
  if (!isBeyondAsked(end.usage, asked)) return undefined;
  // Searching the body is expensive, so it comes last.
  const brings = bringing.some((word) => body.includes(word));
  return isBeyondAsked(end.usage, { ...asked, promptBytes: brings ? undefined : body.length })
    ? "beyond_asked"
    : undefined;
}

interface Finished {
  readonly end: AttemptEnd;
  readonly isLoser: boolean;
  readonly nowMs: number;
  readonly wasted: Wasted | undefined;
}

function recordOf(
  { request }: DispatchState,
  { attempt, choice, candidate }: Running,
  { end, isLoser, nowMs, wasted }: Finished,
): AttemptRecord {
  const { deployment, live } = choice.live;
  // Both ends are rounded alike, so that what follows never begins before this ends.
  const startMs = Math.round(attempt.startedMs - request.arrivedMs);
  const fault = end.kind === "fault" || end.kind === "cut" ? end.fault : undefined;
  const usage = wasted?.usage;
  const cost = usage === undefined ? null : costOf(usage, deployment.cost);
  const tokens =
    usage === undefined
      ? {}
      : {
          usage: { input: usage.input + usage.cachedInput + usage.cacheWrite, output: usage.output },
          ...(wasted?.isBound === true ? { isBound: true as const } : {}),
        };
  const { id } = candidate.resolved.model.model;
  const { model: askedModel } = request.fields;
  return {
    upstreamId: live.upstream.id,
    upstreamModel: deployment.model,
    ...(id === askedModel ? {} : { model: id, askedModel }),
    fault:
      fault?.kind ?? (isLoser ? givenUpBeside[attempt.isSuperseded ? "superseded" : "callerLeft"] : null),
    status: fault?.status ?? null,
    startMs,
    durationMs: Math.round(nowMs - request.arrivedMs) - startMs,
    ...tokens,
    ...(cost === null ? {} : { cost: formatUsd(cost) }),
  };
}
