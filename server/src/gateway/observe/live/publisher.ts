/**
 * Publishes this process's samples to the store while some process has viewers of the live view, so that it
 * can show all processes. Otherwise nothing is written.
 */
import type { LiveSample } from "../../../domain/live/sample.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { LiveStore } from "../../../store/operation/live-shapes.ts";
import type { LiveSampler } from "./sampler.ts";

/** How long samples are published after viewers were announced, in milliseconds. */
const interestMs = 45_000;

export interface LivePublisher {
  /** Some process has viewers. */
  noteViewers(): void;
  /** How long samples will still be published, in milliseconds. */
  interestLeftMs(): number;
  /** Reads the counters and publishes a sample if there are viewers; call once a second. Never rejects. */
  tick(): Promise<void>;
}

export interface PublisherOptions {
  readonly sampler: LiveSampler;
  readonly clock: Clock;
  readonly store: Pick<LiveStore, "publishLiveSample">;
  /** The id of this process; it may change. */
  readonly processId: () => string;
}

const textOf = (sample: LiveSample): string => JSON.stringify(sample);

export function createLivePublisher({ sampler, clock, store, processId }: PublisherOptions): LivePublisher {
  let untilMs = Number.NEGATIVE_INFINITY;
  /** The id under which the whole history was published, and whether it has grown since. */
  let publishedAs: string | undefined;
  let hasGrown = false;
  let isBusy = false;
  const interestLeftMs = (): number => Math.max(0, untilMs - clock.elapsedMs());

  async function publish(): Promise<void> {
    const id = processId();
    const isDue = publishedAs !== id || hasGrown;
    const history = isDue ? JSON.stringify(sampler.history()) : undefined;
    hasGrown = false;
    isBusy = true;
    try {
      await store.publishLiveSample(id, textOf(sampler.sample()), history);
      publishedAs = id;
    } catch {
      // Viewers see that the process is missing. Code that needs the store reports its failure.
      publishedAs = undefined;
    } finally {
      isBusy = false;
    }
  }

  return {
    noteViewers() {
      // What was published for earlier viewers may have been removed.
      if (interestLeftMs() === 0) publishedAs = undefined;
      untilMs = clock.elapsedMs() + interestMs;
    },
    interestLeftMs,
    async tick() {
      hasGrown = sampler.tick() || hasGrown;
      if (interestLeftMs() > 0 && !isBusy) await publish();
    },
  };
}
