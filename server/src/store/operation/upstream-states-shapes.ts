/** What serving processes publish about their upstreams and themselves. Types, and lists of names. */
import type {
  ModelReport,
  ProcessReadings,
  ProcessStates,
  UpstreamState,
} from "@plaza/contract/upstream-states.ts";
import type { ProcessReport } from "./news-shapes.ts";

/** What serving processes publish about their upstreams and themselves. */
export interface UpstreamStatesStore {
  /**
   * Keeps what a process says about its upstreams and itself, instead of what it said
   * before; nothing for a holder that is gone.
   */
  publishUpstreamStates(
    holderId: string,
    upstreams: readonly UpstreamState[],
    readings?: ProcessReadings,
    models?: ModelReport,
  ): Promise<void>;
  /** The last report of every live process about its models; processes without a report are absent. */
  listModelReports(): Promise<ProcessReport[]>;
  /** What every process that lives last said, the oldest process first. */
  listUpstreamStates(): Promise<ProcessStates[]>;
}

/** Its methods that are handed to the storage thread as they are (`create-store.ts`). */
export const upstreamStateMethods = {
  publishUpstreamStates: true,
  listModelReports: true,
  listUpstreamStates: true,
} as const satisfies Record<keyof UpstreamStatesStore, true>;
