/** Responses requests as conversations: turns, tools, settings, stored state, and refusals by field name. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AssistantBlock } from "../../conversation/blocks.ts";
import type { AssistantTurn, Conversation } from "../../conversation/conversation.ts";
import { addressesOf } from "../../conversation/media.ts";
import { responsesPayloads } from "../payloads/marks.ts";
import { plainSeal, type Seal } from "../payloads/seal.ts";
import { Untranslatable } from "../untranslatable.ts";
import { createRequestReader, decodeRequest } from "./decode-request.ts";
import { stateOf } from "./request/state.ts";
import { ToolNames } from "./request/tool-names.ts";

const decode = (request: object): Conversation => decodeRequest(Buffer.from(JSON.stringify(request)));
const items = (...input: object[]): Conversation => decode({ model: "m", input });

/** Roles and contents, without paths. */
const outline = ({ turns }: Conversation): unknown[] =>
  turns.map(({ role, blocks }) => [
    role,
    ...blocks.map((block: AssistantBlock | { kind: "tool result"; callId: string }) => {
      switch (block.kind) {
        case "text":
        case "refusal":
          return block.text;
        case "tool call":
          return `${block.name}(${block.arguments}) ${block.id}`;
        case "tool result":
          return `result ${block.callId}`;
        case "reasoning":
          return `thought ${block.text ?? block.data}`;
        default:
          return block.kind;
      }
    }),
  ]);

function refusal(request: object): { code: string; param: string } {
  try {
    decode(request);
  } catch (error) {
    assert.ok(error instanceof Untranslatable, String(error));
    return { code: error.code, param: error.param };
  }
  assert.fail(`accepted: ${JSON.stringify(request)}`);
}

const call = (id: string, name = "f", more: object = {}) => ({
  type: "function_call",
  call_id: id,
  name,
  arguments: "{}",
  ...more,
});
const output = (id: string, text: unknown = "done") => ({
  type: "function_call_output",
  call_id: id,
  output: text,
});

