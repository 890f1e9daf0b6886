/** `plaza import new-api`: what comes along, and what is told, the same from each kind of database. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { sharedPostgres } from "../../../../test/postgres/shared.ts";
import { runPlaza } from "../testing/run-plaza.ts";
import { readMysqlAddress } from "./mysql-address.ts";
import { accountsIn, digestOf, folderFor, imported, keysIn } from "./testing/imported.ts";
import { database, startMariadb, whyNoMariadb } from "./testing/mariadb.ts";
import { columnTypes, newApiSample, plainKey } from "./testing/new-api-sample.ts";

/** Channels, priorities, mappings and ratios. */
async function checkChannels(folder: string, place: string): Promise<void> {
  const { text, err, upstreamOf, modelOf } = await imported(folder, ["new-api", place]);
  assert.deepEqual(modelOf("gpt-5-mini")?.deployments, [
    { upstream: "Main-account", model: "gpt-5-mini", priority: 1 },
    { upstream: "azure", model: "gpt-5-mini", priority: 2, weight: 5 },
  ]);
  assert.deepEqual(modelOf("gpt-5-mini")?.price, { input: "0.25", output: "2", cachedInput: "0.025" });
  assert.equal(modelOf("alias")?.deployments[0]?.["model"], "gpt-5");
  const credentials = upstreamOf("Main-account")?.["credentials"];
  assert.ok(Array.isArray(credentials) && credentials.length === 2);
  assert.deepEqual(upstreamOf("azure")?.["options"], { apiVersion: "2025-04-01-preview" });
  assert.equal(upstreamOf("deep")?.["preset"], "deepseek");
  assert.ok(!/sk-(?:one|two|deep)|azure-key/.test(text + err));
  for (const told of ["channel 4 (备用)", "channel 5 (songs)", "group vip", "3 users", "7 tokens"])
    assert.ok(err.includes(told), told);
}

/** Tokens as digests, with what they may do, in an account for each user. */
async function checkKeys(folder: string, place: string): Promise<void> {
  const { text, err } = await imported(folder, ["new-api", place, "--keys"]);
  assert.ok(!(text + err).includes(plainKey) && !(text + err).includes("hash-of-ana"));
  const own = { digest: digestOf(`sk-${plainKey}`), visiblePrefix: "sk-AbCd", status: "active" };
  const [laptop, ci, odd, ...others] = keysIn(text, "new-api-user-7");
  assert.deepEqual(laptop, { id: "new-api-token-1", name: "laptop (new-api)", ...own });
  assert.deepEqual(ci, {
    ...{ id: "new-api-token-2", name: "ci (new-api)", ...own, digest: digestOf(`sk-${plainKey}2`) },
    ...{ models: ["gpt-5-mini", "alias"], ips: ["10.0.0.0/8"] },
    ...{ budget: { amount: "3.2", period: "month" }, expires: "2099-01-01", tags: ["vip"] },
  });
  assert.deepEqual([odd?.["status"], odd?.["models"], odd?.["ips"]], ["disabled", undefined, undefined]);
  assert.deepEqual(others, []);
  assert.equal(keysIn(text, "new-api-user-8")[0]?.["status"], "disabled");
  assert.equal(accountsIn(text).length, 2);
  for (const told of [
    "plaza topup new-api-user-7 1234.567",
    "3.2 USD is left",
    "1 key keeps tags",
    "its user is gone",
    "too short",
  ])
    assert.ok(err.includes(told), told);
}

async function checkAll(context: TestContext, place: string): Promise<void> {
  await checkChannels(folderFor(context), place);
  await checkKeys(folderFor(context), place);
}

test("a new-api database in SQLite comes along, with its tokens", async (context) => {
  const folder = folderFor(context);
  const file = join(folder, "one-api.db");
  const made = new DatabaseSync(file);
  for (const statement of newApiSample(columnTypes.sqlite)) made.exec(statement);
  made.close();
  await checkAll(context, file);
  const missing = await runPlaza(["import", "new-api", join(folder, "absent.db")]);
  assert.equal(missing.status, 1);
  const other = join(folder, "other.db");
  new DatabaseSync(other).close();
  assert.match((await runPlaza(["import", "new-api", other])).err, /cannot be read as a new-api database/);
});

test("a new-api database in PostgreSQL comes along, with its tokens", async (context) => {
  const server = await sharedPostgres();
  const url = await server.newDatabase();
  context.after(() => server.freeDatabase(url));
  const name = new URL(url).pathname.slice(1);
  for (const statement of newApiSample(columnTypes.postgres)) await server.query(statement, name);
  await checkAll(context, url);
});

test("a new-api database in MySQL comes along, with its tokens", { skip: whyNoMariadb }, async (context) => {
  const folder = folderFor(context);
  const { url, dsn, close } = await startMariadb(folder, newApiSample(columnTypes.mysql));
  context.after(close);
  await checkAll(context, url);
  const { text } = await imported(folderFor(context), ["new-api", dsn]);
  assert.ok(text.includes(database) && !text.includes("w?rd"));
  await checkChannels(folderFor(context), `${url}?tls=skip-verify`);
  // The certificate is the tests' own.
  const refusedFor = async (place: string) => {
    const { status, err } = await runPlaza(["import", "new-api", place]);
    assert.ok(status !== 0 && !err.includes("w?rd") && !err.includes("w%3Frd"), err);
    return err;
  };
  assert.match(await refusedFor(`${url}?tls=true`), /self-signed certificate/);
  assert.match(await refusedFor(`${url}-absent`), /cannot be read as a new-api database/);
  assert.match(await refusedFor(url.replace("owner", "stranger")), /Access denied/);
  await close();
  assert.match(await refusedFor(url), /ECONNREFUSED/);
});

test("addresses of MySQL are read as URLs and as new-api has them, and errors tell no password", async () => {
  const host = { host: "db.example", user: "root", password: "a@b/c?d", database: "oneapi" };
  const verified = { rejectUnauthorized: true, verifyIdentity: true };
  for (const [place, expected] of [
    ["mysql://root:a%40b%2Fc%3Fd@db.example/oneapi", { ...host, port: 3306 }],
    ["mariadb://root:a%40b%2Fc%3Fd@db.example:3307/oneapi?charset=utf8", { ...host, port: 3307 }],
    ["root:a@b/c?d@tcp(db.example:3307)/oneapi", { ...host, port: 3307 }],
    ["root:a@b/c?d@tcp(db.example)/oneapi?loc=A%2FB&tls=true", { ...host, port: 3306, ssl: verified }],
    ["root@tcp([::1]:3306)/oneapi", { ...host, host: "::1", port: 3306, password: "" }],
  ] as const)
    assert.deepEqual(readMysqlAddress(place), expected);
  for (const place of [
    "mysql://root:secret?x@db.example/oneapi",
    "mysql://root:secret@db.example",
    "mysql://root:secret@db.example/oneapi?ssl-mode=REQUIRED",
    "root:secret@tcp(db.example)/oneapi?tls=preferred",
    "root:secret@tcp(db.example)",
    "root:secret@unix(/run/mysqld.sock)/oneapi",
    "postgres://root:secret?x@db.example/oneapi",
  ]) {
    const { status, err } = await runPlaza(["import", "new-api", place]);
    assert.ok(status === 2 && err.startsWith("error: ") && !err.includes("secret"), err);
  }
});
