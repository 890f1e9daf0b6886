/**
 * A PostgreSQL primary with a streaming replica, each on a host of its own, and the database's address on the
 * primary's: what an operator's failover software does, done by hand.
 */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { appendFileSync, chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { type Binaries, findBinaries, runAs } from "../../postgres/binaries.ts";
import { eventually } from "../harness/measure/clock.ts";
import type { Running } from "../harness/processes/processes.ts";
import { databaseAddress, type Host } from "./network.ts";

const port = 5432;
const superuser = "postgres";
const database = "plaza";
const readyMs = 30_000;

/** As in postgresql.conf. */
const settings = {
  listen_addresses: "*",
  unix_socket_directories: "",
  max_connections: "100",
  wal_keep_size: "256MB",
  // The replica asks for its primary again after a partition of seconds, not a minute.
  wal_receiver_timeout: "5s",
  wal_sender_timeout: "5s",
  wal_retrieve_retry_interval: "500ms",
  lc_messages: "C",
} as const;

/** Whether a commit waits for the replica. */
export type Replication = "synchronous" | "asynchronous";

export interface DatabasePair {
  /** By the address that moves. */
  readonly url: string;
  primary(): Host;
  replica(): Host;
  /** Runs a statement on the primary, by its host's own address. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Takes effect at once, for running sessions, too. */
  setReplication(replication: Replication): Promise<void>;
  /** Makes the replica the primary and gives it the address. The old primary must be dark. */
  failOver(): Promise<void>;
  /** Makes a new replica on the host that has none, from a copy of the primary. */
  rebuildReplica(): Promise<void>;
  /** Bytes that the replica has not written yet; 0 = all. */
  behindBytes(): Promise<number>;
}

interface Server {
  readonly host: Host;
  readonly folder: string;
  running: Running | undefined;
}

export async function startPair(hosts: readonly [Host, Host], folder: string): Promise<DatabasePair> {
  const as = runAs();
  const root = join(folder, "postgres");
  mkdirSync(root);
  // The folders above must be passable for the user that the servers run as.
  chmodSync(folder, 0o755);
  const owned = (path: string): void => {
    if (as !== undefined) execFileSync("chown", ["-R", `${as.uid}:${as.gid}`, path]);
  };
  owned(root);
  const binaries: Binaries = findBinaries(root, as);
  const password = randomBytes(12).toString("hex");
  const urlOf = (address: string, name: string) => `postgres://${superuser}:${password}@${address}/${name}`;
  const servers = hosts.map((host): Server => ({ host, folder: join(root, host.name), running: undefined }));
  let [primary, replica] = servers as [Server, Server];

  async function query(sql: string, name = "postgres"): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: urlOf(primary.host.address, name) });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  async function start(server: Server): Promise<void> {
    const words = Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
    const command = [binaries.postgres, "-D", server.folder, "-p", String(port), ...words];
    const running = server.host.start(command, { as, env: { LC_ALL: "C" } });
    server.running = running;
    const isReady = () => running.stderr().includes("ready to accept");
    if (!(await eventually(isReady, readyMs))) throw new Error(`PostgreSQL: ${running.stderr()}`);
  }

  function initialise(): void {
    const passwordFile = join(root, "password");
    writeFileSync(passwordFile, password);
    owned(passwordFile);
    const words = [`--pgdata=${primary.folder}`, `--username=${superuser}`, `--pwfile=${passwordFile}`];
    const kind = ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--set=scram_iterations=1"];
    execFileSync(binaries.initdb, [...words, ...kind], { cwd: root, stdio: "ignore", ...as });
    const allowed = ["all", "replication"].map((what) => `host ${what} all 198.18.0.0/24 scram-sha-256\n`);
    appendFileSync(join(primary.folder, "pg_hba.conf"), allowed.join(""));
  }

  /**
   * A base backup as the manual describes it, by its functions: the packaged programs have no pg_basebackup.
   */
  async function rebuildReplica(): Promise<void> {
    const client = new pg.Client({ connectionString: urlOf(primary.host.address, "postgres") });
    await client.connect();
    rmSync(replica.folder, { recursive: true, force: true });
    await client.query("select pg_backup_start('replica', true)");
    const isKept = (path: string) => !/postmaster\.(pid|opts)$|pg_replslot\/.|pg_stat_tmp\/./.test(path);
    cpSync(primary.folder, replica.folder, { recursive: true, filter: isKept });
    const { rows } = await client.query<{ labelfile: string }>("select * from pg_backup_stop()");
    await client.end();
    writeFileSync(join(replica.folder, "backup_label"), rows[0]?.labelfile ?? "");
    writeFileSync(join(replica.folder, "standby.signal"), "");
    const from = `host=${primary.host.address} port=${port} user=${superuser} password=${password}`;
    const conninfo = `primary_conninfo = '${from} application_name=replica'\n`;
    appendFileSync(join(replica.folder, "postgresql.auto.conf"), conninfo);
    chmodSync(replica.folder, 0o700);
    owned(replica.folder);
    await start(replica);
    const isStreaming = async () =>
      (await query("select 1 from pg_stat_replication where state = 'streaming'")).length > 0;
    if (!(await eventually(isStreaming, readyMs))) throw new Error(replica.running?.stderr());
  }

  async function setReplication(replication: Replication): Promise<void> {
    const names = replication === "synchronous" ? "replica" : "";
    await query(`alter system set synchronous_standby_names = '${names}'`);
    await query("select pg_reload_conf()");
  }

  initialise();
  await start(primary);
  await query(`create database ${database}`);
  await primary.host.takeDatabaseAddress();
  await rebuildReplica();
  return {
    url: urlOf(databaseAddress, database),
    primary: () => primary.host,
    replica: () => replica.host,
    query,
    setReplication,
    async failOver() {
      [primary, replica] = [replica, primary];
      await query("select pg_promote()");
      // It has no replica yet: commits that wait for one would wait for ever.
      await setReplication("asynchronous");
      await primary.host.takeDatabaseAddress();
    },
    rebuildReplica,
    async behindBytes() {
      const behind = "pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)::int as behind";
      const [row] = await query(`select ${behind} from pg_stat_replication`);
      return row === undefined ? Number.POSITIVE_INFINITY : Number(row["behind"]);
    },
  };
}
