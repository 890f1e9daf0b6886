/**
 * All client and upstream errors (the tables of bad-input-cases.ts and upstream-cases.ts) against a running
 * product: each gets its error in the common format, never a successful status, never a crash. And CORS
 * headers, on successes and errors.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { inParallel } from "../../rigs/harness/http-client.ts";
import { closedPort } from "../../rigs/harness/processes/ports.ts";
import { isAlive } from "../../rigs/harness/processes/proc.ts";
import { startUpstream, type Upstream } from "../../rigs/upstream/server.ts";
import {
  type Answer,
  assertCors,
  assertErrorAnswer,
  assertErrorBody,
  eventTexts,
  isFinished,
  send,
  sendChat,
} from "../harness/caller.ts";
import { demoUpstream, model, openaiUpstream, shortTimeouts } from "../harness/catalogs.ts";
import { makeKeys, type TestKeys } from "../harness/keys.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";
import { badUpstreams, type Outcome } from "../harness/upstream-cases.ts";
import {
  type BadInput,
  tooMuch,
  wrongFields,
  wrongJson,
  wrongKeys,
  wrongMethods,
  wrongModels,
  wrongPaths,
  wrongTypes,
} from "./bad-input-cases.ts";

/** What careless upstreams repeat in their errors; it must not reach a caller. */
const leaks = ["acct-4711-of-the-operator", "inner-host-17.example"];
const origin = "https://app.example";

/**
 * Every case, whole and streamed, each with a separate upstream, because health state persists between calls.
 */
const ways = badUpstreams
  .flatMap((one) => [
    ...(one.whole === undefined ? [] : [{ one, isStream: false }]),
    ...(one.stream === undefined ? [] : [{ one, isStream: true }]),
  ])
  .map((way, index) => ({ ...way, modelId: `case-${index}` }));

let product: Product;
let counting: Upstream;
let scripted: ScriptedUpstream;
let keys: TestKeys;
let good: string;

before(async () => {
  counting = await startUpstream({ leaks });
  scripted = await startScriptedUpstream();
  const { price: _, ...unpriced } = model("unpriced", ["demo", "demo"]);
  const refusedUrl = `http://127.0.0.1:${await closedPort()}/v1`;
  const urls = { counting: counting.baseUrl, scripted: scripted.baseUrl, refused: refusedUrl };
  product = await startProduct({
    catalog: {
      upstreams: [
        ...ways.map(({ one, modelId }) => openaiUpstream(modelId, urls[one.model], shortTimeouts)),
        demoUpstream,
        openaiUpstream("counting", counting.baseUrl, shortTimeouts),
      ],
      models: [
        model("demo", ["demo", "demo"]),
        model("sound", ["demo", "demo"]),
        model("vendor/model:free", ["demo", "demo"]),
        model("counting", ["counting", "upstream-model"]),
        ...ways.map(({ modelId }) => model(modelId, [modelId, "upstream-model"])),
        unpriced,
      ],
    },
  });
  const account = await product.createAccount();
  good = (await product.createKey(account)).key;
  keys = await makeKeys(product, account, ["demo"]);
});

after(async () => {
  await product?.stop();
  await counting?.stop();
  await scripted?.stop();
});

function authorizationOf(one: BadInput): Record<string, string> {
  if (one.authorization !== undefined) return { authorization: one.authorization };
  const kind = one.key ?? "good";
  if (kind === "none") return {};
  return { authorization: `Bearer ${kind === "good" ? good : keys[kind]}` };
}

async function checkInput(one: BadInput): Promise<void> {
  const path = one.path ?? "/v1/chat/completions";
  const answer = await send(product.origin, {
    method: one.method ?? "POST",
    path,
    headers: {
      ...authorizationOf(one),
      ...(one.body === undefined ? {} : { "content-type": "application/json" }),
      origin,
      ...one.headers,
    },
    body: one.body,
    isChunked: one.isChunked ?? false,
  });
  assertErrorAnswer(answer, one.status, { code: one.code, param: one.param, message: one.message });
  assert.equal(answer.headers["x-should-retry"], "false");
  if (path.startsWith("/v1/")) assertCors(answer);
  if (one.allow !== undefined) {
    const allowed = String(answer.headers.allow).split(/\s*,\s*/);
    for (const method of one.allow) assert.ok(allowed.includes(method), `Allow: ${answer.headers.allow}`);
    assert.ok(!allowed.includes(one.method ?? "POST"));
  }
}

