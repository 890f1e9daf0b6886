/**
 * Answers of chat upstreams as their servers really write them; each row is one server's behaviour. Compares
 * the calls on the sink.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Conversation } from "../../conversation/conversation.ts";
import { conversationOf, recordingSink } from "../../conversation/testing/conversations.ts";
import type { ReplayMemory } from "../protocol.ts";
import { chatDecoder } from "./decode-answer.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Asked {
  readonly conversation?: Partial<Conversation>;
  readonly memory?: ReplayMemory;
}

const contextOf = ({ conversation = {}, memory }: Asked) => ({
  conversation: conversationOf(conversation),
  model: "called",
  memory,
  answerId: "chatcmpl-req_7",
});

function said(text: string, asked: Asked = {}): unknown[][] {
  const { sink, said: list } = recordingSink();
  const reader = chatDecoder.stream(contextOf(asked), sink);
  reader.push(Buffer.from(text));
  reader.end();
  return list;
}

const event = (data: unknown): string =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
const chunk = (delta: Fields, more: Fields = {}): Fields => ({ choices: [{ index: 0, delta, ...more }] });
const end = (reason = "stop"): Fields => chunk({}, { finish_reason: reason });
const report = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const counted = { input: 3, cachedInput: 0, cacheWrite: 0, output: 2, reasoning: 0 };

const inChunk = (given: Fields): Fields => ("choices" in given ? given : chunk(given));

/** What a stream of these chunks or deltas reports between its beginning and its end. */
const body = (chunks: readonly Fields[], reason = "stop", asked: Asked = {}): unknown[][] =>
  said([...chunks.map(inChunk), end(reason), "[DONE]"].map(event).join(""), asked).filter(
    ([name]) => !["begin", "conclude", "close"].includes(String(name)),
  );

function whole(message: Fields, asked: Asked = {}, more: Fields = {}, top: Fields = {}): unknown[][] {
  const { sink, said: list } = recordingSink();
  const answer = { model: "m", choices: [{ index: 0, message, finish_reason: "stop", ...more }], ...top };
  assert.equal(chatDecoder.whole(Buffer.from(JSON.stringify(answer)), contextOf(asked), sink), true);
  return list;
}

const call = (more: Fields, called: Fields): Fields => ({ tool_calls: [{ ...more, function: called }] });
const custom: Partial<Conversation> = {
  toolUse: {
    tools: [
      {
        name: "sql",
        description: undefined,
        parameters: undefined,
        isStrict: false,
        isCustom: true,
        grammar: undefined,
        cache: undefined,
        path: "",
        declarationPath: "",
        extras: undefined,
      },
    ],
    choice: undefined,
    isParallel: undefined,
    hasRoomForOne: false,
  },
};

