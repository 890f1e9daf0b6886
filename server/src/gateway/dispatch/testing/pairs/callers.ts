/**
 * For tests: callers of the four formats. Each writes a question and reads an answer, written from docs/wire/
 * independently of the product's code.
 */
import { chat } from "../../../endpoints/chat/chat.ts";
import type { Endpoint } from "../../../endpoints/endpoint.ts";
import { geminiGenerate } from "../../../endpoints/gemini/generate.ts";
import { messages } from "../../../endpoints/messages/messages.ts";
import { responses } from "../../../endpoints/responses/responses.ts";
import { gatherChat, gatherGemini, gatherMessages, gatherResponses } from "./caller-answers.ts";
import {
  type Fields,
  type Got,
  parameters,
  type Question,
  schema,
  type ToolCall,
  type Turn,
} from "./talk.ts";

export type CallerName = "chat" | "responses" | "messages" | "gemini";

export interface PairCaller {
  readonly name: CallerName;
  endpoint(isStream: boolean): Endpoint;
  /** The tail of the path, where it says the model. */
  readonly tail: string;
  readonly query: string;
  write(question: Question): Fields;
  /** Reads everything that came: a whole answer, a stream, an error. */
  read(text: string, isStream: boolean): Got;
}

const flat = <Item>(turns: readonly Turn[], write: (turn: Turn) => readonly Item[]): Item[] =>
  turns.flatMap(write);

/* Chat completions. */

const chatCall = ({ id, name, args }: ToolCall): object => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
});

function chatMessages(turn: Turn): object[] {
  if (turn.by === "tools")
    return turn.results.map(({ call, text }) => ({ role: "tool", tool_call_id: call.id, content: text }));
  if (turn.by === "system") return [{ role: "developer", content: turn.text }];
  if (turn.by === "user") {
    const { text, image } = turn;
    if (image === undefined) return [{ role: "user", content: text }];
    const picture = { type: "image_url", image_url: { url: `data:image/png;base64,${image}` } };
    return [{ role: "user", content: [{ type: "text", text }, picture] }];
  }
  if (turn.replay !== undefined) return [turn.replay as object];
  const { text = null, calls = [] } = turn.answer;
  return [
    { role: "assistant", content: text, ...(calls.length === 0 ? {} : { tool_calls: calls.map(chatCall) }) },
  ];
}

const chatBody = ({ turns, system, tools = [], thinks, isStructured, isStream }: Question): Fields => ({
  model: "m",
  messages: [
    ...(system === undefined ? [] : [{ role: "system", content: system }]),
    ...flat(turns, chatMessages),
  ],
  max_completion_tokens: 20_000,
  ...(tools.length === 0
    ? {}
    : { tools: tools.map((name) => ({ type: "function", function: { name, parameters } })) }),
  ...(thinks === true ? { reasoning_effort: "high" } : {}),
  ...(isStructured === true
    ? { response_format: { type: "json_schema", json_schema: { name: "s", schema, strict: true } } }
    : {}),
  ...(isStream ? { stream: true, stream_options: { include_usage: true } } : {}),
});

/* Responses. */

function responsesItems(turn: Turn): object[] {
  if (turn.by === "tools")
    return turn.results.map(({ call, text }) => ({
      type: "function_call_output",
      call_id: call.id,
      output: text,
    }));
  if (turn.by === "system")
    return [{ role: "developer", content: [{ type: "input_text", text: turn.text }] }];
  if (turn.by === "user") {
    const { text, image } = turn;
    const content = [
      { type: "input_text", text },
      ...(image === undefined ? [] : [{ type: "input_image", image_url: `data:image/png;base64,${image}` }]),
    ];
    return [{ role: "user", content }];
  }
  if (turn.replay !== undefined) return turn.replay as object[];
  const { text, calls = [] } = turn.answer;
  return [
    ...(text === undefined ? [] : [{ role: "assistant", content: [{ type: "output_text", text }] }]),
    ...calls.map(({ id, name, args }) => ({
      type: "function_call",
      call_id: id,
      name,
      arguments: JSON.stringify(args),
    })),
  ];
}

