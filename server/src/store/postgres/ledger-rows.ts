/**
 * The rows of a ledger batch on PostgreSQL: all are locked and read before anything is computed, and written
 * back together. Locks are taken in one global order (holder, accounts by id, budgets by id).
 */

import { invariant } from "../../lib/invariant.ts";
import type { LedgerBatch } from "../ledger/batch.ts";
import type { LeaseSubject } from "../ledger/lease-shapes.ts";
import type { AccountFunds, BudgetFunds, LedgerSource, LedgerWorkspace } from "../ledger/workspace.ts";
import { at, valuesPerRequest } from "../requests/row.ts";
import { type ArrayValue, arrayLiteral } from "./array.ts";
import { type EntryNumbers, type LastEntryRow, readEntryNumbers } from "./entry-numbers.ts";
import type { PostgresClient } from "./pool.ts";

/** A key share lock: it conflicts with a sweep of the holder, but not with its heartbeats. */
const lockHolders = `select id, expires_at > (extract(epoch from clock_timestamp()) * 1000)::bigint as is_alive
  from holders where id = any($1::text[]) order by id for key share`;
const now = "select (extract(epoch from clock_timestamp()) * 1000)::bigint as now";
const lockAccounts = `select id, balance_nanos, leased_nanos, spent_nanos, last_entry,
    status = 'active' and closed_at is null as is_active
  from accounts where id = any($1::text[]) order by id for no key update`;
const lockBudgets = `select id, spent_nanos, leased_nanos from key_budgets where id = any($1::text[]) order by id for no key update`;
const addBudgets = `insert into key_budgets (id, key_id, account_id, spent_nanos, leased_nanos)
  select wanted.id, wanted.key_id, api_keys.account_id, 0, 0 from unnest($1::text[], $2::text[]) as wanted (id, key_id)
    join api_keys on api_keys.id = wanted.key_id and api_keys.budget_nanos is not null
  order by wanted.id on conflict do nothing`;
const selectLeases = `select holder_id, kind, subject, amount_nanos from leases
  where (holder_id, kind, subject) in (select * from unnest($1::text[], $2::text[], $3::text[]))`;
const selectBudgetKeys = "select id, account_id, budget_nanos from api_keys where id = any($1::text[])";

const updateAccounts = `update accounts set balance_nanos = new.balance, leased_nanos = new.leased, spent_nanos = new.spent,
    last_entry = new.last
  from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
    as new (id, balance, leased, spent, last)
  where accounts.id = new.id`;
const updateBudgets = `update key_budgets set spent_nanos = new.spent, leased_nanos = new.leased
  from unnest($1::text[], $2::bigint[], $3::bigint[]) as new (id, spent, leased) where key_budgets.id = new.id`;
const addLeases = `insert into leases (holder_id, kind, subject, account_id, amount_nanos)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])`;
const updateLeases = `update leases set amount_nanos = new.amount
  from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as new (holder_id, kind, subject, amount)
  where leases.holder_id = new.holder_id and leases.kind = new.kind and leases.subject = new.subject`;
const dropLeases = `delete from leases using unnest($1::text[], $2::text[], $3::text[]) as gone (holder_id, kind, subject)
  where leases.holder_id = gone.holder_id and leases.kind = gone.kind and leases.subject = gone.subject`;

/** The rows a batch uses, without duplicates. */
interface Touched {
  readonly holders: Set<string>;
  readonly accounts: Set<string>;
  /** Budget id → key id. */
  readonly budgets: Map<string, string>;
  /** Holder, kind, subject. */
  readonly leases: Map<string, readonly [string, LeaseSubject["kind"], string]>;
}

const leaseKey = (holderId: string, kind: string, subject: string) => `${holderId}\n${kind}\n${subject}`;

function touchLease(touched: Touched, holderId: string, { kind, id, ownerId }: LeaseSubject): void {
  touched.holders.add(holderId);
  if (kind === "account") touched.accounts.add(id);
  else touched.budgets.set(id, ownerId);
  touched.leases.set(leaseKey(holderId, kind, id), [holderId, kind, id]);
}

