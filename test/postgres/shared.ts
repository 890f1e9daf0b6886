/**
 * One server for all tests of a file: started on first use, closed after the last test. Commits do not wait
 * for the disk.
 */
import { after } from "node:test";
import { type PostgresServer, startPostgres } from "./server.ts";

let started: Promise<PostgresServer> | undefined;

after(async () => {
  await (await started)?.close();
});

/** The file's server. A test that stops or pauses it must start a separate one, or restore it. */
export function sharedPostgres(): Promise<PostgresServer> {
  started ??= startPostgres({ isSynced: false });
  return started;
}
