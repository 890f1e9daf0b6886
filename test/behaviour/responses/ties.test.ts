/**
 * What lies at an upstream is reached there alone: of two upstreams of a model, the one whose answer named a
 * container gets every call that names it, and when it is down or gone the call fails.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { assertErrorBody } from "../harness/caller.ts";
import { messageItem, response } from "../harness/responses-shapes.ts";
import {
  type ScriptedAnswer,
  type ScriptedUpstream,
  startScriptedUpstream,
} from "../harness/scripted-upstream.ts";

let first: ScriptedUpstream;
let second: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;

before(async () => {
  first = await startScriptedUpstream();
  second = await startScriptedUpstream();
  const formats = ["openai-responses"] as const;
  const options = { options: { allowUnpriced: "tools" } };
  const on = (id: string, upstreams: string[], more: object = {}) => {
    const model = modelOn(id, upstreams);
    return { ...model, ...more, deployments: model.deployments.map((one) => ({ ...one, formats })) };
  };
  app = await startApp({
    catalog: {
      upstreams: [upstreamAt("ra", first.baseUrl, options), upstreamAt("rb", second.baseUrl, options)],
      models: [
        on("both", ["ra", "rb"]),
        on("only-a", ["ra"]),
        on("only-b", ["rb"], { fallbacks: ["only-a"] }),
      ],
      limits: {},
    },
  });
  account = await app.newAccount("100");
});
after(async () => {
  await app?.stop();
  await first?.stop();
  await second?.stop();
});

const whole = { body: response([messageItem("ok")]) };
beforeEach(() => {
  first.answerWith(whole);
  second.answerWith(whole);
});

const ask = (body: object): Promise<Seen> =>
  post({
    url: `${app.origin}/v1/responses`,
    key: account.key,
    body: JSON.stringify({ model: "both", input: "x", ...body }),
  });
const textOf = ({ body }: Seen): string => body.toString("utf8");

const running = (container: unknown) => ({ tools: [{ type: "code_interpreter", container }] });
const ran = (id: string, containerId: string) => ({
  id,
  type: "code_interpreter_call",
  status: "completed",
  code: "1",
  container_id: containerId,
  outputs: [],
});

let made = 0;
/** A container made at the upstream of this model, and the response that names it. */
async function madeBy(model: string, upstream: ScriptedUpstream) {
  made += 1;
  const [container, id, item] = [`cntr_${made}`, `resp_${made}`, `ci_${made}`];
  const run = ran(item, container);
  upstream.answerWith(
    { body: response([run, messageItem("1")], { id }) },
    ...Array<ScriptedAnswer>(20).fill(whole),
  );
  const seen = await ask({ model, ...running({ type: "auto" }) });
  assert.equal(seen.status, 200, textOf(seen));
  return { container, id, item, run };
}

function assertParted(seen: Seen, param: string): void {
  assert.equal(seen.status, 404, textOf(seen));
  assertErrorBody(textOf(seen), {
    code: "not_found",
    param,
    message: /cannot go there/,
    format: "openai-responses",
  });
}

for (const [model, own, other] of [
  ["only-a", () => first, () => second],
  ["only-b", () => second, () => first],
] as const)
  test(`every call that names a container of ${model} goes there`, async () => {
    const { container, id, item, run } = await madeBy(model, own());
    for (const body of [
      running(container),
      { ...running({ type: "auto" }), input: [{ role: "user", content: "x" }, run] },
      { ...running({ type: "auto" }), previous_response_id: id },
      { ...running({ type: "auto" }), input: [{ role: "user", content: "x" }, { id: item }] },
    ])
      for (let turn = 0; turn < 4; turn += 1) {
        const seen = await ask(body);
        assert.equal(seen.status, 200, textOf(seen));
      }
    assert.equal(own().calls.length, 17);
    assert.equal(other().calls.length, 0);
  });

test("when its upstream is down the call fails, and goes to no other one or other model", async () => {
  const { container } = await madeBy("only-b", second);
  const down = { status: 500, body: { error: { message: "Down.", type: "server_error", code: null } } };
  second.answerWith(...Array<ScriptedAnswer>(20).fill(down));
  for (const model of ["both", "only-b", "both", "only-b"]) {
    const seen = await ask({ model, ...running(container) });
    assert.ok(seen.status >= 500, textOf(seen));
  }
  assert.equal(first.calls.length, 0);
});

test("when its upstream is gone, or two are named, the call is refused", async () => {
  const atA = await madeBy("only-a", first);
  const atB = await madeBy("only-b", second);
  first.answerWith(whole);
  second.answerWith(whole);
  assertParted(await ask({ model: "only-b", ...running(atA.container) }), "tools[0].container");
  const tools = [...running(atA.container).tools, ...running(atB.container).tools];
  assertParted(await ask({ tools }), "tools[1].container");
  assertParted(
    await ask({ ...running(atA.container), previous_response_id: atB.id }),
    "previous_response_id",
  );
  assert.equal(first.calls.length + second.calls.length, 0);
});
