/** The behaviour suite on PostgreSQL, in-process, and the part of it that a storage thread may affect. */
import { after } from "node:test";
import pg from "pg";
import { sharedPostgres } from "../../../../test/postgres/shared.ts";
import { type OpenStoreOptions, openStore, openStoreInProcess } from "../open.ts";
import type { Store } from "../store.ts";
import {
  consoleStoreBehaviour,
  storeBehaviour,
  threadStoreBehaviour,
} from "../testing/behaviour/behaviour.ts";
import type { NewDatabase } from "../testing/fixture.ts";
import { createReusedThreads } from "../testing/reused-threads.ts";

/**
 * Creating the tables takes longer than most tests, so they are emptied (bypassing the triggers) and reused.
 */
const emptyTables = `do $$ declare name text; begin
  set local session_replication_role = replica;
  for name in select tablename from pg_tables where schemaname = 'public' and tablename <> 'schema_migrations'
  loop execute format('delete from %I', name); end loop;
  for name in select sequencename from pg_sequences where schemaname = 'public'
  loop execute format('alter sequence %I restart', name); end loop;
end $$`;

const emptied: string[] = [];

/** One session for each database: a new one would take longer than emptying. */
const sessions = new Map<string, Promise<pg.Client>>();

async function openSession(url: string): Promise<pg.Client> {
  const server = await sharedPostgres();
  const session = new pg.Client({ connectionString: server.url(new URL(url).pathname.slice(1)) });
  // The server may end first.
  session.on("error", () => {});
  await session.connect();
  return session;
}

async function empty(url: string): Promise<void> {
  if (!sessions.has(url)) sessions.set(url, openSession(url));
  await (await sessions.get(url))?.query(emptyTables);
}

after(() => Promise.all([...sessions.values()].map(async (session) => (await session).end())));

const newDatabaseWith =
  (open: (options: OpenStoreOptions) => Promise<Store>): NewDatabase =>
  async (options) => {
    const server = await sharedPostgres();
    const url = (options?.isBare ? undefined : emptied.pop()) ?? (await server.newDatabase());
    return {
      open: (keys) => open({ database: { kind: "postgres", url }, ...keys }),
      async drop() {
        await empty(url);
        emptied.push(url);
      },
    };
  };

storeBehaviour("PostgreSQL in the process", newDatabaseWith(openStoreInProcess));
consoleStoreBehaviour("PostgreSQL in the process, for the console", newDatabaseWith(openStoreInProcess));

const threads = createReusedThreads();
threadStoreBehaviour(
  "PostgreSQL in a thread",
  newDatabaseWith((options) => openStore({ ...options, threads })),
);
