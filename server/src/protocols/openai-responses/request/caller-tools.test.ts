/** Tools of OpenAI's own types that the caller runs, at models of other formats: there and back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StreamSink } from "../../../conversation/answer.ts";
import type { Conversation } from "../../../conversation/conversation.ts";
import type { JsonRecord } from "../../../lib/record.ts";
import { createRequestReader, type DecodedRequest } from "../decode-request.ts";
import { ResponseWriter } from "../encode-answer.ts";
import { headOf } from "../testing/answers.ts";
import { eventsOf, gather, shown } from "../testing/gather.ts";

const decode = (request: object): DecodedRequest =>
  createRequestReader()(Buffer.from(JSON.stringify({ model: "m", input: "Q", ...request })));
const toolsOf = ({ toolUse }: Conversation) => toolUse.tools.map(({ name, path }) => [name, path]);
const apartOf = ({ parameters }: Conversation) =>
  parameters.flatMap(({ name, setting }) => (/^tools\[|^tool_choice/.test(name) ? [[name, setting]] : []));

const f = { type: "function", name: "f" };
const local = { type: "shell", environment: { type: "local" } };
const callers = [{ type: "local_shell" }, local, { type: "apply_patch" }];

/** The output of an answer in which the model calls these functions, streamed and whole. */
function answered(
  tools: readonly object[],
  calls: readonly { name: string; args: string }[],
  reason: "tool_calls" | "length" = "tool_calls",
): JsonRecord[] {
  const { toolNames } = decode({ tools });
  const say = (sink: StreamSink): void => {
    for (const [index, { name, args }] of calls.entries()) {
      sink.toolCall(index, { id: `c${index}`, name, signature: undefined });
      for (const letter of args) sink.toolArguments(index, letter);
    }
    sink.finish(reason);
  };
  const stream = new ResponseWriter(headOf({ toolNames }), true);
  say(stream);
  stream.close();
  const response = gather(shown(eventsOf(stream.take())));
  const whole = new ResponseWriter(headOf({ toolNames }), false);
  say(whole);
  assert.deepEqual(JSON.parse(String(whole.build())), response);
  return response["output"] as JsonRecord[];
}

test("each is a function of its type's name, and can be chosen", () => {
  const { conversation } = decode({ tools: [f, ...callers] });
  assert.deepEqual(toolsOf(conversation), [
    ["f", "tools[0]"],
    ["local_shell", "tools[1]"],
    ["shell", "tools[2]"],
    ["apply_patch", "tools[3]"],
  ]);
  for (const { parameters } of conversation.toolUse.tools.slice(1))
    assert.equal(parameters?.["type"], "object");
  assert.deepEqual(apartOf(conversation), []);
  const choices: [object, object | undefined][] = [
    [{ type: "apply_patch" }, { kind: "named", name: "apply_patch" }],
    [
      { type: "allowed_tools", mode: "auto", tools: [f, { type: "shell" }] },
      { kind: "allowed", names: ["f", "shell"], mustCall: false },
    ],
    [{ type: "allowed_tools", mode: "auto", tools: [f, { type: "mcp" }] }, undefined],
  ];
  for (const [choice, expected] of choices)
    assert.deepEqual(
      decode({ tools: [f, ...callers], tool_choice: choice }).conversation.toolUse.choice,
      expected,
    );
});

test("one that the upstream runs, or whose name is taken, is refused by name", () => {
  const rows: (readonly [tools: readonly object[], path: string])[] = [
    [[f, { type: "shell" }], "tools[1]"],
    [[f, { type: "shell", environment: { type: "container_auto" } }], "tools[1]"],
    [[local, { type: "function", name: "shell" }], "tools[0]"],
    [[local, local], "tools[1]"],
  ];
  for (const [tools, path] of rows)
    assert.deepEqual(apartOf(decode({ tools }).conversation), [[path, undefined]], JSON.stringify(tools));
  const chosen = decode({ tools: [f, callers[0]], tool_choice: { type: "shell" } }).conversation;
  assert.deepEqual(apartOf(chosen), [
    ["tool_choice", "toolChoice"],
    ["tool_choice", undefined],
  ]);
});

test("a computer and a search among tools are a manner beside other tools, and refused alone", () => {
  for (const type of ["computer", "computer_use_preview", "tool_search"]) {
    assert.deepEqual(apartOf(decode({ tools: [f, { type }] }).conversation), [["tools[1]", "manner"]]);
    assert.deepEqual(apartOf(decode({ tools: [{ type }] }).conversation), [["tools[0]", undefined]]);
    const required = decode({ tools: [f, { type }], tool_choice: "required" }).conversation;
    assert.deepEqual(apartOf(required).at(-1), ["tools[1]", undefined]);
    const chosen = decode({ tools: [f, { type }], tool_choice: { type } }).conversation;
    assert.ok(apartOf(chosen).every(([, setting]) => setting !== "manner"));
  }
});

