/**
 * Follows the store's change feed, so that a key revoked or a catalog applied in any process takes effect
 * here within a second. Also receives the model states of other processes. While the store fails, current
 * data stays in use; the log gets one line at the start and one at the end of the outage.
 */

import type { Log } from "../lib/telemetry/log.ts";
import type { Change, NewsStore, ProcessReport } from "../store/operation/news-shapes.ts";

/** Pause between two requests to the store, in milliseconds. */
const pauseMs = 200;
/** How long the store may hold a request open until something changes, in milliseconds. */
const waitMs = 30_000;

export interface StoreWatch {
  stop(): void;
}

/**
 * Calls `onChange` for every change after `afterId`, in order. If `onChange` rejects, the error is logged and
 * the change counts as applied.
 */
export function watchStore(options: {
  store: Pick<NewsStore, "waitForNews">;
  log: Log;
  afterId: number;
  onChange: (change: Change) => Promise<void> | void;
  /** Called when the model states of any live process changed, this one included. */
  onReports: (reports: readonly ProcessReport[]) => void;
}): StoreWatch {
  const { store, log, onChange, onReports } = options;
  let lastId = options.afterId;
  let reportsMark = "";
  let isFailing = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function apply(change: Change): Promise<void> {
    try {
      await onChange(change);
    } catch (error) {
      log.error("change_not_applied", { kind: change.kind, error: (error as Error).message });
    }
  }

  async function ask(): Promise<void> {
    // After a failure do not wait, so that recovery shows at once and not with the next change.
    const news = await store.waitForNews({ changeId: lastId, reports: reportsMark }, isFailing ? 0 : waitMs);
    if (isStopped) return;
    reportsMark = news.reportsMark;
    if (news.reports !== undefined) onReports(news.reports);
    for (const change of news.changes) {
      await apply(change);
      lastId = change.id;
    }
    if (isFailing) log.info("store_feed_back");
    isFailing = false;
  }

  async function turn(): Promise<void> {
    try {
      await ask();
    } catch (error) {
      // Closing the store also ends the wait with an error.
      if (!isFailing && !isStopped) log.error("store_feed_lost", { error: (error as Error).message });
      isFailing = true;
    }
    if (!isStopped) timer = setTimeout(turn, pauseMs);
  }

  timer = setTimeout(turn, pauseMs);
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
