/**
 * A process for tests with several processes on one database: migrates it, then records requests and prints
 * every id acknowledged as durable. Arguments: SQLite file or PostgreSQL URL, key (hex), prefix of its ids,
 * number of rows (0: no limit).
 */

import { openStore } from "../open.ts";
import type { DatabaseTarget } from "../thread/messages.ts";
import { requestRow } from "./behaviour/requests.ts";

const [where = "", key = "", prefix = "", count = "0"] = process.argv.slice(2);
const database: DatabaseTarget = where.startsWith("postgres:")
  ? { kind: "postgres", url: where }
  : { kind: "sqlite", file: where };
const store = await openStore({ database, secretKey: Buffer.from(key, "hex") });
await store.migrate();
process.stdout.write("ready\n");

const rowsMax = Number(count) || Number.POSITIVE_INFINITY;
const callers = 16;
let next = 0;

async function record(): Promise<void> {
  while (next < rowsMax) {
    const row = requestRow(next++);
    const id = `${prefix}_${row.id}`;
    await store.recordRequest({ ...row, id });
    process.stdout.write(`${id}\n`);
  }
}

await Promise.all(Array.from({ length: callers }, record));
await store.close();
