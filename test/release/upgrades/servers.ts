/** Servers and commands of an installed release on one data folder and database, as an operator runs them. */
import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { get } from "../../rigs/harness/http-client.ts";
import { eventually, monotonicMs } from "../../rigs/harness/measure/clock.ts";
import { type Running, startProcess } from "../../rigs/harness/processes/processes.ts";
import type { Installed, Place } from "./ways.ts";

export interface Site {
  readonly place: Place;
  /** As `--database` takes it, or undefined: the file in the data folder. */
  readonly database: string | undefined;
}

export interface Server {
  readonly version: string;
  readonly port: number;
  /** From the start of the process to its first 200 at `/readyz`. */
  readonly readyMs: number;
  logs(): string;
  /** Sends SIGTERM and waits for the end. Throws when the status is not 0. */
  stop(): Promise<void>;
  /** Ends it at once, where it still runs. */
  kill(): Promise<void>;
}

interface Finished {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const readyMsMax = 120_000;
const stopMsMax = 60_000;
const catalogName = "plaza.yaml";

/**
 * Balancers notice a stop within the lame-duck time. Rig and servers share the cores, so that no server is to
 * call itself late.
 */
const settings = { PLAZA_LAME_DUCK_MS: "1500", PLAZA_LOOP_LAG_MAX_MS: "60s" };

/** Writes a file into the data folder, as its owner. */
export function writeCatalog({ data }: Place, text: string): void {
  const file = join(data, catalogName);
  writeFileSync(file, text);
  const { uid, gid } = statSync(data);
  chownSync(file, uid, gid);
}

function start({ place, database }: Site, installed: Installed, words: readonly string[]) {
  const where = ["--data", place.seen, ...(database === undefined ? [] : ["--database", database])];
  const command = installed.command(place, [...words, ...where], settings);
  const [file, ...rest] = command.words;
  const running = startProcess(file, rest, { ...command.env, ...settings });
  return { running, command };
}

const hasEnded = ({ child }: Running): boolean => child.exitCode !== null || child.signalCode !== null;

/** Starts a server. Resolves when it is ready, or with how it ended. */
export async function startServer(
  site: Site,
  installed: Installed,
  port: number,
): Promise<Server | Finished> {
  const startedMs = monotonicMs();
  const words = ["serve", "--host", "127.0.0.1", "--port", String(port)];
  const catalog = ["--catalog", join(site.place.seen, catalogName)];
  const { running, command } = start(site, installed, [...words, ...catalog]);
  const isReady = async () =>
    (await get(`http://127.0.0.1:${port}/readyz`).catch(() => ({ status: 0 }))).status === 200;
  const kill = async () => {
    if (!hasEnded(running)) signal("SIGKILL");
    if (!hasEnded(running)) running.child.kill("SIGKILL");
    await running.ended;
  };
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(command.target(running.pid), name);
    } catch {
      // It has ended, or has not begun.
    }
  };
  await eventually(async () => hasEnded(running) || (await isReady()), readyMsMax, 5);
  const readyMs = monotonicMs() - startedMs;
  if (hasEnded(running)) {
    const status = await running.ended;
    return { status, stdout: running.stdout(), stderr: running.stderr() };
  }
  if (!(await isReady())) {
    await kill();
    throw new Error(`${installed.version} was not ready in time: ${running.stderr()}`);
  }
  const name = `the server of ${installed.version}`;
  return {
    version: installed.version,
    port,
    readyMs,
    logs: () => running.stdout() + running.stderr(),
    async stop() {
      signal("SIGTERM");
      const timer = setTimeout(() => void kill(), stopMsMax);
      const status = await running.ended;
      clearTimeout(timer);
      if (status !== 0) throw new Error(`${name} ended with ${status}: ${running.stderr().slice(-2_000)}`);
    },
    kill,
  };
}

/** The same; throws when it ends instead. */
export async function serve(site: Site, installed: Installed, port: number): Promise<Server> {
  const server = await startServer(site, installed, port);
  if ("status" in server)
    throw new Error(
      `a server of ${installed.version} ended with ${server.status}: ${server.stderr.slice(-2_000)}${server.stdout.slice(-2_000)}`,
    );
  return server;
}

/** Runs a command to its end. */
async function runCommand(site: Site, installed: Installed, words: readonly string[]): Promise<Finished> {
  const { running } = start(site, installed, [...words, "--json"]);
  const status = await running.ended;
  return { status, stdout: running.stdout(), stderr: running.stderr() };
}

/** The same; returns what it printed as JSON, and throws unless it exits with 0. */
export async function ask(
  site: Site,
  installed: Installed,
  ...words: readonly string[]
): Promise<Record<string, unknown>> {
  const { status, stdout, stderr } = await runCommand(site, installed, words);
  if (status !== 0)
    throw new Error(`plaza ${words.join(" ")} of ${installed.version}: ${status}, ${stderr}${stdout}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}