const responsesBody = ({ turns, system, tools = [], thinks, isStructured, isStream }: Question): Fields => ({
  model: "m",
  store: false,
  ...(system === undefined ? {} : { instructions: system }),
  input: flat(turns, responsesItems),
  max_output_tokens: 20_000,
  ...(tools.length === 0
    ? {}
    : { tools: tools.map((name) => ({ type: "function", name, parameters, strict: false })) }),
  ...(thinks === true
    ? { reasoning: { effort: "high", summary: "auto" }, include: ["reasoning.encrypted_content"] }
    : {}),
  ...(isStructured === true
    ? { text: { format: { type: "json_schema", name: "s", schema, strict: true } } }
    : {}),
  ...(isStream ? { stream: true } : {}),
});

/* Messages. */

function messagesTurn(turn: Turn): Fields {
  if (turn.by === "tools") {
    const content = turn.results.map(({ call, text }) => ({
      type: "tool_result",
      tool_use_id: call.id,
      content: text,
    }));
    return { role: "user", content };
  }
  if (turn.by === "system") return { role: "system", content: [{ type: "text", text: turn.text }] };
  if (turn.by === "user") {
    const { text, image } = turn;
    const source = { type: "base64", media_type: "image/png", data: image };
    const content = [{ type: "text", text }, ...(image === undefined ? [] : [{ type: "image", source }])];
    return { role: "user", content };
  }
  if (turn.replay !== undefined) return { role: "assistant", content: turn.replay };
  const { text, calls = [] } = turn.answer;
  const content = [
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args })),
  ];
  return { role: "assistant", content };
}

const messagesBody = ({ turns, system, tools = [], thinks, isStructured, isStream }: Question): Fields => ({
  model: "m",
  max_tokens: 20_000,
  ...(system === undefined ? {} : { system }),
  messages: turns.map(messagesTurn),
  ...(tools.length === 0 ? {} : { tools: tools.map((name) => ({ name, input_schema: parameters })) }),
  ...(thinks === true ? { thinking: { type: "enabled", budget_tokens: 10_000 } } : {}),
  ...(isStructured === true ? { output_config: { format: { type: "json_schema", schema } } } : {}),
  ...(isStream ? { stream: true } : {}),
});

/* Gemini. */

function geminiContent(turn: Turn): Fields {
  if (turn.by === "tools") {
    const parts = turn.results.map(({ call: { id, name }, text }) => ({
      functionResponse: { id, name, response: { output: text } },
    }));
    return { role: "user", parts };
  }
  // Gemini has no other place for them.
  if (turn.by === "system") return { role: "user", parts: [{ text: turn.text }] };
  if (turn.by === "user") {
    const { text, image } = turn;
    const inlineData = { mimeType: "image/png", data: image };
    return { role: "user", parts: [{ text }, ...(image === undefined ? [] : [{ inlineData }])] };
  }
  if (turn.replay !== undefined) return { role: "model", parts: turn.replay };
  const { text, calls = [] } = turn.answer;
  const parts = [
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ id, name, args }) => ({ functionCall: { id, name, args } })),
  ];
  return { role: "model", parts };
}

const geminiBody = ({ turns, system, tools = [], thinks, isStructured }: Question): Fields => ({
  ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
  contents: turns.map(geminiContent),
  ...(tools.length === 0
    ? {}
    : {
        tools: [{ functionDeclarations: tools.map((name) => ({ name, parametersJsonSchema: parameters })) }],
      }),
  generationConfig: {
    maxOutputTokens: 20_000,
    ...(thinks === true ? { thinkingConfig: { includeThoughts: true, thinkingLevel: "high" } } : {}),
    ...(isStructured === true ? { responseMimeType: "application/json", responseJsonSchema: schema } : {}),
  },
});

const geminiEndpoint = (isStream: boolean): Endpoint => geminiGenerate[isStream ? 1 : 0] as Endpoint;

export const pairCallers: readonly PairCaller[] = [
  { name: "chat", endpoint: () => chat, tail: "", query: "", write: chatBody, read: gatherChat },
  {
    name: "responses",
    endpoint: () => responses,
    tail: "",
    query: "",
    write: responsesBody,
    read: gatherResponses,
  },
  {
    name: "messages",
    endpoint: () => messages,
    tail: "",
    query: "",
    write: messagesBody,
    read: gatherMessages,
  },
  {
    name: "gemini",
    endpoint: geminiEndpoint,
    tail: "m",
    query: "alt=sse",
    write: geminiBody,
    read: gatherGemini,
  },
];
