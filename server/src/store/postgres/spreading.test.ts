/**
 * Holds the rules by which an engine that spreads rows by account (Citus, YugabyteDB, CockroachDB, Aurora)
 * can take PostgreSQL's place: on the paths of money every key names the account, nothing draws from one
 * sequence, and the statements use only SQL those engines share. What does not hold is named here, with the
 * reason; a name that is no longer needed fails the test. `docs/scale.md` says what follows.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import pg from "pg";
import { sharedPostgres } from "../../../../test/postgres/shared.ts";
import type { LeaseSubject } from "../ledger/lease-shapes.ts";
import { openStoreInProcess } from "../open.ts";
import type { Settlement } from "../requests/settlement-shapes.ts";
import type { Store } from "../store.ts";
import { newKey } from "../testing/behaviour/leases.ts";
import {
  accountSubject,
  chargedRow,
  newAccount,
  priceOneNano,
  take,
  topup,
} from "../testing/behaviour/money.ts";

/** Tables of the batches: settlements, and leases taken and returned. */
const settlementTables = [
  "accounts",
  "api_keys",
  "holders",
  "idempotency_keys",
  "key_budgets",
  "leases",
  "ledger_entries",
  "requests",
];

/** Tables of claims, top-ups, other entries and redeemed codes, which come before or beside the batches. */
const otherTables = [
  "accounts",
  "changes",
  "code_batches",
  "codes",
  "grants",
  "holders",
  "idempotency_keys",
  "ledger_entries",
  "schema_migrations",
];

/** What may break a rule: its name, and why. */
type Exceptions = Readonly<Record<string, string>>;

const everywhere = "few rows, the same on every machine (a reference table)";
const ofPeople = "written by people, a few in a second, never by a settlement";

const keysWithoutAccount: Exceptions = {
  "api_keys (digest)": "a key is looked up before its account is known",
  "api_keys (id)": everywhere,
  "changes (id)": ofPeople,
  "code_batches (id)": everywhere,
  "codes (batch_id, number)": "a code belongs to no account until it is redeemed",
  "codes (digest)": "a code is looked up before its account is known",
  "holders (id)": everywhere,
  "schema_migrations (version)": everywhere,
};

const referencesWithoutAccount: Exceptions = {
  "codes (batch_id) → code_batches": everywhere,
  "key_budgets (key_id) → api_keys": everywhere,
  "leases (holder_id) → holders": everywhere,
};

const computedDefaults: Exceptions = {
  "changes.id": "a sequence: readers follow the feed by it",
  "requests.xid": "the transaction's number: the sums of use find new rows by it",
};

const triggers: Exceptions = {
  "changes.changes_in_order": "takes the writers' lock, so that numbers of the feed are committed in order",
  "ledger_entries.ledger_entries_append_only": "refuses changes by hand; no statement of Plaza needs it",
};

const notShared = {
  "advisory locks": /pg_\w*advisory/,
  "numbers of transactions": /\bxid|pg_current_(xact|snapshot)|pg_snapshot|txid_|\bxm(in|ax)\b/,
  "places of rows": /\bctid\b|\btableoid\b/,
  "sequences by name": /\b(nextval|currval|lastval|setval)\b/,
  notifications: /^\s*(un)?listen\b|^\s*notify\b|pg_notify/,
  "locks of tables": /^\s*lock\b/,
  "temporary tables": /\btemp(orary)?\b/,
  cursors: /^\s*(declare|fetch)\b/,
  "procedural code": /^\s*(do|call)\b/,
  merge: /^\s*merge\b/,
};

/** By path. */
const unshared: Readonly<Record<"settlement" | "other", Exceptions>> = {
  settlement: {},
  other: { "advisory locks": "top-ups and claims happen one after the other, as on SQLite" },
};

function requireExactly(found: Iterable<string>, exceptions: Exceptions): void {
  assert.deepEqual([...new Set(found)].sort(), Object.keys(exceptions).sort());
}

