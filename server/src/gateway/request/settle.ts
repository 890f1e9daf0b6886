/**
 * Settlement: turns the way a request ended into usage, charge, row and ledger entry, written in one
 * transaction. The caller gets the end of its answer only afterwards. docs/call/billing.md has a table with
 * the rule for every ending.
 */

import { GatewayError } from "@plaza/contract/errors.ts";
import { type NanoUsd, nanoUsd } from "@plaza/contract/money.ts";
import {
  isAllZero,
  noUsage,
  type RequestState,
  type Usage,
  type UsageSource,
} from "@plaza/contract/usage.ts";
import { addCosts, costOf, noCost } from "../../domain/money/cost.ts";
import { estimateOutput, estimateUsage } from "../../domain/money/estimate.ts";
import { chargeFor } from "../../domain/money/price.ts";
import { invariant } from "../../lib/invariant.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { defaultProvider } from "../../providers/index.ts";
import type { Settlement } from "../../store/requests/settlement-shapes.ts";
import type { RequestRow, RequestsStore, UsageParts } from "../../store/requests/shapes.ts";
import type { Dispatched } from "../dispatch/dispatch.ts";
import type { Hold } from "../money/holds.ts";
import type { ThinkingSpeeds } from "../money/thinking.ts";
import type { WorstCase } from "../money/worst-case.ts";
import { reportSettled, type Watchers } from "../observe/settled.ts";
import type { GatewaySettings } from "../settings.ts";
import type { LiveDeployment } from "../snapshot.ts";
import { type AnswerEnding, answerToKeep } from "./idempotency/idempotency.ts";
import type { RequestPhase } from "./phases.ts";

/** The outcome of a request, as its row records it. */
export interface Ending {
  readonly status: number;
  readonly state: RequestState;
  readonly errorCode: string | null;
  /** The answer to store for a repeat with the same Idempotency-Key; undefined = none. */
  readonly kept: AnswerEnding | undefined;
}

export interface SettleContext extends Watchers {
  readonly store: RequestsStore;
  readonly settings: GatewaySettings;
  readonly clock: Clock;
  readonly log: Log;
  readonly thinking: ThinkingSpeeds;
}

/** Thinking speed is measured per upstream and model. */
const speedKey = ({ live, deployment }: LiveDeployment): string => `${live.upstream.id} ${deployment.model}`;

/** Output tokens covered by the hold, over all answers. */
function outputHeld(hold: Hold | undefined, worstCase: WorstCase | undefined): number {
  if (worstCase === undefined) return 0;
  return ((hold?.clampedTo ?? worstCase.outputTokens) + worstCase.furtherTokens) * worstCase.answers;
}

/**
 * What the upstream reported; undefined when it reported nothing, or zeros alone: a prompt has tokens, and
 * some servers send zeros because clients need numbers.
 */
function reportedUsage({ outcome }: RequestPhase): Usage | undefined {
  const usage = outcome?.dispatched.end.usage;
  return usage !== undefined && isAllZero(usage) ? undefined : usage;
}

/**
 * Uses the upstream's usage report if there is one, else an estimate of what was delivered. Nothing delivered
 * counts as no usage.
 */
function countUsage(
  { thinking }: Pick<SettleContext, "thinking">,
  request: RequestPhase,
): { usage: Usage; source: UsageSource } {
  const { endpoint, read, taken, worstCase, resolved, outcome } = request;
  const dispatched = outcome?.dispatched;
  const end = dispatched?.end;
  if (end === undefined || end.kind === "fault") return { usage: noUsage, source: "none" };
  const reported = reportedUsage(request);
  const { delivered } = end;
  // On the way some upstreams tell the prompt's tokens alone, although words came.
  const isPromptAlone =
    reported?.isOnTheWay === true && reported.output === 0 && estimateOutput(delivered) > 0;
  if (reported !== undefined && !isPromptAlone) {
    const { isCapped, hasUnknownClass, isOnTheWay } = reported;
    const isDoubtful = isCapped === true || hasUnknownClass === true || isOnTheWay === true;
    return { usage: reported, source: isDoubtful ? "estimated" : "exact" };
  }
  if (end.kind === "aborted" && delivered.events + delivered.mergedBytes + delivered.images === 0) {
    return { usage: noUsage, source: "none" };
  }
  const provider = dispatched?.live?.live.upstream.provider ?? defaultProvider.id;
  const context = resolved?.model.model.context;
  const counted = reported ?? ("prompt" in end ? end.prompt : undefined);
  const prompt = counted === undefined || isAllZero(counted) ? undefined : counted;
  const prompted = read === undefined ? 0 : endpoint.promptTokens(read.fields, read.body, provider, context);
  const usage = estimateUsage({ promptTokens: prompted, prompt, ...delivered });
  if (end.kind !== "aborted" || dispatched?.live === undefined || dispatched.waitedMs === undefined) {
    return { usage, source: "estimated" };
  }
  // The caller disconnected while the model was thinking. The upstream bills those tokens, so estimate them.
  const thought = thinking.estimate(speedKey(dispatched.live), dispatched.waitedMs) ?? 0;
  const reasoning = Math.max(0, Math.min(thought, outputHeld(taken.hold, worstCase) - usage.output));
  return { usage: { ...usage, output: usage.output + reasoning, reasoning }, source: "estimated" };
}

