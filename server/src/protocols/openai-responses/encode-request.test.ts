/** Conversations as bodies of Responses calls: always stateless, and with the same start turn by turn. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AssistantBlock, ReasoningBlock } from "../../conversation/blocks.ts";
import type { Conversation, Turn } from "../../conversation/conversation.ts";
import {
  assistant,
  call,
  conversationOf,
  results,
  user,
  words,
} from "../../conversation/testing/conversations.ts";
import type { Tool } from "../../conversation/tools.ts";
import { decodeRequest as decodeChat } from "../openai-chat/decode-request.ts";
import type { EncodeContext, ReplayMemory } from "../protocol.ts";
import { Untranslatable } from "../untranslatable.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeRequest } from "./encode-request.ts";
import { factsOf, type ModelFacts } from "./models.ts";
import { rememberItems } from "./opaque-reasoning.ts";
import { randomOf } from "./testing/answers.ts";

type Fields = Record<string, unknown>;

const model = "gpt-5.6-sol";

const encode = (
  more: Partial<Conversation> = {},
  context: Partial<EncodeContext> = {},
  to = model,
  facts?: ModelFacts,
) => encodeRequest(conversationOf(more), { isStream: false, ...context }, to, facts);
const bodyOf = (...given: Parameters<typeof encode>): Fields => encode(...given).body;
const inputOf = (turns: readonly Turn[], context: Partial<EncodeContext> = {}, to = model): Fields[] =>
  bodyOf({ turns }, context, to)["input"] as Fields[];

const ofChat = (request: object): Conversation =>
  decodeChat(Buffer.from(JSON.stringify({ messages: [{ role: "user", content: "Q" }], ...request })));
const fromChat = (request: object, context: Partial<EncodeContext> = {}, to = model) =>
  encodeRequest(ofChat(request), { isStream: false, ...context }, to);

function refusal(run: () => unknown): { code: string; param: string } {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof Untranslatable, String(error));
    return { code: error.code, param: error.param };
  }
  assert.fail("accepted");
}

const opaque = (data: string, more: Partial<ReasoningBlock> = {}): AssistantBlock => ({
  kind: "reasoning",
  text: undefined,
  signature: undefined,
  data,
  format: "openai-responses-v1",
  model,
  id: undefined,
  ...more,
});
const custom = (id: string, input: string): AssistantBlock =>
  ({ ...call(id, "patch", input), isCustom: true }) as AssistantBlock;
const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: undefined,
  parameters: undefined,
  isStrict: false,
  isCustom: false,
  grammar: undefined,
  cache: undefined,
  path: name,
  declarationPath: name,
  extras: undefined,
  ...more,
});

test("a call is stateless, and asks for reasoning it can send back", () => {
  assert.deepEqual(bodyOf({}, { isStream: true }), {
    model,
    store: false,
    stream: true,
    include: ["reasoning.encrypted_content"],
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] }],
  });
  // Models that do not reason refuse reasoning settings.
  for (const plain of ["gpt-4.1", "openai/gpt-4o-mini", "gpt-5-chat-latest"])
    assert.equal(bodyOf({}, {}, plain)["include"], undefined);
  for (const name of ["o4-mini", "my-deployment", "grok-4"]) assert.ok(bodyOf({}, {}, name)["include"]);
});

describe("turns", () => {
  test("become items in order, parallel calls and custom ones with their outputs", () => {
    const turns: Turn[] = [
      {
        role: "system",
        isDeveloper: true,
        path: "s",
        cache: undefined,
        extras: undefined,
        blocks: [words("Rules")],
      },
      user(words("Q")),
      assistant(words("Looking"), words("."), call("a"), call("b", "g", ""), custom("c", "*** Begin")),
      results("a", "b", "c"),
      assistant({ ...words("No."), kind: "refusal" } as AssistantBlock),
      user(words("Why?")),
    ];
    assert.deepEqual(inputOf(turns), [
      { type: "message", role: "developer", content: [{ type: "input_text", text: "Rules" }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Q" }] },
      {
        type: "message",
        role: "assistant",
        content: [
          { type: "output_text", text: "Looking" },
          { type: "output_text", text: "." },
        ],
      },
      { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
      { type: "function_call", call_id: "b", name: "g", arguments: "{}" },
      { type: "custom_tool_call", call_id: "c", name: "patch", input: "*** Begin" },
      { type: "function_call_output", call_id: "a", output: "result of a" },
      { type: "function_call_output", call_id: "b", output: "result of b" },
      { type: "custom_tool_call_output", call_id: "c", output: "result of c" },
      { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Why?" }] },
    ]);
  });

  test("ids of calls too long for OpenAI are shortened on both sides alike", () => {
    const id = "x".repeat(100);
    const [, sent, result] = inputOf([user(words("Q")), assistant(call(id)), results(id)]);
    assert.match(String(sent?.["call_id"]), /^call_[0-9a-f]{40}$/);
    assert.equal(result?.["call_id"], sent?.["call_id"]);
  });

  test("files inline and by address; what cannot be said is refused by its place", () => {
    const body = encodeRequest(
      ofChat({
        messages: [
          {
            role: "user",
            content: [
              { type: "image_url", image_url: { url: "https://a.test/1.png", detail: "low" } },
              { type: "file", file: { file_data: "data:application/pdf;base64,AAAA" } },
              { type: "file", file: { file_id: "file_1" } },
            ],
          },
        ],
      }),
      { isStream: false },
      model,
    ).body;
    assert.deepEqual((body["input"] as Fields[])[0]?.["content"], [
      { type: "input_image", image_url: "https://a.test/1.png", detail: "low" },
      { type: "input_file", filename: "file.pdf", file_data: "data:application/pdf;base64,AAAA" },
      { type: "input_file", file_id: "file_1" },
    ]);
    const audio = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
    const asked = { messages: [{ role: "user", content: [audio] }] };
    assert.equal(refusal(() => fromChat(asked)).param, "messages[0].content[0].input_audio");
  });

  test("results without calls, and calls without results, are refused by their places", () => {
    const alone = [user(words("Q")), results("a")];
    const open = [user(words("Q")), assistant(call("a")), user(words("?"))];
    const twice = [user(words("Q")), assistant(call("a")), results("a", "a")];
    assert.deepEqual(
      refusal(() => inputOf(alone)),
      { code: "invalid_request", param: "results.a" },
    );
    assert.deepEqual(
      refusal(() => inputOf(open)),
      { code: "invalid_request", param: "assistant.calls" },
    );
    assert.deepEqual(
      refusal(() => inputOf(twice)),
      { code: "invalid_request", param: "results.a" },
    );
    assert.equal(refusal(() => inputOf([])).param, "the turns");
  });

  test("one turn more begins with the same bytes: 300 random conversations", () => {
    const first = Date.now() % 1_000_000;
    for (let seed = first; seed < first + 300; seed += 1) {
      const random = randomOf(seed);
      const turns: Turn[] = [];
      for (let step = 0; step < 6; step += 1) {
        turns.push(user(words(`Q${random(9)}`)));
        const id = `c${step}`;
        const blocks = [
          ...(random(2) === 0 ? [opaque(`d${random(9)}`)] : []),
          ...(random(2) === 0 ? [words("said")] : []),
          call(id),
        ];
        turns.push(assistant(...blocks), results(id), assistant(words("Done.")));
      }
      let before = "";
      for (let length = 4; length <= turns.length; length += 4) {
        const text = JSON.stringify(inputOf(turns.slice(0, length))).slice(0, -1);
        assert.ok(text.startsWith(before), `seed ${seed}`);
        before = text;
      }
    }
  });
});

describe("reasoning", () => {
  const turnsWith = (...blocks: AssistantBlock[]): Turn[] => [
    user(words("Q")),
    assistant(...blocks, call("a")),
    results("a"),
  ];
  const reasoningIn = (turns: readonly Turn[], to = model, memory?: ReplayMemory): Fields[] =>
    inputOf(turns, { memory }, to).filter(({ type }) => type === "reasoning");

  test("goes back in its place to the model that made it, and to nobody else", () => {
    const turns = turnsWith(opaque("d1", { id: "rs_0a1" }), words("said"), opaque("d2"));
    assert.deepEqual(
      inputOf(turns).map(({ type }) => type),
      ["message", "reasoning", "message", "reasoning", "function_call", "function_call_output"],
    );
    assert.deepEqual(reasoningIn(turns), [
      { type: "reasoning", id: "rs_0a1", summary: [], encrypted_content: "d1" },
      { type: "reasoning", summary: [], encrypted_content: "d2" },
    ]);
    assert.deepEqual(reasoningIn(turns, "gpt-5.5"), []);
    assert.deepEqual(reasoningIn(turnsWith(opaque("d", { format: "anthropic-claude-v1" }))), []);
    assert.deepEqual(reasoningIn(turnsWith(opaque("d", { format: undefined }))), []);
    assert.deepEqual(
      reasoningIn(turnsWith(opaque("d", { format: "xai-responses-v1", model: "grok-4" })), "grok-4"),
      [{ type: "reasoning", summary: [], encrypted_content: "d" }],
    );
  });

  test("ids that are not OpenAI's own stay away from content that knows another", () => {
    const [item] = reasoningIn(turnsWith(opaque("d", { id: "rs_1_0" })));
    assert.deepEqual(item, { type: "reasoning", summary: [], encrypted_content: "d" });
  });

  test("words alone go back to models that take them, hidden ones without content to nobody", () => {
    const plain: AssistantBlock = { ...(opaque("") as ReasoningBlock), text: "Hm", data: undefined };
    assert.deepEqual(reasoningIn(turnsWith(plain)), []);
    assert.deepEqual(reasoningIn(turnsWith(plain), "gpt-oss-120b"), [
      { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Hm" }] },
    ]);
  });

  test("is not sent where nothing follows it", () => {
    const turns = [user(words("Q")), assistant(words("said"), opaque("d")), user(words("?"))];
    assert.deepEqual(reasoningIn(turns), []);
    assert.deepEqual(reasoningIn([user(words("Q")), assistant(opaque("d")), user(words("?"))]), []);
  });

  test("is remembered by call for clients that drop it, and is then the same", () => {
    const kept = new Map<string, string>();
    const memory: ReplayMemory = {
      recall: (id) => kept.get(id),
      remember: (id, value) => void kept.set(id, value),
    };
    const reader = { model, facts: factsOf(model) };
    rememberItems(memory, "a", reader, [{ id: "rs_0a1", data: "d1" }]);
    rememberItems(memory, "b", reader, []);
    const dropped = [user(words("Q")), assistant(words("said"), call("a"), call("b")), results("a", "b")];
    assert.deepEqual(
      inputOf(dropped, { memory }).map(({ type }) => type),
      [
        "message",
        "reasoning",
        "message",
        "function_call",
        "function_call",
        "function_call_output",
        "function_call_output",
      ],
    );
    assert.deepEqual(reasoningIn(dropped, "gpt-5.5", memory), []);
    kept.set("a", "not JSON");
    assert.deepEqual(reasoningIn(dropped, model, memory), []);
  });
});

describe("tools", () => {
  test("say their strictness, always; names, choices and parallelism", () => {
    const parameters = { type: "object", properties: { x: {} } };
    const toolUse = {
      tools: [
        tool("f", { parameters, isStrict: true, description: "d" }),
        tool("g"),
        tool("patch", {
          isCustom: true,
          grammar: { type: "grammar", grammar: { syntax: "lark", definition: "x" } },
        }),
      ],
      choice: { kind: "allowed", names: ["g", "patch"], mustCall: true } as const,
      isParallel: true,
      hasRoomForOne: true,
    };
    const body = bodyOf({ toolUse });
    assert.deepEqual(body["tools"], [
      { type: "function", name: "f", description: "d", parameters, strict: true },
      { type: "function", name: "g", parameters: { type: "object", properties: {} }, strict: false },
      { type: "custom", name: "patch", format: { type: "grammar", syntax: "lark", definition: "x" } },
    ]);
    assert.deepEqual(body["tool_choice"], {
      type: "allowed_tools",
      mode: "required",
      tools: [
        { type: "function", name: "g" },
        { type: "custom", name: "patch" },
      ],
    });
    assert.equal(body["parallel_tool_calls"], false);
    const named = bodyOf({ toolUse: { ...toolUse, choice: { kind: "named", name: "f" } } });
    assert.deepEqual(named["tool_choice"], { type: "function", name: "f" });
    assert.equal(bodyOf({})["tool_choice"], undefined);
  });
});

describe("settings", () => {
  test("of a chat caller, in Responses' words", () => {
    const { body, dropped } = fromChat({
      max_tokens: 100,
      reasoning_effort: "high",
      verbosity: "low",
      response_format: { type: "json_schema", json_schema: { name: "a", schema: { type: "object" } } },
      metadata: { a: "b" },
      service_tier: "flex",
      prompt_cache_key: "k",
      safety_identifier: "s",
      logprobs: true,
      top_logprobs: 3,
      store: true,
      seed: 7,
      temperature: 1,
      top_p: 0.5,
      presence_penalty: 0,
      n: 1,
    });
    const { input: _, ...rest } = body;
    assert.deepEqual(rest, {
      model,
      store: false,
      include: ["reasoning.encrypted_content", "message.output_text.logprobs"],
      max_output_tokens: 100,
      reasoning: { effort: "high" },
      top_logprobs: 3,
      text: {
        format: { type: "json_schema", name: "a", schema: { type: "object" }, strict: false },
        verbosity: "low",
      },
      metadata: { a: "b" },
      service_tier: "flex",
      prompt_cache_key: "k",
      safety_identifier: "s",
    });
    assert.deepEqual(dropped, ["store", "seed", "top_p"]);
    const sampled = fromChat({ temperature: 0.5, reasoning_effort: "none" });
    assert.equal(sampled.body["temperature"], 0.5);
    assert.equal(fromChat({ temperature: 0.5 }, {}, "gpt-4.1").body["temperature"], 0.5);
  });

  test("what Responses lacks is refused by the caller's name, or left out and told", () => {
    const rows: readonly (readonly [object, string])[] = [
      [{ stop: ["x"] }, "stop"],
      [{ n: 2 }, "n"],
      [{ presence_penalty: 1 }, "presence_penalty"],
      [{ frequency_penalty: 1 }, "frequency_penalty"],
      [{ logit_bias: { 1: 1 } }, "logit_bias"],
      [{ modalities: ["audio"] }, "modalities"],
      [{ web_search_options: { a: 1 } }, "web_search_options"],
      [{ odd: 1 }, "odd"],
    ];
    for (const [request, param] of rows) {
      assert.equal(refusal(() => fromChat(request)).param, param);
      assert.deepEqual(fromChat(request, { dropsParams: true }).dropped, [param]);
    }
    assert.equal(refusal(() => fromChat({ reasoning_effort: "huge" })).param, "reasoning_effort");
    assert.equal(refusal(() => fromChat({ temperature: "x" })).param, "temperature");
  });

  test("a budget is an effort, off is the least there is, and summaries come when asked for", () => {
    const wish = { effort: undefined, budget: undefined, isOn: undefined, isHidden: false };
    const rows: readonly (readonly [object, unknown, string?])[] = [
      [{}, undefined],
      [{ budget: 1_000 }, { effort: "low" }],
      [{ budget: 10_000 }, { effort: "medium" }],
      [{ budget: 60_000 }, { effort: "high" }],
      [{ isOn: true }, { effort: "medium", summary: "auto" }],
      [{ isOn: true, isHidden: true }, { effort: "medium" }],
      [{ isOn: false }, { effort: "none" }],
      [{ isOn: false }, { effort: "minimal" }, "gpt-5-mini"],
      [{ isOn: false }, { effort: "low" }, "o3"],
      [
        { effort: "xhigh", summary: "detailed" },
        { effort: "xhigh", summary: "detailed" },
      ],
    ];
    for (const [more, told, to] of rows)
      assert.deepEqual(bodyOf({ reasoning: { ...wish, ...more } }, {}, to)["reasoning"], told);
  });

  test("the output is what is asked for, paid for and possible; too little is raised where that is paid for", () => {
    const rows: readonly (readonly [number | undefined, Partial<EncodeContext>, unknown, unknown?])[] = [
      [undefined, {}, undefined],
      [100, {}, 100],
      [100, { outputTokensMax: 50 }, 50],
      [undefined, { outputTokensMax: 50 }, 50],
      [100, { outputCap: 40 }, 40],
      [5, {}, 16, ["the outputTokens"]],
      [5, { outputTokensMax: 100 }, 16, ["the outputTokens"]],
      [100, { outputTokensMax: 9 }, 9],
    ];
    for (const [outputTokens, context, sent, dropped] of rows) {
      const encoded = encode({ outputTokens }, context);
      assert.deepEqual([encoded.body["max_output_tokens"], encoded.dropped], [sent, dropped]);
    }
    assert.equal(encode({ outputTokens: 5 }, {}, "grok-4").body["max_output_tokens"], 5);
    for (const name of ["max_tokens", "max_completion_tokens"])
      assert.deepEqual(fromChat({ [name]: 1 }).dropped, [name], "by the caller's own name of it");
  });

  test("another vendor's callers have other words: what they set is told", () => {
    const parameters = [
      { name: "metadata", setting: "metadata", value: { user_id: "u" } },
      { name: "top_k", setting: "topK", value: 64 },
    ] as const;
    const { body, dropped } = encode({ protocol: "anthropic-messages", parameters });
    assert.deepEqual([body["metadata"], body["top_k"]], [undefined, undefined]);
    assert.deepEqual(dropped, ["top_k", "the metadata"]);
  });
});

test("a Responses request read and written again says the same", () => {
  const request = {
    model,
    instructions: "Be brief.",
    input: [
      { role: "user", content: "Q", type: "message" },
      { type: "reasoning", id: "rs_0a1", summary: [], encrypted_content: "gAAAA" },
      {
        type: "message",
        id: "msg_1",
        status: "completed",
        role: "assistant",
        phase: "commentary",
        content: [{ type: "output_text", text: "Looking." }],
      },
      { type: "web_search_call", id: "ws_1", status: "completed" },
      {
        type: "message",
        role: "assistant",
        phase: "final_answer",
        content: [{ type: "output_text", text: "There." }],
      },
      { type: "function_call", call_id: "a", name: "f", arguments: "{}", caller: { type: "direct" } },
      { type: "function_call_output", call_id: "a", output: [{ type: "input_image", file_id: "file_1" }] },
      { type: "compaction", encrypted_content: "c" },
    ],
    tools: [
      { type: "function", name: "f", parameters: { type: "object" }, strict: true, defer_loading: true },
      { type: "custom", name: "p", format: { type: "grammar", syntax: "lark", definition: "x" } },
      {
        type: "custom",
        name: "q",
        description: "d",
        format: { type: "grammar", syntax: "regex", definition: "y" },
      },
      { type: "web_search" },
    ],
    truncation: "auto",
    text: { format: { type: "json_object" }, odd: 1 },
    reasoning: { effort: "high", summary: "auto", mode: "pro" },
    include: ["reasoning.encrypted_content"],
    odd: { a: 1 },
    store: true,
    stop: null,
  };
  const conversation = decodeRequest(Buffer.from(JSON.stringify(request)));
  const { body, dropped } = encodeRequest(conversation, { isStream: false }, model);
  assert.equal(dropped, undefined);
  const text = (part: string, value: string) => [{ type: part, text: value }];
  assert.deepEqual(body, {
    model,
    store: false,
    include: ["reasoning.encrypted_content"],
    reasoning: { effort: "high", summary: "auto", mode: "pro" },
    text: { format: { type: "json_object" }, odd: 1 },
    truncation: "auto",
    odd: { a: 1 },
    tools: [
      { type: "function", name: "f", parameters: { type: "object" }, strict: true, defer_loading: true },
      { type: "custom", name: "p", format: { type: "grammar", syntax: "lark", definition: "x" } },
      {
        type: "custom",
        name: "q",
        description: "d",
        format: { type: "grammar", syntax: "regex", definition: "y" },
      },
      { type: "web_search" },
    ],
    input: [
      { type: "message", role: "system", content: text("input_text", "Be brief.") },
      { type: "message", role: "user", content: text("input_text", "Q") },
      { type: "reasoning", id: "rs_0a1", summary: [], encrypted_content: "gAAAA" },
      { type: "message", role: "assistant", phase: "commentary", content: text("output_text", "Looking.") },
      { type: "web_search_call", id: "ws_1", status: "completed" },
      { type: "message", role: "assistant", phase: "final_answer", content: text("output_text", "There.") },
      { type: "function_call", call_id: "a", name: "f", arguments: "{}", caller: { type: "direct" } },
      {
        type: "function_call_output",
        call_id: "a",
        output: [{ type: "input_image", file_id: "file_1" }],
      },
      { type: "compaction", encrypted_content: "c" },
    ],
  });
});

test("every random conversation keeps its meaning: written, read, written again is the same", () => {
  const first = Date.now() % 1_000_000;
  for (let seed = first; seed < first + 500; seed += 1) {
    const random = randomOf(seed);
    const turns: Turn[] = [user(words("Q"))];
    for (let step = random(6); step >= 0; step -= 1) {
      const blocks: AssistantBlock[] = [];
      const ids: string[] = [];
      for (let count = random(5); count >= 0; count -= 1) {
        const id = `c${step}_${count}`;
        const made = [
          words(`said ${random(9)}`),
          opaque(`d${random(99)}`),
          call(id, "f", `{"x":${random(9)}}`),
          custom(id, "*"),
        ];
        const block = made[random(made.length)] as AssistantBlock;
        blocks.push(block);
        if (block.kind === "tool call") ids.push(id);
      }
      turns.push(assistant(...blocks), ...(ids.length > 0 ? [results(...ids)] : []), user(words(`Q${step}`)));
    }
    const once = bodyOf({ turns });
    const { conversation } = { conversation: decodeRequest(Buffer.from(JSON.stringify(once))) };
    const again = encodeRequest(conversation, { isStream: false }, model).body;
    assert.deepEqual(again, once, `seed ${seed}`);
  }
});
