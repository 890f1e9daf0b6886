/**
 * Bugs that other gateways have in what they send to upstreams, most of them on the second turn of a
 * conversation: the name of a test is the bug.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { callers, type Told } from "../harness/formats/callers.ts";
import { type FormatStage, formats, pairs, startFormats } from "../harness/formats/stage.ts";
import { answerOf, type Said, type SaidCall, type UpstreamFormat } from "../harness/formats/upstreams.ts";

let stage: FormatStage;
before(async () => {
  stage = await startFormats();
});
after(async () => {
  await stage?.stop();
});

type Fields = Record<string, unknown>;

/** A signature in an alphabet every vendor uses. */
const signature = "c2lnbmF0dXJlIG9mIHRoZSB0aG91Z2h0cw==";
const usual: Said = { thoughts: "Let me look.", signature, texts: ["Looking."] };
let conversations = 0;
/** What the model says first: no two conversations have the same ids. */
function opening(): Said & { calls: SaidCall[] } {
  conversations += 1;
  const calls = ["f", "g"].map((name, a) => ({ id: `call_${conversations}_${name}`, name, args: { a } }));
  return { ...usual, calls };
}
const asked = { thinks: true, tools: ["f", "g"], system: "Be brief." } as const;
const [claude, google] = ["anthropic-messages", "gemini"] as const;

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);
const timesIn = (text: string, part: string): number => text.split(part).length - 1;

/** The body of the last call at this upstream. */
const lastSent = (upstream: UpstreamFormat): { readonly text: string; readonly body: Fields } => {
  const call = stage.upstreams[upstream].calls.at(-1);
  assert.ok(call !== undefined);
  return call;
};

/** What the upstream was sent for the second turn, and for the third. */
async function turnsAt(caller: UpstreamFormat, upstream: UpstreamFormat, isStream: boolean) {
  const how = { ...asked, isStream };
  const body = stage.bodyFor(caller, upstream, how);
  const sent: { text: string; body: Fields }[] = [];
  const say = async (asks: Fields, said: Said): Promise<Told> => {
    const { told } = await stage.ask(caller, upstream, said, { isStream, body: asks });
    sent.push(lastSent(upstream));
    return told;
  };
  const begun = opening();
  const first = await say(body, begun);
  const second = callers[caller].goOn(body, first);
  const third = callers[caller].goOn(second, await say(second, { texts: ["Done."] }), "More?");
  await say(third, { texts: ["No."] });
  return { sent, first, ids: begun.calls.map(({ id }) => id) };
}

/** Ids of the calls and of the results in what an upstream was sent, in order. */
const idsIn: Readonly<Record<UpstreamFormat, (body: Fields) => { made: unknown[]; answered: unknown[] }>> = {
  "openai-chat": (body) => ({
    made: listOf(body["messages"]).flatMap((one) => listOf(one["tool_calls"]).map(({ id }) => id)),
    answered: listOf(body["messages"]).flatMap(({ role, tool_call_id: id }) => (role === "tool" ? [id] : [])),
  }),
  "openai-responses": (body) => ({
    made: listOf(body["input"]).flatMap((one) => (one["type"] === "function_call" ? [one["call_id"]] : [])),
    answered: listOf(body["input"]).flatMap((one) =>
      one["type"] === "function_call_output" ? [one["call_id"]] : [],
    ),
  }),
  "anthropic-messages": (body) => {
    const blocks = listOf(body["messages"]).flatMap(({ content }) => listOf(content));
    return {
      made: blocks.flatMap((one) => (one["type"] === "tool_use" ? [one["id"]] : [])),
      answered: blocks.flatMap((one) => (one["type"] === "tool_result" ? [one["tool_use_id"]] : [])),
    };
  },
  gemini: (body) => {
    const parts = listOf(body["contents"]).flatMap((one) => listOf(one["parts"]));
    const ids = (name: string): unknown[] =>
      parts.flatMap((part) => (part[name] === undefined ? [] : [(part[name] as Fields)["id"]]));
    return { made: ids("functionCall"), answered: ids("functionResponse") };
  },
};

/** What an upstream reads first: its cache finds the longest beginning that it has seen. */
const promptOf: Readonly<Record<UpstreamFormat, readonly string[]>> = {
  "openai-chat": ["tools", "messages"],
  "openai-responses": ["tools", "instructions", "input"],
  "anthropic-messages": ["tools", "system", "messages"],
  gemini: ["tools", "systemInstruction", "contents"],
};

/** Marks move with the conversation: caches look at what is before them, not at themselves. */
const withoutMarks = (value: unknown): string =>
  JSON.stringify(value ?? null, (name, inner: unknown) => (name === "cache_control" ? undefined : inner));

