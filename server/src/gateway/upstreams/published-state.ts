/**
 * Publishes upstream state to the store on change, and process readings at intervals, so that any process can
 * show all of them.
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
  /** The id of this process; it may change. */
  readonly holderId: () => string;
}

/**
 * Readings change constantly, so alone they are written at most this often, in milliseconds. While calls are
 * served, states change too, and are written with them.
 */
const readingsMs = 15_000;

/** Publishes changes; call regularly. Never rejects: a failed write is repeated next time. */
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
    // Under a new id nothing has been published yet.
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
      // Readers see the age of the state. Code that needs the store reports its failure.
    } finally {
      isBusy = false;
    }
  };
}
