/**
 * A model's operations: listed for all callers, refused on the wrong path, and no fallback to models of other
 * operations.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { demoUpstream, model } from "../harness/catalogs.ts";
import { type Product, startProduct } from "../harness/product.ts";

let product: Product;
let key: string;

before(async () => {
  product = await startProduct({
    catalog: {
      upstreams: [demoUpstream],
      models: [
        model("demo", ["demo", "demo"]),
        { ...model("vectors", ["demo", "demo"]), operations: ["embeddings"] },
        { ...model("both", ["demo", "demo"]), operations: ["completion", "chat"] },
      ],
    },
  });
  // One request per minute; refusals must not consume it.
  ({ key } = await product.createKey(await product.createAccount(), ["--rpm", "1"]));
});

after(() => product.stop());

const headers = () => ({ authorization: `Bearer ${key}`, "content-type": "application/json" });

async function ask(body: object) {
  const answer = await fetch(`${product.origin}/v1/chat/completions`, {
    method: "POST",
    headers: headers(),
    body: JSON.stringify({ messages: [{ role: "user", content: "Hi" }], ...body }),
  });
  return {
    answer,
    body: (await answer.json()) as { error?: { code: string; param: string; message: string } },
  };
}

test("every model is listed with what it is for", async () => {
  const answer = await fetch(`${product.origin}/v1/models`, { headers: headers() });
  const { data } = (await answer.json()) as { data: { id: string; operations: string[] }[] };
  assert.deepEqual(
    data.map(({ id, operations }) => [id, operations]),
    [
      ["demo", ["chat"]],
      ["vectors", ["embeddings"]],
      ["both", ["chat", "completion"]],
    ],
  );
  const one = await fetch(`${product.origin}/v1/models/vectors`, { headers: headers() });
  assert.deepEqual(((await one.json()) as { operations: string[] }).operations, ["embeddings"]);
});

test("a model asked at the wrong path is refused before limits and money, in the shape of errors", async () => {
  const ids: string[] = [];
  const balance = async () =>
    await (await fetch(`${product.origin}/v1/balance`, { headers: headers() })).json();
  const before = await balance();
  for (const more of [{}, { stream: true }, { stream: true, n: 2 }]) {
    const { answer, body } = await ask({ model: "vectors", ...more });
    ids.push(answer.headers.get("x-request-id") ?? "");
    assert.equal(answer.status, 400);
    assert.match(answer.headers.get("content-type") ?? "", /^application\/json/);
    assert.equal(answer.headers.get("x-should-retry"), "false");
    assert.deepEqual([body.error?.code, body.error?.param], ["wrong_endpoint", "model"]);
    assert.match(body.error?.message ?? "", /^The model 'vectors' is for embeddings/);
  }
  const listed = await ask({ model: "demo", models: ["vectors"] });
  ids.push(listed.answer.headers.get("x-request-id") ?? "");
  assert.deepEqual([listed.body.error?.code, listed.body.error?.param], ["wrong_endpoint", "models"]);
  assert.deepEqual(await balance(), before);
  // The minute's one request is still available, for a model with chat among its operations.
  const { answer } = await ask({ model: "both" });
  assert.equal(answer.status, 200);
  const refused = await Promise.all(ids.map((id) => product.request(id)));
  for (const { operation, status, errorCode, inputTokens } of refused)
    assert.deepEqual([operation, status, errorCode, inputTokens], ["chat", 400, "wrong_endpoint", 0]);
  assert.deepEqual(
    refused.map(({ modelId }) => modelId),
    ["vectors", "vectors", "vectors", "demo"],
  );
});
