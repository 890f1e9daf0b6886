/** Chat requests as conversations, and what is refused before any encoder. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AssistantBlock } from "../../conversation/blocks.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { Untranslatable } from "../untranslatable.ts";
import { decodeRequest } from "./decode-request.ts";

type Fields = Readonly<Record<string, unknown>>;

const decode = (body: Fields): Conversation =>
  decodeRequest(Buffer.from(JSON.stringify({ model: "m", messages: [], ...body })));

/** The blocks of the last message. */
const blocksOf = (...messages: Fields[]): readonly AssistantBlock[] =>
  decode({ messages }).turns.at(-1)?.blocks as readonly AssistantBlock[];

const call = (id: string, more: Fields = {}): Fields => ({
  id,
  type: "function",
  function: { name: "f", arguments: "{}" },
  ...more,
});

describe("turns", () => {
  test("an assistant's blocks stand in the order they were said in", () => {
    const blocks = blocksOf({
      role: "assistant",
      content: [{ type: "text", text: "Looking." }],
      refusal: "No.",
      images: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }],
      annotations: [
        { type: "url_citation", url_citation: { url: "https://a.test", start_index: 1, end_index: 2 } },
      ],
      reasoning_details: [
        {
          type: "reasoning.text",
          text: "Hm.",
          signature: "s",
          format: "anthropic-claude-v1",
          model: "claude-x",
        },
        { type: "reasoning.encrypted", data: "d", calls_before: 1 },
        { type: "reasoning.text", text: "After all.", calls_before: 9 },
      ],
      tool_calls: [call("a", { extra_content: { google: { thought_signature: "sig" } } }), call("b")],
    });
    assert.deepEqual(
      blocks.map((block) => {
        if (block.kind === "tool call") return `call ${block.id} ${block.signature}`;
        if (block.kind === "reasoning")
          return `${block.text ?? block.data} ${block.signature} ${block.model}`;
        return block.kind;
      }),
      [
        "Hm. s claude-x",
        "text",
        "refusal",
        "citation",
        "made image",
        "call a sig",
        "d undefined undefined",
        "call b undefined",
        "After all. undefined undefined",
      ],
    );
  });

  test("plain reasoning is there once: what is signed says the same", () => {
    const plain = { role: "assistant", content: "x", reasoning_content: "Hm." };
    const [thought, ...rest] = blocksOf(plain);
    assert.equal(thought?.kind === "reasoning" && thought.text, "Hm.");
    assert.equal(rest.length, 1);
    const signed = [{ type: "thinking", thinking: "Hm.", signature: "s" }];
    const both = blocksOf({ ...plain, thinking_blocks: signed });
    assert.deepEqual(
      both.map((block) => block.kind === "reasoning" && block.signature),
      ["s", false],
    );
  });

  test("results know the name of what they answer and where their id stood; old roles are read as the new ones", () => {
    const { turns } = decode({
      messages: [
        { role: "developer", content: "d" },
        { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
        { role: "function", name: "f", content: "old" },
        { role: "assistant", content: null, tool_calls: [call("a")] },
        { role: "tool", tool_call_id: "a", content: "new" },
      ],
    });
    assert.deepEqual(
      turns.map(({ role, blocks }) => [role, ...blocks.map(({ kind }) => kind)]),
      [
        ["system", "text"],
        ["assistant", "tool call"],
        ["tool", "tool result"],
        ["assistant", "tool call"],
        ["tool", "tool result"],
      ],
    );
    const results = turns.flatMap(({ blocks }) => blocks.filter((block) => block.kind === "tool result"));
    assert.deepEqual(
      results.map(({ callId, name, idPath }) => [callId, name, idPath]),
      [
        ["call_1", "f", "messages[2]"],
        ["a", "f", "messages[4].tool_call_id"],
      ],
    );
    assert.equal(turns[0]?.role === "system" && turns[0].isDeveloper, true);
  });

  test("blocks say where they stood, what marks them, and what nobody here has a word for", () => {
    const mark = { type: "ephemeral", ttl: "1h" };
    const [text, image, file, audio] = blocksOf({
      role: "user",
      content: [
        { type: "input_text", text: "Hi", cache_control: mark, x_new: [1] },
        { type: "image_url", image_url: { url: "https://a.test/i.png", detail: "low" } },
        { type: "file", file: { file_data: "JVBERi0=", filename: "a.pdf" } },
        { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
      ],
    });
    assert.deepEqual(text, {
      kind: "text",
      text: "Hi",
      path: "messages[0].content[0]",
      cache: { given: mark, path: "messages[0].content[0].cache_control" },
      extras: { x_new: [1] },
    });
    assert.ok(image?.kind === "image" && file?.kind === "file" && audio?.kind === "audio");
    assert.deepEqual(image.source, { kind: "url", url: "https://a.test/i.png" });
    assert.equal(image.sourcePath, "messages[0].content[1].image_url.url");
    assert.deepEqual(file.source, { kind: "inline", mediaType: "application/pdf", base64: "JVBERi0=" });
    assert.deepEqual([audio.format, audio.dataPath], ["mp3", "messages[0].content[3].input_audio.data"]);
  });
});

