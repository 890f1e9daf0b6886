/**
 * What the end of an attempt says about the upstream: whose fault was it? Changes the slots and tells what
 * changed. It must not hold a fault of the caller's making against anybody.
 */

import type { UsageDoubt } from "../../domain/money/usage-trust.ts";
import {
  credentialRefused,
  credentialSucceeded,
  readPause,
  restSucceeded,
  restThrottled,
} from "../../domain/routing/credential-health.ts";
import { countsAgainst, type FaultKind, faultRules } from "../../domain/routing/fault.ts";
import { deploymentFailed, deploymentSucceeded, standingOf } from "../../domain/routing/health.ts";
import { throttleRate, throttlingRefused, throttlingServed } from "../../domain/routing/throttling.ts";
import type { Fault } from "../../protocols/protocol.ts";
import { type CredentialSlot, type DeploymentSlot, restSlotOf } from "./slots.ts";

/** Something about a deployment or a credential changed. For the log, and for metrics. */
export interface HealthEvent {
  readonly name:
    | "deployment_ejected"
    | "deployment_resting"
    | "deployment_back"
    | "credential_out"
    | "credential_resting"
    | "credential_back"
    | "usage_distrusted"
    | "usage_beyond_asked";
  readonly upstream: string;
  /** The model's name at the upstream; absent where all its models are meant. */
  readonly upstreamModel?: string | undefined;
  /** Place in the upstream's list, from 1; absent where a deployment is meant. */
  readonly credential?: number | undefined;
  readonly fault?: FaultKind | undefined;
  readonly status?: number | undefined;
  /** How long it is left alone, milliseconds. */
  readonly forMs?: number | undefined;
  /** It asked for a pause nobody can mean (none at all, or an hour and more), which was bounded. */
  readonly isOddPause?: true | undefined;
  /** The same was told a moment ago: to be counted, not logged. */
  readonly isRepeated?: true | undefined;
}

/** The same doubt of a deployment is logged this often. */
const doubtLoggedMs = 60_000;

/**
 * An answer's usage cannot be true, or is more than was asked for: the next one may be
 * the same, so not every one is logged.
 */
export function noteUsageDoubt(
  slot: DeploymentSlot,
  kind: UsageDoubt,
  nowMs: number,
  report: (event: HealthEvent) => void,
): void {
  const before = slot.usageDoubt;
  const isRepeated = before?.kind === kind && nowMs - before.loggedMs < doubtLoggedMs;
  slot.usageDoubt = { kind, atMs: nowMs, loggedMs: isRepeated ? before.loggedMs : nowMs };
  report({
    name: kind === "impossible" ? "usage_distrusted" : "usage_beyond_asked",
    ...deploymentOf(slot),
    ...(isRepeated ? { isRepeated } : {}),
  });
}

/** What ended, and when. */
export interface Ended {
  readonly slot: DeploymentSlot;
  readonly credential: CredentialSlot;
  readonly beganMs: number;
  readonly nowMs: number;
  /** Unix milliseconds, for people to read. */
  readonly wallMs: number;
}

type Report = (event: HealthEvent) => void;

/** How quickly the share of successes follows. */
const newest = 0.1;
/** A credential that is throttled again and again is told once in this long. */
const reportRestEveryMs = 10_000;

const deploymentOf = ({ upstream, model }: DeploymentSlot) => ({
  upstream: upstream.live.upstream.id,
  upstreamModel: model,
});

const numberOf = ({ index }: CredentialSlot) => (index < 0 ? undefined : index + 1);

/** The attempt answered. */
export function noteSuccess({ slot, credential, beganMs, nowMs }: Ended, report: Report): void {
  const before = slot.health.phase;
  slot.health = deploymentSucceeded(slot.health, { beganMs, nowMs });
  slot.successShare += newest * (1 - slot.successShare);
  if (before === "ejected" && slot.health.phase === "returning") slot.successShare = 1;
  if (
    slot.reported !== "in" &&
    slot.health.phase !== "ejected" &&
    standingOf(slot.health, nowMs) !== "resting"
  ) {
    slot.reported = "in";
    report({ name: "deployment_back", ...deploymentOf(slot) });
  }
  credential.health = credentialSucceeded(credential.health, { beganMs });
  reportCredentialBack(credential, slot.upstream.live.upstream.id, report);
  const resting = restSlotOf(slot, credential);
  throttlingServed(resting.throttling, nowMs);
  if (beganMs < resting.rest.sinceMs) return;
  resting.rest = restSucceeded(resting.rest, { beganMs });
  if (!resting.isReported) return;
  resting.isReported = false;
  report({ name: "credential_back", ...deploymentOf(slot), credential: numberOf(credential) });
}

