/** What the endpoint reads of a Responses request, and how stored responses become part of one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { splice } from "../../../lib/json/splice.ts";
import type { Span } from "../../../protocols/protocol.ts";
import type { ResponseChain, ResponsesStore, StoredResponse } from "../../../store/responses/shapes.ts";
import { createBodyScanners } from "../../request/body/body-scan.ts";
import type { CallState, WrittenAnswer } from "../endpoint.ts";
import { responses } from "./responses.ts";
import type { ResponsesFields } from "./responses-fields.ts";
import { writeKept } from "./stored-response.ts";

const limits = { jsonDepthMax: 16, jsonValuesMax: 50_000 };
const scanners = createBodyScanners(responses.scanned, limits);
const { state } = responses;
assert.ok(state !== undefined);

const day = 86_400_000;

interface Request {
  readonly body: Buffer;
  readonly fields: ResponsesFields;
}

function readText(text: string): Request {
  const body = Buffer.from(text);
  const scanner = scanners.create();
  const refused = scanner.push(body);
  if (refused !== undefined) throw refused;
  return { body, fields: responses.read(scanner.end(body), body, { tail: "", query: "" }) };
}

const read = (members: object): Request => readText(JSON.stringify({ model: "m", input: "hi", ...members }));

function refusalOf(ask: () => unknown): [string, string | undefined] {
  try {
    ask();
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    return [error.code, error.detail.param];
  }
  return assert.fail("accepted");
}

async function rejectionOf(asked: Promise<unknown> | undefined): Promise<[string, string | undefined]> {
  assert.ok(asked !== undefined);
  const error = await asked.then(
    () => assert.fail("accepted"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof GatewayError, String(error));
  return [error.code, error.detail.param];
}

test("what is wrong is refused by name", () => {
  const rows: [members: object, param: string][] = [
    [{ input: null }, "input"],
    [{ input: 7 }, "input"],
    [{ input: [] }, "input"],
    [{ stream: "yes" }, "stream"],
    [{ store: 1 }, "store"],
    [{ background: "x" }, "background"],
    [{ max_output_tokens: "5" }, "max_output_tokens"],
    [{ model: 7 }, "model"],
    [{ tools: "f" }, "tools"],
  ];
  for (const [members, param] of rows)
    assert.deepEqual(
      refusalOf(() => read(members)),
      ["invalid_request", param],
      JSON.stringify(members),
    );
});

test("tools that run at the upstream are charged apart; the caller's own are not, nor those in a namespace", () => {
  const own = [
    { type: "function", name: "f", parameters: {} },
    { type: "custom", name: "patch" },
    { type: "namespace", name: "ns", tools: [{ type: "function", name: "g" }] },
  ];
  const apartOf = (members: object) => read(members).fields.apart;
  assert.deepEqual(apartOf({ tools: own }), []);
  const hosted = [...own, { type: "file_search" }, { type: "mcp" }];
  assert.deepEqual(apartOf({ tools: hosted, tool_choice: "required" }), ["tools[3]", "tools[4]"]);
  assert.deepEqual(apartOf({ service_tier: "priority" }), ["service_tier"]);
  const inside = { type: "namespace", name: "ns", tools: [{ type: "function", name: "g" }, { type: "mcp" }] };
  assert.deepEqual(apartOf({ tools: [inside] }), ["tools[0].tools[1]"]);
  const input = [
    { type: "additional_tools", role: "developer", tools: [{ type: "function", name: "h" }] },
    { type: "additional_tools", role: "developer", tools: [{ type: "web_search" }, inside] },
  ];
  assert.deepEqual(apartOf({ input }), ["input[1].tools[0]", "input[1].tools[1].tools[1]"]);
});

test("a tool of two types is not taken for the caller's own", () => {
  const body = '{"model":"m","input":"x","tool_choice":"required","tools":[@]}';
  for (const tool of [
    '{"type":"web_search","type":"function","name":"f"}',
    '{"type":"function","web_search":{}}',
  ])
    assert.deepEqual(readText(body.replace("@", tool)).fields.apart, ["tools[0]"]);
});

const localShell = { type: "shell", environment: { type: "local", skills: [] } };
const hostedShell = { type: "shell", environment: { type: "container_auto" } };

test("tools of OpenAI's that the caller runs are its own; a shell only where its environment is local", () => {
  const free = [
    ...["local_shell", "apply_patch", "computer", "computer_use_preview", "tool_search"],
    ...["local_\\u0073hell"],
  ].map((type) => `{"type":"${type}","environment":"browser"}`);
  const local = JSON.stringify(localShell);
  const apartOf = (tool: string, choice = "null") =>
    readText(`{"model":"m","input":"x","tool_choice":${choice},"tools":[${tool}]}`).fields.apart;
  for (const tool of [...free, local, '{"type":"shell","environment":{"\\u0074ype":"local"}}'])
    assert.deepEqual(apartOf(tool), [], tool);
  const hosted = [
    '{"type":"shell"}',
    '{"type":"shell","environment":null}',
    '{"type":"shell","environment":"local"}',
    '{"type":"shell","environment":["local"]}',
    '{"type":"shell","environment":{"type":"container_reference","container_id":"cntr_1"}}',
    '{"type":"shell","environment":{"type":"local","type":"container_auto"}}',
    '{"type":"shell","environment":{"type":"container_auto","\\u0074ype":"local"}}',
    '{"type":"shell","environment":{"type":"local","Type":"container_auto"}}',
    '{"type":"shell","environment":{"type":"local"},"environment":{"type":"container_auto"}}',
    '{"type":"shell","environment":{"type":"local"},"\\u0065nvironment":{"type":"container_auto"}}',
    '{"type":"shell","environment":{"type":"local"},"Environment":{"type":"container_auto"}}',
    '{"type":"shell","Environment":{"type":"local"}}',
    '{"type":"local_shell","type":"shell"}',
    '{"type":"shell","environment":{"type":"local"},"Type":"web_search"}',
    '{"type":"apply_patch","web_search":{}}',
    '{"type":["apply_patch"]}',
    '{"type":"apply_patches"}',
    `{"type":"shell","environment":${'{"type":'.repeat(8)}"local"${"}".repeat(8)}}`,
  ];
  for (const tool of hosted) assert.deepEqual(apartOf(tool), ["tools[0]"], tool);
});

test("the choice of a tool that the caller runs leaves a search out; that of a shell means a hosted one too", () => {
  const search = { type: "web_search" };
  const apartOf = (tools: readonly object[], type: string) => {
    const { apart, offers } = read({ tools, tool_choice: { type } }).fields;
    return [apart, offers?.map(({ path }) => path)];
  };
  for (const tool of [{ type: "local_shell" }, { type: "apply_patch" }, localShell])
    assert.deepEqual(apartOf([tool, search], tool.type), [[], ["tools[1]"]], tool.type);
  assert.deepEqual(apartOf([localShell, hostedShell], "shell"), [["tools[1]"], undefined]);
  assert.deepEqual(apartOf([localShell, hostedShell], "function"), [[], ["tools[1]"]]);
});

test("a hosted tool that nothing insists on is an offer beside the caller's own, and asked for where it stands alone", () => {
  const f = { type: "function", name: "f" };
  const [search, image, mcp] = [
    { type: "web_search", external_web_access: true },
    { type: "image_generation", output_format: "png" },
    { type: "mcp", server_label: "x" },
  ];
  const left = (tools: readonly object[], more: object = {}) => {
    const { body, fields } = read({ tools, ...more });
    const offers = fields.offers ?? [];
    const text = splice(
      body,
      offers.map(({ cut }) => ({ ...cut, text: "" })),
    ).toString();
    return [offers.map(({ path }) => path), JSON.parse(text).tools, fields.apart];
  };
  assert.deepEqual(left([f, search]), [["tools[1]"], [f], []]);
  assert.deepEqual(left([image, f]), [["tools[0]"], [f], []]);
  assert.deepEqual(left([search, image, f, mcp, f]), [["tools[0]", "tools[1]", "tools[3]"], [f, f], []]);
  assert.deepEqual(left([f, search, mcp]), [["tools[1]", "tools[2]"], [f], []]);
  assert.deepEqual(left([search]), [[], [search], ["tools[0]"]]);
  assert.deepEqual(left([search, mcp]), [[], [search, mcp], ["tools[0]", "tools[1]"]]);
  const space = { type: "namespace", name: "ns", tools: [f] };
  assert.deepEqual(left([search, space]), [["tools[0]"], [space], []]);
  const own = { type: "function", name: "f" };
  const allowed = (tools: readonly object[]) => ({ type: "allowed_tools", mode: "required", tools });
  for (const choice of [null, "auto", "none", own, { type: "custom", name: "c" }, allowed([own])])
    assert.deepEqual(left([f, search], { tool_choice: choice }), [["tools[1]"], [f], []]);
  const long = { ...own, padding: "x".repeat(65_536) };
  for (const choice of ["required", { type: "web_search" }, allowed([own, { type: "mcp" }]), long])
    assert.deepEqual(left([f, search], { tool_choice: choice }), [[], [f, search], ["tools[1]"]]);
});

test("the upstream's codec gets the places of what it edits", () => {
  const sent = { store: true, max_output_tokens: null };
  const { body, fields } = read(sent);
  const { spans } = fields;
  const at = (span: Span | undefined) => body.toString("utf8", span?.start, span?.end);
  assert.deepEqual([at(spans.store), at(spans.max_output_tokens), spans.outputs], ["true", "null", []]);
});

test("an answer says whether it is kept, and what it continues", () => {
  const completed = { body: Buffer.alloc(0), input: [], parentId: "resp_0" };
  const echo = (members: object, keptMs: number, after?: typeof completed) =>
    state.echo(read(members).fields, after, keptMs);
  assert.deepEqual(echo({}, day, completed), { store: true, previous_response_id: "resp_0" });
  assert.deepEqual(echo({ store: false }, day), { store: false, previous_response_id: null });
  assert.deepEqual(echo({}, 0), { store: false, previous_response_id: null });
});

test("what a request says of state is read, and null is not said", () => {
  const plain = read({ previous_response_id: null, store: null, conversation: null }).fields.state;
  assert.deepEqual(
    [plain.previousResponse, plain.conversation, plain.store, plain.hasReferences, plain.isBackground],
    [undefined, undefined, undefined, false, false],
  );
  const said = { type: "message", id: "msg_1", role: "user", content: "a" };
  assert.equal(read({ input: [said] }).fields.state.hasReferences, false);
  assert.equal(read({ input: [said, { type: "item_reference", id: "a" }] }).fields.state.hasReferences, true);
  assert.equal(read({ input: [{ id: "a" }] }).fields.state.hasReferences, true);
  const refers = (text: string): boolean =>
    readText(`{"model":"m","input":[${text}]}`).fields.state.hasReferences;
  assert.equal(refers('{"type":"reasoning","id":"rs_1","summary":[]}'), true);
  assert.equal(refers('{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}'), false);
  assert.equal(
    refers('{"type":"message","role":"user","content":"a","type":"item_reference","id":"a"}'),
    true,
  );
  assert.equal(refers('{"type":"image_generation_call","\\u0069d":"ig_1"}'), true);
  assert.equal(refers('{"type":"item_reference"}'), true);
  assert.equal(read({ store: false }).fields.state.store, false);
});

test("state that is not there is refused, with the field to leave out", () => {
  const refusal = (members: object, keptMs: number) =>
    refusalOf(() => state.require(read(members).fields, keptMs));
  assert.deepEqual(refusal({ conversation: "conv_1" }, day), ["invalid_request", "conversation"]);
  assert.deepEqual(refusal({ prompt: { id: "p" } }, day), ["invalid_request", "prompt"]);
  assert.deepEqual(refusal({ background: true }, day), ["invalid_request", "background"]);
  assert.deepEqual(refusal({ previous_response_id: "r" }, 0), ["invalid_request", "previous_response_id"]);
  assert.deepEqual(refusal({ input: [{ id: "a" }] }, 0), ["invalid_request", "input"]);
  assert.deepEqual(refusal({ store: true }, 0), ["invalid_request", "store"]);
  state.require(read({}).fields, 0);
  state.require(read({ store: false }).fields, 0);
  state.require(read({ store: true, previous_response_id: "r" }).fields, day);
});

/** A response as it is stored. `output`: its items as JSON. */
const stored = (input: readonly string[], output: string, modelId = "m"): StoredResponse => ({
  modelId,
  deployment: "u m",
  payload: writeKept({ input, response: `{"id":"x","output":${output}}` }),
  createdAt: 1,
  expiresAt: 2,
});

