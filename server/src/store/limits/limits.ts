/**
 * Buckets of rate limits and the slices of them that serving processes hold, for both dialects.
 * `domain/limits/limit.ts` has the rules; this file reads, locks and writes rows. None of it is durable
 * money.
 */
import type { Kysely, Transaction } from "kysely";
import {
  type Bucket,
  fullAtMs,
  lendSlice,
  loseSlice,
  newBucket,
  type SliceAsk,
} from "../../domain/limits/limit.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import type { Database, LimitBucketsTable } from "../sql/schema.ts";
import type { Store } from "../store.ts";
import type { SliceReply } from "./slice-shapes.ts";

/** Slices or idle buckets deleted per transaction, so that other transactions can run in between. */
const rowsPerStep = 500;
/** Most deletion steps per heartbeat. */
const pruneStepsMax = 20;
/** Milliseconds until the next look once nothing was left to delete. */
const pruneEveryMs = 30_000;

type Rows = Map<string, { bucket: Bucket; slice: number; isNew: boolean; hasSlice: boolean }>;

const bucketOf = (row: LimitBucketsTable): Bucket => ({
  limit: row.capacity,
  isSlots: row.is_slots === 1,
  used: row.used,
  outstanding: row.outstanding,
  atMs: row.at,
});

const rowOf = (subject: string, bucket: Bucket): LimitBucketsTable => ({
  subject,
  is_slots: bucket.isSlots ? 1 : 0,
  capacity: bucket.limit,
  used: bucket.used,
  outstanding: bucket.outstanding,
  at: bucket.atMs,
  full_at: fullAtMs(bucket),
});

/** Pads lists to a few lengths, so that few different statements are compiled. */
function padded(subjects: readonly string[]): string[] {
  const list = [...subjects];
  const length = 2 ** Math.ceil(Math.log2(list.length));
  while (list.length < length) list.push(list[0] as string);
  return list;
}

async function databaseNow(db: Kysely<Database>, dialect: SqlDialect): Promise<number> {
  const { now } = await db.selectNoFrom(dialect.databaseNow().as("now")).executeTakeFirstOrThrow();
  return now;
}

function readBuckets(trx: Transaction<Database>, subjects: readonly string[], dialect: SqlDialect) {
  return trx
    .selectFrom("limit_buckets")
    .selectAll()
    .where("subject", "in", padded(subjects))
    .orderBy("subject")
    .$if(dialect.locksRows, (query) => query.forUpdate())
    .execute();
}

/** Reads and locks the requested buckets in one global order; creates missing ones. */
async function readRows(
  trx: Transaction<Database>,
  holderId: string,
  asks: readonly SliceAsk[],
  dialect: SqlDialect,
): Promise<Rows> {
  const subjects = asks.map(({ subject }) => subject).sort();
  let found = await readBuckets(trx, subjects, dialect);
  if (found.length < asks.length && dialect.locksRows) {
    // Inserted first, so that another process that creates the same bucket waits here.
    const known = new Set(found.map(({ subject }) => subject));
    const added = asks
      .filter(({ subject }) => !known.has(subject))
      .sort((one, other) => (one.subject < other.subject ? -1 : 1));
    // The time 0 is replaced below.
    await trx
      .insertInto("limit_buckets")
      .values(added.map((ask) => rowOf(ask.subject, newBucket(ask, 0))))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    found = await readBuckets(trx, subjects, dialect);
  }
  const slices = await trx
    .selectFrom("limit_slices")
    .select(["subject", "amount"])
    .where("holder_id", "=", holderId)
    .where("subject", "in", padded(subjects))
    .execute();
  const amounts = new Map(slices.map(({ subject, amount }) => [subject, amount]));
  return new Map(
    found.map((row) => [
      row.subject,
      {
        bucket: bucketOf(row),
        slice: amounts.get(row.subject) ?? 0,
        isNew: row.at === 0,
        hasSlice: amounts.has(row.subject),
      },
    ]),
  );
}

/** Whole lists where a statement is a network round trip, else single items with one compiled statement. */
function chunksOf<T>(list: readonly T[], dialect: SqlDialect): T[][] {
  if (!dialect.locksRows) return list.map((value) => [value]);
  return list.length === 0 ? [] : [[...list]];
}

async function writeBuckets(
  trx: Transaction<Database>,
  rows: readonly LimitBucketsTable[],
  dialect: SqlDialect,
): Promise<void> {
  for (const chunk of chunksOf(rows, dialect)) {
    await trx
      .insertInto("limit_buckets")
      .values(chunk)
      .onConflict((conflict) =>
        conflict.column("subject").doUpdateSet((eb) => ({
          is_slots: eb.ref("excluded.is_slots"),
          capacity: eb.ref("excluded.capacity"),
          used: eb.ref("excluded.used"),
          outstanding: eb.ref("excluded.outstanding"),
          at: eb.ref("excluded.at"),
          full_at: eb.ref("excluded.full_at"),
        })),
      )
      .execute();
  }
}

async function writeSlices(
  trx: Transaction<Database>,
  holderId: string,
  slices: readonly { readonly subject: string; readonly amount: number }[],
  dialect: SqlDialect,
): Promise<void> {
  const kept = slices.filter(({ amount }) => amount > 0);
  for (const chunk of chunksOf(kept, dialect)) {
    await trx
      .insertInto("limit_slices")
      .values(chunk.map(({ subject, amount }) => ({ holder_id: holderId, subject, amount })))
      .onConflict((conflict) =>
        conflict
          .columns(["holder_id", "subject"])
          .doUpdateSet((eb) => ({ amount: eb.ref("excluded.amount") })),
      )
      .execute();
  }
  const gone = slices.filter(({ amount }) => amount === 0).map(({ subject }) => subject);
  if (gone.length === 0) return;
  await trx
    .deleteFrom("limit_slices")
    .where("holder_id", "=", holderId)
    .where("subject", "in", padded(gone))
    .execute();
}

