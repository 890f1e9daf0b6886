/**
 * Number of messages that an idle process sends to its storage thread. Each wakes two threads, so they
 * determine the idle CPU use.
 */
import assert from "node:assert/strict";
import { PerformanceObserver } from "node:perf_hooks";
import { test } from "node:test";
import type { Store } from "../../../server/src/store/store.ts";
import { modelOn, startApp, upstreamAt } from "../harness/app-in-process.ts";

const idleSeconds = 10;
const stepMs = 50;
/**
 * Per interval: a disk check every two seconds, a check for requests to aggregate every three, a heartbeat
 * and a report every five.
 */
const askedMax = 15;

/** The store, recording the name of every call. */
function noting(store: Store, asked: string[]): Store {
  return new Proxy(store, {
    get(target, name, receiver) {
      const value = Reflect.get(target, name, receiver) as unknown;
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const answer = Reflect.apply(value, target, args) as unknown;
        if (answer instanceof Promise) asked.push(String(name));
        return answer;
      };
    },
  });
}

test("ten seconds in which nobody calls take a few messages to the storage", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  let nowMs = 0;
  const clock = { wallMs: () => 1_700_000_000_000 + nowMs, elapsedMs: () => nowMs };
  const asked: string[] = [];
  const observed = context.mock.method(PerformanceObserver.prototype, "observe");
  const app = await startApp({
    catalog: {
      upstreams: [upstreamAt("up", "http://127.0.0.1:9/v1")],
      models: [modelOn("m", ["up"])],
      limits: {},
    },
    clock,
    before: (store) => noting(store, asked),
  });
  /** Advances time and answers every call made meanwhile. */
  const pass = async (seconds: number): Promise<void> => {
    for (const endMs = nowMs + seconds * 1_000; nowMs < endMs; ) {
      nowMs += stepMs;
      context.mock.timers.tick(stepMs);
      await new Promise((resolve) => setImmediate(resolve));
      await app.store.ping();
    }
  };
  context.after(async () => {
    context.mock.timers.reset();
    await app.stop();
  });
  await pass(idleSeconds);
  asked.length = 0;
  await pass(idleSeconds);
  const counted = Object.entries(Object.groupBy(asked, (name) => name)).map(
    ([name, calls]) => `${name} ${calls?.length}`,
  );
  context.diagnostic(counted.join(", "));
  assert.ok(asked.length > 0, "nothing was asked: the test does not see the process");
  assert.ok(asked.length <= askedMax, `${asked.length} messages: ${counted.join(", ")}`);
  const collections = observed.mock.calls.filter(({ arguments: [of] }) =>
    JSON.stringify(of).includes('"gc"'),
  );
  assert.equal(collections.length, 1, "one observer of the collector serves all who want to know");
});
