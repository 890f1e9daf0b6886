/**
 * A PostgreSQL server for a test: a new cluster in a temporary directory, on 127.0.0.1 and a free port. It
 * can be stopped, killed, paused and restarted, and never outlives the test (`guard.ts`).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chownSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { type Binaries, findBinaries, type RunAs, runAs } from "./binaries.ts";

/** The server's command-line settings; names as in postgresql.conf. */
const serverSettings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  lc_messages: "C",
} as const;

const superuser = "postgres";
const portAttempts = 5;
/**
 * How often a restart is retried while the system is still ending the killed server, and the pause before
 * each retry.
 */
const againAttempts = 50;
const againMs = 100;

export interface PostgresServer {
  readonly port: number;
  /** The main process; undefined while the server is down. */
  pid(): number | undefined;
  /** The superuser's URL. */
  url(database: string): string;
  /**
   * Runs statements as superuser, one by one, in `database` (default: the maintenance one); returns the rows
   * of the last.
   */
  query(sql: string, database?: string): Promise<Record<string, unknown>[]>;
  /** The URL of an empty database. */
  newDatabase(): Promise<string>;
  /**
   * Ends every session of a database and empties it for reuse, which is ten times faster than creating one.
   */
  freeDatabase(url: string): Promise<void>;
  /** Ends every session and stops, as an operator would. */
  stop(): Promise<void>;
  /** Sends SIGKILL to the server and all its sessions. */
  kill(): Promise<void>;
  /** Restarts it on the same port and data after `stop` or `kill`. Resolves when it accepts connections. */
  start(): Promise<void>;
  restart(): Promise<void>;
  /** SIGSTOP to the server and all its sessions (Linux only): connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
  /** Refuses or allows changes in all databases of this server, also for existing sessions. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
  /**
   * Enables TLS with this certificate, or disables it with `undefined`. Plain connections are always
   * accepted.
   */
  setTls(pem: { readonly certificate: string; readonly key: string } | undefined): Promise<void>;
  /** Stops the server and removes its directory. */
  close(): Promise<void>;
}

/** The environment without variables for other PostgreSQL servers. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name));
  return { ...Object.fromEntries(entries), LC_ALL: "C" };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

async function initialise(
  binaries: Binaries,
  directory: string,
  password: string,
  as: RunAs | undefined,
): Promise<void> {
  const passwordFile = join(directory, "password");
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (as !== undefined) chownSync(passwordFile, as.uid, as.gid);
  // The default collation intentionally differs from byte order: a query that needs byte order must specify
  // it.
  const words = [
    `--pgdata=${join(directory, "data")}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=icu",
    "--icu-locale=en-US",
    "--no-sync",
    // Logging in takes most of the time of a new connection; the password is random.
    "--set=scram_iterations=1",
  ];
  const child = spawn(binaries.initdb, words, {
    cwd: directory,
    env: cleanEnvironment(),
    stdio: ["ignore", "ignore", "pipe"],
    ...as,
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const [status] = await once(child, "close");
  if (status !== 0) throw new Error(`initdb failed (${status}): ${errors}`);
}

/** Ids of a process's children, from the process table. */
function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        // The name in brackets may contain any characters; what follows it does not.
        return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent;
      } catch {
        return false;
      }
    });
}

function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has exited in the meantime.
    }
  }
}

/** Keeps the process and its pipe from keeping this process running. */
function letGo(child: ChildProcess, pipe: unknown): void {
  child.unref();
  (pipe as Socket).unref();
}

class PortTaken extends Error {}

/** Starts the main process and waits until it accepts connections. */
async function startProcess(options: {
  binaries: Binaries;
  directory: string;
  port: number;
  as: RunAs | undefined;
  isSynced: boolean;
}): Promise<ChildProcess> {
  const { binaries, directory, port, as, isSynced } = options;
  const all = { ...serverSettings, fsync: isSynced ? "on" : "off" };
  const settings = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = spawn(binaries.postgres, ["-D", join(directory, "data"), "-p", String(port), ...settings], {
    cwd: directory,
    env: cleanEnvironment(),
    stdio: ["ignore", "ignore", "pipe"],
    // Keeps a terminal's Ctrl-C from stopping it before the tests.
    detached: true,
    ...as,
  });
  let text = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (part: string) => {
      if (text.length < 100_000) text += part;
      if (text.includes("ready to accept connections")) resolve();
    });
    child.once("error", reject);
    child.once("close", () => {
      reject(
        /address already in use/i.test(text) ? new PortTaken(text) : new Error(`PostgreSQL ended: ${text}`),
      );
    });
  });
  letGo(child, child.stderr);
  return child;
}

