/**
 * Removes requests that are older than the operator keeps them, oldest first and a few hundred at a time, so
 * that no settlement waits and the database reuses their space. What still counts stays: ledger entries, the
 * numbers of use, and by key what was paid. Only what is added up goes, so that no number of use loses any.
 * With an archive a day is written there whole, read back, and only then removed.
 */
import { sql, type Transaction } from "kysely";
import type { MethodsOptions } from "../sql/dialect.ts";
import type { Mark } from "../sql/insertion-order.ts";
import type { Database } from "../sql/schema.ts";
import { readProgress } from "../usage/rollup.ts";
import { createAuditRemoval } from "./audit.ts";
import { claimRemoval } from "./claim.ts";
import { dayMs } from "./files/archive-file.ts";
import { canRemove, requestsFrom } from "./removed.ts";
import { finishArchive, nextArchive, openArchive, toArchive } from "./requests-archive.ts";
import type { Removal, RemovalStep, RetentionStore } from "./shapes.ts";

/** Minutes whose range of ids is forgotten in one transaction. */
const minutesMax = 2_880;

const nothing: RemovalStep = { removed: 0, isMore: false };

/** Up to where requests are added up to the numbers of use; undefined: nothing may go at the moment. */
async function summedMark(
  trx: Transaction<Database>,
  { dialect }: MethodsOptions,
): Promise<Mark | undefined> {
  const { mark, isSound } = await readProgress(trx, dialect.insertionOrder);
  return isSound ? mark : undefined;
}

/** Which requests a piece is taken from: those before an id and a mark. */
interface Range {
  readonly endId: string;
  readonly mark: Mark;
}

/** Removes the oldest of a range with what belongs to them; resolves with their number. */
async function removePiece(
  trx: Transaction<Database>,
  { dialect }: MethodsOptions,
  { endId, mark }: Range,
  rowsMax: number,
): Promise<number> {
  const piece = sql`select id from requests where requests.id < ${endId}
    and ${dialect.insertionOrder.isBefore(mark)} order by requests.id limit ${rowsMax}`;
  await sql`insert into removed_by_key (account_id, key_id, requests, paid_nanos)
    select account_id, key_id, count(*), cast(sum(charge_nanos - loss_nanos) as bigint) from requests
      where id in (${piece}) group by account_id, key_id
    on conflict (account_id, key_id) do update set requests = removed_by_key.requests + excluded.requests,
      paid_nanos = removed_by_key.paid_nanos + excluded.paid_nanos`.execute(trx);
  if (dialect.hasAccountLists) {
    await sql`delete from requests_of_account where (account_id, created_at, id) in
      (select account_id, created_at, id from requests where id in (${piece}))`.execute(trx);
  }
  const { numAffectedRows } = await sql`delete from requests where id in (${piece})`.execute(trx);
  return Number(numAffectedRows ?? 0n);
}

/** Says that requests of before this time may be gone, before any is. */
async function lowerBound(trx: Transaction<Database>, belowMs: number): Promise<void> {
  await trx
    .updateTable("removed_requests")
    .set({ below_ms: belowMs })
    .where("below_ms", "<", belowMs)
    .execute();
  await sql`delete from usage_minutes where minute in (select minute from usage_minutes
    where minute < ${Math.floor(belowMs / 60_000)} order by minute limit ${minutesMax})`.execute(trx);
}

/** Removes a piece without an archive. */
async function removeOldest(options: MethodsOptions, removal: Removal, belowMs: number): Promise<number> {
  return await options.db.transaction().execute(async (trx) => {
    const mark = await summedMark(trx, options);
    if (mark === undefined) return 0;
    await lowerBound(trx, belowMs);
    return await removePiece(trx, options, { endId: requestsFrom(belowMs), mark }, removal.rowsMax);
  });
}

/** Removes a piece of the day that is archived; undefined: no archived day is left. */
async function removeArchived(
  options: MethodsOptions,
  removal: Removal,
  belowMs: number,
): Promise<RemovalStep | undefined> {
  const nowMs = options.clock.wallMs();
  return await options.db.transaction().execute(async (trx) => {
    const open = await openArchive(trx, options.dialect, nowMs);
    if (open === undefined) return undefined;
    await lowerBound(trx, Math.min((open.day + 1) * dayMs, belowMs));
    const removed = await removePiece(trx, options, open, removal.rowsMax);
    if (removed < removal.rowsMax) await finishArchive(trx, open, nowMs);
    return { removed, isMore: true };
  });
}

async function removeRequests(options: MethodsOptions, removal: Removal): Promise<RemovalStep> {
  const belowMs = Math.floor(removal.beforeMs / dayMs) * dayMs;
  if (!(await canRemove(options.db)) || !(await claimRemoval(options, removal.processId))) return nothing;
  if (removal.archive === undefined) {
    const removed = await removeOldest(options, removal, belowMs);
    return { removed, isMore: removed === removal.rowsMax };
  }
  const step = await removeArchived(options, removal, belowMs);
  if (step !== undefined) return step;
  const mark = await options.db
    .transaction()
    .setAccessMode("read only")
    .setIsolationLevel("repeatable read")
    .execute((trx) => summedMark(trx, options));
  if (mark === undefined) return nothing;
  const archived = await nextArchive(options, removal.archive, { endId: requestsFrom(belowMs), mark });
  return archived === undefined ? nothing : { removed: 0, archived, isMore: true };
}

export function createRetentionMethods(options: MethodsOptions): RetentionStore {
  return {
    removeRequests: (removal) => removeRequests(options, removal),
    ...createAuditRemoval(options),
    async listRequestArchives() {
      if (!(await canRemove(options.db))) return [];
      const rows = await options.db
        .selectFrom("request_archives")
        .selectAll()
        .orderBy("day")
        .orderBy("part")
        .execute();
      return rows.map(toArchive);
    },
  };
}
