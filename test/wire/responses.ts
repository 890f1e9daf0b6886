/**
 * What OpenAI writes in Responses (docs/wire/openai-responses.md sections 2 and 3), as objects, for upstreams
 * of tests. Shares no code with the product.
 */
import type { Fields, Tokens } from "./tokens.ts";

/** The report of usage. */
export const responseUsage = ({ input, cached, output, reasoning }: Tokens): Fields => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
});

/** A whole answer to the request `body`, complete. */
export const responseWith = (
  id: string,
  body: Fields,
  output: readonly Fields[],
  usage: Fields | undefined,
): Fields => ({
  id,
  object: "response",
  created_at: 1_790_000_000,
  status: "completed",
  background: false,
  error: null,
  incomplete_details: null,
  instructions: body["instructions"] ?? null,
  max_output_tokens: null,
  model: body["model"],
  output,
  parallel_tool_calls: true,
  previous_response_id: body["previous_response_id"] ?? null,
  reasoning: { effort: "medium", summary: null },
  store: body["store"] ?? true,
  temperature: 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  truncation: "disabled",
  ...(usage === undefined ? {} : { usage }),
  user: null,
  metadata: {},
});

/** A message of one text. */
export const textItem = (id: string, text: string): Fields => ({
  id,
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});

/** A call of a function; `args`: JSON text. */
export const callItem = (callId: string, name: string, args: string): Fields => ({
  id: callId.replace(/^call_/, "fc_"),
  call_id: callId,
  name,
  status: "completed",
  type: "function_call",
  arguments: args,
});

/** An event without its `sequence_number`. */
export interface ResponsesEvent extends Fields {
  readonly type: string;
}

const event = (type: string, fields: Fields): ResponsesEvent => ({ type, ...fields });

/** The events before the first item. */
export function responseBegun(whole: Fields): ResponsesEvent[] {
  const response = { ...whole, status: "in_progress", output: [], usage: null };
  return [event("response.created", { response }), event("response.in_progress", { response })];
}

export const responseCompleted = (response: Fields): ResponsesEvent =>
  event("response.completed", { response });

/** The beginning, the deltas and the end of an item's events. */
export interface ItemEvents {
  readonly begin: readonly ResponsesEvent[];
  readonly deltas: readonly ResponsesEvent[];
  readonly end: readonly ResponsesEvent[];
}

const emptied: Readonly<Record<string, Fields>> = {
  reasoning: { summary: [] },
  message: { status: "in_progress", content: [] },
  function_call: { status: "in_progress", arguments: "" },
  custom_tool_call: { status: "in_progress", input: "" },
};

const itemAdded = (index: number, item: Fields): ResponsesEvent =>
  event("response.output_item.added", {
    output_index: index,
    item: { ...item, ...emptied[String(item["type"])] },
  });

const itemDone = (index: number, item: Fields): ResponsesEvent =>
  event("response.output_item.done", { output_index: index, item });

const placeOf = (index: number, item: Fields): Fields => ({ item_id: item["id"], output_index: index });

/** Of a message of one text, in these pieces. */
export function textItemEvents(index: number, item: Fields, pieces: readonly string[]): ItemEvents {
  const [part = {}] = item["content"] as readonly Fields[];
  const here = { ...placeOf(index, item), content_index: 0 };
  return {
    begin: [
      itemAdded(index, item),
      event("response.content_part.added", { ...here, part: { ...part, text: "" } }),
    ],
    deltas: pieces.map((delta) => event("response.output_text.delta", { ...here, delta, logprobs: [] })),
    end: [
      event("response.output_text.done", { ...here, text: part["text"], logprobs: [] }),
      event("response.content_part.done", { ...here, part }),
      itemDone(index, item),
    ],
  };
}

/** Of a function's call, its arguments in these pieces. */
export function callItemEvents(index: number, item: Fields, pieces: readonly string[]): ItemEvents {
  const at = placeOf(index, item);
  const done = { ...at, name: item["name"], arguments: item["arguments"] };
  return {
    begin: [itemAdded(index, item)],
    deltas: pieces.map((delta) => event("response.function_call_arguments.delta", { ...at, delta })),
    end: [event("response.function_call_arguments.done", done), itemDone(index, item)],
  };
}

/** Of a custom tool's call, its input in these pieces. */
export function customItemEvents(index: number, item: Fields, pieces: readonly string[]): ItemEvents {
  const at = placeOf(index, item);
  return {
    begin: [itemAdded(index, item)],
    deltas: pieces.map((delta) => event("response.custom_tool_call_input.delta", { ...at, delta })),
    end: [
      event("response.custom_tool_call_input.done", { ...at, input: item["input"] }),
      itemDone(index, item),
    ],
  };
}

/** Of reasoning with summaries; `cut` makes the pieces of each. */
export function reasoningItemEvents(
  index: number,
  item: Fields,
  cut: (text: string) => readonly string[],
): ItemEvents {
  const summary = item["summary"] as readonly Fields[];
  const deltas = summary.flatMap((part, place) => {
    const here = { ...placeOf(index, item), summary_index: place };
    const text = String(part["text"]);
    return [
      event("response.reasoning_summary_part.added", { ...here, part: { ...part, text: "" } }),
      ...cut(text).map((delta) => event("response.reasoning_summary_text.delta", { ...here, delta })),
      event("response.reasoning_summary_text.done", { ...here, text }),
      event("response.reasoning_summary_part.done", { ...here, part }),
    ];
  });
  return { begin: [itemAdded(index, item)], deltas, end: [itemDone(index, item)] };
}

/** The event at this place of a stream. */
export const numbered = ({ type, ...fields }: ResponsesEvent, at: number): ResponsesEvent => ({
  type,
  sequence_number: at,
  ...fields,
});
