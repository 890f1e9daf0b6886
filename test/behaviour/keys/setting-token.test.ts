/**
 * Items created with `PLAZA_OPERATOR_TOKEN` work only while that value is set, across real restarts of the
 * product.
 */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { type Product, startProduct, temporaryFolder } from "../harness/product.ts";

const first = "first-operator-token-0123456789";
const second = "second-operator-token-0123456789";

async function call(
  product: Product,
  token: string | undefined,
  method: string,
  path: string,
  body?: object,
) {
  const response = await fetch(`${product.origin}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any type.
  const answer: any = path === "/metrics" || text === "" ? text : JSON.parse(text);
  return { status: response.status, body: answer };
}

async function make(product: Product, token: string, name: string): Promise<string> {
  const scopes = ["installation:write", "accounts:read", "accounts:write", "health:read"];
  const { status, body } = await call(product, token, "POST", "/api/operator/tokens", { name, scopes });
  assert.equal(status, 201, JSON.stringify(body));
  return body.secret;
}

async function invite(product: Product, token: string, name: string): Promise<string> {
  const invitation = { email: `${name}@plaza.test`, isOperator: true };
  const { status, body } = await call(product, token, "POST", "/api/operator/users/invitations", invitation);
  assert.equal(status, 201, JSON.stringify(body));
  return body.token;
}

test("tokens and links made with the setting's token end when its value changes or goes", async (context) => {
  const folder = temporaryFolder();
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const running = async <Result>(
    token: string | undefined,
    work: (product: Product) => Promise<Result>,
  ): Promise<Result> => {
    // With a metrics token, metrics are not open to every program on this machine.
    const metrics = { PLAZA_METRICS_TOKEN: "metrics-token-0123456789" };
    const env = token === undefined ? metrics : { ...metrics, PLAZA_OPERATOR_TOKEN: token };
    const product = await startProduct({ folder, env });
    try {
      return await work(product);
    } finally {
      await product.stop();
    }
  };
  const statuses = async (product: Product, tokens: readonly string[], links: readonly string[]) => [
    ...(await Promise.all(tokens.map((one) => call(product, one, "GET", "/api/operator/accounts")))),
    ...(await Promise.all(tokens.map((one) => call(product, one, "GET", "/metrics")))),
    ...(await Promise.all(links.map((one) => call(product, undefined, "GET", `/api/links/${one}`)))),
  ];
  const seen = (answers: readonly { status: number }[]) => answers.map(({ status }) => status);

  const made = await running(first, async (product) => {
    const child = await make(product, first, "child");
    const tokens = [child, await make(product, child, "grandchild")];
    const links = [await invite(product, first, "ana"), await invite(product, child, "ben")];
    assert.deepEqual(seen(await statuses(product, tokens, links)), [200, 200, 200, 200, 200, 200]);
    return { tokens, links };
  });
  await running(first, async (product) => {
    const answers = await statuses(product, made.tokens, made.links);
    assert.deepEqual(seen(answers), [200, 200, 200, 200, 200, 200], "the same value, another process");
  });
  const later = await running(second, async (product) => {
    assert.deepEqual(
      seen(await statuses(product, made.tokens, made.links)),
      [401, 401, 401, 401, 404, 404],
      "another value",
    );
    const own = await make(product, second, "own");
    assert.equal((await call(product, own, "GET", "/api/operator/accounts")).status, 200);
    const { body } = await call(product, own, "GET", "/api/operator/tokens");
    assert.deepEqual(
      body.tokens.map((token: { name: string; isEnded: boolean }) => [token.name, token.isEnded]),
      [
        ["own", false],
        ["grandchild", true],
        ["child", true],
      ],
    );
    return own;
  });
  await running(undefined, async (product) => {
    const answers = await statuses(product, [...made.tokens, later], made.links);
    assert.deepEqual(seen(answers).slice(0, 3), [401, 401, 401], "no value");
    assert.deepEqual(seen(answers).slice(3), [401, 401, 401, 404, 404]);
  });
});
