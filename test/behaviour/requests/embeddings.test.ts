/**
 * Embeddings end to end at OpenAI-shaped upstreams: upstream requests, responses and their encoding, charges,
 * refusals, and retries.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { parseUsd } from "@plaza/contract/money.ts";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { openaiError } from "../harness/openai-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";
import { tokens, vectorOf, vectorsAnswer, vectorsIn } from "../harness/vector-shapes.ts";

const operations = ["embeddings"] as const;
/** Each model's first upstream is separate, because health state persists between calls. */
const freshMax = 40;
let used = 0;
const fresh = (): string => `two-${used++}`;
let upstream: ScriptedUpstream;
let other: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;

const free = { input: parseUsd("0"), output: parseUsd("0") };

before(async () => {
  upstream = await startScriptedUpstream();
  other = await startScriptedUpstream();
  const origin = upstream.baseUrl.replace(/\/v1$/, "");
  app = await startApp({
    // Far less than the size of a large batch's answer.
    env: { PLAZA_ANSWER_BYTES_MAX: "2MiB" },
    catalog: {
      upstreams: [
        upstreamAt("main", upstream.baseUrl),
        upstreamAt("other", other.baseUrl),
        ...Array.from({ length: freshMax }, (_, index) => upstreamAt(`up-${index}`, upstream.baseUrl)),
        upstreamAt("azure", origin, { provider: "azure" }),
        upstreamAt("azure-v1", `${origin}/openai/v1`, { provider: "azure" }),
        upstreamAt("claude", upstream.baseUrl, { provider: "anthropic" }),
        { ...upstreamAt("demo", ""), provider: "demo", credentials: [] },
      ],
      models: [
        modelOn("vectors", ["main"], { operations, context: 8_192 }),
        modelOn("others", ["other"], { operations }),
        modelOn("talks", ["main"]),
        ...Array.from({ length: freshMax }, (_, index) =>
          modelOn(`two-${index}`, [`up-${index}`, "other"], {
            operations,
            context: 8_192,
            fallbacks: ["others"],
          }),
        ),
        modelOn("alone", ["main"], { operations, fallbacks: ["others"] }),
        modelOn("azure", ["azure"], { operations }),
        modelOn("azure-v1", ["azure-v1"], { operations }),
        modelOn("claude", ["claude"], { operations }),
        modelOn("limited", ["main"], { operations, limits: { tokensPerMinute: 60 } }),
        modelOn("demo-embedding", ["demo"], { operations, price: free }),
      ],
      limits: {},
    },
  });
  account = await app.newAccount("100");
});
after(async () => {
  await app?.stop();
  await upstream?.stop();
  await other?.stop();
});

