/**
 * Property test: a Messages conversation through every encoder. Turn by turn the encoded prefix stays the
 * same, all content is present, and this format's own encoder restores the conversation.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Conversation, Turn } from "../../conversation/conversation.ts";
import { encodeRequest as toConverse } from "../bedrock-converse/encode-request.ts";
import { encodeRequest as toGemini } from "../gemini/encode-request.ts";
import { encodeRequest as toChat } from "../openai-chat/encode-request.ts";
import { encodeRequest as toResponses } from "../openai-responses/encode-request.ts";
import { messagesPayloads } from "../payloads/marks.ts";
import { plainSeal } from "../payloads/seal.ts";
import { refusalsOf } from "./accepts.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeRequest as toMessages } from "./encode-request.ts";
import { randomOf } from "./testing/answers.ts";

type Fields = Record<string, unknown>;

const context = { isStream: false, dropsParams: true } as const;
const claude = "claude-sonnet-4-6";

/** Each outbound format: its encoder, and the list that grows with the conversation. */
const encoders: Readonly<Record<string, readonly [(asked: Conversation) => object, string]>> = {
  "anthropic-messages": [(asked) => toMessages(asked, context, claude).body, "messages"],
  "bedrock-converse": [(asked) => toConverse(asked, context, `anthropic.${claude}-v1:0`).body, "messages"],
  "bedrock-converse, another model": [
    (asked) => toConverse(asked, context, "amazon.nova-pro-v1:0").body,
    "messages",
  ],
  gemini: [(asked) => toGemini(asked, context, "gemini", "gemini-3-pro-preview").body, "contents"],
  "openai-chat": [(asked) => toChat(asked, context, "gpt-5.5").body, "messages"],
  "openai-responses": [(asked) => toResponses(asked, context, "gpt-5.6").body, "input"],
};

const asked = (messages: readonly object[], more: object = {}): Conversation =>
  decodeRequest(
    Buffer.from(
      JSON.stringify({
        model: "m",
        max_tokens: 4_000,
        system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
        tools: [{ name: "f", description: "d", input_schema: { type: "object", properties: {} } }],
        messages,
        ...more,
      }),
    ),
  );

/**
 * A conversation with tools and thoughts, with the cache marks of a client that moves its last mark forward.
 */
function conversationAt(step: number, signature: string): object[] {
  const messages: object[] = [{ role: "user", content: "Question?" }];
  for (let at = 0; at < step; at += 1) {
    messages.push(
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: `Thought ${at}`, signature },
          { type: "text", text: `Step ${at}.` },
          { type: "tool_use", id: `toolu_${at}`, name: "f", input: { at } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: `toolu_${at}`, content: `Result ${at}` },
          { type: "text", text: `And ${at}?` },
        ],
      },
    );
  }
  return messages;
}

describe("a conversation one turn longer begins with the same bytes upstream", () => {
  const gemini = (call: string) => messagesPayloads.write([{ call, data: "c2ln" }], plainSeal) ?? "";
  for (const [name, [encode, list]] of Object.entries(encoders)) {
    for (const [kind, signature] of [
      ["Anthropic's own signatures", "RXFBPQ=="],
      ["signatures of ours", gemini("toolu_0")],
    ] as const) {
      test(`${name}, with ${kind}`, () => {
        const thinking = { thinking: { type: "adaptive" } };
        let before: Fields | undefined;
        for (let step = 0; step < 8; step += 1) {
          const body = encode(asked(conversationAt(step, signature), thinking)) as Fields;
          if (before !== undefined) {
            const { [list]: grown, ...rest } = body;
            const { [list]: shorter, ...restBefore } = before;
            assert.equal(JSON.stringify(rest), JSON.stringify(restBefore), "all but the turns");
            const prefix = JSON.stringify(shorter).slice(0, -1);
            assert.ok(JSON.stringify(grown).startsWith(prefix), `step ${step}`);
          }
          before = body;
        }
      });
    }
  }
});

