/** Refused calls that have no row of their own, as the store takes and gives them. */

/** Refused calls of one key for one reason in one minute (its beginning, Unix milliseconds). */
export interface RefusalCount {
  readonly accountId: string;
  readonly keyId: string;
  readonly errorCode: string;
  readonly minute: number;
  readonly count: number;
}

/** Refused calls of one key for one reason, added up over minutes. */
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
  readonly errorCode?: string | undefined;
  /** Of the minute's beginning, Unix milliseconds; `toMs` is exclusive. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

export interface RefusalStore {
  /** Adds to what is counted of those minutes. */
  addRefusals(counts: readonly RefusalCount[]): Promise<void>;
  /** Forgets counts of minutes before a time, at most `rowsMax` of them; resolves with how many. */
  pruneRefusals(before: number, rowsMax: number): Promise<number>;
  /** What was counted, the largest sums first; at most 100. */
  sumRefusals(filter: RefusalFilter): Promise<RefusalSum[]>;
}
