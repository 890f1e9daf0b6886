/**
 * Runs a client program once, as on a new machine: an empty home, an empty folder to work in, no way out to
 * the internet, no terminal. Whatever it leaves running is found, named and ended.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { eventually } from "../rigs/harness/measure/clock.ts";
import { nodeBinary } from "../rigs/harness/processes/processes.ts";

export interface Errand {
  /** The executable and its words. */
  readonly command: readonly string[];
  /** Run before it in the same place; must end with 0. */
  readonly setup?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Files below the home folder, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Called with the folder it will work in, before it starts. */
  readonly begin?: (folder: string) => void;
  /** It is ended after this time. */
  readonly msMax?: number;
}

export interface Outcome {
  /** Its exit code; null when it was ended. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
  /** Files in its folder, by path, as text. */
  readonly files: Readonly<Record<string, string>>;
  /** Hosts outside it tried to reach, as far as it goes through a proxy. */
  readonly hosts: readonly string[];
  /** Processes it left running, as their command lines; they were ended. */
  readonly left: readonly string[];
}

const msMaxDefault = 60_000;
/** What a program started ends by itself in this time, or is left running. */
const leavingMsMax = 3_000;
/** In the environment of the program and of all it starts, by which they are found. */
const markName = "PLAZA_CLIENT_RUN";

/** Runs it to its end. */
export async function runErrand(errand: Errand): Promise<Outcome> {
  const root = mkdtempSync(join(tmpdir(), "plaza-client-"));
  const [home, folder] = [join(root, "home"), join(root, "work")];
  const outside = await startOutside();
  try {
    for (const path of [home, folder, join(root, "tmp")]) mkdirSync(path);
    for (const [path, text] of Object.entries(errand.files ?? {})) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
    }
    errand.begin?.(folder);
    const env = {
      PATH: `${dirname(nodeBinary)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: home,
      TMPDIR: join(root, "tmp"),
      LANG: "C.UTF-8",
      TERM: "dumb",
      CI: "1",
      HTTP_PROXY: outside.url,
      HTTPS_PROXY: outside.url,
      NO_PROXY: "127.0.0.1,localhost",
      [markName]: root,
      ...errand.env,
    };
    const msMax = errand.msMax ?? msMaxDefault;
    if (errand.setup !== undefined) {
      const set = await runToEnd(errand.setup, folder, env, msMax);
      if (set.code !== 0) throw new Error(`${errand.setup.join(" ")}: ${set.stdout}${set.stderr}`);
    }
    const ended = await runToEnd(errand.command, folder, env, msMax);
    // What it started may be on its way out.
    await eventually(() => marked(root).length === 0, leavingMsMax, 50);
    const left = endMarked(root);
    return { ...ended, files: filesIn(folder), hosts: outside.hosts(), left };
  } finally {
    endMarked(root);
    outside.stop();
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

type Ended = Pick<Outcome, "code" | "stdout" | "stderr" | "ms">;

function runToEnd(
  command: readonly string[],
  cwd: string,
  env: Record<string, string>,
  msMax: number,
): Promise<Ended> {
  const [file = "", ...args] = command;
  const started = performance.now();
  const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const parts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      parts[name] += text;
    });
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => child.kill("SIGKILL"), msMax);
    child.once("error", (error) => {
      clearTimeout(limit);
      reject(error);
    });
    child.once("exit", (code) => {
      clearTimeout(limit);
      // What it left running may hold its output open.
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        resolve({ code, ...parts, ms: performance.now() - started });
      }, 50);
    });
  });
}

/** The processes with this mark: their ids. Sees them on Linux only. */
function marked(mark: string): number[] {
  if (process.platform !== "linux") return [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => textOf(`/proc/${pid}/environ`).includes(`${markName}=${mark}\0`));
}

/** Ends them and tells their command lines. */
function endMarked(mark: string): string[] {
  return marked(mark).map((pid) => {
    const words = textOf(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended meanwhile.
    }
    return words;
  });
}

/** "" for a process that ended meanwhile, or is somebody else's. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return Object.fromEntries(
    names.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(folder.length + 1), readFileSync(path, "utf8")];
    }),
  );
}

interface Outside {
  readonly url: string;
  hosts(): string[];
  stop(): void;
}

/** A proxy that lets nobody out and remembers who was asked for. */
async function startOutside(): Promise<Outside> {
  const hosts = new Set<string>();
  const server = createServer((request, response) => {
    hosts.add(new URL(request.url ?? "/", "http://unnamed").host);
    response.writeHead(403).end();
  });
  server.on("connect", (request, socket) => {
    hosts.add(request.url ?? "");
    socket.on("error", () => {});
    socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hosts: () => [...hosts].toSorted(),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
