/**
 * Refused calls: some get rows, the rest are counted, and beyond a limit they are refused before other work.
 * Every served call has a row.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createApiKey } from "../../../server/src/domain/keys/api-key.ts";
import type { Store } from "../../../server/src/store/store.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { modelOn, startApp, type TestAccount, type TestApp } from "../harness/app-in-process.ts";

const catalog = {
  upstreams: [
    {
      id: "demo",
      provider: "demo",
      baseUrl: "",
      credentials: [],
      timeouts: { connectMs: 5_000, firstTokenMs: 60_000, idleMs: 60_000, totalMs: 900_000 },
    },
  ],
  models: [modelOn("m", ["demo"])],
  limits: {},
};

interface Answered {
  readonly status: number;
  readonly code: string | undefined;
  readonly headers: Headers;
}

async function call(
  app: TestApp,
  key: string,
  model = "m",
  headers: Record<string, string> = {},
): Promise<Answered> {
  const response = await fetch(app.chatUrl, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });
  const body = (await response.json()) as { error?: { code: string } };
  return { status: response.status, code: body.error?.code, headers: response.headers };
}

/** Makes this many calls, a few at a time. */
async function calls(count: number, one: (index: number) => Promise<Answered>): Promise<Answered[]> {
  const seen: Answered[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) seen.push(await one(next++));
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return seen;
}

async function rowsOf(app: TestApp, { accountId }: TestAccount) {
  return await app.store.listRequests({ accountId, limit: 10_000 });
}

async function countedOf(app: TestApp, { accountId }: TestAccount): Promise<number> {
  const sums = await app.store.sumRefusals({ accounts: [accountId] });
  return sums.reduce((sum, { count }) => sum + count, 0);
}

/** Number of calls with this error, from the metrics. */
async function metricOf(app: TestApp, error: string): Promise<number> {
  const text = await (await fetch(`${app.origin}/metrics`)).text();
  return [...text.matchAll(/^plaza_requests_total\{([^}]*)\} (\d+)$/gm)]
    .filter(([, labels]) => labels?.includes(`error="${error}"`))
    .reduce((sum, [, , count]) => sum + Number(count), 0);
}

test("of many refused calls a few have rows, and rows, counts and metrics are as many as the calls", async (context) => {
  const app = await startApp({ catalog });
  context.after(() => app.stop());
  const account = await app.newAccount("5");
  const broke = await app.newAccount("0");
  const good = await calls(20, () => call(app, account.key));
  assert.ok(good.every(({ status }) => status === 200));
  const refused = await calls(400, (index) => call(app, account.key, index % 2 === 0 ? "nobody" : "\0"));
  assert.ok(refused.every(({ status }) => status === 404));
  const unpaid = await calls(60, (index) =>
    call(app, broke.key, "m", index % 2 === 0 ? { "idempotency-key": `k${index}` } : {}),
  );
  assert.ok(unpaid.every(({ status, code }) => status === 402 && code === "insufficient_balance"));
  const isCounted = async () => (await countedOf(app, account)) > 0 && (await countedOf(app, broke)) > 0;
  assert.ok(await eventually(isCounted, 10_000));
  const settled = async () =>
    (await rowsOf(app, account)).length + (await countedOf(app, account)) === 420 &&
    (await rowsOf(app, broke)).length + (await countedOf(app, broke)) === 60;
  assert.ok(await eventually(settled, 10_000), "every call is in a row or in a count, none in both");
  const rows = await rowsOf(app, account);
  assert.equal(
    rows.filter(({ status }) => status === 200).length,
    20,
    "every call that was served has its row",
  );
  // Five per minute; the test may span two minutes.
  for (const list of [rows.filter(({ errorCode }) => errorCode !== null), await rowsOf(app, broke)])
    assert.ok(list.length >= 5 && list.length <= 10, `${list.length} rows of refusals`);
  assert.equal(await metricOf(app, "model_not_found"), 400);
  assert.equal(await metricOf(app, "insufficient_balance"), 60);
  await app.store.addEntry({ accountId: broke.accountId, kind: "topup", amount: 1_000_000_000n as never });
  const again = async () => (await call(app, broke.key, "m", { "idempotency-key": "k58" })).status === 200;
  assert.ok(await eventually(again, 10_000), "a refused call has not kept its Idempotency-Key");
});

test("a key with too many refused calls is refused at once for a moment, and no other key is", async (context) => {
  const app = await startApp({ catalog, env: { PLAZA_REFUSED_CALLS_PER_MINUTE: "60" } });
  context.after(() => app.stop());
  const [wild, tame] = [await app.newAccount("5"), await app.newAccount("5")];
  await app.store.setAccountLimits(wild.accountId, { requestsPerMinute: 700 });
  const seen = [];
  for (let index = 0; index < 40; index += 1) seen.push(await call(app, wild.key, "nobody"));
  const early = seen.filter(({ code }) => code === "rate_limit_exceeded");
  assert.ok(early.length >= 20, `${early.length} of 40 were refused early`);
  assert.equal(seen.length - early.length, seen.filter(({ code }) => code === "model_not_found").length);
  for (const { status, headers } of early) {
    assert.equal(status, 429);
    assert.ok(Number(headers.get("retry-after")) >= 1);
    assert.equal(headers.get("x-ratelimit-remaining-requests"), "700", "what is left is told all the same");
  }
  assert.equal((await call(app, tame.key)).status, 200);
  const served = async () => (await call(app, wild.key)).status === 200;
  assert.ok(await eventually(served, 10_000, 50), "what is right is served again");
  const all = async () => (await rowsOf(app, wild)).length + (await countedOf(app, wild)) >= 41;
  assert.ok(await eventually(all, 10_000), "those refused early are counted, too");
});

test("an address that sends keys nobody knows is told to wait; keys that are known go on", async (context) => {
  let lookups = 0;
  const app = await startApp({
    catalog,
    env: { PLAZA_REFUSED_CALLS_PER_MINUTE: "60" },
    before: (store) =>
      new Proxy(store, {
        get(target, name: keyof Store) {
          if (name === "findKeyByDigest") lookups += 1;
          return target[name];
        },
      }),
  });
  context.after(() => app.stop());
  const account = await app.newAccount("5");
  assert.equal((await call(app, account.key)).status, 200);
  const seen = [];
  for (let index = 0; index < 40; index += 1)
    seen.push(await call(app, index % 3 === 0 ? "no key" : createApiKey(randomBytes).secret));
  const statuses = seen.map(({ status }) => status);
  assert.deepEqual([...new Set(statuses)].sort(), [401, 429]);
  const told = statuses.filter((status) => status === 401).length;
  assert.ok(told <= 20, `${told} were looked at`);
  assert.ok(lookups <= 1 + told, `the store was asked ${lookups} times`);
  assert.equal((await call(app, account.key)).status, 200, "from the same address");
});
