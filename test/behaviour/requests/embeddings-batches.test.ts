/**
 * Embeddings at upstreams with other formats: one request becomes several calls, whose answers are combined,
 * and a failure of one is the request's.
 */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { parseUsd } from "@plaza/contract/money.ts";
import { post } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { numbersOf, vectorOf, vectorsIn } from "../harness/vector-shapes.ts";

interface Call {
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly response: ServerResponse;
  readonly headers: IncomingMessage["headers"];
}

/** Answers with the vector of the number in each text. */
let answer: (call: Call) => void;
let calls: Call[] = [];
/** Calls without an answer: current and maximum number. */
let open = 0;
let openMost = 0;
let app: TestApp;
let account: TestAccount;
let closed = 0;

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>;
  const call = { path: request.url ?? "", body, response, headers: request.headers };
  calls.push(call);
  open += 1;
  openMost = Math.max(openMost, open);
  response.once("close", () => {
    open -= 1;
    if (!response.writableFinished) closed += 1;
  });
  answer(call);
});

const vectorFor = (text: string): number[] => numbersOf(vectorOf(Number(text.split(" ")[1]), 4));

function sendJson(
  { response }: Call,
  body: unknown,
  headers: Record<string, string> = {},
  status = 200,
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** The genuine answer of Google or Bedrock. */
function truly(call: Call): void {
  const { path, body } = call;
  if (path.includes("batchEmbedContents")) {
    const requests = body["requests"] as { content: { parts: { text: string }[] } }[];
    const texts = requests.map(({ content }) => content.parts[0]?.text ?? "");
    sendJson(call, {
      embeddings: texts.map((text) => ({ values: vectorFor(text) })),
      usageMetadata: { promptTokenCount: texts.length * 2 },
    });
  } else if (path.includes(":predict")) {
    const instances = body["instances"] as { content: string }[];
    sendJson(call, {
      predictions: instances.map(({ content }) => ({
        embeddings: { values: vectorFor(content), statistics: { token_count: 2 } },
      })),
    });
  } else if ("texts" in body) {
    const texts = body["texts"] as string[];
    const told = { "x-amzn-bedrock-input-token-count": String(texts.length * 2) };
    sendJson(call, { embeddings: { float: texts.map(vectorFor) } }, told);
  } else {
    sendJson(call, { embedding: vectorFor(String(body["inputText"])), inputTextTokenCount: 2 });
  }
}

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const on = (id: string, upstream: string, model: string, second?: string) =>
    modelOn(id, [], {
      operations: ["embeddings"],
      context: 8_192,
      deployments: [upstream, ...(second === undefined ? [] : [second])].map((name, index) => ({
        upstream: name,
        model,
        priority: index + 1,
        weight: 1,
        cost: { input: parseUsd("0.5"), output: parseUsd("0") },
      })),
    });
  const titan = "amazon.titan-embed-text-v2:0";
  app = await startApp({
    catalog: {
      upstreams: [
        upstreamAt("gemini", `${origin}/v1beta`, { provider: "google", credentials: ["AIzaKey"] }),
        upstreamAt("vertex", `${origin}/v1/projects/p/locations/l/publishers/google`, {
          provider: "google",
          credentials: ["ya29.token"],
        }),
        upstreamAt("bedrock", origin, { provider: "bedrock", credentials: ["key"] }),
        ...["a", "b", "c", "d", "e", "f"].map((id) =>
          upstreamAt(`bedrock-${id}`, origin, {
            provider: "bedrock",
            credentials: ["AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"],
          }),
        ),
      ],
      models: [
        on("gemini", "gemini", "gemini-embedding-001"),
        on("vertex", "vertex", "text-embedding-005"),
        on("titan", "bedrock", titan),
        on("cohere", "bedrock", "cohere.embed-v4:0"),
        on("unknown", "bedrock", "maker.embeds-v1"),
        on("two", "bedrock-a", titan, "bedrock-b"),
        on("three", "bedrock-c", titan, "bedrock-d"),
        on("four", "bedrock-e", titan, "bedrock-f"),
      ],
      limits: {},
    },
  });
});
after(async () => {
  await app?.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(async () => {
  answer = truly;
  calls = [];
  openMost = 0;
  closed = 0;
  account = await app.newAccount("10");
});

const texts = (count: number): string[] => Array.from({ length: count }, (_, index) => `text ${index}`);

const ask = (body: object, headers: Record<string, string> = {}) =>
  post({ url: `${app.origin}/v1/embeddings`, key: account.key, body: JSON.stringify(body), headers });

for (const [model, count, calledTimes, path] of [
  ["gemini", 250, 3, "/v1beta/models/gemini-embedding-001:batchEmbedContents"],
  ["vertex", 260, 2, "/v1/projects/p/locations/l/publishers/google/models/text-embedding-005:predict"],
  ["cohere", 200, 3, "/model/cohere.embed-v4%3A0/invoke"],
  ["titan", 30, 30, "/model/amazon.titan-embed-text-v2%3A0/invoke"],
] as const) {
  for (const form of ["float", "base64"] as const) {
    test(`${model}: ${count} texts are ${calledTimes} calls and one answer as ${form}`, async () => {
      const seen = await ask({ model, input: texts(count), encoding_format: form });
      assert.equal(seen.status, 200, seen.body.toString().slice(0, 500));
      assert.equal(calls.length, calledTimes);
      assert.ok(
        calls.every((call) => call.path === path),
        calls[0]?.path,
      );
      assert.ok(openMost <= 8, `${openMost} calls at a time`);
      assert.deepEqual(
        vectorsIn(seen.body),
        texts(count).map((_, index) => vectorOf(index, 4)),
      );
      const { object, data, usage } = JSON.parse(seen.body.toString());
      assert.deepEqual([object, data[count - 1].index], ["list", count - 1]);
      assert.deepEqual(usage, { prompt_tokens: count * 2, total_tokens: count * 2 });
      const row = await app.newestRow(account.accountId, 1);
      assert.deepEqual([row.inputTokens, row.usageSource, row.attempts], [count * 2, "exact", 1]);
      assert.equal(row.charge, parseUsd("0.000001") * BigInt(count * 2));
      assert.equal(row.cost, row.charge / 2n);
    });
  }
}

test("calls of Vertex AI hold no more than it reads at once", async () => {
  const long = texts(20).map((text) => `${text} ${"word ".repeat(1_600)}`);
  const seen = await ask({ model: "vertex", input: long });
  assert.equal(seen.status, 200, seen.body.toString().slice(0, 500));
  assert.equal(calls.length, 5);
  assert.equal(vectorsIn(seen.body).length, 20);
});

test("Google's key and AWS's signature are on each call, and what cannot be said is refused by name", async () => {
  await ask({ model: "gemini", input: texts(101), dimensions: 4, input_type: "query" });
  assert.deepEqual(
    calls.map(({ headers }) => headers["x-goog-api-key"]),
    ["AIzaKey", "AIzaKey"],
  );
  calls = [];
  await ask({ model: "two", input: texts(3) });
  const signatures = new Set(calls.map(({ headers }) => headers.authorization));
  assert.equal(signatures.size, 3);
  for (const signature of signatures) assert.match(signature ?? "", /^AWS4-HMAC-SHA256 /);
  for (const [more, param] of [
    [{ input: [1, 2] }, "input"],
    [{ input: "text 1", seed: 5 }, "seed"],
  ] as const) {
    const seen = await ask({ model: "gemini", ...more });
    const { error } = JSON.parse(seen.body.toString()) as { error: Record<string, string> };
    assert.deepEqual([seen.status, error["code"], error["param"]], [400, "unsupported_parameter", param]);
  }
  const dropping = { "x-plaza-drop-params": "true" };
  const seen = await ask({ model: "gemini", input: "text 1", seed: 5 }, dropping);
  assert.deepEqual([seen.status, seen.headers["x-plaza-dropped-params"]], [200, "seed"]);
  assert.equal((await ask({ model: "unknown", input: "text 1" })).status, 400);
});

test("where a call tells no tokens, all are counted, said to be, and charged so", async () => {
  answer = (call) => {
    if (calls.length === 2) sendJson(call, { embedding: vectorFor(String(call.body["inputText"])) });
    else truly(call);
  };
  const seen = await ask({ model: "titan", input: texts(5) });
  const { usage } = JSON.parse(seen.body.toString());
  assert.deepEqual(usage, { prompt_tokens: 10, total_tokens: 10, is_estimated: true });
  const row = await app.newestRow(account.accountId, 1);
  assert.deepEqual([row.inputTokens, row.usageSource], [10, "estimated"]);
});

test("where no call tells tokens, an input counts at most what the model reads of it", async () => {
  answer = (call) => sendJson(call, { embedding: vectorFor(String(call.body["inputText"])) });
  const seen = await ask({ model: "titan", input: [`text 0 ${"x".repeat(100_000)}`, "text 1", "text 2"] });
  assert.equal(seen.status, 200, seen.body.toString().slice(0, 500));
  const { usage } = JSON.parse(seen.body.toString());
  assert.deepEqual(usage, { prompt_tokens: 8_196, total_tokens: 8_196, is_estimated: true });
  const row = await app.newestRow(account.accountId, 1);
  assert.deepEqual([row.inputTokens, row.usageSource], [8_196, "estimated"]);
});

test("one call fails: the others end, the next deployment does all of it, what was used is waste", async () => {
  answer = (call) => {
    const isFirst = calls.length <= 8;
    if (!isFirst || calls.indexOf(call) < 3) truly(call);
    else if (calls.indexOf(call) === 5) sendJson(call, { message: "busy" }, {}, 503);
  };
  const seen = await ask({ model: "two", input: texts(8) });
  assert.equal(seen.status, 200, seen.body.toString());
  assert.equal(vectorsIn(seen.body).length, 8);
  const row = await app.newestRow(account.accountId, 1);
  assert.deepEqual([row.attempts, row.inputTokens, row.state], [2, 16, "complete"]);
  assert.equal(row.charge, parseUsd("0.000016"));
  const [first, second] = row.attemptLog ?? [];
  assert.equal(first?.status, 503);
  assert.equal(second?.fault, null);
  const wasted = first?.usage?.input ?? 0;
  assert.ok(wasted > 0 && wasted <= 6 && wasted % 2 === 0, `${wasted} tokens`);
  assert.equal(row.cost, (parseUsd("0.000001") * BigInt(16 + wasted)) / 2n);
  assert.ok(closed > 0, "calls without an answer were ended");
});

test("a vector that is none, and a count that is not what was asked, fail the attempt", async () => {
  for (const wrong of [
    { embedding: ["x"], inputTextTokenCount: 2 },
    { embedding: [], inputTextTokenCount: 2 },
    { embedding: "none" },
    "<html>",
  ]) {
    calls = [];
    answer = (call) => (calls.length === 1 ? sendJson(call, wrong) : truly(call));
    const seen = await ask({ model: "three", input: texts(4) });
    assert.equal(seen.status, 200, `${JSON.stringify(wrong)} ${seen.body.toString()}`);
    assert.deepEqual(
      vectorsIn(seen.body),
      texts(4).map((_, index) => vectorOf(index, 4)),
    );
  }
});

const wrongLengths: readonly (readonly [string, object, readonly number[], readonly number[]])[] = [
  ["than that of the other calls", {}, [2], [1, 2, 3]],
  ["than was asked for", { dimensions: 4 }, [1, 2, 3, 4], [1, 2, 3, 4, 5]],
];
for (const [what, more, wrongCalls, wrong] of wrongLengths) {
  test(`a vector of another length ${what} fails the attempt`, async () => {
    answer = (call) => {
      if (wrongCalls.includes(calls.length)) sendJson(call, { embedding: wrong, inputTextTokenCount: 2 });
      else truly(call);
    };
    const seen = await ask({ model: "four", input: texts(4), ...more });
    assert.equal(seen.status, 200, seen.body.toString());
    assert.deepEqual(
      vectorsIn(seen.body),
      texts(4).map((_, index) => vectorOf(index, 4)),
    );
    const row = await app.newestRow(account.accountId, 1);
    assert.equal(row.attempts, 2);
  });
}

test("a caller that leaves ends every call, and no more are made", async () => {
  let hasAll: () => void = () => {};
  const begun = new Promise<void>((resolve) => {
    hasAll = resolve;
  });
  answer = () => {
    if (open === 6) hasAll();
  };
  const leaving = new AbortController();
  const asking = fetch(`${app.origin}/v1/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "titan", input: texts(50) }),
    signal: leaving.signal,
  }).catch(() => undefined);
  await begun;
  leaving.abort();
  await asking;
  const row = await app.newestRow(account.accountId, 1);
  assert.deepEqual([row.state, row.charge], ["aborted", 0n]);
  await app.callersGone();
  assert.equal(calls.length, 6);
});
