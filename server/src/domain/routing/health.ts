/**
 * Pure: the health of a deployment. It is ejected only for its own faults, for a time that grows unless a
 * probe finds it answering. It is then tried by single calls and returns gradually. Times are milliseconds of
 * a monotonic clock, passed in. Routing decides whether to use an ejected deployment when nothing else is
 * left.
 */

/** Consecutive faults that eject; fewer are enough while it is returning. */
export const faultsInRowMax = 5;
const faultsInRowReturning = 2;
/** Or this share of the calls of about the last half minute, if there were enough. */
const faultShareMax = 0.5;
const callsMin = 20;
const windowMs = 15_000;

export const ejectionMsMin = 5_000;
export const ejectionMsMax = 300_000;
/** How long a share takes to grow back, and where it starts. */
export const returnMs = 10_000;
const shareMin = 0.1;
/**
 * After its ejection expires, a deployment gets one trial call per this many milliseconds until one succeeds.
 * A probe may find an upstream healthy whose calls fail, so this bounds how many callers are affected.
 */
export const trialEveryMs = 8_000;
/**
 * Milliseconds from the end of one probe to the next. Two probes fit between trials, even if one times out.
 */
const probeEveryMs = 4_000;
/** A probe that takes longer has failed. */
export const probeMsMax = 4_000;
/** The rounds in which probes are started may be this many milliseconds apart. */
const probeLateMs = 1_000;
/**
 * After being healthy for this long, and at least as long as it was out, the next ejection is the shortest
 * again.
 */
const forgottenMs = 60_000;

export interface DeploymentHealth {
  readonly phase: "in" | "ejected" | "returning";
  /** When the phase began. */
  readonly sinceMs: number;
  /** When its ejection ends. */
  readonly untilMs: number;
  /** Consecutive ejections without a healthy period in between. */
  readonly ejections: number;
  readonly faultsInRow: number;
  /** When the pause it asked for ends. */
  readonly restUntilMs: number;
  readonly lastTrialMs: number;
  readonly nextProbeMs: number;
  /** Consecutive probes that found it answering since a call last failed. */
  readonly aliveProbes: number;
  readonly window: CallWindow;
}

/** Calls and faults in the current and the previous quarter minute. */
interface CallWindow {
  readonly startMs: number;
  readonly calls: number;
  readonly faults: number;
  readonly lastCalls: number;
  readonly lastFaults: number;
}

const never = Number.NEGATIVE_INFINITY;
const emptyWindow: CallWindow = { startMs: never, calls: 0, faults: 0, lastCalls: 0, lastFaults: 0 };

export const healthyDeployment: DeploymentHealth = {
  phase: "in",
  sinceMs: never,
  untilMs: never,
  ejections: 0,
  faultsInRow: 0,
  restUntilMs: never,
  lastTrialMs: never,
  nextProbeMs: never,
  aliveProbes: 0,
  window: emptyWindow,
};

/**
 * The state for routing: `resting` and `ejected` deployments get no calls while there is another; `probing`
 * ones get single calls.
 */
export type DeploymentStanding = "healthy" | "resting" | "ejected" | "probing" | "returning";

export function standingOf(health: DeploymentHealth, nowMs: number): DeploymentStanding {
  if (nowMs < health.restUntilMs) return "resting";
  if (health.phase === "ejected") return nowMs < health.untilMs ? "ejected" : "probing";
  return health.phase === "returning" && nowMs - health.sinceMs < returnMs ? "returning" : "healthy";
}

/** True when the next trial call to a `probing` deployment is due. */
export function isTrialDue(health: DeploymentHealth, nowMs: number): boolean {
  return nowMs - health.lastTrialMs >= trialEveryMs;
}

/** The share of its weight that counts, 0.1 to 1. */
export function shareOf(health: DeploymentHealth, nowMs: number): number {
  if (health.phase === "in") return 1;
  if (health.phase === "ejected") return shareMin;
  return Math.min(1, shareMin + ((1 - shareMin) * (nowMs - health.sinceMs)) / returnMs);
}

/** Records that a call begins. */
export function deploymentBegan(health: DeploymentHealth, nowMs: number): DeploymentHealth {
  return health.phase === "ejected" ? { ...health, lastTrialMs: nowMs } : health;
}

function counted(window: CallWindow, fault: 0 | 1, nowMs: number): CallWindow {
  const ageMs = nowMs - window.startMs;
  if (ageMs < windowMs) return { ...window, calls: window.calls + 1, faults: window.faults + fault };
  const isNext = ageMs < 2 * windowMs;
  return {
    startMs: nowMs,
    calls: 1,
    faults: fault,
    lastCalls: isNext ? window.calls : 0,
    lastFaults: isNext ? window.faults : 0,
  };
}

function failsTooOften({ calls, faults, lastCalls, lastFaults }: CallWindow): boolean {
  const all = calls + lastCalls;
  return all >= callsMin && faults + lastFaults >= all * faultShareMax;
}

/** Calls and faults of about the last half minute. */
export function recentCalls({ window }: DeploymentHealth, nowMs: number): { calls: number; faults: number } {
  const ageMs = nowMs - window.startMs;
  if (!(ageMs < 2 * windowMs)) return { calls: 0, faults: 0 };
  const { calls, faults, lastCalls, lastFaults } = window;
  return ageMs < windowMs ? { calls: calls + lastCalls, faults: faults + lastFaults } : { calls, faults };
}