describe("a mark that moves on with the conversation", () => {
  // Cache marks themselves are not part of the cached prefix. These formats have none.
  for (const name of ["gemini", "openai-responses"]) {
    test(`changes no byte of what was before it: ${name}`, () => {
      const [encode, list] = encoders[name] as (typeof encoders)[string];
      const marked = (messages: readonly object[]): object[] => {
        const last = messages.at(-1) as { content: unknown };
        const blocks =
          typeof last.content === "string"
            ? [{ type: "text", text: last.content }]
            : [...(last.content as object[])];
        const content = [...blocks.slice(0, -1), { ...blocks.at(-1), cache_control: { type: "ephemeral" } }];
        return [...messages.slice(0, -1), { ...last, content }];
      };
      const turns = (step: number): string => {
        const body = encode(asked(marked(conversationAt(step, "")))) as Fields;
        return JSON.stringify(body[list]).slice(0, -1);
      };
      for (let step = 1; step < 6; step += 1) assert.ok(turns(step).startsWith(turns(step - 1)), `${step}`);
    });
  }
});

/** The conversation without positions and grouping. */
function meaningOf({ turns, toolUse, stop, outputTokens, format, sampling, cache }: Conversation): unknown {
  const said = turns.flatMap((turn: Turn) =>
    turn.blocks.map((block) => [
      turn.role,
      JSON.parse(JSON.stringify(block, (key, value) => (/path$/i.test(key) ? undefined : value))),
    ]),
  );
  const tools = toolUse.tools.map(({ name, description, parameters, cache: mark }) => [
    name,
    description,
    parameters,
    mark?.given,
  ]);
  return {
    said,
    tools,
    choice: toolUse.choice,
    parallel: toolUse.isParallel,
    stop,
    outputTokens,
    format,
    sampling,
    cache: cache?.given,
  };
}

function randomMessages(random: (below: number) => number): object[] {
  const words = ["Hi", "ö日本\u{1f600}", '"q"\\', "a\n\nb", "x".repeat(300)];
  const text = (): object => ({ type: "text", text: words[random(words.length)], ...marked() });
  const marked = (): object => (random(6) === 0 ? { cache_control: { type: "ephemeral", ttl: "1h" } } : {});
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
  const pdf = {
    type: "document",
    title: "a.pdf",
    source: { type: "base64", media_type: "application/pdf", data: "BBBB" },
  };
  const messages: object[] = [];
  let calls: string[] = [];
  for (let turn = 0; turn <= random(9); turn += 1) {
    const results = calls.map((id) => ({
      type: "tool_result",
      tool_use_id: id,
      ...(random(3) === 0 ? { is_error: true } : {}),
      content: random(2) === 0 ? "done" : [{ type: "text", text: "done" }, image],
    }));
    messages.push({ role: "user", content: [...results, text(), ...(random(4) === 0 ? [image, pdf] : [])] });
    calls = Array.from({ length: random(3) }, (_, index) => `toolu_${turn}_${index}`);
    const thinking = random(2) === 0 ? [{ type: "thinking", thinking: "Hm", signature: "RXE=" }] : [];
    messages.push({
      role: "assistant",
      content: [
        ...thinking,
        { type: "text", text: "Yes." },
        ...calls.map((id) => ({
          type: "tool_use",
          id,
          name: "f",
          input: { x: words[random(words.length)] },
        })),
      ],
    });
  }
  messages.push({
    role: "user",
    content: [...calls.map((id) => ({ type: "tool_result", tool_use_id: id, content: "x" })), text()],
  });
  return messages;
}

