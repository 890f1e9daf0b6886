/** Leases and budgets get their account beside older servers, and new keys while newer ones lend. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { sharedPostgres } from "../../../../test/postgres/shared.ts";
import { askServer } from "../../../../test/upgrades/corpus.ts";
import type { LeaseSubject } from "../ledger/lease-shapes.ts";
import { openStoreInProcess } from "../open.ts";
import { newKey } from "../testing/behaviour/leases.ts";
import { accountSubject, chargedRow, newAccount, priceOneNano, take } from "../testing/behaviour/money.ts";
import { openForMigrations } from "../testing/older-schema.ts";
import { accountOfLeases } from "./0034-account-of-leases.ts";
import { leasesWithAccount } from "./0035-leases-with-account.ts";
import { migrations } from "./index.ts";
import { migrate } from "./migrate.ts";

const secretKey = Buffer.alloc(32, 1);
const account = accountSubject("acc_1");
const budgetOf = (month: string): LeaseSubject => ({
  kind: "budget",
  id: `key_1:month:${month}`,
  ownerId: "key_1",
});

/** What servers before migration 34 say. */
const olderLease = (amount: number) => `insert into leases (holder_id, kind, subject, amount_nanos)
  values ('old', 'account', 'acc_1', ${amount}), ('old', 'budget', '${budgetOf("2026-10").id}', ${amount})
  on conflict (holder_id, kind, subject) do update set amount_nanos = excluded.amount_nanos`;
const olderBudget = (month: string, leased: number) =>
  `insert into key_budgets (id, key_id, spent_nanos, leased_nanos)
  values ('${budgetOf(month).id}', 'key_1', 0, ${leased})`;

test("the account of leases and budgets is filled in, and becomes a part of their keys", async (context) => {
  const url = await (await sharedPostgres()).newDatabase();
  const { db, options } = await openForMigrations({ kind: "postgres", url });
  context.after(() => db.destroy());
  const ask = askServer(url);
  const older = migrations.filter(
    ({ version }) => version !== accountOfLeases.version && version !== leasesWithAccount.version,
  );
  await migrate(db, { ...options, migrations: older });
  const store = await openStoreInProcess({ database: { kind: "postgres", url }, secretKey });
  context.after(() => store.close());
  const priceId = await priceOneNano(store);
  await newAccount(store, "acc_1", 1_000n);
  await newKey(store, "key_1", 1_000n);
  for (const id of ["old", "new"]) {
    const schema_version = (id === "old" ? accountOfLeases.version : leasesWithAccount.version) - 1;
    const expires_at = Date.now() + 600_000;
    await db.insertInto("holders").values({ id, created_at: 0, expires_at, schema_version }).execute();
  }
  await ask("update accounts set leased_nanos = 10 where id = 'acc_1'");
  await ask(olderBudget("2026-10", 10));
  await ask(olderLease(10));

  // Beside the older server: it waits, and both lend.
  const { waiting } = await migrate(db, options);
  assert.deepEqual(
    waiting.map(({ version }) => version),
    [leasesWithAccount.version],
  );
  assert.deepEqual(await ask("select account_id from key_budgets"), [{ account_id: "acc_1" }]);
  await ask(olderLease(20));
  await ask("update accounts set leased_nanos = 20 where id = 'acc_1'");
  await ask("update key_budgets set leased_nanos = 20");
  await ask(olderBudget("2026-09", 0));
  for (const subject of [account, budgetOf("2026-10"), budgetOf("2026-11")]) {
    for (const amount of [30n, 5n])
      assert.equal((await take(store, "new", subject, amount)).status, "granted");
  }
  assert.deepEqual((await store.verifyLedger()).findings, []);

  // Without it, while the newer server settles.
  await db.updateTable("holders").set({ expires_at: 0 }).where("id", "=", "old").execute();
  let number = 0;
  let isOver = false;
  const part = { fromLease: nanoUsd(1n), release: nanoUsd(0n) };
  const settling = (async () => {
    for (; !isOver; number += 1) {
      await store.recordRequest(chargedRow(number, "acc_1", 1n, priceId, { keyId: "key_1" }), {
        holderId: "new",
        account: part,
        budget: { id: budgetOf("2026-11").id, ...part },
      });
      assert.equal((await take(store, "new", account, 1n)).status, "granted");
      assert.equal((await take(store, "new", budgetOf("2026-11"), 1n)).status, "granted");
    }
  })();
  const done = await migrate(db, options);
  isOver = true;
  await settling;
  assert.deepEqual([done.waiting, done.to], [[], migrations.at(-1)?.version]);
  const keys = await ask(`select pg_get_constraintdef(oid) as text from pg_constraint
    where contype = 'p' and conrelid in ('leases'::regclass, 'key_budgets'::regclass) order by 1`);
  assert.deepEqual(
    keys.map(({ text }) => text),
    ["PRIMARY KEY (holder_id, kind, subject, account_id)", "PRIMARY KEY (id, account_id)"],
  );
  const accounts = await ask(`select account_id, count(*)::int as count from
    (select account_id from leases union all select account_id from key_budgets) as both_tables group by 1`);
  assert.deepEqual(accounts, [{ account_id: "acc_1", count: 5 + 3 }]);

  // Everything comes home, from both.
  await store.closeHolder("old");
  await store.closeHolder("new");
  assert.deepEqual(await ask("select 1 from leases"), []);
  assert.deepEqual((await store.verifyLedger()).findings, []);
  assert.ok(number > 0);
});
