/**
 * Decides when a process refuses requests: from event loop delay, heap use and requests in flight to how many
 * requests it may hold, which it refuses and when they should retry. Pure: knows no clock, no V8 and no HTTP.
 *
 * The bound on requests in flight follows the load. Every request makes an event loop round slightly longer,
 * so while the delay is above its limit the bound is lowered in proportion. It is raised again while requests
 * are refused although there is room. So the process stays at full load instead of swinging between overload
 * and idleness. Only *lasting* delay counts: the smallest delay of a window, over several windows. Garbage
 * collection, compilation at the start or one huge body delay one round but not the next.
 *
 * The processor time per round counts too, when the loop never waits: it is caused by the requests in flight
 * alone, so fewer of them help even when the delay does not show it, and new requests are refused sooner.
 */

/** The operator's settings. */
export interface OverloadBounds {
  /** Lasting event loop delay allowed, in milliseconds. */
  readonly lagMaxMs: number;
  /** Share of the heap limit allowed in use after a collection, 0 to 1. */
  readonly heapShareMax: number;
  /** Most requests in flight at any load. */
  readonly inFlightMax: number;
  /** Largest body of one request, and most bytes of all bodies in flight together. */
  readonly bodyBytesMax: number;
  readonly bodiesBytesMax: number;
}

/** Why a request is refused: the first that applies, in this order. */
export type OverloadReason = "heap" | "lag" | "in_flight" | "bodies";

/** The current bound. */
export interface OverloadState {
  /** Most requests in flight; beyond it a new request with a small body is refused. */
  readonly limit: number;
  /** What lowered it; `in_flight`: nothing, it is the operator's bound. */
  readonly reason: Exclude<OverloadReason, "bodies">;
  /** Consecutive windows with lasting delay; a delay of several times the bound counts several times. */
  readonly badWindows: number;
  /** Consecutive windows without a rejection. */
  readonly quietWindows: number;
  /** Smoothed share of refused requests, 0 to 1. */
  readonly severity: number;
}

/** Measurements of one window. */
export interface OverloadWindow {
  /** The smallest event loop delay; 0 when there were too few samples to call it lasting. */
  readonly lagMs: number;
  /** Mean processor time per event loop round; 0 when the loop had time to wait. */
  readonly roundMs: number;
  /** Share of the heap in use right after the last full collection, and now. */
  readonly heapLiveShare: number;
  readonly heapUsedShare: number;
  readonly inFlight: number;
  readonly admitted: number;
  readonly refused: number;
}

/** Windows that a delay must last before requests are refused because of it. */
const windowsToConfirm = 3;

/** Windows without a refusal until the operator's bound applies again. */
const windowsToForget = 50;

/**
 * Up to this many requests in flight, delay does not count: they take about 40 µs each per round, so the
 * delay has another cause and refusing them would not help.
 */
export const lagFloor = 256;

/**
 * This many are always served, whatever a round costs. With fewer, most of the work is refusing (measured
 * with 64: two hundred callers who retry at once got 608 streams a second instead of 1,074).
 */
export const roundFloor = 208;

/** Rounds a new request waits: the running one, and its own with all earlier requests. */
const roundsWaited = 2;

/** The delay for a new request if rounds take this many milliseconds. */
export function delayOfRounds(roundMs: number): number {
  return roundMs * roundsWaited;
}

/** With this many in flight the heap does not count: without progress, garbage would never be collected. */
export const heapFloor = 32;

/** Shares of the bounds below which overload has ended; in between nothing changes. */
const calmLagShare = 0.7;
const calmHeapShare = 0.9;

/** Share of a bound that requests with large bodies may use. */
const largeShare = 0.75;

/** Bodies whose declared size is at most this many bytes are small. */
export const smallBodyBytes = 64 * 1024;

/** Current use above which the heap is full, even if the last collection left little. */
const heapUsedShareMax = 0.95;

/** The state of a process that has had no requests. */
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
    // A garbage collection makes one mean long, not several in a row.
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

/** The share of requests in flight to keep when the delay exceeds its bound this many times. */
function shareFor(times: number): number {
  return Math.min(0.95, Math.max(0.3, 1 / times));
}

function isHeapFull(window: OverloadWindow, bounds: OverloadBounds): boolean {
  return window.heapLiveShare > bounds.heapShareMax || window.heapUsedShare > heapUsedShareMax;
}

/**
 * Lowers the bound, starting from the number really in flight: a bound lowered faster than requests end would
 * become far too low.
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

/** Most requests in flight for a new request with a large body, or one of undeclared size. */
export function largeLimit(limit: number): number {
  return Math.ceil(limit * largeShare);
}

/**
 * True when `bytes` more fit for a body that already has `ownBytes`, if all bodies together have `heldBytes`.
 * The last quarter is reserved for small bodies. A single body always fits; another limit applies to its
 * size.
 */
export function hasRoomForBody(
  { bodiesBytesMax }: OverloadBounds,
  { bytes, ownBytes, heldBytes }: { bytes: number; ownBytes: number; heldBytes: number },
): boolean {
  if (heldBytes === ownBytes) return true;
  const isSmall = bytes + ownBytes <= smallBodyBytes;
  return heldBytes + bytes <= (isSmall ? bodiesBytesMax : bodiesBytesMax * largeShare);
}

/** Milliseconds until a retry: 1 s, rising to 5 s with the share refused, ± 25 %. `random`: 0 to 1. */
export function comeBackMs(severity: number, random: number): number {
  const middle = 1000 + 4000 * Math.min(1, Math.max(0, severity));
  return Math.min(5000, Math.max(1000, Math.round(middle * (0.75 + random / 2))));
}
