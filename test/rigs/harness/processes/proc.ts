/** Reads memory, descriptors and CPU time of a process and its children from /proc. Linux only. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

function readOr(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function kilobytes(text: string, field: string): number {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(text);
  return match === null ? 0 : Number(match[1]) * 1024;
}

/** The process and all its running descendants. */
export function processTree(pid: number): number[] {
  const parents = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const fields = readOr(`/proc/${name}/stat`)
      .replace(/^.*\) /s, "")
      .split(" ");
    const parent = Number(fields[1]);
    parents.set(parent, [...(parents.get(parent) ?? []), Number(name)]);
  }
  const found = [pid];
  for (let index = 0; index < found.length; index++) found.push(...(parents.get(found[index] ?? -1) ?? []));
  return found;
}

/** Processes with `word` on their command line whose parent has exited. */
export function orphansOf(word: string): number[] {
  return processTree(1).filter((pid) => {
    const parent = readOr(`/proc/${pid}/stat`)
      .replace(/^.*\) /s, "")
      .split(" ")[1];
    return parent === "1" && readOr(`/proc/${pid}/cmdline`).includes(word);
  });
}

/** A process's id and command line. */
export function describeProcess(pid: number): string {
  return `${pid} ${readOr(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim()}`;
}

/** Resident bytes of the tree (shared pages counted once per process). */
export function residentBytes(pid: number): number {
  return processTree(pid).reduce((sum, one) => sum + kilobytes(readOr(`/proc/${one}/status`), "VmRSS"), 0);
}

/** Proportional set size of the tree in bytes: shared pages counted once. */
export function proportionalBytes(pid: number): number {
  return processTree(pid).reduce(
    (sum, one) => sum + kilobytes(readOr(`/proc/${one}/smaps_rollup`), "Pss"),
    0,
  );
}

/** Open descriptors of the tree. */
export function openDescriptors(pid: number): number {
  return processTree(pid).flatMap(descriptorsOf).length;
}

/** What the process has open, as /proc names it; nothing of a process that has exited. */
function descriptorsOf(pid: number): string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).map((descriptor) => {
      try {
        return readlinkSync(`${folder}/${descriptor}`);
      } catch {
        return ""; // Closed since the folder was read, as the folder itself is.
      }
    });
  } catch {
    return [];
  }
}

/** The callers' ports of the loopback connections at `port` that a process of the tree has open. */
export function heldConnections(pid: number, port: number): Set<number> {
  const open = new Set(processTree(pid).flatMap(descriptorsOf));
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const rows = readOr("/proc/net/tcp")
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/));
  const listening = "0A";
  return new Set(
    rows
      .filter(([, local, , state]) => local?.endsWith(`:${hex}`) && state !== listening)
      .filter((row) => open.has(`socket:[${row[9]}]`))
      .map(([, , remote]) => Number.parseInt(remote?.split(":")[1] ?? "", 16)),
  );
}

/** User and system CPU ticks (1/100 s) the process itself has used. */
export function cpuTicks(pid: number): number {
  const fields = readOr(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, "")
    .split(" ");
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

/** Bytes in the kernel's queues of all loopback connections that use this port. */
export function queuedBytes(port: number): number {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  let sum = 0;
  for (const line of readOr("/proc/net/tcp").split("\n").slice(1)) {
    const [, local = "", remote = "", , queues = ""] = line.trim().split(/\s+/);
    if (!local.endsWith(`:${hex}`) && !remote.endsWith(`:${hex}`)) continue;
    const [sending = "0", receiving = "0"] = queues.split(":");
    sum += Number.parseInt(sending, 16) + Number.parseInt(receiving, 16);
  }
  return sum;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Samples the tree's resident bytes until stopped; keeps the highest. */
export function watchResident(pid: number, everyMs = 100): { stop(): { first: number; peak: number } } {
  const first = residentBytes(pid);
  let peak = first;
  const timer = setInterval(() => {
    peak = Math.max(peak, residentBytes(pid));
  }, everyMs);
  return {
    stop() {
      clearInterval(timer);
      return { first, peak: Math.max(peak, residentBytes(pid)) };
    },
  };
}
