/**
 * Runs a migration's back-fill: chunk by chunk, each in a transaction that also moves the cursor, so that a
 * killed process loses at most one chunk. Leaves half of the time to the servers.
 */
import type { Transaction } from "kysely";
import type { Database } from "../sql/schema.ts";
import type { Chunk, ChunkDone, Migration } from "./migration.ts";

/** What a chunk should take, in milliseconds. Servers wait that long at most for the write lock. */
const chunkMs = 50;
const rowsAtFirst = 200;
const rowsLeast = 20;
const rowsMost = 20_000;
/** The least pause between two chunks: waiting writers look every few milliseconds on SQLite. */
const pauseLeastMs = 10;

/** The size of the next chunk, from what the last one took. Moves by a factor of two at most. */
export function nextRows(rows: number, tookMs: number): number {
  const factor = Math.min(2, Math.max(0.5, chunkMs / Math.max(tookMs, 1)));
  return Math.round(Math.min(rowsMost, Math.max(rowsLeast, rows * factor)));
}

export interface BackfillRun {
  readonly migration: Migration;
  readonly dialect: Chunk["dialect"];
  /** Runs a transaction, and again while the database is busy. */
  transaction<T>(work: (trx: Transaction<Database>) => Promise<T>): Promise<T>;
  /** Reads the cursor in the chunk's transaction; undefined: another process has finished. */
  place(trx: Transaction<Database>): Promise<string | undefined>;
  /** Moves the cursor, or records the end of the migration. */
  note(trx: Transaction<Database>, done: ChunkDone): Promise<void>;
  elapsedMs(): number;
  pause(ms: number): Promise<unknown>;
}

/** Resolves when the back-fill is finished, by this process or another. */
export async function runBackfill(run: BackfillRun): Promise<void> {
  const { backfill } = run.migration;
  if (backfill === undefined) return;
  for (let rowsMax = rowsAtFirst; ; ) {
    let beganMs = 0;
    const isLeft = await run.transaction(async (trx) => {
      beganMs = run.elapsedMs();
      const cursor = await run.place(trx);
      if (cursor === undefined) return false;
      const done = await backfill.chunk({ trx, cursor, rowsMax, dialect: run.dialect });
      await run.note(trx, done);
      return !done.isLast;
    });
    if (!isLeft) return;
    const tookMs = run.elapsedMs() - beganMs;
    rowsMax = nextRows(rowsMax, tookMs);
    await run.pause(Math.max(pauseLeastMs, Math.min(tookMs, chunkMs * 4)));
  }
}
