/**
 * The live view of the installation: once a second adds up this process's sample with those that other
 * processes published, and gives every viewer the result. Does nothing while there are no viewers.
 */
import type { LiveSnapshot } from "@plaza/contract/api/live.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { type LiveEnd, liveHistoryMax, livePointMs } from "@plaza/contract/live.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { completeUntil, mergeBins, mergeSamples } from "../../domain/live/merge.ts";
import type { LiveBin, LiveSample } from "../../domain/live/sample.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { LiveStore } from "../../store/operation/live-shapes.ts";
import { type OtherProcesses, readHistories, readOthers } from "./others.ts";
import { type LiveViewer, ViewerQueue } from "./viewer-queue.ts";

/** Most streams of a process, and of one user or token in it. */
export const viewersMax = 32;
export const viewersPerNameMax = 8;
const everyMs = 1_000;
/** A stream ends after this time; browsers come back at once, and are identified again. */
const lifeMs = 10 * 60 * 1_000;
/** A viewer that reads nothing for this long loses its place, in milliseconds. */
const stalledMs = 30_000;
/** How often a viewer's session or token is checked, in events. */
const checkEvery = 10;
/** Viewers are announced again when samples would be published for less than this long. Milliseconds. */
const announceAtMs = 25_000;
const announceEveryMs = 5_000;
/** How long `once` waits for other processes, in milliseconds. */
const onceMs = 2_000;

/** What browsers do when a stream ends: they come back after this many milliseconds. */
const retryLine = (ms: number): string => `retry: ${ms}\n`;

/** Says why a stream ends. */
const lastEvent = (end: LiveEnd["end"]): string =>
  `event: ${end}\ndata: ${JSON.stringify({ end } satisfies LiveEnd)}\n\n`;

/** This process's own part. */
export interface OwnLive {
  processId(): string;
  sample(): LiveSample;
  history(): readonly LiveBin[];
  /** How long the processes will still publish samples, in milliseconds. */
  interestLeftMs(): number;
}

export interface LiveHub {
  /** The viewer's events. Throws `overloaded` when there are too many viewers or the process stops. */
  watch(viewer: LiveViewer): AsyncIterable<string>;
  /** Ends all streams at once and accepts no others. */
  close(): void;
  readonly viewers: number;
}

export interface HubOptions {
  readonly store: LiveStore;
  readonly clock: Clock;
  readonly own: OwnLive;
  /** Runs `work` every `ms` until the returned function is called. */
  readonly every: (ms: number, work: () => void) => () => void;
}

const nobodyElse: OtherProcesses = { samples: [], isKnown: true };

/** A class because its viewers have lifetimes. */
class Hub implements LiveHub {
  readonly #options: HubOptions;
  readonly #queues = new Set<ViewerQueue>();
  #stop: (() => void) | undefined;
  #isClosed = false;
  #isBusy = false;
  /** A viewer came while an event was made. */
  #isAgain = false;
  #ticks = 0;
  #announcedMs = Number.NEGATIVE_INFINITY;
  #others = nobodyElse;
  /** Names the processes whose history is known. */
  #historyMark = "";
  /** The newest event without and with history. */
  #event = "";
  #eventWithHistory = "";

  constructor(options: HubOptions) {
    this.#options = options;
  }

  get viewers(): number {
    return this.#queues.size;
  }