test("the model's calls come back as items of the tools' types", () => {
  const patch = { type: "update_file", path: "a.txt", diff: "@@\n-a\n+b" };
  const output = answered(
    [f, ...callers],
    [
      { name: "local_shell", args: JSON.stringify({ command: ["ls", "-l"], working_directory: "/w" }) },
      { name: "f", args: "{}" },
      { name: "shell", args: JSON.stringify({ commands: ["ls", "pwd"], timeout_ms: 5 }) },
      { name: "apply_patch", args: JSON.stringify(patch) },
      { name: "apply_patch", args: '{"type":"delete_file","path":"b.txt","diff":""}' },
    ],
  );
  const status = "completed";
  const exec = { type: "exec", command: ["ls", "-l"], env: {}, timeout_ms: null, working_directory: "/w" };
  const commands = { commands: ["ls", "pwd"], timeout_ms: 5, max_output_length: null };
  assert.deepEqual(output, [
    { id: "lsh_1_0", type: "local_shell_call", call_id: "c0", status, action: exec },
    { id: "fc_1_1", type: "function_call", status, arguments: "{}", call_id: "c1", name: "f" },
    {
      id: "sh_1_2",
      type: "shell_call",
      call_id: "c2",
      status,
      action: commands,
      environment: { type: "local" },
    },
    { id: "apc_1_3", type: "apply_patch_call", call_id: "c3", status, operation: patch },
    {
      id: "apc_1_4",
      type: "apply_patch_call",
      call_id: "c4",
      status,
      operation: { type: "delete_file", path: "b.txt" },
    },
  ]);
});

test("arguments that do not fit stay a function's call, as does one that was cut", () => {
  for (const args of ["{}", '{"command":"ls"}', '{"command":[1]}', '{"command":["l', "[]"]) {
    const [call] = answered(callers, [{ name: "local_shell", args }], "length");
    assert.deepEqual(
      [call?.["type"], call?.["name"], call?.["arguments"]],
      ["function_call", "local_shell", args],
    );
  }
  for (const args of [
    '{"type":"move_file","path":"a"}',
    '{"type":"create_file","path":"a"}',
    '{"type":"delete_file"}',
  ])
    assert.equal(answered(callers, [{ name: "apply_patch", args }])[0]?.["type"], "function_call");
});

test("without the tool, a function of that name is a function", () => {
  const args = '{"command":["ls"]}';
  const own = { type: "function", name: "local_shell" };
  for (const tools of [[f], [own]])
    assert.equal(answered(tools, [{ name: "local_shell", args }])[0]?.["type"], "function_call");
});

test("the items of earlier turns are calls and results", () => {
  const action = { type: "exec", command: ["ls"], env: {}, timeout_ms: null };
  const patch = { type: "create_file", path: "a", diff: "+a" };
  const outcome = { type: "exit", exit_code: 0 };
  const shellOutput = [{ stdout: "x", stderr: "", outcome }];
  const { turns, parameters } = decode({
    tools: callers,
    input: [
      { type: "local_shell_call", id: "lsh_1", call_id: "c1", status: "completed", action },
      { type: "shell_call", id: "sh_1", call_id: "c2", status: "completed", action: { commands: ["ls"] } },
      { type: "apply_patch_call", call_id: "c3", status: "completed", operation: patch },
      { type: "apply_patch_call", call_id: "c4", status: "completed", operation: patch },
      { type: "local_shell_call_output", id: "lsh_1", output: "a.txt" },
      { type: "shell_call_output", call_id: "c2", output: shellOutput },
      { type: "apply_patch_call_output", call_id: "c3", status: "completed" },
      { type: "apply_patch_call_output", call_id: "c4", status: "failed", output: "no such file" },
    ],
  }).conversation;
  const [called, results] = turns;
  assert.ok(called?.role === "assistant" && results?.role === "tool" && turns.length === 2);
  assert.deepEqual(
    called.blocks.map(
      (block) => block.kind === "tool call" && [block.id, block.name, JSON.parse(block.arguments)],
    ),
    [
      ["c1", "local_shell", { command: ["ls"], env: {} }],
      ["c2", "shell", { commands: ["ls"] }],
      ["c3", "apply_patch", patch],
      ["c4", "apply_patch", patch],
    ],
  );
  assert.deepEqual(
    results.blocks.map(({ callId, name, content, isError }) => [
      callId,
      name,
      content.map((block) => block.kind === "text" && block.text).join(),
      isError,
    ]),
    [
      ["c1", "local_shell", "a.txt", undefined],
      ["c2", "shell", JSON.stringify(shellOutput), undefined],
      ["c3", "apply_patch", "completed", undefined],
      ["c4", "apply_patch", "no such file", true],
    ],
  );
  assert.deepEqual(
    parameters.filter(({ name }) => name.startsWith("input[")),
    [],
    "none is dropped",
  );
});
