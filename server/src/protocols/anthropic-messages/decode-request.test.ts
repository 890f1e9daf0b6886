/** A caller's Messages request as a conversation, and every field that is refused. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addressesOf } from "../../conversation/media.ts";
import { messagesPayloads } from "../payloads/marks.ts";
import { plainSeal } from "../payloads/seal.ts";
import { Untranslatable } from "../untranslatable.ts";
import { createRequestReader, decodeRequest } from "./decode-request.ts";

const user = { role: "user", content: "Hi" };
const bodyOf = (more: object): Buffer =>
  Buffer.from(JSON.stringify({ model: "m", max_tokens: 9, messages: [user], ...more }));
const decoded = (more: object) => decodeRequest(bodyOf(more));
const saying = (...messages: object[]) => decoded({ messages }).turns;
const ephemeral = { type: "ephemeral" };

test("system and messages are turns, each where it stood, with its cache marks", () => {
  const { turns, cache } = decoded({
    cache_control: ephemeral,
    system: [
      { type: "text", text: "Be brief." },
      { type: "text", text: "Always.", cache_control: { type: "ephemeral", ttl: "1h" } },
    ],
    messages: [
      user,
      { role: "assistant", content: [{ type: "text", text: "Yes?" }] },
      { role: "user", content: [{ type: "text", text: "Go", cache_control: ephemeral }] },
      { role: "system", content: "Now in French." },
    ],
  });
  assert.deepEqual(
    turns.map(({ role, path }) => [role, path]),
    [
      ["system", "system"],
      ["user", "messages[0]"],
      ["assistant", "messages[1]"],
      ["user", "messages[2]"],
      ["system", "messages[3].content"],
    ],
  );
  assert.deepEqual(cache, { given: ephemeral, path: "cache_control" });
  const marks = turns.flatMap(({ blocks }) => blocks.map((block) => ("cache" in block ? block.cache : 0)));
  assert.deepEqual(marks, [
    undefined,
    { given: { type: "ephemeral", ttl: "1h" }, path: "system[1].cache_control" },
    undefined,
    undefined,
    { given: ephemeral, path: "messages[2].content[0].cache_control" },
    undefined,
  ]);
  assert.deepEqual(decoded({ system: "", messages: [user] }).turns.length, 1);
});

test("Claude Code's note for Anthropic, which differs each time, is no instruction to others", () => {
  const note = (end: string) => ({
    type: "text",
    text: `x-anthropic-billing-header: cc_version=2; cch=${end};`,
  });
  const rest = { type: "text", text: "You are Claude Code." };
  const [one, other] = ["97bd6", "24c2d"].map((end) => decoded({ system: [note(end), rest] }).turns);
  assert.deepEqual(one, other);
  assert.deepEqual(one?.[0]?.blocks.length, 1);
  assert.equal(decoded({ system: [note("1")] }).turns.length, 1);
  // Said by anyone else it is said.
  assert.equal(saying({ role: "user", content: [note("1")] })[0]?.blocks.length, 1);
});

test("images, documents and search results are blocks anybody has a word for", () => {
  const [turn] = saying({
    role: "user",
    content: [
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      { type: "image", source: { type: "url", url: "https://a.test/1.png" } },
      { type: "image", source: { type: "file", file_id: "file_1" } },
      {
        type: "document",
        title: "a.pdf",
        source: { type: "base64", media_type: "application/pdf", data: "BBBB" },
      },
      { type: "document", source: { type: "url", url: "https://a.test/2.pdf" } },
      { type: "document", title: "T", source: { type: "text", media_type: "text/plain", data: "plain" } },
      {
        type: "document",
        source: { type: "content", content: [{ type: "text", text: "inner" }] },
        cache_control: ephemeral,
      },
      { type: "document", source: { type: "file", file_id: "file_2" } },
      {
        type: "search_result",
        title: "Found",
        source: "https://s.test",
        content: [{ type: "text", text: "Line" }],
      },
    ],
  });
  const blocks = (turn?.blocks ?? []) as unknown as Record<string, unknown>[];
  assert.deepEqual(
    blocks.map(({ kind, source, text, fileId, filename }) => [
      kind,
      source ?? text ?? fileId,
      ...(filename === undefined ? [] : [filename]),
    ]),
    [
      ["image", { kind: "inline", mediaType: "image/png", base64: "AAAA" }],
      ["image", { kind: "url", url: "https://a.test/1.png" }],
      ["stored file", "file_1"],
      ["file", { kind: "inline", mediaType: "application/pdf", base64: "BBBB" }, "a.pdf"],
      ["file", { kind: "url", url: "https://a.test/2.pdf" }],
      ["text", "T\n\nplain"],
      ["text", "inner"],
      ["stored file", "file_2"],
      ["text", "Found\nhttps://s.test\n\nLine"],
    ],
  );
  assert.deepEqual(blocks[6]?.["cache"], { given: ephemeral, path: "messages[0].content[6].cache_control" });
  assert.deepEqual(
    addressesOf(decodeRequest(bodyOf({ messages: [{ role: "user", content: [rawImage] }] }))),
    [{ url: "https://a.test/1.png", param: "messages[0].content[0].source.url", kind: "image" }],
  );
});
const rawImage = { type: "image", source: { type: "url", url: "https://a.test/1.png" } };

const toolUse = (id: string, input: object = {}) => ({ type: "tool_use", id, name: "f", input });
const toolResult = (id: string, more: object = {}) => ({ type: "tool_result", tool_use_id: id, ...more });

test("results of tools come first, with the files, the failure and the name of the call they answer", () => {
  const turns = saying(
    user,
    { role: "assistant", content: [toolUse("a", { x: 1 }), toolUse("b")] },
    { role: "user", content: "Meanwhile" },
    {
      role: "user",
      content: [
        toolResult("a", { content: "42", cache_control: ephemeral }),
        { type: "text", text: "And?" },
        toolResult("b", { is_error: true, content: [{ type: "text", text: "No" }, rawImage] }),
      ],
    },
  );
  assert.deepEqual(
    turns.map(({ role }) => role),
    ["user", "assistant", "tool", "user", "user"],
  );
  const results = turns[2]?.role === "tool" ? turns[2].blocks : [];
  assert.deepEqual(
    results.map(({ callId, name, isError, idPath, cache, content }) => [
      callId,
      name,
      isError,
      idPath,
      cache?.path,
      content.map(({ kind }) => kind),
    ]),
    [
      [
        "a",
        "f",
        undefined,
        "messages[3].content[0].tool_use_id",
        "messages[3].content[0].cache_control",
        ["text"],
      ],
      ["b", "f", true, "messages[3].content[2].tool_use_id", undefined, ["text", "image"]],
    ],
  );
  assert.deepEqual(
    saying(user, { role: "assistant", content: [toolUse("a")] }, { role: "user", content: [toolResult("a")] })
      .length,
    3,
  );
});

test("two messages of the assistant's in a row are one turn; a number of many digits keeps them", () => {
  const text =
    '{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Q"},{"role":"assistant","content":"Wait."},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"id":12345678901234567890}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}]}';
  const { turns } = decodeRequest(Buffer.from(text));
  assert.deepEqual(
    turns.map(({ role }) => role),
    ["user", "assistant", "tool"],
  );
  const call = turns[1]?.blocks[1];
  assert.ok(call?.kind === "tool call");
  assert.equal(call.arguments, '{"id":12345678901234567890}');
});

test("thoughts: Anthropic's own byte for byte, ours opened, of others nothing but the words", () => {
  const gemini = { format: "google-gemini-v1", id: "text", data: "sig" };
  const signed = { text: "said twice", signature: "s", format: "vendor-v1", model: "m" };
  const twice = messagesPayloads.write([signed], plainSeal);
  const ours = messagesPayloads.write([gemini, { call: "a", data: "call signature" }], plainSeal);
  const [, turn] = saying(
    user,
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm", signature: "EqQB+/=" },
        { type: "redacted_thinking", data: "b3Bh" },
        { type: "thinking", thinking: "words", signature: ours },
        { type: "thinking", thinking: "stale", signature: "plaza-thinking-9.x" },
        { type: "thinking", thinking: "bare", signature: "" },
        { type: "thinking", thinking: "said twice", signature: twice },
        toolUse("a"),
      ],
    },
    { role: "user", content: [toolResult("a")] },
  );
  const blocks = (turn?.blocks ?? []) as unknown as Record<string, unknown>[];
  const said = blocks.map((block) =>
    Object.fromEntries(
      Object.entries(block).filter(
        ([name, value]) => value !== undefined && !/kind|Path|arguments|isCustom/.test(name),
      ),
    ),
  );
  assert.deepEqual(said, [
    { text: "Hm", signature: "EqQB+/=", format: "anthropic-claude-v1" },
    { data: "b3Bh", format: "anthropic-claude-v1" },
    { text: "words" },
    gemini,
    { text: "stale" },
    { text: "bare" },
    signed,
    { id: "a", name: "f", signature: "call signature" },
  ]);
});

test("what only Anthropic knows is left out and told; nothing unknown is refused", () => {
  const { conversation } = createRequestReader()(
    bodyOf({
      tools: [
        { type: "web_search_20250305", name: "web_search" },
        { name: "f", input_schema: { type: "object" }, defer_loading: true, eager_input_streaming: true },
      ],
      context_management: { edits: [] },
      container: "c",
      brand_new: 1,
      metadata: { user_id: "u", other: 1 },
      service_tier: "standard_only",
      speed: "standard",
      messages: [
        { role: "user", content: "Q" },
        {
          role: "assistant",
          content: [
            { type: "server_tool_use", id: "s", name: "web_search", input: {} },
            { type: "web_search_tool_result", tool_use_id: "s", content: [] },
            {
              type: "text",
              text: "Found",
              citations: [{ type: "web_search_result_location", url: "https://c.test", title: "C" }],
            },
          ],
        },
        {
          role: "user",
          content: [
            { type: "invented_later", x: 1 },
            { type: "text", text: "More" },
          ],
        },
      ],
    }),
  );
  assert.deepEqual(
    conversation.parameters.map(({ name, setting }) => [name, setting]),
    [
      ["model", "model"],
      ["max_tokens", "outputTokens"],
      ["messages", "turns"],
      ["tools", "tools"],
      ["context_management", "manner"],
      ["container", "manner"],
      ["brand_new", "manner"],
      ["metadata.user_id", "user"],
      ["metadata.other", "manner"],
      ["service_tier", "serviceTier"],
      ["tools[0]", "manner"],
      ["messages[1].content[0]", "manner"],
      ["messages[1].content[1]", "manner"],
      ["messages[2].content[0]", "manner"],
    ],
  );
  assert.deepEqual(conversation.toolUse.tools[0]?.extras, {
    defer_loading: true,
    eager_input_streaming: true,
  });
  const citation = conversation.turns[1]?.blocks[1];
  assert.deepEqual(citation, {
    kind: "citation",
    citation: { url: "https://c.test", title: "C", start: 0, end: 5 },
  });
});

test("a tool only Anthropic knows is wanted where it stands alone or is chosen, else offered", () => {
  const search = { type: "web_search_20250305", name: "web_search" };
  const own = { name: "f", input_schema: { type: "object" } };
  const settingOf = (more: object): unknown =>
    decoded(more).parameters.find(({ name }) => name === "tools[0]")?.setting;
  const choices: [choice: object | undefined, setting: string | undefined][] = [
    [undefined, "manner"],
    [{ type: "auto" }, "manner"],
    [{ type: "any" }, "manner"],
    [{ type: "none" }, "manner"],
    [{ type: "tool", name: "f" }, "manner"],
    [{ type: "tool", name: "web_search" }, undefined],
  ];
  for (const [tool_choice, setting] of choices)
    assert.equal(settingOf({ tools: [search, own], tool_choice }), setting, JSON.stringify(tool_choice));
  assert.equal(settingOf({ tools: [search] }), undefined);
});

test("a tool that is made available among the messages is one of the tools", () => {
  const added = (tool: object) => ({ role: "system", content: [{ type: "tool_addition", tool }] });
  const own = (name: string) => ({ name, input_schema: { type: "object" } });
  const { toolUse, parameters, turns } = decoded({
    tools: [{ ...own("f"), defer_loading: true }],
    messages: [
      { role: "user", content: "Q" },
      added({ type: "tool_reference", name: "f" }),
      added({ type: "tool_definition", definition: own("g") }),
    ],
    tool_choice: { type: "tool", name: "g" },
  });
  assert.deepEqual(
    toolUse.tools.map(({ name, path }) => [name, path]),
    [
      ["f", "tools[0]"],
      ["g", "messages[2].content[0].tool.definition"],
    ],
  );
  assert.ok(!parameters.some(({ name }) => name.startsWith("messages[")));
  assert.deepEqual(
    turns.map(({ role }) => role),
    ["user"],
  );
  const search = { type: "web_search_20250305", name: "web_search" };
  const hosted = decoded({
    messages: [{ role: "user", content: "Q" }, added({ type: "tool_definition", definition: search })],
  });
  const path = "messages[1].content[0].tool.definition";
  assert.ok(hosted.parameters.some(({ name, setting }) => name === path && setting === undefined));
});

test("thinking, effort, format, choice and sampling by the conversation's words", () => {
  const reasoning = (more: object) => decoded(more).reasoning;
  const rows: readonly (readonly [
    object,
    string | undefined,
    number | undefined,
    boolean | undefined,
    boolean,
  ])[] = [
    [{}, undefined, undefined, undefined, false],
    [{ thinking: { type: "enabled", budget_tokens: 2_000 } }, "low", 2_000, true, false],
    [{ thinking: { type: "enabled", budget_tokens: 31_999 } }, "high", 31_999, true, false],
    [{ thinking: { type: "adaptive", display: "omitted" } }, undefined, undefined, true, true],
    [{ thinking: { type: "adaptive" }, output_config: { effort: "xhigh" } }, "xhigh", undefined, true, false],
    [
      { thinking: { type: "disabled" }, output_config: { effort: "high" } },
      undefined,
      undefined,
      false,
      false,
    ],
    [{ thinking: { type: "between_tools" } }, undefined, undefined, false, false],
  ];
  for (const [more, effort, budget, isOn, isHidden] of rows)
    assert.deepEqual(
      reasoning(more),
      { effort, budget, isOn, isHidden, isOptional: true },
      JSON.stringify(more),
    );
  const schema = { type: "object" };
  for (const more of [
    { output_config: { format: { type: "json_schema", schema } } },
    { output_format: { type: "json_schema", schema } },
  ])
    assert.equal(decoded(more).format.kind, "json_schema");
  const tools = [{ name: "f", input_schema: schema }];
  const choice = (tool_choice: object) => decoded({ tools, tool_choice }).toolUse;
  assert.deepEqual(choice({ type: "any" }).choice, { kind: "required" });
  assert.deepEqual(choice({ type: "tool", name: "f" }).choice, { kind: "named", name: "f" });
  assert.deepEqual(choice({ type: "auto", disable_parallel_tool_use: true }).isParallel, false);
  const { sampling, stop, outputTokens } = decoded({
    temperature: 0.5,
    top_p: "x",
    top_k: 4,
    stop_sequences: ["a", "a", "b"],
  });
  assert.deepEqual([sampling.temperature, sampling.topP, sampling.topK], [0.5, Number.NaN, 4]);
  assert.deepEqual([stop, outputTokens], [["a", "b"], 9]);
});

describe("a request that makes no sense", () => {
  const rows: readonly (readonly [more: object, param: string])[] = [
    [{ max_tokens: undefined }, "max_tokens"],
    [{ max_tokens: "9" }, "max_tokens"],
    [{ max_tokens: 0.5 }, "max_tokens"],
    [{ max_tokens: 0 }, "max_tokens"],
    [{ messages: "Hi" }, "messages"],
    [{ messages: [7] }, "messages[0]"],
    [{ messages: [{ role: "tool", content: "" }] }, "messages[0].role"],
    [{ messages: [{ role: "user", content: 7 }] }, "messages[0].content"],
    [{ messages: [{ role: "user", content: [{ text: "x" }] }] }, "messages[0].content[0].type"],
    [{ messages: [{ role: "user", content: [{ type: "text" }] }] }, "messages[0].content[0].text"],
    [{ messages: [{ role: "user", content: [toolUse("a")] }] }, "messages[0].content[0]"],
    [{ messages: [{ role: "assistant", content: [toolResult("a")] }] }, "messages[0].content[0]"],
    [
      { messages: [{ role: "assistant", content: [{ type: "tool_use", name: "f" }] }] },
      "messages[0].content[0].id",
    ],
    [
      { messages: [{ role: "user", content: [{ type: "tool_result" }] }] },
      "messages[0].content[0].tool_use_id",
    ],
    [
      { messages: [{ role: "user", content: [{ type: "image", source: { type: "ftp" } }] }] },
      "messages[0].content[0].source.type",
    ],
    [
      { messages: [{ role: "user", content: [{ type: "image", source: { type: "url", url: "file:x" } }] }] },
      "messages[0].content[0].source.url",
    ],
    [{ tools: [{ name: "f" }] }, "tools[0].input_schema"],
    [{ tools: [{ name: "f", input_schema: { type: "array" } }] }, "tools[0].input_schema.type"],
    [{ tools: [{ input_schema: {} }] }, "tools[0].name"],
    [
      {
        tools: [
          { name: "f", input_schema: {} },
          { name: "f", input_schema: {} },
        ],
      },
      "tools[1]",
    ],
    [{ tool_choice: { type: "tool", name: "g" } }, "tool_choice.name"],
    [{ tool_choice: "auto" }, "tool_choice.type"],
    [{ tool_choice: { type: "any" } }, "tool_choice"],
    [{ thinking: { type: "enabled" } }, "thinking.budget_tokens"],
    [{ thinking: { type: "deep" } }, "thinking.type"],
    [{ output_config: { effort: 7 } }, "output_config.effort"],
    [{ output_config: { format: { type: "json_object" } } }, "output_config.format.type"],
    [{ output_config: { format: { type: "json_schema" } } }, "output_config.format.schema"],
    [{ stop_sequences: "x" }, "stop_sequences"],
  ];
  for (const [more, param] of rows) {
    test(`is refused by ${param}: ${JSON.stringify(more)}`, () => {
      assert.throws(
        () => decoded(more),
        (error) => error instanceof Untranslatable && error.param === param && error.message !== "",
      );
    });
  }
});

test("a request to count says nothing of the answer", () => {
  const body = Buffer.from(JSON.stringify({ model: "m", messages: [user] }));
  assert.equal(createRequestReader({ isCount: true })(body).conversation.outputTokens, undefined);
});
