/**
 * `PLAZA_HEALTH_LISTEN`: health, readiness and metrics at a separate address, for one process and for
 * several.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { get } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { processTree } from "../../rigs/harness/processes/proc.ts";
import { type Product, startProduct } from "../harness/product.ts";

const env = { PLAZA_HEALTH_LISTEN: "127.0.0.1:0" };

function healthOrigin(product: Product): string {
  const [, port] = /"event":"health_listening","port":(\d+)/.exec(product.running.stderr()) ?? [];
  return `http://127.0.0.1:${port}`;
}

const statusOf = async (url: string): Promise<number> => (await get(url).catch(() => ({ status: 0 }))).status;

test("one process: all three, and nothing else; red from the signal to the end", async () => {
  const product = await startProduct({ env: { ...env, PLAZA_LAME_DUCK_MS: "1500" } });
  const origin = healthOrigin(product);
  assert.ok(await eventually(async () => (await statusOf(`${origin}/readyz`)) === 200, 15_000));
  assert.equal(await statusOf(`${origin}/healthz?probe=1`), 200);
  const figures = await get(`${origin}/metrics`);
  assert.equal(figures.status, 200);
  assert.match(figures.text, /^plaza_build_info\{.*process="1"\} 1$/m);
  assert.match(figures.text, /^plaza_metrics_age_seconds 0/m);
  assert.equal(await statusOf(`${origin}/v1/models`), 404);
  assert.equal((await fetch(`${origin}/healthz`, { method: "POST" })).status, 405);
  assert.equal(await statusOf(`${product.origin}/healthz`), 200, "also where it was");
  product.running.child.kill("SIGTERM");
  assert.ok(await eventually(async () => (await statusOf(`${origin}/readyz`)) === 503, 1_000, 5));
  assert.match((await get(`${origin}/readyz`)).text, /stopping/);
  assert.equal(await statusOf(`${origin}/healthz`), 200);
  assert.equal(await product.running.ended, 0);
  await product.stop();
});

test("figures want the operator's token where there is one", async () => {
  const product = await startProduct({
    env: { ...env, PLAZA_OPERATOR_TOKEN: "a-token-of-the-operator-0123456789" },
  });
  const origin = healthOrigin(product);
  assert.equal(await statusOf(`${origin}/metrics`), 401);
  assert.equal(await statusOf(`${origin}/healthz`), 200);
  const authorization = "Bearer a-token-of-the-operator-0123456789";
  assert.equal((await get(`${origin}/metrics`, { authorization })).status, 200);
  await product.stop();
});

test("workers: figures of all; one that stands still is told, and green again when it goes on", async () => {
  const product = await startProduct({
    env: { ...env, PLAZA_HEALTH_STALL_MS: "1s" },
    serve: ["--workers", "2"],
  });
  const origin = healthOrigin(product);
  assert.ok(await eventually(async () => (await statusOf(`${origin}/readyz`)) === 200, 15_000));
  const bothUp = async (): Promise<boolean> =>
    /plaza_process_up\{process="1"\} 1\n.*process="2"\} 1\n/.test((await get(`${origin}/metrics`)).text);
  assert.ok(await eventually(bothUp, 15_000, 100));
  const [victim = 0] = processTree(product.pid).filter((pid) => pid !== product.pid);
  process.kill(victim, "SIGSTOP");
  try {
    assert.ok(await eventually(async () => (await statusOf(`${origin}/healthz`)) === 503, 10_000));
    assert.match((await get(`${origin}/healthz`)).text, new RegExp(`process ${victim} has stood still`));
    assert.equal(await statusOf(`${origin}/readyz`), 200, "the other one is ready");
  } finally {
    process.kill(victim, "SIGCONT");
  }
  assert.ok(await eventually(async () => (await statusOf(`${origin}/healthz`)) === 200, 15_000));
  await product.stop();
});