function calling(
  chains: Record<string, ResponseChain>,
  items: Record<string, StoredResponse> = {},
): CallState {
  const store: Partial<ResponsesStore> = {
    findResponseChain: async (accountId, id) => (accountId === "acc" && chains[id]) || { kind: "missing" },
    findResponsesOfItems: async (_account, ids) =>
      ids.flatMap((itemId) => {
        const response = items[itemId];
        return response === undefined ? [] : [{ itemId, response }];
      }),
  };
  return { store: store as ResponsesStore, accountId: "acc", mayUse: (id) => id === "m" };
}

const complete = ({ fields, body }: Request, at: CallState) =>
  state.complete(fields, body, at)?.then((completion) => completion?.call);

test("earlier responses stand before the input, each as it was written, and the rest of the body stays", async () => {
  const chain: ResponseChain = {
    kind: "found",
    responses: [
      stored(['{"role":"user",  "content":"one"}'], '[ {"type":"message","id":"msg_1","n":1.0} ]'),
      stored(['{"role":"user","content":"two"}'], "[]"),
    ],
  };
  const request = readText('{"model":"m", "previous_response_id" : "r", "input":"three","x": 1.50}');
  const completed = await complete(request, calling({ r: chain }));
  const three = '{"type":"message","role":"user","content":"three"}';
  assert.equal(
    completed?.body.toString(),
    `{"model":"m",  "input":[{"role":"user",  "content":"one"},{"type":"message","id":"msg_1","n":1.0},{"role":"user","content":"two"},${three}],"x": 1.50}`,
  );
  assert.deepEqual([completed?.input, completed?.parentId], [[three], "r"]);
  assert.equal(complete(read({}), calling({})), undefined);
});

