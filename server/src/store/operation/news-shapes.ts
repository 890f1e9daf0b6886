/**
 * Shapes of what others wrote that a serving process must know: the feed of changes,
 * and reports of models. Knows no SQL.
 */
import type { ModelReport } from "@plaza/contract/upstream-states.ts";

/** Something other processes must notice. `id` grows; a reader remembers the last one it saw. */
export interface Change {
  readonly id: number;
  /**
   * `recall`: another process is short of money on this account; whoever has some lying idle gives it back.
   */
  readonly kind: "key" | "account" | "catalog" | "recall";
  /** Key or account id; empty for the catalog. */
  readonly subject: string;
}

/** What a process last said of its models. */
export interface ProcessReport {
  readonly process: string;
  readonly models: ModelReport;
}

/**
 * What a serving process has heard of so far: changes up to this id, and reports
 * as `News` marked them (empty: none).
 */
export interface KnownNews {
  readonly changeId: number;
  readonly reports: string;
}

/** What others wrote meanwhile. */
export interface News {
  /** Oldest first, at most 1,000. */
  readonly changes: readonly Change[];
  /** Of every process that lives, the asker included; undefined while they are the same as before. */
  readonly reports: readonly ProcessReport[] | undefined;
  /** What to ask with the next time. */
  readonly reportsMark: string;
}

/** What other processes wrote. */
export interface NewsStore {
  /**
   * Resolves as soon as there is something that the asker does not know, within a fifth of a second, or with
   * nothing after `waitMs`; earlier when the store is closed. For serving processes: they ask again each
   * time. Rejects when the database cannot be asked.
   */
  waitForNews(known: KnownNews, waitMs: number): Promise<News>;
  /** Changes after `afterId`, oldest first, at most 1,000. */
  listChanges(afterId: number): Promise<Change[]>;
  lastChangeId(): Promise<number>;
}

/** Its methods that are handed to the storage thread as they are (`create-store.ts`). */
export const newsMethods = {
  waitForNews: true,
  listChanges: true,
  lastChangeId: true,
} as const satisfies Record<keyof NewsStore, true>;