function touchedBy({ values, returns, takes }: LedgerBatch): Touched {
  const touched: Touched = { holders: new Set(), accounts: new Set(), budgets: new Map(), leases: new Map() };
  for (let offset = 0; offset < values.length; offset += valuesPerRequest) {
    const holderId = values[offset + at.holderId] as string | null;
    const charge = (values[offset + at.charge] as bigint | null) ?? 0n;
    if (holderId === null && charge === 0n) continue;
    const accountId = values[offset + at.accountId] as string;
    const budgetId = values[offset + at.budgetId] as string | null;
    touched.accounts.add(accountId);
    if (budgetId !== null) touched.budgets.set(budgetId, values[offset + at.keyId] as string);
    if (holderId === null) continue;
    touchLease(touched, holderId, { kind: "account", id: accountId, ownerId: accountId });
    if (budgetId === null) continue;
    const ownerId = values[offset + at.keyId] as string;
    touchLease(touched, holderId, { kind: "budget", id: budgetId, ownerId });
  }
  for (const { holderId, subject } of [...returns, ...takes]) touchLease(touched, holderId, subject);
  return touched;
}

/** The rows with these ids; no query when there are none. */
async function rowsOf<R extends { id: string }>(
  client: PostgresClient,
  sql: string,
  name: string,
  ids: readonly string[],
): Promise<Map<string, R>> {
  if (ids.length === 0) return new Map();
  const { rows } = await client.query<R>(sql, [arrayLiteral(ids)], name);
  return new Map(rows.map((row) => [row.id, row]));
}

interface BudgetRow {
  readonly id: string;
  readonly spent_nanos: bigint;
  readonly leased_nanos: bigint;
}

/** Creates the rows of new periods, so that they can be locked, and locks all of them. */
async function lockedBudgets(
  client: PostgresClient,
  budgets: ReadonlyMap<string, string>,
): Promise<Map<string, BudgetRow>> {
  if (budgets.size === 0) return new Map();
  const lists = [arrayLiteral([...budgets.keys()]), arrayLiteral([...budgets.values()])];
  await client.query(addBudgets, lists, "add_budgets");
  return await rowsOf<BudgetRow>(client, lockBudgets, "lock_budgets", [...budgets.keys()]);
}

async function leaseAmounts(client: PostgresClient, { leases }: Touched): Promise<Map<string, bigint>> {
  if (leases.size === 0) return new Map();
  const places = [...leases.values()];
  const { rows } = await client.query<{
    holder_id: string;
    kind: string;
    subject: string;
    amount_nanos: bigint;
  }>(selectLeases, columnsOf(places), "select_leases");
  return new Map(rows.map((row) => [leaseKey(row.holder_id, row.kind, row.subject), row.amount_nanos]));
}

/** Rows of values → a list per column. */
function columnsOf(rows: readonly (readonly ArrayValue[])[]): string[] {
  const width = rows[0]?.length ?? 0;
  return Array.from({ length: width }, (_, column) => arrayLiteral(rows.map((row) => row[column])));
}

/** What `readLedgerRows` read. */
export interface LedgerRows {
  readonly source: LedgerSource;
  /** The database's clock, in Unix milliseconds. */
  readonly nowMs: number;
  readonly entryNumbers: EntryNumbers;
  /** The account that a lease or a budget belongs to. */
  accountOf(kind: LeaseSubject["kind"], subject: string): string;
}

interface AccountRow extends LastEntryRow {
  readonly balance_nanos: bigint;
  readonly leased_nanos: bigint;
  readonly spent_nanos: bigint;
  readonly is_active: boolean;
}

