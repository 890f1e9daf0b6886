/** How long responses are kept: for the installation, for one account, and not at all. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { type Answer, assertErrorBody, send } from "../harness/caller.ts";
import { completion, streamOf } from "../harness/openai-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

const hour = 3_600_000;
let upstream: ScriptedUpstream;
let keeping: TestApp;
let forgetting: TestApp;

before(async () => {
  upstream = await startScriptedUpstream();
  const catalog = {
    upstreams: [upstreamAt("chat", upstream.baseUrl)],
    models: [modelOn("m", ["chat"])],
    limits: {},
  };
  keeping = await startApp({ catalog });
  forgetting = await startApp({ catalog, env: { PLAZA_RESPONSES_KEPT_MS: "0" } });
});
after(async () => {
  await keeping?.stop();
  await forgetting?.stop();
  await upstream?.stop();
});

const ask = (app: TestApp, { key }: TestAccount, body: object = {}): Promise<Seen> => {
  upstream.answerWith({ body: completion({ message: { content: "ok" } }) });
  return post({
    url: `${app.origin}/v1/responses`,
    key,
    body: JSON.stringify({ model: "m", input: "x", ...body }),
  });
};
const read = (app: TestApp, { key }: TestAccount, id: string): Promise<Answer> =>
  send(app.origin, {
    method: "GET",
    path: `/v1/responses/${id}`,
    headers: { authorization: `Bearer ${key}` },
  });
const textOf = ({ body }: Seen): string => body.toString("utf8");

async function said(app: TestApp, from: TestAccount): Promise<{ id: string; store: boolean }> {
  const seen = await ask(app, from);
  assert.equal(seen.status, 200, textOf(seen));
  return JSON.parse(textOf(seen));
}

/** Nothing is kept: everything that would need it is refused, and says what to send instead. */
async function assertForgets(app: TestApp, from: TestAccount): Promise<void> {
  const { id, store } = await said(app, from);
  assert.equal(store, false);
  assert.equal((await read(app, from, id)).status, 404);
  const refused: [body: object, param: string][] = [
    [{ previous_response_id: id }, "previous_response_id"],
    [{ input: [{ type: "item_reference", id: "msg_1" }] }, "input"],
    [{ store: true }, "store"],
  ];
  for (const [body, param] of refused) {
    const seen = await ask(app, from, body);
    assert.equal(seen.status, 400, textOf(seen));
    const format = "openai-responses";
    assertErrorBody(textOf(seen), { code: "invalid_request", param, message: /store: false/, format });
    assert.equal(upstream.calls.length, 0);
  }
  assert.equal((await ask(app, from, { store: false })).status, 200);
}

/** Waits until the process knows that it keeps this account's answers, or does not. */
async function becomes(app: TestApp, from: TestAccount, isKept: boolean): Promise<void> {
  const isSo = async () => (await said(app, from)).store === isKept;
  assert.ok(await eventually(isSo, 5_000));
}

test("an installation that keeps none says so", async () => {
  await assertForgets(forgetting, await forgetting.newAccount("1"));
});

describe("an account of its own", () => {
  test("keeps what the installation does not, for as long as it says", async () => {
    const account = await forgetting.newAccount("1");
    const other = await forgetting.newAccount("1");
    await forgetting.store.setResponsesKept(account.accountId, hour);
    await becomes(forgetting, account, true);
    const before = Date.now();
    const { id } = await said(forgetting, account);
    assert.equal((await read(forgetting, account, id)).status, 200);
    const kept = await forgetting.store.findResponse(account.accountId, id);
    assert.ok(kept !== undefined && kept.expiresAt >= before + hour && kept.expiresAt <= Date.now() + hour);
    assert.equal((await ask(forgetting, account, { previous_response_id: id })).status, 200);
    await assertForgets(forgetting, other);
  });

  for (const isStream of [false, true]) {
    test(`switched off while an answer is ${isStream ? "streamed" : "written"}: it is not kept`, async () => {
      const account = await keeping.newAccount("1");
      const { promise: after, resolve: goOn } = Promise.withResolvers<void>();
      const [first, ...rest] = streamOf([{ content: "on" }, { content: " its way" }]);
      upstream.answerWith(
        isStream
          ? { events: [first, after, ...rest] }
          : { body: completion({ message: { content: "ok" } }), after },
      );
      const asking = post({
        url: `${keeping.origin}/v1/responses`,
        key: account.key,
        body: JSON.stringify({ model: "m", input: "x", stream: isStream }),
      });
      await upstream.called(1);
      await keeping.store.setResponsesKept(account.accountId, 0);
      goOn();
      const seen = await asking;
      assert.equal(seen.status, 200, textOf(seen));
      const id = /"id":\s*"(resp_[^"]+)"/.exec(textOf(seen))?.[1];
      assert.ok(id !== undefined, textOf(seen));
      assert.equal(await keeping.store.findResponse(account.accountId, id), undefined);
      assert.equal((await read(keeping, account, id)).status, 404);
    });
  }

  test("keeps none where the installation does, loses what it had, and keeps again", async () => {
    const account = await keeping.newAccount("1");
    const other = await keeping.newAccount("1");
    const { id } = await said(keeping, account);
    const theirs = await said(keeping, other);
    await keeping.store.setResponsesKept(account.accountId, 0);
    assert.equal((await read(keeping, account, id)).status, 404);
    await becomes(keeping, account, false);
    await assertForgets(keeping, account);
    assert.equal((await read(keeping, other, theirs.id)).status, 200);
    await keeping.store.setResponsesKept(account.accountId, null);
    await becomes(keeping, account, true);
    assert.equal((await read(keeping, account, id)).status, 404);
    const again = await said(keeping, account);
    assert.equal((await read(keeping, account, again.id)).status, 200);
  });
});
