/**
 * Writes a batch to the ledger in one durable transaction of a few statements, whatever the number of
 * requests: the server unnests one list per column. `ledger/workspace.ts` computes the amounts.
 */
import { BrokenInvariant } from "../../lib/invariant.ts";
import { StoreError } from "../error.ts";
import type { LedgerBatch, LedgerReply, RowFault } from "../ledger/batch.ts";
import { LedgerWorkspace } from "../ledger/workspace.ts";
import { columnList, columnTypes } from "../requests/columns.ts";
import { at, type RequestValue, valuesPerRequest } from "../requests/row.ts";
import { arrayLiteral } from "./array.ts";
import type { EntryNumbers } from "./entry-numbers.ts";
import { readLedgerRows, writeBack } from "./ledger-rows.ts";
import type { PostgresClient, PostgresPool } from "./pool.ts";

const names = columnList.map(({ name }) => name);
const lists = columnList.map(({ kind }, index) => `$${index + 1}::${columnTypes[kind].postgres}[]`);

/**
 * A row with a known id and account is skipped, so recording can be repeated safely. No key is named: servers
 * work before and after migration 29.
 */
const insertRequests = `insert into requests (${names.join(", ")})
  select * from unnest(${lists.join(", ")}) on conflict do nothing returning id`;

/** While a sequence gives the numbers. It may be before migration 29, so no key is named. */
const insertEntries = `insert into ledger_entries (account_id, kind, amount_nanos, request_id, created_at)
  select account_id, $1, amount_nanos, request_id, $2
    from unnest($3::text[], $4::bigint[], $5::text[]) as added (account_id, amount_nanos, request_id)
  on conflict do nothing returning request_id as id`;

/** The key of the account and the number is not named: two entries of one number are a fault. */
const insertNumbered = `insert into ledger_entries (account_id, id, kind, amount_nanos, request_id, created_at)
  select account_id, id, $1, amount_nanos, request_id, $2
    from unnest($3::text[], $4::bigint[], $5::text[], $6::bigint[]) as added (account_id, amount_nanos, request_id, id)
  on conflict (request_id, kind, account_id) where request_id is not null do nothing returning request_id as id`;

const noteLosses = `update requests set loss_nanos = lost.nanos
  from unnest($1::text[], $2::text[], $3::bigint[]) as lost (id, account_id, nanos)
  where requests.id = lost.id and requests.account_id = lost.account_id`;

const keepAnswer = `update idempotency_keys set holder_id = null, status = $1, headers = $2, body = $3
  where account_id = $4 and key = $5 and request_id = $6`;

/** True when another request now owns the key, because this request's process was considered dead. */
const isKeyLost = "select 1 from idempotency_keys where account_id = $1 and key = $2 and request_id <> $3";

const freeKey = "delete from idempotency_keys where account_id = $1 and key = $2 and request_id = $3";

interface Writing {
  readonly client: PostgresClient;
  readonly workspace: LedgerWorkspace;
  readonly entryNumbers: EntryNumbers;
  readonly values: readonly RequestValue[];
  /** The database's clock. */
  readonly nowMs: number;
}

interface Loss {
  readonly accountId: string;
  readonly requestId: string;
  readonly nanos: bigint;
}

const textAt = (values: readonly RequestValue[], index: number): string => values[index] as string;

/** Inserts the rows; returns the ids of new ones. */
async function insertRows({ client, values }: Writing): Promise<Set<string>> {
  const columns = columnList.map((_, index) => arrayLiteral(values, index, valuesPerRequest));
  const { rows } = await client.query<{ id: string }>(insertRequests, columns, "insert_requests");
  return new Set(rows.map(({ id }) => id));
}

async function addEntries(
  { client, nowMs, entryNumbers }: Writing,
  kind: "charge" | "operator_loss",
  entries: readonly Loss[],
): Promise<Set<string>> {
  if (entries.length === 0) return new Set();
  const lists = [
    arrayLiteral(entries.map(({ accountId }) => accountId)),
    arrayLiteral(entries.map(({ nanos }) => nanos)),
    arrayLiteral(entries.map(({ requestId }) => requestId)),
  ];
  const values = [kind, nowMs, ...lists];
  const { rows } = entryNumbers.areOurs
    ? await client.query<{ id: string }>(
        insertNumbered,
        [...values, arrayLiteral(entries.map(({ accountId }) => entryNumbers.take(accountId)))],
        "insert_numbered_entries",
      )
    : await client.query<{ id: string }>(insertEntries, values, "insert_entries");
  return new Set(rows.map(({ id }) => id));
}

/** Offsets of the newly inserted requests; of several with one id, the first. */
function newOffsets(values: readonly RequestValue[], inserted: Set<string>): number[] {
  const offsets: number[] = [];
  for (let offset = 0; offset < values.length; offset += valuesPerRequest) {
    if (inserted.delete(textAt(values, offset + at.id))) offsets.push(offset);
  }
  return offsets;
}

/**
 * Inserts the charges of new requests. Returns the offsets of those not charged before and those without a
 * charge.
 */
