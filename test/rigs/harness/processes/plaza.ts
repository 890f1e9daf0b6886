/**
 * Starts and stops Plaza as users do: the `plaza` command, a data folder, a catalog file. Rigs use the
 * product through its public interfaces only.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { catalogText, type RigCatalog } from "../catalog.ts";
import { get } from "../http-client.ts";
import { eventually } from "../measure/clock.ts";
import { nodeBinary, type Running, rootFolder, runProcess, startProcess } from "./processes.ts";

export interface PlazaOptions {
  readonly catalog: RigCatalog;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly workers?: number | undefined;
  /** Data folder; by default a new one, removed at `stop`. */
  readonly folder?: string | undefined;
  /** `sqlite:FILE` or `postgres://…`; default a SQLite file in the data folder. */
  readonly database?: string | undefined;
  /** Chooses the routes of calls (`routeFor`); default 0. */
  readonly seed?: number | undefined;
  /** Creates no account and no key: `key` is empty. */
  readonly isBare?: boolean | undefined;
  /** The `plaza` command of another build; by default `plazaScript`. */
  readonly script?: string | undefined;
  /** Further arguments of `plaza serve`. */
  readonly serve?: readonly string[] | undefined;
  /** How long it may take to serve, in milliseconds; 20 s unless told. */
  readonly startMs?: number | undefined;
}

/** Settings that an older build, selected with `RIG_PLAZA`, may not support; it gets none of them. */
export const newSettings = (env: Record<string, string>): Record<string, string> =>
  process.env["RIG_PLAZA"] === undefined ? env : {};

/** Only rigs about deploys need the time in which a load balancer notices a stop. */
const noLameDuck = newSettings({ PLAZA_LAME_DUCK_MS: "0" });

export interface Plaza {
  readonly pid: number;
  readonly port: number;
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly chatUrl: string;
  readonly seed: number;
  readonly folder: string;
  /** A key with a large balance and no custom limits. */
  readonly key: string;
  readonly running: Running;
  /** Runs a `plaza` subcommand on the same data folder; resolves with its parsed `--json` output. */
  cli(args: readonly string[]): Promise<Record<string, unknown>>;
  createKey(balanceUsd: string, more?: readonly string[]): Promise<string>;
  logs(): string;
  isServing(): Promise<boolean>;
  stop(): Promise<number | null>;
}

/** The `plaza` command; `RIG_PLAZA` selects another build. */
export const plazaScript = process.env["RIG_PLAZA"] ?? `${rootFolder}server/bin/plaza.mjs`;

/** Writes the file only if its content changes, because the processes that share it watch it. */
function writeCatalog(file: string, text: string): void {
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}

/** Creates a folder below the system's temporary one. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "plaza-rig-"));
}

/** Starts Plaza on an existing data folder: no catalog file, account or key is created. */
export async function startPlazaOn(
  folder: string,
): Promise<{ origin: string; stop(): Promise<number | null> }> {
  const words = ["serve", "--host", "127.0.0.1", "--port", "0", "--data", folder];
  const running = startProcess(nodeBinary, [plazaScript, ...words], { ...noLameDuck });
  const [, origin = ""] = await running.waitFor(/base_url\s+(http:\/\/127\.0\.0\.1:\d+)\/v1/, 20_000);
  return { origin, stop: () => running.stop() };
}

/** Starts Plaza, waits until it is ready, creates an account and a key. */
export async function startPlaza(options: PlazaOptions): Promise<Plaza> {
  const folder = options.folder ?? temporaryFolder();
  const script = options.script ?? plazaScript;
  const catalogFile = join(folder, "plaza.yaml");
  writeCatalog(catalogFile, catalogText(options.catalog));
  const data = [
    "--data",
    folder,
    ...(options.database === undefined ? [] : ["--database", options.database]),
  ];
  const workers = options.workers === undefined ? [] : ["--workers", String(options.workers)];
  const running = startProcess(
    nodeBinary,
    [
      script,
      "serve",
      "--host",
      "127.0.0.1",
      "--port",
      "0",
      ...data,
      "--catalog",
      catalogFile,
      ...workers,
      ...(options.serve ?? []),
    ],
    { ...noLameDuck, ...options.env },
  );
  const address = /base_url\s+(http:\/\/127\.0\.0\.1:\d+)\/v1/;
  const [, origin = ""] = await running.waitFor(address, options.startMs ?? 20_000);
  const isServing = async (): Promise<boolean> =>
    (await get(`${origin}/readyz`).catch(() => ({ status: 0 }))).status === 200;
  if (!(await eventually(isServing, 20_000))) {
    await running.stop();
    throw new Error(`Plaza never became ready.\nstdout: ${running.stdout()}\nstderr: ${running.stderr()}`);
  }
  const cli = async (args: readonly string[]): Promise<Record<string, unknown>> =>
    JSON.parse(await runProcess([script, ...args, ...data, "--json"], { ...options.env })) as Record<
      string,
      unknown
    >;
  const createKey = async (balanceUsd: string, more: readonly string[] = []): Promise<string> => {
    const account = await cli(["account", "create", `rig-${Date.now()}`, "--balance", balanceUsd]);
    const key = await cli(["key", "create", "--account", String(account["id"]), "--name", "rig", ...more]);
    return String(key["key"]);
  };
  return {
    pid: running.pid,
    port: Number(new URL(origin).port),
    origin,
    chatUrl: `${origin}/v1/chat/completions`,
    seed: options.seed ?? 0,
    folder,
    key: options.isBare === true ? "" : await createKey("1000000.00"),
    running,
    cli,
    createKey,
    logs: () => running.stdout() + running.stderr(),
    isServing,
    async stop() {
      const code = await running.stop();
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}
