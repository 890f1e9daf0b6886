/**
 * The drill of docs/operate/backup.md: a backup of a server under load, the server killed, the backup
 * restored into another folder. The ledger is right, calls go on, and what is missing is what the restore
 * says is lost.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import pg from "pg";
import { runPlaza } from "../../../server/src/cli/testing/run-plaza.ts";
import { sharedPostgres } from "../../postgres/shared.ts";
import { post } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { rootFolder, runProcess } from "../../rigs/harness/processes/processes.ts";
import { model, openaiUpstream } from "../harness/catalogs.ts";
import { completion } from "../harness/openai-shapes.ts";
import { type Product, startProduct, temporaryFolder } from "../harness/product.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

const script = `${rootFolder}server/bin/plaza.mjs`;
const lanes = 4;

let upstream: ScriptedUpstream;
before(async () => {
  upstream = await startScriptedUpstream();
});
after(() => upstream.stop());

/** Sets the upstream's answer, which comes when `after` resolves. */
function answer(after: Promise<unknown> = Promise.resolve()): void {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  upstream.answerWith({ body: { ...completion({ message: { content: "hi" } }), usage }, after });
}

const catalog = () => ({
  upstreams: [openaiUpstream("main", upstream.baseUrl)],
  models: [model("m", ["main", "m"])],
});

interface Backup {
  readonly backup: string;
  readonly manifest: {
    readonly createdAt: string;
    readonly database: { readonly requests: number; readonly lastRequestAt: string };
    readonly journal: { readonly settlements: number; readonly ids: readonly string[] };
  };
}

/** Runs a command in a process of its own, so that it does not stand in the way of the load. */
const plaza = async (...words: string[]): Promise<unknown> =>
  JSON.parse(await runProcess([script, ...words, "--json"]));

const ask = ({ chatUrl }: Product, key: string, headers: Record<string, string> = {}) =>
  post({
    url: chatUrl,
    key,
    headers,
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
  });

/** Calls without a pause until the server is gone. */
function startLoad(product: Product, key: string) {
  /** When each call was answered, in Unix milliseconds, by its request id. */
  const answeredAt = new Map<string, number>();
  let isOver = false;
  const lane = async (): Promise<void> => {
    while (!isOver) {
      const { status, isWhole, headers } = await ask(product, key);
      if (status === 200 && isWhole) answeredAt.set(String(headers["x-request-id"]), Date.now());
      else isOver = true;
    }
  };
  const running = Promise.all(Array.from({ length: lanes }, lane));
  const reached = async (count: number): Promise<void> =>
    assert.ok(await eventually(() => answeredAt.size >= count, 60_000, 5), `${answeredAt.size} calls`);
  return { answeredAt, running, reached };
}

async function kill({ running }: Product): Promise<void> {
  const ended = once(running.child, "exit");
  running.child.kill("SIGKILL");
  await ended;
}

function requestsIn(folder: string): Set<string> {
  const database = new DatabaseSync(join(folder, "plaza.sqlite"), { readOnly: true });
  const rows = database.prepare("select id from requests").all();
  database.close();
  return new Set(rows.map(({ id }) => String(id)));
}

/** Restores into a new folder that has the sealing key, as the page says. */
async function restore(file: string, from: string): Promise<{ folder: string; lostSeconds: number }> {
  const folder = join(from, "restored");
  mkdirSync(folder);
  copyFileSync(join(from, "secret.key"), join(folder, "secret.key"));
  const said = (await plaza("backup", "restore", file, "--data", folder)) as {
    key: string;
    lostSeconds: number;
  };
  assert.equal(said.key, "fits");
  return { folder, lostSeconds: said.lostSeconds };
}

/** The server on the restored folder serves, and its ledger is right. */
async function assertServes(product: Product, key: string): Promise<void> {
  const { status, body } = await ask(product, key);
  assert.equal(status, 200, body.toString("utf8"));
  const ledger = JSON.parse(await product.command(["ledger", "verify", "--json"]));
  assert.equal(ledger.ok, true, JSON.stringify(ledger.findings));
}