interface Asked {
  readonly from?: TestAccount;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const ask = (body: object | string, { from = account, path = "/v1/embeddings", headers = {} }: Asked = {}) =>
  post({
    url: `${app.origin}${path}`,
    key: from.key,
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers,
  });

const errorOf = ({ status, body }: Seen): readonly unknown[] => {
  const { error } = JSON.parse(body.toString()) as { error: Record<string, unknown> };
  return [status, error["code"], error["param"]];
};

const answerOf = (count: number, more: Parameters<typeof vectorsAnswer>[1] = { usage: tokens(10) }) => ({
  body: vectorsAnswer(count, more),
});
const charge = "0.00001";

describe("what is asked and given", () => {
  test("the caller's bytes go up, but for the model's name, and the answer's come down as they are", async () => {
    upstream.answerWith(answerOf(1));
    const seen = await ask('{"model":"vectors","input":"hello","user":"u","x":1.50}');
    assert.equal(seen.status, 200, seen.body.toString());
    const [call] = upstream.calls;
    assert.equal(call?.path, "/v1/embeddings");
    assert.equal(call?.text, '{"model":"upstream-model","input":"hello","user":"u","x":1.50}');
    assert.equal(seen.body.toString(), JSON.stringify(answerOf(1).body));
    assert.equal(seen.headers["x-plaza-charge"], charge);
    const row = await app.newestRow(account.accountId, 1);
    assert.deepEqual(
      [row.operation, row.inputTokens, row.outputTokens, row.usageSource, row.state, row.isStream],
      ["embeddings", 10, 0, "exact", "complete", false],
    );
    assert.equal(row.charge, parseUsd(charge));
  });

  for (const [what, input, count] of [
    ["texts", ["a", "b", "c"], 3],
    ["token numbers", [1, 2, 3], 1],
    ["lists of token numbers", [[1, 2], [3]], 2],
  ] as const) {
    test(`${what} go up as they are`, async () => {
      upstream.answerWith(answerOf(count));
      const seen = await ask({ model: "vectors", input });
      assert.equal(seen.status, 200, seen.body.toString());
      assert.deepEqual(upstream.calls[0]?.body["input"], input);
      assert.equal(vectorsIn(seen.body).length, count);
    });
  }

  for (const form of ["float", "base64"] as const) {
    for (const came of ["float", "base64"] as const) {
      test(`${form} is given where ${form} is asked for and ${came} comes`, async () => {
        const sent = vectorsAnswer(3, { form: came, dimensions: 5, usage: tokens(10) });
        upstream.answerWith({ body: sent });
        const seen = await ask({
          model: "vectors",
          input: ["a", "b", "c"],
          encoding_format: form,
          dimensions: 5,
        });
        const { data } = JSON.parse(seen.body.toString()) as { data: { embedding: unknown }[] };
        for (const { embedding } of data) {
          assert.equal(typeof embedding, form === "base64" ? "string" : "object");
        }
        assert.deepEqual(
          vectorsIn(seen.body),
          [0, 1, 2].map((index) => vectorOf(index, 5)),
        );
        assert.equal(seen.headers["x-plaza-charge"], charge);
        if (form === came) assert.equal(seen.body.toString(), JSON.stringify(sent));
      });
    }
  }

  test("an upstream that does not take encoding_format is asked without it, and nobody has to know", async () => {
    const refused = openaiError("unknown field", { code: "unsupported_parameter", param: "encoding_format" });
    upstream.answerWith({ status: 400, body: refused }, answerOf(1));
    const seen = await ask({ model: "vectors", input: "a", encoding_format: "base64" });
    assert.equal(seen.status, 200, seen.body.toString());
    assert.deepEqual(vectorsIn(seen.body), [vectorOf(0, 4)]);
    assert.match(seen.body.toString(), /"embedding":"/);
    assert.equal(seen.headers["x-plaza-dropped-params"], undefined);
    assert.deepEqual(
      upstream.calls.map(({ body }) => body["encoding_format"]),
      ["base64", undefined],
    );
  });

  test("that it does not is remembered of this deployment: the next request is sent without it at once", async () => {
    const model = fresh();
    const refused = openaiError("unknown field", { code: "unsupported_parameter", param: "encoding_format" });
    upstream.answerWith({ status: 400, body: refused }, answerOf(1));
    const body = { model, input: "a", encoding_format: "base64" };
    assert.equal((await ask(body)).status, 200);
    assert.equal(upstream.calls.length, 2);
    const seen = await ask(body);
    assert.match(seen.body.toString(), /"embedding":"/);
    assert.equal(seen.headers["x-plaza-dropped-params"], undefined);
    assert.deepEqual(
      upstream.calls.map((call) => call.body["encoding_format"]),
      ["base64", undefined, undefined],
    );
    await ask({ ...body, model: fresh() });
    assert.equal(upstream.calls.at(-1)?.body["encoding_format"], "base64");
  });

  test("a batch of 2,048 in either form, converted without keeping others waiting", async () => {
    for (const form of ["float", "base64"] as const) {
      upstream.answerWith({ body: vectorsAnswer(2_048, { dimensions: 256, usage: tokens(4_096) }) });
      const input = Array.from({ length: 2_048 }, (_, index) => `text ${index}`);
      const seen = await ask({ model: "vectors", input, encoding_format: form });
      assert.equal(seen.status, 200);
      const vectors = vectorsIn(seen.body);
      assert.equal(vectors.length, 2_048);
      assert.deepEqual(vectors[2_047], vectorOf(2_047, 256));
    }
  });

  test("300,000 token numbers in one request, more values than other bodies may have", async () => {
    upstream.answerWith(answerOf(100, { usage: tokens(300_000) }));
    const input = Array.from({ length: 100 }, () => Array.from({ length: 3_000 }, (_, index) => index));
    const seen = await ask({ model: "vectors", input });
    assert.equal(seen.status, 200, seen.body.toString().slice(0, 300));
    assert.equal(seen.headers["x-plaza-charge"], "0.30");
  });

  test("the paths of Azure's two surfaces", async () => {
    for (const [model, path] of [
      ["azure", "/openai/deployments/upstream-model/embeddings?api-version=2024-10-21"],
      ["azure-v1", "/openai/v1/embeddings"],
    ] as const) {
      upstream.answerWith(answerOf(1));
      const seen = await ask({ model, input: "a" });
      assert.equal(seen.status, 200, seen.body.toString());
      assert.equal(upstream.calls[0]?.path, path);
    }
  });

  test("the demo's vectors, of the length that is asked for; texts with words in common are near", async () => {
    const input = ["a red cat sleeps", "the red cat sleeps", "stock prices fell sharply"];
    const seen = await ask({ model: "demo-embedding", input, dimensions: 64, encoding_format: "base64" });
    assert.equal(seen.status, 200, seen.body.toString());
    const [a, b, c] = vectorsIn(seen.body) as [Float32Array, Float32Array, Float32Array];
    const near = (x: Float32Array, y: Float32Array) =>
      x.reduce((sum, value, at) => sum + value * (y[at] ?? 0), 0);
    assert.equal(a.length, 64);
    assert.ok(near(a, b) > near(a, c) + 0.2);
    assert.deepEqual(errorOf(await ask({ model: "demo-embedding", input, dimensions: 2_000 })), [
      400,
      "integer_above_max_value",
      "dimensions",
    ]);
  });
});

describe("what is refused", () => {
  const cases: readonly (readonly [string, object, readonly unknown[]])[] = [
    ["a stream", { stream: true }, [400, "unsupported_parameter", "stream"]],
    ["several models", { models: ["vectors", "others"] }, [400, "invalid_request", "models"]],
    ["no input", { input: undefined }, [400, "missing_required_parameter", "input"]],
    ["an empty text", { input: [""] }, [400, "invalid_value", "input[0]"]],
    ["too many texts", { input: Array(2_049).fill("a") }, [400, "array_above_max_length", "input"]],
    ["too many lists of tokens", { input: Array(2_049).fill([1]) }, [400, "array_above_max_length", "input"]],
    ["a token below 0", { input: [1, -2] }, [400, "integer_below_min_value", "input[1]"]],
    ["half a token", { input: [[1], [2, 2.5]] }, [400, "invalid_type", "input[1][1]"]],
    ["a token among texts", { input: ["a", 1] }, [400, "invalid_type", "input[1]"]],
    ["a text among tokens", { input: [1, "a"] }, [400, "invalid_type", "input[1]"]],
    ["an empty list of tokens", { input: [[1], []] }, [400, "empty_array", "input[1]"]],
    ["longer vectors than there are", { dimensions: 65_537 }, [400, "integer_above_max_value", "dimensions"]],
    ["no dimensions", { dimensions: 0 }, [400, "integer_below_min_value", "dimensions"]],
    ["an unknown form", { encoding_format: "int8" }, [400, "invalid_value", "encoding_format"]],
    ["what is charged apart", { provider: { only: ["x"] } }, [400, "unsupported_parameter", "provider"]],
    ["a model for chat", { model: "talks" }, [400, "wrong_endpoint", "model"]],
    ["a model nobody has", { model: "none" }, [404, "model_not_found", "model"]],
  ];
  for (const [what, more, expected] of cases) {
    test(`${what}, before any upstream is asked`, async () => {
      upstream.answerWith(answerOf(1));
      const seen = await ask({ model: "vectors", input: "a", ...more });
      assert.deepEqual(errorOf(seen), expected);
      assert.equal(upstream.calls.length, 0);
    });
  }

  test("a batch beyond the bound is told how many inputs there may be, and how many there were", async () => {
    upstream.answerWith(answerOf(1));
    for (const input of [Array(2_050).fill("a"), Array(2_050).fill([1, 2])]) {
      const { body } = await ask({ model: "vectors", input });
      assert.match(body.toString(), /2048.*2050/);
    }
    assert.equal(upstream.calls.length, 0);
  });

  test("more token numbers than one request may have are refused while they are read", async () => {
    upstream.answerWith(answerOf(1));
    const input = Array.from({ length: 100 }, () => Array.from({ length: 3_200 }, () => 7));
    const seen = await ask({ model: "vectors", input });
    assert.deepEqual(errorOf(seen), [413, "request_too_large", null], seen.body.toString());
    assert.match(seen.body.toString(), /310000/);
    assert.equal(upstream.calls.length, 0);
  });

  test("one model under 'models' is the model", async () => {
    upstream.answerWith(answerOf(1));
    assert.equal((await ask({ models: ["vectors"], input: "a" })).status, 200);
    assert.equal("models" in (upstream.calls[0]?.body ?? {}), false);
  });

  test("chat with a model for embeddings names this path", async () => {
    const messages = [{ role: "user", content: "Hi" }];
    const seen = await ask({ model: "vectors", messages }, { path: "/v1/chat/completions" });
    assert.deepEqual(errorOf(seen), [400, "wrong_endpoint", "model"]);
    assert.match(seen.body.toString(), /\/v1\/embeddings/);
  });

  test("a model whose upstream has no embeddings says so and is not tried", async () => {
    upstream.answerWith(answerOf(1));
    const seen = await ask({ model: "claude", input: "a" });
    assert.deepEqual(errorOf(seen), [503, "no_available_upstream", null]);
    assert.match(seen.body.toString(), /No upstream of the model 'claude' serves embeddings/);
    assert.equal(upstream.calls.length, 0);
  });

  test("a balance that does not pay for the inputs, a limit of tokens that they exceed", async () => {
    const poor = await app.newAccount("0.00001");
    upstream.answerWith(answerOf(1));
    assert.deepEqual(errorOf(await ask({ model: "vectors", input: "word ".repeat(200) }, { from: poor })), [
      402,
      "insufficient_balance",
      null,
    ]);
    assert.equal((await ask({ model: "limited", input: "word ".repeat(100) })).status, 429);
    assert.equal(upstream.calls.length, 0);
    assert.equal((await ask({ model: "limited", input: "word" })).status, 200);
  });
});

test("no more is held for an input than the model can read of it", async () => {
  const payer = await app.newAccount("0.01");
  upstream.answerWith(answerOf(1), answerOf(1), answerOf(2));
  // 25,000 tokens by its length, which exceeds that balance; the model's limit of 8,192 does not.
  const long = "x".repeat(100_000);
  const seen = await ask({ model: "vectors", input: long }, { from: payer });
  assert.equal(seen.status, 200, seen.body.toString());
  const counted = Array.from({ length: 9_000 }, () => 7);
  assert.equal((await ask({ model: "vectors", input: counted }, { from: payer })).status, 200);
  // Each input may be that long: two of them exceed the balance.
  const two = await ask({ model: "vectors", input: [long, long] }, { from: payer });
  assert.deepEqual(errorOf(two), [402, "insufficient_balance", null]);
});

describe("upstreams that do not tell the truth", () => {
  const broken: readonly (readonly [string, unknown, object?])[] = [
    ["too few vectors", vectorsAnswer(1, { usage: tokens(1) })],
    ["too many vectors", vectorsAnswer(3, { usage: tokens(1) })],
    ["vectors out of order", { ...vectorsAnswer(2, {}), data: vectorsAnswer(2, {}).data.toReversed() }],
    ["vectors of another length", vectorsAnswer(2, { dimensions: 8, usage: tokens(1) }), { dimensions: 4 }],
    ["NaN", JSON.stringify(vectorsAnswer(2, {})).replace(/\[[^\][]+/, "[NaN")],
    ["null in a vector", JSON.stringify(vectorsAnswer(2, {})).replace(/(,"embedding":\[)[^,]+/, "$1null")],
    ["an entry without a vector", { ...vectorsAnswer(2, {}), data: [{ index: 0 }, { index: 1 }] }],
    [
      "null in a vector to convert",
      JSON.stringify(vectorsAnswer(2, {})).replace(/(,"embedding":\[)[^,]+/, "$1null"),
      { encoding_format: "base64" },
    ],
    ["half an answer", JSON.stringify(vectorsAnswer(2, {})).slice(0, 80)],
    ["an error with status 200", { error: { message: "no", type: "server_error" } }],
    ["a page", "<html></html>"],
  ];
  for (const [what, body, more] of broken) {
    test(`${what} is no answer: another deployment of the model gives one`, async () => {
      const model = fresh();
      upstream.answerWith({ body, headers: { "content-type": "application/json" } });
      other.answerWith(answerOf(2));
      const seen = await ask({ model, input: ["a", "b"], ...more });
      assert.equal(seen.status, 200, seen.body.toString());
      assert.equal(vectorsIn(seen.body).length, 2);
      assert.equal(upstream.calls.length, 1);
      assert.equal(other.calls.length, 1);
      assert.equal(other.calls[0]?.body["model"], "upstream-model");
    });
  }

  for (const [what, vector] of [
    ["longer", [1, 2, 3, 4, 5]],
    ["shorter", [1, 2, 3]],
    ["empty", []],
    ["with null", [1, null, 3, 4]],
    ["with a text", [1, "2", 3, 4]],
    ["with a word", [1, true, 3, 4]],
    ["with a list", [1, [2], 3, 4]],
  ] as const) {
    test(`a vector among others that is ${what} is no answer, though none is converted`, async () => {
      const answer = vectorsAnswer(3, { usage: tokens(1) });
      const data = answer.data.map((entry, index) => (index === 1 ? { ...entry, embedding: vector } : entry));
      upstream.answerWith({ body: { ...answer, data } });
      other.answerWith(answerOf(3));
      const seen = await ask({ model: fresh(), input: ["a", "b", "c"] });
      assert.equal(seen.status, 200, seen.body.toString());
      assert.deepEqual(
        vectorsIn(seen.body),
        [0, 1, 2].map((index) => vectorOf(index, 4)),
      );
      assert.deepEqual([upstream.calls.length, other.calls.length], [1, 1]);
    });
  }

  test("other lists beside a vector are passed on", async () => {
    const answer = vectorsAnswer(2, { usage: tokens(1) });
    const data = answer.data.map((entry) => ({ tags: ["x"], sizes: [1], ...entry, more: [[2], null] }));
    upstream.answerWith({ body: { ...answer, data } });
    const seen = await ask({ model: "vectors", input: ["a", "b"] });
    assert.equal(seen.body.toString(), JSON.stringify({ ...answer, data }));
  });

  test("where no deployment of the model answers, no other model does", async () => {
    const model = fresh();
    upstream.answerWith({ status: 500, body: openaiError("down", { type: "server_error" }) });
    other.answerWith({ status: 500, body: openaiError("down", { type: "server_error" }) });
    const seen = await ask({ model, input: "a" });
    assert.equal(seen.status, 502);
    // `others` has the same upstream, and is this model's fallback in the catalog.
    assert.equal(upstream.calls.length + other.calls.length, 2);
    assert.equal(seen.headers["x-plaza-charge"], undefined);
  });

  test("another model answers in no case, not even one that is its fallback in the catalog", async () => {
    upstream.answerWith({ status: 400, body: openaiError("too long", { code: "context_length_exceeded" }) });
    other.answerWith(answerOf(1));
    const seen = await ask({ model: "alone", input: "a" });
    assert.deepEqual(errorOf(seen).slice(0, 2), [400, "context_length_exceeded"]);
    upstream.answerWith({ status: 500, body: openaiError("down", { type: "server_error" }) });
    assert.equal((await ask({ model: "alone", input: "a" })).status, 502);
    assert.equal(other.calls.length, 0);
  });

  test("an answer larger than its inputs allow is none: another deployment gives one", async () => {
    upstream.answerWith({ body: vectorsAnswer(1, { dimensions: 250_000, usage: tokens(1) }) });
    other.answerWith(answerOf(1));
    const seen = await ask({ model: fresh(), input: "a" });
    assert.equal(seen.status, 200, seen.body.toString().slice(0, 300));
    assert.deepEqual(vectorsIn(seen.body), [vectorOf(0, 4)]);
    assert.deepEqual([upstream.calls.length, other.calls.length], [1, 1]);
  });

  for (const [what, usage] of [
    ["no usage", undefined],
    ["more tokens than the model reads", tokens(8_193)],
    ["negative tokens", tokens(-1)],
    ["tokens by the half", tokens(1.5)],
    ["no tokens at all", tokens(0)],
  ] as const) {
    test(`${what}: the inputs are counted and the request is marked as estimated`, async () => {
      const payer = await app.newAccount("1");
      upstream.answerWith(answerOf(1, { usage }));
      const seen = await ask({ model: "vectors", input: "x".repeat(400) }, { from: payer });
      assert.equal(seen.headers["x-plaza-charge"], "0.0001");
      const row = await app.newestRow(payer.accountId, 1);
      assert.deepEqual([row.inputTokens, row.outputTokens, row.usageSource], [100, 0, "estimated"]);
    });
  }

  test("no usage of an input longer than the model reads: what the model reads of it is charged", async () => {
    const payer = await app.newAccount("1");
    upstream.answerWith(answerOf(2, { usage: undefined }));
    const input = ["x".repeat(100_000), "x".repeat(400)];
    const seen = await ask({ model: "vectors", input }, { from: payer });
    assert.equal(seen.headers["x-plaza-charge"], "0.008292");
    const row = await app.newestRow(payer.accountId, 1);
    assert.deepEqual([row.inputTokens, row.usageSource], [8_292, "estimated"]);
  });

  test("usage of a batch may be a full context for each input", async () => {
    upstream.answerWith(answerOf(3, { usage: tokens(3 * 8_192) }));
    const seen = await ask({ model: "vectors", input: ["a", "b", "c"] });
    assert.equal(seen.headers["x-plaza-charge"], "0.024576");
  });
});

describe("repeats and leaving", () => {
  test("the same Idempotency-Key gives the same answer, and charges once", async () => {
    const payer = await app.newAccount("1");
    upstream.answerWith(answerOf(2), answerOf(2, { dimensions: 6, usage: tokens(99) }));
    const body = { model: "vectors", input: ["a", "b"], encoding_format: "base64" };
    const asked = { from: payer, headers: { "idempotency-key": "once" } };
    const [first, second] = [await ask(body, asked), await ask(body, asked)];
    assert.deepEqual([first.status, second.status, upstream.calls.length], [200, 200, 1]);
    assert.ok(first.body.equals(second.body));
    const reused = await ask({ ...body, encoding_format: "float" }, asked);
    assert.equal(reused.status >= 400, true, reused.body.toString());
    assert.equal((await app.store.findAccount(payer.accountId))?.balance, parseUsd("0.99999"));
  });

  test("a caller that leaves stops the upstream and pays nothing", async () => {
    const payer = await app.newAccount("1");
    upstream.answerWith({ after: new Promise(() => {}) });
    const leaving = new AbortController();
    const asking = fetch(`${app.origin}/v1/embeddings`, {
      method: "POST",
      headers: { authorization: `Bearer ${payer.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "vectors", input: "a" }),
      signal: leaving.signal,
    }).catch(() => undefined);
    const call = await upstream.called(1);
    leaving.abort();
    await asking;
    await call.cancelled;
    const row = await app.newestRow(payer.accountId, 1);
    assert.deepEqual([row.state, row.charge], ["aborted", 0n]);
  });
});