test("references are replaced by what they name, wherever it was stored", async () => {
  const at = calling(
    {},
    { msg_1: stored([], '[{"type":"reasoning","id":"rs_1"},{"type":"message","id":"msg_1","content":[]}]') },
  );
  const request = readText(
    '{"input":[{"role":"user","content":"a"},{"type":"item_reference","id":"msg_1"}],"model":"m"}',
  );
  const completed = await complete(request, at);
  assert.equal(
    completed?.body.toString(),
    '{"input":[{"role":"user","content":"a"},{"type":"message","content":[]}],"model":"m"}',
  );
  assert.equal(completed?.parentId, undefined);
  assert.equal(completed?.input.length, 2);
});

test("stored reasoning goes on where it says something, and is left out where it has an id alone", async () => {
  const said = [
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" },
    { type: "reasoning", id: "rs_2", summary: [], content: [{ type: "reasoning_text", text: "t" }] },
  ];
  const empty = [
    { type: "reasoning", id: "rs_3", summary: [{ type: "summary_text", text: "s" }] },
    { type: "reasoning", id: "rs_4", summary: [], encrypted_content: null, content: [] },
  ];
  const call = { type: "function_call", id: "fc_1", call_id: "c", name: "reasoning", arguments: "{}" };
  const kept = stored([], JSON.stringify([...said, ...empty, call]));
  const at = calling({ r: { kind: "found", responses: [kept] } }, { rs_1: kept, rs_3: kept, fc_1: kept });
  const inputAfter = async (members: object) =>
    JSON.parse((await complete(read(members), at))?.body.toString() ?? "").input as { id?: string }[];
  const after = await inputAfter({ previous_response_id: "r", input: [{ role: "user", content: "x" }] });
  assert.deepEqual(
    after.map(({ id }) => id),
    ["rs_1", "rs_2", undefined, undefined],
  );
  // The call has lost the id that ties it to what was left out, and nothing else.
  const { id: _, ...untied } = call;
  assert.deepEqual(after[2], untied);
  assert.deepEqual(await inputAfter({ input: [{ type: "item_reference", id: "fc_1" }] }), [untied]);
  const whole = stored([], JSON.stringify([...said, call]));
  const tied = calling({ r: { kind: "found", responses: [whole] } });
  const body = (await complete(read({ previous_response_id: "r", input: "x" }), tied))?.body.toString();
  assert.match(String(body), /"id":"fc_1"/);
  const references = [{ id: "rs_3" }, { type: "item_reference", id: "rs_1" }];
  assert.deepEqual(await inputAfter({ input: references }), said.slice(0, 1));
  // The caller's own copy of the call loses that id, too, where the reasoning before it is left out.
  const sentBack = [{ type: "reasoning", id: "rs_3", summary: [] }, call];
  assert.deepEqual(await inputAfter({ input: sentBack }), [untied]);
  assert.deepEqual(await inputAfter({ input: [{ type: "reasoning", id: "rs_1", summary: [] }, call] }), [
    said[0],
    call,
  ]);
});