describe("turns", () => {
  test("a text is the user's, and instructions come before everything", () => {
    const conversation = decode({ model: "m", input: "Hi", instructions: "Be brief." });
    assert.deepEqual(outline(conversation), [
      ["system", "Be brief."],
      ["user", "Hi"],
    ]);
    assert.deepEqual(outline(decode({ model: "m", input: "Hi", instructions: "" })), [["user", "Hi"]]);
    assert.deepEqual(outline(decode({ model: "m", input: "Hi", instructions: null })), [["user", "Hi"]]);
  });

  test("messages with and without their type, of texts and of parts", () => {
    const conversation = items(
      { role: "developer", content: "Rules" },
      { role: "user", content: "One" },
      { type: "message", role: "system", content: [{ type: "input_text", text: "Two" }] },
      {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "Three", annotations: [] }],
      },
      { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
      { role: "user", content: [{ type: "input_text", text: "Four" }] },
    );
    assert.deepEqual(outline(conversation), [
      ["system", "Rules"],
      ["user", "One"],
      ["system", "Two"],
      ["assistant", "Three", "No."],
      ["user", "Four"],
    ]);
    const [developer, , system] = conversation.turns;
    assert.equal(developer?.role === "system" && developer.isDeveloper, true);
    assert.equal(system?.role === "system" && system.isDeveloper, false);
  });

  test("what the model said, thought and called is one turn, results are the next one", () => {
    const conversation = items(
      { role: "user", content: "Q" },
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm" }] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Looking." }] },
      call("a"),
      call("b", "g", { arguments: { x: 1 } }),
      output("a"),
      output("b", [{ type: "input_text", text: "x" }]),
      { type: "custom_tool_call", call_id: "c", name: "patch", input: "*** Begin" },
      { type: "custom_tool_call_output", call_id: "c", output: "ok" },
      { role: "assistant", content: "Done." },
    );
    assert.deepEqual(outline(conversation), [
      ["user", "Q"],
      ["assistant", "thought Hm", "Looking.", "f({}) a", 'g({"x":1}) b'],
      ["tool", "result a", "result b"],
      ["assistant", "patch(*** Begin) c"],
      ["tool", "result c"],
      ["assistant", "Done."],
    ]);
    const first = conversation.turns[1] as AssistantTurn;
    assert.deepEqual([first.path, first.callsPath], ["input[1]", "input[3]"]);
    const results = conversation.turns[2];
    assert.ok(results?.role === "tool");
    assert.deepEqual(
      results.blocks.map(({ name, idPath }) => [name, idPath]),
      [
        ["f", "input[5].call_id"],
        ["g", "input[6].call_id"],
      ],
    );
  });

  test("phase, ids and unknown fields of a message stay with its blocks", () => {
    const message = { type: "message", id: "msg_1", role: "assistant", phase: "commentary", odd: 1 };
    const { turns } = items({ ...message, content: [{ type: "output_text", text: "Hi", odder: 2 }] });
    const [block] = (turns[0] as AssistantTurn).blocks;
    assert.ok(block?.kind === "text");
    assert.deepEqual(block.extras, {
      part: { odder: 2 },
      item: { id: "msg_1", phase: "commentary", odd: 1 },
    });
  });

  test("unknown items are no refusal: they are kept in their place, and told", () => {
    const search = { type: "web_search_call", id: "ws_1", status: "completed" };
    const made = { type: "a_thing_of_next_month", id: "x" };
    const conversation = items(search, { role: "user", content: "Q" }, call("a"), made, output("a"));
    assert.deepEqual(outline(conversation), [
      ["user", "Q"],
      ["assistant", "f({}) a"],
      ["tool", "result a"],
    ]);
    assert.deepEqual(conversation.turns[0]?.extras, { foreign: [{ at: 0, item: search }] });
    assert.deepEqual(conversation.turns[1]?.extras, { foreign: [{ at: 1, item: made }] });
    assert.deepEqual(
      conversation.parameters.filter(({ setting }) => setting === "manner"),
      [
        { name: "input[0]", setting: "manner", value: "web_search_call" },
        { name: "input[3]", setting: "manner", value: "a_thing_of_next_month" },
      ],
    );
  });

  test("images, files and sounds, by address, inline and stored", () => {
    const conversation = items({
      role: "user",
      content: [
        { type: "input_image", image_url: "https://a.test/1.png", detail: "high" },
        { type: "input_image", image_url: "data:image/png;base64,AAAA" },
        { type: "input_image", file_id: "file_1" },
        { type: "input_file", file_data: "JVBERi0=", filename: "a.pdf" },
        { type: "input_file", file_url: "https://a.test/2.pdf" },
        { type: "input_file", file_id: "file_2" },
        { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
        { type: "input_text", text: "?", prompt_cache_breakpoint: { mode: "explicit", ttl: "12h" } },
      ],
    });
    const [turn] = conversation.turns;
    assert.ok(turn?.role === "user");
    assert.deepEqual(
      turn.blocks.map(({ kind }) => kind),
      ["image", "image", "stored file", "file", "file", "stored file", "audio", "text"],
    );
    const [image, , stored, file, , , , text] = turn.blocks;
    assert.ok(image?.kind === "image" && image.detail === "high");
    assert.ok(stored?.kind === "stored file" && stored.idPath === "input[0].content[2].file_id");
    assert.deepEqual(file?.kind === "file" && [file.filename, file.source], [
      "a.pdf",
      { kind: "inline", mediaType: "application/pdf", base64: "JVBERi0=" },
    ]);
    assert.deepEqual(text?.cache, {
      given: { type: "ephemeral", ttl: "1h" },
      path: "input[0].content[7].prompt_cache_breakpoint",
    });
    assert.deepEqual(
      addressesOf(conversation).map(({ url, param, kind }) => [url, param, kind]),
      [
        ["https://a.test/1.png", "input[0].content[0].image_url", "image"],
        ["https://a.test/2.pdf", "input[0].content[4].file_url", "file"],
      ],
    );
  });
});

