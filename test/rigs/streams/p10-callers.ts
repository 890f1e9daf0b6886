/**
 * Callers of the four formats for P10's conversations: each writes the turns, and makes of an answer what a
 * client does and sends back. Written from docs/wire/. Numbers keep their digits.
 */
import type { EndpointName } from "../harness/endpoints.ts";
import { type Conversation, type Fields, type IdCall, type Turn, toolNames } from "./p10-conversations.ts";

/** Node has both, its types not yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
const parseWith = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** Parses JSON whose numbers are written again as they stood. */
const exact = (text: string): unknown =>
  parseWith(text, (_, value, { source = "" }) =>
    typeof value === "number" && String(value) !== source ? rawJSON(source) : value,
  );

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The objects of a stream. Not read with a `.` of a regular expression, which does not match U+2028. */
const eventsIn = (body: string): Fields[] =>
  body
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => fieldsOf(exact(line.slice("data: ".length))));

/** What a caller holds of an answer. */
export interface Got {
  readonly words: string;
  readonly calls: readonly IdCall[];
  /** What it sends back: all that came, and what is left where it drops what it does not know. */
  readonly replay: unknown;
  readonly plain: unknown;
}

interface Caller {
  /** The body without the model. */
  write(asked: Conversation, turns: readonly Turn[]): Fields;
  read(body: string, isStream: boolean): Got;
}

const parameters = { type: "object", properties: { city: { type: "string" } } };

/* Chat completions. */

const chatCalls = (calls: readonly IdCall[]): Fields[] =>
  calls.map(({ id, name, args }) => ({ id, type: "function", function: { name, arguments: args } }));

function chatMessages(turn: Turn): unknown[] {
  if (turn.by === "results")
    return turn.of.map(({ id }, place) => ({ role: "tool", tool_call_id: id, content: turn.values[place] }));
  if (turn.by === "user") {
    const [only] = turn.texts;
    const parts = turn.texts.map((text) => ({ type: "text", text }));
    return [{ role: "user", content: turn.texts.length === 1 ? only : parts }];
  }
  if (turn.replay !== undefined) return [turn.replay];
  const { words, calls } = turn;
  const content = words === "" ? null : words;
  return [{ role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: chatCalls(calls) }) }];
}

/** The message of a stream, as clients put it together. */
function chatMessage(events: readonly Fields[]): Fields {
  let content = "";
  const details: unknown[] = [];
  const calls: Fields[] = [];
  for (const event of events) {
    const delta = fieldsOf(listOf(event["choices"])[0]?.["delta"]);
    content += textOf(delta["content"]);
    details.push(...listOf(delta["reasoning_details"]));
    for (const { index, function: called, ...rest } of listOf(delta["tool_calls"])) {
      const known = calls[Number(index)] ?? {};
      const before = fieldsOf(known["function"]);
      const { name, arguments: piece } = fieldsOf(called);
      const args = `${textOf(before["arguments"])}${textOf(piece)}`;
      calls[Number(index)] = {
        ...known,
        ...rest,
        function: { name: before["name"] ?? name, arguments: args },
      };
    }
  }
  return {
    role: "assistant",
    content: content === "" ? null : content,
    tool_calls: calls,
    ...(details.length === 0 ? {} : { reasoning_details: details }),
  };
}

const chatCaller: Caller = {
  write: ({ isStream, system }, turns) => ({
    messages: [
      ...(system === undefined ? [] : [{ role: "system", content: system }]),
      ...turns.flatMap(chatMessages),
    ],
    tools: toolNames.map((name) => ({ type: "function", function: { name, description: "d", parameters } })),
    ...(isStream ? { stream: true, stream_options: { include_usage: true } } : {}),
  }),
  read(body, isStream) {
    const message = isStream
      ? chatMessage(eventsIn(body))
      : fieldsOf(listOf(fieldsOf(exact(body))["choices"])[0]?.["message"]);
    const words = textOf(message["content"]);
    const calls = listOf(message["tool_calls"]).map(({ id, function: called }) => {
      const { name, arguments: args } = fieldsOf(called);
      return { id: String(id), name: String(name), args: String(args) };
    });
    const plain = { role: "assistant", content: message["content"], tool_calls: chatCalls(calls) };
    return { words, calls, replay: message, plain };
  },
};

/* Responses. */

const responsesCalls = (calls: readonly IdCall[]): Fields[] =>
  calls.map(({ id, name, args }) => ({ type: "function_call", call_id: id, name, arguments: args }));

function responsesItems(turn: Turn): unknown[] {
  if (turn.by === "results")
    return turn.of.map(({ id }, place) => ({
      type: "function_call_output",
      call_id: id,
      output: turn.values[place],
    }));
  if (turn.by === "user")
    return [{ role: "user", content: turn.texts.map((text) => ({ type: "input_text", text })) }];
  if (turn.replay !== undefined) return turn.replay as unknown[];
  return [...responsesWords(turn.words), ...responsesCalls(turn.calls)];
}

const responsesWords = (text: string): Fields[] =>
  text === "" ? [] : [{ role: "assistant", content: [{ type: "output_text", text }] }];

