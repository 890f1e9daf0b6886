/**
 * Writes a batch to the ledger in one durable transaction. This is the hot path: compiled statements, no
 * query builder. `ledger/workspace.ts` computes the amounts.
 */
import { BrokenInvariant } from "../../lib/invariant.ts";
import type { LedgerBatch, LedgerReply, RowFault } from "../ledger/batch.ts";
import { LedgerWorkspace } from "../ledger/workspace.ts";
import { columnList } from "../requests/columns.ts";
import { at, columnsPerRequest, type RequestValue, valuesPerRequest } from "../requests/row.ts";
import type { SqliteConnection } from "./connection.ts";
import { isRefusedValue } from "./errors.ts";
import { sqliteLedgerSource, writeBack } from "./ledger-rows.ts";

/** Rows in one statement at most: a longer one took no less CPU a row. */
const groupRows = 8;

/** Statements for 1 to `groupRows` rows. A row that is there already is skipped. */
function insertsInto(table: string, columns: readonly string[]): readonly string[] {
  const row = `(${columns.map(() => "?").join(", ")})`;
  return Array.from({ length: groupRows }, (_, index) => {
    const rows = Array.from({ length: index + 1 }, () => row).join(", ");
    return `insert into ${table} (${columns.join(", ")}) values ${rows} on conflict do nothing`;
  });
}

const requestInserts = insertsInto(
  "requests",
  columnList.map(({ name }) => name),
);
const entryColumns = ["account_id", "kind", "amount_nanos", "request_id", "created_at"];
const entryInserts = insertsInto("ledger_entries", entryColumns);
const [insertRequest = ""] = requestInserts;
const [insertEntry = ""] = entryInserts;

const keepAnswer = `update idempotency_keys set holder_id = null, status = ?, headers = ?, body = ?
  where account_id = ? and key = ? and request_id = ?`;

/** True when another request now owns the key, because this request's process was considered dead. */
const isKeyLost = "select 1 from idempotency_keys where account_id = ? and key = ? and request_id <> ?";

const freeKey = "delete from idempotency_keys where account_id = ? and key = ? and request_id = ?";

interface Writing {
  readonly connection: SqliteConnection;
  readonly workspace: LedgerWorkspace;
  readonly values: readonly RequestValue[];
  readonly nowMs: number;
}

/** Runs a statement; returns the number of rows it changed. (The driver counts in bigints.) */
function changesOf({ connection }: Writing, sql: string, values: readonly RequestValue[]): number {
  return Number(connection.prepare(sql).statement.run(...values).changes);
}

const isChanging = (writing: Writing, sql: string, row: readonly RequestValue[]): boolean =>
  changesOf(writing, sql, row) > 0;

/**
 * Writes one request with its settlement: the row, the entries, the answer for repeated calls and, last, the
 * amounts.
 */
function writeRequest(writing: Writing, offset: number): void {
  const { values, workspace, nowMs } = writing;
  const accountId = values[offset + at.accountId] as string;
  const requestId = values[offset + at.id] as string;
  const key = values[offset + at.idempotencyKey] as string | null;
  // If another request now owns this idempotency key, the operator is charged, not the account.
  const isForOperator =
    key !== null &&
    writing.connection.prepare(isKeyLost).statement.get(accountId, key, requestId) !== undefined;
  const plan = workspace.settle(values, offset, isForOperator);
  const row = values.slice(offset, offset + columnsPerRequest);
  row[at.loss] = plan.loss;
  // The id is known, so everything for this request was written before.
  if (!isChanging(writing, insertRequest, row)) return;
  let entered = 0n;
  if (plan.charge > 0n) {
    // Charged before; only the request's row was deleted since.
    if (!isChanging(writing, insertEntry, [accountId, "charge", -plan.charge, requestId, nowMs])) return;
    entered = -plan.charge;
    if (plan.loss > 0n) {
      const loss = [accountId, "operator_loss", plan.loss, requestId, nowMs];
      if (isChanging(writing, insertEntry, loss)) entered += plan.loss;
    }
  }
  if (key !== null) {
    const answer = values.slice(offset + at.answerStatus, offset + at.answerBody + 1);
    const place = [accountId, key, requestId];
    if (answer[0] === null) isChanging(writing, freeKey, place);
    else isChanging(writing, keepAnswer, [...answer, ...place]);
  }
  // Last, so that a refused request has not changed the workspace.
  plan.apply();
  if (entered !== 0n) workspace.enter(accountId, entered);
}

/** Some of a group was written before; the transaction is undone, and each request is written apart. */
class WrittenBefore extends Error {}

