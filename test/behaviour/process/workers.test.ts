/** `plaza serve --workers 3`: several processes on one port and one database behave as one. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Agent } from "node:http";
import { after, before, test } from "node:test";
import { get, inParallel, post, type Seen } from "../../rigs/harness/http-client.ts";
import { eventually, pause } from "../../rigs/harness/measure/clock.ts";
import { isAlive, processTree } from "../../rigs/harness/processes/proc.ts";
import { startUpstream, type Upstream } from "../../rigs/upstream/server.ts";
import { type Answer, assertErrorAnswer, isFinished, send, sendChat } from "../harness/caller.ts";
import { model, openaiUpstream } from "../harness/catalogs.ts";
import { isReady, type Product, startProduct } from "../harness/product.ts";

const workers = 3;
/** Enough new connections to reach every worker. */
const connections = Array.from({ length: 60 }, (_, index) => index);
const hello = [{ role: "user", content: "hi" }];

let upstream: Upstream;
let product: Product;
let account: string;

const catalog = (...more: readonly string[]) => ({
  upstreams: [openaiUpstream("counting", upstream.baseUrl)],
  models: ["counting", ...more].map((id) => model(id, ["counting", "upstream-model"])),
});

before(async () => {
  upstream = await startUpstream();
  product = await startProduct({ catalog: catalog(), serve: ["--workers", String(workers)] });
  account = await product.createAccount();
});
after(async () => {
  await product?.stop();
  await upstream?.stop();
});

const workerPids = (): number[] => processTree(product.pid).filter((pid) => pid !== product.pid);

/** The same request on sixty new connections. */
const askAll = (key: string, modelId = "counting"): Promise<Answer[]> =>
  inParallel(connections, 12, () => sendChat(product.origin, key, { model: modelId, messages: hello }));

const metrics = async (): Promise<string> => (await get(`${product.origin}/metrics`)).text;

const statuses = (answers: readonly Answer[]): number[] => [
  ...new Set(answers.map((answer) => answer.status)),
];

test("there are three of them, and one banner", () => {
  assert.equal(workerPids().length, workers);
  assert.equal(product.running.stdout().match(/API key/g)?.length, 1);
});

test("a new key works at once with every one", async () => {
  const { key } = await product.createKey(account);
  assert.deepEqual(statuses(await askAll(key)), [200]);
});

test("rows from all of them are in the database", async () => {
  const { id, key } = await product.createKey(account);
  const ids = (await askAll(key)).map((answer) => String(answer.headers["x-request-id"]));
  assert.equal(new Set(ids).size, connections.length);
  const rows = (await product.requests(500)).filter((row) => row.keyId === id);
  assert.deepEqual(rows.map((row) => row.id).sort(), [...ids].sort());
});

test("a revoked key is refused by every one a second later", async () => {
  const { id, key } = await product.createKey(account);
  assert.deepEqual(statuses(await askAll(key)), [200]);
  await product.command(["key", "revoke", id]);
  await pause(1_000);
  for (const answer of await askAll(key)) assertErrorAnswer(answer, 401, { code: "invalid_api_key" });
});

test("a change of the catalog file reaches every one", async () => {
  product.writeCatalog(catalog("added"));
  const headers = { authorization: `Bearer ${product.firstKey}` };
  const serves = async (): Promise<boolean> => {
    const answers = await inParallel(connections, 12, () =>
      send(product.origin, { method: "GET", path: "/v1/models/added", headers }),
    );
    return answers.every((answer) => answer.status === 200);
  };
  assert.ok(await eventually(serves, 20_000, 100));
  assert.deepEqual(statuses(await askAll(product.firstKey, "added")), [200]);
});

test("a killed worker is replaced, and service goes on", async () => {
  const before = workerPids();
  const [victim = 0] = before;
  process.kill(victim, "SIGKILL");
  assert.ok(
    await eventually(() => {
      const now = workerPids();
      return now.length === workers && !now.includes(victim);
    }, 10_000),
  );
  const serves = async (): Promise<boolean> => statuses(await askAll(product.firstKey)).join() === "200";
  assert.ok(await eventually(() => serves().catch(() => false), 10_000));
  assert.ok(before.filter((pid) => pid !== victim).every(isAlive), "the others were left alone");
  assert.match(product.running.stderr(), new RegExp(`worker_died.*${victim}`));
});

test("SIGHUP: each is replaced by a new one, and nobody notices", async () => {
  const pids = workerPids();
  const agents = Array.from({ length: 12 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const body = (more: object) => JSON.stringify({ model: "counting", messages: hello, ...more });
  const call = { url: product.chatUrl, key: product.firstKey };
  const streams = agents.map((agent) =>
    post({ ...call, agent, body: body({ stream: true, x_rig: { tokens: 50, gapMs: 40 } }) }),
  );
  const seen: Seen[] = [];
  let isOver = false;
  const callers = agents.map(async (_, index) => {
    const agent = index % 2 === 0 ? new Agent({ keepAlive: true, maxSockets: 1 }) : undefined;
    while (!isOver) seen.push(await post({ ...call, agent, body: body({}) }));
  });
  product.running.child.kill("SIGHUP");
  const isReloaded = await eventually(() => /"event":"reloaded"/.test(product.running.stderr()), 60_000, 50);
  isOver = true;
  await Promise.all(callers);
  assert.ok(isReloaded, product.running.stderr().slice(-3_000));
  const failed = seen.filter(({ status, isWhole }) => status !== 200 || !isWhole);
  assert.deepEqual(
    failed.map(({ status, problem, body }) => `${status} ${problem} ${body.toString("utf8").slice(0, 300)}`),
    [],
  );
  for (const stream of await Promise.all(streams)) assert.ok(isFinished(stream.body.toString("utf8")));
  assert.equal(workerPids().length, workers);
  assert.ok(!pids.some(isAlive));
  // The launcher, which names them, chose the program's files as they are now.
  for (const pid of workerPids()) assert.match(readFileSync(`/proc/${pid}/cmdline`, "utf8"), /^plaza serve/);
  assert.match(await metrics(), /^plaza_worker_deaths_total 1$/m);
});

test("SIGTERM: streams under way finish, newcomers are refused, all exit, status 0", async () => {
  const pids = [product.pid, ...workerPids()];
  const body = { model: "counting", messages: hello, stream: true, x_rig: { tokens: 50, gapMs: 40 } };
  const accepted = upstream.state().accepted;
  const streams = Array.from({ length: 6 }, () => sendChat(product.origin, product.firstKey, body));
  assert.ok(await eventually(() => upstream.state().accepted === accepted + streams.length, 3_000, 5));
  product.running.child.kill("SIGTERM");
  const isRefused = (): Promise<boolean> =>
    sendChat(product.origin, product.firstKey, { model: "counting", messages: hello }).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === "ECONNREFUSED",
    );
  assert.ok(await eventually(isRefused, 1_500));
  for (const stream of await Promise.all(streams)) {
    assert.equal(stream.status, 200);
    assert.ok(isFinished(stream.text), stream.text.slice(-300));
  }
  assert.equal(await product.running.ended, 0);
  assert.ok(await eventually(() => !pids.some(isAlive), 3_000));
});

test("a killed primary takes its workers along", async () => {
  const other = await startProduct({ serve: ["--workers", "2"] });
  process.kill(other.pid, "SIGKILL");
  assert.ok(await eventually(async () => !(await isReady(other.origin)), 5_000));
  await other.stop();
});
