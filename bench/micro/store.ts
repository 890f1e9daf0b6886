/**
 * The cost of a recorded request: CPU of the whole process (event loop and storage thread) per row, latency,
 * and the storage thread's memory. Run: node bench/micro/store.ts [--callers N] [--accounts N] [--rows N]
 * [--rounds N] [--dir DIRECTORY]
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createIdFactory } from "../../server/src/lib/id.ts";
import { systemClock } from "../../server/src/lib/time/clock.ts";
import { openStore } from "../../server/src/store/open.ts";
import type { RequestRow } from "../../server/src/store/requests/shapes.ts";
import type { Store } from "../../server/src/store/store.ts";
import { median } from "../measure/statistics.ts";
import { measureRows, type Round, usualRow } from "./settling.ts";

const { values: options } = parseArgs({
  options: {
    // The cost depends on the number of accounts: rows of many accounts touch many pages of the account
    // index.
    accounts: { type: "string", default: "10" },
    callers: { type: "string", default: "64" },
    rows: { type: "string", default: "40000" },
    rounds: { type: "string", default: "6" },
    dir: { type: "string", default: tmpdir() },
  },
});
const newId = createIdFactory(systemClock);
const accountIds = Array.from({ length: Number(options.accounts) }, () => newId("acc"));
const keyIds = accountIds.map(() => newId("key"));

function newRow(number: number): RequestRow {
  const index = number % accountIds.length;
  return {
    ...usualRow,
    id: newId("req"),
    createdAt: systemClock.wallMs(),
    accountId: accountIds[index] as string,
    keyId: keyIds[index] as string,
    operation: "chat",
    isStream: true,
    inputTokens: usualRow.inputTokens + index,
    outputTokens: usualRow.outputTokens + index,
  };
}

async function recordOne(store: Pick<Store, "recordRequest">, number: number): Promise<number> {
  const beganMs = systemClock.elapsedMs();
  await store.recordRequest(newRow(number));
  return beganMs;
}

const measure = (store: Pick<Store, "recordRequest">, callers: number, rows: number): Promise<Round> =>
  measureRows(callers, rows, (number) => recordOne(store, number));

const megabytes = (): number => process.memoryUsage().rss / 1024 ** 2;

const directory = await mkdtemp(join(options.dir, "store-bench-"));
const file = join(directory, "plaza.db");
const restingMs = 1_000;
try {
  await setTimeout(restingMs);
  const rssBefore = megabytes();
  const store = await openStore({ database: { kind: "sqlite", file }, secretKey: randomBytes(32) });
  await store.migrate();
  await store.loadCatalog();
  await setTimeout(restingMs);
  const rssOpen = megabytes();
  console.log(
    `RSS before ${rssBefore.toFixed(1)} MB, store open and migrated +${(rssOpen - rssBefore).toFixed(1)} MB`,
  );
  const nowhere = { recordRequest: () => Promise.resolve() };
  await measure(nowhere, Number(options.callers), Number(options.rows));
  const own = await measure(nowhere, Number(options.callers), Number(options.rows));
  console.log(`the bench itself: ${own.cpuUs.toFixed(2)} us CPU/row, contained in the figures below`);
  const costs: number[] = [];
  for (let round = 1; round <= Number(options.rounds); round++) {
    const { cpuUs, perSecond, p50Ms, p99Ms } = await measure(
      store,
      Number(options.callers),
      Number(options.rows),
    );
    costs.push(cpuUs);
    console.log(
      `round ${round}: ${cpuUs.toFixed(2)} us CPU/row, ${Math.round(perSecond)} rows/s, p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`,
    );
  }
  await setTimeout(restingMs);
  const fileMb = (await stat(file)).size / 1024 ** 2;
  console.log(
    `median ${median(costs).toFixed(2)} us CPU/row at ${options.callers} callers, ${options.accounts} accounts`,
  );
  console.log(`RSS at the end +${(megabytes() - rssBefore).toFixed(1)} MB, file ${fileMb.toFixed(1)} MB`);
  await store.close();
} finally {
  await rm(directory, { recursive: true });
}
