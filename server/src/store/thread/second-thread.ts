/**
 * Runs the slow methods of a server's store in a second storage thread on the same database, so that
 * settlements never wait for them. The thread starts when first needed and stops when idle.
 */

import type { StoreCore } from "../core.ts";
import { StoreError } from "../error.ts";
import { slowUsageMethods } from "../usage/usage.ts";

/** Methods that may read a lot, or write what no answer waits for. */
const slowMethods = [...slowUsageMethods, "exploreUsage", "listLatencies", "removeRequests"] as const;
type SlowMethod = (typeof slowMethods)[number];

/** Milliseconds it is kept without work. */
const idleMs = 60_000;

type AnyMethod = (...args: unknown[]) => Promise<unknown>;

/** `open` starts the thread; it may be called again after its core was closed. */
export function withSecondThread(
  core: StoreCore,
  open: () => Promise<StoreCore>,
  keepMs: number = idleMs,
): StoreCore {
  let second: Promise<StoreCore> | undefined;
  let underWay = 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function stop(): Promise<void> {
    const stopping = second;
    second = undefined;
    clearTimeout(timer);
    await stopping?.then((one) => one.close()).catch(() => {});
  }

  async function call(method: SlowMethod, args: unknown[]): Promise<unknown> {
    if (isClosed) throw new StoreError("closed", "the store is closed");
    clearTimeout(timer);
    underWay++;
    second ??= open();
    const mine = second;
    try {
      return await ((await mine)[method] as AnyMethod)(...args);
    } catch (error) {
      // A core that could not be opened, or died, is not used again.
      const isGone =
        !(error instanceof StoreError) || error.code === "thread_stopped" || error.code === "cannot_open";
      if (isGone && second === mine) second = undefined;
      throw error;
    } finally {
      underWay--;
      if (underWay === 0 && !isClosed) timer = setTimeout(() => void stop(), keepMs).unref();
    }
  }

  const slow = slowMethods.map((name) => [name, (...args: unknown[]) => call(name, args)]);
  return {
    ...core,
    ...(Object.fromEntries(slow) as Pick<StoreCore, SlowMethod>),
    async close() {
      isClosed = true;
      await stop();
      await core.close();
    },
  };
}
