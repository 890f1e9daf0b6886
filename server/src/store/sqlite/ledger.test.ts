/**
 * Money with a test clock: holders that stop and grants that expire; and what the tables themselves refuse.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { holderLifeMs } from "../ledger/lease-shapes.ts";
import { openStoreInProcess } from "../open.ts";
import type { Store } from "../store.ts";
import {
  accountSubject,
  audit,
  chargedRow,
  funds,
  newAccount,
  priceOneNano,
  take,
  topup,
} from "../testing/behaviour/money.ts";
import { createMigratedFile } from "../testing/migrated-file.ts";

const one = accountSubject("acc_1");

async function newStore(context: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), "store-"));
  context.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "plaza.db");
  await createMigratedFile(file);
  const clock = { nowMs: 1_763_700_000_000 };
  const store = await openStoreInProcess({
    database: { kind: "sqlite", file },
    secretKey: randomBytes(32),
    clock: { wallMs: () => clock.nowMs, elapsedMs: () => 0 },
  });
  context.after(() => store.close());
  return { store, file, clock };
}

/** Kinds and amounts of an account's entries, oldest first. */
async function lines(store: Store, accountId = "acc_1"): Promise<string[]> {
  const entries = await store.listEntries({ accountId, limit: 100 });
  return entries.map(({ kind, amount }) => `${kind} ${amount}`).toReversed();
}

test("a holder whose heartbeats stop loses its leases to the next one's heartbeat, and may not go on", async (context) => {
  const { store, clock } = await newStore(context);
  await newAccount(store, "acc_1", 100n);
  const priceId = await priceOneNano(store);
  await store.openHolder("dead");
  await store.openHolder("alive");
  await take(store, "dead", one, 40n);
  await take(store, "alive", one, 10n);
  clock.nowMs += holderLifeMs - 1;
  assert.equal(await store.heartbeat("alive"), true);
  assert.deepEqual(await funds(store, "acc_1"), { balance: 100n, leased: 50n });
  clock.nowMs += 1;
  // Expired but not swept yet: it cannot borrow more, but its lease still pays for its requests.
  assert.equal((await take(store, "dead", one, 1n)).status, "fenced");
  await store.recordRequest(chargedRow(1, "acc_1", 5n, priceId), {
    holderId: "dead",
    account: { fromLease: nanoUsd(5n), release: nanoUsd(0n) },
  });
  assert.deepEqual(await funds(store, "acc_1"), { balance: 95n, leased: 45n });
  assert.equal(await store.heartbeat("alive"), true);
  assert.deepEqual(await funds(store, "acc_1"), { balance: 95n, leased: 10n });
  assert.equal(await store.heartbeat("dead"), false);
  await audit(store);
});

test("requests whose rows were removed are not charged again, also among new ones", async (context) => {
  const { store, file } = await newStore(context);
  await newAccount(store, "acc_1", 100n);
  const priceId = await priceOneNano(store);
  const record = (number: number) => store.recordRequest(chargedRow(number, "acc_1", 5n, priceId));
  await record(1);
  const database = new DatabaseSync(file);
  database.exec("delete from requests");
  database.close();
  await Promise.all(Array.from({ length: 12 }, (_, number) => record(number)));
  assert.deepEqual(await funds(store, "acc_1"), { balance: 40n, leased: 0n });
  assert.deepEqual(await lines(store), ["topup 100", ...Array<string>(12).fill("charge -5")]);
});

test("a holder that sleeps through its own life is told so, and its leases are back at once", async (context) => {
  const { store, clock } = await newStore(context);
  await newAccount(store, "acc_1", 100n);
  await store.openHolder("h1");
  await take(store, "h1", one, 40n);
  clock.nowMs += holderLifeMs;
  assert.equal(await store.heartbeat("h1"), false);
  assert.deepEqual(await funds(store, "acc_1"), { balance: 100n, leased: 0n });
  await store.openHolder("h1");
  assert.equal((await take(store, "h1", one, 40n)).status, "granted");
  await audit(store);
});