async function newStore(context: TestContext) {
  const server = await sharedPostgres();
  const url = await server.newDatabase();
  const store = await openStoreInProcess({ database: { kind: "postgres", url }, secretKey: randomBytes(32) });
  context.after(() => store.close());
  await store.migrate();
  const name = new URL(url).pathname.slice(1);
  const query = async (sql: string) => (await server.query(sql, name)) as Record<string, string>[];
  return { store, query };
}

const tableList = [...new Set([...settlementTables, ...otherTables])].map((name) => `'${name}'`).join(", ");

/** Columns in a key's or an index's order. */
const columnsOf = (
  table: string,
  numbers: string,
): string => `(select string_agg(attname, ', ' order by place)
  from unnest(${numbers}) with ordinality as listed (number, place)
    join pg_attribute on attrelid = ${table} and attnum = number)`;

const namesAccount = (table: string, columns: string): boolean =>
  columns.split(", ").includes(table === "accounts" ? "id" : "account_id");

test("every key of a table of money names the account", async (context) => {
  const { query } = await newStore(context);
  const keys = await query(`select relname as table, ${columnsOf("indrelid", "indkey::int2[]")} as columns
    from pg_index join pg_class on pg_class.oid = indrelid where indisunique and relname in (${tableList})`);
  requireExactly(
    keys
      .filter(({ table = "", columns = "" }) => !namesAccount(table, columns))
      .map(({ table, columns }) => `${table} (${columns})`),
    keysWithoutAccount,
  );
  const references = await query(`select relname as table, confrelid::regclass::text as target,
      ${columnsOf("conrelid", "conkey")} as columns
    from pg_constraint join pg_class on pg_class.oid = conrelid where contype = 'f' and relname in (${tableList})`);
  requireExactly(
    references
      .filter(({ table = "", columns = "" }) => !namesAccount(table, columns))
      .map(({ table, columns, target }) => `${table} (${columns}) → ${target}`),
    referencesWithoutAccount,
  );
});

test("no column of a table of money takes its value from a sequence or a transaction, and no trigger runs", async (context) => {
  const { query } = await newStore(context);
  const computed = await query(`select relname || '.' || attname as name from pg_attribute
    join pg_class on pg_class.oid = attrelid
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relname in (${tableList}) and attnum > 0
      and (attidentity <> '' or attgenerated <> '' or pg_get_expr(adbin, adrelid) like '%(%')`);
  requireExactly(
    computed.map(({ name = "" }) => name),
    computedDefaults,
  );
  const found = await query(`select relname || '.' || tgname as name from pg_trigger
    join pg_class on pg_class.oid = tgrelid where not tgisinternal and relname in (${tableList})`);
  requireExactly(
    found.map(({ name = "" }) => name),
    triggers,
  );
});

const budget: LeaseSubject = { kind: "budget", id: "key_1:month:2026-11", ownerId: "key_1" };

const paying = (fromLease: bigint, more: Partial<Settlement> = {}): Settlement => ({
  holderId: "h1",
  account: { fromLease: nanoUsd(fromLease), release: nanoUsd(0n) },
  ...more,
});

/** Claims, top-ups, a redeemed code: everything that is no batch. */
async function prepare(store: Store): Promise<void> {
  await newAccount(store, "acc_1", 100n);
  await store.addEntry(topup("acc_1", 50n, { reference: "once", expiresAfterMs: 3_600_000 }));
  await store.addEntry(topup("acc_1", 50n, { reference: "once", expiresAfterMs: 3_600_000 }));
  await store.addEntry({ accountId: "acc_1", kind: "adjustment", amount: nanoUsd(-1n) });
  // What was spent is first deducted from the grant before it.
  await store.addEntry(topup("acc_1", 5n, { expiresAfterMs: 7_200_000 }));
  const redeemed = await store.redeemCode({ digest: "digest", accountId: "acc_1", userId: null });
  assert.equal(redeemed.kind, "done");
  for (const [number, key] of ["kept", "freed"].entries()) {
    const requestId = chargedRow(number, "", 0n, 0).id;
    const claim = { accountId: "acc_1", key, fingerprint: "f", requestId, holderId: "h1" };
    await store.claimIdempotencyKey({ ...claim, expiresAt: Date.now() + 60_000 });
  }
}