async function startAnywhere(options: Omit<Parameters<typeof startProcess>[0], "port">) {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      return { port, child: await startProcess({ ...options, port }) };
    } catch (error) {
      if (!(error instanceof PortTaken) || attempt === portAttempts) throw error;
    }
  }
}

/**
 * Starts the server of a directory whose server was killed. While the system is still ending the old
 * processes, which hold its shared memory, the new one refuses to start; then it is retried.
 */
async function startAgain(options: Parameters<typeof startProcess>[0]): Promise<ChildProcess> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startProcess(options);
    } catch (error) {
      const isHeld = error instanceof Error && error.message.includes("pre-existing shared memory block");
      if (!isHeld || attempt === againAttempts) throw error;
      await setTimeout(againMs);
    }
  }
}

export interface PostgresOptions {
  /**
   * False: commits do not wait for the disk, which a power cut would show and a killed server does not.
   * Default: true.
   */
  readonly isSynced?: boolean;
}

/** Starts a server: about a second, most of it for the new cluster. */
export async function startPostgres({ isSynced = true }: PostgresOptions = {}): Promise<PostgresServer> {
  const as = runAs();
  const directory = mkdtempSync(join(tmpdir(), "plaza-postgres-"));
  const guard = spawn(process.execPath, [fileURLToPath(new URL("./guard.ts", import.meta.url)), directory], {
    stdio: ["pipe", "ignore", "inherit"],
    detached: true,
  });
  letGo(guard, guard.stdin);
  if (as !== undefined) chownSync(directory, as.uid, as.gid);
  const binaries = findBinaries(directory, as);
  const password = randomBytes(12).toString("hex");
  await initialise(binaries, directory, password, as);
  const started = await startAnywhere({ binaries, directory, as, isSynced });
  const { port } = started;
  let child: ChildProcess | undefined = started.child;
  let databases = 0;
  const free: string[] = [];

  const url = (database: string) => `postgres://${superuser}:${password}@127.0.0.1:${port}/${database}`;

  async function query(sql: string, database = "postgres"): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url(database) });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  async function end(signal: (running: ChildProcess) => void): Promise<void> {
    const running = child;
    if (running === undefined) return;
    const ended = once(running, "exit");
    signal(running);
    await ended;
    child = undefined;
  }

  /** The main process first, so that it cannot restart the others. */
  function family(): number[] {
    const pid = child?.pid;
    return pid === undefined ? [] : [pid, ...childrenOf(pid)];
  }

  const server: PostgresServer = {
    port,
    pid: () => child?.pid,
    url,
    query,
    async newDatabase() {
      const empty = free.pop();
      if (empty !== undefined) return empty;
      const name = `test_${++databases}`;
      await query(`create database ${name}`);
      return url(name);
    },
    async freeDatabase(database) {
      const name = new URL(database).pathname.slice(1);
      await query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`);
      await query(
        "drop schema public cascade; create schema public; grant usage on schema public to public",
        name,
      );
      free.push(database);
    },
    stop: () => end((running) => running.kill("SIGINT")),
    async kill() {
      const pids = family();
      await end(() => signalAll(pids, "SIGKILL"));
    },
    async start() {
      child ??= await startAgain({ binaries, directory, port, as, isSynced });
    },
    async restart() {
      await server.stop();
      await server.start();
    },
    pause() {
      const [pid] = family();
      if (pid === undefined) return;
      signalAll([pid], "SIGSTOP");
      signalAll(childrenOf(pid), "SIGSTOP");
    },
    resume: () => signalAll(family(), "SIGCONT"),
    async setReadOnly(isReadOnly) {
      await query(`alter system set default_transaction_read_only = ${isReadOnly ? "on" : "off"}`);
      await query("select pg_reload_conf()");
    },
    async setTls(pem) {
      if (pem !== undefined) {
        for (const [name, text] of [
          ["server.crt", pem.certificate],
          ["server.key", pem.key],
        ] as const) {
          const file = join(directory, "data", name);
          writeFileSync(file, text, { mode: 0o600 });
          if (as !== undefined) chownSync(file, as.uid, as.gid);
        }
      }
      await query(`alter system set ssl = ${pem === undefined ? "off" : "on"}`);
      await query("select pg_reload_conf()");
    },
    async close() {
      const gone = once(guard, "exit");
      guard.ref();
      guard.stdin.end();
      await gone;
      child = undefined;
    },
  };
  return server;
}
