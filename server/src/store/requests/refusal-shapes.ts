/** Types of refused calls that have no row of their own. */

/** Number of a key's calls refused for one reason in one minute (its start, Unix milliseconds). */
export interface RefusalCount {
  readonly accountId: string;
  readonly keyId: string;
  readonly errorCode: string;
  readonly minute: number;
  readonly count: number;
}

/** Number of a key's calls refused for one reason, summed over minutes. */
export interface RefusalSum {
  readonly accountId: string;
  readonly keyId: string;
  readonly keyName: string | null;
  readonly errorCode: string;
  readonly count: number;
  readonly firstMinute: number;
  readonly lastMinute: number;
}

export interface RefusalFilter {
  readonly accounts?: readonly string[] | undefined;
  readonly keys?: readonly string[] | undefined;
  /** As in `UsageFilter`. */
  readonly projects?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly errorCode?: string | undefined;
  /** The minute's start, Unix milliseconds; `toMs` is exclusive. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

export interface RefusalStore {
  /** Adds to the counts of those minutes. */
  addRefusals(counts: readonly RefusalCount[]): Promise<void>;
  /** Deletes counts of minutes before a time, at most `rowsMax`; resolves with how many. */
  pruneRefusals(before: number, rowsMax: number): Promise<number>;
  /** The sums, largest first; at most 100. */
  sumRefusals(filter: RefusalFilter): Promise<RefusalSum[]>;
}