test("a backup made under load is restored after a kill, and says what is lost", async () => {
  answer();
  const from = temporaryFolder();
  const first = await startProduct({ catalog: catalog(), folder: from });
  let second: Product | undefined;
  try {
    const { key } = await first.createKey(await first.createAccount());
    const load = startLoad(first, key);
    await load.reached(30);
    const { backup, manifest } = (await plaza(
      "backup",
      "create",
      join(from, "backups"),
      "--data",
      from,
    )) as Backup;
    await load.reached(load.answeredAt.size + 30);
    await kill(first);
    await load.running;
    const begunAt = Date.now();
    const { folder, lostSeconds } = await restore(backup, from);
    const restoredAt = Date.now();

    const there = requestsIn(folder);
    assert.equal(there.size, manifest.database.requests);
    const createdAt = Date.parse(manifest.createdAt);
    const missing = [...load.answeredAt].filter(([id]) => !there.has(id));
    const early = missing.filter(([, at]) => at < createdAt);
    assert.deepEqual(early, [], "what was answered before the backup began is in it");
    assert.ok(missing.length >= 30 - lanes, `${missing.length} calls are lost`);
    // What is lost is what the old database has and the backup has not: no more, no less.
    const lost = [...requestsIn(from)].filter((id) => !there.has(id));
    for (const [id] of missing) assert.ok(lost.includes(id), `${id} is not in the old database`);
    assert.ok(lost.length - missing.length <= lanes, `${lost.length} rows, ${missing.length} answered calls`);
    const [least, most] = [begunAt, restoredAt].map((at) => (at - createdAt) / 1_000) as [number, number];
    assert.ok(lostSeconds >= least - 1 && lostSeconds <= most + 1, `${lostSeconds} s, ${least} to ${most}`);

    second = await startProduct({ catalog: catalog(), folder });
    await assertServes(second, key);
  } finally {
    await second?.stop();
    await first.stop();
    rmSync(from, { recursive: true, force: true });
  }
});

test("settlements in the journal are in the backup, and are charged once", async () => {
  answer();
  const from = temporaryFolder();
  const first = await startProduct({ catalog: catalog(), folder: from });
  let second: Product | undefined;
  try {
    const accountId = await first.createAccount();
    const { key } = await first.createKey(accountId);
    assert.equal((await ask(first, key)).status, 200);
    const { promise, resolve } = Promise.withResolvers<void>();
    answer(promise);
    const asked = [1, 2, 3].map((number) => ask(first, key, { "idempotency-key": `call-${number}` }));
    await upstream.called(3);
    const database = new DatabaseSync(join(from, "plaza.sqlite"), { timeout: 5_000 });
    database.exec("begin immediate");
    resolve();
    const answers = await Promise.all(asked);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    const { backup, manifest } = (await plaza(
      "backup",
      "create",
      join(from, "backups"),
      "--data",
      from,
    )) as Backup;
    const ids = answers.map(({ headers }) => String(headers["x-request-id"]));
    assert.deepEqual([...manifest.journal.ids].sort(), ids.sort());
    assert.equal(manifest.database.requests, 1);
    await kill(first);
    database.exec("rollback");
    database.close();

    const { folder } = await restore(backup, from);
    const calls = upstream.calls.length;
    second = await startProduct({ catalog: catalog(), folder });
    assert.ok(await eventually(() => requestsIn(folder).size === 4, 60_000), "the journal was not replayed");
    const again = await ask(second, key, { "idempotency-key": "call-2" });
    assert.equal(again.headers["idempotent-replayed"], "true");
    assert.ok(again.body.equals((answers[1] as (typeof answers)[number]).body));
    assert.equal(upstream.calls.length, calls, "the upstream was not called again");
    // 10 tokens in at 0.25, 5 out at 2.00 USD a million, four times.
    const accounts = (await second.json(["account", "list"])) as { id: string; balance: string }[];
    assert.equal(accounts.find(({ id }) => id === accountId)?.balance, "99.99995");
    await assertServes(second, key);
  } finally {
    await second?.stop();
    await first.stop();
    rmSync(from, { recursive: true, force: true });
  }
});

test("a PostgreSQL database that was restored is checked by itself, and not backed up", async () => {
  const url = await (await sharedPostgres()).newDatabase();
  const folder = temporaryFolder();
  const run = (...words: string[]) => runPlaza([...words, "--json", "--data", folder, "--database", url]);
  try {
    assert.equal((await run("account", "create", "one", "--balance", "5")).status, 0);
    const good = await runPlaza(["backup", "verify", "--json", "--database", url]);
    assert.deepEqual([good.status, JSON.parse(good.out).totals.balance], [0, "5.00"], good.err);
    const client = new pg.Client(url);
    await client.connect();
    await client.query("update accounts set balance_nanos = balance_nanos + 1");
    await client.end();
    const bad = await runPlaza(["backup", "verify", "--json"], { env: { PLAZA_DATABASE: url } });
    assert.deepEqual([bad.status, JSON.parse(bad.out).ok], [1, false]);
    const refused = await run("backup", "create", join(folder, "backups"));
    assert.equal(JSON.parse(refused.out).error.code, "postgres");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