test("an item with nothing but its id is replaced by the account's own, and unknown without one", async () => {
  const image = '{"type":"image_generation_call", "id":"ig_1","status":"completed","result":"AAAA"}';
  const at = calling({}, { ig_1: stored([], `[${image}]`) });
  const own = readText('{"model":"m","input":[{"type":"image_generation_call","id":"ig_1"}]}');
  assert.equal((await complete(own, at))?.body.toString(), `{"model":"m","input":[${image}]}`);
  const message = { role: "user", content: "x" };
  for (const item of [
    { type: "image_generation_call", id: "ig_other" },
    { type: "reasoning", id: "rs_other", summary: [] },
    { type: "web_search_call", id: "ws_other", status: "completed" },
    { type: "message", id: "msg_other", role: "assistant" },
    { type: "item_reference", id: 5 },
    { type: "item_reference" },
  ])
    assert.deepEqual(
      await rejectionOf(complete(read({ input: [message, item] }), at)),
      ["not_found", "input[1]"],
      JSON.stringify(item),
    );
});

test("an approval goes on with its request, or where this account got that in an answer", async () => {
  const approval = { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true };
  const request = {
    type: "mcp_approval_request",
    id: "mcpr_1",
    name: "f",
    arguments: "{}",
    server_label: "s",
  };
  assert.deepEqual(await rejectionOf(complete(read({ input: [approval] }), calling({}))), [
    "not_found",
    "input[0].approval_request_id",
  ]);
  assert.equal(complete(read({ input: [request, approval] }), calling({})), undefined);
  const known = calling({}, { mcpr_1: stored([], JSON.stringify([request])) });
  assert.equal(await complete(read({ input: [approval] }), known), undefined);
});