/** Tells, once, that a credential that was out works again. */
export function reportCredentialBack(credential: CredentialSlot, upstream: string, report: Report): void {
  if (!credential.isReportedOut || credential.health.out !== undefined) return;
  credential.isReportedOut = false;
  report({ name: "credential_back", upstream, credential: numberOf(credential) });
}

/** The attempt failed. `canProbe`: a credential that is out can be looked at without a caller's call. */
export function noteFault(ended: Ended, fault: Fault, canProbe: boolean, report: Report): void {
  const against = countsAgainst(fault);
  if (against === "nothing") return;
  const lastFault = {
    kind: fault.kind,
    status: fault.status ?? null,
    at: new Date(ended.wallMs).toISOString(),
  };
  if (against === "deployment") {
    ended.slot.lastFault = lastFault;
    noteBroken(ended, fault, report);
    return;
  }
  ended.credential.lastFault = lastFault;
  if (against === "credential_pace") noteThrottled(ended, fault, report);
  else
    noteRefused(
      ended,
      fault,
      { reason: against === "credential_refused" ? "auth" : "quota", canProbe },
      report,
    );
}

function noteBroken({ slot, beganMs, nowMs }: Ended, fault: Fault, report: Report): void {
  const statedMs = faultRules[fault.kind].wait === undefined ? undefined : fault.retryAfterMs;
  const { pauseMs, isOdd } = readPause(statedMs);
  slot.successShare -= newest * slot.successShare;
  slot.health = deploymentFailed(slot.health, { beganMs, nowMs, restMs: pauseMs });
  const odd = isOdd ? ({ isOddPause: true } as const) : {};
  const why = { ...deploymentOf(slot), fault: fault.kind, status: fault.status, ...odd };
  if (slot.health.phase === "ejected" && slot.reported !== "ejected") {
    slot.reported = "ejected";
    report({ name: "deployment_ejected", ...why, forMs: Math.round(slot.health.untilMs - nowMs) });
  } else if (slot.reported === "in" && nowMs < slot.health.restUntilMs) {
    slot.reported = "resting";
    report({ name: "deployment_resting", ...why, forMs: Math.round(slot.health.restUntilMs - nowMs) });
  }
}

function noteThrottled({ slot, credential, beganMs, nowMs }: Ended, fault: Fault, report: Report): void {
  const resting = restSlotOf(slot, credential);
  throttlingRefused(resting.throttling, nowMs);
  const { pauseMs, isOdd } = readPause(fault.retryAfterMs);
  // One refusal among many answers, with no time to wait, is about that one call.
  if (pauseMs === undefined && throttleRate(resting.throttling, nowMs) === "seldom") return;
  resting.rest = restThrottled(resting.rest, { statedMs: fault.retryAfterMs, beganMs, nowMs });
  if (resting.isReported || nowMs - resting.reportedMs < reportRestEveryMs) return;
  resting.isReported = true;
  resting.reportedMs = nowMs;
  report({
    name: "credential_resting",
    ...deploymentOf(slot),
    credential: numberOf(credential),
    fault: fault.kind,
    status: fault.status,
    forMs: Math.round(resting.rest.untilMs - nowMs),
    ...(isOdd ? { isOddPause: true } : {}),
  });
}

function noteRefused(
  { slot, credential, beganMs, nowMs }: Ended,
  fault: Fault,
  { reason, canProbe }: { reason: "auth" | "quota"; canProbe: boolean },
  report: Report,
): void {
  credential.health = credentialRefused(credential.health, {
    reason,
    beganMs,
    nowMs,
    canProbe,
    statedMs: fault.retryAfterMs,
  });
  if (credential.isReportedOut) return;
  credential.isReportedOut = true;
  report({
    name: "credential_out",
    upstream: slot.upstream.live.upstream.id,
    credential: numberOf(credential),
    fault: fault.kind,
    status: fault.status,
    forMs: Math.round(credential.health.untilMs - nowMs),
  });
}