test("what a holder that is gone was working on is forgotten with it, answers are kept", async (context) => {
  const { store, file, clock } = await newStore(context);
  await newAccount(store, "acc_1", 100n);
  const priceId = await priceOneNano(store);
  await store.openHolder("h1");
  for (const [number, key] of ["done", "open"].entries()) {
    const { id: requestId } = chargedRow(number, "", 0n, 0);
    const expiresAt = clock.nowMs + 3_600_000;
    const claim = { accountId: "acc_1", key, fingerprint: "f", requestId, holderId: "h1", expiresAt };
    await store.claimIdempotencyKey(claim);
  }
  await store.recordRequest(chargedRow(0, "acc_1", 0n, priceId), {
    holderId: "h1",
    account: { fromLease: nanoUsd(0n), release: nanoUsd(0n) },
    idempotency: { key: "done", answer: { status: 200, headers: [], body: new Uint8Array(1) } },
  });
  clock.nowMs += holderLifeMs;
  await store.heartbeat("h1");
  const database = new DatabaseSync(file);
  context.after(() => database.close());
  const keys = database.prepare("select key from idempotency_keys").all();
  assert.deepEqual(
    keys.map(({ key }) => key),
    ["done"],
  );
});

test("spending uses up what expires soonest; only the unused rest expires", async (context) => {
  const { store, clock } = await newStore(context);
  await newAccount(store, "acc_1", 50n);
  const priceId = await priceOneNano(store);
  await store.openHolder("h1");
  const begin = clock.nowMs;
  const beat = async (atMs: number) => {
    clock.nowMs = begin + atMs;
    await store.heartbeat("h1");
  };
  await store.recordRequest(chargedRow(1, "acc_1", 10n, priceId));
  await store.addEntry(topup("acc_1", 100n, { expiresAt: begin + 2_000 }));
  await store.addEntry(topup("acc_1", 30n, { expiresAt: begin + 1_000 }));
  // 30 of the second, 5 of the first.
  await store.recordRequest(chargedRow(2, "acc_1", 35n, priceId));
  await beat(1_000);
  assert.deepEqual(await funds(store, "acc_1"), { balance: 135n, leased: 0n });
  await store.addEntry(topup("acc_1", 7n));
  await store.recordRequest(chargedRow(3, "acc_1", 15n, priceId));
  await beat(1_999);
  assert.deepEqual(await funds(store, "acc_1"), { balance: 127n, leased: 0n });
  await beat(2_000);
  await beat(3_000);
  assert.deepEqual(await lines(store), [
    ...["topup 50", "charge -10", "topup 100", "topup 30", "charge -35", "topup 7", "charge -15"],
    "expiry -80",
  ]);
  assert.deepEqual(await funds(store, "acc_1"), { balance: 47n, leased: 0n });
  await audit(store);
});

test("what of an expired grant is lent expires once it is back and unused", async (context) => {
  const { store, clock } = await newStore(context);
  await newAccount(store, "acc_1", 0n);
  await newAccount(store, "acc_2", 0n);
  const priceId = await priceOneNano(store);
  await store.openHolder("h1");
  const expiresAt = clock.nowMs + 1_000;
  await store.addEntry(topup("acc_1", 100n, { expiresAt }));
  await store.addEntry(topup("acc_2", 9n, { expiresAt }));
  await take(store, "h1", one, 100n);
  clock.nowMs += 1_000;
  await store.heartbeat("h1");
  assert.deepEqual(await lines(store), ["topup 100"]);
  assert.deepEqual(await lines(store, "acc_2"), ["topup 9", "expiry -9"]);
  await store.returnLease("h1", one, nanoUsd(40n));
  await store.heartbeat("h1");
  assert.deepEqual(await funds(store, "acc_1"), { balance: 60n, leased: 60n });
  await audit(store);
  await store.recordRequest(chargedRow(1, "acc_1", 25n, priceId), {
    holderId: "h1",
    account: { fromLease: nanoUsd(25n), release: nanoUsd(35n) },
  });
  await store.heartbeat("h1");
  await store.heartbeat("h1");
  assert.deepEqual(await lines(store), ["topup 100", "expiry -40", "charge -25", "expiry -35"]);
  assert.deepEqual(await funds(store, "acc_1"), { balance: 0n, leased: 0n });
  await audit(store);
});

test("a grant taken away by an adjustment is not taken away again when its time comes", async (context) => {
  const { store, clock } = await newStore(context);
  await newAccount(store, "acc_1", 0n);
  await store.openHolder("h1");
  await store.addEntry(topup("acc_1", 100n, { expiresAt: clock.nowMs + 1_000 }));
  await store.addEntry({ accountId: "acc_1", kind: "adjustment", amount: nanoUsd(-100n) });
  await store.addEntry(topup("acc_1", 60n));
  clock.nowMs += 1_000;
  await store.heartbeat("h1");
  assert.deepEqual(await funds(store, "acc_1"), { balance: 60n, leased: 0n });
  await audit(store);
});