/** Batches with every kind of entry: a kept and a freed answer, a budget, a loss, a refusal. */
async function settleAll(store: Store, priceId: number): Promise<void> {
  const account = accountSubject("acc_1");
  assert.equal((await take(store, "h1", account, 40n)).status, "granted");
  assert.equal((await take(store, "h1", budget, 20n)).status, "granted");
  const answer = { status: 200, headers: [], body: new Uint8Array(1) };
  const part = { id: budget.id, fromLease: nanoUsd(5n), release: nanoUsd(0n) };
  await Promise.all([
    store.recordRequest(
      chargedRow(0, "acc_1", 5n, priceId, { keyId: "key_1" }),
      paying(5n, { budget: part, idempotency: { key: "kept", answer } }),
    ),
    store.recordRequest(
      chargedRow(1, "acc_1", 5n, priceId),
      paying(5n, { idempotency: { key: "freed", answer: undefined } }),
    ),
    store.recordRequest(chargedRow(2, "acc_1", 9_000n, priceId), paying(1n)),
  ]);
  await assert.rejects(store.recordRequest(chargedRow(3, "acc_1", 5n, priceId), paying(-5n)));
  await store.returnLease("h1", account, nanoUsd(1n));
  await store.returnLease("h1", account, "all");
}

test("the statements of money use only SQL that engines which spread rows share, and name the account", async (context) => {
  const { store, query } = await newStore(context);
  const priceId = await priceOneNano(store);
  await store.openHolder("h1");
  const code = { digest: "digest", visibleEnd: "end" };
  const batch = {
    id: "bat_1",
    note: "",
    amount: nanoUsd(9n),
    expiresAt: null,
    createdBy: null,
    codes: [code],
  };
  await store.createCodes(batch);
  let texts = new Set<string>();
  const real = pg.Client.prototype.query;
  context.mock.method(pg.Client.prototype, "query", function (this: pg.Client, ...args: unknown[]) {
    const [first] = args;
    texts.add(typeof first === "string" ? first : (first as { text: string }).text);
    return Reflect.apply(real, this, args);
  });
  /** What the work asked the database. */
  const recorded = async (work: () => Promise<void>): Promise<string[]> => {
    texts = new Set();
    await work();
    return [...texts].map((text) => text.toLowerCase().replaceAll('"', ""));
  };
  const other = await recorded(() => prepare(store));
  await newKey(store, "key_1", 1_000n);
  const settlement = await recorded(() => settleAll(store, priceId));
  context.mock.restoreAll();

  const tables = new Set(
    (await query("select tablename from pg_tables where schemaname = 'public'")).map(
      ({ tablename }) => tablename,
    ),
  );
  const tablesOf = (statements: readonly string[]) => {
    const words = statements.flatMap((text) => [...text.matchAll(/\b(?:from|into|update|join)\s+(\w+)/g)]);
    return [...new Set(words.map(([, name]) => name))].filter((name) => tables.has(name ?? "")).sort();
  };
  assert.deepEqual(tablesOf(settlement), settlementTables);
  assert.deepEqual(tablesOf(other), otherTables);
  for (const [path, statements] of Object.entries({ settlement, other })) {
    const found = Object.entries(notShared).filter(([, pattern]) =>
      statements.some((text) => pattern.test(text)),
    );
    requireExactly(
      found.map(([name]) => name),
      unshared[path as keyof typeof unshared],
    );
  }
  // A change that does not name the account would be sent to every machine.
  const withAccount = ["grants", "idempotency_keys", "ledger_entries", "requests"];
  for (const text of [...settlement, ...other]) {
    const [, table = ""] = /^(?:update|delete from)\s+(\w+)/.exec(text) ?? [];
    const condition = text.slice(text.indexOf(" where "));
    if (withAccount.includes(table)) assert.match(condition, /\baccount_id = /, text);
  }
});
