/**
 * A long conversation through a pair: what the upstream is sent means what was said, in order, and turn by
 * turn begins with the very bytes of the turn before, so that its prompt cache goes on. The judge of Messages
 * and Gemini is `llm-bridge`, which we did not write; others are read here and by the provider's tests.
 */
import assert from "node:assert/strict";
import { toUniversal } from "llm-bridge";
import { randomOf } from "../../../../conversation/testing/random-answers.ts";
import { testingOf } from "../../../../providers/testing/all.ts";
import { parsed, type Said } from "../../../../providers/testing/tool-talk.ts";
import type { PairCaller } from "./callers.ts";
import { randomAnswer, randomOpaque, randomText, toolNames } from "./random-talk.ts";
import { answer, callOf } from "./rig.ts";
import { type Answer, type Fields, fieldsOf, listOf, png, type ToolCall, type Turn } from "./talk.ts";
import type { PairUpstream } from "./upstreams.ts";

const system = "Be brief.";

const bridged = { messages: "anthropic", vertex: "anthropic", gemini: "google" } as const;

/** A result as one of our callers wrote it: formats wrap it in ways of their own. */
function resultIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((part) => resultIn(fieldsOf(part)["text"] ?? part)).join("");
  const members = Object.entries(fieldsOf(value));
  const [only] = members;
  return members.length === 1 && only !== undefined && ["output", "result", "text"].includes(only[0])
    ? resultIn(only[1])
    : value;
}

function readByBridge(protocol: "anthropic" | "google", body: Fields): Said[] {
  const said: Said[] = [];
  const ids: string[] = [];
  for (const { role, content } of toUniversal(protocol, body as never).messages) {
    for (const part of content) {
      // The bridge tells an empty text of Gemini's as a part nobody knows.
      const text = part.text === '{"text":""}' ? "" : (part.text ?? "");
      if (part.type === "text" && text !== "") said.push({ by: role as "user", text });
      if (part.tool_call !== undefined) {
        ids.push(part.tool_call.id);
        said.push({ by: "call", name: part.tool_call.name, args: parsed(part.tool_call.arguments) });
      }
      if (part.tool_result !== undefined) {
        const { tool_call_id: id, result } = part.tool_result;
        said.push({ by: "result", ofCall: ids.lastIndexOf(id), value: resultIn(parsed(result)) });
      }
    }
  }
  return said;
}

const textIn = (content: unknown): string =>
  typeof content === "string"
    ? content
    : listOf(content)
        .map((part) => part["text"] ?? "")
        .join("");

/** The bridge overlooks calls beside an empty text in chat, and all calls of Responses. */
function readOpenai(list: readonly Fields[]): Said[] {
  const ids: string[] = [];
  const called = (id: unknown, name: unknown, args: unknown): Said => {
    ids.push(String(id));
    return { by: "call", name: String(name), args: parsed(args) };
  };
  const result = (id: unknown, value: unknown): Said => ({
    by: "result",
    ofCall: ids.lastIndexOf(String(id)),
    value: resultIn(value),
  });
  return list.flatMap((one): Said[] => {
    const { role, type, content } = one;
    const isInstruction = role === "system" || role === "developer";
    if (type === "reasoning" || (isInstruction && textIn(content) === system)) return [];
    if (isInstruction) return [{ by: "system", text: textIn(content) }];
    if (type === "function_call") return [called(one["call_id"], one["name"], one["arguments"])];
    if (type === "function_call_output") return [result(one["call_id"], one["output"])];
    if (role === "tool") return [result(one["tool_call_id"], content)];
    const text = textIn(content);
    const calls = listOf(one["tool_calls"]).map((call) => {
      const { name, arguments: args } = fieldsOf(call["function"]);
      return called(call["id"], name, args);
    });
    return [...(text === "" ? [] : [{ by: role as "user", text }]), ...calls];
  });
}

function readBy({ name }: PairUpstream, body: Fields): Said[] {
  if (name === "chat" || name === "responses") return readOpenai(listOf(body["messages"] ?? body["input"]));
  if (name !== "converse") return readByBridge(bridged[name], body);
  const { toolTalk } = testingOf("bedrock");
  assert.ok(typeof toolTalk?.read === "function");
  return toolTalk.read(body).filter(({ by }) => by !== "system");
}

/**
 * What these turns say, without thoughts. `instructed`: who says the instructions that come in the middle.
 */
function meaningOf(turns: readonly Turn[], instructed: "system" | "user"): Said[] {
  const said: Said[] = [];
  let calls = 0;
  for (const turn of turns) {
    if (turn.by === "user") said.push({ by: "user", text: turn.text });
    else if (turn.by === "system") said.push({ by: instructed, text: turn.text });
    else if (turn.by === "tools")
      turn.results.forEach(({ text }, place) => {
        said.push({ by: "result", ofCall: calls - turn.results.length + place, value: text });
      });
    else {
      const { text, calls: made = [] } = turn.answer;
      if (text !== undefined) said.push({ by: "assistant", text });
      for (const { name, args } of made) said.push({ by: "call", name, args });
      calls += made.length;
    }
  }
  return said;
}

