/** Backups before an upgrade: Plaza's own of a SQLite file, and a copy that PostgreSQL makes. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { PostgresServer } from "../../postgres/server.ts";
import { ask, type Site } from "./servers.ts";
import type { Installed } from "./ways.ts";

export interface Backup {
  /** Whether it is made while servers run. */
  readonly isWithServers: boolean;
  make(): Promise<unknown>;
  /** Puts the database back as it was; no server runs. */
  restore(): Promise<unknown>;
}

interface Order {
  readonly site: Site;
  /** The version that makes and restores it. */
  readonly older: Installed;
  readonly postgres: PostgresServer | undefined;
}

/** `plaza backup create` while servers run, and `plaza backup restore` of the older version. */
export function fileBackup({ site, older }: Order): Backup {
  const folder = join(site.place.seen, "backups");
  return {
    isWithServers: true,
    make: () => ask(site, older, "backup", "create", folder),
    async restore() {
      const [name = "", ...others] = readdirSync(join(site.place.data, "backups"));
      assert.deepEqual(others, []);
      await ask(site, older, "backup", "restore", join(folder, name), "--force");
    },
  };
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1);

/**
 * A copy by PostgreSQL, for which no server may run; pg_dump would do it beside them, but is not among the
 * programs that tests have.
 */
export function copyOfServer({ site, postgres }: Order): Backup {
  const name = nameOf(site.database ?? "");
  const copy = `${name}_backup`;
  return {
    isWithServers: false,
    make: async () => postgres?.query(`create database "${copy}" template "${name}"`),
    async restore() {
      await postgres?.query(`drop database "${name}"`);
      await postgres?.query(`create database "${name}" template "${copy}"`);
    },
  };
}
