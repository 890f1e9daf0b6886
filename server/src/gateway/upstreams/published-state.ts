/**
 * Says in the store how this process finds its upstreams, whenever that changed, and how it is doing itself,
 * now and then, so that any process can show all of them.
 */

import type { ModelReport, ProcessReadings, UpstreamState } from "@plaza/contract/upstream-states.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { UpstreamStatesStore } from "../../store/operation/upstream-states-shapes.ts";

export interface PublisherOptions {
  readonly states: () => UpstreamState[];
  readonly readings: () => ProcessReadings;
  readonly models: () => ModelReport;
  readonly clock: Clock;
  readonly store: Pick<UpstreamStatesStore, "publishUpstreamStates">;
  /** Under which id this process lives; it may change. */
  readonly holderId: () => string;
}

/** Readings change all the time; every write costs the disk something. */
const readingsMs = 5_000;

/**
 * Looks for changes and writes them; regularly. Never rejects: what could not
 * be written is written the next time.
 */
export type Publish = () => Promise<void>;

export function createPublisher(options: PublisherOptions): Publish {
  const { states, readings, models, clock, store, holderId } = options;
  let published = "";
  let publishedMs = Number.NEGATIVE_INFINITY;
  let isBusy = false;
  return async () => {
    if (isBusy) return;
    const upstreams = states();
    const id = holderId();
    // Under a new id nothing is known of this process yet.
    const report = models();
    const state = `${id}${JSON.stringify([upstreams, report])}`;
    const nowMs = clock.elapsedMs();
    if (state === published && nowMs - publishedMs < readingsMs) return;
    isBusy = true;
    try {
      await store.publishUpstreamStates(id, upstreams, readings(), report);
      published = state;
      publishedMs = nowMs;
    } catch {
      // Whoever asks sees how old it is; that the store is away is told by those who need it.
    } finally {
      isBusy = false;
    }
  };
}