  watch(viewer: LiveViewer): AsyncIterable<string> {
    if (this.#isClosed)
      throw new GatewayError("overloaded", { message: message("call.stopping"), retryAfterMs: 1_000 });
    const ofName = [...this.#queues].filter((queue) => queue.viewer.name === viewer.name);
    if (this.#queues.size >= viewersMax || ofName.length >= viewersPerNameMax)
      throw new GatewayError("overloaded", { message: message("server.liveFull"), retryAfterMs: 10_000 });
    const queue = new ViewerQueue(
      viewer,
      this.#options.clock,
      (one) => this.#eventFor(one),
      (one) => this.#leave(one),
    );
    this.#queues.add(queue);
    this.#stop ??= this.#options.every(everyMs, () => void this.#tick());
    void this.#tick(true);
    return queue;
  }

  close(): void {
    this.#isClosed = true;
    for (const queue of this.#queues) queue.end(retryLine(2_000) + lastEvent("closing"));
  }

  #leave(queue: ViewerQueue): void {
    this.#queues.delete(queue);
    if (this.#queues.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  /** Makes the newest event. `isFirst`: a viewer just came and gets it at once. */
  async #tick(isFirst = false): Promise<void> {
    if (this.#isBusy) {
      this.#isAgain ||= isFirst;
      return;
    }
    this.#isBusy = true;
    try {
      do {
        this.#isAgain = false;
        await this.#makeEvents();
      } while (this.#isAgain);
    } finally {
      this.#isBusy = false;
    }
    this.#ticks += isFirst ? 0 : 1;
    if (!isFirst && this.#ticks % checkEvery === 0) this.#checkViewers();
    this.#wakeAll();
  }

  async #makeEvents(): Promise<void> {
    const { store, clock, own } = this.#options;
    this.#announce();
    const ownId = own.processId();
    this.#others = await readOthers(store, ownId);
    const samples = [{ process: ownId, sample: own.sample() }, ...this.#others.samples];
    const mark = samples.map(({ process }) => process).join(" ");
    const needHistory = [...this.#queues].some(({ historyMark }) => historyMark !== mark);
    const merged = mergeSamples(samples);
    const bins = samples.map(({ sample }) => sample.bins);
    const until = completeUntil(bins);
    const snapshot: LiveSnapshot = {
      t: clock.wallMs(),
      ...merged,
      isWhole: this.#others.isKnown,
      history: null,
      points: mergeBins(bins).filter(({ t }) => t <= until),
    };
    this.#event = JSON.stringify(snapshot);
    this.#historyMark = mark;
    this.#eventWithHistory = needHistory
      ? JSON.stringify({ ...snapshot, history: await this.#history(ownId, until) })
      : "";
  }

  async #history(ownId: string, until: number): Promise<LiveSnapshot["history"]> {
    const others = await readHistories(this.#options.store, ownId);
    const points = mergeBins([this.#options.own.history(), ...others]);
    const oldest = this.#options.clock.wallMs() - liveHistoryMax * livePointMs;
    return points.filter(({ t }) => t >= oldest && t <= until);
  }

  #announce(): void {
    const { store, clock, own } = this.#options;
    const nowMs = clock.elapsedMs();
    if (own.interestLeftMs() >= announceAtMs || nowMs - this.#announcedMs < announceEveryMs) return;
    this.#announcedMs = nowMs;
    // Without the store there are no other processes to show, and events say so.
    store.announceLiveViewers().catch(() => {});
  }

  #eventFor(queue: ViewerQueue): string {
    const isKnown = queue.historyMark === this.#historyMark || this.#eventWithHistory === "";
    if (isKnown) return `data: ${this.#event}\n\n`;
    queue.historyMark = this.#historyMark;
    return `${retryLine(1_000)}data: ${this.#eventWithHistory}\n\n`;
  }

  #wakeAll(): void {
    const nowMs = this.#options.clock.elapsedMs();
    for (const queue of [...this.#queues]) {
      const { waitingSinceMs, startedMs, viewer } = queue;
      if (waitingSinceMs !== undefined && nowMs - waitingSinceMs >= stalledMs) queue.end();
      else if (nowMs - startedMs >= lifeMs) queue.end(retryLine(200) + lastEvent("again"));
      else if (!viewer.isOnce || nowMs - startedMs >= onceMs) queue.wake();
    }
  }

  #checkViewers(): void {
    for (const queue of this.#queues) {
      queue.viewer.isStillAllowed().then(
        (isAllowed) => {
          if (!isAllowed) queue.end(lastEvent("ended"));
        },
        // A database that does not answer ends no session.
        () => {},
      );
    }
  }
}

/** Creates the hub of a process. */
export function createLiveHub(options: HubOptions): LiveHub {
  return new Hub(options);
}
