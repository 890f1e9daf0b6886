/** What upstreams of the other formats answer, where they lie: each lie is named as the bug. */
import { callEvents } from "../harness/formats/upstreams.ts";
import { geminiResponse, geminiText } from "../harness/gemini-shapes.ts";
import {
  type MessagesEvent,
  messageEnd,
  messageStart,
  streamOf as messagesStream,
  textDelta,
  textEvents,
} from "../harness/messages-shapes.ts";
import { chunk, usageChunk } from "../harness/openai-shapes.ts";
import { call, type Lie } from "./lies-of-responses.ts";

type Fields = Record<string, unknown>;

const thinkingIn = (type: string, member: string): MessagesEvent[] => [
  messageStart(),
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type, [member]: "Thinking." } },
  textDelta("Hel"),
  textDelta("lo"),
  { type: "content_block_stop", index: 0 },
  ...messageEnd(),
];
const hello = textEvents(["Hel", "lo"]);

export const messagesLies: Readonly<Record<string, Lie>> = {
  "two message_start": {
    answer: messagesStream([messageStart(), messageStart(), ...hello, ...messageEnd()]),
  },
  "no message_start": {
    answer: messagesStream([...hello, ...messageEnd("end_turn", { input_tokens: 10, output_tokens: 5 })]),
  },
  "thinking inside a text block": {
    answer: messagesStream(thinkingIn("thinking_delta", "thinking")),
    thoughts: "Thinking.",
  },
  "a block that never stops": {
    answer: messagesStream([messageStart(), ...hello.slice(0, -1), ...messageEnd()]),
  },
  "a delta of a block that never started": {
    answer: messagesStream([messageStart(), textDelta("Hel"), textDelta("lo"), ...messageEnd()]),
  },
  "usage in message_start 0/0": {
    answer: messagesStream([
      messageStart({ input_tokens: 0, output_tokens: 0 }),
      ...hello,
      ...messageEnd("end_turn", { input_tokens: 10, output_tokens: 5 }),
    ]),
  },
  "usage only in message_start": {
    answer: messagesStream([
      messageStart({ input_tokens: 10, output_tokens: 1 }),
      ...hello,
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" },
    ]),
    usageSource: "estimated",
  },
  "unknown blocks, deltas and events": {
    answer: messagesStream([
      messageStart(),
      { type: "of_next_month" },
      { type: "content_block_start", index: 0, content_block: { type: "of_next_month" } },
      { type: "content_block_delta", index: 0, delta: { type: "of_next_month_delta", x: "y" } },
      { type: "content_block_stop", index: 0 },
      ...textEvents(["Hel", "lo"], 1),
      ...messageEnd(),
    ]),
  },
  "a tool's input whole in its start, and no deltas": {
    answer: messagesStream([
      messageStart(),
      ...hello,
      {
        type: "content_block_start",
        index: 1,
        content_block: { type: "tool_use", id: call.id, name: call.name, input: call.args },
      },
      { type: "content_block_stop", index: 1 },
      ...messageEnd("tool_use"),
    ]),
    calls: [call],
  },
  "two calls of one id": {
    answer: messagesStream([
      messageStart(),
      ...hello,
      ...callEvents(call, 1),
      ...callEvents({ ...call, name: "g" }, 2),
      ...messageEnd("tool_use"),
    ]),
    calls: [
      { name: "f", args: call.args },
      { name: "g", args: call.args },
    ],
  },
  "stop_reason end_turn after a call": {
    answer: messagesStream([messageStart(), ...hello, ...callEvents(call, 1), ...messageEnd("end_turn")]),
    calls: [call],
  },
};

const functionCall = { name: call.name, args: call.args };

