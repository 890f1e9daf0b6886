/**
 * Callers of each format: what they ask, how they go on after an answer, and what they read, as strictly as
 * the format's own clients (docs/wire/). An answer is put together from its deltas only.
 */
import {
  gather as gatherMessage,
  eventsOf as messagesEvents,
} from "../../../../server/src/protocols/anthropic-messages/testing/gather.ts";
import {
  gather as gatherResponse,
  eventsOf as responsesEvents,
} from "../../../../server/src/protocols/openai-responses/testing/gather.ts";
import { geminiEvents } from "../gemini-shapes.ts";
import { textBlock } from "../messages-shapes.ts";
import { toolCall } from "../openai-shapes.ts";
import { type ChatCall, gatherChat } from "./chat-stream.ts";
import type { SaidCall, UpstreamFormat } from "./upstreams.ts";

type Fields = Record<string, unknown>;

/** Tokens an answer says were used; undefined: its format does not say it; NaN: the answer does not. */
export interface ToldTokens {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number | undefined;
}

/** What a caller got. */
export interface Told {
  readonly id: string;
  readonly model: string;
  readonly thoughts: string;
  readonly text: string;
  readonly calls: readonly SaidCall[];
  /** In the format's own words. */
  readonly end: string;
  readonly tokens: ToldTokens;
  /** What the caller sends back as the model's turn. */
  readonly turn: unknown;
}

export interface Request {
  readonly model: string;
  readonly isStream: boolean;
  readonly system?: string;
  readonly prompt?: string;
  readonly tools?: readonly string[];
  readonly thinks?: boolean;
  readonly outputMax?: number;
}

export interface Caller {
  path(model: string, isStream: boolean): string;
  body(request: Request): Fields;
  /** The request one turn longer: the model's turn, the results of its calls, and a further question. */
  goOn(body: Fields, told: Told, question?: string): Fields;
  read(bytes: Buffer, isStream: boolean): Told;
  /** How each reason to end is called. */
  readonly ends: Readonly<Record<"stop" | "length" | "calls" | "filter", string>>;
  /** The list of turns in a body. */
  readonly turns: string;
}

const schema = { type: "object", properties: { a: { type: "number" } } };
const prompt = "Say it.";
const outputMax = 5_000;
const resultOf = ({ name }: SaidCall): string => `result of ${name}`;
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);
const recordOf = (value: unknown): Fields => (value ?? {}) as Fields;
const countOf = (value: unknown): number => Number(value ?? Number.NaN);

const argumentsOf = (text: unknown): object => JSON.parse(String(text)) as object;

const chat: Caller = {
  path: () => "/v1/chat/completions",
  turns: "messages",
  ends: { stop: "stop", length: "length", calls: "tool_calls", filter: "content_filter" },
  body: (request) => ({
    model: request.model,
    stream: request.isStream,
    max_completion_tokens: request.outputMax ?? outputMax,
    ...(request.isStream ? { stream_options: { include_usage: true } } : {}),
    ...(request.thinks === true ? { reasoning_effort: "low" } : {}),
    ...(request.tools === undefined
      ? {}
      : {
          tools: request.tools.map((name) => ({ type: "function", function: { name, parameters: schema } })),
        }),
    messages: [
      ...(request.system === undefined ? [] : [{ role: "system", content: request.system }]),
      { role: "user", content: request.prompt ?? prompt },
    ],
  }),
  goOn: (body, { turn, calls }, question) => ({
    ...body,
    messages: [
      ...listOf(body["messages"]),
      turn,
      ...calls.map((call) => ({ role: "tool", tool_call_id: call.id, content: resultOf(call) })),
      ...(question === undefined ? [] : [{ role: "user", content: question }]),
    ],
  }),
  read(bytes, isStream) {
    const whole = isStream ? gatherChat(bytes) : (JSON.parse(bytes.toString("utf8")) as Fields);
    const [choice = {}] = listOf(whole["choices"]);
    const message = choice["message"] as Fields;
    const usage = recordOf(whole["usage"]);
    const calls = listOf(message["tool_calls"]) as unknown as ChatCall[];
    return {
      id: String(whole["id"]),
      model: String(whole["model"]),
      thoughts: String(message["reasoning_content"] ?? ""),
      text: String(message["content"] ?? ""),
      calls: calls.map(({ id, function: { name, arguments: text } }) => ({
        id,
        name,
        args: argumentsOf(text),
      })),
      end: String(choice["finish_reason"]),
      tokens: {
        input: countOf(usage["prompt_tokens"]),
        cached: countOf(recordOf(usage["prompt_tokens_details"])["cached_tokens"]),
        output: countOf(usage["completion_tokens"]),
        reasoning: countOf(recordOf(usage["completion_tokens_details"])["reasoning_tokens"]),
      },
      turn: {
        role: "assistant",
        content: message["content"] ?? null,
        ...(message["reasoning_details"] === undefined
          ? {}
          : { reasoning_details: message["reasoning_details"] }),
        ...(calls.length === 0
          ? {}
          : {
              tool_calls: calls.map(({ id, function: { name, arguments: text } }) =>
                toolCall(id, name, argumentsOf(text)),
              ),
            }),
      },
    };
  },
};

