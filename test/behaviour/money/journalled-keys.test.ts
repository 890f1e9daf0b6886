/**
 * Answers to calls with an Idempotency-Key that are in the journal of a killed process: a retry at another
 * process gets that answer, and the upstream is not called again. Real processes, on one data folder and on
 * two.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, beforeEach, describe, test } from "node:test";
import pg from "pg";
import { sharedPostgres } from "../../postgres/shared.ts";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { model, openaiUpstream } from "../harness/catalogs.ts";
import { completion } from "../harness/openai-shapes.ts";
import { type Product, startProduct, temporaryFolder } from "../harness/product.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

let upstream: ScriptedUpstream;
before(async () => {
  upstream = await startScriptedUpstream();
});
after(() => upstream.stop());

/** The upstream answers when this is called. */
let answer: () => void;
beforeEach(() => {
  const { promise, resolve } = Promise.withResolvers<void>();
  answer = resolve;
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  upstream.answerWith({ body: { ...completion({ message: { content: "hi" } }), usage }, after: promise });
});

const catalog = () => ({
  upstreams: [openaiUpstream("main", upstream.baseUrl)],
  models: [model("m", ["main", "m"])],
});

const ask = ({ chatUrl }: Product, key: string): Promise<Seen> =>
  post({
    url: chatUrl,
    key,
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
    headers: { "idempotency-key": "one-call" },
  });

/** Polls until the answer is available; asserts that all earlier responses say to wait. */
async function askAgain(product: Product, key: string): Promise<Seen> {
  let seen = await ask(product, key);
  const isThere = async (): Promise<boolean> => {
    if (seen.status === 409) seen = await ask(product, key);
    return seen.status !== 409;
  };
  await eventually(isThere, 15_000, 100);
  return seen;
}

/** The retry got the first answer, and the upstream received one call. */
function assertReplayed(first: Seen, retried: Seen): void {
  assert.equal(retried.status, 200, retried.body.toString("utf8"));
  assert.equal(retried.headers["idempotent-replayed"], "true");
  assert.ok(retried.body.equals(first.body), "the same bytes");
  assert.equal(upstream.calls.length, 1, "the upstream was called once");
}

async function kill({ running }: Product): Promise<void> {
  const ended = once(running.child, "exit");
  running.child.kill("SIGKILL");
  await ended;
}

/** Direct access to the database of both processes. */
interface Rows {
  /** Blocks settlements until the returned function is called. */
  hold(): Promise<() => Promise<void>>;
  /** True when the database has a note of a journal; also while it is locked and cannot be read. */
  isNoted(): Promise<boolean>;
  run(sql: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

function sqliteRows(file: string): Rows {
  const connection = new DatabaseSync(file, { timeout: 5_000 });
  return {
    async hold() {
      connection.exec("begin immediate");
      return async () => connection.exec("rollback");
    },
    isNoted: async () => true,
    run: async (sql) => connection.prepare(sql).all() as Record<string, unknown>[],
    close: async () => connection.close(),
  };
}

async function postgresRows(url: string): Promise<Rows> {
  const [client, holding] = [new pg.Client(url), new pg.Client(url)];
  await Promise.all([client.connect(), holding.connect()]);
  return {
    async hold() {
      await holding.query("begin; lock table ledger_entries in share mode");
      return async () => {
        // A session still waiting for the table belongs to a dead process.
        await client.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'",
        );
        await holding.query("rollback");
      };
    },
    isNoted: async () => (await client.query("select id from holders where has_journal = 1")).rows.length > 0,
    run: async (sql) => (await client.query<Record<string, unknown>>(sql)).rows,
    async close() {
      await Promise.all([client.end(), holding.end()]);
    },
  };
}

/** Sets the last heartbeat of the oldest process back; resolves when another one has noticed. */
async function buryOldest(rows: Rows): Promise<void> {
  const [oldest] = await rows.run("select id from holders order by created_at, id limit 1");
  const id = String(oldest?.["id"]);
  await rows.run(`update holders set expires_at = 1 where id = '${id}'`);
  const isGone = async (): Promise<boolean> =>
    (await rows.run(`select id from holders where id = '${id}'`)).length === 0;
  assert.ok(await eventually(isGone, 20_000, 50), "nobody noticed");
}

/** Makes one call whose settlement is blocked, then kills the process. */
async function answeredThenKilled(product: Product, key: string, rows: Rows): Promise<Seen> {
  const asked = ask(product, key);
  await upstream.called(1);
  const release = await rows.hold();
  try {
    answer();
    const seen = await asked;
    assert.equal(seen.status, 200, seen.body.toString("utf8"));
    assert.ok(await eventually(() => /ledger_journal_begins/.test(product.logs()), 5_000, 5), "no journal");
    assert.ok(await eventually(rows.isNoted, 10_000, 20), "the database was not told of the journal");
    return seen;
  } finally {
    await kill(product);
    await release();
  }
}

describe("a process dies with answers in its journal", () => {
  test("another one of the same data folder hands them over at its next heartbeat", async () => {
    const folder = temporaryFolder();
    const first = await startProduct({ catalog: catalog(), folder });
    const second = await startProduct({ catalog: catalog(), folder });
    const rows = sqliteRows(join(folder, "plaza.sqlite"));
    try {
      const { key } = await second.createKey(await second.createAccount());
      const seen = await answeredThenKilled(first, key, rows);
      await buryOldest(rows);
      assertReplayed(seen, await askAgain(second, key));
      assert.equal(JSON.parse(await second.command(["ledger", "verify", "--json"])).ok, true);
    } finally {
      await rows.close();
      await second.stop();
      await first.stop();
    }
  });

  test("on another machine its calls are not made again meanwhile, and answered when it is back", async () => {
    const url = await (await sharedPostgres()).newDatabase();
    const env = { PLAZA_DATABASE: url, PLAZA_SECRET_KEY: Buffer.alloc(32, 7).toString("base64") };
    const folder = temporaryFolder();
    const first = await startProduct({ catalog: catalog(), folder, env });
    const second = await startProduct({ catalog: catalog(), env });
    const rows = await postgresRows(url);
    let back: Product | undefined;
    try {
      const { key } = await second.createKey(await second.createAccount());
      const seen = await answeredThenKilled(first, key, rows);
      await buryOldest(rows);
      const early = await ask(second, key);
      assert.equal(early.status, 409);
      assert.equal(JSON.parse(early.body.toString("utf8")).error.code, "idempotency_in_flight");
      assert.ok(Number(early.headers["retry-after"]) >= 10);
      back = await startProduct({ catalog: catalog(), folder, env });
      assertReplayed(seen, await askAgain(second, key));
      assert.equal(JSON.parse(await second.command(["ledger", "verify", "--json"])).ok, true);
    } finally {
      await rows.close();
      await back?.stop();
      await second.stop();
      await first.stop();
    }
  });
});
