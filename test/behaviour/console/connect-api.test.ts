/**
 * An operator token connects an upstream through the console's API of a running server, callers get answers
 * from it and pay the confirmed price, then the changed one, and the secret is not stored in plain text.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createOperatorToken } from "../../../server/src/control/auth/operator-token.ts";
import { digestOf } from "../../../server/src/control/auth/secret-text.ts";
import { loadOrCreateKeyFile } from "../../../server/src/lib/secret.ts";
import { openStoreInProcess } from "../../../server/src/store/open.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { sendChat } from "../harness/caller.ts";
import { startProxy } from "../harness/egress-proxy.ts";
import { startProduct, temporaryFolder } from "../harness/product.ts";
import { startScriptedUpstream } from "../harness/scripted-upstream.ts";

const secret = "sk-secret-of-the-test-0123456789";
const headerValue = "team-of-the-test-0123456789";

/** Creates a token in the store, as the console does. */
async function newToken(folder: string): Promise<string> {
  const database = { kind: "sqlite", file: join(folder, "plaza.sqlite") } as const;
  const store = await openStoreInProcess({
    database,
    secretKey: loadOrCreateKeyFile(join(folder, "secret.key")),
  });
  const { secret: token, visiblePrefix } = createOperatorToken(randomBytes);
  await store.createOperatorToken({
    id: "otk_test",
    name: "test",
    visiblePrefix,
    digest: digestOf(token),
    scopes: ["catalog:read", "catalog:write"],
    createdBy: null,
    createdAt: Date.now(),
    expiresAt: null,
  });
  await store.close();
  return token;
}

const completion = {
  body: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1_000, completion_tokens: 0, total_tokens: 1_000 },
  },
};

test("what is connected in the console answers and is charged, without a restart", async (context) => {
  const upstream = await startScriptedUpstream();
  context.after(() => upstream.stop());
  const folder = temporaryFolder();
  // The upstream's name is known to the operator's proxy alone.
  const proxy = await startProxy(context);
  const product = await startProduct({ folder, env: { PLAZA_EGRESS_PROXY: proxy.url } });
  const baseUrl = upstream.baseUrl.replace("127.0.0.1", "vendor.test");
  context.after(async () => {
    await product.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const token = await newToken(folder);
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${product.origin}/api/operator${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, text);
    assert.ok(!text.includes(secret) && !text.includes(headerValue));
    return text === "" ? undefined : JSON.parse(text);
  };

  upstream.answerWith({ body: { object: "list", data: [{ id: "vendor/mine", object: "model" }] } });
  const aim = { baseUrl, credential: secret, headers: { "X-Team": headerValue } };
  const { models, upstream: found } = await call("POST", "/connect/check", aim);
  assert.equal(upstream.calls.at(-1)?.headers["x-team"], headerValue);
  const price = { input: "1000", output: "0" };
  await call("POST", "/connect", {
    ...aim,
    baseUrl: found.baseUrl,
    id: found.id,
    models: models.map((model: object) => ({ ...model, price })),
  });

  const { key } = await product.createKey(await product.createAccount());
  upstream.answerWith(completion);
  const ask = () =>
    sendChat(product.origin, key, { model: "vendor/mine", messages: [{ role: "user", content: "Hi" }] });
  let answer = await ask();
  await eventually(async () => {
    if (answer.status !== 200) answer = await ask();
    return answer.status === 200;
  }, 10_000);
  assert.equal(upstream.calls.at(-1)?.headers.authorization, `Bearer ${secret}`);
  assert.equal(upstream.calls.at(-1)?.headers["x-team"], headerValue);
  const charged = async () => {
    const [row] = (await product.requests(1)) as unknown as { charge: string }[];
    return row?.charge;
  };
  assert.equal(await charged(), "1.00");

  const [model] = (await call("GET", "/catalog")).models.filter(
    ({ id }: { id: string }) => id === "vendor/mine",
  );
  await call("PUT", "/models/vendor%2Fmine", { ...model, price: { input: "2000", output: "0" } });
  await eventually(async () => {
    assert.equal((await ask()).status, 200);
    return (await charged()) === "2.00";
  }, 10_000);
  assert.equal(await charged(), "2.00");

  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const text = /\.(?:sqlite|sqlite-wal)$/.test(name) ? readFileSync(join(folder, name), "latin1") : "";
    assert.ok(!text.includes(secret), `${name} holds the credential in clear`);
    assert.ok(!text.includes(headerValue), `${name} holds a header in clear`);
  }
  assert.ok(!product.logs().includes(secret));
});
