/**
 * A batch may be split by account: whatever the groups and their order, entries, balances, requests, leases,
 * budgets, kept answers and replies are those of the whole batch. An engine that spreads rows by account
 * relies on it (`docs/scale.md`). Run one seed with `SEED=… node --test …`.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type NanoUsd, nanoUsd } from "@plaza/contract/money.ts";
import { sharedPostgres } from "../../../../test/postgres/shared.ts";
import { chooseSeed, type Random, seededRandom } from "../../../../test/rigs/harness/random.ts";
import { type Ask, askFile, askServer } from "../../../../test/upgrades/corpus.ts";
import { systemClock } from "../../lib/time/clock.ts";
import type { StoreCore } from "../core.ts";
import { openCore } from "../open-core.ts";
import { columnList } from "../requests/columns.ts";
import { at, pushRequestValues, type RequestValue, valuesPerRequest } from "../requests/row.ts";
import { requestRow } from "../testing/behaviour/requests.ts";
import { createMigratedFile } from "../testing/migrated-file.ts";
import type { DatabaseTarget } from "../thread/messages.ts";
import type { LedgerBatch, LedgerReply, ReturnEntry, RowFault, TakeEntry } from "./batch.ts";
import type { LeaseGrant, LeaseSubject } from "./lease-shapes.ts";

/** Most of a run's time is its world's. */
const runs = 25;
const seed = chooseSeed();

/** What is there before the batch. Every run has names of its own, so that runs can share a database. */
interface World {
  /** Begins every id of this run. */
  readonly prefix: string;
  /** The last one does not exist. */
  readonly accounts: readonly string[];
  /** The last one is not registered. */
  readonly holders: readonly string[];
  /** Nothing in its batches is refused, so that all is written together. */
  readonly isCalm: boolean;
}

const keyOf = (accountId: string): string => `${accountId}_key`;
const budgetOf = (accountId: string): LeaseSubject => ({
  kind: "budget",
  id: `${keyOf(accountId)}:month:2026-11`,
  ownerId: keyOf(accountId),
});
const balanceOf = (accountId: string): LeaseSubject => ({
  kind: "account",
  id: accountId,
  ownerId: accountId,
});

const accountOf = ({ kind, id, ownerId }: LeaseSubject): string =>
  kind === "account" ? id : ownerId.slice(0, -"_key".length);

const subjectIn = (world: World, random: Random): LeaseSubject => {
  const accountId = random.pick(world.accounts);
  return random.chance(0.6) ? balanceOf(accountId) : budgetOf(accountId);
};

function takeIn(world: World, random: Random): TakeEntry {
  const amount = BigInt(random.int(1, 300));
  const requested = { atLeast: amount, need: amount, want: 2n * amount, unit: 7n };
  return { holderId: random.pick(world.holders), subject: subjectIn(world, random), requested };
}

const returnIn = (world: World, random: Random): ReturnEntry => ({
  holderId: random.pick(world.holders),
  subject: subjectIn(world, random),
  amount: random.chance(0.5) ? "all" : nanoUsd(BigInt(random.int(0, 200))),
});

/** A request of one of few ids, so that some come twice; sometimes one that is refused. */
function pushRequest(world: World, random: Random, values: RequestValue[]): void {
  const mishap = (chance: number) => !world.isCalm && random.chance(chance);
  const accountId = random.pick(world.isCalm ? world.accounts.slice(0, -1) : world.accounts);
  const number = random.int(0, 9);
  const amount = (most: number) => nanoUsd(mishap(0.02) ? -1n : BigInt(random.int(0, most)));
  const row = requestRow(number, {
    id: `${accountId}_req_${number}`,
    accountId,
    keyId: keyOf(accountId),
    charge: nanoUsd(BigInt(random.pick([0, 1, 50, 400]))),
    status: mishap(0.03) ? 700 : 200,
  });
  const part = () => ({ fromLease: amount(300), release: amount(100) });
  const answer = { status: 200, headers: ["x", String(number)], body: new Uint8Array([number]) };
  const settlement = {
    holderId: random.pick(world.holders),
    account: part(),
    ...(random.chance(0.5) ? { budget: { id: budgetOf(accountId).id, ...part() } } : {}),
    ...(random.chance(0.5)
      ? { idempotency: { key: `call_${number}`, answer: random.chance(0.7) ? answer : undefined } }
      : {}),
  };
  pushRequestValues(row, random.chance(0.9) ? settlement : undefined, values);
}

