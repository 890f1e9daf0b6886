/**
 * Measures the load of this process (event loop delay, heap, requests in flight) and decides whether to
 * refuse a new request. The decision uses precomputed numbers; `domain/limits/overload.ts` has the rules.
 */

import { GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import type { SelfLimit } from "@plaza/contract/upstream-states.ts";
import {
  calmState,
  comeBackMs,
  delayOfRounds,
  hasRoomForBody,
  judgeWindow,
  largeLimit,
  type OverloadBounds,
  type OverloadReason,
  type OverloadState,
  smallBodyBytes,
} from "../../domain/limits/overload.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Schedule } from "../../lib/time/schedule.ts";
import type { HeapGauge } from "./heap-gauge.ts";
import { createRoundGauge, type RoundGauge } from "./round-gauge.ts";

/** Load figures for metrics. */
export interface OverloadReadings {
  /** Event loop delay over the last seconds in milliseconds: 99th percentile and maximum. */
  readonly lagP99Ms: number;
  readonly lagMaxMs: number;
  /** Share of the heap limit in use now, and right after the last full collection. */
  readonly heapUsedShare: number;
  readonly heapLiveShare: number;
  readonly inFlight: number;
  /** New requests beyond this number in flight are refused. */
  readonly inFlightLimit: number;
  /** Total bytes of the bodies of requests in flight. */
  readonly bodiesBytes: number;
  /** True when the limit is below the operator's setting. */
  readonly isLimiting: boolean;
  /** The reason, in terms of the operator's settings; null when not limiting. */
  readonly selfLimit: SelfLimit | null;
  /** Refusals since the start, by reason. */
  readonly refused: Readonly<Record<OverloadReason, number>>;
}

export interface Overload {
  /**
   * Returns the error for a new request; undefined = admit it. `bodyBytes`: declared size of the body,
   * undefined = unknown. Cheap: a few comparisons and prepared errors.
   */
  refusalOf(bodyBytes: number | undefined): GatewayError | undefined;
  /** Counts a request in and out. */
  enter(): void;
  leave(): void;
  /**
   * Reserves bytes for a body that already has `ownBytes`. Returns an error, already counted, when there is
   * no room.
   */
  holdBytes(bytes: number, ownBytes: number): GatewayError | undefined;
  /** Releases reserved bytes. */
  freeBytes(bytes: number): void;
  readonly inFlight: number;
  /** True while nothing is in flight and nothing is limited. */
  readonly isResting: boolean;
  readings(): OverloadReadings;
  stop(): void;
}

export interface OverloadOptions {
  readonly bounds: OverloadBounds;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  /** Stopped together with the watch. */
  readonly heap: HeapGauge;
  /** Wake-ups the process has anyway; used for probes while idle. */
  readonly schedule: Schedule;
  /** For tests only: measures the cost of an event loop iteration. */
  readonly round?: RoundGauge;
}

const probeMs = 10;
/**
 * Interval of probes while idle, in milliseconds. They use existing wake-ups, because each extra one costs
 * CPU. The first request ends this mode.
 */
const restProbeMs = 500;
const windowMs = 100;
/** A window with fewer probes is not evaluated. */
const probesMin = 3;
/** Number of delays kept for the percentile: ten seconds' worth. */
const keptMax = 1024;
/** Number of prepared errors per reason, each with its own Retry-After. */
const refusalsMade = 8;
/** Shortest time between two log lines about the same change, in milliseconds. */
const logEveryMs = 10_000;

const texts: Readonly<Record<OverloadReason, Message>> = {
  heap: message("call.memoryShort"),
  lag: message("call.atCapacity"),
  in_flight: message("call.requestsFull"),
  bodies: message("call.bodiesFull"),
};

/** A class because it owns a timer and an observer until `stop`. */
class OverloadWatch implements Overload {
  inFlight = 0;
  isResting = true;
  readonly #options: OverloadOptions;
  readonly #heap: HeapGauge;
  readonly #round: RoundGauge;
  readonly #delays = new Float64Array(keptMax);
  #delaysSeen = 0;
  #state: OverloadState;
  /** The two limits of the state, copied for fast access. */
  #limit: number;
  #largeLimit: number;
  #bodiesBytes = 0;
  /** Below this total, every body has room. */
  readonly #plentyBytes: number;
  readonly #refused: Record<OverloadReason, number> = { heap: 0, lag: 0, in_flight: 0, bodies: 0 };
  readonly #made: Record<OverloadReason, GatewayError[]> = { heap: [], lag: [], in_flight: [], bodies: [] };
  #nextMade = 0;
  #windowStartMs: number;
  #windowProbes = 0;
  #windowLagMs = Number.POSITIVE_INFINITY;
  /** CPU milliseconds per loop iteration in the last window. */
  #roundMs = 0;
  #windowAdmitted = 0;
  #windowRefused = 0;
  #probedMs: number;
  #loggedMs = Number.NEGATIVE_INFINITY;
  /** Timer of the next probe; none while idle. */
  #timer: NodeJS.Timeout | undefined;
  readonly #stopRestProbes: () => void;

  constructor(options: OverloadOptions) {
    this.#options = options;
    this.#heap = options.heap;
    this.#round = options.round ?? createRoundGauge();
    this.#state = calmState(options.bounds);
    this.#limit = this.#state.limit;
    this.#largeLimit = largeLimit(this.#limit);
    this.#plentyBytes = largeLimit(options.bounds.bodiesBytesMax) - 1;
    this.#probedMs = options.clock.elapsedMs();
    this.#windowStartMs = this.#probedMs;
    this.#stopRestProbes = options.schedule.every(restProbeMs, this.#restProbe);
  }

  refusalOf(bodyBytes: number | undefined): GatewayError | undefined {
    const isSmall = bodyBytes !== undefined && bodyBytes <= smallBodyBytes;
    if (this.inFlight >= (isSmall ? this.#limit : this.#largeLimit)) return this.#refuse(this.#state.reason);
    // A body that is too large by itself gets its own error later.
    const isBounded = bodyBytes !== undefined && bodyBytes <= this.#options.bounds.bodyBytesMax;
    return this.#hasRoomFor(isBounded ? bodyBytes : 0, 0) ? undefined : this.#refuse("bodies");
  }

  enter(): void {
    this.inFlight += 1;
    this.#windowAdmitted += 1;
    if (this.isResting) this.#endRest();
  }

  leave(): void {
    this.inFlight -= 1;
  }

  holdBytes(bytes: number, ownBytes: number): GatewayError | undefined {
    if (!this.#hasRoomFor(bytes, ownBytes)) return this.#refuse("bodies");
    this.#bodiesBytes += bytes;
    return undefined;
  }

  freeBytes(bytes: number): void {
    this.#bodiesBytes -= bytes;
  }

  readings(): OverloadReadings {
    const count = Math.min(this.#delaysSeen, keptMax);
    const delays = this.#delays.slice(0, count).sort();
    const lagP99Ms = delays[Math.min(count - 1, Math.floor(count * 0.99))] ?? 0;
    return {
      lagP99Ms,
      lagMaxMs: delays[count - 1] ?? 0,
      heapUsedShare: this.#heap.used(),
      heapLiveShare: this.#heap.live(),
      inFlight: this.inFlight,
      inFlightLimit: this.#limit,
      bodiesBytes: this.#bodiesBytes,
      isLimiting: this.#state.reason !== "in_flight",
      selfLimit: this.#selfLimit(lagP99Ms),
      refused: { ...this.#refused },
    };
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#stopRestProbes();
    this.#heap.stop();
  }

  #selfLimit(lagP99Ms: number): SelfLimit | null {
    const { reason, limit } = this.#state;
    const { inFlightMax, lagMaxMs, heapShareMax } = this.#options.bounds;
    if (reason === "in_flight") return null;
    const bound = { reason, inFlightLimit: limit, inFlightMax };
    if (reason === "lag") {
      const delayMs = Math.max(lagP99Ms, delayOfRounds(this.#roundMs));
      return { ...bound, seen: Math.round(delayMs * 10) / 10, allowed: lagMaxMs };
    }
    const percent = (share: number): number => Math.round(share * 100);
    return { ...bound, seen: percent(this.#heap.live()), allowed: percent(heapShareMax) };
  }

  #hasRoomFor(bytes: number, ownBytes: number): boolean {
    const heldBytes = this.#bodiesBytes;
    // Total body bytes are rarely near the limit, so one comparison is usually enough.
    if (heldBytes + bytes <= this.#plentyBytes) return true;
    return hasRoomForBody(this.#options.bounds, { bytes, ownBytes, heldBytes });
  }

  #refuse(reason: OverloadReason): GatewayError {
    this.#windowRefused += 1;
    this.#refused[reason] += 1;
    const made = this.#made[reason];
    if (made.length < refusalsMade) made.push(this.#make(reason));
    this.#nextMade = (this.#nextMade + 1) % refusalsMade;
    return made[this.#nextMade % made.length] as GatewayError;
  }

  #make(reason: OverloadReason): GatewayError {
    const retryAfterMs = comeBackMs(this.#state.severity, this.#options.random());
    return new GatewayError("overloaded", { message: texts[reason], retryAfterMs });
  }

  /** Ends the idle mode: probes often, in a new window. */
  #endRest(): void {
    this.isResting = false;
    // A probe that is overdue now was delayed by a blocked loop.
    const overdueMs = this.#options.schedule.overdueMs();
    if (overdueMs > 0) this.#keepDelay(overdueMs);
    this.#probedMs = this.#options.clock.elapsedMs();
    this.#windowStartMs = this.#probedMs;
    this.#windowProbes = 0;
    this.#windowLagMs = Number.POSITIVE_INFINITY;
    this.#timer = setTimeout(this.#probe, probeMs).unref();
  }

  readonly #restProbe = (lateMs: number): void => {
    if (!this.isResting) return;
    const nowMs = this.#options.clock.elapsedMs();
    // Also fills in the probes that were not made while idle. Otherwise one long delay would show for
    // minutes.
    const restedMs = nowMs - this.#probedMs - lateMs;
    for (let passedMs = probeMs; passedMs < restedMs; passedMs += probeMs) this.#keepDelay(0);
    // Console requests hold bodies without being counted in flight.
    const isBusy = this.#isBusy();
    this.#note(nowMs, lateMs);
    if (isBusy || this.#state.reason !== "in_flight") this.#endRest();
  };

  readonly #probe = (): void => {
    const nowMs = this.#options.clock.elapsedMs();
    const isBusy = this.#isBusy();
    this.#note(nowMs, Math.max(0, nowMs - this.#probedMs - probeMs));
    this.isResting = !isBusy && this.#state.reason === "in_flight";
    this.#timer = this.isResting ? undefined : setTimeout(this.#probe, probeMs).unref();
  };

  /** True when there is or was work in this window. */
  #isBusy(): boolean {
    return this.inFlight + this.#windowAdmitted + this.#windowRefused > 0 || this.#bodiesBytes > 0;
  }

  /** Records a probe that ran `lagMs` late. */
  #note(nowMs: number, lagMs: number): void {
    this.#probedMs = nowMs;
    this.#keepDelay(lagMs);
    this.#windowProbes += 1;
    if (lagMs < this.#windowLagMs) this.#windowLagMs = lagMs;
    if (this.#windowProbes >= probesMin && nowMs - this.#windowStartMs >= windowMs) this.#closeWindow(nowMs);
  }

  /**
   * Adds the delays that probes would have seen had they not been blocked too, so that a long delay has its
   * full weight.
   */
  #keepDelay(lagMs: number): void {
    let delayMs = lagMs;
    for (let times = 0; times < keptMax && (times === 0 || delayMs > 0); times += 1) {
      this.#delays[this.#delaysSeen % keptMax] = delayMs;
      this.#delaysSeen += 1;
      delayMs -= probeMs;
    }
  }

  #closeWindow(nowMs: number): void {
    const before = this.#state;
    this.#roundMs = this.#round();
    const window = {
      lagMs: this.#windowLagMs,
      roundMs: this.#roundMs,
      heapLiveShare: this.#heap.live(),
      heapUsedShare: this.#heap.used(),
      inFlight: this.inFlight,
      admitted: this.#windowAdmitted,
      refused: this.#windowRefused,
    };
    this.#state = judgeWindow(before, window, this.#options.bounds);
    this.#limit = this.#state.limit;
    this.#largeLimit = largeLimit(this.#limit);
    this.#windowStartMs = nowMs;
    this.#windowProbes = 0;
    this.#windowLagMs = Number.POSITIVE_INFINITY;
    this.#windowAdmitted = 0;
    if (this.#windowRefused > 0) this.#forgetMade();
    this.#windowRefused = 0;
    this.#logChange(before, nowMs);
  }

  /** Prepared errors carry a Retry-After that depends on the load, so they are rebuilt. */
  #forgetMade(): void {
    for (const made of Object.values(this.#made)) made.length = 0;
  }

  #logChange(before: OverloadState, nowMs: number): void {
    const { reason, limit } = this.#state;
    if (before.reason === reason || nowMs - this.#loggedMs < logEveryMs) return;
    this.#loggedMs = nowMs;
    if (reason === "in_flight") this.#options.log.info("overload_over", { inFlight: this.inFlight });
    else this.#options.log.warn("overloaded", { reason, inFlight: this.inFlight, limit });
  }
}

/** Starts the watch; it runs until `stop`. */
export function createOverload(options: OverloadOptions): Overload {
  return new OverloadWatch(options);
}
