/**
 * Tools that an upstream would run and bill by the call, as clients of Responses send them: left out and told
 * where they are only offered, refused where the request insists on one, passed where the operator says so.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { assertErrorBody } from "../harness/caller.ts";
import { completion } from "../harness/openai-shapes.ts";
import { messageItem, response } from "../harness/responses-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

let upstream: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;

before(async () => {
  upstream = await startScriptedUpstream();
  const speaking = (id: string) => {
    const model = modelOn(id, [id]);
    const formats = ["openai-responses"] as const;
    return { ...model, deployments: model.deployments.map((one) => ({ ...one, formats })) };
  };
  app = await startApp({
    catalog: {
      upstreams: [
        upstreamAt("own", upstream.baseUrl),
        upstreamAt("chat", upstream.baseUrl),
        upstreamAt("open", upstream.baseUrl, { options: { allowUnpriced: "tools" } }),
      ],
      models: [speaking("own"), modelOn("chat", ["chat"]), speaking("open")],
      limits: {},
    },
  });
  account = await app.newAccount("100");
});
after(async () => {
  await app?.stop();
  await upstream?.stop();
});

const f = { type: "function", name: "f", parameters: { type: "object" }, strict: false };
/** What Cline 3 and Codex send with every request, and all others. */
const hosted = [
  { type: "web_search", external_web_access: true },
  { type: "image_generation", output_format: "png" },
  { type: "code_interpreter", container: { type: "auto" } },
  { type: "mcp", server_label: "x", server_url: "https://x.example" },
  { type: "shell", environment: { type: "container_auto" } },
  { type: "web_search_preview_2025_03_11" },
];

const ask = (body: object): Promise<Seen> =>
  post({
    url: `${app.origin}/v1/responses`,
    key: account.key,
    body: JSON.stringify({ input: "x", ...body }),
  });
const textOf = ({ body }: Seen): string => body.toString("utf8");
const whole = { body: response([messageItem("ok")]) };
const answers: Readonly<Record<string, { readonly body: object }>> = {
  own: whole,
  open: whole,
  chat: { body: completion({ message: { content: "ok" } }) },
};

for (const model of ["own", "chat"]) {
  test(`offered ones are left out and told: ${model}`, async () => {
    for (const tools of [
      [f, ...hosted],
      [...hosted, f],
    ]) {
      upstream.answerWith(answers[model] ?? whole);
      const seen = await ask({ model, tools, tool_choice: "auto" });
      assert.equal(seen.status, 200, textOf(seen));
      const sent = upstream.calls[0]?.body["tools"] as unknown[];
      assert.equal(sent.length, 1);
      const first = tools[0] === f ? 1 : 0;
      const names = hosted.map((_, index) => `tools[${index + first}]`).join(",");
      assert.equal(String(seen.headers["x-plaza-dropped-params"]).replaceAll(" ", ""), names);
    }
  });

  test(`with none of the caller's own beside them they are refused: ${model}`, async () => {
    upstream.answerWith();
    const seen = await ask({ model, tools: hosted.slice(0, 2) });
    assert.equal(seen.status, 400, textOf(seen));
    assertErrorBody(textOf(seen), {
      code: "unsupported_parameter",
      param: "tools[0]",
      format: "openai-responses",
    });
    assert.equal(upstream.calls.length, 0);
  });

  test(`one that the request insists on is refused by its place, and costs nothing: ${model}`, async () => {
    for (const choice of ["required", { type: "image_generation" }]) {
      upstream.answerWith();
      const seen = await ask({ model, tools: [f, hosted[1]], tool_choice: choice });
      assert.equal(seen.status, 400, textOf(seen));
      const expected = {
        code: "unsupported_parameter",
        param: "tools[1]",
        format: "openai-responses",
      } as const;
      assertErrorBody(textOf(seen), expected);
      assert.equal(upstream.calls.length, 0);
    }
  });
}

