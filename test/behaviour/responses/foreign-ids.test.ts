/**
 * Ids of things that lie at an upstream, whose credential serves every account: they go on for the account
 * that got them in an answer, and are unknown to all others.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { assertErrorBody } from "../harness/caller.ts";
import { endEvent, messageItem, response, startEvents, streamOf } from "../harness/responses-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

let upstream: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;

before(async () => {
  upstream = await startScriptedUpstream();
  const open = modelOn("open", ["open"]);
  const formats = ["openai-responses"] as const;
  app = await startApp({
    catalog: {
      upstreams: [
        upstreamAt("open", upstream.baseUrl, { options: { allowUnpriced: "tools" } }),
        upstreamAt("chat", upstream.baseUrl),
      ],
      models: [
        { ...open, deployments: open.deployments.map((one) => ({ ...one, formats })) },
        modelOn("chat", ["chat"]),
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

const ask = (body: object, from = account): Promise<Seen> =>
  post({
    url: `${app.origin}/v1/responses`,
    key: from.key,
    body: JSON.stringify({ model: "open", input: "x", ...body }),
  });
const textOf = ({ body }: Seen): string => body.toString("utf8");
const whole = { body: response([messageItem("ok")]) };

async function assertUnknown(body: object, param: string, from = account): Promise<void> {
  upstream.answerWith(whole);
  const seen = await ask(body, from);
  assert.equal(seen.status, 404, textOf(seen));
  assertErrorBody(textOf(seen), { code: "not_found", param, format: "openai-responses" });
  assert.equal(upstream.calls.length, 0);
  const row = await app.store.findRequest(String(seen.headers["x-request-id"]));
  assert.equal(row?.request.charge ?? 0n, 0n);
}

const running = (container: unknown) => ({ tools: [{ type: "code_interpreter", container }] });
const ran = (id: string, containerId: string) => ({
  id,
  type: "code_interpreter_call",
  status: "completed",
  code: "1",
  container_id: containerId,
  outputs: [],
});

test("a file, a store or a skill that lies at an upstream is unknown to everybody", async () => {
  const file = [{ role: "user", content: [{ type: "input_file", file_id: "file-1" }] }];
  for (const model of ["open", "chat"])
    await assertUnknown({ model, input: file }, "input[0].content[0].file_id");
  const search = { type: "file_search", vector_store_ids: ["vs_1"] };
  await assertUnknown({ tools: [search] }, "tools[0].vector_store_ids[0]");
  await assertUnknown(running({ type: "auto", file_ids: ["file-1"] }), "tools[0].container.file_ids[0]");
});

test("a container goes on for the account whose answer named it, and for no other", async () => {
  await assertUnknown(running("cntr_1"), "tools[0].container");
  upstream.answerWith(
    { body: response([ran("ci_1", "cntr_1"), messageItem("1")], { id: "resp_ran" }) },
    whole,
  );
  assert.equal((await ask(running({ type: "auto" }))).status, 200);
  const again = await ask({
    ...running("cntr_1"),
    input: [{ role: "user", content: "go on" }, ran("ci_1", "cntr_1")],
  });
  assert.equal(again.status, 200, textOf(again));
  assert.deepEqual(upstream.calls[1]?.body["tools"], running("cntr_1").tools);

  const other = await app.newAccount("100");
  await assertUnknown(running("cntr_1"), "tools[0].container", other);
  const forged = { ...running({ type: "auto" }), input: [ran("ci_1", "cntr_1")] };
  await assertUnknown(forged, "input[0].container_id", other);
  await assertUnknown({ input: [{ id: "ci_1" }] }, "input[0]", other);
  const lesser = await app.newKey(account, { models: ["chat"] });
  await assertUnknown({ ...running("cntr_1"), model: "chat" }, "tools[0].container", lesser);
});

test("what an answer's own items name goes on with them", async () => {
  upstream.answerWith({ body: response([ran("ci_2", "cntr_2")], { id: "resp_2" }) }, whole);
  assert.equal((await ask(running({ type: "auto" }))).status, 200);
  const seen = await ask({ ...running({ type: "auto" }), previous_response_id: "resp_2" });
  assert.equal(seen.status, 200, textOf(seen));
  assert.match(upstream.calls[1]?.text ?? "", /"container_id":"cntr_2"/);
});

for (const isStream of [false, true])
  test(`a file that an answer cited goes on for the account that got it, ${isStream ? "streamed" : "whole"}`, async () => {
    const file = `file-${isStream}`;
    const annotations = [{ type: "file_citation", file_id: file, filename: "a.txt", index: 0 }];
    const content = [{ type: "output_text", text: "See a.txt.", annotations }];
    const output = [{ ...messageItem("x"), content }];
    const more = { id: `resp_${file}` };
    const streamed = streamOf([...startEvents(more), endEvent(output, more)]);
    upstream.answerWith(isStream ? streamed : { body: response(output, more) }, whole);
    assert.equal((await ask({ stream: isStream })).status, 200);
    const input = [{ role: "user", content: [{ type: "input_file", file_id: file }] }];
    const seen = await ask({ input });
    assert.equal(seen.status, 200, textOf(seen));
    assert.deepEqual(upstream.calls[1]?.body["input"], input);
    await assertUnknown({ input }, "input[0].content[0].file_id", await app.newAccount("100"));
  });

test("an item by its id alone is unknown to everybody but the account that got it", async () => {
  const image = { id: "ig_1", type: "image_generation_call", status: "completed", result: "QUJD" };
  upstream.answerWith({ body: response([image, messageItem("ok")], { id: "resp_ig" }) }, whole);
  assert.equal((await ask({ tools: [{ type: "image_generation" }] })).status, 200);
  const bare = {
    input: [
      { role: "user", content: "edit" },
      { type: "image_generation_call", id: "ig_1" },
    ],
  };
  const seen = await ask(bare);
  assert.equal(seen.status, 200, textOf(seen));
  const sent = upstream.calls[1]?.body["input"] as object[] | undefined;
  assert.deepEqual(sent?.[1], image);
  const other = await app.newAccount("100");
  await assertUnknown(bare, "input[1]", other);
  await assertUnknown({ ...bare, store: false }, "input[1]", other);
  const hidden = '[{"type":"message","role":"user","content":"a","type":"item_reference","id":"msg_other"}]';
  upstream.answerWith(whole);
  const twice = await post({
    url: `${app.origin}/v1/responses`,
    key: account.key,
    body: `{"model":"open","input":${hidden}}`,
  });
  assert.equal(twice.status, 404, textOf(twice));
  assertErrorBody(textOf(twice), { code: "not_found", param: "input[0]", format: "openai-responses" });
  assert.equal(upstream.calls.length, 0);
});

test("a client's own items in full go on as they came, with their ids", async () => {
  upstream.answerWith(whole);
  const input =
    '[{"type":"reasoning","id":"rs_a","summary":[],"encrypted_content":"Z0FB"}, {"type":"function_call","id":"fc_a","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"1"},' +
    '{"type":"message","id":"msg_a","role":"assistant","status":"completed","content":[{"type":"output_text","text":"t","annotations":[]}]}]';
  const seen = await post({
    url: `${app.origin}/v1/responses`,
    key: account.key,
    body: `{"model":"open","input":${input},"store":false}`,
  });
  assert.equal(seen.status, 200, textOf(seen));
  assert.ok(upstream.calls[0]?.text.includes(input), upstream.calls[0]?.text);
});

test("nothing is known of what was not to be kept", async () => {
  upstream.answerWith({ body: response([ran("ci_3", "cntr_3")], { id: "resp_3" }) });
  assert.equal((await ask({ ...running({ type: "auto" }), store: false })).status, 200);
  await assertUnknown(running("cntr_3"), "tools[0].container");
});

test("a request names a hundred of them at most", async () => {
  const ids = Array.from({ length: 101 }, (_, index) => `vs_${index}`);
  const seen = await ask({ tools: [{ type: "file_search", vector_store_ids: ids }] });
  assert.equal(seen.status, 400, textOf(seen));
  const param = "tools[0].vector_store_ids[100]";
  assertErrorBody(textOf(seen), { code: "invalid_request", param, format: "openai-responses" });
});