test("what is not stored, cannot be read or is another's is not found", async () => {
  const other: ResponseChain = { kind: "found", responses: [stored([], "[]", "secret-model")] };
  const damaged: ResponseChain = { kind: "found", responses: [{ ...stored([], "[]"), payload: "{}" }] };
  const at = calling({ other, damaged, long: { kind: "too_long" } }, { a: stored([], "[]", "secret-model") });
  const asked = (id: unknown) => rejectionOf(complete(read({ previous_response_id: id }), at));
  for (const id of ["nope", "other", "damaged"])
    assert.deepEqual(await asked(id), ["not_found", "previous_response_id"], id);
  assert.deepEqual(await asked("long"), ["invalid_request", "previous_response_id"]);
  assert.deepEqual(await asked(""), ["invalid_request", "previous_response_id"]);
  assert.deepEqual(await asked(["r"]), ["invalid_request", "previous_response_id"]);
  for (const id of ["a", "b"])
    assert.deepEqual(
      await rejectionOf(complete(read({ input: [{ role: "user", content: "x" }, { id }] }), at)),
      ["not_found", "input[1]"],
    );
  const many = Array.from({ length: 1_001 }, (_, index) => ({ id: `i${index}` }));
  assert.deepEqual(await rejectionOf(complete(read({ input: many }), at)), ["invalid_request", "input"]);
});