test("where the operator lets them through, they pass", async () => {
  upstream.answerWith(whole);
  const tools = [f, ...hosted];
  const seen = await ask({ model: "open", tools });
  assert.equal(seen.status, 200, textOf(seen));
  assert.deepEqual(upstream.calls[0]?.body["tools"], tools);
  assert.equal(seen.headers["x-plaza-dropped-params"], undefined);
});

test("tools that the caller runs itself pass byte for byte, alone and beside others", async () => {
  const tools = [
    { type: "local_shell" },
    { type: "apply_patch" },
    { type: "shell", environment: { type: "local" } },
    { type: "computer_use_preview", display_width: 1, display_height: 1, environment: "browser" },
    { type: "tool_search", execution: "client", parameters: { type: "object" } },
  ];
  for (const [sent, expected] of [
    [tools, tools],
    [[...tools, hosted[0]], tools],
  ]) {
    upstream.answerWith(whole);
    const seen = await ask({ model: "own", tools: sent });
    assert.equal(seen.status, 200, textOf(seen));
    assert.deepEqual(upstream.calls[0]?.body["tools"], expected);
    assert.equal(seen.headers["x-plaza-dropped-params"], sent === tools ? undefined : "tools[5]");
  }
});

test("at an upstream of another format they are functions, and their calls and results keep their types", async () => {
  const tools = [
    { type: "local_shell" },
    { type: "apply_patch" },
    { type: "shell", environment: { type: "local" } },
  ];
  const patch = { type: "create_file", path: "a.txt", diff: "+a" };
  const called = {
    id: "call_1",
    type: "function",
    function: { name: "apply_patch", arguments: JSON.stringify(patch) },
  };
  upstream.answerWith({
    body: completion({ message: { content: null, tool_calls: [called] }, finish: "tool_calls" }),
  });
  const first = await ask({ model: "chat", tools });
  assert.equal(first.status, 200, textOf(first));
  assert.equal(first.headers["x-plaza-dropped-params"], undefined);
  const sent = upstream.calls[0]?.body["tools"] as { type: string; function: { name: string } }[];
  assert.deepEqual(
    sent.map(({ type, function: { name } }) => [type, name]),
    [
      ["function", "local_shell"],
      ["function", "apply_patch"],
      ["function", "shell"],
    ],
  );
  const { id, output } = JSON.parse(textOf(first));
  assert.deepEqual([output.length, output[0].type, output[0].operation], [1, "apply_patch_call", patch]);

  upstream.answerWith(answers["chat"] ?? whole);
  const result = {
    type: "apply_patch_call_output",
    call_id: output[0].call_id,
    status: "completed",
    output: "ok",
  };
  const second = await ask({ model: "chat", tools, previous_response_id: id, input: [result] });
  assert.equal(second.status, 200, textOf(second));
  assert.equal(second.headers["x-plaza-dropped-params"], undefined);
  const messages = upstream.calls[0]?.body["messages"] as { role: string; content: unknown }[];
  assert.deepEqual(
    messages.map(({ role }) => role),
    ["user", "assistant", "tool"],
  );
  assert.equal(messages[2]?.content, "ok");
});

test("one that no other format has is refused by name where it stands alone, and told beside others", async () => {
  const computer = { type: "computer" };
  upstream.answerWith();
  const alone = await ask({ model: "chat", tools: [computer] });
  assert.equal(alone.status, 400, textOf(alone));
  const expected = { code: "unsupported_parameter", param: "tools[0]", format: "openai-responses" } as const;
  assertErrorBody(textOf(alone), expected);
  assert.equal(upstream.calls.length, 0);
  upstream.answerWith(answers["chat"] ?? whole);
  const beside = await ask({ model: "chat", tools: [f, computer] });
  assert.equal(beside.status, 200, textOf(beside));
  assert.equal(beside.headers["x-plaza-dropped-params"], "tools[1]");
});
