/**
 * Hears from the store what others write, so that a key revoked or a catalog applied anywhere acts in this
 * process within a second, and what other processes find of models counts here. When the store does not
 * answer, what is known stays in force and the first and last failure are logged.
 */

import type { Log } from "../lib/telemetry/log.ts";
import type { Change, NewsStore, ProcessReport } from "../store/operation/news-shapes.ts";

/** Between two questions, and after one that failed. */
const pauseMs = 200;
/**
 * How long the store keeps a question without an answer: it looks by itself,
 * and says so when there is something.
 */
const waitMs = 30_000;

export interface StoreWatch {
  stop(): void;
}

/**
 * Calls `onChange` for every change after `afterId`, in order. A rejected `onChange`
 * is logged; the change counts as seen.
 */
export function watchStore(options: {
  store: Pick<NewsStore, "waitForNews">;
  log: Log;
  afterId: number;
  onChange: (change: Change) => Promise<void> | void;
  /** What every process that lives says of its models, this one included, whenever it is something else. */
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
    // While it fails, whether it answers again must show at once, not with the next change.
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
      // The store ends every wait when it is closed.
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