describe("through this format's own encoder", () => {
  test("a conversation keeps its meaning, and breaks no rule of the API's", () => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const random = randomOf(seed);
      const choices = [undefined, { type: "auto", disable_parallel_tool_use: true }, { type: "none" }];
      const choice = choices[random(choices.length)];
      const messages = randomMessages(random);
      // Another test covers too many marks.
      const marks = JSON.stringify(messages).split('"cache_control"').length - 1;
      if (marks > 3) continue;
      const conversation = asked(messages, {
        thinking: { type: "adaptive" },
        stop_sequences: ["END"],
        context_management: { edits: [] },
        invented_later: { x: [1] },
        ...(choice === undefined ? {} : { tool_choice: choice }),
      });
      const { body, dropped } = toMessages(conversation, { isStream: false }, claude);
      assert.deepEqual(refusalsOf(body), []);
      assert.equal(dropped, undefined);
      const again = decodeRequest(Buffer.from(JSON.stringify({ model: "m", ...body })));
      assert.deepEqual(meaningOf(again), meaningOf(conversation), `seed ${seed}`);
      const kept = body as unknown as Fields;
      assert.deepEqual([kept["context_management"], kept["invented_later"]], [{ edits: [] }, { x: [1] }]);
    }
  });

  test("what is said of a tool beside goes on; a block no conversation has a word for is told to be gone", () => {
    const tool = { name: "f", input_schema: { type: "object" }, defer_loading: true, input_examples: [{}] };
    const work = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
    const messages = [
      { role: "user", content: "Q" },
      { role: "assistant", content: [work, { type: "text", text: "A" }] },
      { role: "user", content: "And?" },
    ];
    const { body, dropped } = toMessages(asked(messages, { tools: [tool] }), { isStream: false }, claude);
    assert.deepEqual(body.tools, [tool]);
    assert.deepEqual(dropped, ["messages[1].content[0]"]);
  });

  test("a failed result is said to have failed, and fields of other formats' callers are not made up", () => {
    const { body } = toMessages(asked(conversationAt(1, "RXE=")), context, claude);
    assert.ok(!JSON.stringify(body).includes("is_error"));
  });

  test("marks on empty texts go, and of more than four the last remain", () => {
    const cache_control = { type: "ephemeral" };
    const texts = Array.from({ length: 6 }, (_, at) => ({
      type: "text",
      text: at === 5 ? " " : `t${at}`,
      cache_control,
    }));
    const { body } = toMessages(asked([{ role: "user", content: texts }]), context, claude);
    assert.deepEqual(refusalsOf(body), []);
    assert.equal(JSON.stringify(body).split('"cache_control"').length - 1, 4);
    assert.ok(!JSON.stringify(body).includes('"text":" "'));
  });
});

test("a budget of thinking follows the output where Plaza lowers it, unless it is for a whole turn", () => {
  const conversation = asked([{ role: "user", content: "Q" }], {
    max_tokens: 32_000,
    thinking: { type: "enabled", budget_tokens: 32_000 },
  });
  const sent = (outputTokensMax: number, betas = "") => {
    const limited = { ...context, outputTokensMax, forwarded: { "anthropic-beta": betas } };
    const { body, dropped } = toMessages(conversation, limited, "claude-sonnet-4-5");
    return [body.max_tokens, body.thinking, dropped];
  };
  const enabled = (budget_tokens: number) => ({ type: "enabled", budget_tokens });
  assert.deepEqual(sent(4_096), [4_096, enabled(4_095), undefined]);
  assert.deepEqual(sent(1_025), [1_025, enabled(1_024), undefined]);
  assert.deepEqual(sent(1_024), [1_024, undefined, ["thinking.budget_tokens"]]);
  const interleaved = "claude-code-20250219,interleaved-thinking-2025-05-14";
  assert.deepEqual(sent(4_096, interleaved), [4_096, enabled(32_000), undefined]);
  assert.deepEqual(sent(1_000, interleaved), [1_000, enabled(32_000), undefined]);
});

