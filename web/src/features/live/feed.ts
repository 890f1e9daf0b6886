/**
 * The live view's one store: keeps a stream of events open, what it said last, and 15 minutes of points.
 * Parts of the page subscribe to what they show. Knows no component.
 */
import type { LivePoint, LiveSnapshot } from "@plaza/contract/api/live.ts";
import type { LiveEnd } from "@plaza/contract/live.ts";
import { ApiError } from "../../api/error.ts";
import { createSseReader } from "../../api/sse-reader.ts";

/** Waits before each further attempt, in milliseconds; the last one repeats. */
const waitsMs = [1_000, 2_000, 3_000, 5_000, 10_000];
/** The server says something every second; after this long without it the connection is lost. */
const silentMs = 10_000;
const pointsMax = 180;
/** Snapshots kept for what points do not have. */
const recentMax = 180;

export type LiveStatus =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  /** `error`: why the last attempt failed; null: the stream ended. */
  | { readonly kind: "waiting"; readonly retryAtMs: number; readonly error: ApiError | null }
  | { readonly kind: "paused" };

export interface LiveState {
  readonly status: LiveStatus;
  /** Null until the first event. */
  readonly snapshot: LiveSnapshot | null;
  /** Oldest first. */
  readonly points: readonly LivePoint[];
  /** Requests in flight and streams of the last minutes, oldest first; only while the page was open. */
  readonly recent: readonly { readonly inFlight: number; readonly streams: number }[];
}

export interface LiveFeed {
  readonly state: LiveState;
  /** Calls `changed` after each change of the state, until the returned function is called. */
  subscribe(changed: () => void): () => void;
  start(): void;
  /** Closes the stream and keeps what was read. */
  stop(): void;
  /** Stops at what is shown, or goes on. */
  setPaused(isPaused: boolean): void;
  /** Tries again now. */
  retry(): void;
}

export interface FeedOptions {
  /** Opens the stream; rejects with ApiError. */
  readonly open: (signal: AbortSignal) => Promise<Response>;
  readonly nowMs: () => number;
  /** Runs `then` after `ms`; the returned function cancels it. */
  readonly later: (ms: number, then: () => void) => () => void;
}

/** Points by time: new ones replace those of the same time. */
export function withPoints(known: readonly LivePoint[], newer: readonly LivePoint[]): readonly LivePoint[] {
  const [first] = newer;
  if (first === undefined) return known;
  const byTime = new Map(newer.map((point) => [point.t, point]));
  const kept = known.filter(({ t }) => !byTime.has(t));
  return [...kept, ...newer].sort((one, other) => one.t - other.t).slice(-pointsMax);
}

/** A class because it keeps a connection. */
class Feed implements LiveFeed {
  state: LiveState = { status: { kind: "connecting" }, snapshot: null, points: [], recent: [] };
  readonly #options: FeedOptions;
  readonly #listeners = new Set<() => void>();
  #connection: AbortController | undefined;
  #cancelRetry: (() => void) | undefined;
  #failures = 0;
  #isStarted = false;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  subscribe(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }

  start(): void {
    if (this.#isStarted || this.state.status.kind === "paused") return;
    this.#isStarted = true;
    this.#connect();
  }

  stop(): void {
    this.#isStarted = false;
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.#connection?.abort();
    this.#connection = undefined;
  }

  setPaused(isPaused: boolean): void {
    this.stop();
    this.#set({ status: { kind: isPaused ? "paused" : "connecting" } });
    if (!isPaused) this.start();
  }

  retry(): void {
    if (!this.#isStarted || this.state.status.kind !== "waiting") return;
    this.#connect();
  }

  #set(changes: Partial<LiveState>): void {
    this.state = { ...this.state, ...changes };
    for (const changed of this.#listeners) changed();
  }

  #connect(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    const connection = new AbortController();
    this.#connection = connection;
    if (this.state.status.kind !== "live") this.#set({ status: { kind: "connecting" } });
    void this.#run(connection);
  }

  async #run(connection: AbortController): Promise<void> {
    const { signal } = connection;
    let end: LiveEnd["end"] | undefined;
    let error: ApiError | null = null;
    try {
      const response = await this.#options.open(signal);
      end = await this.#read(response, connection);
    } catch (thrown) {
      error = thrown instanceof ApiError ? thrown : new ApiError({ code: "network_lost", status: 0 });
    }
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    // The stream is old, or its session: the next call asks who is there.
    if (end === "again" || end === "ended") this.#connect();
    else this.#wait(error);
  }

  #wait(error: ApiError | null): void {
    const wait = waitsMs[Math.min(this.#failures, waitsMs.length - 1)] as number;
    this.#failures += 1;
    const ms = Math.max(wait, error?.retryAfterMs ?? 0);
    this.#set({ status: { kind: "waiting", retryAtMs: this.#options.nowMs() + ms, error } });
    this.#cancelRetry = this.#options.later(ms, () => this.#connect());
  }

  /** Resolves with the reason when the stream ended properly; rejects when it is lost. */
  async #read(response: Response, connection: AbortController): Promise<LiveEnd["end"] | undefined> {
    const pieces = response.body?.getReader();
    if (pieces === undefined) return undefined;
    const reader = createSseReader();
    let end: LiveEnd["end"] | undefined;
    for (;;) {
      const cancel = this.#options.later(silentMs, () => void pieces.cancel());
      const { done, value } = await pieces.read().finally(cancel);
      // A former connection must not say anything more.
      if (done || this.#connection !== connection) return end;
      for (const text of reader.read(value)) {
        const said = JSON.parse(text) as LiveSnapshot | LiveEnd;
        if ("end" in said) end = said.end;
        else this.#take(said);
      }
    }
  }

  #take(snapshot: LiveSnapshot): void {
    this.#failures = 0;
    const { points, recent } = this.state;
    this.#set({
      status: this.state.status.kind === "live" ? this.state.status : { kind: "live" },
      snapshot,
      points: withPoints(snapshot.history ?? points, snapshot.points),
      recent: [...recent, { inFlight: snapshot.inFlight, streams: snapshot.streams }].slice(-recentMax),
    });
  }
}

/** A feed that is not started yet. */
export function createLiveFeed(options: FeedOptions): LiveFeed {
  return new Feed(options);
}