test("more accounts with expired grants than one heartbeat looks at have their turn, lent-out ones do not stop them", async (context) => {
  const { store, clock } = await newStore(context);
  await store.openHolder("h1");
  const expiresAt = clock.nowMs + 1_000;
  const ids = Array.from({ length: 230 }, (_, number) => `acc_${String(number).padStart(3, "0")}`);
  for (const [index, id] of ids.entries()) {
    await newAccount(store, id, 0n);
    await store.addEntry(topup(id, 1n, { expiresAt }));
    if (index < 120) await take(store, "h1", accountSubject(id), 1n);
  }
  clock.nowMs += 1_000;
  await store.heartbeat("h1");
  await store.heartbeat("h1");
  const balances = (await store.listAccounts()).map(({ balance }) => balance);
  assert.deepEqual(balances, [...Array(120).fill(1n), ...Array(110).fill(0n)]);
  await audit(store);
});

test("the tables refuse an overdraft, lending too much, a second charge, and edits of what was written", async (context) => {
  const { store, file } = await newStore(context);
  await newAccount(store, "acc_1", 100n);
  const priceId = await priceOneNano(store);
  await store.openHolder("h1");
  await take(store, "h1", one, 40n);
  await store.addEntry(topup("acc_1", 1n, { reference: "r" }));
  await store.recordRequest(chargedRow(1, "acc_1", 5n, priceId));
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true });
  context.after(() => database.close());
  const entry = (values: string) =>
    `insert into ledger_entries (account_id, kind, amount_nanos, request_id, reference, expires_at, created_at) values (${values})`;
  const request = chargedRow(1, "", 0n, 0).id;
  const refused: [string, RegExp][] = [
    ["update accounts set balance_nanos = -1", /CHECK/],
    ["update accounts set balance_nanos = 39", /CHECK/],
    ["update accounts set leased_nanos = 97", /CHECK/],
    ["update accounts set leased_nanos = -1", /CHECK/],
    ["update accounts set spent_nanos = -1", /CHECK/],
    ["update leases set amount_nanos = -1", /CHECK/],
    ["insert into leases values ('h2', 'account', 'acc_1', 1)", /FOREIGN KEY/],
    ["insert into leases values ('h1', 'thing', 'acc_1', 1)", /CHECK/],
    ["insert into leases values ('h1', 'account', 'acc_1', 1)", /UNIQUE/],
    ["insert into key_budgets values ('b', 'key_absent', 0, 0)", /FOREIGN KEY/],
    [entry(`'acc_1', 'charge', -5, '${request}', null, null, 0`), /UNIQUE/],
    [entry(`'acc_1', 'topup', 1, null, 'r', null, 0`), /UNIQUE/],
    [entry(`'acc_1', 'charge', 5, 'r2', null, null, 0`), /CHECK/],
    [entry(`'acc_1', 'charge', 0, 'r2', null, null, 0`), /CHECK/],
    [entry(`'acc_1', 'charge', -5, null, null, null, 0`), /CHECK/],
    [entry(`'acc_1', 'operator_loss', 5, null, null, null, 0`), /CHECK/],
    [entry(`'acc_1', 'operator_loss', -5, 'r2', null, null, 0`), /CHECK/],
    [entry(`'acc_1', 'topup', -5, null, null, null, 0`), /CHECK/],
    [entry(`'acc_1', 'refund', -5, 'r2', null, null, 0`), /CHECK/],
    [entry(`'acc_1', 'expiry', 5, null, null, null, 0`), /CHECK/],
    [entry(`'acc_1', 'adjustment', 0, null, null, null, 0`), /CHECK/],
    [entry(`'acc_1', 'adjustment', 1, null, null, 5, 0`), /CHECK/],
    [entry(`'acc_1', 'gift', 1, null, null, null, 0`), /CHECK/],
    [entry(`'acc_absent', 'topup', 1, null, null, null, 0`), /FOREIGN KEY/],
    ["update ledger_entries set note = 'x'", /append-only/],
    ["delete from ledger_entries", /append-only/],
    ["update requests set charge_nanos = -1", /CHECK/],
    ["update requests set loss_nanos = -1", /CHECK/],
    ["delete from holders", /FOREIGN KEY/],
  ];
  for (const [statement, reason] of refused) {
    assert.throws(() => database.exec(statement), reason, statement);
  }
  await audit(store);
});
