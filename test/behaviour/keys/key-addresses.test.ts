/** Keys restricted to addresses, and ephemeral keys: on a running gateway, changed while it runs. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { parseUsd } from "@plaza/contract/money.ts";
import { createApiKey, digestApiKey } from "../../../server/src/domain/keys/api-key.ts";
import { newUser } from "../../../server/src/store/testing/behaviour/console/keys.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { type Answer, send } from "../harness/caller.ts";
import { completion } from "../harness/openai-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

const hourMs = 3_600_000;

let upstream: ScriptedUpstream;
let app: TestApp;

before(async () => {
  upstream = await startScriptedUpstream();
  app = await startApp({
    catalog: { upstreams: [upstreamAt("up", upstream.baseUrl)], models: [modelOn("m", ["up"])], limits: {} },
    env: { PLAZA_TRUSTED_PROXIES: "127.0.0.0/8" },
  });
});
after(async () => {
  await app?.stop();
  await upstream?.stop();
});

/** The response to listing the models. */
const look = (key: string, forwardedFor?: string): Promise<Answer> =>
  send(app.origin, {
    method: "GET",
    path: "/v1/models",
    headers: {
      authorization: `Bearer ${key}`,
      ...(forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor }),
    },
  });

const chat = (key: string): Promise<Answer> =>
  send(app.origin, {
    path: "/v1/chat/completions",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
  });

const codeOf = ({ text }: Answer): string | undefined =>
  (JSON.parse(text) as { error?: { code: string } }).error?.code;

async function becomes(look: () => Promise<Answer>, code: string | undefined): Promise<void> {
  assert.ok(await eventually(async () => codeOf(await look()) === code, 3_000), `never ${code}`);
}

test("a key's list of addresses holds for what a trusted proxy says, acts while the gateway runs, and is told", async () => {
  const { key, keyId, accountId } = await app.newAccount("1.00");
  const scope = { accountId };
  assert.equal((await look(key)).status, 200);
  await app.store.changeKey(keyId, scope, 0, { ips: ["203.0.113.0/24"] });
  await becomes(() => look(key), "ip_not_allowed");
  const refused = await chat(key);
  assert.deepEqual([refused.status, codeOf(refused)], [403, "ip_not_allowed"]);
  assert.match(refused.text, /127\.0\.0\.1/);
  assert.equal((await look(key, "203.0.113.9")).status, 200);
  assert.equal((await look(key, "203.0.113.9, 198.51.100.1")).status, 403);
  assert.equal((await look(key, "198.51.100.1, 203.0.113.9")).status, 200);
  assert.equal((await look(key, "nonsense")).status, 403);
  await app.store.changeKey(keyId, scope, 1, { ips: ["127.0.0.1"] });
  await becomes(() => look(key), undefined);
  await app.store.changeKey(keyId, scope, 2, { ips: null });
  await becomes(() => look(key, "203.0.113.200"), undefined);
});

/** Creates a session of a new member, and in it an ephemeral key. */
async function passFor({ keyId, accountId }: TestAccount, lifeMs = 900_000) {
  const name = randomBytes(4).toString("hex");
  await newUser(app.store, `usr_${name}`, accountId);
  const nowMs = Date.now();
  const sessionId = `ses_${name}`;
  await app.store.createSession({
    id: sessionId,
    digest: createHash("sha256").update(sessionId).digest("hex"),
    userId: `usr_${name}`,
    csrf: "c",
    ip: null,
    userAgent: null,
    createdAt: nowMs,
    rotatedAt: nowMs,
    seenAt: nowMs,
    expiresAt: nowMs + hourMs,
    idleMs: hourMs,
  });
  const { secret } = createApiKey(randomBytes);
  const ephemeral = { digest: digestApiKey(secret), keyId, sessionId, expiresAt: nowMs + lifeMs };
  assert.equal(await app.store.addEphemeralKey(ephemeral), true);
  return { secret, end: () => app.store.endSession(`usr_${name}`, sessionId) };
}

test("an ephemeral key calls as its key: same rows, charges, budget and models; it ends with the session", async () => {
  upstream.answerWith({ body: completion({ message: { content: "one" } }) });
  const account = await app.newAccount("1.00", { amount: parseUsd("1"), period: "day" });
  const { secret, end } = await passFor(account);
  const answer = await chat(secret);
  assert.equal(answer.status, 200, answer.text);
  const row = await app.newestRow(account.accountId, 1);
  assert.equal(row.keyId, account.keyId);
  const key = await app.store.findConsoleKey(account.keyId, { accountId: account.accountId });
  assert.deepEqual([key?.spent, row.charge > 0n], [row.charge, true]);
  const before = await app.store.findConsoleKey(account.keyId, { accountId: account.accountId });
  await app.store.changeKey(account.keyId, { accountId: account.accountId }, before?.revision ?? 0, {
    models: ["another"],
  });
  assert.equal(codeOf(await chat(secret)), "model_not_allowed");
  await end();
  assert.equal(codeOf(await chat(secret)), "invalid_api_key");
  assert.equal((await look(account.key)).status, 200);
});

test("an ephemeral key ends by itself, and with its key", async () => {
  const account = await app.newAccount("1.00");
  const short = await passFor(account, 400);
  await becomes(() => look(short.secret), "api_key_expired");
  const long = await passFor(account);
  assert.equal((await look(long.secret)).status, 200);
  await app.store.revokeKey(account.keyId, { accountId: account.accountId });
  assert.equal(codeOf(await look(long.secret)), "invalid_api_key");
  await becomes(() => look(account.key), "invalid_api_key");
});
