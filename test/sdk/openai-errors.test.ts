/**
 * The official `openai` package, unmodified, when it is refused: its error classes, and its own retries as
 * the upstream counts them. Broken streams, aborts and timeouts are in openai-broken.test.ts.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "openai";
import { makeKeys, type TestKeys } from "../behaviour/harness/keys.ts";
import { completion, openaiError } from "../behaviour/harness/openai-shapes.ts";
import { type SdkRig, startSdkRig } from "./rig.ts";

let rig: SdkRig;
let keys: TestKeys;
let client: OpenAI;

before(async () => {
  rig = await startSdkRig({}, 40);
  keys = await makeKeys(rig.product, rig.accountId, ["demo"]);
  client = new OpenAI({ baseURL: rig.product.baseUrl, apiKey: rig.key, maxRetries: 0, timeout: 20_000 });
});
after(() => rig?.stop());

const hello = [{ role: "user" as const, content: "Hello, Plaza!" }];
const ask = (modelId: string, over: Readonly<Record<string, unknown>> = {}) => ({
  model: modelId,
  messages: hello,
  ...over,
});

/** What a call rejected with; fails when it did not reject, or not with an APIError. */
async function refusal(call: PromiseLike<unknown>): Promise<APIError> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof APIError, `not an APIError: ${error}`);
    return error;
  }
  assert.fail("the call should have been refused");
}

/** Everything an error of an answered request carries. */
function assertAnswered(
  error: APIError,
  expected: { status: number; code: string; type: string; param?: string },
): void {
  assert.equal(error.status, expected.status);
  assert.equal(error.code, expected.code);
  assert.equal(error.type, expected.type);
  assert.equal(error.param ?? null, expected.param ?? null);
  assert.match(error.requestID ?? "", /^req_/);
  assert.ok(error.message.length > 10);
}

describe("error classes", () => {
  test("BadRequestError names the parameter", async () => {
    const error = await refusal(client.chat.completions.create({ model: "demo" } as never));
    assert.ok(error instanceof BadRequestError);
    assertAnswered(error, {
      status: 400,
      code: "invalid_request",
      type: "invalid_request_error",
      param: "messages",
    });
  });

  test("BadRequestError of the upstream's own, with its code and parameter, once", async () => {
    rig.scripted.answerWith({
      status: 400,
      body: openaiError("temperature is too high", { param: "temperature", code: "invalid_value" }),
    });
    const error = await refusal(
      client.chat.completions.create(ask("scripted", { temperature: 9 }), { maxRetries: 2 }),
    );
    assert.ok(error instanceof BadRequestError);
    assertAnswered(error, {
      status: 400,
      code: "invalid_value",
      type: "invalid_request_error",
      param: "temperature",
    });
    assert.match(error.message, /temperature is too high/);
    assert.equal(rig.scripted.calls.length, 1);
  });

  test("BadRequestError for a context that is too long", async () => {
    rig.scripted.answerWith({
      status: 400,
      body: openaiError("maximum context length is 4096 tokens", { code: "context_length_exceeded" }),
    });
    const error = await refusal(client.chat.completions.create(ask("scripted")));
    assert.ok(error instanceof BadRequestError);
    assertAnswered(error, {
      status: 400,
      code: "context_length_exceeded",
      type: "invalid_request_error",
      param: "messages",
    });
  });

  const badKeys = [
    ["a text that is no key", () => "not-a-key", "invalid_api_key"],
    ["a mistyped key", () => keys.mistyped, "invalid_api_key"],
    ["a key nobody made", () => keys.unknown, "invalid_api_key"],
    ["a revoked key", () => keys.revoked, "invalid_api_key"],
    ["an expired key", () => keys.expired, "api_key_expired"],
    ["a disabled key", () => keys.disabled, "api_key_disabled"],
  ] as const;
  for (const [name, apiKey, code] of badKeys) {
    test(`AuthenticationError ${code} for ${name}`, async () => {
      const limited = client.withOptions({ apiKey: apiKey() });
      for (const call of [() => limited.chat.completions.create(ask("demo")), () => limited.models.list()]) {
        const error = await refusal(call());
        assert.ok(error instanceof AuthenticationError);
        assertAnswered(error, { status: 401, code, type: "invalid_request_error" });
      }
    });
  }

  test("PermissionDeniedError for a model that is not on the key's list, existing or not, in the same words", async () => {
    const limited = client.withOptions({ apiKey: keys.limited });
    const texts = new Set<string>();
    for (const modelId of ["scripted", "no-such-model"]) {
      const error = await refusal(limited.chat.completions.create(ask(modelId)));
      assert.ok(error instanceof PermissionDeniedError);
      assertAnswered(error, {
        status: 403,
        code: "model_not_allowed",
        type: "permission_error",
        param: "model",
      });
      texts.add(error.message.replaceAll(modelId, "MODEL"));
    }
    assert.equal(texts.size, 1);
    const error = await refusal(limited.models.retrieve("scripted"));
    assert.ok(error instanceof NotFoundError);
  });

  test("NotFoundError for a model nobody serves", async () => {
    const calls = [
      () => client.chat.completions.create(ask("no-such-model")),
      () => client.models.retrieve("no-such-model"),
    ];
    for (const call of calls) {
      const error = await refusal(call());
      assert.ok(error instanceof NotFoundError);
      assertAnswered(error, {
        status: 404,
        code: "model_not_found",
        type: "invalid_request_error",
        param: "model",
      });
      assert.doesNotMatch(error.message, /scripted|counting|demo/);
    }
  });

  test("RateLimitError carries the upstream's Retry-After", async () => {
    rig.scripted.answerWith({
      status: 429,
      headers: { "retry-after": "7" },
      body: openaiError("slow down", { type: "requests", code: "rate_limit_exceeded" }),
    });
    const error = await refusal(client.chat.completions.create(ask(rig.fresh())));
    assert.ok(error instanceof RateLimitError);
    assertAnswered(error, { status: 429, code: "rate_limit_exceeded", type: "rate_limit_error" });
    assert.equal(error.headers?.get("retry-after"), "7");
    assert.equal(error.headers?.get("retry-after-ms"), "7000");
  });

  const upstreamFaults = [
    {
      name: "a 500",
      answer: { status: 500, body: openaiError("oops", { type: "server_error" }) },
      status: 502,
      code: "upstream_error",
    },
    {
      name: "a 503",
      answer: { status: 503, body: openaiError("busy", { type: "server_error" }) },
      status: 503,
      code: "no_available_upstream",
    },
    {
      name: "an HTML page",
      answer: { body: "<html>login</html>", headers: { "content-type": "text/html" } },
      status: 502,
      code: "upstream_error",
    },
    {
      name: "a 401 of the upstream",
      answer: {
        status: 401,
        body: openaiError("Incorrect API key sk-upstream", { code: "invalid_api_key" }),
      },
      status: 502,
      code: "upstream_error",
    },
    {
      name: "a 402 of the upstream",
      answer: { status: 402, body: openaiError("pay", { code: "insufficient_quota" }) },
      status: 503,
      code: "no_available_upstream",
    },
  ];
  for (const { name, answer, status, code } of upstreamFaults) {
    test(`InternalServerError for ${name}`, async () => {
      for (const isStream of [false, true]) {
        rig.scripted.answerWith(answer);
        const error = await refusal(client.chat.completions.create(ask(rig.fresh(), { stream: isStream })));
        assert.ok(error instanceof InternalServerError);
        assertAnswered(error, { status, code, type: "server_error" });
        assert.doesNotMatch(error.message, /sk-upstream|oops|pay|login|127\.0\.0\.1/);
      }
    });
  }

  test("InternalServerError 504 for an upstream that never answers", async () => {
    rig.scripted.answerWith({ events: [], ending: "hang" });
    const error = await refusal(client.chat.completions.create(ask("hasty", { stream: true })));
    assert.ok(error instanceof InternalServerError);
    assertAnswered(error, { status: 504, code: "upstream_timeout", type: "server_error" });
  });
});