describe("settings", () => {
  test("everything sent is accounted for, in the caller's order, under the model's name where it has one", () => {
    const { parameters } = decode({
      zzz: 1,
      max_tokens: 5,
      seed: null,
      functions: [],
      thinking: { type: "x" },
    });
    assert.deepEqual(
      parameters.map(({ name, setting }) => [name, setting]),
      [
        ["model", "model"],
        ["messages", "turns"],
        ["zzz", undefined],
        ["max_tokens", "outputTokens"],
        ["functions", "tools"],
        ["thinking", undefined],
      ],
    );
  });

  test("a number that is none is known to be none, and refused by who would use it", () => {
    const { sampling, logprobs, reasoning } = decode({
      temperature: 0,
      seed: "7",
      top_logprobs: {},
      reasoning: { max_tokens: "many", enabled: false, exclude: true, effort: "HIGH" },
    });
    assert.deepEqual([sampling.temperature, sampling.seed, sampling.topP], [0, Number.NaN, undefined]);
    assert.deepEqual(logprobs, { isWanted: false, alternatives: Number.NaN });
    assert.deepEqual(reasoning, { effort: "high", budget: Number.NaN, isOn: false, isHidden: true });
  });

  test("tools of both generations, with their marks and grammars", () => {
    const grammar = { type: "grammar", grammar: { syntax: "lark", definition: "x" } };
    const { toolUse } = decode({
      tools: [
        { type: "function", function: { name: "f", strict: true, cache_control: { type: "ephemeral" } } },
        { type: "custom", custom: { name: "c", format: grammar } },
        { type: "custom", custom: { name: "any", format: { type: "text" } } },
      ],
      functions: [{ name: "old" }],
      function_call: { name: "old" },
      parallel_tool_calls: false,
    });
    assert.deepEqual(
      toolUse.tools.map(({ name, isStrict, isCustom, grammar: made, cache }) => [
        name,
        isStrict,
        isCustom,
        made,
        cache?.path,
      ]),
      [
        ["f", true, false, undefined, "tools[0].function.cache_control"],
        ["c", false, true, grammar, undefined],
        ["any", false, true, undefined, undefined],
        ["old", false, false, undefined, undefined],
      ],
    );
    assert.deepEqual(toolUse.choice, { kind: "named", name: "old" });
    assert.deepEqual([toolUse.isParallel, toolUse.hasRoomForOne], [false, true]);
  });

  test("a body is read once", () => {
    const body = Buffer.from('{"messages":[{"role":"user","content":"x"}]}');
    assert.equal(decodeRequest(body), decodeRequest(body));
    assert.notEqual(decodeRequest(body), decodeRequest(Buffer.from(body)));
  });
});

test("a setting has the name the caller sent it by, the one of today where both are sent", () => {
  const own = (body: Fields) => {
    const { outputTokens, tools, toolChoice, effort } = decode(body).names;
    return [outputTokens, tools, toolChoice, effort];
  };
  const today = ["max_completion_tokens", "tools", "tool_choice", "reasoning_effort"];
  const functions = [{ name: "f" }];
  assert.deepEqual(own({}), today);
  assert.deepEqual(own({ max_tokens: null, function_call: null }), today);
  assert.deepEqual(own({ max_tokens: 1, functions, function_call: "auto", reasoning: { effort: "low" } }), [
    "max_tokens",
    "functions",
    "function_call",
    "reasoning.effort",
  ]);
  const both = {
    max_completion_tokens: 1,
    max_tokens: 1,
    reasoning_effort: "low",
    reasoning: { effort: "low" },
  };
  assert.deepEqual(own(both), today);
});

test("what is wrong everywhere is refused here, by its path", () => {
  const user = (...content: unknown[]): Fields => ({ messages: [{ role: "user", content }] });
  const rows: readonly (readonly [body: Fields, param: string])[] = [
    [{ messages: [7] }, "messages[0]"],
    [{ messages: [{ role: "nobody" }] }, "messages[0].role"],
    [{ messages: [{ role: "user", content: 7 }] }, "messages[0].content"],
    [user({ type: "text" }), "messages[0].content[0].text"],
    [user({ type: "video" }), "messages[0].content[0].type"],
    [user({ type: "image_url", image_url: { url: "ftp://x" } }), "messages[0].content[0].image_url.url"],
    [user({ type: "input_audio", input_audio: {} }), "messages[0].content[0].input_audio.data"],
    [user({ type: "file", file: { file_url: "x y" } }), "messages[0].content[0].file.file_url"],
    [{ messages: [{ role: "assistant", tool_calls: {} }] }, "messages[0].tool_calls"],
    [{ messages: [{ role: "assistant", tool_calls: [call("")] }] }, "messages[0].tool_calls[0].id"],
    [{ messages: [{ role: "tool", content: "x" }] }, "messages[0].tool_call_id"],
    [{ messages: [{ role: "function", content: "x" }] }, "messages[0]"],
    [{ tools: [{ type: "magic" }] }, "tools[0].type"],
    [{ tools: [{ type: "function", function: {} }] }, "tools[0].function.name"],
    [{ functions: [{ name: "f", parameters: 7 }] }, "functions[0].parameters"],
    [{ functions: [{ name: "f" }, { name: "f" }] }, "functions[1]"],
    [{ tool_choice: "required" }, "tool_choice"],
    [{ tool_choice: { type: "function", function: { name: "f" } } }, "tool_choice"],
    [{ function_call: 7 }, "function_call"],
    [{ response_format: { type: "xml" } }, "response_format.type"],
    [{ response_format: { type: "json_schema" } }, "response_format.json_schema.schema"],
    [{ stop: Array.from({ length: 17 }, String) }, "stop"],
    [{ n: 0 }, "n"],
    [{ max_tokens: "5" }, "max_tokens"],
    [{ reasoning_effort: 3 }, "reasoning_effort"],
    [{ reasoning: { effort: 3 } }, "reasoning.effort"],
    [{ function_call: "required" }, "function_call"],
  ];
  for (const [body, param] of rows) {
    assert.throws(
      () => decode(body),
      (error) => {
        assert.ok(error instanceof Untranslatable, JSON.stringify(body));
        assert.deepEqual([error.code, error.param], ["invalid_request", param]);
        return true;
      },
    );
  }
});
