/**
 * Waiting before an attempt: for a place at an upstream that takes only so many calls at once, or for a moment before the same
 * deployment is tried again. Every wait has a bound and ends when the caller leaves.
 */
import { defaultQueue } from "@plaza/contract/catalog.ts";
import { Tickable } from "../lib/ticker.ts";
import { timeoutsOf } from "./dispatch-attempt.ts";
import type { Course } from "./dispatch-course.ts";
import type { Place, Places, Waiter } from "./places.ts";
import type { CallerWatcher } from "./reply.ts";
import type { LiveDeployment, LiveUpstream } from "./snapshot.ts";

/** Places of an upstream with a bound; undefined: it has none. */
export function placesOf({ context }: Course, live: LiveUpstream): Places | undefined {
  const { concurrency, queue } = live.upstream;
  return concurrency === undefined ? undefined : context.places.of(live, concurrency, queue ?? defaultQueue);
}

class Queued extends Tickable implements Waiter, CallerWatcher {
  readonly place: Promise<Place | undefined>;
  readonly #course: Course;
  readonly #places: Places;
  readonly #untilMs: number;
  #finish!: (place: Place | undefined) => void;

  constructor(course: Course, places: Places, untilMs: number) {
    super();
    this.#course = course;
    this.#places = places;
    this.#untilMs = untilMs;
    this.place = new Promise((resolve) => {
      this.#finish = resolve;
    });
    const { reply, isKept, isStream } = course.request;
    const { clock, ticker } = course.context;
    // An answer that is kept for the next try is wanted whether the caller stays or not.
    if (!isKept) reply.watcher = this;
    if (isStream && reply.lastWriteMs === 0) reply.lastWriteMs = clock.elapsedMs();
    ticker.add(this);
  }

  take(place: Place): void {
    this.#end(place);
  }

  callerLeft(): void {
    this.#end(undefined);
  }

  tick(nowMs: number): void {
    const { context, request } = this.#course;
    const { reply, isStream } = request;
    if (nowMs > this.#untilMs || context.interruption.isInterrupted) {
      this.#end(undefined);
    } else if (isStream && nowMs - reply.lastWriteMs >= context.settings.keepAliveCommentMs) {
      reply.lastWriteMs = nowMs;
      reply.comment();
    }
  }

  #end(place: Place | undefined): void {
    const { context, request } = this.#course;
    context.ticker.delete(this);
    this.#places.leave(this);
    request.reply.watcher = undefined;
    this.#finish(place);
  }
}

/**
 * A place at a bounded upstream: at once, or in its turn. undefined: the line is full, the first-token timer or the request's
 * time ran out, the caller left, or the process stops.
 */
export function takePlace(
  course: Course,
  places: Places,
  live: LiveDeployment,
): Place | undefined | Promise<Place | undefined> {
  const place = places.take();
  if (place !== undefined || places.isLineFull) return place;
  const nowMs = course.context.clock.elapsedMs();
  const { firstTokenMs, totalMs } = timeoutsOf(live);
  const deadlineMs = Math.min(course.deadlineMs, course.startedMs + totalMs);
  const queued = new Queued(course, places, Math.min(nowMs + firstTokenMs, deadlineMs));
  places.join(queued);
  return queued.place;
}

/** Waits; shorter when the caller leaves. */
export function pause({ request }: Course, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      request.reply.watcher = undefined;
      resolve();
    };
    const timer = setTimeout(over, ms);
    if (!request.isKept) request.reply.watcher = { callerLeft: over };
  });
}
