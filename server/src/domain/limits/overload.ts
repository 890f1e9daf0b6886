/**
 * When a process takes no more: from the delay of its event loop, the share of its heap and what
 * is in flight to how many requests it may hold, whom it refuses and when they should come back.
 * Pure: knows no clock, no V8 and no HTTP.
 *
 * The bound on what is in flight moves with the load. Every request in flight makes the event loop's round a
 * little longer, so the bound goes down in proportion while the delay stands above what is wanted, and up
 * again while callers are refused although there is room. One leaves, one comes in: the process stays busy
 * at its peak instead of swinging between too much and nothing. Only a delay that *stands* counts, the least
 * of a whole window, for several windows: collecting garbage, compiling at the start or reading one huge
 * body delays one round and not the next.
 *
 * Beside the delay counts what a round costs in time of the processor, where the loop never waits: that
 * is the work of those in flight and nobody else's, so fewer of them help where a delay alone would not
 * say so, and newcomers are told sooner.
 */

/** What the operator allows. */
export interface OverloadBounds {
  /** Delay of the event loop that may stand, in milliseconds. */
  readonly lagMaxMs: number;
  /** Share of the heap's limit that may be in use after a collection, 0 to 1. */
  readonly heapShareMax: number;
  /** Most requests in flight at any load. */
  readonly inFlightMax: number;
  /** Largest body of one request, and most bytes of the bodies of all requests in flight together. */
  readonly bodyBytesMax: number;
  readonly bodiesBytesMax: number;
}

/** Why a request is refused: the first that applies, in this order. */
export type OverloadReason = "heap" | "lag" | "in_flight" | "bodies";

/** The moving bound. */
export interface OverloadState {
  /** Requests in flight beyond which a newcomer with a small body is refused. */
  readonly limit: number;
  /** What lowered it; `in_flight` = nothing did, it is the operator's. */
  readonly reason: Exclude<OverloadReason, "bodies">;
  /** Windows in a row in which the delay stood; a delay of several times the bound counts as often. */
  readonly badWindows: number;
  /** Consecutive windows without a rejection. */
  readonly quietWindows: number;
  /** How overloaded, 0 to 1: the share refused, smoothed. */
  readonly severity: number;
}

/** What was seen in one window. */
export interface OverloadWindow {
  /** The least delay of the event loop seen; 0 when too few were taken to say that one stands. */
  readonly lagMs: number;
  /**
   * Time of the processor a round of the event loop took, in the mean; 0 where
   * the loop had time to wait for work.
   */
  readonly roundMs: number;
  /** Share of the heap in use right after the last full collection, and now. */
  readonly heapLiveShare: number;
  readonly heapUsedShare: number;
  readonly inFlight: number;
  readonly admitted: number;
  readonly refused: number;
}

/** Windows that the delay must last before requests are rejected for it. */
const windowsToConfirm = 3;

/** Windows without a refusal after which the bound is the operator's again. */
const windowsToForget = 50;

/**
 * Requests in flight for whose sake no delay counts: so few cannot hold up the loop for long themselves
 * (about 40 µs each a round), so the delay is somebody else's and refusing them would not help.
 */
export const lagFloor = 256;

/**
 * So few are served whatever a round costs. Below, refusals become the larger part of the work (measured with
 * 64: two hundred callers who ask again at once got 608 streams a second instead of 1,074).
 */
export const roundFloor = 208;

/** A newcomer waits for the round that is under way, and in its own for all that came before it. */
const roundsWaited = 2;

/** Delay that rounds of so many milliseconds mean for a newcomer. */
export function delayOfRounds(roundMs: number): number {
  return roundMs * roundsWaited;
}

/** The same for the heap: so many always go on, or what is garbage by now would never be collected. */
export const heapFloor = 32;

/** Shares of the bounds below which the trouble is over: between the two nothing moves. */
const calmLagShare = 0.7;
const calmHeapShare = 0.9;

/** Share of a bound that requests with large bodies may fill. */
const largeShare = 0.75;

/** Bodies up to this size, declared beforehand, are small. */
export const smallBodyBytes = 64 * 1024;

/** In use now beyond which the heap is full even if the last collection left little. */
const heapUsedShareMax = 0.95;

/** The state of a process without requests so far. */
export function calmState(bounds: OverloadBounds): OverloadState {
  return { limit: bounds.inFlightMax, reason: "in_flight", badWindows: 0, quietWindows: 0, severity: 0 };
}