describe("reasoning", () => {
  const thoughts = (...list: object[]): unknown[] => {
    const [turn] = items(...list, { role: "assistant", content: "x" }).turns;
    return (turn as AssistantTurn).blocks.flatMap((block) => {
      if (block.kind !== "reasoning") return [];
      const { kind: _, ...rest } = block;
      return [Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))];
    });
  };
  const item = { type: "reasoning", id: "rs_1", summary: [] };

  test("OpenAI's own stays opaque, with the item's id", () => {
    assert.deepEqual(thoughts({ ...item, encrypted_content: "gAAAA" }), [
      { data: "gAAAA", format: "openai-responses-v1", id: "rs_1" },
    ]);
    const summary = [
      { type: "summary_text", text: "One" },
      { type: "summary_text", text: "Two" },
    ];
    assert.deepEqual(thoughts({ ...item, summary, encrypted_content: "gAAAA" }), [
      { text: "One\n\nTwo" },
      { data: "gAAAA", format: "openai-responses-v1", id: "rs_1" },
    ]);
    assert.deepEqual(thoughts({ ...item, content: [{ type: "reasoning_text", text: "In full" }], summary }), [
      { text: "In full" },
    ]);
    assert.deepEqual(thoughts(item), []);
  });

  test("ours comes back part by part, and a call gets its signature", () => {
    const parts = [
      { format: "anthropic-claude-v1", model: "c", text: "Hm", signature: "s1" },
      { format: "google-gemini-v1", call: "a", data: "sig" },
    ];
    const payload = responsesPayloads.write(parts, plainSeal);
    const summary = [{ type: "summary_text", text: "Hm" }];
    assert.deepEqual(thoughts({ ...item, summary, encrypted_content: payload }), [
      { format: "anthropic-claude-v1", model: "c", text: "Hm", signature: "s1" },
    ]);
    const { turns } = items({ ...item, encrypted_content: payload }, call("a"), output("a"));
    const found = (turns[0] as AssistantTurn).blocks.find((block) => block.kind === "tool call");
    assert.equal(found?.kind === "tool call" && found.signature, "sig");
  });

  test("a payload that cannot be read leaves the words, and never fails", () => {
    const summary = [{ type: "summary_text", text: "Hm" }];
    const good = String(responsesPayloads.write([{ format: "v", data: "d" }], plainSeal));
    const bad = [
      good.slice(0, -3),
      "plaza-reasoning-1.",
      "plaza-reasoning-1.???",
      "plaza-reasoning-9.abc",
      `plaza-reasoning-1.${Buffer.from('{"parts":{}}').toString("base64url")}`,
      `plaza-reasoning-1.${Buffer.from("[[[").toString("base64url")}`,
      `plaza-reasoning-1.${"A".repeat(5_000_000)}`,
    ];
    for (const content of bad)
      assert.deepEqual(thoughts({ ...item, summary, encrypted_content: content }), [{ text: "Hm" }]);
    const throwing: Seal = {
      seal: (json) => json,
      open: () => {
        throw new Error("not ours");
      },
    };
    assert.deepEqual(responsesPayloads.read(good, throwing), { kind: "unreadable" });
    assert.equal(responsesPayloads.write([{ data: "x".repeat(5_000_000) }], plainSeal), undefined);
  });

  test("a seal is asked both ways", () => {
    const seal: Seal = {
      seal: (json) => Buffer.from(json).toString("hex"),
      open: (sealed) => (sealed === "gone" ? undefined : Buffer.from(sealed, "hex").toString("utf8")),
    };
    const payload = responsesPayloads.write([{ format: "v", data: "d" }], seal);
    const body = Buffer.from(
      JSON.stringify({
        input: [
          { ...item, encrypted_content: payload },
          { role: "assistant", content: "x" },
        ],
      }),
    );
    const read = createRequestReader();
    const [turn] = read(body, seal).conversation.turns;
    const [block] = (turn as AssistantTurn).blocks;
    assert.equal(block?.kind === "reasoning" && block.data, "d");
    assert.equal(read(body, seal), read(body, seal));
  });
});

