/**
 * A model that is disabled at one process is not called by any within a second and is not listed. Calls of it
 * go to the next model that they name, or to its fallbacks, at that model's price; without one they are
 * refused. Running calls finish and are charged. Real processes on one database. Stalls of the machine do not
 * count.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sharedPostgres } from "../../postgres/shared.ts";
import { eventually, monotonicMs } from "../../rigs/harness/measure/clock.ts";
import { lostWithin, type StallWatch, startStallWatch } from "../../rigs/harness/measure/stall-watch.ts";
import { type Answer, assertErrorAnswer, isFinished, sendChat } from "../harness/caller.ts";
import { demoUpstream, model, openaiUpstream } from "../harness/catalogs.ts";
import { startEndingCall } from "../harness/ending-calls.ts";
import { chunk, completion, streamOf } from "../harness/openai-shapes.ts";
import { type NewKey, type Product, startProduct } from "../harness/product.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

const operatorToken = "an-operator-token-of-the-tests-0123456789";
/** The documented limit, in every process. */
const actsWithinMs = 1_000;

let upstream: ScriptedUpstream;
let watch: StallWatch;
before(async () => {
  upstream = await startScriptedUpstream();
  watch = await startStallWatch();
});
after(async () => {
  await upstream.stop();
  await watch?.stop();
});

const messages = [{ role: "user", content: "hi" }];
const answer = { body: completion({ message: { content: "six" } }) };