describe("the second turn", () => {
  for (const [caller, upstream] of pairs) {
    for (const isStream of [false, true]) {
      const how = `${caller} at ${upstream}, ${isStream ? "streamed" : "whole"}`;

      test(`a tool call's id lost on its way back, ${how}`, async () => {
        const { sent, ids } = await turnsAt(caller, upstream, isStream);
        for (const { body } of sent.slice(1))
          assert.deepEqual(idsIn[upstream](body), { made: ids, answered: ids });
      });

      test(`an unstable converted prefix, ${how}`, async () => {
        const { sent } = await turnsAt(caller, upstream, isStream);
        const prompts = sent.map(({ body }) => promptOf[upstream].map((name) => withoutMarks(body[name])));
        for (const [index, longer] of prompts.entries()) {
          const shorter = prompts[index - 1];
          if (shorter === undefined) continue;
          assert.deepEqual(longer.slice(0, -1), shorter.slice(0, -1));
          const begun = String(shorter.at(-1)).slice(0, -1);
          assert.ok(longer.at(-1)?.startsWith(begun), `${begun}\n${longer.at(-1)}`);
        }
      });

      test(`signature dropped or text doubled, ${how}`, async () => {
        const { sent, first } = await turnsAt(caller, upstream, isStream);
        assert.equal(first.text, "Looking.");
        for (const { text } of sent.slice(1)) {
          assert.equal(timesIn(text, "Looking."), 1, text);
          assert.ok(timesIn(text, "Let me look.") <= 1, text);
          if (upstream === "openai-chat") continue;
          assert.equal(timesIn(text, signature), 1, text);
        }
      });
    }
  }
});

describe("Gemini's thought signature lost on a tool turn", () => {
  for (const caller of formats) {
    for (const isStream of [false, true]) {
      test(`${caller}, ${isStream ? "streamed" : "whole"}`, async () => {
        const { sent } = await turnsAt(caller, google, isStream);
        const parts = listOf(sent[1]?.body["contents"]).flatMap((one) => listOf(one["parts"]));
        const [call] = parts.filter((part) => part["functionCall"] !== undefined);
        assert.equal(call?.["thoughtSignature"], signature, sent[1]?.text);
      });
    }
  }

  test("a client of chat that drops what it does not know keeps it all the same", async () => {
    const body = stage.bodyFor("openai-chat", google, asked);
    const { told } = await stage.ask("openai-chat", google, opening(), { body });
    const { reasoning_details: _, ...turn } = told.turn as Fields;
    const next = callers["openai-chat"].goOn(body, { ...told, turn });
    await stage.ask("openai-chat", google, { texts: ["Done."] }, { body: next });
    assert.equal(timesIn(lastSent(google).text, signature), 1);
  });
});

describe("unknown item types rejected", () => {
  const unknown: Readonly<Record<UpstreamFormat, (body: Fields) => void>> = {
    "openai-chat": (body) =>
      listOf(body["messages"]).unshift({ role: "user", content: "Hi.", of_next_month: 1 }),
    "openai-responses": (body) => listOf(body["input"]).unshift({ type: "of_next_month", id: "x", of: 1 }),
    "anthropic-messages": (body) =>
      listOf(body["messages"]).unshift({
        role: "user",
        content: [
          { type: "of_next_month", x: 1 },
          { type: "text", text: "Hi." },
        ],
      }),
    gemini: (body) =>
      listOf(body["contents"]).unshift({ role: "user", parts: [{ ofNextMonth: {} }, { text: "Hi." }] }),
  };
  for (const [caller, upstream] of pairs) {
    test(`${caller} at ${upstream}`, async () => {
      const body = stage.bodyFor(caller, upstream);
      unknown[caller](body);
      const { told } = await stage.ask(caller, upstream, { texts: ["Yes."] }, { body });
      assert.equal(told.text, "Yes.");
    });
  }
});

const marks = (body: unknown): number => timesIn(JSON.stringify(body), '"cache_control"');
const ephemeral = { cache_control: { type: "ephemeral" } };

/** A block of Claude's with a mark on nothing. */
function emptyMarked(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(emptyMarked);
  if (typeof value !== "object" || value === null) return false;
  const block = value as Fields;
  if (block["cache_control"] !== undefined && block["type"] === "text" && block["text"] === "") return true;
  return Object.values(block).some(emptyMarked);
}

