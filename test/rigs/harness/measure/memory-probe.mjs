/**
 * Loaded into every thread of an observed process (`NODE_OPTIONS=--import …`): writes V8's memory statistics
 * of the thread to `RIG_MEMORY_FOLDER/THREAD.json` every few seconds, and collects garbage when a file
 * `collect-N` requests it for the N-th time.
 */
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { join } from "node:path";
import { getHeapStatistics } from "node:v8";
import { threadId } from "node:worker_threads";

const everyMs = 5_000;
const folder = process.env["RIG_MEMORY_FOLDER"];
/** How often this thread was asked to collect, and the bytes in use after the last collection. */
let asked = 0;
let collectedBytes = null;

async function collect() {
  const session = new Session();
  session.connect();
  try {
    await session.post("HeapProfiler.collectGarbage");
  } finally {
    session.disconnect();
  }
  collectedBytes = getHeapStatistics().used_heap_size;
}

async function look() {
  if (existsSync(join(folder, `collect-${asked + 1}`))) {
    asked++;
    await collect();
  }
  const { total_physical_size, used_heap_size } = getHeapStatistics();
  const { external, arrayBuffers } = process.memoryUsage();
  const seen = {
    asked,
    collectedBytes,
    heapBytes: total_physical_size,
    usedBytes: used_heap_size,
    externalBytes: external,
    arrayBufferBytes: arrayBuffers,
  };
  const file = join(folder, `${threadId}.json`);
  try {
    // Renaming is atomic: readers see the old or the new content.
    writeFileSync(`${file}.new`, JSON.stringify(seen));
    renameSync(`${file}.new`, file);
  } catch {
    // The rig removed its folder: it is over.
  }
}

if (folder !== undefined) setInterval(() => void look(), everyMs).unref();