test("Claude is told how to think in the caller's own words, where the model has them", () => {
  const thinkingOf = (model: string, more: object): unknown[] => {
    const { body } = toMessages(asked([{ role: "user", content: "Q" }], more), context, model);
    return [body.thinking, body.output_config?.effort];
  };
  const adaptive = (display?: string) => ({
    thinking: { type: "adaptive", ...(display ? { display } : {}) },
  });
  const newest = "claude-opus-4-8";
  const summarized = { type: "adaptive", display: "summarized" };
  assert.deepEqual(thinkingOf(newest, adaptive()), [summarized, "high"], "effort is high unasked");
  assert.deepEqual(thinkingOf(newest, adaptive("omitted")), [{ ...summarized, display: "omitted" }, "high"]);
  assert.deepEqual(thinkingOf(newest, { ...adaptive(), output_config: { effort: "low" } }), [
    summarized,
    "low",
  ]);
  assert.deepEqual(thinkingOf(newest, { thinking: { type: "disabled" } }), [{ type: "disabled" }, undefined]);
  assert.deepEqual(thinkingOf("claude-sonnet-5-5", { thinking: { type: "between_tools" } })[0], {
    type: "between_tools",
  });
  const budget = { thinking: { type: "enabled", budget_tokens: 2_345 } };
  assert.deepEqual(thinkingOf("claude-sonnet-4-5", budget), [
    { type: "enabled", budget_tokens: 2_345 },
    undefined,
  ]);
  const beside = { ...budget, output_config: { effort: "max" } };
  assert.deepEqual(thinkingOf(claude, beside), [{ type: "adaptive" }, "max"]);
});

describe("through every encoder", () => {
  const tools = [{ type: "web_search_20250305", name: "web_search" }];

  for (const [name, [encode]] of Object.entries(encoders)) {
    test(`${name}: system, calls, results, effort and words are there`, () => {
      const text = JSON.stringify(encode(asked(conversationAt(2, ""), { output_config: { effort: "low" } })));
      for (const part of ["Be brief.", "Question?", "Step 1.", "toolu_1", "Result 1", "And 1?"])
        assert.ok(text.includes(part) || (name === "gemini" && part === "toolu_1"), `${part} in ${text}`);
    });
  }

  test("anthropic-messages: an offered tool of Anthropic's own stays where it stood", () => {
    const own = (name: string) => ({ name, input_schema: { type: "object" } });
    const [search] = tools;
    const list = [search, own("f"), { type: "bash_20250124", name: "bash" }, own("g")];
    const { body } = toMessages(
      asked([{ role: "user", content: "Hi" }], { tools: list }),
      { isStream: false },
      claude,
    );
    assert.deepEqual(body.tools, list);
  });

  test("a request to summarise is refused where nobody does it; a conversation to be held is told", () => {
    const compaction = { instructions: "Be brief." };
    const conversation = asked([{ role: "user", content: "Hi" }], {
      compaction,
      thread: { type: "create" },
      diagnostics: { previous_message_id: "msg_1" },
    });
    const { body, dropped } = toMessages(conversation, { isStream: false }, claude);
    const kept = body as unknown as Fields;
    assert.deepEqual(
      [kept["compaction"], kept["thread"], kept["diagnostics"]],
      [compaction, undefined, undefined],
    );
    assert.deepEqual(dropped, ["thread", "diagnostics"]);
    assert.throws(
      () => toResponses(conversation, { isStream: false }, "gpt-5.6"),
      (error) => (error as { param?: string }).param === "compaction",
    );
  });

  for (const name of ["bedrock-converse", "gemini", "openai-responses"]) {
    test(`${name}: a tool only Anthropic knows is refused by its place; what is unknown is told`, () => {
      const strict = { isStream: false } as const;
      const encode = (more: object) => {
        const conversation = asked([{ role: "user", content: "Hi" }], more);
        if (name === "gemini") return toGemini(conversation, strict, "gemini", "gemini-3-pro-preview");
        if (name === "bedrock-converse") return toConverse(conversation, strict, `anthropic.${claude}-v1:0`);
        return toResponses(conversation, strict, "gpt-5.6");
      };
      assert.throws(
        () => encode({ tools }),
        (error) => (error as { param?: string }).param === "tools[0]",
      );
      assert.deepEqual(encode({ invented_later: 1, context_management: {} }).dropped, ["invented_later"]);
    });
  }
});
