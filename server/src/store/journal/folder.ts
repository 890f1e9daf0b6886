/**
 * Whose journal is whose: every process has a file of its own in the data folder, named
 * after it, and takes over those of processes that are gone. Requests the ledger refused are
 * kept here too, for a person to look at.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { mkdir, open, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import type { RequestValue } from "../requests/row.ts";
import { encodeLine, type JournalFile, openJournalFile, toDiskError } from "./file.ts";

export interface JournalFolder {
  readonly own: JournalFile;
  /** What processes that are gone left, now ours. */
  readonly left: readonly JournalFile[];
  /**
   * Takes over what processes of this system left that have gone since; none
   * where nothing can be said for certain.
   */
  takeLeft(): Promise<readonly JournalFile[]>;
  /** Keeps lines that cannot be handed over, durably, beside the journals; resolves with the file's path. */
  reject(lines: readonly RejectedLine[]): Promise<string>;
}

/** A line of a journal, and why it was refused. */
export interface RejectedLine {
  readonly line: string;
  readonly reason: string;
}

/**
 * When a process began, in the kernel's ticks: tells a process from a later one
 * with the same number. "0" where unknown.
 */
function startTicks(pid: number | "self"): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Behind the command's name, which may hold anything but ends at the last bracket.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "0";
  } catch {
    return "0";
  }
}

/** When in doubt it is: a file left lying for a while does less harm than one taken from under its writer. */
function isAlive(pid: number, ticks: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const now = startTicks(pid);
  return now === ticks || now === "0" || ticks === "0";
}

/**
 * Which numbering of processes this one lives in (a container has its own), as a
 * number; "0" where there is only one.
 */
function processSpace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
}

/**
 * Process, its start, a number, and the space of processes it lives in (absent in files of older versions).
 */
const namePattern = /^journal-(\d+)-(\d+)-\d+(?:-(\d+))?\.jsonl$/;
const ownIdentity = `${process.pid}-${startTicks("self")}`;
const ownSpace = processSpace();

/**
 * Files this process has open: a name of ours that is not among them was left
 * by one just like us before a reboot.
 */
const inUse = new Set<string>();
let lastNumber = -1;

/** Makes names durable that were just given. Not every system can. */
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

/** A file whose name is free again once it is closed. */
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
 * Takes over the files of processes that are gone; of two that try, one has each. Empty ones are removed.
 * `isOurs`: by the space of processes.
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

/** Opens the folder, making it where needed. Rejects with StoreError. */
export async function openJournalFolder(directory: string): Promise<JournalFolder> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const names = (await readdir(directory)).sort();
    // At a start whatever lies there is taken: a container that replaces another one has a space of its own.
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

/** The line of the request that begins at `offset`, as `reject` wants it. */
export function rejectedLine(values: readonly RequestValue[], offset: number, reason: string): RejectedLine {
  return { line: encodeLine(values, offset).trimEnd(), reason };
}
