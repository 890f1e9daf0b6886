/**
 * The same answer as an upstream of each format gives it, whole or streamed. Written from docs/wire/, not
 * from the product.
 */
import type { FormatId } from "@plaza/contract/formats.ts";
import { geminiResponse, geminiText } from "../gemini-shapes.ts";
import {
  type MessagesEvent,
  messageEnd,
  messageStart,
  messagesWire,
  textBlock,
  textEvents,
  wholeMessage,
} from "../messages-shapes.ts";
import { chunk, completion, toolCall, toolCallDeltas } from "../openai-shapes.ts";
import {
  endEvent,
  functionCallItem,
  messageEvents,
  messageItem,
  type ResponsesEvent,
  type ResponsesItem,
  reasoningItem,
  response,
  responsesWire,
  startEvents,
} from "../responses-shapes.ts";
import type { ScriptedAnswer } from "../scripted-upstream.ts";

/** Formats an upstream of these tests may speak. */
export type UpstreamFormat = Exclude<FormatId, "bedrock-converse">;

/** Tokens by the four ways they are charged; `output` includes `reasoning`. */
export interface Tokens {
  /** Of the prompt, neither read from a cache nor written to one. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

export interface SaidCall {
  readonly id: string;
  readonly name: string;
  readonly args: object;
}

/** What the model says, in the order of these members. */
export interface Said {
  readonly thoughts?: string;
  /** What comes back with the thoughts, or with the first call, in its vendor's own form. */
  readonly signature?: string;
  readonly texts?: readonly string[];
  readonly calls?: readonly SaidCall[];
  /** PNG images in base64. Messages have none. */
  readonly images?: readonly string[];
  readonly end?: "stop" | "length" | "filter";
  readonly tokens?: Tokens;
}

export const usualTokens: Tokens = { input: 17, cached: 4, output: 9, reasoning: 3 };

const eventStream = { "content-type": "text/event-stream" };

/** A text in two pieces, neither of them empty. */
const halves = (text: string): string[] => {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== "");
};

const isCalling = ({ calls = [] }: Said): boolean => calls.length > 0;

const chatUsage = ({ input, cached, output, reasoning }: Tokens) => ({
  prompt_tokens: input + cached,
  completion_tokens: output,
  total_tokens: input + cached + output,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: reasoning },
});

function chatFinish(said: Said): string {
  if (said.end === "filter") return "content_filter";
  return said.end ?? (isCalling(said) ? "tool_calls" : "stop");
}

const chatImages = (images: readonly string[]): object[] =>
  images.map((image) => ({ type: "image_url", image_url: { url: `data:image/png;base64,${image}` } }));

function chatAnswer(said: Said, isStream: boolean): ScriptedAnswer {
  const { thoughts, texts = [], calls = [], images = [], tokens = usualTokens } = said;
  if (!isStream) {
    const message = {
      content: texts.length === 0 ? null : texts.join(""),
      ...(thoughts === undefined ? {} : { reasoning_content: thoughts }),
      ...(isCalling(said) ? { tool_calls: calls.map(({ id, name, args }) => toolCall(id, name, args)) } : {}),
      ...(images.length > 0 ? { images: chatImages(images) } : {}),
    };
    return { body: { ...completion({ message, finish: chatFinish(said) }), usage: chatUsage(tokens) } };
  }
  return {
    events: [
      chunk({ role: "assistant", content: "" }),
      ...halves(thoughts ?? "").map((reasoning_content) => chunk({ reasoning_content })),
      ...texts.map((content) => chunk({ content })),
      ...toolCallDeltas(...calls).map((delta) => chunk(delta)),
      ...chatImages(images).map((image) => chunk({ images: [image] })),
      chunk({}, chatFinish(said)),
      { ...chunk({}), choices: [], usage: chatUsage(tokens) },
      "[DONE]",
    ],
  };
}

