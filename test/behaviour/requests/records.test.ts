/** Every request's row in `plaza requests --json`: state, usage and its source, times, attempts. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { inParallel, post, type Seen } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { closedPort } from "../../rigs/harness/processes/ports.ts";
import { startUpstream, type Upstream } from "../../rigs/upstream/server.ts";
import { send, sendChat } from "../harness/caller.ts";
import { demoUpstream, model, openaiUpstream } from "../harness/catalogs.ts";
import { type Product, type RequestShown, startProduct } from "../harness/product.ts";

let upstream: Upstream;
let product: Product;
let account: string;
let keyId: string;
let key: string;

before(async () => {
  upstream = await startUpstream();
  product = await startProduct({
    catalog: {
      upstreams: [
        demoUpstream,
        openaiUpstream("counting", upstream.baseUrl),
        openaiUpstream("refused", `http://127.0.0.1:${await closedPort()}/v1`),
      ],
      models: [
        model("demo", ["demo", "demo"]),
        model("counting", ["counting", "upstream-model"]),
        model("fallback", ["counting", "rig.fault=status_500_body"], ["counting", "second-model"]),
        model("refused", ["refused", "upstream-model"]),
      ],
    },
  });
  account = await product.createAccount();
  ({ id: keyId, key } = await product.createKey(account));
  await askEverything();
});
after(async () => {
  await product?.stop();
  await upstream?.stop();
});

interface Asked {
  readonly model?: string;
  readonly stream: boolean;
  readonly x_rig?: Readonly<Record<string, unknown>>;
  /** Called with every chunk of the answer; `leave` disconnects. */
  readonly onArrival?: (leave: () => void) => void;
}

const prompt = "Say something of a few words, please.";

function ask({ model: modelId = "counting", stream, x_rig, onArrival }: Asked): Promise<Seen> {
  return post({
    url: product.chatUrl,
    key,
    body: JSON.stringify({ model: modelId, messages: [{ role: "user", content: prompt }], stream, x_rig }),
    onArrival: (_arrival, call) => onArrival?.(() => call.destroy()),
  });
}

/** A request, sent whole and streamed, and its expected row (missing fields are not checked). */
interface Scenario {
  readonly name: string;
  readonly asked: Omit<Asked, "stream">;
  readonly expected: Partial<RequestShown>;
  readonly inputTokens?: readonly [number, number];
  readonly outputTokens?: readonly [number, number];
}

const served = { status: 200, state: "complete", errorCode: null, attempts: 1 };
const failed = {
  status: 502,
  state: "failed",
  errorCode: "upstream_error",
  usageSource: "none",
  firstTokenMs: null,
};
const unused = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};
const counting = { modelId: "counting", upstreamId: "counting", upstreamModel: "upstream-model" };