const messages: Caller = {
  path: () => "/v1/messages",
  turns: "messages",
  ends: { stop: "end_turn", length: "max_tokens", calls: "tool_use", filter: "refusal" },
  body: (request) => ({
    model: request.model,
    stream: request.isStream,
    max_tokens: request.outputMax ?? outputMax,
    ...(request.system === undefined ? {} : { system: request.system }),
    ...(request.thinks === true ? { thinking: { type: "enabled", budget_tokens: 1_024 } } : {}),
    ...(request.tools === undefined
      ? {}
      : { tools: request.tools.map((name) => ({ name, input_schema: schema })) }),
    messages: [{ role: "user", content: request.prompt ?? prompt }],
  }),
  goOn: (body, { turn, calls }, question) => ({
    ...body,
    messages: [
      ...listOf(body["messages"]),
      turn,
      {
        role: "user",
        content: [
          ...calls.map((call) => ({
            type: "tool_result",
            tool_use_id: call.id,
            content: resultOf(call),
          })),
          ...(question === undefined ? [] : [textBlock(question)]),
        ],
      },
    ],
  }),
  read(bytes, isStream) {
    const whole = isStream
      ? gatherMessage(messagesEvents(bytes))
      : (JSON.parse(bytes.toString("utf8")) as Fields);
    const content = listOf(whole["content"]);
    const usage = whole["usage"] as Fields;
    const said = (type: string, member: string): string =>
      content.map((block) => (block["type"] === type ? String(block[member]) : "")).join("");
    const cached = countOf(usage["cache_read_input_tokens"]);
    return {
      id: String(whole["id"]),
      model: String(whole["model"]),
      thoughts: said("thinking", "thinking"),
      text: said("text", "text"),
      calls: content
        .filter(({ type }) => type === "tool_use")
        .map(({ id, name, input }) => ({ id: String(id), name: String(name), args: input as object })),
      end: String(whole["stop_reason"]),
      tokens: {
        input: countOf(usage["input_tokens"]) + cached,
        cached,
        output: countOf(usage["output_tokens"]),
        reasoning: undefined,
      },
      turn: { role: "assistant", content },
    };
  },
};

const responses: Caller = {
  path: () => "/v1/responses",
  turns: "input",
  ends: {
    stop: "completed",
    length: "incomplete: max_output_tokens",
    calls: "completed",
    filter: "incomplete: content_filter",
  },
  body: (request) => ({
    model: request.model,
    stream: request.isStream,
    store: false,
    include: ["reasoning.encrypted_content"],
    max_output_tokens: request.outputMax ?? outputMax,
    ...(request.system === undefined ? {} : { instructions: request.system }),
    ...(request.thinks === true ? { reasoning: { effort: "low", summary: "auto" } } : {}),
    ...(request.tools === undefined
      ? {}
      : {
          tools: request.tools.map((name) => ({ type: "function", name, parameters: schema, strict: false })),
        }),
    input: [{ role: "user", content: request.prompt ?? prompt }],
  }),
  goOn: (body, { turn, calls }, question) => ({
    ...body,
    input: [
      ...listOf(body["input"]),
      ...listOf(turn),
      ...calls.map((call) => ({
        type: "function_call_output",
        call_id: call.id,
        output: resultOf(call),
      })),
      ...(question === undefined ? [] : [{ role: "user", content: question }]),
    ],
  }),
  read(bytes, isStream) {
    const whole = isStream
      ? gatherResponse(responsesEvents(bytes))
      : (JSON.parse(bytes.toString("utf8")) as Fields);
    const output = listOf(whole["output"]);
    const usage = recordOf(whole["usage"]);
    const said = (type: string, list: string): string =>
      output
        .filter((item) => item["type"] === type)
        .flatMap((item) => listOf(item[list]))
        .map((part) => String(part["text"] ?? ""))
        .join("");
    const details = whole["incomplete_details"] as Fields | null;
    return {
      id: String(whole["id"]),
      model: String(whole["model"]),
      thoughts: said("reasoning", "summary"),
      text: said("message", "content"),
      calls: output
        .filter(({ type }) => type === "function_call")
        .map((item) => ({
          id: String(item["call_id"]),
          name: String(item["name"]),
          args: argumentsOf(item["arguments"]),
        })),
      end: `${whole["status"]}${details === null ? "" : `: ${details["reason"]}`}`,
      tokens: {
        input: countOf(usage["input_tokens"]),
        cached: countOf(recordOf(usage["input_tokens_details"])["cached_tokens"]),
        output: countOf(usage["output_tokens"]),
        reasoning: countOf(recordOf(usage["output_tokens_details"])["reasoning_tokens"]),
      },
      turn: output,
    };
  },
};