describe("tools", () => {
  const schema = { type: "object", properties: {} };
  test("functions, custom tools and namespaces; strictness, grammar, unknown fields", () => {
    const { toolUse, parameters } = decode({
      input: "Q",
      tools: [
        { type: "function", name: "f", description: "d", parameters: schema, strict: true },
        { type: "function", name: "g", parameters: null, defer_loading: true },
        {
          type: "custom",
          name: "patch",
          format: { type: "grammar", syntax: "lark", definition: "start: /x/" },
        },
        {
          type: "namespace",
          name: "crm",
          description: "",
          tools: [{ type: "function", name: "find", parameters: schema, strict: false }],
        },
      ],
      parallel_tool_calls: false,
      tool_choice: { type: "function", name: "find", namespace: "crm" },
    });
    assert.deepEqual(
      toolUse.tools.map(({ name, isStrict, isCustom, path }) => [name, isStrict, isCustom, path]),
      [
        ["f", true, false, "tools[0]"],
        ["g", false, false, "tools[1]"],
        ["patch", false, true, "tools[2]"],
        ["crm__find", false, false, "tools[3].tools[0]"],
      ],
    );
    assert.deepEqual(toolUse.tools[1]?.extras, { defer_loading: true, strict: null });
    const format = { type: "grammar", syntax: "lark", definition: "start: /x/" };
    assert.deepEqual(toolUse.tools[2]?.extras, { format, description: null });
    assert.equal(toolUse.tools[2]?.grammar, undefined);
    assert.equal(toolUse.tools[2]?.description, "The input must match this lark grammar:\nstart: /x/");
    assert.equal(
      parameters.find(({ setting }) => setting === "manner")?.name,
      "tools[2].format",
      "it is told",
    );
    assert.equal(toolUse.isParallel, false);
    assert.deepEqual(toolUse.choice, { kind: "named", name: "crm__find" });
  });

  test("names in namespaces are flat, unique, short and the same every time, and lead back", () => {
    const names = new ToolNames();
    assert.ok(names.add("crm__find"));
    const clash = names.addIn("crm", "find");
    const long = names.addIn("n".repeat(80), "tool");
    const odd = names.addIn("a.b", "tool");
    assert.equal(names.addIn("mcp__x__", "y"), "mcp__x__y");
    assert.equal(names.addIn("crm", "find"), undefined);
    for (const flat of [clash, long, odd]) assert.match(String(flat), /^[\w-]{1,64}$/);
    assert.notEqual(clash, "crm__find");
    assert.deepEqual(names.ownOf(String(clash)), { name: "find", namespace: "crm" });
    assert.deepEqual(names.ownOf(String(long)), { name: "tool", namespace: "n".repeat(80) });
    assert.deepEqual(names.ownOf("crm__find"), { name: "crm__find", namespace: undefined });
    assert.deepEqual(names.ownOf("nobody's"), { name: "nobody's", namespace: undefined });
    assert.equal(names.flatOf("find", "crm"), clash);
    assert.equal(names.flatOf("gone", "crm"), "crm__gone");
    const again = new ToolNames();
    again.add("crm__find");
    assert.equal(again.addIn("crm", "find"), clash);
  });

  test("calls in namespaces have the tool's flat name", () => {
    const { turns } = decode({
      tools: [{ type: "namespace", name: "crm", tools: [{ type: "function", name: "find" }] }],
      input: [call("a", "find", { namespace: "crm" }), output("a")],
    });
    assert.deepEqual(outline({ turns } as unknown as Conversation)[0], ["assistant", "crm__find({}) a"]);
  });

  test("allowed tools", () => {
    const tools = ["f", "g"].map((name) => ({ type: "function", name }));
    const choice = { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "g" }] };
    const { toolUse } = decode({ input: "Q", tools, tool_choice: choice });
    assert.deepEqual(toolUse.choice, { kind: "allowed", names: ["g"], mustCall: true });
  });

  test("what OpenAI would run is named, for whoever may refuse it", () => {
    const tools = [
      { type: "function", name: "f" },
      { type: "web_search" },
      { type: "mcp", server_label: "x" },
    ];
    const request = { input: "Q", tools, tool_choice: { type: "mcp", server_label: "x" } };
    assert.deepEqual(
      decode(request).parameters.map(({ name, setting }) => [name, setting]),
      [
        ["input", "turns"],
        ["tools", "tools"],
        ["tool_choice", "toolChoice"],
        ["tools[1]", "webSearch"],
        ["tools[2]", undefined],
        ["tool_choice", undefined],
      ],
    );
  });
});

