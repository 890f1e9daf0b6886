/** `plaza doctor` at installations in order, and with one thing wrong each. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { unpack } from "../../../../test/upgrades/corpus.ts";
import { startFakeStore } from "../../lib/testing/fake-store.ts";
import { runPlaza } from "../testing/run-plaza.ts";
import type { Finding } from "./finding.ts";

/** An upstream that lists two models to one key, at a time of day of its own. */
async function listUpstream(context: TestContext, clockOffMs = 0): Promise<string> {
  const server = createServer((request, response) => {
    const isRight = request.headers.authorization === "Bearer sk-right";
    response.setHeader("date", new Date(Date.now() + clockOffMs).toUTCString());
    response.writeHead(isRight ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify({ object: "list", data: [{ id: "small" }, { id: "large" }] }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

interface Made {
  readonly baseUrl: string;
  readonly credential?: string;
  /** YAML of the model's price. */
  readonly price?: string;
}

const folderFor = (context: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), "doctor-"));
  context.after(() => rmSync(folder, { recursive: true }));
  return folder;
};

/** A data folder with a catalog of one upstream and one model. */
async function installation(context: TestContext, { baseUrl, credential = "sk-right", price }: Made) {
  const folder = folderFor(context);
  const data = join(folder, "data");
  const file = join(folder, "plaza.yaml");
  const lines = [
    ...["upstreams:", "  - id: main", "    provider: openai", `    baseUrl: ${baseUrl}`],
    ...[`    credentials: [${credential}]`, "models:", "  - id: small"],
    ...(price === undefined ? [] : [`    price: ${price}`]),
    "    deployments: [{ upstream: main, model: small }]",
  ];
  writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600 });
  const applied = await runPlaza(["apply", file, "--data", data]);
  assert.equal(applied.status, 0, applied.err);
  return { data, file };
}

const free = '{ input: "0", output: "0" }';

async function examine(data: string, words: readonly string[] = [], env: Record<string, string> = {}) {
  const { status, out } = await runPlaza(["doctor", "--data", data, "--json", ...words], { env });
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  const of = (what: string) =>
    findings.filter((finding) => finding.what === what).map(({ standing, text }) => `${standing}: ${text}`);
  return { status, of, findings };
}

test("an empty folder is told what comes first, and stays as it is", async (context) => {
  const data = join(folderFor(context), "data");
  const { status, of } = await examine(data);
  assert.equal(status, 0);
  assert.match(of("data folder")[0] ?? "", /^warning: .* is not there$/);
  assert.match(of("database")[0] ?? "", /^warning: .* is not there$/);
  assert.equal(existsSync(data), false);
});

test("an installation in order: its upstream lists models to its key, and the clocks agree", async (context) => {
  const { data } = await installation(context, { baseUrl: await listUpstream(context), price: free });
  const { status, of, findings } = await examine(data, ["--whole"]);
  assert.equal(status, 0);
  assert.deepEqual(of("upstream main"), ["ok: lists 2 models (1 credential)"]);
  assert.match(of("clock")[0] ?? "", /^ok: /);
  assert.deepEqual(of("models"), ["ok: 1 model"]);
  assert.deepEqual(of("ledger"), ["ok: 0 entries, every sum is right"]);
  assert.ok(findings.every(({ standing, todo }) => (standing === "ok") === (todo === undefined)));
  const { out } = await runPlaza(["doctor", "--data", data, "--offline"]);
  assert.match(out, /^ok {5}Plaza/);
  assert.doesNotMatch(out, /upstream main/);
});

test("a credential that is refused, and an upstream that is not there, are problems", async (context) => {
  const baseUrl = await listUpstream(context);
  const refused = await installation(context, { baseUrl, credential: "sk-wrong", price: free });
  const first = await examine(refused.data);
  assert.equal(first.status, 1);
  assert.match(first.of("upstream main")[0] ?? "", /^problem: .*refused|^problem: .*401/);
  assert.ok(!JSON.stringify(first.findings).includes("sk-wrong"));
  const away = await installation(context, { baseUrl: "http://127.0.0.1:1/v1", price: free });
  const second = await examine(away.data);
  assert.equal(second.status, 1);
  assert.match(second.of("upstream main")[0] ?? "", /^problem: /);
});

