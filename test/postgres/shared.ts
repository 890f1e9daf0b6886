/** One server for all tests of a file: started by the first that asks, closed after the last. */
import { after } from "node:test";
import { type PostgresServer, startPostgres } from "./server.ts";

let started: Promise<PostgresServer> | undefined;

after(async () => {
  await (await started)?.close();
});

/**
 * The file's server. A test that stops or pauses it starts one of its own instead,
 * or leaves it running as it found it.
 */
export function sharedPostgres(): Promise<PostgresServer> {
  started ??= startPostgres();
  return started;
}