/** Records a successful call. A call that began before an ejection says nothing about the time after it. */
export function deploymentSucceeded(
  health: DeploymentHealth,
  { beganMs, nowMs }: { beganMs: number; nowMs: number },
): DeploymentHealth {
  if (health.phase === "ejected") {
    if (beganMs < health.sinceMs) return health;
    return {
      ...health,
      phase: "returning",
      sinceMs: nowMs,
      faultsInRow: 0,
      restUntilMs: never,
      window: emptyWindow,
    };
  }
  return { ...health, faultsInRow: 0, window: counted(health.window, 0, nowMs) };
}

/** Milliseconds of the next ejection. */
function ejectionMs(ejections: number): number {
  return Math.min(ejectionMsMax, ejectionMsMin * 2 ** Math.min(ejections, 10));
}

function eject(health: DeploymentHealth, nowMs: number): DeploymentHealth {
  const lastMs = ejectionMs(Math.max(0, health.ejections - 1));
  const wasLongWell =
    health.phase !== "ejected" && nowMs - health.sinceMs > Math.max(forgottenMs, lastMs) + returnMs;
  const ejections = wasLongWell ? 0 : health.ejections;
  return {
    ...health,
    phase: "ejected",
    sinceMs: nowMs,
    untilMs: nowMs + ejectionMs(ejections),
    ejections: ejections + 1,
    faultsInRow: 0,
    nextProbeMs: nowMs + probeEveryMs,
    aliveProbes: 0,
    window: emptyWindow,
  };
}

/**
 * Records a call that failed through the deployment's own fault. `restMs`: the pause it asked for. Calls that
 * began before its ejection do not prolong it.
 */
export function deploymentFailed(
  health: DeploymentHealth,
  { beganMs, nowMs, restMs }: { beganMs: number; nowMs: number; restMs?: number | undefined },
): DeploymentHealth {
  const rested = withRest(health, restMs, nowMs);
  if (health.phase === "ejected") return failedWhileOut(rested, beganMs, nowMs);
  const next = {
    ...rested,
    faultsInRow: health.faultsInRow + 1,
    window: counted(health.window, 1, nowMs),
  };
  const isReturning = standingOf(health, nowMs) === "returning";
  const inRowMax = isReturning ? faultsInRowReturning : faultsInRowMax;
  return next.faultsInRow >= inRowMax || failsTooOften(next.window) ? eject(next, nowMs) : next;
}

/**
 * A failure while out. A call that began earlier says nothing new; a failed trial prolongs the next ejection.
 * A call made only because nothing else was left moves it behind other ejected deployments, and does not
 * delay its probes.
 */
function failedWhileOut(health: DeploymentHealth, beganMs: number, nowMs: number): DeploymentHealth {
  if (beganMs < health.sinceMs) return health;
  if (beganMs >= health.untilMs) return eject(health, nowMs);
  const untilMs = Math.max(health.untilMs, nowMs + ejectionMs(health.ejections - 1));
  return { ...health, untilMs, aliveProbes: 0 };
}

/** The longer pause wins; none is shortened. */
function withRest(health: DeploymentHealth, restMs: number | undefined, nowMs: number): DeploymentHealth {
  if (restMs === undefined || !(restMs > 0)) return health;
  const untilMs = nowMs + Math.min(restMs, ejectionMsMax);
  return untilMs > health.restUntilMs ? { ...health, restUntilMs: untilMs } : health;
}

export function isDeploymentProbeDue(health: DeploymentHealth, nowMs: number): boolean {
  return health.phase === "ejected" && nowMs >= health.nextProbeMs && nowMs >= health.restUntilMs;
}

/** An operator asks for a probe: it is due now, unless the deployment asked for a pause. */
export function deploymentProbeAsked(health: DeploymentHealth, nowMs: number): DeploymentHealth {
  return health.phase === "ejected"
    ? { ...health, nextProbeMs: Math.min(health.nextProbeMs, nowMs) }
    : health;
}

/**
 * Records a probe. Alive: its ejection ends, but not before the shortest one would, and trials keep their
 * interval. Not alive: no trial before the next probe has ended, up to the longest ejection, because calls
 * may work where probes do not.
 */
export function deploymentProbed(
  health: DeploymentHealth,
  isAlive: boolean,
  nowMs: number,
): DeploymentHealth {
  if (health.phase !== "ejected") return health;
  const nextProbeMs = nowMs + probeEveryMs;
  if (isAlive) {
    const soonestMs = Math.max(nowMs, health.sinceMs + ejectionMsMin);
    const aliveProbes = health.aliveProbes + 1;
    return { ...health, nextProbeMs, aliveProbes, untilMs: Math.min(health.untilMs, soonestMs) };
  }
  const spareMs = nextProbeMs + probeLateMs + probeMsMax;
  const untilMs = Math.max(health.untilMs, Math.min(spareMs, health.sinceMs + ejectionMsMax));
  return { ...health, nextProbeMs, aliveProbes: 0, untilMs };
}

/** Consecutive probes that count as a successful call when there are no calls. */
const aliveProbesMin = 2;

/** True when it is ejected and has not answered since. */
export const isOut = ({ phase, aliveProbes }: DeploymentHealth): boolean =>
  phase === "ejected" && aliveProbes < aliveProbesMin;