/** A call of the console's API; asserts success. */
async function operate({ origin }: Product, method: string, path: string, body?: object) {
  const response = await fetch(`${origin}/api${path}`, {
    method,
    headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status}`);
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any type.
  return (await response.json()) as any;
}

async function revisionOf(product: Product, id: string): Promise<number> {
  const { models } = await operate(product, "GET", "/operator/catalog");
  return models.find((one: { id: string }) => one.id === id).revision;
}

async function set(product: Product, id: string, disabled: boolean): Promise<void> {
  const revision = await revisionOf(product, id);
  await operate(product, "PATCH", `/operator/models/${id}`, { disabled, revision });
}

const codeOf = ({ text }: Answer): string | undefined =>
  (JSON.parse(text) as { error?: { code: string } }).error?.code;

for (const database of ["sqlite", "postgres"] as const) {
  describe(`a model disabled at another process (${database})`, () => {
    let first: Product;
    let second: Product;
    let key: NewKey;

    before(async () => {
      const url =
        database === "sqlite" ? {} : { PLAZA_DATABASE: await (await sharedPostgres()).newDatabase() };
      const env = { PLAZA_OPERATOR_TOKEN: operatorToken, ...url };
      first = await startProduct({ env });
      second = await startProduct({ env, folder: first.folder });
      await operate(first, "POST", "/operator/upstreams", openaiUpstream("main", upstream.baseUrl));
      for (const id of ["m", "other"])
        await operate(first, "POST", "/operator/models", model(id, ["main", `up-${id}`]));
      key = await first.createKey(await first.createAccount());
    });
    after(async () => {
      await second?.stop();
      await first?.stop();
    });

    const ask = (product: Product, body: object) => sendChat(product.origin, key.key, { messages, ...body });
    const read = async (product: Product, path: string) => {
      const response = await fetch(`${product.origin}${path}`, {
        headers: { authorization: `Bearer ${key.key}` },
      });
      // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any type.
      return { status: response.status, body: (await response.json()) as any };
    };
    /** Fails unless calls of `m` end so at both processes, within a second of now. */
    async function becomes(status: number): Promise<void> {
      const sinceMs = monotonicMs();
      for (const product of [second, first]) {
        let endedMs = 0;
        const isSo = await eventually(async () => {
          const seen = await ask(product, { model: "m" });
          endedMs = monotonicMs();
          return seen.status === status;
        }, 10_000);
        assert.ok(isSo);
        const tookMs = endedMs - sinceMs;
        const lostMs = lostWithin(await watch.stalls(), sinceMs, endedMs);
        assert.ok(tookMs - lostMs <= actsWithinMs, `${tookMs} ms, of which the machine lost ${lostMs}`);
      }
    }

    const ways: Record<string, (disabled: boolean) => Promise<unknown>> = {
      "the other's API": (disabled) => set(first, "m", disabled),
      "the command line": (disabled) => first.command(["model", disabled ? "disable" : "enable", "m"]),
    };
    for (const [way, change] of Object.entries(ways)) {
      test(`by ${way}: new calls are refused, the running one is charged; enabled, it is served again`, async (context) => {
        upstream.answerWith(answer);
        await becomes(200);
        const gate = Promise.withResolvers<void>();
        context.after(() => gate.resolve());
        const [head, ...rest] = streamOf([{ content: "six" }]);
        upstream.answerWith(
          { events: [head, chunk({ content: "six" }), gate.promise, ...rest.slice(1)] },
          answer,
        );
        const running = startEndingCall("six", {
          url: second.chatUrl,
          key: key.key,
          body: JSON.stringify({ model: "m", messages, stream: true }),
        });
        await running.flowing;
        await change(true);
        await becomes(503);
        const before = upstream.calls.length;
        for (const product of [first, second]) {
          const refused = await ask(product, { model: "m" });
          assertErrorAnswer(refused, 503, {
            code: "no_available_upstream",
            message: /disabled the model 'm'/,
          });
          assert.equal(refused.headers["x-should-retry"], "false");
          const listed = (await read(product, "/v1/models")).body.data.map(({ id }: { id: string }) => id);
          assert.deepEqual([listed.includes("other"), listed.includes("m")], [true, false]);
          assert.equal((await read(product, "/v1/models/m")).status, 404);
          for (const models of [
            ["other", "m"],
            ["m", "other"],
          ]) {
            const passed = await ask(product, { models });
            assert.equal(passed.status, 200);
            assert.equal(passed.headers["x-plaza-model"], models[0] === "m" ? "other" : undefined);
          }
        }
        assert.deepEqual(
          upstream.calls.slice(before).map(({ body }) => body["model"]),
          ["up-other", "up-other", "up-other", "up-other"],
        );
        gate.resolve();
        const seen = await running.seen;
        assert.ok(isFinished(seen.body.toString("utf8")));
        const row = await second.request(String(seen.headers["x-request-id"]));
        assert.deepEqual([row.state, row.modelId], ["complete", "m"]);
        assert.notEqual(Number(row.charge), 0);
        await change(false);
        await becomes(200);
      });
    }
  });
}

test("an operator's own change is in the plaza at once, however often the plaza was just read", async () => {
  const product = await startProduct({
    catalog: { upstreams: [demoUpstream], models: [] },
    env: { PLAZA_OPERATOR_TOKEN: operatorToken },
  });
  try {
    const listed = async () =>
      (await operate(product, "GET", "/plaza")).models.map(({ id }: { id: string }) => id);
    assert.deepEqual(await listed(), []);
    await operate(product, "POST", "/operator/models", model("m", ["demo", "demo"]));
    assert.deepEqual(await listed(), ["m"]);
    for (const disabled of [true, false, true, false]) {
      await set(product, "m", disabled);
      assert.deepEqual(await listed(), disabled ? [] : ["m"]);
    }
  } finally {
    await product.stop();
  }
});

test("a caller's list and the catalog's fallbacks pass over a disabled model, a file disables one, and visitors see none", async () => {
  const disabled = { ...model("off", ["demo", "demo"]), disabled: true };
  const catalog = {
    upstreams: [demoUpstream, openaiUpstream("main", upstream.baseUrl)],
    models: [
      { ...model("a", ["main", "a"]), fallbacks: ["off", "b"] },
      disabled,
      model("b", ["demo", "demo"]),
    ],
  };
  const product = await startProduct({ catalog, env: { PLAZA_OPERATOR_TOKEN: operatorToken } });
  try {
    const { key } = await product.createKey(await product.createAccount());
    upstream.answerWith({ status: 503, body: { error: { message: "overloaded" } } });
    for (const body of [{ model: "a" }, { models: ["a", "off", "b"] }, { model: "a", models: ["off"] }]) {
      const seen = await sendChat(product.origin, key, { messages, ...body });
      assert.deepEqual([seen.status, seen.headers["x-plaza-model"]], [200, "b"], JSON.stringify(body));
    }
    assert.equal(
      codeOf(await sendChat(product.origin, key, { messages, model: "off" })),
      "no_available_upstream",
    );
    const idsOf = (models: readonly { readonly id: string }[]) => models.map(({ id }) => id);
    assert.deepEqual(idsOf((await operate(product, "GET", "/plaza")).models), ["a", "b"]);
    assert.deepEqual(idsOf((await operate(product, "GET", "/status")).models), ["a", "b"]);
    const { models } = await operate(product, "GET", "/operator/catalog");
    assert.deepEqual(
      models.map(
        ({ id, disabled: isDisabled, status }: { id: string; disabled: boolean; status: string }) => [
          id,
          isDisabled,
          status === "disabled",
        ],
      ),
      [
        ["a", false, false],
        ["off", true, true],
        ["b", false, false],
      ],
    );
    await assert.rejects(product.command(["model", "enable", "off"]), /managed by a catalog file/);
    product.writeCatalog({ ...catalog, models: [{ ...disabled, disabled: false }] });
    const isServed = async () =>
      (await sendChat(product.origin, key, { messages, model: "off" })).status === 200;
    assert.ok(await eventually(isServed, 10_000));
  } finally {
    await product.stop();
  }
});

/** A catalog with `off` and `out` disabled; `off` falls back to `dear`, and `dear` to `b`. */
const passing = (baseUrl: string) => ({
  upstreams: [openaiUpstream("main", baseUrl)],
  models: [
    { ...model("off", ["main", "up-off"]), disabled: true, fallbacks: ["out", "dear"] },
    { ...model("out", ["main", "up-out"]), disabled: true, limits: { requestsPerMinute: 0 } },
    {
      ...model("dear", ["main", "up-dear"]),
      fallbacks: ["b"],
      price: { input: "1000", output: "2000" },
      limits: { requestsPerMinute: 2 },
    },
    model("b", ["main", "up-b"]),
  ],
});

const passed = [
  [{ model: "b" }, "b"],
  [{ models: ["off", "b"] }, "b"],
  [{ model: "off", models: ["out", "b"] }, "b"],
  [{ model: "out", models: ["b"] }, "b"],
  [{ model: "off" }, "dear"],
  [{ model: "off", stream: true }, "dear"],
] as const;

test("a call of a disabled model goes to the next of its list or to its fallbacks, at that one's price, limits and name", async () => {
  const product = await startProduct({
    catalog: passing(upstream.baseUrl),
    env: { PLAZA_OPERATOR_TOKEN: operatorToken },
  });
  try {
    const { key } = await product.createKey(await product.createAccount());
    const charges: Record<string, string> = {};
    for (const [body, served] of passed) {
      const note = JSON.stringify(body);
      upstream.answerWith("stream" in body ? { events: streamOf([{ content: "six" }]) } : answer);
      const seen = await sendChat(product.origin, key, { messages, ...body });
      const asked = "model" in body ? body.model : body.models[0];
      const named = asked === served ? undefined : served;
      assert.deepEqual([seen.status, seen.headers["x-plaza-model"]], [200, named], note);
      const names = upstream.calls.map((call) => call.body["model"]);
      assert.deepEqual(names, [`up-${served}`], note);
      const row = await product.request(String(seen.headers["x-request-id"]));
      charges[served] ??= row.charge;
      assert.deepEqual([row.state, row.modelId, row.charge], ["complete", served, charges[served]], note);
      const { attemptList } = await operate(product, "GET", `/operator/requests/${row.id}`);
      assert.equal(attemptList[0].model, named ?? null, note);
    }
    assert.ok(Number(charges["dear"]) > Number(charges["b"]));
    const ask = (body: object) => sendChat(product.origin, key, { messages, ...body });
    assertErrorAnswer(await ask({ model: "off" }), 429, { code: "rate_limit_exceeded" });
    const refused = { code: "no_available_upstream", message: /disabled the model 'out'/ };
    assertErrorAnswer(await ask({ models: ["out", "off"] }), 503, refused);
  } finally {
    await product.stop();
  }
});
