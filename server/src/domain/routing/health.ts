/**
 * Pure: the health of a deployment. It is ejected for its own faults only, for a time that grows unless a
 * look from outside finds it answering, is tried again by single calls and returns by and by. Times are
 * milliseconds of one clock that never jumps, passed in. Whether an ejected one is used all the same because
 * nothing else is left is decided by who chooses.
 */

/** Faults in a row that eject; fewer do while it has only just come back. */
export const faultsInRowMax = 5;
const faultsInRowReturning = 2;
/** Or this part of the calls of about the last half minute, once there were enough of them. */
const faultShareMax = 0.5;
const callsMin = 20;
const windowMs = 15_000;

export const ejectionMsMin = 5_000;
export const ejectionMsMax = 300_000;
/** How long a share takes to grow back, and where it starts. */
export const returnMs = 10_000;
const shareMin = 0.1;
/**
 * An ejected one whose time is over gets one call this often, until one went well. A look finds an upstream
 * well whose calls fail; this is what callers pay for that, however often it happens.
 */
export const trialEveryMs = 8_000;
/**
 * From the end of one look from outside to the next. Two looks fit between
 * trials, one that waits in vain included.
 */
const probeEveryMs = 4_000;
/** A look that has not ended by then has failed. */
export const probeMsMax = 4_000;
/** Turns in which looks are begun may be this far apart. */
const probeLateMs = 1_000;
/**
 * Whoever stays well for this long, and for as long as it was out, begins from the shortest ejection again.
 */
const forgottenMs = 60_000;

export interface DeploymentHealth {
  readonly phase: "in" | "ejected" | "returning";
  /** When the phase began. */
  readonly sinceMs: number;
  /** Until when it is ejected. */
  readonly untilMs: number;
  /** Ejections without a good time between. */
  readonly ejections: number;
  readonly faultsInRow: number;
  /** It asked for a pause until then. */
  readonly restUntilMs: number;
  readonly lastTrialMs: number;
  readonly nextProbeMs: number;
  /** Looks in a row that found it answering, since a call last failed. */
  readonly aliveProbes: number;
  readonly window: CallWindow;
}

/** Calls and faults of the current and the last quarter of a minute. */
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

/** How it stands: `resting` and `ejected` get no calls while there is another; `probing` gets single ones. */
export type DeploymentStanding = "healthy" | "resting" | "ejected" | "probing" | "returning";

export function standingOf(health: DeploymentHealth, nowMs: number): DeploymentStanding {
  if (nowMs < health.restUntilMs) return "resting";
  if (health.phase === "ejected") return nowMs < health.untilMs ? "ejected" : "probing";
  return health.phase === "returning" && nowMs - health.sinceMs < returnMs ? "returning" : "healthy";
}

/** True when the next single call to a `probing` deployment is due. */
export function isTrialDue(health: DeploymentHealth, nowMs: number): boolean {
  return nowMs - health.lastTrialMs >= trialEveryMs;
}

/** The part of its weight that counts, 0.1 to 1. */
export function shareOf(health: DeploymentHealth, nowMs: number): number {
  if (health.phase === "in") return 1;
  if (health.phase === "ejected") return shareMin;
  return Math.min(1, shareMin + ((1 - shareMin) * (nowMs - health.sinceMs)) / returnMs);
}

/** A call begins. */
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

/** A call went well. One that began before an ejection says nothing about the time after it. */
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

/** How long the next ejection lasts. */
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
 * A call failed through the deployment's own fault. `restMs`: it asked for a pause. Calls that began before
 * it was ejected do not make its ejection longer.
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
 * A call that began before says nothing new; a trial makes the next ejection longer; one
 * that was made for want of anything else only moves it behind the others that are out, and
 * does not keep it from being looked at.
 */
function failedWhileOut(health: DeploymentHealth, beganMs: number, nowMs: number): DeploymentHealth {
  if (beganMs < health.sinceMs) return health;
  if (beganMs >= health.untilMs) return eject(health, nowMs);
  const untilMs = Math.max(health.untilMs, nowMs + ejectionMs(health.ejections - 1));
  return { ...health, untilMs, aliveProbes: 0 };
}

/** A longer pause wins, and none is ever made shorter. */
function withRest(health: DeploymentHealth, restMs: number | undefined, nowMs: number): DeploymentHealth {
  if (restMs === undefined || !(restMs > 0)) return health;
  const untilMs = nowMs + Math.min(restMs, ejectionMsMax);
  return untilMs > health.restUntilMs ? { ...health, restUntilMs: untilMs } : health;
}

export function isDeploymentProbeDue(health: DeploymentHealth, nowMs: number): boolean {
  return health.phase === "ejected" && nowMs >= health.nextProbeMs && nowMs >= health.restUntilMs;
}

/**
 * It was looked at from outside. Alive: its ejection ends, though not before the shortest one would; trials
 * keep their distance all the same. Not alive: no caller is made to find out before the next look has ended,
 * for as long as the longest ejection, since calls may work where looks do not.
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

/** Looks in a row that count for a call that went well, where no caller makes one. */
const aliveProbesMin = 2;

/** True when it is ejected and has not answered since. */
export const isOut = ({ phase, aliveProbes }: DeploymentHealth): boolean =>
  phase === "ejected" && aliveProbes < aliveProbesMin;