const listOf = <T>(random: Random, most: number, make: () => T): T[] =>
  Array.from({ length: random.int(0, most) }, make);

function batchIn(world: World, random: Random, most: number): LedgerBatch {
  const values: RequestValue[] = [];
  for (let left = random.int(0, most); left > 0; left -= 1) pushRequest(world, random, values);
  const returns = listOf(random, most / 3, () => returnIn(world, random));
  const takes = listOf(random, most / 3, () => takeIn(world, random));
  return { values, returns, takes };
}

/** Accounts with keys and budgets, claimed idempotency keys, leases, and what an earlier batch left. */
async function build(core: StoreCore, world: World, random: Random): Promise<void> {
  const holderId = world.holders[0] as string;
  for (const id of world.holders.slice(0, -1)) await core.openHolder(id);
  for (const id of world.accounts.slice(0, -1)) {
    await core.createAccount({ id, name: id, balance: nanoUsd(BigInt(random.pick([0, 100, 1_000, 5_000]))) });
    const amount = random.pick([null, 100n, 10_000n]);
    await core.createKey({
      id: keyOf(id),
      accountId: id,
      name: id,
      visiblePrefix: "sk-plaza-ab",
      digest: id.padEnd(64, "0"),
      models: null,
      requestsPerMinute: null,
      tokensPerMinute: null,
      concurrency: null,
      budget: amount === null ? null : { amount: nanoUsd(amount), period: "month" },
      expiresAt: null,
    });
    for (let number = 0; number < 10; number += 3) {
      // Of another request, sometimes: then the key is lost.
      const requestId = `${id}_req_${random.chance(0.7) ? number : number + 1}`;
      const claim = { accountId: id, key: `call_${number}`, fingerprint: "f", requestId, holderId };
      await core.claimIdempotencyKey({ ...claim, expiresAt: 4_000_000_000_000 });
    }
    if (random.chance(0.15)) await core.setAccountStatus(id, "suspended");
  }
  const takes = Array.from({ length: 8 }, () => takeIn(world, random));
  await core.commitLedger({ ...batchIn(world, random, 4), takes });
}

/** The accounts in groups, in any order. */
function groupsOf({ accounts }: World, random: Random): Set<string>[] {
  const groups: Set<string>[] = [];
  for (const id of random.shuffle(accounts)) {
    const group = groups.at(-1);
    if (group === undefined || random.chance(0.6)) groups.push(new Set([id]));
    else group.add(id);
  }
  return groups;
}

/** The places of a batch's items that belong to these accounts, and the items. */
const itemsOf = <T>(items: readonly T[], group: ReadonlySet<string>, account: (item: T) => string) =>
  [...items.entries()].filter(([, item]) => group.has(account(item)));

/** Commits a part for each group; the replies are put together in the batch's order. */
async function commitApart(
  core: StoreCore,
  { values, returns, takes }: LedgerBatch,
  groups: readonly Set<string>[],
): Promise<LedgerReply> {
  const faults: RowFault[] = [];
  const returned: NanoUsd[] = [];
  const grants: LeaseGrant[] = [];
  const rows = Array.from({ length: values.length / valuesPerRequest }, (_, index) =>
    values.slice(index * valuesPerRequest, (index + 1) * valuesPerRequest),
  );
  for (const group of groups) {
    const settled = itemsOf(rows, group, (row) => row[at.accountId] as string);
    const given = itemsOf(returns, group, ({ subject }) => accountOf(subject));
    const taken = itemsOf(takes, group, ({ subject }) => accountOf(subject));
    const reply = await core.commitLedger({
      values: settled.flatMap(([, row]) => row),
      returns: given.map(([, entry]) => entry),
      takes: taken.map(([, entry]) => entry),
    });
    for (const { index, message } of reply.faults) {
      faults.push({ index: settled[index]?.[0] ?? Number.NaN, message });
    }
    for (const [place, [index]] of given.entries()) returned[index] = reply.returned[place] as NanoUsd;
    for (const [place, [index]] of taken.entries()) grants[index] = reply.grants[place] as LeaseGrant;
  }
  return { faults: faults.sort((one, other) => one.index - other.index), returned, grants };
}

