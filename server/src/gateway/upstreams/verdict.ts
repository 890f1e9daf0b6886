/**
 * Applies the end of an attempt to upstream health and reports state changes. Decides whose fault a failure
 * was; a caller's mistake must never count against an upstream.
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

/** A state change of a deployment or credential, for logs and metrics. */
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
  /** The upstream's model id; absent when the event is about all its models. */
  readonly upstreamModel?: string | undefined;
  /** Position in the upstream's credential list, from 1; absent when the event is about a deployment. */
  readonly credential?: number | undefined;
  readonly fault?: FaultKind | undefined;
  readonly status?: number | undefined;
  /** How long it will not be used, in milliseconds. */
  readonly forMs?: number | undefined;
  /** The upstream asked for an implausible pause (zero, or an hour or more), so Plaza used its own limit. */
  readonly isOddPause?: true | undefined;
  /** Reported recently: count it, do not log it. */
  readonly isRepeated?: true | undefined;
}

/** Shortest time between two log lines about the same doubt and deployment, in milliseconds. */
const doubtLoggedMs = 60_000;

/**
 * Records reported usage that is impossible or exceeds the request. Logged at intervals only, because the
 * next answers may well have the same problem.
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

/** A finished attempt. */
export interface Ended {
  readonly slot: DeploymentSlot;
  readonly credential: CredentialSlot;
  readonly beganMs: number;
  readonly nowMs: number;
  /** Unix milliseconds, for display. */
  readonly wallMs: number;
}

type Report = (event: HealthEvent) => void;

/** Weight of a new call in the moving success share. */
const newest = 0.1;
/** Shortest time between two reports that a credential is throttled, in milliseconds. */
const reportRestEveryMs = 10_000;

const deploymentOf = ({ upstream, model }: DeploymentSlot) => ({
  upstream: upstream.live.upstream.id,
  upstreamModel: model,
});

const numberOf = ({ index }: CredentialSlot) => (index < 0 ? undefined : index + 1);

/** Applies a successful attempt. */
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

/** Reports once that a rejected credential works again. */
export function reportCredentialBack(credential: CredentialSlot, upstream: string, report: Report): void {
  if (!credential.isReportedOut || credential.health.out !== undefined) return;
  credential.isReportedOut = false;
  report({ name: "credential_back", upstream, credential: numberOf(credential) });
}

/** Applies a failed attempt. `canProbe`: the credential can be tested without a caller's request. */
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
  // A single refusal among many successes, without Retry-After, concerns only that call.
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
