/**
 * Model status is measured: when its upstream fails, a model is shown as down everywhere within two seconds,
 * also by processes that did not call it, and it recovers as quickly.
 */
import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { after, before, test } from "node:test";
import { eventually, monotonicMs } from "../../rigs/harness/measure/clock.ts";
import { startUpstream, type Upstream } from "../../rigs/upstream/server.ts";
import { model, openaiUpstream } from "../harness/catalogs.ts";
import { type Product, startProduct } from "../harness/product.ts";

const token = `operator-${"t".repeat(40)}`;
/** The limit is two seconds; a busy machine gets twice that. */
const withinMs = 4_000;

let first: Upstream;
let second: Upstream;
let product: Product;
let key: string;

before(async () => {
  first = await startUpstream();
  second = await startUpstream();
  product = await startProduct({
    catalog: {
      upstreams: [openaiUpstream("a", first.baseUrl), openaiUpstream("b", second.baseUrl)],
      models: [
        model("one", ["a", "x"]),
        model("both", ["a", "x"], ["b", "x"]),
        { ...model("free", ["b", "y"]), price: undefined } as unknown as ReturnType<typeof model>,
      ],
    },
    serve: ["--workers", "3"],
    env: { PLAZA_OPERATOR_TOKEN: token },
  });
  ({ key } = await product.createKey(await product.createAccount()));
});
after(async () => {
  await product?.stop();
  await first?.stop();
  await second?.stop();
});

interface Asked {
  readonly status: number;
  readonly body: unknown;
}

/** Sends a request on the given connection, or on a new one, which any worker may accept. */
function ask(path: string, options: { agent?: Agent; bearer?: string; body?: object } = {}): Promise<Asked> {
  const { agent = false, bearer = key, body } = options;
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
    const call = request(
      `${product.origin}${path}`,
      { agent, headers, method: body === undefined ? "GET" : "POST" },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part: Buffer) => parts.push(part));
        answer.on("end", () => {
          const text = Buffer.concat(parts).toString();
          resolve({ status: answer.statusCode ?? 0, body: text === "" ? undefined : JSON.parse(text) });
        });
      },
    );
    call.on("error", reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const messages = [{ role: "user", content: "hi" }];
const call = (id: string, agent: Agent) =>
  ask("/v1/chat/completions", { agent, body: { model: id, messages, max_tokens: 5 } });

type Row = { readonly id: string; readonly status: string };

/** The status of a model everywhere it is shown, each read several times. */
async function statusesOf(id: string): Promise<Set<string>> {
  const places = Array.from({ length: 8 }, async () => {
    const listed = (await ask("/v1/models")).body as { data: Row[] };
    const shown = (await ask(`/v1/models/${id}`)).body as Row;
    const plaza = (await ask("/api/plaza", { bearer: token })).body as { models: Row[] };
    const page = (await ask(`/api/plaza/${id}`, { bearer: token })).body as Row;
    const { statuses } = (await ask("/api/plaza-statuses", { bearer: token })).body as {
      statuses: Record<string, string>;
    };
    const operators = (await ask("/api/operator/catalog", { bearer: token })).body as { models: Row[] };
    const of = (rows: readonly Row[]) => rows.find((row) => row.id === id)?.status ?? "not listed";
    return [
      of(listed.data),
      shown.status,
      of(plaza.models),
      page.status,
      statuses[id] ?? "available",
      of(operators.models),
    ];
  });
  return new Set((await Promise.all(places)).flat());
}

async function becomes(id: string, status: string): Promise<void> {
  const sinceMs = monotonicMs();
  let seen = new Set<string>();
  const isSo = await eventually(async () => {
    seen = await statusesOf(id);
    return seen.size === 1 && seen.has(status);
  }, withinMs);
  assert.ok(isSo, `${id} is ${[...seen].join(", ")} after ${Math.round(monotonicMs() - sinceMs)} ms`);
}

test("every place says the same of a model whose upstream breaks, and of one that has another left", async () => {
  await becomes("one", "available");
  await becomes("free", "unpriced");
  first.setPlan({ fault: "status_500_body" });
  // One worker alone notices the failure; the others get it from the store.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let count = 0; count < 6; count += 1) assert.equal((await call("one", agent)).status, 502);
  await becomes("one", "down");
  await becomes("both", "degraded");
  const { data } = (await product.json(["models"])) as { data: Row[] };
  assert.deepEqual(
    data.map(({ id, status }) => [id, status]),
    [
      ["one", "down"],
      ["both", "degraded"],
      ["free", "unpriced"],
    ],
  );
  assert.equal((await call("both", agent)).status, 200);
  first.setPlan({ fault: "" });
  await eventually(async () => (await call("one", agent)).status === 200, 10_000);
  await becomes("one", "available");
  await becomes("both", "available");
  agent.destroy();
});

test("without any call it is back once looks from outside have found it answering twice", async () => {
  first.setPlan({ fault: "status_500_body" });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let count = 0; count < 6; count += 1) await call("one", agent);
  agent.destroy();
  await becomes("one", "down");
  first.setPlan({ fault: "" });
  assert.ok(
    await eventually(async () => {
      const seen = await statusesOf("one");
      return seen.size === 1 && seen.has("available");
    }, 20_000),
  );
});