/** Everything a batch may change, but for times and the numbers of entries. */
async function everything(ask: Ask, { prefix }: World): Promise<unknown> {
  const own = (column: string) => `${column} like '${prefix}%'`;
  const columns = columnList.map(({ name }) => name).join(", ");
  const tables = {
    accounts: `select id, balance_nanos, leased_nanos, spent_nanos, status from accounts where ${own("id")}`,
    entries: `select account_id, kind, amount_nanos, request_id from ledger_entries where ${own("account_id")}`,
    requests: `select ${columns} from requests where ${own("account_id")}`,
    leases: `select holder_id, kind, subject, amount_nanos from leases where ${own("holder_id")}`,
    budgets: `select id, key_id, spent_nanos, leased_nanos from key_budgets where ${own("id")}`,
    answers: `select account_id, key, request_id, holder_id, status, headers, body from idempotency_keys
      where ${own("account_id")}`,
  };
  const found: Record<string, string[]> = {};
  for (const [name, sql] of Object.entries(tables)) {
    found[name] = (await ask(sql)).map((row) => JSON.stringify(row)).sort();
  }
  return found;
}

interface Side {
  readonly core: StoreCore;
  readonly ask: Ask;
}

type NewSide = (context: TestContext) => Promise<Side>;

const open = async (context: TestContext, database: DatabaseTarget): Promise<StoreCore> => {
  const limits = { busyTimeoutMs: 5_000, statementTimeoutMs: 30_000, connectionsMax: 4 };
  const core = await openCore({ database, secretKey: Buffer.alloc(32, 1), ...limits }, systemClock);
  context.after(() => core.close());
  await core.migrate();
  return core;
};

const onSqlite: NewSide = async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "split-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "plaza.db");
  await createMigratedFile(file);
  return { core: await open(context, { kind: "sqlite", file }), ask: askFile(file) };
};

const onPostgres: NewSide = async (context) => {
  const url = await (await sharedPostgres()).newDatabase();
  return { core: await open(context, { kind: "postgres", url }), ask: askServer(url) };
};

for (const [name, newSide] of [
  ["SQLite", onSqlite],
  ["PostgreSQL", onPostgres],
] as const) {
  test(`${name}: a batch split by account does what the whole batch does (SEED=${seed})`, async (context) => {
    const [whole, apart] = [await newSide(context), await newSide(context)];
    const seen = { faults: 0, losses: 0, granted: 0, returned: 0 };
    for (let run = 0; run < runs; run += 1) {
      const random = seededRandom(seed).fork(`run ${run}`);
      const prefix = `r${run}x`;
      const accounts = Array.from({ length: random.int(3, 5) }, (_, index) => `${prefix}acc${index}`);
      const holders = [1, 2, 3].map((index) => `${prefix}h${index}`);
      const world: World = { prefix, accounts, holders, isCalm: random.chance(0.5) };
      for (const { core } of [whole, apart]) await build(core, world, random.fork("world"));
      assert.deepEqual(
        await everything(apart.ask, world),
        await everything(whole.ask, world),
        `run ${run}: before`,
      );
      const batch = batchIn(world, random, 30);
      const reply = await whole.core.commitLedger(batch);
      const parts = await commitApart(apart.core, batch, groupsOf(world, random));
      assert.deepEqual(parts, reply, `run ${run}: replies`);
      assert.deepEqual(await everything(apart.ask, world), await everything(whole.ask, world), `run ${run}`);
      seen.faults += reply.faults.length;
      seen.granted += reply.grants.filter(({ status }) => status === "granted").length;
      seen.returned += reply.returned.filter((amount) => amount > 0n).length;
    }
    const { totals, isOk, findings } = await apart.core.verifyLedger();
    assert.equal(totals.balance, totals.credited - totals.charged + totals.lost);
    // Charges here are no product of usage and price, which is all that may be found.
    assert.deepEqual([isOk, findings.filter(({ what }) => what !== "request")], [false, []]);
    seen.losses = Number(totals.lost);
    // A test of batches in which nothing happens would prove nothing.
    for (const [what, count] of Object.entries(seen)) assert.ok(count > 0, what);
  });
}