/** Inserts all these rows, a few with each statement. Throws WrittenBefore when one was there already. */
function insertAll(
  writing: Writing,
  inserts: readonly string[],
  values: readonly RequestValue[],
  columns: number,
): void {
  for (let from = 0; from < values.length; from += groupRows * columns) {
    const part = values.slice(from, from + groupRows * columns);
    const rows = part.length / columns;
    if (changesOf(writing, inserts[rows - 1] as string, part) < rows) throw new WrittenBefore();
  }
}

/** Writes new requests without an idempotency key, as `writeRequest` would one after the other. */
function writeGroup(writing: Writing, from: number, to: number): void {
  const { values, workspace, nowMs } = writing;
  const rows: RequestValue[] = [];
  const entries: RequestValue[] = [];
  for (let offset = from; offset < to; offset += valuesPerRequest) {
    const plan = workspace.settle(values, offset);
    const row = rows.length;
    for (let column = 0; column < columnsPerRequest; column++)
      rows.push(values[offset + column] as RequestValue);
    rows[row + at.loss] = plan.loss;
    plan.apply();
    if (plan.charge === 0n) continue;
    const accountId = values[offset + at.accountId] as string;
    const requestId = values[offset + at.id] as string;
    entries.push(accountId, "charge", -plan.charge, requestId, nowMs);
    if (plan.loss > 0n) entries.push(accountId, "operator_loss", plan.loss, requestId, nowMs);
    workspace.enter(accountId, plan.loss - plan.charge);
  }
  insertAll(writing, requestInserts, rows, columnsPerRequest);
  insertAll(writing, entryInserts, entries, entryColumns.length);
}

/** True when this request was refused because of its own values and everything else is fine. */
const isFault = (error: unknown): error is Error =>
  isRefusedValue(error) || error instanceof RangeError || error instanceof BrokenInvariant;

/**
 * Writes each request after a savepoint. Refused ones leave nothing and are reported; the others are written.
 */
function writeApart(writing: Writing): RowFault[] {
  const faults: RowFault[] = [];
  const run = (sql: string) => void writing.connection.prepare(sql).statement.run();
  for (let offset = 0; offset < writing.values.length; offset += valuesPerRequest) {
    run("savepoint request");
    try {
      writeRequest(writing, offset);
    } catch (error) {
      if (!isFault(error)) throw error;
      faults.push({ index: offset / valuesPerRequest, message: error.message });
      run("rollback to request");
    }
    run("release request");
  }
  return faults;
}

/** Writes requests in groups that end where one has an idempotency key, which is written by itself. */
function writeTogether(writing: Writing): RowFault[] {
  const { values } = writing;
  let from = 0;
  for (let offset = 0; offset < values.length; offset += valuesPerRequest) {
    if (values[offset + at.idempotencyKey] === null) continue;
    writeGroup(writing, from, offset);
    writeRequest(writing, offset);
    from = offset + valuesPerRequest;
  }
  writeGroup(writing, from, values.length);
  return [];
}

/** Commits the whole batch in one transaction; nothing is written when it throws. */
async function commit(
  connection: SqliteConnection,
  batch: LedgerBatch,
  nowMs: () => number,
  writeRequests: (writing: Writing) => RowFault[],
): Promise<LedgerReply> {
  await connection.begin("immediate");
  try {
    const startedMs = nowMs();
    const workspace = new LedgerWorkspace(sqliteLedgerSource(connection, startedMs));
    const faults = writeRequests({ connection, workspace, values: batch.values, nowMs: startedMs });
    const returned = batch.returns.map((entry) => workspace.giveBack(entry));
    const grants = batch.takes.map((entry) => workspace.take(entry));
    workspace.verify();
    writeBack(connection, workspace);
    connection.commit();
    return { faults, returned, grants };
  } catch (error) {
    connection.rollback();
    throw error;
  }
}

/**
 * Commits a batch. Requests refused because of their own values are returned; everything else is durable.
 * Throws SQLite's error when the whole transaction failed and nothing was written. The caller must hold the
 * connection's lock.
 */
export async function writeLedger(
  connection: SqliteConnection,
  batch: LedgerBatch,
  nowMs: () => number,
): Promise<LedgerReply> {
  try {
    return await commit(connection, batch, nowMs, writeTogether);
  } catch (error) {
    if (!isFault(error) && !(error instanceof WrittenBefore)) throw error;
  }
  // Savepoints are slow, so they are used only afterwards, which is rare.
  return await commit(connection, batch, nowMs, writeApart);
}
