/**
 * The file that holds settlements while the database is unavailable: one JSON line per request, synced to
 * disk before it is acknowledged. Knows no database. `folder.ts` knows which process owns a file.
 */
import { type FileHandle, open, rm } from "node:fs/promises";
import { StoreError } from "../error.ts";
import { type RequestValue, valuesPerRequest, wholeValues } from "../requests/row.ts";

/** Some requests of a file, and the offset of the next ones. */
export interface JournalPart {
  readonly values: RequestValue[];
  /** Lines that are not one complete request: damaged, or written by a Plaza with other columns. */
  readonly strange: readonly string[];
  readonly next: number;
  /** True when everything present at that moment was read. */
  readonly isEnd: boolean;
}

/** An open journal. Appends run one at a time; reads see durable data only. */
export interface JournalFile {
  /**
   * Appends complete requests (flat values) and resolves when they are on disk. Rejects with StoreError, and
   * then they are not.
   */
  append(values: readonly RequestValue[]): Promise<void>;
  /** Reads up to `max` requests, limited to some megabytes, from a byte offset on. */
  read(offset: number, max: number): Promise<JournalPart>;
  /** Empties the file if it still ends at `offset`; returns false when something was appended meanwhile. */
  clear(offset: number): Promise<boolean>;
  /** Number of durable bytes. */
  readonly bytes: number;
  /** Closes the file; an empty file is removed. */
  close(): Promise<void>;
}

const readBytes = 1024 * 1024;
/** Lines are encoded and parsed in parts of about this many bytes, so that other work can run in between. */
const partBytes = 1024 * 1024;
const newline = 10;

/** JSON has neither 64-bit integers nor bytes. */
function encodeValue(value: RequestValue): unknown {
  if (typeof value === "bigint") return { n: value.toString() };
  if (value instanceof Uint8Array) {
    return { b: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64") };
  }
  return value;
}

function decodeValue(value: unknown): RequestValue {
  if (typeof value !== "object" || value === null) return value as RequestValue;
  const tagged = value as { n?: string; b?: string };
  return tagged.n === undefined ? Buffer.from(tagged.b ?? "", "base64") : BigInt(tagged.n);
}

/** The line of the request whose values begin at `offset`, with its newline. */
export function encodeLine(values: readonly RequestValue[], offset: number): string {
  return `${JSON.stringify(values.slice(offset, offset + valuesPerRequest).map(encodeValue))}\n`;
}

/**
 * The values of a line in the current or the previous version's format; undefined for an incomplete request.
 */
export function decodeLine(line: string): readonly RequestValue[] | undefined {
  try {
    const values: unknown = JSON.parse(line);
    return Array.isArray(values) ? wholeValues(values.map(decodeValue)) : undefined;
  } catch {
    return undefined;
  }
}

/** Converts a system error of the journal's disk to a StoreError for the operator. */
export function toDiskError(thrown: unknown, path: string): StoreError {
  const error = thrown as NodeJS.ErrnoException;
  const isFull = error.code === "ENOSPC" || error.code === "EDQUOT";
  const text = isFull
    ? `the disk that holds the journal ${path} is full: free some space; a running Plaza then goes on by itself`
    : `the journal ${path} cannot be written (${error.message}): check the disk and the rights on the data folder`;
  return new StoreError(isFull ? "disk_full" : "io", text, { cause: thrown });
}

async function readPart(handle: FileHandle, offset: number, end: number, max: number): Promise<JournalPart> {
  const values: RequestValue[] = [];
  const strange: string[] = [];
  let next = offset;
  let size = readBytes;
  for (let count = 0; count < max && next < end && next - offset < partBytes; ) {
    const buffer = Buffer.allocUnsafe(Math.min(size, end - next));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, next);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    const before = next;
    for (
      let at = chunk.indexOf(newline);
      at >= 0 && count < max;
      at = chunk.indexOf(newline, next - before)
    ) {
      const text = chunk.toString("utf8", next - before, at);
      const line = decodeLine(text);
      next = before + at + 1;
      count += 1;
      if (line === undefined) strange.push(text);
      else values.push(...line);
    }
    // A single line exceeds the buffer (a stored answer), so a larger block is read.
    if (next === before) {
      if (bytesRead === end - before) break;
      size *= 2;
    }
  }
  return { values, strange, next, isEnd: next >= end };
}

/** The end of the last complete line. A line cut off by a crash was never acknowledged. */
async function wholeBytes(handle: FileHandle): Promise<number> {
  const { size } = await handle.stat();
  const buffer = Buffer.allocUnsafe(readBytes);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - readBytes);
    const { bytesRead } = await handle.read(buffer, 0, end - start, start);
    const at = buffer.subarray(0, bytesRead).lastIndexOf(newline);
    if (at >= 0) return start + at + 1;
    end = start;
  }
  return 0;
}

/** Opens or creates the file at `path` and removes an incomplete last line. */
export async function openJournalFile(path: string): Promise<JournalFile> {
  const handle = await open(path, "a+", 0o600);
  let bytes = await wholeBytes(handle);
  /** True when there may be bytes after the durable ones. */
  let isDirty = (await handle.stat()).size !== bytes;
  let last: Promise<unknown> = Promise.resolve();

  /** Runs one at a time, in order, even after a failure. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work, work);
    last = done.catch(() => {});
    return done;
  }

  async function cutBack(): Promise<void> {
    if (!isDirty) return;
    await handle.truncate(bytes);
    await handle.datasync();
    isDirty = false;
  }

  async function write(values: readonly RequestValue[]): Promise<number> {
    let text = "";
    let written = 0;
    for (let offset = 0; offset < values.length; offset += valuesPerRequest) {
      text += encodeLine(values, offset);
      if (text.length < partBytes && offset + valuesPerRequest < values.length) continue;
      const part = Buffer.from(text);
      await handle.appendFile(part);
      written += part.length;
      text = "";
    }
    await handle.datasync();
    return written;
  }

  return {
    append: (values) =>
      inTurn(async () => {
        try {
          await cutBack();
          isDirty = true;
          bytes += await write(values);
          isDirty = false;
        } catch (error) {
          // A partial write must not count as durable nor damage later lines. If removing it fails, the next
          // append tries again.
          await cutBack().catch(() => {});
          throw toDiskError(error, path);
        }
      }),
    read: (offset, max) => readPart(handle, offset, bytes, max),
    clear: (offset) =>
      inTurn(async () => {
        if (bytes !== offset) return false;
        if (bytes === 0) return true;
        bytes = 0;
        isDirty = true;
        // Not synced: if a power cut restores the lines, they are handed over again, which has no effect.
        await handle.truncate(0);
        isDirty = false;
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
