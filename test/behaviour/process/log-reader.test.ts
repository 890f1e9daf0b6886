/** What reads the log may end, as a log rotator does that crashes: the server goes on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { post } from "../../rigs/harness/http-client.ts";
import { demoUpstream, model } from "../harness/catalogs.ts";
import { startProduct } from "../harness/product.ts";

const catalog = { upstreams: [demoUpstream], models: [model("demo", ["demo", "demo"])] };

test("calls are answered, and a stop is clean, when the reader of the log has ended", async () => {
  const product = await startProduct({ catalog, env: { PLAZA_LOG_REQUESTS: "on" } });
  const { stderr } = product.running.child;
  assert.ok(stderr !== null);
  const closed = new Promise((resolve) => void stderr.once("close", resolve));
  stderr.destroy();
  await closed;
  const body = JSON.stringify({ model: "demo", messages: [{ role: "user", content: "x" }] });
  // Each writes a line, which fails.
  for (let call = 0; call < 3; call += 1) {
    const { status } = await post({ url: product.chatUrl, key: product.firstKey, body });
    assert.equal(status, 200);
  }
  assert.equal(await product.stop(), 0);
});
