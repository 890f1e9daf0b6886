/** `plaza models --json` prints the same facts as `GET /v1/models` for a key without custom limits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { demoUpstream, model } from "../harness/catalogs.ts";
import { startProduct } from "../harness/product.ts";

test("plaza models --json and GET /v1/models show the same facts; unknown stays unknown", async () => {
  const { context: _context, ...bare } = model("unknown", ["demo", "demo"]);
  const catalog = {
    upstreams: [demoUpstream],
    models: [
      { ...model("known", ["demo", "demo"]), context: 8_000, maxOutput: 500, limits: { concurrency: 3 } },
      bare,
    ],
  };
  const product = await startProduct({ catalog });
  try {
    const { key } = await product.createKey(await product.createAccount());
    const answer = await fetch(`${product.origin}/v1/models`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const shown = (await answer.json()) as { data: { id: string; context_length: number | null }[] };
    assert.deepEqual(await product.json(["models"]), shown);
    assert.deepEqual(
      shown.data.map(({ id, context_length }) => [id, context_length]),
      [
        ["known", 8_000],
        ["unknown", null],
      ],
    );
  } finally {
    await product.stop();
  }
});

test("what is left of a model's own limit is told where the model is looked at, and only to keys that may use it", async () => {
  const limited = { ...model("limited", ["demo", "demo"]), limits: { requestsPerMinute: 20 } };
  const product = await startProduct({
    catalog: { upstreams: [demoUpstream], models: [limited, model("other", ["demo", "demo"])] },
  });
  try {
    const account = await product.createAccount();
    const { key } = await product.createKey(account, ["--rpm", "120"]);
    const { key: stranger } = await product.createKey(account, ["--rpm", "120", "--models", "other"]);
    const limitAt = async (path: string, secret = key) =>
      (
        await fetch(`${product.origin}/v1${path}`, { headers: { authorization: `Bearer ${secret}` } })
      ).headers.get("x-ratelimit-limit-requests");
    assert.equal(await limitAt("/models"), "120");
    assert.equal(await limitAt("/models/other"), "120");
    assert.equal(await limitAt("/models/limited"), "20");
    assert.equal(await limitAt("/models/limited", stranger), "120");
  } finally {
    await product.stop();
  }
});