const tables = {
  "wrong JSON": wrongJson,
  "wrong fields": wrongFields,
  "wrong models": wrongModels,
  "wrong keys": wrongKeys,
  "too much": tooMuch,
  "wrong paths": wrongPaths,
  "wrong methods": wrongMethods,
  "wrong types": wrongTypes,
};
for (const [title, cases] of Object.entries(tables)) {
  describe(title, () => {
    for (const one of cases) test(`${one.name} → ${one.status} ${one.code}`, () => checkInput(one));
  });
}

test("no refusal of a model names another one", async () => {
  const answer = await sendChat(product.origin, keys.limited, {
    model: "nope",
    messages: [{ role: "user", content: "hi" }],
  });
  assert.doesNotMatch(answer.text, /counting|scripted|sound|unpriced/);
});

test("what is unusual but right is taken", async () => {
  const usual = { authorization: `Bearer ${good}`, "content-type": "application/json" };
  const unusual: readonly Readonly<Record<string, string>>[] = [
    { ...usual, "content-type": "Application/JSON; charset=utf-8" },
    { ...usual, "content-encoding": "identity" },
    { ...usual, authorization: `bearer ${good}` },
    { ...usual, accept: "application/json", expect: "100-continue" },
  ];
  for (const headers of unusual) {
    const answer = await send(product.origin, {
      path: "/v1/chat/completions?api-version=1",
      headers,
      body: '{"model":"demo","messages":[{"role":"user","content":"hi"}],"stream":null,"stream_options":null,"n":null}',
    });
    assert.equal(answer.status, 200, answer.text);
  }
});

test("a model's address may be written with or without encoding", async () => {
  for (const id of ["vendor/model:free", "vendor%2Fmodel%3Afree", "vendor/model:free?x=1"]) {
    const headers = { authorization: `Bearer ${good}` };
    const answer = await send(product.origin, { method: "GET", path: `/v1/models/${id}`, headers });
    assert.equal(answer.status, 200, answer.text);
    assert.equal((JSON.parse(answer.text) as { id: string }).id, "vendor/model:free");
  }
});

const leaked = (): RegExp => {
  const hosts = [counting.baseUrl, scripted.baseUrl].map((url) => new URL(url).host);
  return new RegExp(
    [...leaks, ...hosts, "sk-upstream", "org-Rig", "proj_Rig", "req_Rig", "127\\.0\\.0\\.1"].join("|"),
  );
};

function assertOutcome(answer: Answer, outcome: Outcome): void {
  assert.doesNotMatch(answer.text + JSON.stringify(answer.headers), leaked());
  assertCors(answer);
  if (outcome.isInBand === true) {
    assert.equal(answer.status, 200, answer.text);
    assert.match(String(answer.headers["content-type"]), /^text\/event-stream/);
    const events = eventTexts(answer.text);
    assert.ok(events.length > 1, "content comes before the error");
    assertErrorBody(events.at(-1) ?? "", { code: outcome.code, param: outcome.param });
    assert.equal(isFinished(answer.text), false);
    return;
  }
  assertErrorAnswer(answer, outcome.status, { code: outcome.code, param: outcome.param });
  if (outcome.shouldRetry !== undefined) {
    assert.equal(answer.headers["x-should-retry"], String(outcome.shouldRetry));
  }
  if (outcome.retryAfter !== undefined) {
    const seconds = Number(answer.headers["retry-after"]);
    assert.ok(Number.isInteger(seconds), `Retry-After: ${answer.headers["retry-after"]}`);
    assert.ok(
      seconds >= outcome.retryAfter[0] && seconds <= outcome.retryAfter[1],
      `Retry-After: ${seconds}`,
    );
    assert.ok(Math.abs(Number(answer.headers["retry-after-ms"]) - seconds * 1000) < 1000);
  }
}

