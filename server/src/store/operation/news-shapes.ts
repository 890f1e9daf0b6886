/**
 * What other processes wrote and a serving process must know: the feed of changes, and reports about models.
 * Knows no SQL.
 */
import type { ModelReport } from "@plaza/contract/upstream-states.ts";

/** A change other processes must notice. `id` grows; a reader remembers the last one it saw. */
export interface Change {
  readonly id: number;
  /**
   * `recall`: another process needs money of this account; processes with idle leases return them. Or, with
   * `liveSubject`: some process has viewers of the live view. Servers that do not know that do nothing.
   */
  readonly kind: "key" | "account" | "catalog" | "recall";
  /**
   * Id of the key or account; empty for the catalog, or `probeSubject` of an upstream: nothing of the catalog
   * changed, but that upstream must be probed now. Servers that do not know this read the catalog again.
   */
  readonly subject: string;
}

const probePrefix = "probe ";

/** The subject of a change that asks for a probe. */
export const probeSubject = (upstreamId: string): string => probePrefix + upstreamId;

/** The upstream to probe; undefined for every other change. */
export function probeAskedBy({ kind, subject }: Pick<Change, "kind" | "subject">): string | undefined {
  if (kind !== "catalog" || !subject.startsWith(probePrefix)) return undefined;
  return subject.slice(probePrefix.length);
}

/** The subject of a change that announces viewers of the live view. No account has this id. */
export const liveSubject = "live viewers";

/** True for such a change. */
export const isOfLiveViewers = ({ kind, subject }: Pick<Change, "kind" | "subject">): boolean =>
  kind === "recall" && subject === liveSubject;

/** A process's last report about its models. */
export interface ProcessReport {
  readonly process: string;
  readonly models: ModelReport;
}

/**
 * What a serving process already knows: changes up to this id, and the mark of the last reports (empty:
 * none).
 */
export interface KnownNews {
  readonly changeId: number;
  readonly reports: string;
}

/** What others wrote since then. */
export interface News {
  /** Oldest first, at most 1,000. */
  readonly changes: readonly Change[];
  /** Reports of every live process, including the asking one; undefined while unchanged. */
  readonly reports: readonly ProcessReport[] | undefined;
  /** The mark to send with the next call. */
  readonly reportsMark: string;
}

/** Store methods to learn what other processes wrote. */
export interface NewsStore {
  /**
   * Resolves as soon as there is something new, within a fifth of a second, or with nothing after `waitMs`;
   * earlier when the store is closed. Serving processes call it again each time. Rejects when the database
   * cannot be queried.
   */
  waitForNews(known: KnownNews, waitMs: number): Promise<News>;
  /** Changes after `afterId`, oldest first, at most 1,000. */
  listChanges(afterId: number): Promise<Change[]>;
  lastChangeId(): Promise<number>;
}

/** Methods that `create-store.ts` forwards to the storage thread unchanged. */
export const newsMethods = {
  waitForNews: true,
  listChanges: true,
  lastChangeId: true,
} as const satisfies Record<keyof NewsStore, true>;