const scenarios: readonly Scenario[] = [
  {
    name: "complete, with the upstream's usage by class",
    asked: { x_rig: { tokens: 12, promptTokens: 30, cachedTokens: 10, reasoningTokens: 5 } },
    expected: {
      ...served,
      ...counting,
      inputTokens: 20,
      cachedInputTokens: 10,
      cacheWriteTokens: 0,
      outputTokens: 12,
      reasoningTokens: 5,
      usageSource: "exact",
    },
  },
  ...["absent", "negative", "huge"].map(
    (usage): Scenario => ({
      name: `usage ${usage}: counted by us and flagged`,
      asked: { x_rig: { tokens: 40, usage } },
      expected: { ...served, ...counting, usageSource: "estimated", cachedInputTokens: 0 },
      inputTokens: [3, 60],
      outputTokens: [20, 80],
    }),
  ),
  {
    name: "an output of zero is a value",
    asked: { x_rig: { tokens: 0, promptTokens: 7 } },
    expected: { ...served, ...unused, inputTokens: 7, usageSource: "exact" },
  },
  {
    name: "zeros alone are no report: the prompt is counted by us and flagged",
    asked: { x_rig: { tokens: 0, promptTokens: 0 } },
    expected: { ...served, outputTokens: 0, reasoningTokens: 0, usageSource: "estimated" },
    inputTokens: [3, 60],
  },
  {
    name: "failed upstream: tried once more, nothing used",
    asked: { x_rig: { fault: "status_500_body" } },
    expected: { ...failed, ...unused, ...counting, attempts: 2 },
  },
  {
    name: "a broken connection is tried once more",
    asked: { model: "refused" },
    expected: { ...failed, ...unused, attempts: 2, upstreamId: "refused" },
  },
  {
    name: "fallback: two attempts, the second deployment's name",
    asked: { model: "fallback" },
    expected: { ...served, attempts: 2, upstreamModel: "second-model", usageSource: "exact" },
  },
  {
    name: "refused before any upstream",
    asked: { model: "nope" },
    expected: {
      ...unused,
      modelId: "nope",
      upstreamId: null,
      upstreamModel: null,
      status: 404,
      state: "failed",
      errorCode: "model_not_found",
      attempts: 0,
      usageSource: "none",
    },
  },
  {
    name: "demo: complete and exact",
    asked: { model: "demo" },
    expected: { ...served, modelId: "demo", upstreamId: "demo", usageSource: "exact" },
    inputTokens: [1, 100],
    outputTokens: [1, 100],
  },
];

const ways = [
  { way: "whole", stream: false },
  { way: "stream", stream: true },
];

const slow: Asked = { stream: true, x_rig: { tokens: 10, firstMs: 200, gapMs: 50 } };
const cut: Asked = { stream: true, x_rig: { tokens: 60, cutEvent: 31, how: "rst", gapMs: 2 } };
let parts = 0;
const left: Asked = {
  stream: true,
  x_rig: { tokens: 2_000, gapMs: 10 },
  onArrival: (leave) => {
    parts += 1;
    if (parts === 10) leave();
  },
};

const answers = new Map<string, Seen>();
let rows: readonly RequestShown[] = [];

async function leaveEarly(): Promise<void> {
  const seen = await post({
    url: product.chatUrl,
    key,
    body: JSON.stringify({
      model: "counting",
      messages: [{ role: "user", content: prompt }],
      metadata: { left: "early" },
      x_rig: { id: "left-early", headersMs: 20_000 },
    }),
    onRequest: (call) => {
      void eventually(() => upstream.findCall("left-early") !== undefined, 5_000, 5).then(() =>
        call.destroy(),
      );
    },
  });
  assert.equal(seen.status, 0);
}

/** Sends all requests first, then reads the rows once: each `plaza` command starts a process. */
async function askEverything(): Promise<void> {
  const asks = [
    ...scenarios.flatMap(({ name, asked }) =>
      ways.map(({ way, stream }) => ({ name: `${way}: ${name}`, asked: { ...asked, stream } })),
    ),
    { name: "slow", asked: slow },
    { name: "slow whole", asked: { ...slow, stream: false } },
    { name: "cut", asked: cut },
    { name: "left", asked: left },
  ];
  const leaving = leaveEarly();
  await inParallel(asks, 8, async ({ name, asked }) => answers.set(name, await ask(asked)));
  await leaving;
  const ids = [...answers.values()].map((seen) => String(seen.headers["x-request-id"]));
  await eventually(async () => {
    rows = await product.requests();
    return rows.length > ids.length && ids.every((id) => rows.some((row) => row.id === id));
  }, 5_000);
}

function seenOf(name: string): Seen {
  const seen = answers.get(name);
  assert.ok(seen !== undefined);
  return seen;
}

function rowOf(name: string): RequestShown {
  const id = seenOf(name).headers["x-request-id"];
  const row = rows.find((one) => one.id === id);
  assert.ok(row !== undefined, `no row for ${name}, request ${id}`);
  return row;
}

/** Checks the named fields only. */
function assertRow(row: RequestShown, expected: Partial<RequestShown>): void {
  const shown = Object.fromEntries(
    Object.keys(expected).map((name) => [name, row[name as keyof RequestShown]]),
  );
  assert.deepEqual(shown, expected);
}

