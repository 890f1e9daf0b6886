/**
 * Limits of accounts, keys and the catalog, changed while the gateway runs: shown in `GET /v1/models` and
 * enforced on calls.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Catalog } from "@plaza/contract/catalog.ts";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { modelOn, startApp, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { completion } from "../harness/openai-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

let upstream: ScriptedUpstream;
let app: TestApp;

const catalog = (limits: Catalog["limits"]): Catalog => ({
  upstreams: [upstreamAt("up", upstream.baseUrl)],
  models: [modelOn("m", ["up"], { limits: { concurrency: 4 } })],
  limits,
});

before(async () => {
  upstream = await startScriptedUpstream();
  app = await startApp({ catalog: catalog({ requestsPerMinute: 60 }) });
});
after(async () => {
  await app?.stop();
  await upstream?.stop();
});

/** Waits until these limits apply to a key: requests and tokens per minute, concurrent requests. */
async function becomes(key: string, expected: (number | null)[]): Promise<void> {
  const text = JSON.stringify(expected);
  const seen = async () => {
    const answer = await fetch(`${app.origin}/v1/models/m`, { headers: { authorization: `Bearer ${key}` } });
    const { limits } = (await answer.json()) as { limits: Record<string, number | null> };
    return JSON.stringify(Object.values(limits));
  };
  assert.ok(await eventually(async () => (await seen()) === text, 5_000), `${await seen()} is not ${text}`);
}

test("an account's own limits and the catalog's reach a running process", async () => {
  const { accountId, key } = await app.newAccount("1.00");
  await becomes(key, [60, null, 4]);
  await app.store.setAccountLimits(accountId, { requestsPerMinute: 600, concurrency: 2 });
  await becomes(key, [600, null, 2]);
  await app.store.applyCatalog(catalog({ requestsPerMinute: 30, tokensPerMinute: 0 }));
  await becomes(key, [600, 0, 2]);
  await app.store.setAccountLimits(accountId, { requestsPerMinute: null, concurrency: null });
  await becomes(key, [30, 0, 4]);
});

test("what is left is told on addresses and methods that are not served, too, and to valid keys only", async () => {
  await app.store.applyCatalog(catalog({}));
  const { keyId, key } = await app.newAccount("1.00");
  await app.store.setKeyLimits(keyId, { requestsPerMinute: 7 });
  await becomes(key, [7, null, 4]);
  const ask = async (method: string, path: string, given?: string) => {
    const headers = given === undefined ? {} : { authorization: `Bearer ${given}` };
    const answer = await fetch(`${app.origin}${path}`, { method, headers });
    return [answer.status, answer.headers.get("x-ratelimit-remaining-requests")];
  };
  assert.deepEqual(await ask("GET", "/v1/files", key), [404, "7"]);
  assert.deepEqual(await ask("POST", "/v1/responses/some/thing", key), [404, "7"]);
  assert.deepEqual(await ask("GET", "/v1/chat/completions", key), [405, "7"]);
  assert.deepEqual(await ask("DELETE", "/v1/models/m", key), [405, "7"]);
  assert.deepEqual(await ask("GET", "/v1/models/%zz", key), [400, "7"]);
  assert.deepEqual(await ask("GET", "/v1/requests/req_none", key), [404, "7"]);
  assert.deepEqual(await ask("GET", "/v1/files"), [404, null]);
  const unknown = `${key.slice(0, -1)}${key.endsWith("x") ? "y" : "x"}`;
  assert.deepEqual(await ask("GET", "/v1/files", unknown), [404, null]);
  assert.deepEqual(await ask("GET", "/nowhere", key), [404, null]);
});

test("a running process keeps to a key's limits as they are changed, and only to that key's", async (context) => {
  await app.store.applyCatalog(catalog({}));
  const { keyId, key } = await app.newAccount("1.00");
  const other = await app.newAccount("1.00");
  const messages = [{ role: "user", content: "hi" }];
  const ask = (which = key) =>
    post({ url: app.chatUrl, key: which, body: JSON.stringify({ model: "m", messages }) });
  const refusal = ({ status, body }: Seen) => {
    assert.equal(status, 429, String(body));
    return (JSON.parse(String(body)) as { error: { message: string } }).error.message;
  };
  const held = Promise.withResolvers<void>();
  context.after(() => held.resolve());
  upstream.answerWith({ body: completion({ message: { content: "one" } }), after: held.promise });

  await becomes(key, [null, null, 4]);
  await app.store.setKeyLimits(keyId, { concurrency: 1 });
  await becomes(key, [null, null, 1]);
  const first = ask();
  await upstream.called(1);
  assert.match(refusal(await ask()), /^This API key is limited to 1 concurrent request, /);

  await app.store.setKeyLimits(keyId, { concurrency: 2 });
  await becomes(key, [null, null, 2]);
  const second = ask();
  await upstream.called(2);
  assert.match(refusal(await ask()), /^This API key is limited to 2 concurrent requests, /);

  await app.store.setKeyLimits(keyId, { requestsPerMinute: 0, concurrency: null });
  await becomes(key, [0, null, 4]);
  const third = ask(other.key);
  await upstream.called(3);
  const blocked = await ask();
  assert.match(refusal(blocked), /^This API key is blocked by a limit of 0 /);
  assert.equal(blocked.headers["x-should-retry"], "false");
  held.resolve();
  const statuses = (await Promise.all([first, second, third])).map(({ status }) => status);
  assert.deepEqual(statuses, [200, 200, 200]);

  await app.store.setKeyLimits(keyId, { requestsPerMinute: 600 });
  await becomes(key, [600, null, 4]);
  const last = await ask();
  assert.deepEqual([last.status, last.headers["x-ratelimit-limit-requests"]], [200, "600"]);
});