test("a model without a price and a clock that is off are warnings", async (context) => {
  const baseUrl = await listUpstream(context, 3_600_000);
  const { data } = await installation(context, { baseUrl });
  const { status, of } = await examine(data);
  assert.equal(status, 0);
  assert.deepEqual(of("models"), ["warning: without a price, so not served: small"]);
  assert.match(of("clock")[0] ?? "", /^warning: 3\d\d\d s behind 127\.0\.0\.1/);
});

test("a key file that others can read, and settlements that were refused, are problems", async (context) => {
  const { data } = await installation(context, { baseUrl: await listUpstream(context), price: free });
  chmodSync(join(data, "secret.key"), 0o644);
  mkdirSync(join(data, "journal"));
  writeFileSync(join(data, "journal", "rejected-1-2.jsonl"), "{}\n");
  writeFileSync(join(data, "journal", "journal-1-2-0.jsonl"), "[]\n");
  const { status, of } = await examine(data, ["--offline"]);
  assert.equal(status, 1);
  assert.match(of("sealing key")[0] ?? "", /^problem: .*can be read by others/);
  assert.match(of("journal").join("\n"), /^warning: 3 B of settlements wait.*\nproblem: .*refused/);
});

test("another sealing key, a newer schema and a setting that is not understood are named", async (context) => {
  const { data } = await installation(context, { baseUrl: await listUpstream(context), price: free });
  const otherKey = { PLAZA_SECRET_KEY: Buffer.alloc(32, 7).toString("base64") };
  const keyed = await examine(data, ["--offline"], otherKey);
  assert.equal(keyed.status, 1);
  assert.ok(keyed.findings.some(({ standing, text }) => standing === "problem" && /key/.test(text)));
  const settings = await examine(data, [], { PLAZA_PORT: "http", PLAZA_WORKRES: "2" });
  assert.equal(settings.status, 1);
  assert.equal(settings.of("settings").length, 2);
  const database = new DatabaseSync(join(data, "plaza.sqlite"));
  database.exec(
    "insert into schema_migrations (version, name, applied_at, kind, needs) values (99, 'later', 1, 'contract', 98)",
  );
  database.close();
  const newer = await examine(data, ["--offline"]);
  assert.equal(newer.status, 1);
  assert.match(newer.of("schema")[0] ?? "", /^problem: /);
});

test("an old schema says whether the next start migrates it, or which servers have to stop first", async (context) => {
  const data = folderFor(context);
  const file = join(data, "plaza.sqlite");
  writeFileSync(file, unpack(17, "sqlite"), { mode: 0o600 });
  const schemaOf = async () =>
    (await examine(data, ["--offline"])).findings.find(({ what }) => what === "schema");
  assert.equal((await schemaOf())?.todo, "the next start migrates it");
  const database = new DatabaseSync(file);
  database.exec(`insert into holders (id, expires_at, created_at) values ('old', ${Date.now() + 60_000}, 0)`);
  database.close();
  assert.match((await schemaOf())?.todo ?? "", /stop all of them/);
});

test("a bucket of the archive is asked, unless offline, and what is wrong with it is said", async (context) => {
  const data = folderFor(context);
  const store = await startFakeStore();
  context.after(() => store.stop());
  const env = { ...store.env, PLAZA_REQUESTS_ARCHIVE: "s3://backups/rows", PLAZA_REQUESTS_KEPT_MS: "400d" };
  const archiveOf = async (words: readonly string[], changes: Record<string, string> = {}) =>
    (await examine(data, words, { ...env, ...changes })).of("archive");
  assert.deepEqual(await archiveOf([]), ["ok: s3://backups/rows answers"]);
  assert.match((await archiveOf([], { AWS_ACCESS_KEY_ID: "" }))[0] ?? "", /^problem: set AWS_ACCESS_KEY_ID/);
  const others = { PLAZA_REQUESTS_ARCHIVE: "s3://others/rows" };
  assert.match((await archiveOf([], others))[0] ?? "", /^problem: .*NoSuchBucket/);
  store.calls.length = 0;
  assert.deepEqual(await archiveOf(["--offline"]), ["ok: s3://backups/rows, not asked"]);
  assert.deepEqual(store.calls, []);
});
