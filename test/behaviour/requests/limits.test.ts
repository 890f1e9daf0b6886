/** Limits end to end: two worker processes with one SQLite file, plain requests and the official SDK. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI from "openai";
import { inParallel } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { startUpstream, type Upstream } from "../../rigs/upstream/server.ts";
import { type Answer, assertErrorAnswer, send, sendChat } from "../harness/caller.ts";
import { type CatalogFile, model, openaiUpstream } from "../harness/catalogs.ts";
import { type Product, startProduct } from "../harness/product.ts";

let upstream: Upstream;
let product: Product;
let account: string;

const hello = [{ role: "user", content: "hi" }];
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

function catalog(more: object = {}): CatalogFile {
  const models = [
    model("plain", ["counting", "upstream-model"]),
    { ...model("narrow", ["counting", "upstream-model"]), limits: { requestsPerMinute: 3 } },
    { ...model("closed", ["counting", "upstream-model"]), limits: { tokensPerMinute: 0 } },
  ];
  return { upstreams: [openaiUpstream("counting", upstream.baseUrl)], models, ...more };
}

before(async () => {
  upstream = await startUpstream();
  product = await startProduct({ catalog: catalog(), serve: ["--workers", "2"] });
  account = await product.createAccount();
});
after(async () => {
  await product?.stop();
  await upstream?.stop();
});

const keyWith = async (...more: string[]): Promise<string> => (await product.createKey(account, more)).key;

const ask = (key: string, more: object = {}): Promise<Answer> =>
  sendChat(product.origin, key, { model: "plain", messages: hello, max_tokens: 20, ...more });

const look = (key: string, path = "/v1/models"): Promise<Answer> =>
  send(product.origin, { method: "GET", path, headers: { authorization: `Bearer ${key}` } });

const countOf = (answers: readonly Answer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;

const header = (answer: Answer, name: string): string => String(answer.headers[name]);

test("five a minute: the sixth is refused, with when to come back, whichever process it meets", async () => {
  const key = await keyWith("--rpm", "5");
  const answers = await inParallel(numbers(40), 8, () => ask(key));
  assert.deepEqual([countOf(answers, 200), countOf(answers, 429)], [5, 35]);
  const refused = await ask(key);
  assertErrorAnswer(refused, 429, {
    code: "rate_limit_exceeded",
    message: /This API key is limited to 5 requests per minute/,
  });
  const waitMs = Number(refused.headers["retry-after-ms"]);
  assert.ok(waitMs > 0 && waitMs <= 12_500, `retry-after-ms: ${waitMs}`);
  assert.equal(Number(refused.headers["retry-after"]), Math.ceil(waitMs / 1_000));
  assert.equal(header(refused, "x-should-retry"), "true");
  assert.equal(header(refused, "x-ratelimit-limit-requests"), "5");
  assert.equal(header(refused, "x-ratelimit-remaining-requests"), "0");
  assert.match(header(refused, "x-ratelimit-reset-requests"), /^(?:\d+m)?[\d.]+s$/);
  assert.equal(refused.headers["x-ratelimit-limit-tokens"], undefined);
});

test("every answer to a valid key says what is left, also errors and looks at models", async () => {
  const key = await keyWith("--rpm", "600", "--tpm", "100000");
  const good = await ask(key);
  assert.equal(good.status, 200);
  assert.equal(header(good, "x-ratelimit-remaining-requests"), "599");
  assert.match(header(good, "x-ratelimit-remaining-tokens"), /^99\d{3}$/);
  assert.equal(header(good, "x-ratelimit-reset-requests"), "100ms");
  const bad = await ask(key, { messages: "none" });
  const unknown = await ask(key, { model: "no-such-model" });
  for (const answer of [bad, unknown, await look(key), await look(key, "/v1/nothing-but/models")]) {
    if (answer.status === 404 && answer.text.includes("Not found:")) continue;
    assert.equal(header(answer, "x-ratelimit-limit-requests"), "600", answer.text);
    assert.equal(header(answer, "x-ratelimit-limit-tokens"), "100000");
  }
  const free = await ask(await keyWith());
  assert.equal(free.headers["x-ratelimit-limit-requests"], undefined);
});

test("the official SDK waits as long as it is told and then succeeds", async () => {
  const key = await keyWith("--rpm", "60");
  const client = new OpenAI({ baseURL: product.baseUrl, apiKey: key, maxRetries: 0 });
  const call = (one: OpenAI) =>
    one.chat.completions.create({ model: "plain", messages: [{ role: "user", content: "hi" }] });
  const results = await Promise.allSettled(numbers(90).map(() => call(client)));
  const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  assert.ok(refused.length >= 20 && refused.every((error) => error instanceof OpenAI.RateLimitError));
  const patient = new OpenAI({ baseURL: product.baseUrl, apiKey: key, maxRetries: 5 });
  const answer = await call(patient);
  assert.equal(answer.object, "chat.completion");
});

test("tokens are set aside by estimate and paid as used; a debt blocks, a prompt beyond the limit is told so", async () => {
  const key = await keyWith("--tpm", "3000");
  const first = await ask(key, { max_tokens: 2_500 });
  assert.equal(first.status, 200);
  const usage = (JSON.parse(first.text) as { usage: { total_tokens: number } }).usage;
  const left = await eventually(async () => {
    const remaining = header(await look(key), "x-ratelimit-remaining-tokens");
    return Number(remaining) >= 3_000 - usage.total_tokens - 5;
  }, 3_000);
  assert.ok(left, "the rest of the estimate came back");
  const long = await ask(key, { messages: [{ role: "user", content: "word ".repeat(4_000) }] });
  assertErrorAnswer(long, 429, {
    code: "rate_limit_exceeded",
    message: /limited to 3000 tokens per minute.*prompt/,
  });
  assert.equal(header(long, "x-should-retry"), "false");
});

test("concurrency: no more at once than allowed, and a place is free again when an answer has ended", async () => {
  const key = await keyWith("--concurrency", "3");
  const answers = await inParallel(numbers(60), 20, () => ask(key));
  assert.ok(countOf(answers, 200) >= 3);
  assert.equal(countOf(answers, 200) + countOf(answers, 429), 60);
  const refused = answers.find(({ status }) => status === 429);
  assert.ok(refused !== undefined, "twenty at a time never met the limit");
  assert.match(refused.text, /limited to 3 concurrent requests/);
  assert.equal(header(refused, "retry-after-ms"), "1000");
  assert.ok(await eventually(async () => (await ask(key)).status === 200, 3_000));
});

test("a limit of zero blocks and says so", async () => {
  const answer = await ask(await keyWith("--rpm", "0"));
  assertErrorAnswer(answer, 429, {
    code: "rate_limit_exceeded",
    message: /blocked by a limit of 0 requests/,
  });
  assert.equal(header(answer, "x-should-retry"), "false");
  const closed = await ask(await keyWith(), { model: "closed" });
  assertErrorAnswer(closed, 429, {
    code: "rate_limit_exceeded",
    message: /This model is blocked/,
  });
});

test("a model's limit holds for all its callers together; the refused keep their own requests", async () => {
  const keys = [await keyWith("--rpm", "9"), await keyWith("--rpm", "9")];
  const answers = await inParallel(numbers(12), 4, (index) =>
    ask(keys[index % 2] as string, { model: "narrow" }),
  );
  assert.deepEqual([countOf(answers, 200), countOf(answers, 429)], [3, 9]);
  const refused = answers.find(({ status }) => status === 429) as Answer;
  assert.match(refused.text, /This model is limited to 3 requests per minute across all callers/);
  // Nine minus the three admitted: the nine refusals consumed nothing.
  const later = await inParallel(numbers(20), 5, (index) => ask(keys[index % 2] as string));
  assert.ok(countOf(later, 200) >= 15 && countOf(later, 200) <= 15 + 2, `${countOf(later, 200)} answers`);
});

test("a call refused for money has consumed nothing", async () => {
  const { id } = (await product.json(["account", "create", "poor"])) as { id: string };
  const { key } = await product.createKey(id, ["--rpm", "2"]);
  const answers = await inParallel(numbers(6), 1, () => ask(key));
  assert.equal(countOf(answers, 402), 6);
});

test("limits of an account and of the installation act within a second of their change", async () => {
  const own = await product.createAccount();
  const keys = [(await product.createKey(own)).key, (await product.createKey(own)).key];
  const both = () => inParallel(numbers(16), 4, (index) => ask(keys[index % 2] as string));
  assert.equal(countOf(await both(), 200), 16);
  await product.command(["account", "limits", own, "--rpm", "4"]);
  assert.ok(
    await eventually(
      async () => (await look(keys[0] as string)).headers["x-ratelimit-limit-requests"] === "4",
      1_500,
    ),
  );
  await eventually(
    async () => countOf(await inParallel(numbers(8), 8, () => look(keys[0] as string)), 200) === 8,
    1_000,
  );
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const answers = await both();
  assert.equal(countOf(answers, 200), 4);
  assert.match(
    answers.find(({ status }) => status === 429)?.text ?? "",
    /This account is limited to 4 requests per minute/,
  );
  await product.command(["account", "limits", own, "--rpm", "default"]);
  product.writeCatalog(catalog({ installation: { requestsPerMinute: 2 } }));
  const isTight = async () => (await ask(keys[0] as string)).text.includes("This installation");
  assert.ok(await eventually(isTight, 10_000));
  product.writeCatalog(catalog());
  assert.ok(await eventually(async () => countOf(await both(), 200) === 16, 10_000));
});