test("an answer is kept with the caller's own input, unless it said no", () => {
  const answer = '{"id":"resp_1","status":"completed","output":[{"id":"msg_1"},{"type":"x"}]}';
  const whole: WrittenAnswer = { bytes: Buffer.from(answer), isStream: false, completed: undefined };
  const { body, fields } = read({});
  const input = ['{"type":"message","role":"user","content":"hi"}'];
  const kept = { id: "resp_1", itemIds: ["msg_1"], payload: writeKept({ input, response: answer }) };
  assert.deepEqual(state.keep(fields, body, whole), kept);
  const event = `event: response.completed\ndata: {"type":"response.completed","response":${answer},"n":1}\n\n`;
  const started = 'event: response.created\ndata: {"response":{"id":"resp_1","output":[]}}\n\n: \n\n';
  for (const events of [event, started + event, event.replace("event: response.completed\n", "")])
    assert.deepEqual(
      state.keep(fields, body, { ...whole, bytes: Buffer.from(events), isStream: true }),
      kept,
    );
  const cited = (annotation: object) => [{ type: "output_text", text: "a", annotations: [annotation] }];
  const output = [
    {
      id: "msg_1",
      content: cited({ type: "container_file_citation", file_id: "cfile_1", container_id: "cntr_1" }),
    },
    { id: "msg_2", content: [...cited({ type: "file_citation", file_id: "file_1" }), { type: "refusal" }] },
    { id: "msg_3", content: cited({ type: "file_path", file_id: "file_2" }), results: null },
    { id: "fs_1", results: [{ file_id: "file_3", text: "file_id" }] },
    { id: "fc_1", arguments: '{"file_id":"no"}', content: "a", caller: { file_id: "no" } },
  ];
  const citing = Buffer.from(JSON.stringify({ id: "resp_1", output }));
  assert.deepEqual(state.keep(fields, body, { ...whole, bytes: citing })?.itemIds, [
    ...["msg_1", "msg_2", "msg_3", "fs_1", "fc_1"],
    ...["cfile_1", "cntr_1", "file_1", "file_2", "file_3"],
  ]);
  assert.equal(state.keep(read({ store: false }).fields, body, whole), undefined);
  for (const bytes of [
    "data: [DONE]\n\n",
    ": x\n\n",
    'data: {"response":7}\n\n',
    'data: {"response":{"id":5}}\n\n',
  ])
    assert.equal(
      state.keep(fields, body, { ...whole, bytes: Buffer.from(bytes), isStream: true }),
      undefined,
      bytes,
    );
  const completed = { body, input: ['{"role":"user","content":"own"}'], parentId: "r" };
  assert.match(state.keep(fields, body, { ...whole, completed })?.payload ?? "", /own/);
});
