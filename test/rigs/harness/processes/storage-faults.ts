/** Ways to make a database slow or unavailable, each with its end. */
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { PostgresServer } from "../../../postgres/server.ts";
import { pause } from "../measure/clock.ts";

/** A silent database is known to be away after this; before that it may be slow. Milliseconds. */
const noticedWithinMs = 1_500;

/**
 * How long a caller waited for a refusal since its call and, with a silent database, since that is known: in
 * milliseconds. `silentAt`: when it fell silent; undefined for any other fault.
 */
export const refusedAfterMs = (
  { sentAt, endedAt }: { readonly sentAt: number; readonly endedAt: number },
  silentAt: number | undefined,
): number => Math.max(0, endedAt - Math.max(sentAt, (silentAt ?? -noticedWithinMs) + noticedWithinMs));

/** One kind of fault. */
export interface StorageFault {
  readonly name: string;
  /** True when it is over once `begin` resolves. */
  readonly isBrief?: boolean | undefined;
  /** True when nothing says that the database is away: packets just get no answer. */
  readonly isSilent?: boolean | undefined;
  /** Resolves when the fault is active, with a function that ends it. */
  begin(): Promise<() => Promise<void>>;
}

/** Another process holds the file's write lock. */
export function lockedFile(file: string): StorageFault {
  return {
    name: "SQLite, write lock held by another",
    async begin() {
      const db = new DatabaseSync(file, { timeout: 10_000 });
      db.exec("begin immediate");
      return async () => {
        db.exec("rollback");
        db.close();
      };
    },
  };
}

export function pausedServer(server: PostgresServer): StorageFault {
  return {
    name: "PostgreSQL, paused",
    async begin() {
      server.pause();
      return async () => server.resume();
    },
  };
}

/** As if the server's host had vanished. Linux only. */
export const silentServer = (server: PostgresServer): StorageFault => ({
  ...pausedServer(server),
  name: "silent",
  isSilent: true,
});

/** `setDelay` adds latency to the database connection, in milliseconds. */
export function longWay(setDelay: (ms: number) => void, ms: number): StorageFault {
  return {
    name: `PostgreSQL, ${ms} ms latency`,
    async begin() {
      setDelay(ms);
      return async () => setDelay(0);
    },
  };
}

/** A session that updated every account and stays idle in its transaction. */
export function lockedRows(url: string): StorageFault {
  return {
    name: "PostgreSQL, every account's row locked",
    async begin() {
      const client = await connected(url);
      await client.query("begin");
      await client.query("select id from accounts order by id for update");
      return async () => {
        await client.query("rollback");
        await client.end();
      };
    },
  };
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  return client;
}

export function stoppedServer(server: PostgresServer): StorageFault {
  return {
    name: "stopped",
    async begin() {
      await server.stop();
      return () => server.start();
    },
  };
}

export function killedServer(server: PostgresServer): StorageFault {
  return {
    name: "killed",
    async begin() {
      await server.kill();
      return () => server.start();
    },
  };
}

export function restartedServer(server: PostgresServer): StorageFault {
  return {
    name: "restarted",
    isBrief: true,
    async begin() {
      await server.restart();
      return async () => {};
    },
  };
}

export function readOnlyServer(server: PostgresServer): StorageFault {
  return {
    name: "read-only",
    async begin() {
      await server.setReadOnly(true);
      return () => server.setReadOnly(false);
    },
  };
}

/** Number of sessions opened in parallel while using up all connections. */
const atOnce = 16;
const roundsMax = 40;
const quietRounds = 3;
const betweenRoundsMs = 30;

/** Other sessions take every connection, and Plaza's are ended. */
export function exhaustedServer(url: string): StorageFault {
  return {
    name: "connections exhausted",
    async begin() {
      const admin = await connected(url);
      const others: pg.Client[] = [];
      const take = async (): Promise<boolean> => {
        const more = await Promise.allSettled(Array.from({ length: atOnce }, () => connected(url)));
        for (const one of more) if (one.status === "fulfilled") others.push(one.value);
        return more.every(({ status }) => status === "fulfilled");
      };
      // A session that is just logging in has no name yet, so one query may miss it.
      for (let round = 0, quiet = 0; round < roundsMax && quiet < quietRounds; round++) {
        while (await take());
        const { rows } = await admin.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'plaza'",
        );
        quiet = rows.length === 0 ? quiet + 1 : 0;
        await pause(betweenRoundsMs);
      }
      return async () => {
        await Promise.all([admin, ...others].map((client) => client.end()));
      };
    },
  };
}