describe("the life of a stream", () => {
  test("model, begin, words, end, usage, the marker", () => {
    const list = said(
      [
        { model: "", choices: [], prompt_filter_results: [] },
        { model: "gpt", ...chunk({ role: "assistant", content: "" }), usage: null },
        { model: "gpt", ...chunk({ content: "Hi" }) },
        end(),
        { choices: [], usage: report },
        "[DONE]",
        chunk({ content: "late" }),
      ]
        .map(event)
        .join(""),
    );
    assert.deepEqual(list, [
      ["model", "gpt"],
      ["begin", 0],
      ["text", "Hi", 0],
      ["finish", "stop", 0],
      ["usage", counted],
      ["conclude"],
      ["close"],
    ]);
  });

  test("usage in every chunk, in the last with choices, at Groq's and Moonshot's places, absent, impossible", () => {
    const rows: readonly (readonly [Fields, unknown])[] = [
      [
        { ...chunk({}), usage: { ...report, completion_tokens: 1 } },
        { ...counted, output: 1 },
      ],
      [{ ...chunk({}), x_groq: { usage: report } }, counted],
      [chunk({}, { usage: report }), counted],
      [{ ...chunk({}), usage: null }, undefined],
      [{ ...chunk({}), usage: { ...report, prompt_tokens: -1 } }, undefined],
    ];
    for (const [piece, usage] of rows) {
      const [found] = body([chunk({ content: "x" }), piece]).filter(([name]) => name === "usage");
      assert.deepEqual(found?.[1], usage, JSON.stringify(piece));
    }
    const last = body([
      { ...chunk({ content: "x" }), usage: report },
      { ...chunk({}), usage: report },
    ]);
    assert.equal(last.filter(([name]) => name === "usage").length, 1);
  });

  test("without [DONE] the answer is whole where every choice said why it is over, and else is none", () => {
    const names = (...chunks: readonly unknown[]): unknown[] =>
      said(chunks.map(event).join(""), { conversation: { choices: 2 } }).map(([name]) => name);
    assert.deepEqual(names(chunk({ content: "x" }), end()).slice(-3), ["finish", "conclude", "close"]);
    assert.ok(!names(chunk({ content: "x" })).includes("close"));
    assert.ok(!names(chunk({ content: "x" }), "[DONE]").includes("close"), "the marker alone is no end");
    const two = { choices: [{ index: 1, delta: { content: "y" } }] };
    assert.ok(!names(chunk({ content: "x" }), two, end(), "[DONE]").includes("close"));
    assert.deepEqual(names(), ["reportUsage"]);
  });

  test("errors told in the stream, in any of their forms, come after the usage so far", () => {
    const error = { error: { message: "no", code: 502 } };
    for (const data of [
      error,
      { ...error, choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }] },
      { object: "error", message: "no" },
      { error: "overloaded" },
    ]) {
      const list = said(event({ ...chunk({ content: "x" }), usage: report }) + event(data) + event(end()));
      assert.deepEqual(list.slice(-3), [
        ["usage", counted],
        ["reportUsage"],
        ["error", JSON.stringify(data)],
      ]);
    }
    assert.equal(said('event: error\ndata: {"x":1}\n\n').at(-1)?.[0], "error");
    assert.match(String(said(event("<html>")).at(-1)?.[1]), /malformed_chunk/);
    assert.match(String(said(event(chunk({}, { finish_reason: "network_error" }))).at(-1)), /network_error/);
    assert.match(String(said(event(`{"choices":${"[".repeat(300)}`)).at(-1)?.[1]), /malformed_chunk/);
  });

  test("why it is over, in the words of all who serve chat", () => {
    const rows: readonly (readonly [word: string, reason: string])[] = [
      ["stop", "stop"],
      ["eos", "stop"],
      ["length", "length"],
      ["MAX_TOKENS", "length"],
      ["model_length", "length"],
      ["content_filter", "content_filter"],
      ["SAFETY", "content_filter"],
      ["tool_calls", "stop"],
      ["of_next_month", "stop"],
    ];
    for (const [word, reason] of rows)
      assert.deepEqual(body([chunk({ content: "x" })], word).at(-1), ["finish", reason, 0], word);
    const called = [call({ index: 0, id: "a" }, { name: "f", arguments: "{}" })];
    for (const word of ["stop", "tool_calls", "function_call"])
      assert.deepEqual(body(called, word).at(-1), ["finish", "tool_calls", 0], word);
    assert.deepEqual(body(called, "length").at(-1), ["finish", "length", 0]);
  });

  test("choices that interleave are told apart; more than were asked for are not read", () => {
    const chunks = [0, 1, 2, 0, 1].map((index) => ({ choices: [{ index, delta: { content: `${index}` } }] }));
    const ends = [1, 0].map((index) => ({ choices: [{ index, delta: {}, finish_reason: "stop" }] }));
    const list = said([...chunks, ...ends, "[DONE]"].map(event).join(""), { conversation: { choices: 2 } });
    const texts = list.filter(([name]) => name === "text").map(([, text]) => text);
    assert.deepEqual(texts, ["0", "1", "0", "1"]);
    assert.equal(list.at(-1)?.[0], "close");
  });
});