interface GeminiPart {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: object };
}

/** As Gemini CLI keeps them: texts of one kind that follow each other are one. */
function joined(parts: readonly GeminiPart[]): GeminiPart[] {
  const kept: GeminiPart[] = [];
  for (const part of parts) {
    const last = kept.at(-1);
    const isMore = last?.text !== undefined && part.text !== undefined && last.thought === part.thought;
    if (isMore && last.thoughtSignature === undefined)
      kept[kept.length - 1] = { ...last, ...part, text: `${last.text}${part.text}` };
    else kept.push(part);
  }
  return kept;
}

const gemini: Caller = {
  path: (model, isStream) =>
    `/v1beta/models/${model}:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  turns: "contents",
  ends: { stop: "STOP", length: "MAX_TOKENS", calls: "STOP", filter: "SAFETY" },
  body: (request) => ({
    ...(request.system === undefined ? {} : { systemInstruction: { parts: [{ text: request.system }] } }),
    generationConfig: {
      maxOutputTokens: request.outputMax ?? outputMax,
      ...(request.thinks === true
        ? { thinkingConfig: { includeThoughts: true, thinkingBudget: 1_024 } }
        : {}),
    },
    ...(request.tools === undefined
      ? {}
      : {
          tools: [
            {
              functionDeclarations: request.tools.map((name) => ({ name, parametersJsonSchema: schema })),
            },
          ],
        }),
    contents: [{ role: "user", parts: [{ text: request.prompt ?? prompt }] }],
  }),
  goOn: (body, { turn, calls }, question) => ({
    ...body,
    contents: [
      ...listOf(body["contents"]),
      turn,
      {
        role: "user",
        parts: [
          ...calls.map((call) => ({
            functionResponse: { id: call.id, name: call.name, response: { output: resultOf(call) } },
          })),
          ...(question === undefined ? [] : [{ text: question }]),
        ],
      },
    ],
  }),
  read(bytes, isStream) {
    const text = bytes.toString("utf8");
    const objects = isStream ? geminiEvents(text) : [JSON.parse(text) as Fields];
    const candidates = objects.flatMap((object) => listOf(object["candidates"]));
    const parts = candidates.flatMap(
      (one) => listOf((one["content"] as Fields | undefined)?.["parts"]) as GeminiPart[],
    );
    const last = objects.at(-1) ?? {};
    const usage = recordOf(last["usageMetadata"]);
    const thoughts = countOf(usage["thoughtsTokenCount"] ?? 0);
    const said = (isThought: boolean): string =>
      parts.map((part) => ((part.thought === true) === isThought ? (part.text ?? "") : "")).join("");
    return {
      id: String(last["responseId"]),
      model: String(last["modelVersion"]),
      thoughts: said(true),
      text: said(false),
      calls: parts.flatMap(({ functionCall: call }) =>
        call === undefined ? [] : [{ id: String(call.id), name: call.name, args: call.args ?? {} }],
      ),
      end: String(candidates.at(-1)?.["finishReason"]),
      tokens: {
        input: countOf(usage["promptTokenCount"]),
        cached: countOf(usage["cachedContentTokenCount"] ?? 0),
        output: countOf(usage["candidatesTokenCount"]) + thoughts,
        reasoning: thoughts,
      },
      turn: { role: "model", parts: joined(parts) },
    };
  },
};

/** Callers by their format. */
export const callers: Readonly<Record<UpstreamFormat, Caller>> = {
  "openai-chat": chat,
  "openai-responses": responses,
  "anthropic-messages": messages,
  gemini,
};
