/** The ledger check finds manual changes; each kind of damage is made with SQL. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { LedgerFinding } from "../ledger/shapes.ts";
import { openStoreInProcess } from "../open.ts";
import type { Store } from "../store.ts";
import {
  accountSubject,
  audit,
  chargedRow,
  newAccount,
  priceOneNano,
  take,
  topup,
} from "../testing/behaviour/money.ts";

const budget = { kind: "budget", id: "key_1:month:2026-11", ownerId: "key_1" } as const;

/**
 * A sound ledger with one of everything: 3 accounts, a charge, a loss, a refund, a grant, leases, a budget.
 */
async function fill(store: Store): Promise<void> {
  for (const [id, balance] of [
    ["acc_1", 1_000n],
    ["acc_2", 10n],
    ["acc_3", 0n],
  ] as const) {
    await newAccount(store, id, balance);
  }
  const priceId = await priceOneNano(store);
  await store.createKey({
    id: "key_1",
    accountId: "acc_1",
    name: "k",
    visiblePrefix: "sk-plaza-ab",
    digest: createHash("sha256").update("k").digest("hex"),
    models: null,
    requestsPerMinute: null,
    tokensPerMinute: null,
    concurrency: null,
    budget: { amount: nanoUsd(500n), period: "month" },
    expiresAt: null,
  });
  await store.openHolder("h1");
  await take(store, "h1", accountSubject("acc_1"), 300n);
  await take(store, "h1", budget, 100n);
  await store.recordRequest(chargedRow(1, "acc_1", 70n, priceId), {
    holderId: "h1",
    account: { fromLease: nanoUsd(70n), release: nanoUsd(0n) },
    budget: { id: budget.id, fromLease: nanoUsd(70n), release: nanoUsd(0n) },
  });
  await store.recordRequest(chargedRow(2, "acc_2", 15n, priceId));
  await store.addEntry({
    accountId: "acc_1",
    kind: "refund",
    amount: nanoUsd(20n),
    requestId: chargedRow(1, "", 0n, 0).id,
  });
  await store.addEntry(topup("acc_1", 50n, { expiresAt: Date.now() + 3_600_000 }));
}

async function tampered(context: TestContext, statements: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), "store-"));
  context.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "plaza.db");
  const store = await openStoreInProcess({ database: { kind: "sqlite", file }, secretKey: randomBytes(32) });
  context.after(() => store.close());
  await store.migrate();
  await fill(store);
  await audit(store);
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  database.exec("pragma ignore_check_constraints = on");
  for (const verb of ["update", "delete"]) database.exec(`drop trigger ledger_entries_no_${verb}`);
  for (const statement of statements) database.exec(statement);
  database.close();
  return await store.verifyLedger();
}

const said = ({ what, subject, text }: LedgerFinding): string => `${what} ${subject}: ${text}`;

const first = "req_000000001";
const second = "req_000000002";
const copyEntry = `insert into ledger_entries (account_id, kind, amount_nanos, request_id, created_at)
  select account_id, kind, amount_nanos, request_id, created_at from ledger_entries where kind = 'charge' and request_id = '${first}'`;

