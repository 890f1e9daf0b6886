/**
 * Assigns journals to processes. Every process has its own file in the data folder, with its process id in
 * the name, and takes over files of processes that are gone. Requests that the ledger refused are also kept
 * here, for a person to check.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { mkdir, open, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import type { RequestValue } from "../requests/row.ts";
import { encodeLine, type JournalFile, openJournalFile, toDiskError } from "./file.ts";

export interface JournalFolder {
  readonly own: JournalFile;
  /** Files of processes that are gone, now owned by this process. */
  readonly left: readonly JournalFile[];
  /** Takes over files of processes on this system that have ended meanwhile; empty when that is uncertain. */
  takeLeft(): Promise<readonly JournalFile[]>;
  /** Durably stores lines that cannot be handed over, beside the journals; resolves with the file's path. */
  reject(lines: readonly RejectedLine[]): Promise<string>;
}

/** A journal line and why it was refused. */
export interface RejectedLine {
  readonly line: string;
  readonly reason: string;
}

/**
 * A process's start time in kernel ticks, to tell it from a later process with the same id. "0" if unknown.
 */
function startTicks(pid: number | "self"): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // After the command's name, which may contain anything but ends at the last bracket.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "0";
  } catch {
    return "0";
  }
}

/** True in doubt: leaving a file for a while does less harm than taking it from its writer. */
function isAlive(pid: number, ticks: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const now = startTicks(pid);
  return now === ticks || now === "0" || ticks === "0";
}

/** The id of this process's namespace (a container has its own); "0" where there is only one. */
function processSpace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
}

/** Process id, start time, a number, and the process namespace (absent in files of older versions). */
const namePattern = /^journal-(\d+)-(\d+)-\d+(?:-(\d+))?\.jsonl$/;
const ownIdentity = `${process.pid}-${startTicks("self")}`;
const ownSpace = processSpace();

/**
 * Files this process has open. One of its own names that is not listed here was left by an identical process
 * before a reboot.
 */
const inUse = new Set<string>();
let lastNumber = -1;

/** Makes new file names durable. Not every system supports it. */
async function syncFolder(directory: string): Promise<void> {
  const handle = await open(directory, "r").catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

function newPath(directory: string, taken: ReadonlySet<string>): string {
  for (;;) {
    lastNumber += 1;
    const name = `journal-${ownIdentity}-${lastNumber}-${ownSpace}.jsonl`;
    if (!taken.has(name)) return join(directory, name);
  }
}

/** Opens a file and frees its name when it is closed. */
async function openAt(path: string): Promise<JournalFile> {
  inUse.add(path);
  try {
    const file = await openJournalFile(path);
    return {
      append: file.append,
      read: file.read,
      clear: file.clear,
      get bytes() {
        return file.bytes;
      },
      async close() {
        await file.close();
        inUse.delete(path);
      },
    };
  } catch (error) {
    inUse.delete(path);
    throw error;
  }
}

function isFree(path: string, pid: string, ticks: string): boolean {
  if (`${pid}-${ticks}` === ownIdentity) return !inUse.has(path);
  return !isAlive(Number(pid), ticks);
}

/**
 * Takes over files of processes that are gone. If two processes try, each file goes to one of them. Empty
 * files are removed. `isOurs`: by process namespace.
 */
async function takeOver(
  directory: string,
  names: readonly string[],
  isOurs: (space: string | undefined) => boolean,
): Promise<JournalFile[]> {
  const taken = new Set(names);
  const left: JournalFile[] = [];
  for (const name of names) {
    const [, pid = "", ticks = "", space] = namePattern.exec(name) ?? [];
    if (pid === "" || !isOurs(space) || !isFree(join(directory, name), pid, ticks)) continue;
    const path = newPath(directory, taken);
    try {
      await rename(join(directory, name), path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") continue;
      throw error;
    }
    const file = await openAt(path);
    if (file.bytes > 0) left.push(file);
    else await file.close();
  }
  return left;
}

/** Opens the folder and creates it if needed. Rejects with StoreError. */
export async function openJournalFolder(directory: string): Promise<JournalFolder> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const names = (await readdir(directory)).sort();
    // At a start all files are taken, because a container that replaces another has its own process
    // namespace.
    const left = await takeOver(directory, names, () => true);
    const own = await openAt(newPath(directory, new Set(names)));
    await syncFolder(directory);
    return {
      own,
      left,
      takeLeft: async () =>
        takeOver(directory, (await readdir(directory)).sort(), (space) => space === ownSpace),
      reject: (lines) => reject(directory, lines),
    };
  } catch (error) {
    throw toDiskError(error, directory);
  }
}

async function reject(directory: string, lines: readonly RejectedLine[]): Promise<string> {
  const path = join(directory, `rejected-${ownIdentity}.jsonl`);
  const handle = await open(path, "a", 0o600);
  try {
    await handle.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await syncFolder(directory);
  return path;
}

/** The line of the request whose values begin at `offset`, in the form `reject` takes. */
export function rejectedLine(values: readonly RequestValue[], offset: number, reason: string): RejectedLine {
  return { line: encodeLine(values, offset).trimEnd(), reason };
}
