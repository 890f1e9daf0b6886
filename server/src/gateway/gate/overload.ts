/**
 * Watches this process: the delay of its event loop, its heap, what is in flight. Says of every newcomer
 * whether it is refused, with numbers kept ready: the rule itself is `domain/limits/overload.ts`. It
 * knows nothing of what requests ask for.
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

/** How the process does; for metrics. */
export interface OverloadReadings {
  /** Delay of the event loop over the last seconds, in milliseconds: 99th percentile and largest. */
  readonly lagP99Ms: number;
  readonly lagMaxMs: number;
  /** Share of the heap's limit in use now, and right after the last full collection. */
  readonly heapUsedShare: number;
  readonly heapLiveShare: number;
  readonly inFlight: number;
  /** Beyond how many newcomers are refused now. */
  readonly inFlightLimit: number;
  /** Bytes of the bodies of all requests in flight. */
  readonly bodiesBytes: number;
  /** Is the bound lower than the operator's? */
  readonly isLimiting: boolean;
  /** Why, in the terms of what the operator allows; null where it is not. */
  readonly selfLimit: SelfLimit | null;
  /** Refused since the start, by reason. */
  readonly refused: Readonly<Record<OverloadReason, number>>;
}

export interface Overload {
  /**
   * What a newcomer is refused with; undefined = it may go on. `bodyBytes`: declared size of its body,
   * undefined = it did not say. Cheap: a few comparisons, and the errors are made beforehand.
   */
  refusalOf(bodyBytes: number | undefined): GatewayError | undefined;
  /** One more, or one fewer, in flight. */
  enter(): void;
  leave(): void;
  /**
   * Holds so many more bytes of a body of which `ownBytes` are held already;
   * returns why not, having counted it.
   */
  holdBytes(bytes: number, ownBytes: number): GatewayError | undefined;
  /** Gives bytes back. */
  freeBytes(bytes: number): void;
  readonly inFlight: number;
  /** True while there is nothing in flight and nothing to limit. */
  readonly isResting: boolean;
  readings(): OverloadReadings;
  stop(): void;
}

export interface OverloadOptions {
  readonly bounds: OverloadBounds;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  /** Stopped with the watch. */
  readonly heap: HeapGauge;
  /** What wakes the process anyway while nothing is in flight. */
  readonly schedule: Schedule;
  /** Only for tests: what a round of the event loop costs. */
  readonly round?: RoundGauge;
}

const probeMs = 10;
/**
 * While nothing is going on: at wake-ups the process has anyway, because each costs. The first call ends it.
 */
const restProbeMs = 500;
const windowMs = 100;
/** Fewer probes in a window say nothing about what stands. */
const probesMin = 3;
/** Delays kept for the percentile: ten seconds' worth. */
const keptMax = 1024;
/** Errors made beforehand, each with its own time to come back. */
const refusalsMade = 8;
/** At most one line of the log about the same change in so many milliseconds. */
const logEveryMs = 10_000;

const texts: Readonly<Record<OverloadReason, Message>> = {
  heap: message("call.memoryShort"),
  lag: message("call.atCapacity"),
  in_flight: message("call.requestsFull"),
  bodies: message("call.bodiesFull"),
};

/** A class because it has a lifetime: a timer and an observer run until `stop`. */
class OverloadWatch implements Overload {
  inFlight = 0;
  isResting = true;
  readonly #options: OverloadOptions;
  readonly #heap: HeapGauge;
  readonly #round: RoundGauge;
  readonly #delays = new Float64Array(keptMax);
  #delaysSeen = 0;
  #state: OverloadState;
  /** The state's two bounds, where the hot path finds them at once. */
  #limit: number;
  #largeLimit: number;
  #bodiesBytes = 0;
  /** Below this there is room for every body. */
  readonly #plentyBytes: number;
  readonly #refused: Record<OverloadReason, number> = { heap: 0, lag: 0, in_flight: 0, bodies: 0 };
  readonly #made: Record<OverloadReason, GatewayError[]> = { heap: [], lag: [], in_flight: [], bodies: [] };
  #nextMade = 0;
  #windowStartMs: number;
  #windowProbes = 0;
  #windowLagMs = Number.POSITIVE_INFINITY;
  /** Of the last window. */
  #roundMs = 0;
  #windowAdmitted = 0;
  #windowRefused = 0;
  #probedMs: number;
  #loggedMs = Number.NEGATIVE_INFINITY;
  /** Of the next probe; none while it rests. */
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
    // One that is too large by itself is refused by its own name, a few steps on.
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
    // Bytes of bodies are rarely near their bound: one comparison says so.
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

  /** From now on it looks closely, in a window that begins here. */
  #endRest(): void {
    this.isResting = false;
    // A probe that is due already was held up.
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
    // It stands for all probes that were not made, or a delay would be shown for minutes.
    const restedMs = nowMs - this.#probedMs - lateMs;
    for (let passedMs = probeMs; passedMs < restedMs; passedMs += probeMs) this.#keepDelay(0);
    // Bodies of the console's are held without a call.
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

  /** In this window, or now. */
  #isBusy(): boolean {
    return this.inFlight + this.#windowAdmitted + this.#windowRefused > 0 || this.#bodiesBytes > 0;
  }

  /** A probe was made, so much later than planned. */
  #note(nowMs: number, lagMs: number): void {
    this.#probedMs = nowMs;
    this.#keepDelay(lagMs);
    this.#windowProbes += 1;
    if (lagMs < this.#windowLagMs) this.#windowLagMs = lagMs;
    if (this.#windowProbes >= probesMin && nowMs - this.#windowStartMs >= windowMs) this.#closeWindow(nowMs);
  }

  /**
   * What would have been seen had the probes not been held up themselves: a
   * long delay counts for all who met it.
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

  /** The errors' times to come back follow the load. */
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

/** Watches from now on, until `stop`. */
export function createOverload(options: OverloadOptions): Overload {
  return new OverloadWatch(options);
}
