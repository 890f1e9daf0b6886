/**
 * Responses that are being stored while their account switches keeping off: whichever is first, nothing is
 * kept. A lock of the test stops the first before it writes, so the order is deterministic.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import pg from "pg";
import { sharedPostgres } from "../../../../test/postgres/shared.ts";
import { openStoreInProcess } from "../open.ts";
import { accountSubject, chargedRow, newAccount, priceOneNano, take } from "../testing/behaviour/money.ts";

const account = "acc_1";
const response = {
  accountId: account,
  id: "resp_1",
  parentId: undefined,
  modelId: "m",
  deployment: "u/m",
  itemIds: ["msg_1"],
  payload: "private",
  createdAt: Date.now(),
  keptMs: 3_600_000,
};

/** Two processes on a database with an account, and the test's own connection, whose `gate` stops them. */
async function begin(context: TestContext) {
  const server = await sharedPostgres();
  const url = await server.newDatabase();
  const secretKey = randomBytes(32);
  const open = () => openStoreInProcess({ database: { kind: "postgres", url }, secretKey });
  const [storing, switching] = [await open(), await open()];
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  context.after(async () => {
    await client.end();
    await storing.close();
    await switching.close();
    await server.freeDatabase(url);
  });
  await storing.migrate();
  await newAccount(storing, account, 5n);
  const waiting = `select 1 from pg_stat_activity where datname = '${new URL(url).pathname.slice(1)}' and wait_event_type = 'Lock'`;
  return {
    storing,
    switching,
    client,
    /** Resolves when that many wait for a lock, or `over` is. */
    async waiters(count: number, over?: Promise<unknown>): Promise<void> {
      let isOver = false;
      void over?.then(() => (isOver = true));
      while (!isOver && (await server.query(waiting)).length < count);
    },
  };
}

/** Makes whatever writes so wait, before its first row, until the client commits. */
async function gate(client: pg.Client, when: string): Promise<void> {
  await client.query(`
    create function gate() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(1); return new; end $$;
    create trigger gate before ${when} for each row execute function gate()`);
  await client.query("begin; select pg_advisory_xact_lock(1)");
}

test("keeping is switched off while a response is stored: it is not kept", async (context) => {
  const { storing, switching, client, waiters } = await begin(context);
  await gate(client, "insert on stored_responses");
  const stored = storing.storeResponse(response);
  await waiters(1);
  const off = switching.setResponsesKept(account, 0);
  await waiters(2, off);
  await client.query("commit");
  await Promise.all([stored, off]);
  assert.equal(await switching.findResponse(account, response.id), undefined);
});

test("a response is stored while keeping is switched off: it is not kept", async (context) => {
  const { storing, switching, client, waiters } = await begin(context);
  await gate(client, "update of responses_kept_ms on accounts");
  const off = switching.setResponsesKept(account, 0);
  await waiters(1);
  const stored = storing.storeResponse(response);
  await waiters(2, stored);
  await client.query("commit");
  await Promise.all([stored, off]);
  assert.equal(await switching.findResponse(account, response.id), undefined);
});

test("a charge does not wait for a response that is stored", async (context) => {
  const { storing, switching, client, waiters } = await begin(context);
  const priceId = await priceOneNano(switching);
  await switching.openHolder("h1");
  await take(switching, "h1", accountSubject(account), 5n);
  await gate(client, "insert on stored_responses");
  const stored = storing.storeResponse(response);
  await waiters(1);
  const payment = { holderId: "h1", account: { fromLease: nanoUsd(2n), release: nanoUsd(0n) } };
  await switching.recordRequest(chargedRow(1, account, 2n, priceId), payment);
  await client.query("commit");
  await stored;
  assert.notEqual(await switching.findResponse(account, response.id), undefined);
});
