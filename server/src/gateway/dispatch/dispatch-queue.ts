/**
 * Waiting before an attempt: for a place at an upstream that takes only so many calls at once, or for a moment before the same
 * deployment is tried again. Every wait has a bound and ends when the caller leaves.
 */
import { defaultQueue } from "@plaza/contract/catalog.ts";
import { Tickable } from "../../lib/time/ticker.ts";
import type { Place, Places, Waiter } from "../limits/places.ts";
import type { CallerWatcher } from "../request/reply.ts";
import { type LiveDeployment, type LiveUpstream, timeoutsOf } from "../snapshot.ts";
import type { Course } from "./dispatch-course.ts";

/** Places of an upstream with a bound; undefined: it has none. */
export function placesOf({ context }: Course, live: LiveUpstream): Places | undefined {
  const { concurrency, queue } = live.upstream;
  return concurrency === undefined ? undefined : context.places.of(live, concurrency, queue ?? defaultQueue);
}

/** A wait of a request: streams get comments meanwhile, and it is over when the caller leaves or the process stops. */
abstract class Waiting extends Tickable implements CallerWatcher {
  protected readonly course: Course;

  constructor(course: Course) {
    super();
    this.course = course;
    const { reply, isKept, isStream } = course.request;
    const { clock, ticker } = course.context;
    // An answer that is kept for the next try is wanted whether the caller stays or not.
    if (!isKept) reply.watcher = this;
    if (isStream && reply.lastWriteMs === 0) reply.lastWriteMs = clock.elapsedMs();
    ticker.add(this);
  }

  /** It is over, for want of a caller or of a process. */
  abstract giveUp(): void;

  callerLeft(): void {
    this.giveUp();
  }

  tick(nowMs: number): void {
    const { context, request } = this.course;
    const { reply, isStream } = request;
    if (context.interruption.isInterrupted) {
      this.giveUp();
    } else if (isStream && nowMs - reply.lastWriteMs >= context.settings.keepAliveCommentMs) {
      reply.lastWriteMs = nowMs;
      reply.comment();
    }
  }

  protected over(): void {
    this.course.context.ticker.delete(this);
    this.course.request.reply.watcher = undefined;
  }
}

class Queued extends Waiting implements Waiter {
  readonly place: Promise<Place | undefined>;
  readonly #places: Places;
  readonly #untilMs: number;
  #finish!: (place: Place | undefined) => void;

  constructor(course: Course, places: Places, untilMs: number) {
    super(course);
    this.#places = places;
    this.#untilMs = untilMs;
    this.place = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  take(place: Place): void {
    this.#end(place);
  }

  giveUp(): void {
    this.#end(undefined);
  }

  override tick(nowMs: number): void {
    if (nowMs > this.#untilMs) this.#end(undefined);
    else super.tick(nowMs);
  }

  #end(place: Place | undefined): void {
    this.over();
    this.#places.leave(this);
    this.#finish(place);
  }
}

class Pausing extends Waiting {
  readonly ended: Promise<void>;
  #finish!: () => void;
  readonly #timer: NodeJS.Timeout;

  constructor(course: Course, ms: number) {
    super(course);
    this.ended = new Promise((resolve) => {
      this.#finish = resolve;
    });
    // Not left to the ticker, whose turns would bring all that wait for the same moment together.
    this.#timer = setTimeout(() => this.giveUp(), ms);
  }

  giveUp(): void {
    clearTimeout(this.#timer);
    this.over();
    this.#finish();
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

/** Waits; shorter when the caller leaves or the process stops. */
export function pause(course: Course, ms: number): Promise<void> {
  return new Pausing(course, ms).ended;
}

/** The same for a request that has a place in the line of its model's retry budget, which it gives back. */
export async function waitInLine(course: Course, ms: number): Promise<void> {
  await pause(course, ms);
  course.budget.leaveLine();
}