/** Each kind of damage and the expected findings. */
const cases: readonly [string, readonly string[], readonly RegExp[]][] = [
  [
    "a changed balance",
    ["update accounts set balance_nanos = balance_nanos + 1 where id = 'acc_3'"],
    [/^balance acc_3: the balance is 0\.000000001 USD, but its entries sum to 0\.00 USD$/],
  ],
  [
    "an entry that is missing",
    [`delete from ledger_entries where request_id = '${first}' and kind = 'charge'`],
    [
      /^balance acc_1: /,
      /^charge req_000000001: the request records 0\.00000007 USD as charge, the ledger 0\.00 USD$/,
    ],
  ],
  [
    "an entry that was changed",
    ["update ledger_entries set amount_nanos = 11 where account_id = 'acc_2' and kind = 'topup'"],
    [/^balance acc_2: the balance is 0\.00 USD, but its entries sum to 0\.000000001 USD$/],
  ],
  [
    "an entry written twice",
    ["drop index ledger_entries_by_request", copyEntry],
    [/^balance acc_1: /, /^charge req_000000001: the request has 2 charge entries$/],
  ],
  [
    "a request charged twice, balance and all",
    [
      "drop index ledger_entries_by_request",
      copyEntry,
      "update accounts set balance_nanos = balance_nanos - 70 where id = 'acc_1'",
    ],
    [/^charge req_000000001: the request has 2 charge entries$/],
  ],
  [
    "an entry without its request",
    [`delete from requests where id = '${first}'`],
    [
      /^charge req_000000001: account acc_1 has the charge of a request that does not exist$/,
      /^budget key_1: /,
    ],
  ],
  [
    "a charge on another account than the request's",
    [`update requests set account_id = 'acc_3' where id = '${first}'`],
    [/^charge req_000000001: account acc_1 has the charge of a request made by account acc_3$/],
  ],
  [
    "a loss that is missing",
    [
      "delete from ledger_entries where kind = 'operator_loss'",
      "update accounts set balance_nanos = -5 where id = 'acc_2'",
    ],
    [
      /^bounds acc_2: a balance of -0\.000000005 USD with 0\.00 USD leased is not possible$/,
      /^charge req_000000002: the request records 0\.000000005 USD as operator_loss, the ledger 0\.00 USD$/,
    ],
  ],
  [
    "more lent than there is",
    [
      "update leases set amount_nanos = 2000 where kind = 'account'",
      "update accounts set leased_nanos = 2000 where id = 'acc_1'",
    ],
    [/^bounds acc_1: a balance of 0\.000001 USD with 0\.000002 USD leased is not possible$/],
  ],
  [
    "a wrong sum of leases",
    ["update accounts set leased_nanos = 231 where id = 'acc_1'"],
    [/^lease acc_1: 0\.000000231 USD are recorded as leased, but the leases sum to 0\.00000023 USD$/],
  ],
  [
    "a lease that vanished",
    ["delete from leases where kind = 'budget'"],
    [/^lease key_1:month:2026-11: 0\.00000003 USD are recorded as leased, but the leases sum to 0\.00 USD$/],
  ],
  [
    "a lease on nothing",
    [
      "insert into leases values ('h1', 'account', 'acc_absent', 5)",
      "insert into leases values ('h1', 'budget', 'no budget', 5)",
    ],
    [
      /^lease acc_absent: holder h1 has a lease without an account or budget$/,
      /^lease no budget: holder h1 has a lease without an account or budget$/,
    ],
  ],
  [
    "usage that does not give the charge",
    [`update requests set input_tokens = input_tokens + 1 where id = '${second}'`],
    [/^request req_000000002: charged 0\.000000015 USD, but usage and price 1 result in 0\.000000016 USD$/],
  ],
  [
    "a charge without a price",
    [
      `update requests set price_id = null where id = '${second}'`,
      `update requests set price_id = 77 where id = '${first}'`,
    ],
    [
      /^request req_000000001: charged 0\.00000007 USD without a price$/,
      /^request req_000000002: charged 0\.000000015 USD without a price$/,
    ],
  ],
  [
    "a charge for no usage",
    [`update requests set usage_source = 'none' where id = '${second}'`],
    [/^request req_000000002: charged 0\.000000015 USD, but usage and price 1 result in 0\.00 USD$/],
  ],
  [
    "a budget that spent more than its key's requests",
    ["update key_budgets set spent_nanos = 81"],
    [
      /^budget key_1: the budget counts 0\.000000081 USD as spent, but the key's requests cost 0\.00000008 USD$/,
    ],
  ],
  [
    "a grant larger than it was",
    ["update grants set remaining_nanos = 51"],
    [/^grant \d+: 0\.000000051 USD of a top-up of 0\.00000005 USD are left, which is not possible$/],
  ],
];

for (const [name, statements, expected] of cases) {
  test(`${name} is found, and nothing else is said`, async (context) => {
    const report = await tampered(context, statements);
    assert.equal(report.isOk, false);
    assert.equal(report.findings.length, expected.length, report.findings.map(said).join("\n"));
    for (const pattern of expected) {
      assert.ok(
        report.findings.some((finding) => pattern.test(said(finding))),
        `${pattern} in\n${report.findings.map(said).join("\n")}`,
      );
    }
  });
}

test("a thousand findings are counted, a hundred are told", async (context) => {
  const rows = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
    insert into accounts (id, name, status, balance_nanos, created_at) select 'x' || i, 'x', 'active', 1, 0 from n`;
  const report = await tampered(context, [rows]);
  assert.deepEqual([report.findings.length, report.moreFindings, report.isOk], [100, 900, false]);
});

test("sums beyond 64 bits are told exactly", async (context) => {
  const store = await openStoreInProcess({
    database: { kind: "sqlite", file: ":memory:" },
    secretKey: randomBytes(32),
  });
  context.after(() => store.close());
  await store.migrate();
  const most = 5n * 10n ** 18n;
  for (let number = 0; number < 4; number++) await newAccount(store, `acc_${number}`, most - BigInt(number));
  const { isOk, totals } = await store.verifyLedger();
  assert.deepEqual([isOk, totals.balance, totals.credited], [true, most * 4n - 6n, most * 4n - 6n]);
});