/** The bound after one more window. */
export function judgeWindow(
  state: OverloadState,
  window: OverloadWindow,
  bounds: OverloadBounds,
): OverloadState {
  const asked = window.admitted + window.refused;
  const severity = state.severity * 0.8 + (asked === 0 ? 0 : window.refused / asked) * 0.2;
  const quietWindows = window.refused === 0 ? state.quietWindows + 1 : 0;
  const next = { ...state, severity, quietWindows };
  const isLimiting = state.reason !== "in_flight";
  if (isHeapFull(window, bounds)) return lower(next, window, 0.8, heapFloor, "heap");
  const lateLag = window.inFlight > lagFloor ? window.lagMs / bounds.lagMaxMs : 0;
  const lateRound = window.inFlight > roundFloor ? delayOfRounds(window.roundMs) / bounds.lagMaxMs : 0;
  if (lateLag >= 1 || lateRound >= 1) {
    // A collection of garbage makes one mean long, not several in a row.
    const badWindows = state.badWindows + Math.max(1, Math.floor(lateLag));
    if (!isLimiting && badWindows < windowsToConfirm) return { ...next, badWindows };
    const byLag = lateLag >= 1 ? lower(next, window, shareFor(lateLag), lagFloor, "lag") : next;
    return {
      ...(lateRound >= 1 ? lower(byLag, window, shareFor(lateRound), roundFloor, "lag") : byLag),
      badWindows,
    };
  }
  const calm = { ...next, badWindows: 0 };
  if (!isLimiting) return calm;
  if (quietWindows >= windowsToForget) return { ...calmState(bounds), severity, quietWindows };
  const isAtEase =
    window.lagMs < bounds.lagMaxMs * calmLagShare &&
    delayOfRounds(window.roundMs) < bounds.lagMaxMs * calmLagShare &&
    window.heapLiveShare < bounds.heapShareMax * calmHeapShare;
  return isAtEase && window.refused > 0 ? raise(calm, window, bounds) : calm;
}

/** What is left of those in flight when the delay is so many times the bound. */
function shareFor(times: number): number {
  return Math.min(0.95, Math.max(0.3, 1 / times));
}

function isHeapFull(window: OverloadWindow, bounds: OverloadBounds): boolean {
  return window.heapLiveShare > bounds.heapShareMax || window.heapUsedShare > heapUsedShareMax;
}

/**
 * Down from what is really in flight: a bound that was lowered faster
 * than requests end would end far too low.
 */
function lower(
  state: OverloadState,
  { inFlight }: OverloadWindow,
  share: number,
  floor: number,
  reason: "heap" | "lag",
): OverloadState {
  const wanted = Math.max(floor, Math.floor(inFlight * share));
  return { ...state, limit: Math.min(state.limit, wanted), reason };
}

function raise(state: OverloadState, { inFlight }: OverloadWindow, bounds: OverloadBounds): OverloadState {
  const limit = Math.floor(Math.max(state.limit, inFlight) * 1.05) + 8;
  return limit >= bounds.inFlightMax ? { ...state, ...calmBound(bounds) } : { ...state, limit };
}

function calmBound({ inFlightMax }: OverloadBounds): Pick<OverloadState, "limit" | "reason"> {
  return { limit: inFlightMax, reason: "in_flight" };
}

/** How many may be in flight before a newcomer with a large body, or one of undeclared size, is refused. */
export function largeLimit(limit: number): number {
  return Math.ceil(limit * largeShare);
}

/**
 * Is there room for `bytes` more of a body of which `ownBytes` are held already, when all bodies
 * together have `heldBytes`? The last quarter is for small bodies. A body that is alone always has room:
 * how large one may be is another bound.
 */
export function hasRoomForBody(
  { bodiesBytesMax }: OverloadBounds,
  { bytes, ownBytes, heldBytes }: { bytes: number; ownBytes: number; heldBytes: number },
): boolean {
  if (heldBytes === ownBytes) return true;
  const isSmall = bytes + ownBytes <= smallBodyBytes;
  return heldBytes + bytes <= (isSmall ? bodiesBytesMax : bodiesBytesMax * largeShare);
}

/**
 * When to come back: 1 s, growing to 5 s with the share refused, a quarter more or less. `random`: 0 to 1.
 */
export function comeBackMs(severity: number, random: number): number {
  const middle = 1000 + 4000 * Math.min(1, Math.max(0, severity));
  return Math.min(5000, Math.max(1000, Math.round(middle * (0.75 + random / 2))));
}