async function addCharges(writing: Writing, offsets: readonly number[]): Promise<number[]> {
  const { values } = writing;
  const chargeAt = (offset: number) => (values[offset + at.charge] as bigint | null) ?? 0n;
  const charges = offsets
    .filter((offset) => chargeAt(offset) > 0n)
    .map((offset) => ({
      accountId: textAt(values, offset + at.accountId),
      requestId: textAt(values, offset + at.id),
      nanos: -chargeAt(offset),
    }));
  for (const { accountId } of charges) writing.workspace.requireAccount(accountId);
  const charged = await addEntries(writing, "charge", charges);
  return offsets.filter((offset) => chargeAt(offset) === 0n || charged.has(textAt(values, offset + at.id)));
}

/** Stores the answer or releases the key; returns false when another request now owns the key. */
async function settleKey({ client, values }: Writing, offset: number): Promise<boolean> {
  const key = values[offset + at.idempotencyKey];
  if (key === null) return true;
  const place = [textAt(values, offset + at.accountId), key, textAt(values, offset + at.id)];
  const answer = values.slice(offset + at.answerStatus, offset + at.answerBody + 1);
  if (answer[0] === null) await client.query(freeKey, place);
  else await client.query(keepAnswer, [...answer, ...place]);
  const { rowCount } = await client.query(isKeyLost, place);
  return rowCount === 0;
}

/** Writes everything for one or many requests; the amounts are changed last, in memory. */
async function writeRequests(writing: Writing): Promise<void> {
  const { client, values, workspace } = writing;
  if (values.length === 0) return;
  const offsets = await addCharges(writing, newOffsets(values, await insertRows(writing)));
  const lostKeys = new Set<number>();
  for (const offset of offsets) {
    if (!(await settleKey(writing, offset))) lostKeys.add(offset);
  }
  const losses: Loss[] = [];
  for (const offset of offsets) {
    // If another request now owns this idempotency key, the operator is charged, not the account.
    const plan = workspace.settle(values, offset, lostKeys.has(offset));
    plan.apply();
    if (plan.charge > 0n) workspace.enter(textAt(values, offset + at.accountId), -plan.charge);
    if (plan.loss === 0n) continue;
    const requestId = textAt(values, offset + at.id);
    losses.push({ accountId: textAt(values, offset + at.accountId), requestId, nanos: plan.loss });
  }
  if (losses.length === 0) return;
  const entered = await addEntries(writing, "operator_loss", losses);
  for (const { accountId, requestId, nanos } of losses) {
    if (entered.has(requestId)) workspace.enter(accountId, nanos);
  }
  const lost = [
    losses.map(({ requestId }) => requestId),
    losses.map(({ accountId }) => accountId),
    losses.map(({ nanos }) => nanos),
  ];
  await client.query(
    noteLosses,
    lost.map((list) => arrayLiteral(list)),
  );
}

/** True when a request was refused because of its own values and connection and database are fine. */
const isFault = (thrown: unknown): thrown is Error =>
  thrown instanceof RangeError ||
  thrown instanceof BrokenInvariant ||
  (thrown instanceof StoreError && (thrown.code === "invalid" || thrown.code === "duplicate"));

async function writeTogether(writing: Writing): Promise<RowFault[]> {
  await writeRequests(writing);
  return [];
}

/**
 * Writes requests one at a time, each after a savepoint. Refused ones leave nothing and are reported; the
 * others are written.
 */
async function writeApart(writing: Writing): Promise<RowFault[]> {
  const { client, values } = writing;
  const faults: RowFault[] = [];
  for (let offset = 0; offset < values.length; offset += valuesPerRequest) {
    await client.query("savepoint request");
    try {
      await writeRequests({ ...writing, values: values.slice(offset, offset + valuesPerRequest) });
    } catch (error) {
      if (!isFault(error)) throw error;
      faults.push({ index: offset / valuesPerRequest, message: error.message });
      await client.query("rollback to savepoint request");
    }
    await client.query("release savepoint request");
  }
  return faults;
}

function commit(
  pool: PostgresPool,
  batch: LedgerBatch,
  write: (writing: Writing) => Promise<RowFault[]>,
  isAgain: boolean,
): Promise<LedgerReply> {
  return pool.inTransaction(async (client) => {
    const rows = await readLedgerRows(client, batch, isAgain);
    const { nowMs, entryNumbers } = rows;
    const workspace = new LedgerWorkspace(rows.source);
    const faults = await write({ client, workspace, entryNumbers, values: batch.values, nowMs });
    const returned = batch.returns.map((entry) => workspace.giveBack(entry));
    const grants = batch.takes.map((entry) => workspace.take(entry));
    workspace.verify();
    await writeBack(client, workspace, rows);
    return { faults, returned, grants };
  });
}

/**
 * Commits a batch. Requests refused because of their own values are returned; everything else is durable.
 * Rejects with StoreError when the whole batch failed and nothing is known to be written.
 */
export async function writeLedger(pool: PostgresPool, batch: LedgerBatch): Promise<LedgerReply> {
  try {
    return await commit(pool, batch, writeTogether, false);
  } catch (error) {
    if (!isFault(error)) throw error;
  }
  // Savepoints are slow, so they are used only after a failure, which is rare.
  return await commit(pool, batch, writeApart, true);
}
