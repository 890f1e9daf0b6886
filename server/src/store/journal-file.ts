/**
 * The file that settlements wait in while the database is away: one JSON line per request, written through to the disk
 * before anybody is told. A line cut off by a crash was never acknowledged and is ignored. Knows no database.
 */
import { readFileSync } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type RequestValue, valuesPerRequest } from "./request-row.ts";

/** One open journal. Appends take turns; reads see what is durable. */
export interface JournalFile {
  /** Appends whole requests (flat values) and resolves when they are on the disk. */
  append(values: readonly RequestValue[]): Promise<void>;
  /** Up to `max` requests from a byte offset on, and where the next ones begin. */
  read(offset: number, max: number): Promise<{ values: RequestValue[]; next: number }>;
  /** Empties the file if it still ends at `offset`; false when something was appended meanwhile. */
  clear(offset: number): Promise<boolean>;
  /** Durable bytes. */
  readonly bytes: number;
  /** Closes it; an empty file is removed. */
  close(): Promise<void>;
}

const readBytes = 1024 * 1024;

/** JSON has neither whole numbers of 64 bits nor bytes. */
function encodeValue(value: RequestValue): unknown {
  if (typeof value === "bigint") return { n: value.toString() };
  if (value instanceof Uint8Array) return { b: Buffer.from(value).toString("base64") };
  return value;
}

function decodeValue(value: unknown): RequestValue {
  if (typeof value !== "object" || value === null) return value as RequestValue;
  const tagged = value as { n?: string; b?: string };
  return tagged.n === undefined ? Buffer.from(tagged.b ?? "", "base64") : BigInt(tagged.n);
}

/** One line per request; the number in front tells a whole line from a torn one. */
export function encodeLines(values: readonly RequestValue[]): string {
  let text = "";
  for (let offset = 0; offset < values.length; offset += valuesPerRequest) {
    text += `${JSON.stringify(values.slice(offset, offset + valuesPerRequest).map(encodeValue))}\n`;
  }
  return text;
}

/** undefined for a line that is not one whole request. */
export function decodeLine(line: string): RequestValue[] | undefined {
  try {
    const values: unknown = JSON.parse(line);
    return Array.isArray(values) && values.length === valuesPerRequest ? values.map(decodeValue) : undefined;
  } catch {
    return undefined;
  }
}

async function readLines(handle: FileHandle, offset: number, end: number, max: number) {
  const values: RequestValue[] = [];
  let next = offset;
  let size = readBytes;
  for (let count = 0; count < max && next < end; ) {
    const buffer = Buffer.allocUnsafe(Math.min(size, end - next));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, next);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    const before = next;
    for (let at = chunk.indexOf(10); at >= 0 && count < max; at = chunk.indexOf(10, next - before)) {
      const line = decodeLine(chunk.toString("utf8", next - before, at));
      next = before + at + 1;
      if (line === undefined) continue;
      values.push(...line);
      count += 1;
    }
    // A single line larger than the buffer (a stored answer): read more at once.
    if (next === before) {
      if (bytesRead === end - before) break;
      size *= 2;
    }
  }
  return { values, next };
}

/** Opens (and creates) the file at `path`. */
export async function openJournalFile(path: string): Promise<JournalFile> {
  const handle = await open(path, "a+", 0o600);
  let bytes = (await handle.stat()).size;
  let last: Promise<unknown> = Promise.resolve();

  /** One at a time, in order, whatever became of the one before. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work, work);
    last = done.catch(() => {});
    return done;
  }

  return {
    append: (values) =>
      inTurn(async () => {
        const text = Buffer.from(encodeLines(values));
        try {
          await handle.appendFile(text);
          await handle.datasync();
        } catch (error) {
          // What may have been written in part must not be taken for durable, nor spoil what follows.
          await handle.truncate(bytes).catch(() => {});
          throw error;
        }
        bytes += text.length;
      }),
    read: (offset, max) => readLines(handle, offset, bytes, max),
    clear: (offset) =>
      inTurn(async () => {
        if (bytes !== offset) return false;
        await handle.truncate(0);
        await handle.datasync();
        bytes = 0;
        return true;
      }),
    get bytes() {
      return bytes;
    },
    close: () =>
      inTurn(async () => {
        await handle.close();
        if (bytes === 0) await rm(path, { force: true });
      }),
  };
}

/** When a process began, in the kernel's ticks: tells a process from a later one with the same number. 0 where unknown. */
function startTicks(pid: number | "self"): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Behind the command's name, which may hold anything but ends at the last bracket.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "0";
  } catch {
    return "0";
  }
}

function isAlive(pid: number, ticks: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return startTicks(pid) === ticks;
}

const namePattern = /^journal-(\d+)-(\d+)-\d+\.jsonl$/;

/** This process's journal in a directory, and those that processes which are gone left there, now ours. */
export async function openJournals(
  directory: string,
): Promise<{ own: JournalFile; left: { path: string; file: JournalFile }[] }> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const prefix = `journal-${process.pid}-${startTicks("self")}`;
  let number = 0;
  const newPath = () => join(directory, `${prefix}-${number++}.jsonl`);
  const ownPath = newPath();
  const left: { path: string; file: JournalFile }[] = [];
  for (const name of (await readdir(directory)).sort()) {
    const match = namePattern.exec(name);
    if (match === null || isAlive(Number(match[1]), match[2] ?? "")) continue;
    const path = newPath();
    try {
      // Whoever renames it first has it.
      await rename(join(directory, name), path);
    } catch {
      continue;
    }
    left.push({ path, file: await openJournalFile(path) });
  }
  return { own: await openJournalFile(ownPath), left };
}