describe("cache_control on empty text or beyond four marks", () => {
  test("a chat caller's marks, translated to Claude", async () => {
    const marked = (text: string) => [{ type: "text", text, ...ephemeral }];
    const body = {
      ...stage.bodyFor("openai-chat", claude),
      messages: [
        { role: "system", content: marked("Be brief.") },
        ...Array.from({ length: 6 }, (_, turn) => [
          { role: "user", content: marked(turn === 2 ? "" : `Question ${turn}.`) },
          { role: "assistant", content: turn === 3 ? "" : `Answer ${turn}.` },
        ]).flat(),
        { role: "user", content: marked("Last.") },
      ],
    };
    await stage.ask("openai-chat", claude, { texts: ["Yes."] }, { body });
    const sent = lastSent(claude);
    assert.ok(marks(sent.body) <= 4 && marks(sent.body) >= 1, sent.text);
    assert.ok(!emptyMarked(sent.body), sent.text);
    assert.match(JSON.stringify(listOf(sent.body["messages"]).at(-1)), /cache_control/);
  });

  test("empty texts make no block", async () => {
    for (const caller of ["openai-chat", "openai-responses", "gemini"] as const) {
      const body = stage.bodyFor(caller, claude, asked);
      const told = { turn: emptyTurns[caller], calls: [] } as unknown as Told;
      await stage.ask(
        caller,
        claude,
        { texts: ["Yes."] },
        { body: callers[caller].goOn(body, told, "Go on.") },
      );
      const blocks = listOf(lastSent(claude).body["messages"]).flatMap(({ content }) => listOf(content));
      assert.ok(!blocks.some(({ type, text }) => type === "text" && text === ""), lastSent(claude).text);
    }
  });
});

/** A model's turn that says nothing. */
const emptyTurns = {
  "openai-chat": { role: "assistant", content: "" },
  "openai-responses": [
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "", annotations: [] }] },
  ],
  gemini: { role: "model", parts: [{ text: "" }] },
} as const;

describe("betas sent where they are refused, or lost", () => {
  const headers = { "anthropic-beta": "interleaved-thinking-2025-05-14,effort-2025-11-24" };
  for (const upstream of formats) {
    test(upstream, async () => {
      const { seen } = await stage.ask(claude, upstream, { texts: ["Yes."] }, { headers });
      const [call] = stage.upstreams[upstream].calls;
      const expected = upstream === claude ? headers["anthropic-beta"] : undefined;
      assert.equal(call?.headers["anthropic-beta"], expected);
      if (upstream !== claude) assert.doesNotMatch(JSON.stringify(call?.headers), /anthropic/);
      assert.equal(seen.status, 200);
    });
  }
});

describe("an answer of another deployment", () => {
  test("previous_response_id at another deployment: its upstream is told the turns, and no foreign id", async () => {
    const [first, second] = [stage.fresh("openai-responses"), stage.fresh("openai-chat")];
    const begun = opening();
    const ask = (model: string, upstream: UpstreamFormat, body: Fields) =>
      stage.ask("openai-responses", upstream, begun, { body: { model, store: true, ...body } });
    const told = (await ask(first, "openai-responses", { input: "First question." })).told;
    const ids = begun.calls.map(({ id }) => id);
    const input = ids.map((id) => ({ type: "function_call_output", call_id: id, output: "r" }));
    await ask(second, "openai-chat", { input, previous_response_id: told.id });
    const { text, body } = lastSent("openai-chat");
    for (const part of ["First question.", "Looking."]) assert.equal(timesIn(text, part), 1, text);
    assert.deepEqual(idsIn["openai-chat"](body).made, ids);
    for (const foreign of ["previous_response_id", told.id, signature, "resp_up", "rs_up"])
      assert.equal(timesIn(text, foreign), 0, `${foreign}: ${text}`);
  });

  for (const caller of ["openai-responses", "anthropic-messages", "gemini"] as const) {
    for (const [maker, reader] of [
      ["openai-responses", "anthropic-messages"],
      ["anthropic-messages", "openai-responses"],
      ["gemini", "anthropic-messages"],
      ["anthropic-messages", "gemini"],
      ["openai-responses", "openai-chat"],
    ] as const) {
      test(`a stale signature sent to somebody else: ${caller}, made by ${maker}, read by ${reader}`, async () => {
        const body = stage.bodyFor(caller, maker, asked);
        const { told } = await stage.ask(caller, maker, opening(), { body });
        const next = {
          ...callers[caller].goOn(body, told),
          ...(caller === "gemini" ? {} : { model: reader }),
        };
        stage.upstreams[reader].answerWith(answerOf(reader, { texts: ["Done."] }, false));
        const seen = await stage.send(caller, reader, { body: next });
        assert.equal(seen.status, 200, String(seen.body));
        const { text } = lastSent(reader);
        assert.equal(timesIn(text, signature), 0, text);
        assert.equal(timesIn(text, "Looking."), 1, text);
      });
    }
  }
});
