/**
 * `POST /v1/responses/input_tokens` from end to end: an upstream's own count or a 404, free of charge, with
 * what is stored put before the input.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { assertErrorBody } from "../harness/caller.ts";
import { messageItem, response } from "../harness/responses-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

let upstream: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;

before(async () => {
  upstream = await startScriptedUpstream();
  const own = modelOn("own", ["main"]);
  const formats = ["openai-responses"] as const;
  app = await startApp({
    catalog: {
      upstreams: [
        upstreamAt("main", upstream.baseUrl),
        upstreamAt("claude", upstream.baseUrl, { provider: "anthropic" }),
      ],
      models: [
        { ...own, deployments: own.deployments.map((one) => ({ ...one, formats })) },
        modelOn("chat", ["main"]),
        modelOn("claude", ["claude"]),
      ],
      limits: {},
    },
  });
  account = await app.newAccount("1");
});
after(async () => {
  await app?.stop();
  await upstream?.stop();
});

const send = (path: string, body: object, from = account): Promise<Seen> =>
  post({ url: `${app.origin}${path}`, key: from.key, body: JSON.stringify({ model: "own", ...body }) });
const count = (body: object, from?: TestAccount): Promise<Seen> =>
  send("/v1/responses/input_tokens", { input: "Hi", ...body }, from);
const textOf = ({ body }: Seen): string => body.toString("utf8");
const counted = { body: { object: "response.input_tokens", input_tokens: 41 } };
const f = { type: "function", name: "f", parameters: { type: "object" }, strict: false };

function assertRefused(seen: Seen, status: number, code: string, param?: string): void {
  assert.equal(seen.status, status, textOf(seen));
  assertErrorBody(textOf(seen), { code, param, format: "openai-responses" });
}

test("where the upstream counts, its count of the caller's bytes comes back, for nothing", async () => {
  const poor = await app.newAccount("0");
  upstream.answerWith(counted);
  const seen = await count({ instructions: "Be brief.", tools: [f] }, poor);
  assert.deepEqual([seen.status, textOf(seen)], [200, JSON.stringify(counted.body)]);
  const [call] = upstream.calls;
  assert.equal(call?.path, "/v1/responses/input_tokens");
  assert.equal(
    call?.text,
    JSON.stringify({ model: "upstream-model", input: "Hi", instructions: "Be brief.", tools: [f] }),
  );
  const row = await app.newestRow(poor.accountId, 1);
  assert.deepEqual([row.charge, row.state], [nanoUsd(0n), "complete"]);
});

test("an upstream of another format counts what it is asked in its own", async () => {
  upstream.answerWith({ body: { input_tokens: 7 } });
  const seen = await count({ model: "claude", tools: [f] });
  assert.equal(textOf(seen), '{"object":"response.input_tokens","input_tokens":7}');
  assert.equal(upstream.calls[0]?.path, "/v1/messages/count_tokens");
});

test("callers of Messages get the count of an upstream that speaks Responses", async () => {
  upstream.answerWith(counted);
  const messages = [{ role: "user", content: "Hi" }];
  const seen = await send("/v1/messages/count_tokens", { system: "Be brief.", messages });
  assert.deepEqual([seen.status, textOf(seen)], [200, '{"input_tokens":41}']);
  const [call] = upstream.calls;
  assert.equal(call?.path, "/v1/responses/input_tokens");
  for (const name of ["store", "stream", "include", "max_output_tokens"])
    assert.ok(!(name in (call?.body ?? {})));
});

test("where none counts it is a 404 that says so, and nothing is asked", async () => {
  upstream.answerWith(counted);
  assertRefused(await count({ model: "chat" }), 404, "not_found");
  assert.equal(upstream.calls.length, 0);
  upstream.answerWith({ status: 404, body: { detail: "Not Found" } });
  assertRefused(await count({}), 404, "not_found");
});

test("what is stored stands before the input, of this account alone, and a count is not stored", async () => {
  upstream.answerWith({ body: response([messageItem("Kept.")], { id: "resp_kept" }) }, counted);
  assert.equal((await send("/v1/responses", { input: "first" })).status, 200);
  const seen = await count({ input: "second", previous_response_id: "resp_kept" });
  assert.equal(textOf(seen), JSON.stringify(counted.body));
  assert.match(upstream.calls[1]?.text ?? "", /first.*Kept\..*second/);
  assert.doesNotMatch(upstream.calls[1]?.text ?? "", /previous_response_id|"store"/);
  const other = await app.newAccount("1");
  const param = "previous_response_id";
  assertRefused(await count({ previous_response_id: "resp_kept" }, other), 404, "not_found", param);
});

test("what a call would leave out is not counted; what it would refuse is refused", async () => {
  upstream.answerWith(counted);
  const seen = await count({ tools: [f, { type: "web_search" }] });
  assert.equal(seen.status, 200, textOf(seen));
  assert.deepEqual(upstream.calls[0]?.body["tools"], [f]);
  assertRefused(await count({ input: [] }), 400, "invalid_request", "input");
  const file = [{ role: "user", content: [{ type: "input_file", file_id: "file-1" }] }];
  assertRefused(await count({ input: file }), 404, "not_found", "input[0].content[0].file_id");
});
