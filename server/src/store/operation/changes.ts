/**
 * The feed from which other processes learn about changes. An entry is written in the same transaction as its
 * change, so a reader never sees one without the other.
 */
import { CompiledQuery, type Kysely, type Transaction } from "kysely";
import type { Database } from "../sql/schema.ts";
import type { Store } from "../store.ts";
import type { Change } from "./news-shapes.ts";

const listMax = 1_000;
const keptMs = 24 * 60 * 60 * 1000;
/** Old entries are deleted once in this many changes. */
const pruneEvery = 100;

/** Adds an entry. The newest entry is never deleted, so `lastChangeId` never goes back. */
export async function insertChange(
  trx: Transaction<Database>,
  change: Omit<Change, "id">,
  nowMs: number,
): Promise<void> {
  const { id } = await trx
    .insertInto("changes")
    .values({ kind: change.kind, subject: change.subject, at: nowMs })
    .returning("id")
    .executeTakeFirstOrThrow();
  if (id % pruneEvery !== 0) return;
  await trx
    .deleteFrom("changes")
    .where("at", "<", nowMs - keptMs)
    .execute();
}

export function createChangeMethods(db: Kysely<Database>): Pick<Store, "listChanges" | "lastChangeId"> {
  // Compiled once, because every process polls it for its whole life.
  const { sql } = db
    .selectFrom("changes")
    .select(["id", "kind", "subject"])
    .where("id", ">", 0)
    .orderBy("id")
    .limit(listMax)
    .compile();
  return {
    async listChanges(afterId) {
      const query = CompiledQuery.raw(sql, [afterId, listMax]);
      const { rows } = await db.executeQuery<Change>(query);
      return rows.map(({ id, kind, subject }) => ({ id, kind, subject }));
    },
    async lastChangeId() {
      const row = await db
        .selectFrom("changes")
        .select((eb) => eb.fn.max("id").as("id"))
        .executeTakeFirst();
      return row?.id ?? 0;
    },
  };
}
