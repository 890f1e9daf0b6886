/** Which ids of a Responses request name something at an upstream, wherever OpenAI's format has them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { membersOf } from "../../../lib/json/spans.ts";
import { foreignIdsIn, foreignNames } from "./foreign-ids.ts";

function idsIn(request: { readonly tools?: unknown; readonly input?: unknown } | string): string[] {
  const body = Buffer.from(typeof request === "string" ? request : JSON.stringify({ input: [], ...request }));
  const members = membersOf(body, 0);
  const at = (name: string) => members.find((one) => one.name === name);
  const input = at("input");
  assert.ok(input);
  return foreignIdsIn(body, at("tools"), input).map(({ param, id }) => `${param}=${id}`);
}

test("files, in every place an item has them", () => {
  const file = { type: "input_file", file_id: "file-1" };
  const image = { type: "input_image", file_id: "file-2", image_url: null };
  const input = [
    { role: "user", content: [{ type: "input_text", text: '{"file_id":"x"}' }, file, image] },
    { type: "function_call_output", call_id: "c", output: [file] },
    {
      type: "computer_call_output",
      call_id: "c",
      output: { type: "computer_screenshot", file_id: "file-3" },
    },
    { role: "user", content: [{ type: "input_image", image_url: "https://a.example/b", file_id: null }] },
  ];
  assert.deepEqual(idsIn({ input }), [
    "input[0].content[1].file_id=file-1",
    "input[0].content[2].file_id=file-2",
    "input[1].output[0].file_id=file-1",
    "input[2].output.file_id=file-3",
  ]);
  assert.deepEqual(idsIn({ input: "file_id" }), []);
});

test("containers, stores, skills and tunnels of tools, in `tools` and in items", () => {
  const tools = [
    { type: "code_interpreter", container: "cntr_1" },
    { type: "code_interpreter", container: { type: "auto", file_ids: ["file-1", "file-2"] } },
    { type: "file_search", vector_store_ids: ["vs_1"] },
    { type: "shell", environment: { type: "container_reference", container_id: "cntr_2" } },
    { type: "shell", environment: { type: "container_auto", skills: [{ skill_id: "sk_1" }] } },
    { type: "image_generation", input_image_mask: { file_id: "file-3" } },
    { type: "mcp", tunnel_id: "tun_1" },
  ];
  const found = [
    "[0].container=cntr_1",
    "[1].container.file_ids[0]=file-1",
    "[1].container.file_ids[1]=file-2",
    "[2].vector_store_ids[0]=vs_1",
    "[3].environment.container_id=cntr_2",
    "[4].environment.skills[0].skill_id=sk_1",
    "[5].input_image_mask.file_id=file-3",
    "[6].tunnel_id=tun_1",
  ];
  assert.deepEqual(
    idsIn({ tools }),
    found.map((one) => `tools${one}`),
  );
  assert.deepEqual(
    idsIn({ input: [{ type: "additional_tools", tools }] }),
    found.map((one) => `input[0].tools${one}`),
  );
  const input = [{ type: "code_interpreter_call", id: "ci_1", code: "", container_id: "cntr_3" }];
  assert.deepEqual(idsIn({ input }), ["input[0].container_id=cntr_3"]);
});

test("what is the caller's own, or only told, is none", () => {
  const parameters = {
    type: "object",
    properties: { file_id: { type: "string" } },
    default: { file_id: "x" },
  };
  const tools = [
    { type: "function", name: "f", parameters },
    { type: "namespace", name: "n", tools: [{ type: "function", name: "g", parameters }] },
  ];
  const citation = { type: "container_file_citation", container_id: "cntr_1", file_id: "cfile_1" };
  const input = [
    { type: "message", id: "msg_1", role: "assistant", content: [{ text: "a", annotations: [citation] }] },
    { type: "file_search_call", id: "fs_1", results: [{ file_id: "file-1" }] },
    { type: "function_call", id: "fc_1", call_id: "call_1", arguments: '{"file_id":"x"}' },
    { type: "function_call_output", id: "fco_1", call_id: "call_1", output: '{"file_id":"x"}' },
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" },
  ];
  assert.deepEqual(idsIn({ tools, input }), []);
});

test("odd spellings and values do not hide one", () => {
  const long = "x".repeat(600);
  const text = `{"input":[{"content":[{"file_\\u0069d":"file-1","file_id":"file-2"},{"file_id":7},{"file_id":"${long}"}]}]}`;
  assert.deepEqual(idsIn(text), [
    "input[0].content[0].file_id=file-1",
    "input[0].content[0].file_id=file-2",
    "input[0].content[1].file_id=",
    "input[0].content[2].file_id=",
  ]);
  assert.deepEqual(idsIn({ input: [{ file_ids: [] }, { file_ids: null }, { container: null }] }), []);
  const twoTypes = '{"tools":[{"type":"shell","type":"function","name":"f","container_id":"c"}],"input":[]}';
  assert.deepEqual(idsIn(twoTypes), ["tools[0].container_id=c"]);
  assert.equal(new Set(foreignNames).size, foreignNames.length);
});
