import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Worker } from "node:worker_threads";
import { openInThread } from "./client.ts";
import { newThreads } from "./start.ts";

const mebibyte = 1024 * 1024;
/** Longer than a start without further work takes. */
const collectsAfterMs = 200;
const collections = 3;
/** About 6 MB: more than the thread's young generation, but less than makes V8 collect by itself. */
const objectsMany = 60_000;

test("a storage thread gives back the garbage of a large call, without V8 being short of memory", async (context) => {
  const directory = mkdtempSync(join(tmpdir(), "store-"));
  context.after(() => rmSync(directory, { recursive: true }));
  let worker: Worker | undefined;
  const settings = {
    database: { kind: "sqlite", file: join(directory, "plaza.db") },
    secretKey: randomBytes(32),
    busyTimeoutMs: 5_000,
    statementTimeoutMs: 5_000,
    connectionsMax: 8,
    collection: { firstMs: collectsAfterMs, nextMs: collectsAfterMs, idleMs: 0, grownBytes: mebibyte },
  } as const;
  const core = await openInThread(settings, {
    ...newThreads,
    take() {
      worker = newThreads.take();
      return worker;
    },
  });
  context.after(() => core.close());
  /** Used bytes after a call that reads a lot, once a collection was due and has run. */
  const usedAfter = async (objects: number): Promise<number> => {
    const large = Array.from({ length: objects }, (_, index) => ({ index, text: `text ${index}` }));
    await (core.ping as (ignored: unknown) => Promise<void>)(large);
    let least = Number.POSITIVE_INFINITY;
    // A thread's last message may be kept through one collection.
    for (let time = 0; time < collections; time++) {
      await new Promise((resolve) => setTimeout(resolve, 2 * collectsAfterMs));
      await core.ping();
      // The collection follows the reply to the call before; the next call waits for its end.
      await core.ping();
      least = Math.min(least, (await worker?.getHeapStatistics())?.used_heap_size ?? Number.NaN);
    }
    return least;
  };
  const few = await usedAfter(0);
  const many = await usedAfter(objectsMany);
  assert.ok(many - few < 2 * mebibyte, `${few} bytes after a small call, ${many} after a large one`);
});