/** Number of live serving processes; undefined when this one is not alive. */
async function countHolders(
  trx: Transaction<Database>,
  holderId: string,
  nowMs: number,
): Promise<number | undefined> {
  const alive = await trx.selectFrom("holders").select("id").where("expires_at", ">", nowMs).execute();
  return alive.some(({ id }) => id === holderId) ? alive.length : undefined;
}

async function take(
  trx: Transaction<Database>,
  holderId: string,
  asks: readonly SliceAsk[],
  dialect: SqlDialect,
): Promise<SliceReply> {
  await dialect.commitLazily(trx);
  if (dialect.locksRows) {
    // Prevents that this holder is swept meanwhile.
    await trx.selectFrom("holders").select("id").where("id", "=", holderId).forKeyShare().execute();
  }
  const rows = asks.length === 0 ? (new Map() as Rows) : await readRows(trx, holderId, asks, dialect);
  // Read after the locks are held, so that a bucket's times never go back.
  const nowMs = await databaseNow(trx, dialect);
  const holders = await countHolders(trx, holderId, nowMs);
  if (holders === undefined) return { status: "fenced" };
  const buckets: LimitBucketsTable[] = [];
  const slices: { subject: string; amount: number }[] = [];
  const grants = asks.map((ask) => {
    const row = rows.get(ask.subject);
    const before = row === undefined || row.isNew ? newBucket(ask, nowMs) : row.bucket;
    const { bucket, grant } = lendSlice(before, row?.slice ?? 0, ask, nowMs);
    buckets.push(rowOf(ask.subject, bucket));
    if (grant.slice > 0 ? grant.slice !== row?.slice : row?.hasSlice === true) {
      slices.push({ subject: ask.subject, amount: grant.slice });
    }
    return grant;
  });
  await writeBuckets(trx, buckets, dialect);
  await writeSlices(trx, holderId, slices, dialect);
  return { status: "granted", grants, holders };
}

/**
 * Takes some slices from a dead holder; returns false when none were left. The holder's row must be locked.
 */
export async function loseSlices(
  trx: Transaction<Database>,
  holderId: string,
  dialect: SqlDialect,
): Promise<boolean> {
  const slices = await trx
    .selectFrom("limit_slices")
    .select(["subject", "amount"])
    .where("holder_id", "=", holderId)
    .orderBy("subject")
    .limit(rowsPerStep)
    .execute();
  if (slices.length === 0) return false;
  const subjects = slices.map(({ subject }) => subject);
  const amounts = new Map(slices.map(({ subject, amount }) => [subject, amount]));
  const rows = await readBuckets(trx, subjects, dialect);
  const nowMs = await databaseNow(trx, dialect);
  const lost = rows.map((row) =>
    rowOf(row.subject, loseSlice(bucketOf(row), amounts.get(row.subject) ?? 0, nowMs)),
  );
  await writeBuckets(trx, lost, dialect);
  await trx
    .deleteFrom("limit_slices")
    .where("holder_id", "=", holderId)
    .where("subject", "in", padded(subjects))
    .execute();
  return true;
}

/** Deletes some buckets that are equal to unused ones; returns how many. */
async function pruneSome(db: Kysely<Database>, beforeMs: number, dialect: SqlDialect): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    await dialect.commitLazily(trx);
    const idle = await trx
      .selectFrom("limit_buckets")
      .select("subject")
      .where("outstanding", "=", 0)
      .where("full_at", "<", beforeMs)
      .limit(rowsPerStep)
      .$if(dialect.locksRows, (query) => query.forUpdate().skipLocked())
      .execute();
    if (idle.length === 0) return 0;
    const subjects = padded(idle.map(({ subject }) => subject));
    await trx.deleteFrom("limit_buckets").where("subject", "in", subjects).execute();
    return idle.length;
  });
}

/**
 * Deletes idle buckets at heartbeats. Its time follows the database's clock backwards, but forwards no faster
 * than this process's own clock: a clock that jumps must not empty buckets.
 */
export function createLimitPruner(db: Kysely<Database>, clock: Clock, dialect: SqlDialect) {
  let last: { readonly atMs: number; readonly elapsedMs: number } | undefined;
  let dueMs = 0;
  return async (nowMs: number): Promise<void> => {
    const elapsedMs = clock.elapsedMs();
    const atMs = last === undefined ? nowMs : Math.min(nowMs, last.atMs + elapsedMs - last.elapsedMs);
    last = { atMs, elapsedMs };
    if (elapsedMs < dueMs) return;
    for (let step = 0; step < pruneStepsMax; step += 1) {
      if ((await pruneSome(db, Math.floor(atMs), dialect)) < rowsPerStep) {
        dueMs = elapsedMs + pruneEveryMs;
        return;
      }
    }
  };
}

/** `db`: on SQLite, a connection whose commits are not synced to disk. */
export function createLimitMethods(db: Kysely<Database>, dialect: SqlDialect): Pick<Store, "takeSlices"> {
  return {
    takeSlices: (holderId, asks) => db.transaction().execute((trx) => take(trx, holderId, asks, dialect)),
  };
}