describe("settings", () => {
  test("all there are, each under the caller's name", () => {
    const conversation = decode({
      model: "m",
      input: "Q",
      max_output_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      top_logprobs: 2,
      include: ["reasoning.encrypted_content", "message.output_text.logprobs"],
      text: {
        format: { type: "json_schema", name: "a", schema: { type: "object" }, strict: true },
        verbosity: "low",
      },
      reasoning: { effort: "High", summary: "auto", context: "all_turns", mode: "pro" },
      truncation: "auto",
      metadata: { a: "b" },
      service_tier: "flex",
      prompt_cache_key: "k",
      store: false,
      stream: true,
      user: null,
      client_metadata: { x: "y" },
      odd: 1,
    });
    assert.equal(conversation.outputTokens, 100);
    assert.deepEqual(conversation.format, {
      kind: "json_schema",
      name: "a",
      description: undefined,
      schema: { type: "object" },
      isStrict: true,
      schemaPath: "text.format.schema",
    });
    assert.deepEqual(conversation.reasoning, {
      effort: "high",
      budget: undefined,
      isOn: undefined,
      isHidden: false,
      summary: "auto",
    });
    assert.deepEqual(conversation.logprobs, { isWanted: true, alternatives: 2 });
    assert.deepEqual(conversation.sampling.temperature, 0.5);
    assert.deepEqual(
      conversation.parameters.map(({ name, setting }) => [name, setting]),
      [
        ["model", "model"],
        ["input", "turns"],
        ["max_output_tokens", "outputTokens"],
        ["temperature", "temperature"],
        ["top_p", "topP"],
        ["top_logprobs", "logprobAlternatives"],
        ["include", "logprobs"],
        ["text.format", "format"],
        ["text.verbosity", "verbosity"],
        ["reasoning", "reasoning"],
        ["reasoning.context", "manner"],
        ["reasoning.mode", undefined],
        ["truncation", "manner"],
        ["metadata", "metadata"],
        ["service_tier", "serviceTier"],
        ["prompt_cache_key", "promptCacheKey"],
        ["stream", "isStream"],
        ["client_metadata", "manner"],
        ["odd", undefined],
      ],
    );
  });

  test("what Codex always sends asks for nothing other formats lack", () => {
    const { parameters } = decode({
      model: "m",
      instructions: "i",
      input: [],
      tools: [],
      tool_choice: "auto",
      parallel_tool_calls: false,
      reasoning: { effort: "medium", summary: "auto" },
      store: false,
      stream: true,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: "k",
      text: { verbosity: "medium" },
      truncation: "disabled",
    });
    assert.ok(parameters.every(({ setting }) => setting !== undefined && setting !== "manner"));
  });
});

describe("stored state", () => {
  test("is handed out as data", () => {
    const state = stateOf({
      previous_response_id: "resp_1",
      conversation: { id: "conv_1" },
      background: true,
      prompt: { id: "pmpt_1" },
      store: true,
      input: [
        { role: "user", content: "Q" },
        { type: "item_reference", id: "rs_1" },
        { id: "msg_1" },
        { type: null, id: "fc_1" },
        call("a"),
      ],
    });
    assert.deepEqual(state, {
      previousResponseId: "resp_1",
      conversation: "conv_1",
      isBackground: true,
      prompt: { id: "pmpt_1" },
      store: true,
      references: [
        { id: "rs_1", index: 1 },
        { id: "msg_1", index: 2 },
        { id: "fc_1", index: 3 },
      ],
    });
    assert.deepEqual(stateOf({ input: "Q" }), {
      previousResponseId: undefined,
      conversation: undefined,
      isBackground: false,
      prompt: undefined,
      store: undefined,
      references: [],
    });
  });

  test("what was not resolved is refused by name: a lost beginning is no answer", () => {
    const rows: readonly (readonly [object, string])[] = [
      [{ previous_response_id: "resp_1" }, "previous_response_id"],
      [{ conversation: "conv_1" }, "conversation"],
      [{ prompt: { id: "p" } }, "prompt"],
      [{ background: true }, "background"],
      [{ input: [{ type: "item_reference", id: "x" }] }, "input[0]"],
      [{ input: [{ id: "x" }] }, "input[0]"],
    ];
    for (const [request, param] of rows)
      assert.deepEqual(refusal({ input: "Q", ...request }), { code: "unsupported_parameter", param });
    decode({ input: "Q", background: false, previous_response_id: null, conversation: null });
  });
});