const responsesCaller: Caller = {
  write: ({ isStream, system }, turns) => ({
    ...(system === undefined ? {} : { instructions: system }),
    input: turns.flatMap(responsesItems),
    tools: toolNames.map((name) => ({ type: "function", name, description: "d", parameters, strict: false })),
    store: false,
    ...(isStream ? { stream: true } : {}),
  }),
  read(body, isStream) {
    const items = isStream
      ? eventsIn(body)
          .filter(({ type }) => type === "response.output_item.done")
          .map(({ item }) => fieldsOf(item))
      : listOf(fieldsOf(exact(body))["output"]);
    const words = items
      .flatMap(({ content }) => listOf(content))
      .map(({ text }) => textOf(text))
      .join("");
    const calls = items
      .filter(({ type }) => type === "function_call")
      .map(({ call_id: id, name, arguments: args }) => ({
        id: String(id),
        name: String(name),
        args: String(args),
      }));
    return { words, calls, replay: items, plain: [...responsesWords(words), ...responsesCalls(calls)] };
  },
};

/* Messages. */

const messagesBlocks = (words: string, calls: readonly IdCall[]): Fields[] => [
  ...(words === "" ? [] : [{ type: "text", text: words }]),
  ...calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: exact(args) })),
];

function messagesTurn(turn: Turn): Fields {
  if (turn.by === "results") {
    const content = turn.of.map(({ id }, place) => ({
      type: "tool_result",
      tool_use_id: id,
      content: turn.values[place],
    }));
    return { role: "user", content };
  }
  if (turn.by === "user")
    return { role: "user", content: turn.texts.map((text) => ({ type: "text", text })) };
  return { role: "assistant", content: turn.replay ?? messagesBlocks(turn.words, turn.calls) };
}

/** The blocks of a stream, as clients put them together. */
function messagesContent(events: readonly Fields[]): Fields[] {
  const blocks: Fields[] = [];
  const inputs: string[] = [];
  for (const { type, index, content_block: begun, delta } of events) {
    const place = Number(index);
    const { text = "", partial_json: json = "" } = fieldsOf(delta);
    if (type === "content_block_start") blocks[place] = fieldsOf(begun);
    if (type !== "content_block_delta") continue;
    const block = blocks[place] ?? {};
    if (block["type"] === "text") blocks[place] = { ...block, text: `${textOf(block["text"])}${text}` };
    inputs[place] = `${inputs[place] ?? ""}${json}`;
  }
  return blocks.map((block, place) =>
    block["type"] === "tool_use" ? { ...block, input: exact(inputs[place] || "{}") } : block,
  );
}

const messagesCaller: Caller = {
  write: ({ isStream, system }, turns) => ({
    ...(system === undefined ? {} : { system }),
    messages: turns.map(messagesTurn),
    tools: toolNames.map((name) => ({ name, description: "d", input_schema: parameters })),
    max_tokens: 4_000,
    ...(isStream ? { stream: true } : {}),
  }),
  read(body, isStream) {
    const blocks = isStream ? messagesContent(eventsIn(body)) : listOf(fieldsOf(exact(body))["content"]);
    const words = blocks.map(({ text }) => textOf(text)).join("");
    const calls = blocks
      .filter(({ type }) => type === "tool_use")
      .map(({ id, name, input }) => ({ id: String(id), name: String(name), args: JSON.stringify(input) }));
    return { words, calls, replay: blocks, plain: messagesBlocks(words, calls) };
  },
};

/* Gemini. */

const geminiParts = (words: string, calls: readonly IdCall[], hasIds: boolean): Fields[] => [
  ...(words === "" ? [] : [{ text: words }]),
  ...calls.map(({ id, name, args }) => ({
    functionCall: { ...(hasIds ? { id } : {}), name, args: exact(args) },
  })),
];

function geminiContent(turn: Turn): Fields {
  if (turn.by === "results") {
    const parts = turn.of.map(({ id, name }, place) => ({
      functionResponse: { ...(id === "" ? {} : { id }), name, response: { output: turn.values[place] } },
    }));
    return { role: "user", parts };
  }
  if (turn.by === "user") return { role: "user", parts: turn.texts.map((text) => ({ text })) };
  return { role: "model", parts: turn.replay ?? geminiParts(turn.words, turn.calls, true) };
}

const geminiCaller: Caller = {
  write: ({ system }, turns) => ({
    ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    contents: turns.map(geminiContent),
    tools: [
      {
        functionDeclarations: toolNames.map((name) => ({
          name,
          description: "d",
          parametersJsonSchema: parameters,
        })),
      },
    ],
    generationConfig: { maxOutputTokens: 4_000 },
  }),
  read(body, isStream) {
    const parts = (isStream ? eventsIn(body) : [fieldsOf(exact(body))])
      .flatMap(({ candidates }) => listOf(candidates))
      .flatMap(({ content }) => listOf(fieldsOf(content)["parts"]));
    const words = parts.map(({ text }) => textOf(text)).join("");
    const calls = parts
      .filter(({ functionCall }) => functionCall !== undefined)
      .map(({ functionCall }) => {
        const { id, name, args } = fieldsOf(functionCall);
        return { id: textOf(id), name: String(name), args: JSON.stringify(args ?? {}) };
      });
    return { words, calls, replay: parts, plain: geminiParts(words, calls, false) };
  },
};

export const callers: Readonly<Record<EndpointName, Caller>> = {
  chat: chatCaller,
  responses: responsesCaller,
  messages: messagesCaller,
  gemini: geminiCaller,
};
