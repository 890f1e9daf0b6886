/**
 * The product as users run it: `plaza serve` as a process with a data folder and a catalog file, and the
 * `plaza` command. Shared by behaviour and SDK tests; uses no internal code but the command's.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent as SecureAgent } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { runPlaza } from "../../../server/src/cli/testing/run-plaza.ts";
import { get } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import {
  nodeBinary,
  type Running,
  rootFolder,
  startProcess,
} from "../../rigs/harness/processes/processes.ts";
import type { CatalogFile } from "./catalogs.ts";

/**
 * Products without `stop`. A failed test may leave one running, and its pipes would keep the test process
 * alive.
 */
const started = new Set<Running>();
after(async () => {
  await Promise.all([...started].map((running) => running.stop("SIGKILL")));
});

const plazaScript = `${rootFolder}server/bin/plaza.mjs`;

export interface ProductOptions {
  /** Written to `plaza.yaml` and passed as `--catalog`; absent = the product's initial catalog. */
  readonly catalog?: CatalogFile | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Further arguments of `plaza serve`. */
  readonly serve?: readonly string[] | undefined;
  /** Data folder; by default a new one, removed at `stop`. */
  readonly folder?: string | undefined;
}

/** One request in `plaza requests --json`; units as in the store (milliseconds, tokens). */
export interface RequestShown {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly modelId: string | null;
  readonly upstreamId: string | null;
  readonly upstreamModel: string | null;
  readonly operation: string;
  readonly isStream: boolean;
  readonly status: number;
  readonly state: string;
  readonly errorCode: string | null;
  readonly attempts: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly usageSource: string;
  /** USD, decimal. */
  readonly charge: string;
  readonly firstTokenMs: number | null;
  readonly durationMs: number;
}

export interface NewKey {
  readonly id: string;
  readonly key: string;
}

export interface Product {
  readonly pid: number;
  readonly port: number;
  /** `http://127.0.0.1:PORT`, with `https` when it was started with a certificate. */
  readonly origin: string;
  /** Base URL for SDKs: the origin with `/v1`. */
  readonly baseUrl: string;
  readonly chatUrl: string;
  readonly folder: string;
  readonly catalogFile: string;
  readonly running: Running;
  /** The key printed at the first start; empty on later starts. */
  readonly firstKey: string;
  /**
   * Runs a `plaza` subcommand on the same data folder; resolves with its
   * stdout, rejects unless it exits with 0.
   */
  command(args: readonly string[]): Promise<string>;
  /** The same with `--json`, parsed. */
  json(args: readonly string[]): Promise<unknown>;
  createAccount(): Promise<string>;
  createKey(accountId: string, more?: readonly string[]): Promise<NewKey>;
  /** The newest rows, newest first. */
  requests(limit?: number): Promise<RequestShown[]>;
  /** The row with this id; waits up to five seconds for it. */
  request(id: string): Promise<RequestShown>;
  writeCatalog(catalog: CatalogFile | string): void;
  logs(): string;
  /**
   * Sends the signal, waits for the exit, and removes the folder if it was created here. Resolves with the
   * exit code.
   */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Creates a folder below the system's temporary one. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "plaza-test-"));
}

