/**
 * Splits a process's memory into parts, from /proc and from the files of `memory-probe.mjs`, as one line per
 * minute that explains growth. Linux only.
 */
import { readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "./clock.ts";

const mebibyte = 1024 * 1024;
/** glibc allocates heaps of all arenas but the first at multiples of this (HEAP_MAX_SIZE on 64 bits). */
const arenaBytes = 64 * mebibyte;

/** Resident bytes by kind. */
export interface ResidentParts {
  readonly total: number;
  /** Mapped files: the binary, SQLite's shared index. */
  readonly file: number;
  readonly anonymous: number;
  /** Part of `anonymous`: malloc's first arena (`[heap]`) and the others. */
  readonly firstArena: number;
  readonly otherArenas: number;
  /** Number of heaps of the other arenas. */
  readonly arenaCount: number;
}

interface Region {
  readonly start: number;
  readonly name: string;
  readonly resident: number;
  readonly anonymous: number;
}

/** Parses the regions of /proc/PID/smaps. */
function regionsOf(smaps: string): Region[] {
  const blocks = smaps.split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m);
  return blocks.map((block) => {
    const size = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(block)?.[1] ?? 0);
    const [head = ""] = block.split("\n");
    const [range = "", , , , , ...name] = head.split(/\s+/);
    return {
      start: Number.parseInt(range.split("-")[0] ?? "", 16),
      name: name.join(" "),
      resident: size("Rss") * 1024,
      anonymous: size("Anonymous") * 1024,
    };
  });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/**
 * Sums the regions of /proc/PID/smaps. V8's pages have a smaller alignment than arena heaps, so few are
 * confused with them.
 */
export function residentParts(smaps: string): ResidentParts {
  const regions = regionsOf(smaps);
  const arenas = regions.filter(({ start, name }) => name === "" && start % arenaBytes === 0);
  const total = sum(regions.map(({ resident }) => resident));
  const anonymous = sum(regions.map((region) => region.anonymous));
  return {
    total,
    file: total - anonymous,
    anonymous,
    firstArena: sum(regions.filter(({ name }) => name === "[heap]").map((region) => region.anonymous)),
    otherArenas: sum(arenas.map((region) => region.anonymous)),
    arenaCount: arenas.length,
  };
}

/** Environment for a process whose threads write into `folder`. */
export const probeSettings = (folder: string): Record<string, string> => ({
  NODE_OPTIONS: `--import=${fileURLToPath(new URL("./memory-probe.mjs", import.meta.url))}`,
  RIG_MEMORY_FOLDER: folder,
});

const shown = (bytes: number): string => (bytes / mebibyte).toFixed(1);

/** A thread that has written nothing for this long has exited. */
const silentMs = 30_000;

/** The last file of each living thread's probe, by thread number. */
function probes(folder: string): [thread: string, Readonly<Record<string, number>>][] {
  const isRecent = (name: string) => Date.now() - statSync(join(folder, name)).mtimeMs < silentMs;
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return files
    .filter(isRecent)
    .sort()
    .map((name) => [name.slice(0, -".json".length), JSON.parse(readFileSync(join(folder, name), "utf8"))]);
}

function threadsText(folder: string): string {
  return probes(folder)
    .map(([thread, seen]) => {
      const part = (field: string) => shown(seen[field] ?? 0);
      const numbers = `heap ${part("usedBytes")} of ${part("heapBytes")}, external ${part("externalBytes")}, buffers ${part("arrayBufferBytes")}`;
      return `thread ${thread}: ${numbers}`;
    })
    .join("; ");
}

/**
 * Makes every thread collect garbage for the `time`-th time; returns the bytes then in use by all heaps.
 * Rejects when a thread does not respond.
 */
export async function collectedBytes(folder: string, time: number): Promise<number> {
  writeFileSync(join(folder, `collect-${time}`), "");
  if (!(await eventually(() => probes(folder).every(([, seen]) => seen["asked"] === time), 30_000, 500)))
    throw new Error("a thread did not collect its garbage when asked");
  return sum(probes(folder).map(([, seen]) => seen["collectedBytes"] ?? Number.NaN));
}

/** The kind of a descriptor's target, without its number: `socket`, `anon_inode:[eventpoll]`, a file name. */
function kindOf(target: string): string {
  if (target.startsWith("/")) return target.split("/").at(-1) ?? target;
  return target.replace(/:\[?\d+\]?$/, "");
}

/** `20 socket, 3 anon_inode:[eventpoll], 1 plaza.db …`, most frequent first. */
export function descriptorKinds(pid: number): string {
  const counts = new Map<string, number>();
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      const kind = kindOf(readlinkSync(`/proc/${pid}/fd/${name}`));
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    } catch {
      // Closed since the list was read.
    }
  }
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return sorted.map(([kind, count]) => `${count} ${kind}`).join(", ");
}

/** One line in MiB: resident parts, V8 of each thread, threads, and descriptors by kind. */
export function memoryLine(pid: number, probeFolder: string): string {
  const parts = residentParts(readFileSync(`/proc/${pid}/smaps`, "utf8"));
  const threads = readdirSync(`/proc/${pid}/task`).length;
  const resident = [
    `anonymous ${shown(parts.anonymous)}`,
    `file ${shown(parts.file)}`,
    `first arena ${shown(parts.firstArena)}`,
    `${parts.arenaCount} other arenas ${shown(parts.otherArenas)}`,
  ].join(", ");
  return `${resident}; ${threadsText(probeFolder)}; ${threads} threads; ${descriptorKinds(pid)}`;
}
