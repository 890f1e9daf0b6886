/**
 * Loaded into every thread of a process a rig looks into (`NODE_OPTIONS=--import …`): writes what V8 says of the thread's own memory
 * to `RIG_MEMORY_FOLDER/THREAD.json` every few seconds. The product knows nothing of it.
 */
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getHeapStatistics } from "node:v8";
import { threadId } from "node:worker_threads";

const everyMs = 10_000;
const folder = process.env["RIG_MEMORY_FOLDER"];

function write() {
  const { total_physical_size, used_heap_size, malloced_memory } = getHeapStatistics();
  const { external, arrayBuffers } = process.memoryUsage();
  const seen = {
    heapBytes: total_physical_size,
    usedBytes: used_heap_size,
    mallocedBytes: malloced_memory,
    externalBytes: external,
    arrayBufferBytes: arrayBuffers,
  };
  const file = join(folder, `${threadId}.json`);
  try {
    // Readers see all of it or what was there before.
    writeFileSync(`${file}.new`, JSON.stringify(seen));
    renameSync(`${file}.new`, file);
  } catch {
    // The rig has removed its folder: it is over.
  }
}

if (folder !== undefined) setInterval(write, everyMs).unref();
