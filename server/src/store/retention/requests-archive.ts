/** Archives the requests of a day: which they are, and what the database notes of the file. */
import { type Selectable, sql, type Transaction } from "kysely";
import { firstIdAt } from "../../lib/id.ts";
import { columnList, type RequestsTable } from "../requests/columns.ts";
import type { MethodsOptions, SqlDialect } from "../sql/dialect.ts";
import type { Mark } from "../sql/insertion-order.ts";
import type { Database } from "../sql/schema.ts";
import type { RequestArchivesTable } from "../sql/schema-retention.ts";
import { dayMs, dayText, fileName, type Part, writeArchive } from "./files/archive-file.ts";
import type { ArchiveColumn, ArchiveRow } from "./files/table.ts";
import type { Archive, ArchivedFile } from "./shapes.ts";

/** Rows read together: some ten milliseconds. */
const pageRows = 1_000;

const columns: readonly ArchiveColumn[] = columnList.map(({ name, kind }) => {
  if (name === "created_at") return { name, type: "time" };
  if (kind === "nanos" || kind === "flag") return { name, type: kind };
  return { name, type: kind === "integer" || kind === "milliseconds" ? "integer" : "text" };
});

/** Requests before an id and a mark. */
interface Range {
  readonly endId: string;
  readonly mark: Mark;
}

/** An archived day whose requests are not all removed. */
interface OpenArchive extends Range, Part {}

export const toArchive = (row: Selectable<RequestArchivesTable>): ArchivedFile => ({
  file: row.file,
  day: dayText(row.day),
  rows: row.requests,
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
async function* pagesOf(
  options: MethodsOptions,
  { endId, mark }: Range,
): AsyncGenerator<readonly ArchiveRow[]> {
  const isBefore = options.dialect.insertionOrder.isBefore(mark);
  for (let after = ""; ; ) {
    const { rows } = await sql<Row>`select * from requests where requests.id > ${after}
      and requests.id < ${endId} and ${isBefore} order by requests.id limit ${pageRows}`.execute(options.db);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map((row) => columnList.map(({ name }) => row[name]));
    after = last.id;
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
  archive: Archive,
  range: Range,
): Promise<ArchivedFile | undefined> {
  const oldest = await oldestDay(options, range);
  if (oldest === undefined) return undefined;
  const { day, endId } = oldest;
  const earlier = await options.db
    .selectFrom("request_archives")
    .select((eb) => eb.fn.max("part").as("part"))
    .where("day", "=", day)
    .executeTakeFirst();
  const part = (earlier?.part ?? 0) + 1;
  const file = fileName("requests", { day, part }, archive.format);
  const { mark } = range;
  const pages = pagesOf(options, { endId, mark });
  const written = await writeArchive(archive, file, "requests", { columns, pages });
  const { rows: requests, bytes, digest } = written;
  const row = {
    ...{ day, part, file, requests, bytes, digest, end_id: endId },
    ...{ mark: mark.mark, mark_id: mark.markId, archived_at: options.clock.wallMs(), removed_at: null },
  };
  await options.db.insertInto("request_archives").values(row).execute();
  return toArchive(row);
}
