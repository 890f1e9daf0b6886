/**
 * Whatever is refused under `/v1/messages` is told in Anthropic's shape, by every step of a request; and a
 * caller that waits is told so in Anthropic's words.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { defaultTimeouts } from "@plaza/contract/catalog.ts";
import { post } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { type Answer, type Ask, assertErrorAnswer, send } from "../harness/caller.ts";
import { eventsIn, messagesWire, streamOf, textMessage } from "../harness/messages-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

let upstream: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;

before(async () => {
  upstream = await startScriptedUpstream();
  const anthropic = { provider: "anthropic" } as const;
  const hasty = { ...defaultTimeouts, totalMs: 300, firstByteMs: 200, firstTokenMs: 200 };
  app = await startApp({
    env: { PLAZA_BODY_BYTES_MAX: "20000", PLAZA_KEEP_ALIVE_COMMENT_MS: "1s" },
    catalog: {
      upstreams: [
        upstreamAt("claude", upstream.baseUrl, anthropic),
        upstreamAt("hasty", upstream.baseUrl, { ...anthropic, timeouts: hasty }),
        upstreamAt("none", "http://127.0.0.1:9/v1", anthropic),
      ],
      models: [
        modelOn("claude", ["claude"]),
        modelOn("hasty", ["hasty"]),
        modelOn("none", ["none"]),
        modelOn("unpriced", ["claude"], { price: undefined }),
        modelOn("busy", ["claude"], { limits: { requestsPerMinute: 1 } }),
      ],
      limits: {},
    },
  });
  account = await app.newAccount("100");
});
after(async () => {
  await app?.stop();
  await upstream?.stop();
});

const messages = [{ role: "user", content: "Say it." }];

function ask(
  body: object | string = {},
  more: Partial<Ask> & { readonly key?: string } = {},
): Promise<Answer> {
  const { key = account.key, headers, ...rest } = more;
  const text =
    typeof body === "string" ? body : JSON.stringify({ model: "claude", max_tokens: 100, messages, ...body });
  return send(app.origin, {
    path: "/v1/messages?beta=true",
    body: text,
    ...rest,
    headers: { "x-api-key": key, "content-type": "application/json", ...headers },
  });
}

const format = "anthropic-messages";
/** Anthropic's word for the kind of error. */
const typeOf = ({ text }: Answer): unknown => (JSON.parse(text) as { error: { type: string } }).error.type;

describe("refused in Anthropic's shape", () => {
  const overlong = "x".repeat(30_000);
  const rows: readonly [what: string, () => Promise<Answer>, number, string, string, string?][] = [
    [
      "no key",
      () => ask({}, { headers: { "x-api-key": "" } }),
      401,
      "invalid_api_key",
      "authentication_error",
    ],
    ["a wrong key", () => ask({}, { key: "sk-plaza-no" }), 401, "invalid_api_key", "authentication_error"],
    ["another method", () => ask("", { method: "GET" }), 405, "method_not_allowed", "invalid_request_error"],
    ["an unknown path", () => ask({}, { path: "/v1/messages/x" }), 404, "not_found", "not_found_error"],
    ["batches", () => ask({}, { path: "/v1/messages/batches" }), 404, "not_found", "not_found_error"],
    [
      "another type of body",
      () => ask("a=b", { headers: { "content-type": "application/x-www-form-urlencoded" } }),
      415,
      "unsupported_media_type",
      "invalid_request_error",
    ],
    ["too long a body", () => ask({ system: overlong }), 413, "request_too_large", "request_too_large"],
    ["half a body", () => ask('{"model":"claude"'), 400, "invalid_request", "invalid_request_error"],
    ["a list", () => ask("[]"), 400, "invalid_request", "invalid_request_error"],
    ["no messages", () => ask({ messages: [] }), 400, "invalid_request", "invalid_request_error", "messages"],
    ["an unknown model", () => ask({ model: "no" }), 404, "model_not_found", "not_found_error", "model"],
    [
      "a model nobody serves",
      () => ask({ model: "unpriced" }),
      503,
      "no_available_upstream",
      "overloaded_error",
    ],
    ["an upstream that is away", () => ask({ model: "none" }), 502, "upstream_error", "api_error"],
  ];
  for (const [what, call, status, code, type, param] of rows)
    test(what, async () => {
      upstream.answerWith({ status: 500 });
      const answer = await call();
      assertErrorAnswer(answer, status, { code, param, format });
      assert.equal(typeOf(answer), type);
      assert.equal(upstream.calls.length, 0);
    });

  test("a model that the key may not use, a limit, and a balance of nothing", async () => {
    const { key } = await app.newKey(account, { models: ["hasty"] });
    const barred = await ask({}, { key });
    assertErrorAnswer(barred, 403, { code: "model_not_allowed", param: "model", format });
    assert.equal(typeOf(barred), "permission_error");
    upstream.answerWith(streamOf(textMessage("Hi")));
    await ask({ model: "busy", stream: true });
    const limited = await ask({ model: "busy" });
    assertErrorAnswer(limited, 429, { code: "rate_limit_exceeded", format });
    assert.equal(typeOf(limited), "rate_limit_error");
    assert.ok(Number(limited.headers["retry-after"]) > 0);
    const poor = await ask({}, { key: (await app.newAccount("0.000001")).key });
    assertErrorAnswer(poor, 402, { code: "insufficient_balance", format });
    assert.equal(typeOf(poor), "billing_error");
  });

  test("a key for a repeated call that was used for another", async () => {
    upstream.answerWith(streamOf(textMessage("Hi")));
    const headers = { "idempotency-key": "one" };
    assert.equal((await ask({ stream: true }, { headers })).status, 200);
    const other = await ask({ stream: true, max_tokens: 9 }, { headers });
    assert.equal(other.status, 422);
    assert.equal(typeOf(other), "invalid_request_error");
  });

  test("an upstream that takes too long, whole and streamed", async () => {
    for (const stream of [false, true]) {
      upstream.answerWith({ after: new Promise(() => {}) });
      const late = await ask({ model: "hasty", stream });
      assertErrorAnswer(late, 504, { code: "upstream_timeout", format });
      assert.equal(typeOf(late), "timeout_error");
    }
  });
});

test("an upstream's retry-after is told, so that the SDK waits as long", async () => {
  upstream.answerWith({
    status: 429,
    headers: { "retry-after": "7" },
    body: { type: "error", error: { type: "rate_limit_error", message: "Slower." } },
  });
  const answer = await ask({ model: "hasty" });
  assert.equal(typeOf(answer), "rate_limit_error");
  assert.ok(Number(answer.headers["retry-after"]) >= 1, JSON.stringify(answer.headers));
});

test("a caller that waits gets pings, before the first event too, and then the whole stream", async () => {
  let go = (): void => {};
  const pause = new Promise<void>((resolve) => {
    go = resolve;
  });
  upstream.answerWith({ after: pause, ...streamOf(textMessage("Hello")) });
  const { status, body } = await post({
    url: `${app.origin}/v1/messages`,
    key: account.key,
    body: JSON.stringify({ model: "claude", max_tokens: 100, messages, stream: true }),
    onArrival: () => go(),
  });
  const text = body.toString("utf8");
  assert.equal(status, 200);
  const own = messagesWire(textMessage("Hello"));
  assert.ok(text.endsWith(own), text);
  const before = eventsIn(text.slice(0, -own.length));
  assert.ok(before.length > 0 && before.every(({ type }) => type === "ping"), text);
  assert.ok(!text.includes(": keep-alive"));
});
