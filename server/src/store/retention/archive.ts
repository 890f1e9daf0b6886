/**
 * Writes the requests of a day into a compressed CSV file, and notes it once the file was read back whole. A
 * process that is killed leaves a file whose name ends in `.part`; the next one begins the day again.
 */
import { createHash, type Hash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { type Selectable, sql, type Transaction } from "kysely";
import { csvLine } from "../../lib/csv.ts";
import { firstIdAt } from "../../lib/id.ts";
import { StoreError } from "../error.ts";
import { columnList, type RequestsTable } from "../requests/columns.ts";
import type { MethodsOptions, SqlDialect } from "../sql/dialect.ts";
import type { Mark } from "../sql/insertion-order.ts";
import type { Database } from "../sql/schema.ts";
import type { RequestArchivesTable } from "../sql/schema-retention.ts";
import type { RequestArchive } from "./shapes.ts";

export const dayMs = 86_400_000;

/** Rows read together: some ten milliseconds. */
const pageRows = 1_000;

const names = columnList.map(({ name }) => name);

/** Requests before an id and a mark. */
interface Range {
  readonly endId: string;
  readonly mark: Mark;
}

/** Which file. */
interface Part {
  readonly day: number;
  readonly part: number;
}

/** An archived day whose requests are not all removed. */
interface OpenArchive extends Range, Part {}

const dayText = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);

/** `requests-2026-11-27.csv.gz`; further parts of a day have their number before the ending. */
const fileName = (day: number, part: number): string =>
  `requests-${dayText(day)}${part === 1 ? "" : `.${part}`}.csv.gz`;

export const toArchive = (row: Selectable<RequestArchivesTable>): RequestArchive => ({
  file: row.file,
  day: dayText(row.day),
  requests: row.requests,
  bytes: row.bytes,
  digest: row.digest,
});

/**
 * The archived day that is being removed. One from before rows were moved (a restore from a text dump) is
 * finished, because its mark says nothing any more: what is left of it is archived again, in a further part.
 */
export async function openArchive(
  trx: Transaction<Database>,
  { insertionOrder }: SqlDialect,
  nowMs: number,
): Promise<OpenArchive | undefined> {
  const row = await trx
    .selectFrom("request_archives")
    .selectAll()
    .where("removed_at", "is", null)
    .orderBy("day")
    .orderBy("part")
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { day, part, end_id: endId } = row;
  const mark = { mark: row.mark, markId: row.mark_id };
  if (await insertionOrder.isSound(trx, mark)) return { day, part, endId, mark };
  await finishArchive(trx, { day, part }, nowMs);
  return undefined;
}

export async function finishArchive(
  trx: Transaction<Database>,
  { day, part }: Part,
  atMs: number,
): Promise<void> {
  await trx
    .updateTable("request_archives")
    .set({ removed_at: atMs })
    .where("day", "=", day)
    .where("part", "=", part)
    .execute();
}

type Row = Selectable<RequestsTable>;

/** The rows of a range in pages, in order of their ids. */
async function* pagesOf(options: MethodsOptions, { endId, mark }: Range): AsyncGenerator<readonly Row[]> {
  const isBefore = options.dialect.insertionOrder.isBefore(mark);
  for (let after = ""; ; ) {
    const { rows } = await sql<Row>`select * from requests where requests.id > ${after}
      and requests.id < ${endId} and ${isBefore} order by requests.id limit ${pageRows}`.execute(options.db);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = last.id;
  }
}

const lineOf = (row: Row): string =>
  csvLine(names.map((name) => (typeof row[name] === "bigint" ? String(row[name]) : row[name])));

/** Passes bytes on and adds them to a digest. */
const hashing = (hash: Hash): Transform =>
  new Transform({
    transform(chunk, _, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });

interface Written {
  readonly requests: number;
  /** SHA-256 of the text and of the file, in hex. */
  readonly textDigest: string;
  readonly digest: string;
}

async function writeRows(path: string, pages: AsyncIterable<readonly Row[]>): Promise<Written> {
  const [text, file] = [createHash("sha256"), createHash("sha256")];
  let requests = 0;
  async function* lines() {
    yield csvLine(names);
    for await (const rows of pages) {
      requests += rows.length;
      yield rows.map(lineOf).join("");
    }
  }
  const out = createWriteStream(path, { mode: 0o600, flush: true });
  await pipeline(Readable.from(lines()), hashing(text), createGzip(), hashing(file), out);
  return { requests, textDigest: text.digest("hex"), digest: file.digest("hex") };
}

/** Throws when the file on disk does not hold what was written. */
async function readBack(path: string, { digest, textDigest }: Written): Promise<void> {
  const [text, file] = [createHash("sha256"), createHash("sha256")];
  const nowhere = new PassThrough().resume();
  await pipeline(createReadStream(path), hashing(file), createGunzip(), hashing(text), nowhere);
  if (file.digest("hex") === digest && text.digest("hex") === textDigest) return;
  throw new Error("what was read back is not what was written");
}

/** Makes a renamed file survive a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeFile(
  folder: string,
  name: string,
  pages: AsyncIterable<readonly Row[]>,
): Promise<Written & { bytes: number }> {
  const path = join(folder, name);
  const unfinished = `${path}.part`;
  try {
    const written = await writeRows(unfinished, pages);
    await readBack(unfinished, written);
    await rename(unfinished, path);
    await syncFolder(folder);
    return { ...written, bytes: (await stat(path)).size };
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreError(
      "archive_failed",
      `requests cannot be archived in ${folder}, so none are removed: ${reason}. Check that the folder is there, has room and may be written by the user Plaza runs as`,
      { cause: error },
    );
  }
}

/** The end of the oldest day in a range; undefined: the range is empty. */
async function oldestDay(
  { db, dialect }: MethodsOptions,
  { endId, mark }: Range,
): Promise<{ day: number; endId: string } | undefined> {
  const { rows } = await sql<{ id: string; created_at: number }>`select id, created_at from requests
    where requests.id < ${endId} and ${dialect.insertionOrder.isBefore(mark)}
    order by requests.id limit 1`.execute(db);
  const [oldest] = rows;
  if (oldest === undefined) return undefined;
  // An id may have been made a moment before or after its request's time.
  for (let day = Math.floor(oldest.created_at / dayMs); ; day += 1) {
    const dayEnd = firstIdAt("req", (day + 1) * dayMs);
    if (dayEnd >= endId) return { day, endId };
    if (oldest.id < dayEnd) return { day, endId: dayEnd };
  }
}

/** Archives the oldest day of a range; undefined: there is none. */
export async function nextArchive(
  options: MethodsOptions,
  folder: string,
  range: Range,
): Promise<RequestArchive | undefined> {
  const oldest = await oldestDay(options, range);
  if (oldest === undefined) return undefined;
  const { day, endId } = oldest;
  const earlier = await options.db
    .selectFrom("request_archives")
    .select((eb) => eb.fn.max("part").as("part"))
    .where("day", "=", day)
    .executeTakeFirst();
  const part = (earlier?.part ?? 0) + 1;
  const file = fileName(day, part);
  const { mark } = range;
  const { requests, bytes, digest } = await writeFile(folder, file, pagesOf(options, { endId, mark }));
  const row = {
    ...{ day, part, file, requests, bytes, digest, end_id: endId },
    ...{ mark: mark.mark, mark_id: mark.markId, archived_at: options.clock.wallMs(), removed_at: null },
  };
  await options.db.insertInto("request_archives").values(row).execute();
  return toArchive(row);
}
