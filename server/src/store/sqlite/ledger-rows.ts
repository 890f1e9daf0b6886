/** Reads and writes the rows of a ledger batch on SQLite with compiled statements. */
import type { LedgerSource, LedgerWorkspace } from "../ledger/workspace.ts";
import type { SqliteConnection } from "./connection.ts";

const selectAccount = `select balance_nanos as balance, leased_nanos as leased, spent_nanos as spent,
  status = 'active' and closed_at is null as active from accounts where id = ?`;
const selectLease =
  "select amount_nanos as amount from leases where holder_id = ? and kind = ? and subject = ?";
const selectBudget = "select spent_nanos as spent, leased_nanos as leased from key_budgets where id = ?";
const selectBudgetAmount = "select budget_nanos as amount from api_keys where id = ?";
const selectHolder = "select 1 from holders where id = ? and expires_at > ?";

const updateAccount = "update accounts set balance_nanos = ?, leased_nanos = ?, spent_nanos = ? where id = ?";
const insertLease = "insert into leases (amount_nanos, holder_id, kind, subject) values (?, ?, ?, ?)";
const updateLease = "update leases set amount_nanos = ? where holder_id = ? and kind = ? and subject = ?";
const deleteLease = "delete from leases where holder_id = ? and kind = ? and subject = ?";
const insertBudget = "insert into key_budgets (spent_nanos, leased_nanos, id, key_id) values (?, ?, ?, ?)";
const updateBudget = "update key_budgets set spent_nanos = ?, leased_nanos = ? where id = ? and key_id = ?";

/** Reads rows on demand. No other transaction runs, so nothing needs locking. */
export function sqliteLedgerSource(connection: SqliteConnection, nowMs: number): LedgerSource {
  const get = (sql: string, ...parameters: (string | number)[]) =>
    connection.prepare(sql).statement.get(...parameters) as Record<string, bigint> | undefined;
  return {
    account(id) {
      const row = get(selectAccount, id);
      return (
        row && {
          balance: row["balance"] as bigint,
          leased: row["leased"] as bigint,
          spent: row["spent"] as bigint,
          isActive: row["active"] === 1n,
        }
      );
    },
    lease: (holderId, kind, subject) => get(selectLease, holderId, kind, subject)?.["amount"],
    budget(id) {
      const row = get(selectBudget, id);
      return row && { spent: row["spent"] as bigint, leased: row["leased"] as bigint };
    },
    budgetAmount: (keyId) => get(selectBudgetAmount, keyId)?.["amount"] ?? null,
    isAlive: (holderId) => get(selectHolder, holderId, nowMs) !== undefined,
  };
}

/** Writes what the batch changed. */
export function writeBack(connection: SqliteConnection, workspace: LedgerWorkspace): void {
  const run = (sql: string, ...parameters: (string | bigint)[]) =>
    connection.prepare(sql).statement.run(...parameters);
  for (const lease of workspace.leases.values()) {
    if (!lease.isChanged) continue;
    const place = [lease.holderId, lease.kind, lease.subject];
    if (lease.isGone) run(deleteLease, ...place);
    else run(lease.isStored ? updateLease : insertLease, lease.amount, ...place);
  }
  for (const { id, funds, isChanged } of workspace.accounts.values()) {
    if (isChanged) run(updateAccount, funds.balance, funds.leased, funds.spent, id);
  }
  for (const { id, keyId, funds, isStored, isChanged } of workspace.budgets.values()) {
    if (isChanged) run(isStored ? updateBudget : insertBudget, funds.spent, funds.leased, id, keyId);
  }
}