/** Texts side by side of one speaker are one: formats join them, or keep them apart. */
function joined(said: readonly Said[]): Said[] {
  const out: Said[] = [];
  for (const one of said) {
    const last = out.at(-1);
    if ("text" in one && last !== undefined && "text" in last && last.by === one.by)
      out[out.length - 1] = { by: one.by, text: last.text + one.text };
    else out.push(one);
  }
  return out;
}

/** Who says instructions in the middle: the user, where a format has another place at the beginning only. */
function instructedBy({ caller, at }: Talk, isPassing: boolean): "system" | "user" {
  if (caller.name === "gemini") return "user";
  return isPassing || at.name === "chat" || at.name === "responses" ? "system" : "user";
}

const listNames = ["messages", "input", "contents"] as const;

/** The turns an upstream is sent, each as its bytes, and what stands before all of them. */
function prefixOf(body: Fields): { readonly head: string; readonly turns: readonly string[] } {
  const name = listNames.find((one) => Array.isArray(body[one]));
  assert.ok(name !== undefined);
  const { [name]: turns, stream: _, stream_options: __, ...head } = body;
  return { head: JSON.stringify(head), turns: listOf(turns).map((turn) => JSON.stringify(turn)) };
}

export interface Talk {
  readonly caller: PairCaller;
  readonly at: PairUpstream;
}

/** Plays a conversation. Throws where it lost its meaning or its beginning, or an opaque thought. */
export async function talk({ caller, at }: Talk, seed: number, turnsMost: number): Promise<void> {
  const random = randomOf(seed);
  const turns: Turn[] = [];
  const opaque: string[] = [];
  let called = 0;
  let waiting: readonly ToolCall[] = [];
  let before: ReturnType<typeof prefixOf> | undefined;
  let sent = "";
  for (let round = 0; round < turnsMost; round += 1) {
    const note = `SEED=${seed} ${caller.name} at ${at.name}, turn ${round}`;
    const results = waiting.map((call) => ({ call, text: randomText(random) }));
    const image = random(8) === 0 ? { image: png } : {};
    const late: Turn[] = random(4) === 0 ? [{ by: "system", text: randomText(random) }] : [];
    // A client reminds after results, and before or after a question.
    const isBefore = round > 0 && results.length === 0 && random(2) === 0;
    turns.push(
      ...(isBefore ? late : []),
      results.length > 0 ? { by: "tools", results } : { by: "user", text: randomText(random), ...image },
      ...(isBefore ? [] : late),
    );
    const isStream = random(2) === 0;
    const call = callOf(caller, at, { system, turns, tools: toolNames, thinks: true, isStream });
    sent = call.sent.body.toString();
    const body = fieldsOf(JSON.parse(sent));
    // The last body says all that the ones before it said.
    if (round % 10 === 9 || round === turnsMost - 1)
      assert.deepEqual(
        joined(readBy(at, body)),
        joined(meaningOf(turns, instructedBy({ caller, at }, call.isPassing))),
        note,
      );
    const now = prefixOf(body);
    if (before !== undefined) {
      assert.equal(now.head, before.head, note);
      assert.deepEqual(now.turns.slice(0, before.turns.length), before.turns, note);
    }
    before = now;
    const { end: _, ...any } = randomAnswer(random, called);
    // A model that thinks does so before it calls; else Claude has to be told not to think in this turn.
    const thoughts = any.thoughts ?? (any.calls?.length === 0 ? undefined : "Hm.");
    const said: Answer =
      thoughts === undefined ? any : { ...any, thoughts, opaque: any.opaque ?? randomOpaque(random) };
    const pieces = isStream ? at.stream(said) : [at.whole(said)];
    const type = isStream ? at.streamType : "application/json";
    const { text, end } = await answer(call, at, { type, pieces });
    assert.equal(end.kind, isStream ? "stream" : "answer", note);
    const got = caller.read(text, isStream);
    waiting = got.calls;
    called += got.calls.length;
    turns.push({ by: "model", answer: said, replay: got.replay });
    if (said.opaque !== undefined && got.calls.length > 0 && round < turnsMost - 1) opaque.push(said.opaque);
  }
  const lost = opaque.filter((one) => !sent.includes(one)).length;
  // A server of chat completions has no opaque thoughts.
  if (at.name !== "chat") assert.equal(lost, 0, `SEED=${seed} ${caller.name} at ${at.name}: opaque thoughts`);
}