const messagesUsageOf = ({ input, cached, output }: Tokens) => ({
  input_tokens: input,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cached,
  output_tokens: output,
});

function stopReason(said: Said): string {
  const ends = { stop: "end_turn", length: "max_tokens", filter: "refusal" };
  return said.end === undefined && isCalling(said) ? "tool_use" : ends[said.end ?? "stop"];
}

/** A thinking block from its start to its stop. */
const thinkingEvents = (thoughts: string, signature: string, index = 0): MessagesEvent[] => [
  { type: "content_block_start", index, content_block: { type: "thinking", thinking: "", signature: "" } },
  ...halves(thoughts).map((thinking) => ({
    type: "content_block_delta",
    index,
    delta: { type: "thinking_delta", thinking },
  })),
  { type: "content_block_delta", index, delta: { type: "signature_delta", signature } },
  { type: "content_block_stop", index },
];

/** A tool's call from its start to its stop. */
export const callEvents = ({ id, name, args }: SaidCall, index: number): MessagesEvent[] => [
  { type: "content_block_start", index, content_block: { type: "tool_use", id, name, input: {} } },
  ...halves(JSON.stringify(args)).map((partial_json) => ({
    type: "content_block_delta",
    index,
    delta: { type: "input_json_delta", partial_json },
  })),
  { type: "content_block_stop", index },
];

function messagesAnswer(said: Said, isStream: boolean): ScriptedAnswer {
  const { thoughts, signature = "sig", texts = [], calls = [], tokens = usualTokens } = said;
  const usage = messagesUsageOf(tokens);
  if (!isStream) {
    const content = [
      ...(thoughts === undefined ? [] : [{ type: "thinking", thinking: thoughts, signature }]),
      ...(texts.length === 0 ? [] : [textBlock(texts.join(""))]),
      ...calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args })),
    ];
    return { body: wholeMessage(content, { stop_reason: stopReason(said), usage }) };
  }
  let index = 0;
  const events = [
    messageStart({ ...usage, output_tokens: 1 }),
    { type: "ping" },
    ...(thoughts === undefined ? [] : thinkingEvents(thoughts, signature, index++)),
    ...(texts.length === 0 ? [] : textEvents(texts, index++)),
    ...calls.flatMap((call) => callEvents(call, index++)),
    ...messageEnd(stopReason(said), usage),
  ];
  return { body: messagesWire(events), headers: eventStream };
}

const geminiUsageOf = ({ input, cached, output, reasoning }: Tokens) => ({
  promptTokenCount: input + cached,
  ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
  candidatesTokenCount: output - reasoning,
  thoughtsTokenCount: reasoning,
  totalTokenCount: input + cached + output,
});

function geminiAnswer(said: Said, isStream: boolean): ScriptedAnswer {
  const { thoughts, signature, texts = [], calls = [], images = [], tokens = usualTokens } = said;
  const usage = geminiUsageOf(tokens);
  const finish = { stop: "STOP", length: "MAX_TOKENS", filter: "SAFETY" }[said.end ?? "stop"];
  const parts: object[] = [
    ...halves(thoughts ?? "").map((text) => geminiText(text, { thought: true })),
    ...texts.map((text) => geminiText(text)),
    ...calls.map((functionCall, index) => ({
      functionCall,
      ...(index === 0 && signature !== undefined ? { thoughtSignature: signature } : {}),
    })),
    ...images.map((data) => ({ inlineData: { mimeType: "image/png", data } })),
  ];
  if (!isStream) return { body: geminiResponse(parts, finish, usage) };
  const last = parts.length - 1;
  if (last < 0) return { events: [geminiResponse([], finish, usage)] };
  return {
    events: parts.map((part, index) => geminiResponse([part], index === last ? finish : undefined, usage)),
  };
}

const responsesUsageOf = ({ input, cached, output, reasoning }: Tokens) => ({
  input_tokens: input + cached,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + cached + output,
});