function assertWithin(name: string, value: number, bounds: readonly [number, number] | undefined): void {
  if (bounds === undefined) return;
  assert.ok(value >= bounds[0] && value <= bounds[1], `${name} ${value}`);
}

for (const { way, stream } of ways) {
  describe(way, () => {
    for (const { name, expected, inputTokens, outputTokens } of scenarios) {
      test(name, () => {
        const row = rowOf(`${way}: ${name}`);
        assertRow(row, { accountId: account, keyId, isStream: stream, ...expected });
        assertWithin("input", row.inputTokens, inputTokens);
        assertWithin("output", row.outputTokens, outputTokens);
      });
    }
  });
}

describe("times", () => {
  test("the whole duration lies between the upstream's and the caller's", () => {
    for (const name of ["slow", "slow whole"]) {
      const { durationMs } = rowOf(name);
      const seen = seenOf(name);
      assert.ok(Number.isInteger(durationMs) && durationMs >= 195);
      assert.ok(durationMs <= seen.endedAt - seen.sentAt + 5);
    }
  });

  test("the first token comes no sooner than it was sent, and well before the end", () => {
    const { firstTokenMs, durationMs } = rowOf("slow");
    assert.ok(firstTokenMs !== null && Number.isInteger(firstTokenMs) && firstTokenMs >= 195);
    assert.ok(firstTokenMs <= durationMs - 200, `${firstTokenMs} of ${durationMs}`);
  });
});

test("incomplete: a stream cut after content", () => {
  const row = rowOf("cut");
  assertRow(row, {
    status: 200,
    state: "incomplete",
    errorCode: "upstream_error",
    attempts: 1,
    usageSource: "estimated",
  });
  assertWithin("output", row.outputTokens, [15, 60]);
  assert.ok(row.firstTokenMs !== null);
});

test("aborted: the caller left a stream", () => {
  const row = rowOf("left");
  assertRow(row, { status: 200, state: "aborted", attempts: 1, usageSource: "estimated", isStream: true });
  assertWithin("output", row.outputTokens, [4, 100]);
  assert.ok(row.firstTokenMs !== null && row.firstTokenMs <= row.durationMs);
});

test("aborted: the caller left before any answer", () => {
  const found = rows.filter((row) => row.state === "aborted" && row.status === 499);
  assert.equal(found.length, 1);
  const [row] = found;
  assert.ok(row !== undefined);
  assertRow(row, {
    ...unused,
    ...counting,
    isStream: false,
    attempts: 1,
    usageSource: "none",
    firstTokenMs: null,
  });
});

test("a request without a valid key leaves no row; a bad body of a valid key does", async () => {
  const before = (await product.requests()).length;
  await sendChat(product.origin, "sk-nope", { model: "demo", messages: [{ role: "user", content: "hi" }] });
  const answer = await send(product.origin, {
    path: "/v1/chat/completions",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: "{",
  });
  const row = await product.request(String(answer.headers["x-request-id"]));
  assertRow(row, { modelId: null, status: 400, state: "failed", errorCode: "invalid_request", attempts: 0 });
  assert.equal((await product.requests()).length, before + 1);
});

test("newest first, no more than asked for, one account's only", async () => {
  const other = await product.createAccount();
  const otherKey = await product.createKey(other);
  const hello = { model: "demo", messages: [{ role: "user", content: "hi" }] };
  const ids: string[] = [];
  for (const one of [key, otherKey.key, key]) {
    ids.unshift(String((await sendChat(product.origin, one, hello)).headers["x-request-id"]));
  }
  assert.deepEqual(
    (await product.requests(3)).map((row) => row.id),
    ids,
  );
  const rows = (await product.json(["requests", "--account", other, "--limit", "10"])) as RequestShown[];
  assert.deepEqual(
    rows.map((row) => row.id),
    [ids[1]],
  );
});