describe("calls", () => {
  const calls = (list: unknown[][]): unknown[][] =>
    list.filter(([name]) => ["toolCall", "toolArguments", "customCall"].includes(String(name)));
  const begun = (number: number, id: string, name = "f"): unknown[] => ["toolCall", number, { id, name }, 0];
  const wrote = (number: number, text: string): unknown[] => ["toolArguments", number, text, 0];

  test("in OpenAI's pieces, parallel, heads first", () => {
    const list = body([
      {
        choices: [
          {
            delta: {
              tool_calls: [0, 1].map((index) => ({ index, id: `c${index}`, function: { name: "f" } })),
            },
          },
        ],
      },
      call({ index: 0 }, { arguments: '{"a":' }),
      call({ index: 1 }, { arguments: "{}" }),
      call({ index: 0 }, { arguments: "1}" }),
    ]);
    assert.deepEqual(calls(list), [
      begun(0, "c0"),
      begun(1, "c1"),
      wrote(0, '{"a":'),
      wrote(1, "{}"),
      wrote(0, "1}"),
    ]);
  });

  test("all numbered 0, without numbers, without ids, with an id that changes or comes late", () => {
    const rows: readonly (readonly [name: string, chunks: Fields[], wanted: unknown[][]])[] = [
      [
        "all 0",
        [
          call({ index: 0, id: "a" }, { name: "f", arguments: "{}" }),
          call({ index: 0, id: "b" }, { name: "f", arguments: "{}" }),
        ],
        [begun(0, "a"), wrote(0, "{}"), begun(1, "b"), wrote(1, "{}")],
      ],
      [
        "no numbers",
        [
          call({ id: "a" }, { name: "f", arguments: "{" }),
          call({}, { arguments: "}" }),
          call({ id: "b" }, { name: "f", arguments: "{}" }),
        ],
        [begun(0, "a"), wrote(0, "{"), wrote(0, "}"), begun(1, "b"), wrote(1, "{}")],
      ],
      [
        "no ids",
        [
          call({ index: 0 }, { name: "f", arguments: "{}" }),
          call({ index: 1 }, { name: "f", arguments: "{}" }),
        ],
        [begun(0, "call_7_0"), wrote(0, "{}"), begun(1, "call_7_1"), wrote(1, "{}")],
      ],
      [
        "nothing but a name",
        [call({}, { name: "f" }), call({}, { name: "f" })],
        [begun(0, "call_7_0"), begun(1, "call_7_1")],
      ],
      [
        "another id in every piece",
        [
          call({ index: 0, id: "a" }, { name: "f", arguments: "{" }),
          call({ index: 0, id: "x" }, { arguments: "}" }),
        ],
        [begun(0, "a"), wrote(0, "{"), wrote(0, "}")],
      ],
      [
        "name and id in every piece",
        [
          call({ index: 0, id: "a" }, { name: "f", arguments: "{" }),
          call({ index: 0, id: "a" }, { name: "f", arguments: "}" }),
        ],
        [begun(0, "a"), wrote(0, "{"), wrote(0, "}")],
      ],
      [
        "an id that comes late, and a name after arguments",
        [
          call({ index: 0 }, { name: "f" }),
          call({ index: 0, id: "late" }, { arguments: "{}" }),
          call({ index: 3 }, { arguments: "{" }),
          call({ index: 3, id: "b" }, { name: "g", arguments: "}" }),
        ],
        [begun(0, "late"), wrote(0, "{}"), begun(1, "b", "g"), wrote(1, "{"), wrote(1, "}")],
      ],
    ];
    for (const [name, chunks, wanted] of rows) assert.deepEqual(calls(body(chunks)), wanted, name);
    const twice = whole({
      tool_calls: ["a", "a", ""].map((id) => ({ id, function: { name: "f", arguments: "{}" } })),
    });
    const ids = calls(twice).flatMap(([name, , head]) =>
      name === "toolCall" ? [(head as { id: string }).id] : [],
    );
    assert.deepEqual(ids, ["a", "call_7_1", "call_7_2"]);
  });

  test("arguments as an object keep their numbers; none at all are none", () => {
    const given =
      '{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"n":12345678901234567890}}}]},"finish_reason":"stop"}]}';
    const { sink, said: list } = recordingSink();
    assert.ok(chatDecoder.whole(Buffer.from(given), contextOf({}), sink));
    assert.deepEqual(calls(list)[1], wrote(0, '{"n":12345678901234567890}'));
    assert.deepEqual(calls(whole(call({ id: "a" }, { name: "f", arguments: null }))), [begun(0, "a")]);
    assert.deepEqual(calls(whole(call({ id: "a" }, { arguments: "{}" }))), [], "without a name it is none");
  });

  test("the old function_call, whole and in pieces", () => {
    const pieces = [{ name: "f", arguments: "" }, { arguments: "{" }, { arguments: "}" }];
    const list = body(
      pieces.map((one) => chunk({ function_call: one })),
      "function_call",
    );
    assert.deepEqual(calls(list), [begun(0, "call_7_0"), wrote(0, "{"), wrote(0, "}")]);
    assert.deepEqual(list.at(-1), ["finish", "tool_calls", 0]);
    const at = whole({ content: null, function_call: { name: "f", arguments: "{}" } });
    assert.deepEqual(calls(at), [begun(0, "call_7_0"), wrote(0, "{}")]);
  });

  test("custom calls, and functions that stand for a custom tool, are said as one text", () => {
    const piece = (input: string, more: Fields = {}): Fields => ({
      tool_calls: [{ index: 0, custom: { input }, ...more }],
    });
    const wanted = [["customCall", 0, { id: "a", name: "sql", input: "select 1" }, 0]];
    const streamed = body([
      chunk(piece("", { id: "a", type: "custom", custom: { name: "sql" } })),
      chunk(piece("select")),
      chunk(piece(" 1")),
    ]);
    assert.deepEqual(calls(streamed), wanted);
    const asked = { conversation: custom };
    const unwrapped = body(
      [
        call({ index: 0, id: "a" }, { name: "sql", arguments: '{"input":' }),
        call({ index: 0 }, { arguments: '"select 1"}' }),
      ],
      "tool_calls",
      asked,
    );
    assert.deepEqual(calls(unwrapped), wanted);
  });

  test("one call where only one was allowed; a signature of Google's stays with its call", () => {
    const two = {
      tool_calls: ["a", "b", "c"].map((id) => ({ id, function: { name: "f", arguments: "{}" } })),
    };
    const toolUse = { ...conversationOf({}).toolUse, isParallel: false };
    assert.deepEqual(calls(whole(two, { conversation: { toolUse } })), [begun(0, "a"), wrote(0, "{}")]);
    const signed = whole({
      tool_calls: [
        {
          id: "a",
          extra_content: { google: { thought_signature: "c2ln" } },
          function: { name: "f", arguments: "{}" },
        },
      ],
    });
    assert.deepEqual(calls(signed)[0], ["toolCall", 0, { id: "a", name: "f", signature: "c2ln" }, 0]);
  });
});

