/** The machine of a run: its facts for the report, the required tools, and the assignment of cores. */
import { execFileSync, spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { allowedCores } from "../measure/process-stat.ts";

/** Paths of the programs a run starts besides Plaza. */
export interface Tools {
  readonly nginx: string;
  readonly wrk: string;
}

/** `gateway`: for the measured process. `load`: for upstream and clients. Empty = not pinned. */
export interface Cores {
  readonly gateway: readonly number[];
  readonly load: readonly number[];
  /** All cores; for figures that are not per CPU. */
  readonly all: readonly number[];
}

/** Debian installs nginx in a folder that is not in the PATH of ordinary users. */
const extraFolders = ["/usr/sbin", "/usr/local/sbin", "/sbin"];
const installTimeoutMs = 300_000;

function findProgram(name: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...extraFolders];
  return folders
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

function install(names: readonly string[]): void {
  console.log(
    `Installing ${names.join(" and ")} with apt-get, because the benchmark needs them (--no-install forbids it).`,
  );
  // Runlevel 1 keeps Debian from starting nginx as a service: the benchmark starts its own.
  const env = { ...process.env, RUNLEVEL: "1", DEBIAN_FRONTEND: "noninteractive" };
  const options = {
    stdio: ["ignore", "ignore", "inherit"] as ["ignore", "ignore", "inherit"],
    timeout: installTimeoutMs,
    env,
  };
  spawnSync("apt-get", ["update"], options);
  spawnSync("apt-get", ["install", "-y", "--no-install-recommends", ...names], options);
}

/** Finds nginx and wrk, installing them where possible and allowed. Otherwise throws with instructions. */
export function requireTools(mayInstall: boolean): Tools {
  if (process.platform !== "linux") throw new Error("the benchmark reads /proc and runs on Linux only");
  const missing = () => ["nginx", "wrk"].filter((name) => findProgram(name) === undefined);
  if (
    missing().length > 0 &&
    mayInstall &&
    process.getuid?.() === 0 &&
    findProgram("apt-get") !== undefined
  ) {
    install(missing());
  }
  const nginx = findProgram("nginx");
  const wrk = findProgram("wrk");
  if (nginx === undefined || wrk === undefined) {
    throw new Error(`${missing().join(" and ")} missing; as root: apt-get install ${missing().join(" ")}`);
  }
  return { nginx, wrk };
}

/**
 * Assigns the first core to the gateway and the second to the load. Moves this process, with all threads, to
 * the second.
 */
export function claimCores(): Cores {
  const all = allowedCores();
  const [gateway, load] = all;
  if (gateway === undefined || load === undefined || findProgram("taskset") === undefined) {
    console.log("Fewer than two cores, or no taskset: nothing is pinned, figures will be rough.");
    return { gateway: [], load: [], all: [] };
  }
  execFileSync("taskset", ["-a", "-c", "-p", String(load), String(process.pid)], { stdio: "ignore" });
  return { gateway: [gateway], load: [load], all };
}

function firstLine(command: string, args: readonly string[]): string {
  const result = spawnSync(command, args, { encoding: "utf8", timeout: 10_000 });
  return `${result.stdout ?? ""}${result.stderr ?? ""}`.split("\n")[0]?.trim() ?? "";
}

/**
 * The build that a `plaza.mjs` starts: its folder, and in a checkout its commit; `+` = with uncommitted
 * changes.
 */
export function buildFacts(script: string): string {
  const root = resolve(script, "..", "..", "..");
  const commit = firstLine("git", ["-C", root, "describe", "--always", "--dirty=+", "--exclude=*"]);
  return `${/^[0-9a-f]+\+?$/.test(commit) ? commit : "no commit"} in ${root}`;
}

/** Facts needed to interpret the figures, as name and value. */
export function machineFacts(tools: Tools): Record<string, string> {
  const cores = cpus();
  return {
    date: new Date().toISOString(),
    cores: `${allowedCores().length} x ${cores[0]?.model ?? "unknown"}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    kernel: release(),
    node: process.version,
    nginx: firstLine(tools.nginx, ["-v"]).replace(/^nginx version: /, ""),
    wrk: firstLine(tools.wrk, ["-v"]).replace(/ Copyright.*$/, ""),
  };
}
