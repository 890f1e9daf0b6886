/**
 * Starts Plaza as a user does: the command, a data folder, a catalog file, an account and a key without
 * limits. Uses only its command line and its output.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Child, hasEnded, outputTail, startChild, stopChild, waitForOutput } from "./child.ts";
import type { Gateway } from "./gateway.ts";

const startTimeoutMs = 20_000;
const commandTimeoutMs = 20_000;

/** A build of Plaza and its data. */
export interface PlazaFiles {
  /** Path of `plaza.mjs`. */
  readonly script: string;
  readonly dataDir: string;
  readonly catalogFile: string;
  /** Settings by the names of their environment variables. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

export interface RunningPlaza {
  readonly child: Child;
  readonly port: number;
  /** From spawn to the first 200 of /readyz, milliseconds. */
  readonly readyMs: number;
  /** The key printed by the first start; undefined on later starts. */
  readonly printedKey: string | undefined;
}

/** So many wrong keys from one address would be told to wait, otherwise. */
const benchSettings = { PLAZA_REFUSED_CALLS_PER_MINUTE: "10000000" };

/** The environment without settings that would change the measurement, and those of the run. */
function plainEnvironment(files: PlazaFiles): NodeJS.ProcessEnv {
  const plain = Object.entries(process.env).filter(([name]) => !/^(PLAZA_|NODE_|npm_)/i.test(name));
  return { ...Object.fromEntries(plain), ...benchSettings, ...files.settings };
}

/**
 * Writes a catalog in which the upstream serves these models under the same names, with a realistic price.
 */
export function writeCatalog(file: string, upstreamPort: number, models: readonly string[]): void {
  const lines = models.flatMap((model) => [
    `  - id: ${model}`,
    `    name: Benchmark ${model}`,
    "    context: 400000",
    "    maxOutput: 128000",
    "    modalities: { input: [text], output: [text] }",
    '    price: { input: "0.25", cachedInput: "0.025", output: "2.00" }',
    "    deployments:",
    `      - { upstream: bench, model: ${model}, priority: 1, weight: 1 }`,
  ]);
  const text = `upstreams:
  - id: bench
    provider: openai
    baseUrl: http://127.0.0.1:${upstreamPort}/v1
    credentials: ["bench-credential"]
models:
${lines.join("\n")}
`;
  writeFileSync(file, text);
}

async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(1000) }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status === 200;
    },
    () => false,
  );
}

/** Starts `plaza serve` on a free port and waits until it is ready. */
export async function startPlaza(
  files: PlazaFiles,
  cores: readonly number[],
  nodeFlags: readonly string[] = [],
): Promise<RunningPlaza> {
  const args = [...nodeFlags, files.script, "serve", "--host", "127.0.0.1", "--port", "0"];
  args.push("--data", files.dataDir, "--catalog", files.catalogFile);
  const startedAt = performance.now();
  const child = startChild("plaza", process.execPath, args, { cores, env: plainEnvironment(files) });
  try {
    const line = await waitForOutput(child, "stdout", /base_url\s+http:\/\/[^\s:]+:(\d+)/, startTimeoutMs);
    const port = Number(line[1]);
    while (!(await isReady(port))) {
      if (hasEnded(child) || performance.now() - startedAt > startTimeoutMs) {
        throw new Error(`plaza did not become ready:\n${outputTail(child)}`);
      }
      await sleep(5);
    }
    const readyMs = performance.now() - startedAt;
    return { child, port, readyMs, printedKey: /sk-plaza-\w+/.exec(child.stdout)?.[0] };
  } catch (error) {
    await stopChild(child);
    throw error;
  }
}

/**
 * Runs another Plaza command on the same data; returns its JSON output, or undefined with the reason of the
 * failure.
 */
export function plazaCommand(files: PlazaFiles, args: readonly string[]): { json?: unknown; reason: string } {
  const result = spawnSync(process.execPath, [files.script, ...args, "--data", files.dataDir, "--json"], {
    encoding: "utf8",
    timeout: commandTimeoutMs,
    env: plainEnvironment(files),
  });
  try {
    if (result.status === 0) return { json: JSON.parse(result.stdout), reason: "" };
  } catch {
    // Continue: the output is the reason.
  }
  return { reason: `${result.stdout}\n${result.stderr}`.trim().slice(0, 500) };
}

function textField(json: unknown, field: string): string | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  const value = Object.entries(json).find(([name]) => name === field)?.[1];
  return typeof value === "string" ? value : undefined;
}

/**
 * Creates an account with balance for the longest run and a key without limits; undefined with the reason of
 * a failure.
 */
export function createKey(files: PlazaFiles): { key?: string; reason: string } {
  const account = plazaCommand(files, ["account", "create", "bench", "--balance", "1000000.00"]);
  const accountId = textField(account.json, "id");
  if (accountId === undefined) return { reason: account.reason };
  const created = plazaCommand(files, ["key", "create", "--account", accountId, "--name", "bench"]);
  const key = textField(created.json, "key");
  return key === undefined ? { reason: created.reason } : { key, reason: "" };
}

export function plazaGateway(name: Gateway["name"], running: RunningPlaza, key: string): Gateway {
  return {
    name,
    pid: running.child.pid,
    port: running.port,
    jsonPath: "/v1/chat/completions",
    streamPath: "/v1/chat/completions",
    key,
    stop: () => stopChild(running.child),
  };
}
