/** The metrics token opens `/metrics` only; console tokens are limited to their scopes. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createOperatorToken } from "../../../server/src/control/auth/operator-token.ts";
import { digestOf } from "../../../server/src/control/auth/secret-text.ts";
import { startApp, type TestApp } from "../harness/app-in-process.ts";

const metricsToken = "metrics-token-0123456789";
const operatorToken = "operator-token-0123456789";
const env = { PLAZA_METRICS_TOKEN: metricsToken, PLAZA_OPERATOR_TOKEN: operatorToken };

async function statusOf(app: TestApp, path: string, token: string): Promise<number> {
  const response = await fetch(`${app.origin}${path}`, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return response.status;
}

type Scopes = Parameters<TestApp["store"]["createOperatorToken"]>[0]["scopes"];

/** Creates a console token. */
async function made(
  app: TestApp,
  id: string,
  scopes: Scopes,
  expiresAt: number | null = null,
): Promise<string> {
  const { secret, visiblePrefix } = createOperatorToken(randomBytes);
  await app.store.createOperatorToken({
    id,
    name: id,
    digest: digestOf(secret),
    visiblePrefix,
    scopes,
    createdBy: null,
    createdAt: Date.now(),
    expiresAt,
  });
  return secret;
}

test("the metrics' token opens the metrics and nothing else", async (context) => {
  const app = await startApp({ catalog: { upstreams: [], models: [], limits: {} }, env });
  context.after(() => app.stop());
  const reading = await made(app, "tok_health", ["health:read"]);
  const other = await made(app, "tok_accounts", ["accounts:read", "accounts:write"]);
  const over = await made(app, "tok_over", ["health:read"], Date.now() - 1);
  const seen = [];
  for (const token of [metricsToken, operatorToken, reading, other, over]) {
    seen.push([
      await statusOf(app, "/metrics", token),
      await statusOf(app, "/api/upstreams", token),
      await statusOf(app, "/api/operator/accounts", token),
    ]);
  }
  assert.deepEqual(seen, [
    [200, 401, 401],
    [200, 200, 200],
    [200, 401, 403],
    [401, 401, 200],
    [401, 401, 401],
  ]);
});