/** A reasoning item from its start to its end. */
export function reasoningEvents(thoughts: string, encrypted: string, index = 0): ResponsesEvent[] {
  const place = { item_id: "rs_up", output_index: index, summary_index: 0 };
  const part = { type: "summary_text", text: thoughts };
  return [
    { type: "response.output_item.added", output_index: index, item: reasoningItem(undefined) },
    { type: "response.reasoning_summary_part.added", ...place, part: { ...part, text: "" } },
    ...halves(thoughts).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...place, delta })),
    { type: "response.reasoning_summary_text.done", ...place, text: thoughts },
    { type: "response.reasoning_summary_part.done", ...place, part },
    {
      type: "response.output_item.done",
      output_index: index,
      item: { ...reasoningItem(encrypted), summary: [part] },
    },
  ];
}

const callItem = ({ id, name, args }: SaidCall, index: number): ResponsesItem =>
  functionCallItem(id, name, args, `fc_${index}`);

/** An image from its start to its end. */
function imageEvents(item: ResponsesItem, index: number): ResponsesEvent[] {
  const begun = { ...item, status: "in_progress", result: null };
  return [
    { type: "response.output_item.added", output_index: index, item: begun },
    { type: "response.image_generation_call.completed", item_id: item["id"], output_index: index },
    { type: "response.output_item.done", output_index: index, item },
  ];
}

/** A function's call from its start to its end. */
export function functionEvents(call: SaidCall, index: number): ResponsesEvent[] {
  const item = callItem(call, index);
  const place = { item_id: item["id"], output_index: index };
  const text = JSON.stringify(call.args);
  return [
    {
      type: "response.output_item.added",
      output_index: index,
      item: { ...item, status: "in_progress", arguments: "" },
    },
    ...halves(text).map((delta) => ({ type: "response.function_call_arguments.delta", ...place, delta })),
    { type: "response.function_call_arguments.done", ...place, name: call.name, arguments: text },
    { type: "response.output_item.done", output_index: index, item },
  ];
}

function responsesAnswer(said: Said, isStream: boolean): ScriptedAnswer {
  const { thoughts, signature = "opaque", texts = [], calls = [], images = [], tokens = usualTokens } = said;
  const reason = { stop: undefined, length: "max_output_tokens", filter: "content_filter" }[
    said.end ?? "stop"
  ];
  const usage = responsesUsageOf(tokens);
  const more =
    reason === undefined ? { usage } : { usage, status: "incomplete", incomplete_details: { reason } };
  const output: ResponsesItem[] = [];
  const events: ResponsesEvent[] = [];
  const add = (item: ResponsesItem, its: ResponsesEvent[]): void => {
    output.push(item);
    events.push(...its);
  };
  if (thoughts !== undefined) {
    const summary = [{ type: "summary_text", text: thoughts }];
    add({ ...reasoningItem(signature), summary }, reasoningEvents(thoughts, signature, output.length));
  }
  if (texts.length > 0) add(messageItem(texts.join("")), messageEvents(texts, output.length));
  for (const call of calls) add(callItem(call, output.length), functionEvents(call, output.length));
  for (const [at, result] of images.entries()) {
    const item = { type: "image_generation_call", id: `ig_${at}`, status: "completed", result };
    add(item, imageEvents(item, output.length));
  }
  if (!isStream) return { body: response(output, more) };
  const wire = responsesWire([...startEvents(), ...events, endEvent(output, more)]);
  return { body: wire, headers: eventStream };
}

const answers: Readonly<Record<UpstreamFormat, (said: Said, isStream: boolean) => ScriptedAnswer>> = {
  "openai-chat": chatAnswer,
  "openai-responses": responsesAnswer,
  "anthropic-messages": messagesAnswer,
  gemini: geminiAnswer,
};

/** What an upstream of this format answers. */
export const answerOf = (format: UpstreamFormat, said: Said, isStream: boolean): ScriptedAnswer =>
  answers[format](said, isStream);
