/**
 * Pure: the health of a credential. A rate-limited one pauses exactly as long as the upstream said. A refused
 * or unpaid one is out until a probe or a trial call shows that it works again. Times are milliseconds of one
 * clock, passed in.
 */

/** Longest pause, even if an upstream states a longer one. */
export const restMsMax = 3_600_000;
const restMsFirst = 1_000;
const restMsGrownMax = 60_000;

/** A pause of one credential on one deployment, because upstreams limit by model. */
export interface Rest {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Consecutive pauses without a stated length. */
  readonly guesses: number;
}

const never = Number.NEGATIVE_INFINITY;

export const noRest: Rest = { sinceMs: never, untilMs: never, guesses: 0 };

/** The pause when the upstream stated `statedMs`. `isOdd`: the stated time is implausible. */
export function readPause(statedMs: number | undefined): { pauseMs: number | undefined; isOdd: boolean } {
  if (statedMs === undefined) return { pauseMs: undefined, isOdd: false };
  if (!(statedMs > 0)) return { pauseMs: undefined, isOdd: true };
  return { pauseMs: Math.min(statedMs, restMsMax), isOdd: statedMs >= restMsMax };
}

/**
 * The upstream rate-limited the credential. Without a stated length the pause is a second, doubled while that
 * does not help. The longer pause wins.
 */
export function restThrottled(
  rest: Rest,
  { statedMs, beganMs, nowMs }: { statedMs: number | undefined; beganMs: number; nowMs: number },
): Rest {
  const { pauseMs } = readPause(statedMs);
  if (pauseMs !== undefined) {
    return { sinceMs: nowMs, untilMs: Math.max(rest.untilMs, nowMs + pauseMs), guesses: 0 };
  }
  // Calls that were already running report nothing new.
  if (beganMs < rest.sinceMs) return rest;
  const guessMs = Math.min(restMsGrownMax, restMsFirst * 2 ** Math.min(rest.guesses, 10));
  return { sinceMs: nowMs, untilMs: Math.max(rest.untilMs, nowMs + guessMs), guesses: rest.guesses + 1 };
}

/** A call succeeded: the next pause of unknown length is short again. A running pause continues. */
export function restSucceeded(rest: Rest, { beganMs }: { beganMs: number }): Rest {
  return rest.guesses === 0 || beganMs < rest.sinceMs ? rest : { ...rest, guesses: 0 };
}

export const isResting = (rest: Rest, nowMs: number): boolean => nowMs < rest.untilMs;

const outMsFirst = 60_000;
const outMsMax = 600_000;
const trialGapMs = 1_000;

/** Why it is out: the upstream rejects it, or requires payment. */
export type OutReason = "auth" | "quota";

export interface CredentialHealth {
  readonly out: OutReason | undefined;
  readonly sinceMs: number;
  /** When it is checked again. */
  readonly untilMs: number;
  /** Milliseconds it is out this time. */
  readonly waitMs: number;
  /** True when a caller's request may try it after its pause; otherwise a probe must succeed first. */
  readonly mayTry: boolean;
  readonly lastTrialMs: number;
}

export const activeCredential: CredentialHealth = {
  out: undefined,
  sinceMs: never,
  untilMs: never,
  waitMs: 0,
  mayTry: false,
  lastTrialMs: never,
};

/** `trial`: single calls may try it. */
export function credentialStanding(health: CredentialHealth, nowMs: number): "active" | "trial" | "out" {
  if (health.out === undefined) return "active";
  const isDue = health.mayTry && nowMs >= health.untilMs && nowMs - health.lastTrialMs >= trialGapMs;
  return isDue ? "trial" : "out";
}

export function credentialBegan(health: CredentialHealth, nowMs: number): CredentialHealth {
  return health.out === undefined ? health : { ...health, lastTrialMs: nowMs };
}

/** The upstream refused it. `canProbe`: it can be checked without a caller's call. */
export function credentialRefused(
  health: CredentialHealth,
  event: {
    reason: OutReason;
    beganMs: number;
    nowMs: number;
    canProbe: boolean;
    statedMs?: number | undefined;
  },
): CredentialHealth {
  const { reason, beganMs, nowMs } = event;
  if (health.out !== undefined && beganMs < health.sinceMs) return health;
  const waitMs = health.out === undefined ? outMsFirst : Math.min(outMsMax, health.waitMs * 2);
  const { pauseMs } = readPause(event.statedMs);
  return {
    out: reason,
    sinceMs: nowMs,
    untilMs: nowMs + Math.max(waitMs, pauseMs ?? 0),
    waitMs,
    mayTry: !event.canProbe,
    lastTrialMs: never,
  };
}

/** A call with it succeeded. A call that began before the refusal proves nothing. */
export function credentialSucceeded(
  health: CredentialHealth,
  { beganMs }: { beganMs: number },
): CredentialHealth {
  return health.out === undefined || beganMs < health.sinceMs ? health : activeCredential;
}

/**
 * An operator asks for a check: it is due now. A refusal doubles the wait, so it is halved first: asking
 * often does not delay the automatic checks.
 */
export function credentialProbeAsked(health: CredentialHealth, nowMs: number): CredentialHealth {
  if (health.out === undefined) return health;
  const waitMs = Math.max(outMsFirst / 2, health.waitMs / 2);
  return { ...health, waitMs, untilMs: Math.min(health.untilMs, nowMs) };
}

export function isCredentialProbeDue(health: CredentialHealth, nowMs: number): boolean {
  return health.out !== undefined && !health.mayTry && nowMs >= health.untilMs;
}

/** The result of a probe with the credential. `unclear`: the answer proves nothing. */
export type ProbeFinding = "accepted" | "refused" | "unclear" | "unreachable";

/**
 * A list of models does not show payment, so an unpaid credential that is accepted is tried by a caller's
 * call.
 */
export function credentialProbed(
  health: CredentialHealth,
  finding: ProbeFinding,
  nowMs: number,
): CredentialHealth {
  if (health.out === undefined) return health;
  if (finding === "accepted" && health.out === "auth") return activeCredential;
  if (finding === "accepted" || finding === "unclear") return { ...health, mayTry: true, untilMs: nowMs };
  const waitMs = finding === "refused" ? Math.min(outMsMax, health.waitMs * 2) : health.waitMs;
  return { ...health, waitMs, untilMs: nowMs + waitMs };
}
