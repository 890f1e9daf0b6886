/**
 * Step 5, dispatch: tries the model's deployments in order until one answers. Retry and fallback happen only here, and
 * only while the caller has received no content.
 */
import { formatUsd, type NanoUsd } from "@plaza/contract/money.ts";
import { addCosts, costOf, noCost } from "../domain/cost.ts";
import { orderDeployments } from "../domain/routing.ts";
import type { Clock } from "../lib/clock.ts";
import type { JsonScanner } from "../lib/json-scan.ts";
import type { Log } from "../lib/log.ts";
import type { SseReaderFactory } from "../lib/sse.ts";
import type { Fault, ProviderRequest } from "../providers/provider.ts";
import type { AttemptRecord } from "../store/store.ts";
import { AnswerAttempt } from "./answer.ts";
import type { Attempt, AttemptContext, AttemptEnd } from "./attempt.ts";
import { canFallBack } from "./fault-error.ts";
import { playScript } from "./local-transport.ts";
import { StreamAttempt } from "./relay.ts";
import type { Reply } from "./reply.ts";
import type { LiveDeployment, LiveModel } from "./snapshot.ts";

/** One try and at most two more (PROMISES.md, defaults). */
const attemptsMax = 3;

export interface DispatchContext extends AttemptContext {
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly answerScanners: () => JsonScanner;
  readonly readers: SseReaderFactory;
}

export interface DispatchRequest extends ProviderRequest {
  readonly model: LiveModel;
  readonly reply: Reply;
  /** Did the caller ask for usage in its stream? */
  readonly showsUsage: boolean;
  /** Is the answer kept for the caller's next try, so that it is wanted whether the caller stays or not? */
  readonly isKept: boolean;
}

export interface Dispatched {
  readonly end: AttemptEnd;
  readonly attempts: number;
  /** Every attempt in order; undefined for one that answered. */
  readonly log: readonly AttemptRecord[] | undefined;
  /** What the upstreams bill for attempts that failed before any content; null = unknown. */
  readonly burnt: NanoUsd | null;
  /** The deployment of the last attempt. */
  readonly live: LiveDeployment;
  /** Elapsed milliseconds of the first content. */
  readonly firstContentMs: number | undefined;
}

/** Runs attempts until one answers, breaks after content, or none is left. The last fault is the one reported. */
export async function dispatch(context: DispatchContext, request: DispatchRequest): Promise<Dispatched> {
  const order = orderDeployments(request.model.deployments, context.random);
  const log: AttemptRecord[] = [];
  let burnt: NanoUsd | null = noCost;
  for (;;) {
    const live = pick(order, log.length);
    const startedMs = context.clock.elapsedMs();
    const attempt = start(context, request, live);
    if (request.reply.isGone) attempt.callerLeft();
    const end = await attempt.ended;
    log.push(recordOf(live, end, context.clock.elapsedMs() - startedMs));
    if (end.kind === "fault") burnt = addCosts(burnt, costOf(end.usage, live.deployment.cost));
    if (end.kind === "fault" || end.kind === "cut") note(context, request, live, end.fault);
    const attempts = log.length;
    const isLast = attempts >= attemptsMax || !mayTryAgain(end, order.length, attempts);
    if (isLast || (request.reply.isGone && !request.isKept)) {
      const isPlain = attempts === 1 && log[0]?.fault === null;
      const { firstContentMs } = attempt;
      return { end, attempts, log: isPlain ? undefined : log, burnt, live, firstContentMs };
    }
  }
}

function recordOf({ deployment, live }: LiveDeployment, end: AttemptEnd, elapsedMs: number): AttemptRecord {
  const fault = end.kind === "fault" || end.kind === "cut" ? end.fault : undefined;
  const usage = end.kind === "fault" ? end.usage : undefined;
  const cost = usage === undefined ? null : costOf(usage, deployment.cost);
  return {
    upstreamId: live.upstream.id,
    upstreamModel: deployment.model,
    fault: fault?.kind ?? null,
    status: fault?.status ?? null,
    durationMs: Math.round(elapsedMs),
    ...(usage === undefined
      ? {}
      : { usage: { input: usage.input + usage.cachedInput + usage.cacheWrite, output: usage.output } }),
    ...(cost === null ? {} : { cost: formatUsd(cost) }),
  };
}

function pick(order: readonly LiveDeployment[], attempt: number): LiveDeployment {
  const live = order[attempt % order.length];
  if (live === undefined) throw new Error("a resolved model has at least one deployment");
  return live;
}

/** Another deployment takes over after any fault of the upstream's; the same one is tried again only after a broken connection. */
function mayTryAgain(end: AttemptEnd, deployments: number, attempts: number): boolean {
  if (end.kind !== "fault" || !canFallBack(end.fault)) return false;
  return attempts < deployments || (end.fault.kind === "network" && attempts === 1);
}

function start(
  context: DispatchContext,
  request: DispatchRequest,
  { deployment, live }: LiveDeployment,
): Attempt {
  const { provider, upstream } = live;
  const options = {
    provider,
    timeouts: upstream.timeouts,
    reply: request.reply,
    showsUsage: request.showsUsage,
    whenCallerLeaves: request.isKept ? "keep" : (upstream.whenCallerLeaves ?? "stop"),
  } as const;
  const attempt = request.isStream
    ? new StreamAttempt(context, options, context.readers)
    : new AnswerAttempt(context, options, context.answerScanners);
  try {
    if (provider.transport === "local") {
      const createdSeconds = Math.floor(context.clock.wallMs() / 1000);
      playScript(provider.script(request, deployment.model, createdSeconds), attempt);
    } else {
      const credential = upstream.credentials[live.turn++ % upstream.credentials.length] ?? "";
      live.client?.post(provider.encode(request, upstream, credential, deployment.model), attempt);
    }
  } catch (error) {
    context.log.error("attempt_not_started", { upstream: upstream.id, error: (error as Error).name });
    attempt.refuse({ kind: "server", note: "the call could not be built" });
  }
  return attempt;
}

function note(context: DispatchContext, request: DispatchRequest, live: LiveDeployment, fault: Fault): void {
  context.log.warn("attempt_failed", {
    request: request.reply.requestId,
    upstream: live.live.upstream.id,
    model: live.deployment.model,
    fault: fault.kind,
    status: fault.status,
    note: fault.note,
  });
}
