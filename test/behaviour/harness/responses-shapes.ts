/** Requests and responses in the format of OpenAI's Responses API. */
import assert from "node:assert/strict";

/** 21 prompt tokens, of which 4 were cached and 2 written to the cache; 9 of output, of which 3 thoughts. */
export const responsesUsage = {
  input_tokens: 21,
  input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
  output_tokens: 9,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 30,
};

export type ResponsesItem = Readonly<Record<string, unknown>> & { readonly type: string };
export type ResponsesEvent = Readonly<Record<string, unknown>> & { readonly type: string };

/** An assistant message. */
export const messageItem = (text: string, id = "msg_up"): ResponsesItem => ({
  id,
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});

export const reasoningItem = (encrypted: string | undefined, id = "rs_up"): ResponsesItem => ({
  id,
  type: "reasoning",
  summary: [],
  ...(encrypted === undefined ? {} : { encrypted_content: encrypted }),
});

export const functionCallItem = (
  callId: string,
  name: string,
  args: object,
  id = "fc_up",
): ResponsesItem => ({
  id,
  type: "function_call",
  status: "completed",
  call_id: callId,
  name,
  arguments: JSON.stringify(args),
});

/** A whole response. `id` must differ between two responses. */
export const response = (output: readonly ResponsesItem[], more: object = {}): Record<string, unknown> => ({
  id: "resp_up",
  object: "response",
  created_at: 1_760_000_000,
  status: "completed",
  error: null,
  incomplete_details: null,
  instructions: null,
  model: "upstream-model",
  output,
  parallel_tool_calls: true,
  previous_response_id: null,
  store: false,
  temperature: 1,
  tool_choice: "auto",
  tools: [],
  usage: responsesUsage,
  ...more,
});

/** Numbers events from 0. */
const numbered = (events: readonly ResponsesEvent[]): ResponsesEvent[] =>
  events.map((event, index) => ({ ...event, sequence_number: index }));

/** The first two events of every stream. */
export function startEvents(more: object = {}): ResponsesEvent[] {
  const begun = response([], { status: "in_progress", usage: null, ...more });
  return [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
  ];
}

export function messageEvents(texts: readonly string[], index = 0, id = "msg_up"): ResponsesEvent[] {
  const place = { item_id: id, output_index: index, content_index: 0 };
  const text = texts.join("");
  const part = { type: "output_text", annotations: [], logprobs: [], text: "" };
  return [
    {
      type: "response.output_item.added",
      output_index: index,
      item: { ...messageItem("", id), status: "in_progress", content: [] },
    },
    { type: "response.content_part.added", ...place, part },
    ...texts.map((delta) => ({ type: "response.output_text.delta", ...place, delta, logprobs: [] })),
    { type: "response.output_text.done", ...place, text, logprobs: [] },
    { type: "response.content_part.done", ...place, part: { ...part, text } },
    { type: "response.output_item.done", output_index: index, item: messageItem(text, id) },
  ];
}

/** The terminal event. */
export const endEvent = (output: readonly ResponsesItem[], more: object = {}): ResponsesEvent => {
  const whole = response(output, more);
  return { type: `response.${whole["status"]}`, response: whole };
};

/** A stream with one message. */
export const textResponse = (texts: readonly string[], more: object = {}): ResponsesEvent[] =>
  numbered([...startEvents(more), ...messageEvents(texts), endEvent([messageItem(texts.join(""))], more)]);

/** Events as bytes on the wire. */
export const responsesWire = (events: readonly ResponsesEvent[]): string =>
  numbered(events)
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");

/** A scripted answer that streams these events. */
export const streamOf = (events: readonly ResponsesEvent[]) => ({
  body: responsesWire(events),
  headers: { "content-type": "text/event-stream" },
});

/** Parses received events; asserts that names equal types, and numbering from 0. */
export function eventsIn(text: string): ResponsesEvent[] {
  const pieces = text.split("\n\n").filter((event) => event.includes("data: "));
  return pieces.map((piece, index) => {
    const event = JSON.parse(piece.slice(piece.indexOf("data: ") + 6)) as ResponsesEvent;
    assert.equal(/^event: (\S+)$/m.exec(piece)?.[1], event.type);
    assert.equal(event["sequence_number"], index, piece);
    return event;
  });
}

/** The response in a stream's last event. */
export const lastResponse = (text: string): Record<string, unknown> =>
  (eventsIn(text).at(-1)?.["response"] ?? {}) as Record<string, unknown>;
