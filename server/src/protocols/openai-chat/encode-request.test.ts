/**
 * Decodes a chat request, encodes it and decodes it again: both conversations are equal. `SEED` repeats a
 * run.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { AssistantBlock, ToolResultBlock } from "../../conversation/blocks.ts";
import type { Conversation, ReasoningRequest, Turn } from "../../conversation/conversation.ts";
import {
  assistant,
  call,
  conversationOf,
  results,
  thought,
  user,
  words,
} from "../../conversation/testing/conversations.ts";
import { anyRequest, plainRequest } from "../../providers/testing/translate-requests.ts";
import { Untranslatable } from "../untranslatable.ts";
import { decodeRequest } from "./decode-request.ts";
import { type ChatDialect, openaiDialect } from "./dialect.ts";
import { encodeRequest } from "./encode-request.ts";

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));

function read(body: object): Conversation | undefined {
  try {
    return decodeRequest(Buffer.from(JSON.stringify(body)));
  } catch (error) {
    if (error instanceof Untranslatable) return undefined;
    throw error;
  }
}

/** The conversation without names and paths, which old names change, and without the order of parameters. */
function meaning({ parameters, toolUse, names: ___, ...rest }: Conversation): unknown {
  const { hasRoomForOne: _, isParallel: __, ...use } = toolUse;
  const extras = parameters.filter(({ setting }) => setting === undefined);
  const byName = extras.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return JSON.parse(
    JSON.stringify({ ...rest, use, byName }, (key, value: unknown) =>
      /^path$|Path$/.test(key) ? undefined : value,
    ),
  ) as unknown;
}

for (const [title, requests] of [
  ["any request that can be read", anyRequest],
  ["what every protocol can say", plainRequest],
] as const) {
  test(`${title} means the same after a round trip`, () => {
    let done = 0;
    const property = fc.property(requests, (body) => {
      const first = read(body);
      if (first === undefined) return;
      done += 1;
      const isStream = body["stream"] === true;
      const { body: sent, dropped } = encodeRequest(first, { isStream }, "m");
      assert.equal(dropped, undefined);
      const second = read(sent);
      assert.ok(second !== undefined, JSON.stringify(sent));
      assert.deepEqual(meaning(second), meaning(first));
    });
    fc.assert(property, { numRuns: 500, seed });
    assert.ok(done > 100, `only ${done} could be read`);
  });
}

test("a conversation of another protocol is written in chat's words, without that protocol's extras", () => {
  const turns = [
    user({ ...words("Q"), extras: { theirs: 1 } }),
    assistant(words("Looking."), call("a"), call("b")),
    results("a", "b"),
  ];
  const sampling = { ...conversationOf({}).sampling, temperature: 0.5 };
  const parameters = [{ name: "theirs", setting: undefined, value: 1 }];
  const asked = conversationOf({ turns, sampling, parameters, stop: ["END"], outputTokens: 50 });
  const context = { isStream: true, outputTokensMax: 20, dropsParams: true };
  const { body, dropped } = encodeRequest(asked, context, "gpt");
  assert.deepEqual(dropped, ["theirs"]);
  assert.deepEqual(body, {
    model: "gpt",
    messages: [
      { role: "user", content: "Q" },
      {
        role: "assistant",
        content: "Looking.",
        tool_calls: ["a", "b"].map((id) => ({
          id,
          type: "function",
          function: { name: "f", arguments: "{}" },
        })),
      },
      { role: "tool", tool_call_id: "a", content: "result of a" },
      { role: "tool", tool_call_id: "b", content: "result of b" },
    ],
    max_completion_tokens: 20,
    stop: ["END"],
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.5,
  });
  assert.throws(() => encodeRequest(asked, { isStream: true }, "gpt"), Untranslatable);
});

