/**
 * The upstreams of P10's conversations: every provider that translates, and OpenAI's two formats. Each writes
 * an answer with calls, and reads what it was sent, independently of the product's code: Anthropic's and
 * Google's bodies with the package `llm-bridge`.
 */
import assert from "node:assert/strict";
import { toUniversal } from "llm-bridge";
import { testedProviders, testingOf } from "../../../server/src/providers/testing/all.ts";
import {
  type BridgeProtocol,
  halves,
  parsed,
  type Said,
  type ToolTalk,
} from "../../../server/src/providers/testing/tool-talk.ts";
import { namedSse, sse, type Wire } from "../../../server/src/providers/testing/wire.ts";
import {
  callItem,
  callItemEvents,
  numbered,
  responseBegun,
  responseCompleted,
  responseUsage,
  responseWith,
  textItem,
  textItemEvents,
} from "../../wire/responses.ts";
import type { Fields } from "../../wire/tokens.ts";
import type { EndpointName } from "../harness/endpoints.ts";

export interface ToolUpstream extends Pick<ToolTalk, "reply"> {
  readonly id: string;
  readonly provider: string;
  readonly wire: Wire;
  readonly formats: readonly string[] | undefined;
  /** Callers of this format are passed, byte for byte. */
  readonly spoken: EndpointName | undefined;
  read(body: Fields): Said[];
}

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);
const usage = { input: 1, cached: 0, output: 1, reasoning: 0 };

/* What an upstream is sent. */

/** Google wraps a result that is not an object; callers of Gemini do so, too. */
function unwrapped(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return parsed(value);
  const entries = Object.entries(value);
  const only = entries.length === 1 ? entries[0] : undefined;
  return only?.[0] === "output" || only?.[0] === "result" ? parsed(only[1]) : value;
}

/** The meaning of a body sent to Anthropic or Google, as read by `llm-bridge`. */
function readByBridge(protocol: BridgeProtocol, body: Fields): Said[] {
  const universal = toUniversal(protocol, body as never);
  const said: Said[] = [];
  const ids: string[] = [];
  // The bridge joins the parts of a system prompt.
  if (typeof universal.system === "string") said.push({ by: "system", text: universal.system });
  for (const { role, content } of universal.messages) {
    for (const part of content) {
      if (part.type === "text" && part.text !== undefined) said.push({ by: role as "user", text: part.text });
      if (part.tool_call !== undefined) {
        ids.push(part.tool_call.id);
        said.push({ by: "call", name: part.tool_call.name, args: part.tool_call.arguments });
      }
      if (part.tool_result !== undefined) {
        const { tool_call_id: id, result } = part.tool_result;
        said.push({ by: "result", ofCall: ids.lastIndexOf(id), value: unwrapped(result) });
      }
    }
  }
  return said;
}

/** The texts of a message or an item. */
const textsIn = (content: unknown): string[] =>
  typeof content === "string" ? [content] : listOf(content).map(({ text }) => String(text ?? ""));

/** The meaning of chat's messages, or of Responses' items after the instructions. */
function readOpenai({ instructions, messages, input }: Fields): Said[] {
  const ids: string[] = [];
  const called = (id: unknown, name: unknown, args: unknown): Said => {
    ids.push(String(id));
    return { by: "call", name: String(name), args: parsed(args) };
  };
  const result = (id: unknown, content: unknown): Said => ({
    by: "result",
    ofCall: ids.lastIndexOf(String(id)),
    value: unwrapped(parsed(textsIn(content).join(""))),
  });
  const system: Said[] = typeof instructions === "string" ? [{ by: "system", text: instructions }] : [];
  const turns = listOf(messages ?? input).flatMap((one): Said[] => {
    const { role, type, content } = one;
    if (type === "reasoning") return [];
    if (type === "function_call") return [called(one["call_id"], one["name"], one["arguments"])];
    if (type === "function_call_output") return [result(one["call_id"], one["output"])];
    if (role === "tool") return [result(one["tool_call_id"], content)];
    const by = role === "developer" ? "system" : (role as "user");
    const texts = textsIn(content).filter((text) => text !== "");
    const calls = listOf(one["tool_calls"]).map((call) => {
      const { name, arguments: args } = call["function"] as Fields;
      return called(call["id"], name, args);
    });
    return [...texts.map((text): Said => ({ by, text })), ...calls];
  });
  return [...system, ...turns];
}

/* What OpenAI's two formats answer. */

const chunk = (choice: Fields): Fields => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_790_000_000,
  model: "m",
  choices: [{ index: 0, ...choice }],
});
const chatUsage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const eventStream = { "content-type": "text/event-stream" };

const chatReply: ToolTalk["reply"] = ({ isStream, words, calls }) => {
  const made = calls.map(({ name, args }, index) => ({
    id: `call_${index}`,
    type: "function",
    function: { name, arguments: args },
  }));
  if (!isStream) {
    const message = { role: "assistant", content: words === "" ? null : words, tool_calls: made };
    const { choices: _, ...head } = chunk({});
    const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
    return { body: JSON.stringify({ ...head, object: "chat.completion", choices, usage: chatUsage }) };
  }
  const deltas: Fields[] = [
    { role: "assistant", content: "" },
    ...halves(words).map((content) => ({ content })),
    ...made.flatMap((call, index) => [
      { tool_calls: [{ ...call, index, function: { name: call.function.name, arguments: "" } }] },
      ...halves(call.function.arguments).map((piece) => ({
        tool_calls: [{ index, function: { arguments: piece } }],
      })),
    ]),
  ];
  const body = sse(
    ...deltas.map((delta) => chunk({ delta, finish_reason: null })),
    chunk({ delta: {}, finish_reason: "tool_calls" }),
    { ...chunk({}), choices: [], usage: chatUsage },
    "[DONE]",
  );
  return { headers: eventStream, body };
};

const responsesReply: ToolTalk["reply"] = ({ isStream, words, calls }) => {
  const items = [
    ...(words === "" ? [] : [textItem("msg_1", words)]),
    ...calls.map(({ name, args }, place) => callItem(`call_${place}`, name, args)),
  ];
  const whole = responseWith("resp_1", { model: "m", store: false }, items, responseUsage(usage));
  if (!isStream) return { body: JSON.stringify(whole) };
  const events = items.flatMap((item, index) => {
    const { begin, deltas, end } =
      item["type"] === "message"
        ? textItemEvents(index, item, halves(words))
        : callItemEvents(index, item, halves(String(item["arguments"])));
    return [...begin, ...deltas, ...end];
  });
  const all = [...responseBegun(whole), ...events, responseCompleted(whole)];
  return { headers: eventStream, body: namedSse(...all.map(numbered)) };
};

const openai = { provider: "openai", wire: testingOf("openai").wire, read: readOpenai };

const passedAt: Readonly<Record<string, EndpointName>> = { anthropic: "messages", google: "gemini" };

export const toolUpstreams: readonly ToolUpstream[] = [
  { ...openai, id: "chat", formats: undefined, spoken: "chat", reply: chatReply },
  {
    ...openai,
    id: "responses",
    formats: ["openai-responses"],
    spoken: "responses",
    reply: responsesReply,
  },
  ...testedProviders
    .filter(({ toolTalk }) => toolTalk !== undefined)
    .map(({ id, wire, toolTalk }): ToolUpstream => {
      const { reply, read } = toolTalk ?? assert.fail();
      return {
        id,
        provider: id,
        wire,
        formats: undefined,
        spoken: passedAt[id],
        reply,
        read: typeof read === "string" ? (body) => readByBridge(read, body) : read,
      };
    }),
];
