/** Archives as CSV, compressed with gzip. What is read back must have the digest of what was written. */
import { createHash, type Hash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { PassThrough, Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { csvLine } from "../../../lib/csv.ts";
import { type ArchiveRow, type ArchiveTable, differs, type WrittenRows } from "./table.ts";

const lineOf = (row: ArchiveRow): string =>
  csvLine(row.map((cell) => (typeof cell === "bigint" ? String(cell) : cell)));

/** Passes bytes on and adds them to a digest. */
const hashing = (hash: Hash): Transform =>
  new Transform({
    transform(chunk, _, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });

interface Written extends WrittenRows {
  /** SHA-256 of the text, hex. */
  readonly textDigest: string;
}

async function write(path: string, { columns, pages }: ArchiveTable): Promise<Written> {
  const [text, file] = [createHash("sha256"), createHash("sha256")];
  let count = 0;
  async function* lines() {
    yield csvLine(columns.map(({ name }) => name));
    for await (const rows of pages) {
      count += rows.length;
      yield rows.map(lineOf).join("");
    }
  }
  const out = createWriteStream(path, { mode: 0o600, flush: true });
  await pipeline(Readable.from(lines()), hashing(text), createGzip(), hashing(file), out);
  return { rows: count, textDigest: text.digest("hex"), digest: file.digest("hex") };
}

/** Throws when the file on disk does not hold what was written. */
async function readBack(path: string, { digest, textDigest }: Written): Promise<void> {
  const [text, file] = [createHash("sha256"), createHash("sha256")];
  const nowhere = new PassThrough().resume();
  await pipeline(createReadStream(path), hashing(file), createGunzip(), hashing(text), nowhere);
  if (file.digest("hex") !== digest || text.digest("hex") !== textDigest) throw new Error(differs);
}

/** See `WriteTable`. */
export async function writeCsv(path: string, table: ArchiveTable): Promise<WrittenRows> {
  const written = await write(path, table);
  await readBack(path, written);
  return { rows: written.rows, digest: written.digest };
}