/** Runs a `plaza` subcommand on a data folder; resolves with its stdout, rejects unless it exits with 0. */
async function plazaCommand(
  args: readonly string[],
  folder: string,
  env: Record<string, string> = {},
): Promise<string> {
  const { status, out, err } = await runPlaza([...args, "--data", folder], {
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${err}${out}`);
  return out;
}

/** The same with `--json`, parsed. */
export async function plazaJson(
  args: readonly string[],
  folder: string,
  env: Record<string, string> = {},
): Promise<unknown> {
  return JSON.parse(await plazaCommand([...args, "--json"], folder, env));
}

/** True when the product at this origin is ready. */
export async function isReady(origin: string): Promise<boolean> {
  const agent = origin.startsWith("https:") ? new SecureAgent({ rejectUnauthorized: false }) : false;
  return (await get(`${origin}/readyz`, {}, agent).catch(() => ({ status: 0 }))).status === 200;
}

/** Starts the product on a free port and waits until it is ready. */
export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  const folder = options.folder ?? temporaryFolder();
  const catalogFile = join(folder, "plaza.yaml");
  if (options.catalog !== undefined) writeFileSync(catalogFile, JSON.stringify(options.catalog));
  const catalogWords = options.catalog === undefined ? [] : ["--catalog", catalogFile];
  const words = ["--host", "127.0.0.1", "--port", "0", "--data", folder, ...catalogWords];
  // Tests do not need the time that load balancers need, unless they set it.
  const env = { PLAZA_LAME_DUCK_MS: "0", ...options.env };
  const running = startProcess(nodeBinary, [plazaScript, "serve", ...words, ...(options.serve ?? [])], env);
  started.add(running);
  try {
    const [, origin = ""] = await running.waitFor(/base_url\s+(https?:\/\/127\.0\.0\.1:\d+)\/v1/, 60_000);
    if (!(await eventually(() => isReady(origin), 60_000))) throw new Error("the product never became ready");
    await eventually(() => /\n\n$/.test(running.stdout()), 1_000, 5);
    return productAt({
      origin,
      folder,
      catalogFile,
      running,
      env,
      isOwnFolder: options.folder === undefined,
    });
  } catch (error) {
    await running.stop("SIGKILL");
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    throw new Error(`${(error as Error).message}\nstdout: ${running.stdout()}\nstderr: ${running.stderr()}`);
  }
}

interface ProductParts {
  readonly origin: string;
  readonly folder: string;
  readonly catalogFile: string;
  readonly running: Running;
  readonly env: Record<string, string>;
  readonly isOwnFolder: boolean;
}

function productAt({ origin, folder, catalogFile, running, env, isOwnFolder }: ProductParts): Product {
  const command = (args: readonly string[]): Promise<string> => plazaCommand(args, folder, env);
  const json = (args: readonly string[]): Promise<unknown> => plazaJson(args, folder, env);
  const requests = async (limit = 100): Promise<RequestShown[]> =>
    rowsIn(await json(["requests", "--limit", String(limit)]));
  return {
    pid: running.pid,
    port: Number(new URL(origin).port),
    origin,
    baseUrl: `${origin}/v1`,
    chatUrl: `${origin}/v1/chat/completions`,
    folder,
    catalogFile,
    running,
    firstKey: /API key\s+(sk-plaza-\S+)/.exec(running.stdout())?.[1] ?? "",
    command,
    json,
    requests,
    async createAccount() {
      const made = (await json(["account", "create", "tests", "--balance", "100.00"])) as { id: string };
      return made.id;
    },
    async createKey(accountId, more = []) {
      return (await json(["key", "create", "--account", accountId, ...more])) as NewKey;
    },
    async request(id) {
      let found: RequestShown | undefined;
      await eventually(async () => {
        found = (await requests()).find((row) => row.id === id);
        return found !== undefined;
      }, 5_000);
      if (found === undefined) throw new Error(`no row for request ${id}`);
      return found;
    },
    writeCatalog: (catalog) =>
      writeFileSync(catalogFile, typeof catalog === "string" ? catalog : JSON.stringify(catalog)),
    logs: () => running.stdout() + running.stderr(),
    async stop(signal = "SIGTERM") {
      const code = await running.stop(signal, 10_000);
      started.delete(running);
      if (isOwnFolder) rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}

/** The list in the output of `plaza requests --json`. */
function rowsIn(output: unknown): RequestShown[] {
  if (!Array.isArray(output))
    throw new Error(`plaza requests --json printed no list: ${JSON.stringify(output).slice(0, 200)}`);
  return output as RequestShown[];
}
