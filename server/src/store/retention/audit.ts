/**
 * Archives the audit log by days and removes what is archived, a few hundred entries at a time. Entries get
 * the time at which they are written, so none comes later for a day that is over.
 */
import { type Selectable, sql } from "kysely";
import { hasMigration } from "../migrations/history.ts";
import type { MethodsOptions } from "../sql/dialect.ts";
import type { AuditEntriesTable } from "../sql/schema-console.ts";
import type { AuditArchivesTable } from "../sql/schema-retention.ts";
import { claimRemoval } from "./claim.ts";
import { dayMs, dayText, fileName, writeArchive } from "./files/archive-file.ts";
import type { ArchiveColumn, ArchiveRow } from "./files/table.ts";
import type { Archive, ArchivedFile, RemovalStep, RetentionStore } from "./shapes.ts";

/** The migration that made the table, which may have to wait (`../migrations/0031-audit-archives.ts`). */
const madeBy = 31;

/** Entries read together. */
const pageRows = 1_000;

const columns = [
  { name: "id", type: "integer" },
  { name: "at", type: "time" },
  { name: "actor_kind", type: "text" },
  { name: "actor_id", type: "text" },
  { name: "actor_name", type: "text" },
  { name: "account_id", type: "text" },
  { name: "action", type: "text" },
  { name: "subject", type: "text" },
  { name: "detail", type: "text" },
  { name: "ip", type: "text" },
  { name: "request_id", type: "text" },
  { name: "outcome", type: "text" },
] as const satisfies readonly (ArchiveColumn & { name: keyof AuditEntriesTable })[];

const toArchive = (row: AuditArchivesTable): ArchivedFile => ({
  file: row.file,
  day: dayText(row.day),
  rows: row.entries,
  bytes: row.bytes,
  digest: row.digest,
});

const canArchive = ({ db }: MethodsOptions): Promise<boolean> => hasMigration(db, madeBy);

/** Entries of before the end of a day, up to an id. */
interface Range {
  readonly day: number;
  readonly endId: number;
}

const isIn = ({ day, endId }: Range) => sql`at < ${(day + 1) * dayMs} and id <= ${endId}`;

type Row = Selectable<AuditEntriesTable>;

/** The entries of a range in pages, in order of their times. */
async function* pagesOf({ db }: MethodsOptions, range: Range): AsyncGenerator<readonly ArchiveRow[]> {
  for (let [at, id] = [0, 0]; ; ) {
    const { rows } = await sql<Row>`select * from audit_entries where ${isIn(range)}
      and at >= ${at} and (at > ${at} or id > ${id}) order by at, id limit ${pageRows}`.execute(db);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map((row) => columns.map(({ name }) => row[name]));
    [at, id] = [last.at, last.id];
  }
}

/** Archives the day of the oldest entry, if that is over before this day; undefined: there is none. */
async function archiveOldest(
  options: MethodsOptions,
  archive: Archive,
  beforeDay: number,
): Promise<ArchivedFile | undefined> {
  const { db, clock } = options;
  const oldest = await db.selectFrom("audit_entries").select("at").orderBy("at").limit(1).executeTakeFirst();
  const day = Math.floor((oldest?.at ?? Number.POSITIVE_INFINITY) / dayMs);
  if (day >= beforeDay) return undefined;
  const { end } = await db
    .selectFrom("audit_entries")
    .select((eb) => eb.fn.max("id").as("end"))
    .where("at", "<", (day + 1) * dayMs)
    .executeTakeFirstOrThrow();
  const endId = Number(end);
  const earlier = await db
    .selectFrom("audit_archives")
    .select((eb) => eb.fn.max("part").as("part"))
    .where("day", "=", day)
    .executeTakeFirst();
  const part = (earlier?.part ?? 0) + 1;
  const file = fileName("audit", { day, part }, archive.format);
  const pages = pagesOf(options, { day, endId });
  const written = await writeArchive(archive, file, "entries of the audit log", { columns, pages });
  const { rows: entries, bytes, digest } = written;
  const times = { archived_at: clock.wallMs(), removed_at: null };
  const row = { day, part, file, entries, bytes, digest, end_id: endId, ...times };
  await db.insertInto("audit_archives").values(row).execute();
  return toArchive(row);
}

/**
 * Removes a piece of the archived day; undefined: no archived day is left. Not durable: if a power cut
 * restores entries, they are removed again.
 */
async function removeArchived(
  { lazyDb, dialect, clock }: MethodsOptions,
  rowsMax: number,
): Promise<RemovalStep | undefined> {
  return await lazyDb.transaction().execute(async (trx) => {
    await dialect.commitLazily(trx);
    const open = await trx
      .selectFrom("audit_archives")
      .selectAll()
      .where("removed_at", "is", null)
      .orderBy("day")
      .orderBy("part")
      .executeTakeFirst();
    if (open === undefined) return undefined;
    const range = { day: open.day, endId: open.end_id };
    const { numAffectedRows } = await sql`delete from audit_entries where id in
      (select id from audit_entries where ${isIn(range)} order by at, id limit ${rowsMax})`.execute(trx);
    const removed = Number(numAffectedRows ?? 0n);
    if (removed < rowsMax) {
      await trx
        .updateTable("audit_archives")
        .set({ removed_at: clock.wallMs() })
        .where("day", "=", open.day)
        .where("part", "=", open.part)
        .execute();
    }
    return { removed, isMore: true };
  });
}

export function createAuditRemoval(
  options: MethodsOptions,
): Pick<RetentionStore, "removeAudit" | "listAuditArchives"> {
  return {
    async removeAudit({ beforeMs, archive, processId, rowsMax }) {
      const isTurn = (await canArchive(options)) && (await claimRemoval(options, processId));
      if (!isTurn) return { removed: 0, isMore: false };
      const step = await removeArchived(options, rowsMax);
      if (step !== undefined) return step;
      const archived = await archiveOldest(options, archive, Math.floor(beforeMs / dayMs));
      return { removed: 0, archived, isMore: archived !== undefined };
    },
    async listAuditArchives() {
      if (!(await canArchive(options))) return [];
      const files = options.db.selectFrom("audit_archives").selectAll().orderBy("day").orderBy("part");
      return (await files.execute()).map(toArchive);
    },
  };
}