async function checkUpstream({ one, isStream, modelId }: (typeof ways)[number]): Promise<void> {
  if (one.answer !== undefined) scripted.answerWith(one.answer);
  const answer = await send(product.origin, {
    path: "/v1/chat/completions",
    headers: { authorization: `Bearer ${good}`, "content-type": "application/json", origin },
    body: JSON.stringify({
      model: modelId,
      messages: [{ role: "user", content: "hi" }],
      stream: isStream,
      x_rig: one.rig,
    }),
  });
  const outcome = isStream ? one.stream : one.whole;
  assert.ok(outcome !== undefined);
  assertOutcome(answer, outcome);
}

describe("what upstreams get wrong", () => {
  const name = ({ one, isStream }: (typeof ways)[number]) => `${one.name}, ${isStream ? "stream" : "whole"}`;
  const inTurn = ways.filter(({ one }) => one.model === "scripted");
  const together = ways.filter(({ one }) => one.model !== "scripted");

  for (const way of inTurn) test(name(way), () => checkUpstream(way));

  // These share no state and partly wait for timeouts, so they run in parallel, each reported by its name.
  test("faults of the counting upstream and refused connections", async (t) => {
    const results = await inParallel(together, 8, (way) => checkUpstream(way).catch((error: Error) => error));
    for (const [index, way] of together.entries()) {
      await t.test(name(way), () => {
        const result = results[index];
        if (result instanceof Error) throw result;
      });
    }
  });

  test("no redirect was followed, nothing crashed, and good requests are served", async () => {
    assert.equal(counting.state().trapHits, 0);
    assert.ok(isAlive(product.pid));
    assert.doesNotMatch(product.logs(), /uncaught_exception|internal_error/);
    for (const modelId of ["demo", "counting"]) {
      const answer = await sendChat(product.origin, good, {
        model: modelId,
        messages: [{ role: "user", content: "hi" }],
      });
      assert.equal(answer.status, 200, answer.text);
    }
  });

  test("no secret of an upstream stands in the log", () => {
    assert.doesNotMatch(product.logs(), /sk-upstream/);
  });
});

describe("CORS", () => {
  test("a preflight is answered, without a key, for what SDKs in browsers send", async () => {
    for (const path of ["/v1/chat/completions", "/v1/models", "/v1/models/demo"]) {
      const asked = [
        "authorization",
        "content-type",
        "x-stainless-lang",
        "x-stainless-retry-count",
        "idempotency-key",
      ];
      const answer = await send(product.origin, {
        method: "OPTIONS",
        path,
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": asked.join(","),
        },
      });
      assert.equal(answer.status, 204);
      assert.equal(answer.headers["access-control-allow-origin"], "*");
      const methods = String(answer.headers["access-control-allow-methods"]).split(/\s*,\s*/);
      assert.ok(methods.includes("POST") && methods.includes("GET"));
      const granted = String(answer.headers["access-control-allow-headers"])
        .toLowerCase()
        .split(/\s*,\s*/);
      for (const header of asked) assert.ok(granted.includes(header), `${header} is not granted`);
      assert.ok(Number(answer.headers["access-control-max-age"]) > 0);
    }
  });

  test("good answers carry it too, whole and streamed", async () => {
    for (const stream of [false, true]) {
      const answer = await send(product.origin, {
        path: "/v1/chat/completions",
        headers: { authorization: `Bearer ${good}`, "content-type": "application/json", origin },
        body: JSON.stringify({ model: "demo", messages: [{ role: "user", content: "hi" }], stream }),
      });
      assert.equal(answer.status, 200);
      assertCors(answer);
    }
  });

  test("nothing of it without an Origin, nor outside /v1", async () => {
    const headers = { authorization: `Bearer ${good}` };
    const plain = await send(product.origin, { method: "GET", path: "/v1/models", headers });
    assert.equal(plain.headers["access-control-allow-origin"], undefined);
    const health = await send(product.origin, { method: "GET", path: "/healthz", headers: { origin } });
    assert.equal(health.headers["access-control-allow-origin"], undefined);
  });
});
