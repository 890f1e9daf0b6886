/**
 * What serving processes publish for the live view while it has viewers. Types, and the list of methods; the
 * texts are JSON that only `domain/live/` understands.
 */

/** The last sample of a process. */
export interface StoredLiveSample {
  readonly process: string;
  readonly sample: string;
  /** Milliseconds since it was published, by the database's clock. */
  readonly ageMs: number;
}

export interface LiveStore {
  /** Tells every process that there are viewers, through the feed of changes. */
  announceLiveViewers(): Promise<void>;
  /** Replaces a process's sample, and its history if given. May be lost in a power cut. */
  publishLiveSample(process: string, sample: string, history?: string): Promise<void>;
  /** The samples of the last seconds. */
  listLiveSamples(): Promise<StoredLiveSample[]>;
  /** The histories of the last 15 minutes, those of processes that ended meanwhile included. */
  listLiveHistories(): Promise<{ readonly process: string; readonly history: string }[]>;
}

/** Methods that `create-store.ts` forwards to the storage thread unchanged. */
export const liveMethods = {
  announceLiveViewers: true,
  publishLiveSample: true,
  listLiveSamples: true,
  listLiveHistories: true,
} as const satisfies Record<keyof LiveStore, true>;