describe("the SDK's own retries, as the upstream counts them", () => {
  const limited = {
    status: 429,
    headers: { "retry-after": "1" },
    body: openaiError("slow down", { code: "rate_limit_exceeded" }),
  };
  const broken = { status: 500, body: openaiError("oops", { type: "server_error" }) };
  const fine = { body: completion({ message: { content: "at last" } }) };

  test("429, then success: waits as told and succeeds", async () => {
    rig.scripted.answerWith(limited, fine);
    const answer = await client.chat.completions.create(ask(rig.fresh()), { maxRetries: 1 });
    assert.equal(answer.choices[0]?.message.content, "at last");
    assert.equal(rig.scripted.calls.length, 2);
    assert.ok((rig.scripted.calls[1]?.at ?? 0) - (rig.scripted.calls[0]?.at ?? 0) >= 990);
  });

  test("500, then success", async () => {
    rig.scripted.answerWith(broken, fine);
    const answer = await client.chat.completions.create(ask(rig.fresh()), { maxRetries: 2 });
    assert.equal(answer.choices[0]?.message.content, "at last");
    assert.equal(rig.scripted.calls.length, 2);
  });

  test("500 for ever: one try and one more of ours, and the SDK is told that another is pointless", async () => {
    for (const maxRetries of [0, 2]) {
      rig.scripted.answerWith(broken);
      const error = await refusal(client.chat.completions.create(ask(rig.fresh()), { maxRetries }));
      assert.ok(error instanceof InternalServerError);
      assert.equal(rig.scripted.calls.length, 2);
    }
  });

  test("x-should-retry: false is sent where a repeat is pointless, and the SDK obeys", async () => {
    const pointless = [
      { status: 401, body: openaiError("Incorrect API key", { code: "invalid_api_key" }) },
      { status: 402, body: openaiError("pay") },
      { status: 403, body: openaiError("region") },
      { status: 404, body: openaiError("no such model", { code: "model_not_found" }) },
      { status: 429, body: openaiError("quota", { type: "insufficient_quota", code: "insufficient_quota" }) },
    ];
    for (const answer of pointless) {
      rig.scripted.answerWith(answer);
      const error = await refusal(client.chat.completions.create(ask(rig.fresh()), { maxRetries: 2 }));
      assert.equal(error.headers?.get("x-should-retry"), "false", `after ${answer.status}`);
      assert.equal(rig.scripted.calls.length, 1, `after ${answer.status}`);
    }
  });

  test("a second deployment takes over without the caller noticing", async () => {
    rig.scripted.answerWith(broken, fine);
    const answer = await client.chat.completions.create(ask(rig.fresh("two")));
    assert.equal(answer.choices[0]?.message.content, "at last");
    assert.deepEqual(
      rig.scripted.calls.map((call) => call.body["model"]),
      ["first-model", "second-model"],
    );
  });

  test("the SDK's retries and ours never multiply", async () => {
    rig.scripted.answerWith(broken);
    const error = await refusal(client.chat.completions.create(ask(rig.fresh("two")), { maxRetries: 2 }));
    assert.ok(error instanceof InternalServerError);
    assert.ok(
      rig.scripted.calls.length <= 3,
      `${rig.scripted.calls.length} calls upstream for one call of the application`,
    );
  });
});
