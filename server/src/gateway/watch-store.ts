/**
 * Follows the store's feed of changes, so that a key revoked or a catalog applied anywhere acts in this process within a
 * second. When the store does not answer, what is known stays in force and the first and last failure are logged.
 */
import type { Log } from "../lib/log.ts";
import type { Change, Store } from "../store/store.ts";

const pollMs = 200;

export interface StoreWatch {
  stop(): void;
}

/** Calls `onChange` for every change after `afterId`, in order. A rejected `onChange` is logged; the change counts as seen. */
export function watchStore(options: {
  store: Store;
  log: Log;
  afterId: number;
  onChange: (change: Change) => Promise<void> | void;
}): StoreWatch {
  const { store, log, onChange } = options;
  let lastId = options.afterId;
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

  async function poll(): Promise<void> {
    try {
      for (const change of await store.listChanges(lastId)) {
        await apply(change);
        lastId = change.id;
      }
      if (isFailing) log.info("store_feed_back");
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.error("store_feed_lost", { error: (error as Error).message });
      isFailing = true;
    }
    if (!isStopped) timer = setTimeout(poll, pollMs);
  }

  timer = setTimeout(poll, pollMs);
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