const dialect: ChatDialect = { ...openaiDialect, thoughts: "reasoning_details" };
const messagesOf = (turns: readonly Turn[], more: Partial<ChatDialect> = {}, context: object = {}) => {
  const asked = conversationOf({ turns, toolUse: customUse });
  const { body } = encodeRequest(asked, { isStream: false, ...context }, "m", { ...dialect, ...more });
  return body["messages"] as Readonly<Record<string, unknown>>[];
};
const customUse = {
  ...conversationOf({}).toolUse,
  tools: [
    {
      name: "sql",
      description: "runs",
      parameters: undefined,
      isStrict: false,
      isCustom: true,
      grammar: undefined,
      cache: { given: { type: "ephemeral" }, path: "tools[0]" },
      path: "tools[0]",
      declarationPath: "tools[0]",
      extras: undefined,
    },
  ],
};

test("pictures of a tool's result follow in a user's message, after all results of the step", () => {
  const image = {
    ...words("", "p"),
    kind: "image",
    source: { kind: "inline", mediaType: "image/png", base64: "AAAA" },
    detail: undefined,
    sourcePath: "p",
  } as const;
  const [first, second] = ["a", "b"].map((id) => results(id).blocks[0] as ToolResultBlock);
  assert.ok(first !== undefined && second !== undefined);
  const step: Turn = { ...results(), role: "tool", blocks: [{ ...first, content: [image] }] };
  const rest: Turn = { ...results(), role: "tool", blocks: [{ ...second, isError: true }] };
  const turns = [user(words("Q")), assistant(call("a"), call("b")), step, rest, user(words("And?"))];
  assert.deepEqual(messagesOf(turns).slice(2), [
    { role: "tool", tool_call_id: "a", content: "(attached below)" },
    { role: "tool", tool_call_id: "b", content: "Error: result of b" },
    {
      role: "user",
      content: [
        { type: "text", text: "Attached to the result of a:" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      ],
    },
    { role: "user", content: "And?" },
  ]);
  const kept = messagesOf(turns, { takesToolImages: true });
  assert.deepEqual(
    kept.map(({ role }) => role),
    ["user", "assistant", "tool", "tool", "user"],
  );
  const shorter = messagesOf(turns.slice(0, -1));
  assert.deepEqual(messagesOf(turns).slice(0, shorter.length), shorter, "a longer one begins the same");
});

test("earlier thoughts go back in the upstream's words, and only to the model that made them", () => {
  const mine = { ...thought("Hm", "c2ln", "anthropic-claude-v1"), model: "m" } as AssistantBlock;
  const others = { ...thought("Ha", "b3Ro", "x"), model: "another" } as AssistantBlock;
  const turns = [
    user(words("Q")),
    assistant(mine, others, thought("bare", undefined), call("a")),
    results("a"),
  ];
  const detail = { type: "reasoning.text", text: "Hm", signature: "c2ln", format: "anthropic-claude-v1" };
  assert.deepEqual(messagesOf(turns)[1]?.["reasoning_details"], [detail]);
  const plain = messagesOf(turns, { thoughts: "reasoning_content" })[1];
  assert.equal(plain?.["reasoning_content"], "Hm\n\nHa\n\nbare");
  assert.ok(!JSON.stringify(messagesOf(turns, { thoughts: undefined })).includes("Hm"));
  const memory = {
    recall: (id: string) => (id === "a" ? JSON.stringify({ chat: [{ theirs: 1 }], model: "m" }) : undefined),
    remember: () => {},
  };
  const dropped = [user(words("Q")), assistant(call("a")), results("a")];
  assert.deepEqual(messagesOf(dropped, {}, { memory })[1]?.["reasoning_details"], [{ theirs: 1 }]);
});

test("custom tools are functions where there are none; marks go to those who take them", () => {
  const made = { ...call("a", "sql", "select 1"), isCustom: true } as AssistantBlock;
  const turns = [
    user({ ...words("Q"), cache: { given: { type: "ephemeral" }, path: "p" } }),
    assistant(made),
  ];
  const asked = conversationOf({ turns, toolUse: customUse });
  const less = { ...dialect, takesCustomTools: false, takesCacheMarks: true };
  const { body } = encodeRequest(asked, { isStream: false }, "m", less);
  const text = JSON.stringify(body);
  assert.match(text, /"arguments":"\{\\"input\\":\\"select 1\\"\}"/);
  assert.match(text, /"type":"function","function":\{"name":"sql","description":"runs","parameters"/);
  assert.equal(text.split('"cache_control":{"type":"ephemeral"}').length, 3);
  const own = JSON.stringify(encodeRequest(asked, { isStream: false }, "m", dialect).body);
  assert.match(own, /"type":"custom","custom":\{"name":"sql","description":"runs"\}/);
  assert.ok(!own.includes("cache_control"));
});

test("what came before is written as it was, wherever the caller puts its mark next", () => {
  const marked = (text: string, isMarked: boolean) => ({
    ...words(text),
    cache: isMarked ? { given: { type: "ephemeral" }, path: "p" } : undefined,
  });
  const turnsAt = (last: number): Turn[] => [
    user(marked("One", last === 0)),
    assistant(marked("Two", last === 1), call("a")),
    results("a"),
    user(marked("Three", last === 3)),
  ];
  for (const takesCacheMarks of [false, true]) {
    const without = (value: unknown): string =>
      JSON.stringify(value).replaceAll(',"cache_control":{"type":"ephemeral"}', "");
    const rows = [0, 1, 3, -1].map((last) => without(messagesOf(turnsAt(last), { takesCacheMarks })));
    assert.equal(new Set(rows).size, 1, rows.join("\n"));
  }
});

test("a long name of the end user is a short one that is always the same", () => {
  const asked = (value: string) =>
    conversationOf({ parameters: [{ name: "metadata.user_id", setting: "user", value }] });
  const userOf = (value: string) => encodeRequest(asked(value), { isStream: false }, "m").body["user"];
  assert.equal(userOf("user_1"), "user_1");
  assert.match(String(userOf("x".repeat(65))), /^[0-9a-f]{64}$/);
  assert.equal(userOf("x".repeat(65)), userOf("x".repeat(65)));
});

test("too many stop sequences are refused in words that fit every caller's field", () => {
  const stop = ["a", "b", "c", "d", "e"];
  assert.throws(
    () => encodeRequest(conversationOf({ stop }), { isStream: false }, "m"),
    (error) => {
      assert.ok(error instanceof Untranslatable);
      assert.equal(error.param, "the stop");
      assert.equal(error.message, "This model's upstream accepts at most 4 stop sequences.");
      return true;
    },
  );
  const told = encodeRequest(conversationOf({ stop }), { isStream: false, dropsParams: true }, "m");
  assert.deepEqual([told.body["stop"], told.dropped], [stop.slice(0, 4), ["the stop"]]);
});

test("how much to think, in words the model takes, or told as left out", () => {
  const none = { effort: undefined, budget: undefined, isOn: undefined, isHidden: false };
  const all = ["none", "low", "medium", "high"];
  const rows: readonly (readonly [Partial<ReasoningRequest>, string[] | undefined, unknown, boolean])[] = [
    [{ effort: "high" }, undefined, "high", false],
    [{ effort: "max" }, all, "high", false],
    [{ budget: 4_000 }, all, "medium", false],
    [{ budget: 4_000 }, undefined, undefined, true],
    [{ budget: 4_000 }, [], undefined, false],
    [{ budget: -1 }, all, undefined, false],
    [{ isOn: false }, all, "none", false],
    [{ isOn: false }, undefined, undefined, true],
    [{ isOn: true }, all, undefined, false],
    [{ effort: "high", isOptional: true }, [], undefined, true],
  ];
  for (const [given, efforts, effort, isDropped] of rows) {
    const asked = conversationOf({ reasoning: { ...none, ...given } });
    const { body, dropped } = encodeRequest(asked, { isStream: false }, "m", { ...dialect, efforts });
    assert.equal(body["reasoning_effort"], effort, JSON.stringify(given));
    assert.equal(dropped !== undefined, isDropped, JSON.stringify(given));
  }
  const insisting = conversationOf({ reasoning: { ...none, effort: "high" } });
  const { dropped } = encodeRequest(insisting, { isStream: false }, "m", { ...dialect, efforts: [] });
  assert.equal(dropped?.length, 1, "a model that has no word for it answers all the same");
  assert.equal(
    encodeRequest(conversationOf({ outputTokens: 9 }), { isStream: false }, "m", {
      ...dialect,
      outputName: "max_tokens",
    }).body["max_tokens"],
    9,
  );
});