test("what is wrong anywhere is refused by its place", () => {
  const one = (item: unknown): object => ({ input: [item] });
  const part = (value: unknown): object => one({ role: "user", content: [value] });
  const rows: readonly (readonly [object, string])[] = [
    [{}, "input"],
    [{ input: 7 }, "input"],
    [one("text"), "input[0]"],
    [one(null), "input[0]"],
    [one({ role: "tool", content: "x" }), "input[0].role"],
    [one({ role: "user", content: 7 }), "input[0].content"],
    [part(7), "input[0].content[0]"],
    [part({ type: "image_url" }), "input[0].content[0].type"],
    [part({ type: "input_text" }), "input[0].content[0].text"],
    [part({ type: "input_image" }), "input[0].content[0].image_url"],
    [part({ type: "input_image", image_url: "ftp://x" }), "input[0].content[0].image_url"],
    [part({ type: "input_file" }), "input[0].content[0].file_data"],
    [part({ type: "input_audio" }), "input[0].content[0].input_audio.data"],
    [one({ type: "function_call", name: "f" }), "input[0].call_id"],
    [one({ type: "function_call", call_id: "a" }), "input[0].name"],
    [one({ type: "function_call_output", output: "x" }), "input[0].call_id"],
    [one(output("a", 7)), "input[0].output"],
    [{ input: "Q", tools: {} }, "tools"],
    [{ input: "Q", tools: [{}] }, "tools[0].type"],
    [{ input: "Q", tools: [{ type: "function", function: { name: "f" } }] }, "tools[0].name"],
    [{ input: "Q", tools: [{ type: "function", name: "f", parameters: 1 }] }, "tools[0].parameters"],
    [
      {
        input: "Q",
        tools: [
          { type: "custom", name: "f" },
          { type: "function", name: "f" },
        ],
      },
      "tools[1]",
    ],
    [{ input: "Q", tools: [{ type: "namespace", name: "n" }] }, "tools[0].tools"],
    [
      { input: "Q", tools: [{ type: "namespace", name: "n", tools: [{ type: "mcp" }] }] },
      "tools[0].tools[0].type",
    ],
    [{ input: "Q", tools: Array.from({ length: 1_025 }, () => ({ type: "mcp" })) }, "tools"],
    [{ input: "Q", tool_choice: "required" }, "tool_choice"],
    [{ input: "Q", tool_choice: { type: "function", name: "f" } }, "tool_choice"],
    [{ input: "Q", tool_choice: 7 }, "tool_choice"],
    [{ input: "Q", text: { format: { type: "xml" } } }, "text.format.type"],
    [{ input: "Q", text: { format: { type: "json_schema", name: "a" } } }, "text.format.schema"],
    [{ input: "Q", reasoning: { effort: 7 } }, "reasoning.effort"],
    [{ input: "Q", max_output_tokens: 0 }, "max_output_tokens"],
    [{ input: "Q", max_output_tokens: "x" }, "max_output_tokens"],
    [{ input: "Q", stop: [7] }, "stop"],
  ];
  for (const [request, param] of rows)
    assert.deepEqual(
      refusal(request),
      { code: "invalid_request", param },
      JSON.stringify(request).slice(0, 200),
    );
});