export const geminiLies: Readonly<Record<string, Lie>> = {
  "a tool call without id": {
    answer: {
      events: [
        geminiResponse([geminiText("Hello")]),
        geminiResponse([{ functionCall }, { functionCall: { ...functionCall, name: "g" } }], "STOP"),
      ],
    },
    calls: [
      { name: "f", args: call.args },
      { name: "g", args: call.args },
    ],
  },
  "an object without candidates, and one without parts": {
    answer: {
      events: [
        { usageMetadata: { promptTokenCount: 10 } },
        { candidates: [{ index: 0 }] },
        geminiResponse([geminiText("Hello")]),
        {
          candidates: [{ content: {}, finishReason: "STOP" }],
          usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 },
        },
      ],
    },
  },
  "unknown parts": {
    answer: {
      events: [
        geminiResponse([{ ofNextMonth: { x: 1 } }, geminiText("Hel")]),
        geminiResponse([geminiText("lo"), { ofNextMonth: {} }], "STOP"),
      ],
    },
  },
  "usage that shrinks": {
    answer: {
      events: [
        geminiResponse([geminiText("Hel")], undefined, { promptTokenCount: 10, candidatesTokenCount: 5 }),
        geminiResponse([geminiText("lo")], "STOP", { promptTokenCount: 10 }),
      ],
    },
    usageSource: "estimated",
  },
};

const fragment = (index: number, more: object): Fields => chunk({ tool_calls: [{ index, ...more }] });

export const chatLies: Readonly<Record<string, Lie>> = {
  "a tool call's id in every piece": {
    answer: {
      events: [
        chunk({ role: "assistant", content: "Hello" }),
        fragment(0, { id: call.id, type: "function", function: { name: "f", arguments: '{"a"' } }),
        fragment(0, { id: call.id, type: "function", function: { name: "f", arguments: ":1}" } }),
        chunk({}, "tool_calls"),
        usageChunk,
        "[DONE]",
      ],
    },
    calls: [call],
  },
  "a tool call without id": {
    answer: {
      events: [
        chunk({ role: "assistant", content: "Hello" }),
        fragment(0, { type: "function", function: { name: "f", arguments: '{"a":1}' } }),
        fragment(1, { type: "function", function: { name: "g", arguments: '{"a":1}' } }),
        chunk({}, "tool_calls"),
        usageChunk,
        "[DONE]",
      ],
    },
    calls: [
      { name: "f", args: call.args },
      { name: "g", args: call.args },
    ],
  },
  "calls that all have index 0": {
    answer: {
      events: [
        chunk({ role: "assistant", content: "Hello" }),
        fragment(0, { id: "call_1", type: "function", function: { name: "f", arguments: '{"a":1}' } }),
        fragment(0, { id: "call_2", type: "function", function: { name: "g", arguments: '{"a":2}' } }),
        chunk({}, "tool_calls"),
        usageChunk,
        "[DONE]",
      ],
    },
    calls: [
      { id: "call_1", name: "f", args: { a: 1 } },
      { id: "call_2", name: "g", args: { a: 2 } },
    ],
  },
  "finish_reason stop after a call": {
    answer: {
      events: [
        chunk({ role: "assistant", content: "Hello" }),
        fragment(0, { id: call.id, type: "function", function: { name: "f", arguments: '{"a":1}' } }),
        chunk({}, "stop"),
        usageChunk,
        "[DONE]",
      ],
    },
    calls: [call],
  },
  "usage in every piece": {
    answer: {
      events: [
        {
          ...chunk({ role: "assistant", content: "Hel" }),
          usage: { prompt_tokens: 21, completion_tokens: 1 },
        },
        { ...chunk({ content: "lo" }), usage: { prompt_tokens: 21, completion_tokens: 2 } },
        { ...chunk({}, "stop"), usage: { prompt_tokens: 21, completion_tokens: 9, total_tokens: 30 } },
        "[DONE]",
      ],
    },
  },
  "the whole thought as text, too, under two names": {
    answer: {
      events: [
        chunk({ role: "assistant", reasoning_content: "Thinking.", reasoning: "Thinking." }),
        chunk({ content: "Hello" }),
        chunk({}, "stop"),
        usageChunk,
        "[DONE]",
      ],
    },
    thoughts: "Thinking.",
  },
  "pieces with unknown members and no choices": {
    answer: {
      events: [
        { choices: [], of_next_month: 1 },
        chunk({ role: "assistant", content: "Hello", of_next_month: {} }),
        { ...chunk({}, "stop"), of_next_month: [] },
        usageChunk,
        "[DONE]",
      ],
    },
  },
};
