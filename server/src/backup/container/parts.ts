/**
 * The files in a backup. Each is a line of JSON with its name and length, followed by its bytes; the last one
 * is the manifest, which has the digests of the others.
 */
import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { damaged } from "../error.ts";
import { type Manifest, type PartSeal, parseManifest } from "../manifest.ts";
import { ByteReader } from "./byte-reader.ts";
import { readContainer } from "./read.ts";
import { beginContainer, type WriteBytes } from "./write.ts";

const readBytes = 1024 ** 2;
const manifestName = "manifest.json";
const manifestBytesMax = 16 * 1024 ** 2;
const headBytesMax = 1_024;

export const databasePart = "plaza.sqlite";
export const keyPart = "secret.key";
export const journalFolder = "journal";

/** No name leads out of the folder that a backup is unpacked into. */
const isPartName = (name: string): boolean =>
  name === databasePart || name === keyPart || /^journal\/[\w-]{1,200}\.jsonl$/.test(name);

/** Called with the number of bytes of files written or read so far. */
export type OnBytes = (bytes: number) => void;

interface PartHead {
  readonly part: string;
  readonly bytes: number;
}

const headLine = (head: PartHead): Buffer => Buffer.from(`${JSON.stringify(head)}\n`);

/**
 * Writes the files `names` of `folder` and then the manifest, which `complete` makes of their digests. A file
 * must not change meanwhile.
 */
export async function writeParts(options: {
  readonly folder: string;
  readonly names: readonly string[];
  readonly complete: (parts: readonly PartSeal[]) => Manifest;
  readonly passphrase: string | undefined;
  readonly out: WriteBytes;
  readonly onBytes: OnBytes;
}): Promise<Manifest> {
  const { folder, names, complete, passphrase, out, onBytes } = options;
  const writer = await beginContainer(out, passphrase);
  const parts: PartSeal[] = [];
  let done = 0;
  for (const name of names) {
    const file = await open(join(folder, name), "r");
    try {
      const { size } = await file.stat();
      await writer.write(headLine({ part: name, bytes: size }));
      const hash = createHash("sha256");
      for await (const bytes of fileBytes(file, size)) {
        hash.update(bytes);
        await writer.write(bytes);
        done += bytes.length;
        onBytes(done);
      }
      parts.push({ name, bytes: size, sha256: hash.digest("hex") });
    } finally {
      await file.close();
    }
  }
  const manifest = complete(parts);
  const text = Buffer.from(JSON.stringify(manifest));
  await writer.write(headLine({ part: manifestName, bytes: text.length }));
  await writer.write(text);
  await writer.end();
  return manifest;
}

/** The first `size` bytes of a file; each buffer is valid until the next one is asked for. */
async function* fileBytes(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.min(readBytes, Math.max(size, 1)));
  for (let position = 0; position < size; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - position), position);
    if (bytesRead === 0) throw new Error("a file became shorter while it was backed up");
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

async function readHead(reader: ByteReader): Promise<PartHead> {
  const line = await reader.readLine(headBytesMax);
  try {
    const { part, bytes } = JSON.parse(line ?? "") as Partial<PartHead>;
    if (typeof part === "string" && Number.isSafeInteger(bytes) && (bytes as number) >= 0)
      return { part, bytes: bytes as number };
  } catch {
    // Reported below.
  }
  throw damaged("the beginning of one of its files cannot be read");
}

/** Passes the next `bytes` bytes on and returns their digest. */
async function passBytes(reader: ByteReader, bytes: number, write: WriteBytes): Promise<string> {
  const hash = createHash("sha256");
  for (let missing = bytes; missing > 0; ) {
    const some = await reader.readSome(missing);
    if (some === undefined) throw damaged("it ends too early");
    hash.update(some);
    await write(some);
    missing -= some.length;
  }
  return hash.digest("hex");
}

async function readManifest(reader: ByteReader, bytes: number): Promise<Manifest> {
  const text = bytes > manifestBytesMax ? undefined : await reader.read(bytes);
  if (text === undefined) throw damaged("its manifest is not whole");
  return parseManifest(text.toString("utf8"));
}

/**
 * Unpacks a backup into an existing folder, readable by its owner only and not synced, and returns its
 * manifest. Throws BackupError unless every byte is what was written.
 */
export async function unpackParts(options: {
  readonly source: AsyncIterable<Buffer>;
  readonly passphrase: string | undefined;
  readonly folder: string;
  readonly onBytes: OnBytes;
}): Promise<Manifest> {
  const { source, passphrase, folder, onBytes } = options;
  const reader = new ByteReader(readContainer(source, passphrase));
  const found: PartSeal[] = [];
  let done = 0;
  for (;;) {
    const { part: name, bytes } = await readHead(reader);
    if (name === manifestName) {
      const manifest = await readManifest(reader, bytes);
      if (!(await reader.isAtEnd())) throw damaged("something follows its manifest");
      if (JSON.stringify(found) !== JSON.stringify(manifest.parts))
        throw damaged("its files are not those of its manifest");
      return manifest;
    }
    if (!isPartName(name) || found.some((one) => one.name === name))
      throw damaged("it holds a file that no backup holds");
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(path, "wx", 0o600);
    try {
      const sha256 = await passBytes(reader, bytes, async (some) => {
        await file.writeFile(some);
        done += some.length;
        onBytes(done);
      });
      found.push({ name, bytes, sha256 });
    } finally {
      await file.close();
    }
  }
}