describe("thoughts", () => {
  const thoughts = (list: unknown[][]): unknown[][] =>
    list.filter(([name]) => String(name).toLowerCase().includes("reasoning"));

  test("in words, under every name, each said once", () => {
    for (const delta of [
      { reasoning_content: "Hm" },
      { reasoning: "Hm" },
      { reasoning: "Hm", reasoning_content: "Hm" },
      { reasoning: "Hm", reasoning_details: [{ type: "reasoning.text", text: "Hm", index: 0 }] },
      { reasoning_details: [{ type: "reasoning.summary", summary: "Hm" }] },
      { content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm" }] }] },
    ])
      assert.deepEqual(thoughts(body([chunk(delta)])), [["reasoning", "Hm", 0]], JSON.stringify(delta));
  });

  test("OpenRouter's pieces: the signature vouches for all of them", () => {
    const piece = (more: Fields) => ({
      type: "reasoning.text",
      format: "anthropic-claude-v1",
      index: 0,
      ...more,
    });
    const list = body([
      chunk({ reasoning: "One ", reasoning_details: [piece({ text: "One " })] }),
      chunk({ reasoning: "two.", reasoning_details: [piece({ text: "two." })] }),
      chunk({ reasoning_details: [piece({ signature: "c2ln" })] }),
      chunk({ reasoning_details: [{ type: "reasoning.encrypted", data: "b3Bh", format: "x", id: "rs_1" }] }),
    ]);
    assert.deepEqual(thoughts(list), [
      ["reasoning", "One ", 0],
      ["reasoning", "two.", 0],
      ["opaqueReasoning", { format: "anthropic-claude-v1", text: "One two.", signature: "c2ln" }, 0],
      ["opaqueReasoning", { format: "x", id: "rs_1", data: "b3Bh" }, 0],
    ]);
  });

  test("LiteLLM's blocks are Claude's, and words said before are not said again", () => {
    const list = whole({
      reasoning_content: "Hm",
      thinking_blocks: [{ type: "thinking", thinking: "Hm", signature: "c2ln" }],
    });
    assert.deepEqual(thoughts(list), [
      ["reasoning", "Hm", 0],
      ["opaqueReasoning", { format: "anthropic-claude-v1", text: "Hm", signature: "c2ln" }, 0],
    ]);
  });

  test("details are remembered by the call they came before, as they came", () => {
    const kept = new Map<string, string>();
    const memory: ReplayMemory = {
      recall: (id) => kept.get(id),
      remember: (id, value) => void kept.set(id, value),
    };
    const detail = { type: "reasoning.encrypted", data: "b3Bh", format: "f", index: 2, theirs: 1 };
    body(
      [
        chunk({ reasoning_details: [detail] }),
        call({ index: 0, id: "a" }, { name: "f", arguments: "{}" }),
        chunk({ reasoning_details: [{ ...detail, data: "YWZ0ZXI" }] }),
      ],
      "tool_calls",
      { memory },
    );
    assert.deepEqual(JSON.parse(kept.get("a") ?? "null"), {
      chat: [detail, { ...detail, data: "YWZ0ZXI" }],
      model: "called",
    });
  });
});

describe("words and what stands beside them", () => {
  test("content in parts, refusals, pictures inline and at an address, what a sound says", () => {
    const list = whole({
      content: [
        { type: "text", text: "a" },
        "b",
        { type: "refusal", refusal: "No." },
        { type: "of_next_month" },
        7,
      ],
      refusal: null,
      images: [
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        { type: "image_url", image_url: { url: "https://x.test/y.png" } },
        { type: "image_url", image_url: { url: "javascript:alert(1)" } },
      ],
      audio: { id: "a", data: "AAAA", transcript: "spoken" },
    });
    assert.deepEqual(list.slice(1, -1), [
      ["text", "a", 0],
      ["text", "b", 0],
      ["refusal", "No.", 0],
      ["text", "spoken", 0],
      ["image", "image/png", "AAAA", 0],
      ["text", "\n![](https://x.test/y.png)\n", 0],
    ]);
  });

  test("sources once, though they are told in every chunk; those of the whole answer are about all of it", () => {
    const page = {
      type: "url_citation",
      url_citation: { url: "https://x.test", title: "X", start_index: 0, end_index: 2 },
    };
    const cited = [{ content: "Hi", annotations: [page] }, { annotations: [page] }].map((one) => chunk(one));
    const citation = { url: "https://x.test", title: "X", start: 0, end: 2 };
    assert.deepEqual(body(cited)[1], ["citation", citation, 0]);
    assert.equal(body(cited).length, 3);
    const top = { citations: ["https://y.test", 7], usage: report };
    const list = whole({ content: "Hello" }, {}, {}, top);
    assert.deepEqual(list[2], ["citation", { url: "https://y.test", title: "", start: 0, end: 5 }, 0]);
  });

  test("log probabilities come before their words, where they were asked for", () => {
    const token = {
      token: "Hi",
      logprob: -1.9361264946837764e-7,
      bytes: [72, 105],
      top_logprobs: [{ token: "Ho", logprob: -2 }],
    };
    const piece = chunk({ content: "Hi" }, { logprobs: { content: [token], refusal: null } });
    const logprobs = { isWanted: true, alternatives: 1 };
    const { top_logprobs: _, ...plain } = token;
    const alternatives = [{ token: "Ho", logprob: -2, bytes: [72, 111] }];
    assert.deepEqual(body([piece], "stop", { conversation: { logprobs } }).slice(0, 2), [
      ["logprobs", [{ ...plain, alternatives }], 0],
      ["text", "Hi", 0],
    ]);
    assert.equal(body([piece])[0]?.[0], "text");
  });
});

test("a whole answer that is none", () => {
  const { sink } = recordingSink();
  const choice = { message: { content: "x" }, finish_reason: "stop" };
  for (const text of [
    "",
    "null",
    "[]",
    "{}",
    '{"choices":[]}',
    '{"choices":[7]}',
    JSON.stringify({ choices: [choice], error: { message: "no" } }),
    JSON.stringify({ choices: [{ ...choice, finish_reason: "error" }] }),
    `{"choices":${"[".repeat(100_000)}`,
  ])
    assert.equal(chatDecoder.whole(Buffer.from(text), contextOf({}), sink), false, text.slice(0, 80));
});