/** Locks and reads every row the batch uses. `isAgain`: the batch was refused before. */
export async function readLedgerRows(
  client: PostgresClient,
  batch: LedgerBatch,
  isAgain: boolean,
): Promise<LedgerRows> {
  const touched = touchedBy(batch);
  const { rows: times } = await client.query<{ now: number }>(now, [], "now");
  const holders = await rowsOf<{ id: string; is_alive: boolean }>(client, lockHolders, "lock_holders", [
    ...touched.holders,
  ]);
  const accounts = await rowsOf<AccountRow>(client, lockAccounts, "lock_accounts", [...touched.accounts]);
  const entryNumbers = await readEntryNumbers(client, accounts.values(), isAgain);
  const budgets = await lockedBudgets(client, touched.budgets);
  const keys = await rowsOf<{ id: string; account_id: string; budget_nanos: bigint | null }>(
    client,
    selectBudgetKeys,
    "select_budget_keys",
    [...touched.budgets.values()],
  );
  // Read after the locks, so the values stay valid until the commit.
  const leases = await leaseAmounts(client, touched);
  const source: LedgerSource = {
    account(id): AccountFunds | undefined {
      const row = accounts.get(id);
      return (
        row && {
          balance: row.balance_nanos,
          leased: row.leased_nanos,
          spent: row.spent_nanos,
          isActive: row.is_active,
        }
      );
    },
    lease: (holderId, kind, subject) => leases.get(leaseKey(holderId, kind, subject)),
    budget(id): BudgetFunds | undefined {
      const row = budgets.get(id);
      return row && { spent: row.spent_nanos, leased: row.leased_nanos };
    },
    budgetAmount: (keyId) => keys.get(keyId)?.budget_nanos ?? null,
    isAlive: (holderId) => holders.get(holderId)?.is_alive === true,
  };
  return {
    source,
    nowMs: times[0]?.now ?? 0,
    entryNumbers,
    accountOf(kind, subject) {
      if (kind === "account") return subject;
      const key = keys.get(touched.budgets.get(subject) ?? "");
      invariant(key !== undefined, "a lease on a budget belongs to a key", subject);
      return key.account_id;
    },
  };
}

async function writeRows(
  client: PostgresClient,
  sql: string,
  name: string,
  rows: readonly (readonly ArrayValue[])[],
): Promise<void> {
  if (rows.length > 0) await client.query(sql, columnsOf(rows), name);
}

/** Writes what the batch changed. */
export async function writeBack(
  client: PostgresClient,
  workspace: LedgerWorkspace,
  { accountOf, entryNumbers }: Pick<LedgerRows, "accountOf" | "entryNumbers">,
): Promise<void> {
  const leases = [...workspace.leases.values()].filter(({ isChanged }) => isChanged);
  const gone = leases.filter(({ isGone }) => isGone);
  const kept = leases.filter(({ isGone, isStored }) => !isGone && isStored);
  const added = leases.filter(({ isGone, isStored }) => !isGone && !isStored);
  const accounts = [...workspace.accounts.values()].filter(({ isChanged }) => isChanged);
  const budgets = [...workspace.budgets.values()].filter(({ isChanged }) => isChanged);
  const place = ({ holderId, kind, subject }: (typeof leases)[number]) => [holderId, kind, subject];
  await writeRows(client, dropLeases, "drop_leases", gone.map(place));
  await writeRows(
    client,
    addLeases,
    "add_leases",
    added.map((lease) => [...place(lease), accountOf(lease.kind, lease.subject), lease.amount]),
  );
  await writeRows(
    client,
    updateLeases,
    "update_leases",
    kept.map((lease) => [...place(lease), lease.amount]),
  );
  await writeRows(
    client,
    updateAccounts,
    "update_accounts",
    accounts.map(({ id, funds }) => [id, funds.balance, funds.leased, funds.spent, entryNumbers.lastOf(id)]),
  );
  await writeRows(
    client,
    updateBudgets,
    "update_budgets",
    budgets.map(({ id, funds }) => [id, funds.spent, funds.leased]),
  );
}
