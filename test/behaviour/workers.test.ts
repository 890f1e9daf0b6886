/**
 * `plaza serve --workers 3`: several processes on one port over one database that behave as one.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually, pause } from "../rigs/harness/clock.ts";
import { inParallel } from "../rigs/harness/http-client.ts";
import { isAlive, processTree } from "../rigs/harness/proc.ts";
import { startUpstream, type Upstream } from "../rigs/upstream/server.ts";
import { type Answer, assertErrorAnswer, isFinished, send, sendChat } from "./caller.ts";
import { model, openaiUpstream } from "./catalogs.ts";
import { isReady, type Product, startProduct } from "./product.ts";

const workers = 3;
/** Enough fresh connections that each worker gets some. */
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

/** The same request on sixty connections of their own. */
const askAll = (key: string, modelId = "counting"): Promise<Answer[]> =>
  inParallel(connections, 12, () => sendChat(product.origin, key, { model: modelId, messages: hello }));

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
  assert.ok(await eventually(serves, 6_000, 100));
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

test("SIGTERM: streams under way finish, newcomers are told to come back, all exit, status 0", async () => {
  const pids = [product.pid, ...workerPids()];
  const body = { model: "counting", messages: hello, stream: true, x_rig: { tokens: 25, gapMs: 40 } };
  const accepted = upstream.state().accepted;
  const streams = Array.from({ length: 6 }, () => sendChat(product.origin, product.firstKey, body));
  assert.ok(await eventually(() => upstream.state().accepted === accepted + streams.length, 3_000, 5));
  product.running.child.kill("SIGTERM");
  const newcomer = async (): Promise<Answer> =>
    sendChat(product.origin, product.firstKey, { model: "counting", messages: hello });
  let answer = await newcomer();
  await eventually(async () => {
    answer = await newcomer();
    return answer.status !== 200;
  }, 800);
  assertErrorAnswer(answer, 503, { code: "overloaded" });
  assert.ok(Number(answer.headers["retry-after"]) >= 1);
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