/** Updates a deployment's thinking speed from a stream that reported usage. */
function learnSpeed({ thinking }: SettleContext, request: RequestPhase): void {
  if (request.outcome === undefined) return;
  const { end, live, waitedMs } = request.outcome.dispatched;
  if (end.kind !== "stream" || live === undefined || waitedMs === undefined) return;
  const reported = reportedUsage(request);
  if (reported === undefined) return;
  const { output, reasoning } = reported;
  thinking.learn(speedKey(live), { waitedMs, reasoning, unseen: output - estimateOutput(end.delivered) });
}

/** Returns the audio, image and long cache parts of the usage; null when all are 0. */
function partsOf(usage: Usage): UsageParts | null {
  const { audioInput, imageInput, audioOutput, imageOutput, longCacheWrite } = usage;
  const isPlain = !(audioInput || imageInput || audioOutput || imageOutput || longCacheWrite);
  return isPlain ? null : { audioInput, imageInput, audioOutput, imageOutput, longCacheWrite };
}

/** Returns the charge: usage at the price in force when the request was admitted, or 0 without usage. */
function chargeOf(request: RequestPhase, usage: Usage, source: UsageSource): NanoUsd {
  const price = request.resolved?.price;
  return price === undefined || source === "none" ? nanoUsd(0n) : chargeFor(usage, price);
}

/** Returns the upstream cost of all attempts, failed ones included; null when a cost is unknown. */
function costOfAll(dispatched: Dispatched | undefined, usage: Usage, source: UsageSource): NanoUsd | null {
  if (dispatched === undefined) return noCost;
  const settled = costOf(source === "none" ? undefined : usage, dispatched.live?.deployment.cost);
  return addCosts(dispatched.wastedCost, settled);
}

/** As the caller wrote it; after the answer, the id of the model that served. */
function modelIdOf({ read, resolved, outcome }: RequestPhase): string | null {
  return (outcome === undefined ? read?.fields.model : resolved?.model.model.id) ?? null;
}

function rowOf(context: SettleContext, request: RequestPhase, ending: Ending, nowMs: number): RequestRow {
  const { call, read, outcome } = request;
  const dispatched = outcome?.dispatched;
  const { usage, source } = countUsage(context, request);
  const firstMs = dispatched?.firstContentMs;
  return {
    id: call.id,
    createdAt: call.createdAt,
    accountId: call.caller.key.accountId,
    keyId: call.caller.key.id,
    operation: request.endpoint.operation,
    modelId: modelIdOf(request),
    upstreamId: dispatched?.live?.live.upstream.id ?? null,
    upstreamModel: dispatched?.live?.deployment.model ?? null,
    isStream: read?.fields.isStream === true,
    status: ending.status,
    state: ending.state,
    errorCode: ending.errorCode,
    attempts: dispatched?.attempts ?? 0,
    inputTokens: usage.input,
    cachedInputTokens: usage.cachedInput,
    cacheWriteTokens: usage.cacheWrite,
    outputTokens: usage.output,
    reasoningTokens: usage.reasoning,
    usageSource: source,
    firstTokenMs: firstMs === undefined ? null : Math.round(firstMs - call.startedMs),
    durationMs: Math.round(nowMs - call.startedMs),
    usageParts: partsOf(usage),
    attemptLog: dispatched?.log ?? null,
    queueMs: dispatched?.queueMs ?? null,
    priceId: source === "none" ? null : (request.resolved?.priceId ?? null),
    cost: costOfAll(dispatched, usage, source),
    charge: chargeOf(request, usage, source),
  };
}

/** Returns the ledger part of the settlement; undefined when there is no hold and no Idempotency-Key. */
function settlementOf(
  { settings }: SettleContext,
  { taken: { hold, claim } }: RequestPhase,
  { kept }: Ending,
  charge: NanoUsd,
): Settlement | undefined {
  const money = hold?.settle(charge);
  if (claim === undefined) return money;
  const answer = kept && answerToKeep(kept, charge, settings.idempotencyBytesMax);
  return { ...money, idempotency: claim.settle(answer) };
}

/**
 * Ends the request's holds, rate limit admissions and Idempotency-Key claim. Resolves with the charge once
 * row and ledger are durable. Throws `ledger_unavailable` when they cannot be written; the holds end in that
 * case too.
 */
export async function settle(
  context: SettleContext,
  request: RequestPhase,
  ending: Ending,
): Promise<NanoUsd> {
  const { taken } = request;
  const beganMs = context.clock.elapsedMs();
  const row = rowOf(context, request, ending, beganMs);
  learnSpeed(context, request);
  const report = (isRecorded: boolean): void =>
    reportSettled(context, request, {
      row,
      model: request.resolved?.model.model.id,
      provider: request.outcome?.dispatched.live?.live.upstream.provider,
      beganMs,
      endedMs: context.clock.elapsedMs(),
      isRecorded,
    });
  const tokens = row.inputTokens + row.cachedInputTokens + row.cacheWriteTokens + row.outputTokens;
  for (const admission of taken.admissions) admission.end(tokens);
  try {
    invariant(row.charge >= 0n, "a charge is never negative", row.id);
    const settlement = settlementOf(context, request, ending, row.charge);
    await context.store.recordRequest(row, settlement);
  } catch (error) {
    taken.claim?.free();
    taken.hold?.drop();
    taken.hold?.doubt();
    report(false);
    context.log.error("request_not_recorded", { request: row.id, error: (error as Error).message });
    throw new GatewayError("ledger_unavailable");
  }
  report(true);
  return row.charge;
}
