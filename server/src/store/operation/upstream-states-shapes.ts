/** What serving processes publish about their upstreams and themselves. Types, and the list of methods. */
import type {
  ModelReport,
  ProcessReadings,
  ProcessStates,
  UpstreamState,
} from "@plaza/contract/upstream-states.ts";
import type { ProcessReport } from "./news-shapes.ts";

/** Store methods for these reports. */
export interface UpstreamStatesStore {
  /**
   * Replaces a process's report about its upstreams and itself. Nothing is stored for a holder that is gone.
   */
  publishUpstreamStates(
    holderId: string,
    upstreams: readonly UpstreamState[],
    readings?: ProcessReadings,
    models?: ModelReport,
  ): Promise<void>;
  /** The last report of every live process about its models; processes without a report are left out. */
  listModelReports(): Promise<ProcessReport[]>;
  /** The last report of every live process, oldest process first. */
  listUpstreamStates(): Promise<ProcessStates[]>;
}

/** Methods that `create-store.ts` forwards to the storage thread unchanged. */
export const upstreamStateMethods = {
  publishUpstreamStates: true,
  listModelReports: true,
  listUpstreamStates: true,
} as const satisfies Record<keyof UpstreamStatesStore, true>;
