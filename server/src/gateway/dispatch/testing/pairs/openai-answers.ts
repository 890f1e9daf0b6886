/** For tests: answers of chat completions and Responses, as upstreams write them (docs/wire/). */
import { json, namedSse, sse } from "../../../../providers/testing/wire.ts";
import { type Answer, type ByEnd, endOf, thirds, tokens } from "./talk.ts";

const total = tokens.input + tokens.output;

/* Chat completions. */

const chatEnds: ByEnd<string> = {
  stop: "stop",
  calls: "tool_calls",
  length: "length",
  filter: "content_filter",
  refusal: "stop",
};
const chatUsage = { prompt_tokens: tokens.input, completion_tokens: tokens.output, total_tokens: total };
const chunk = (delta: object, finish: string | null = null): object => ({
  id: "chatcmpl-up",
  object: "chat.completion.chunk",
  created: 1_790_000_000,
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }],
});

export function chatStream(answer: Answer): Buffer[] {
  const { thoughts = "", text = "", refusal = "", calls = [] } = answer;
  const called = calls.flatMap(({ id, name, args }, index) => [
    { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] },
    ...thirds(json(args)).map((fragment) => ({ tool_calls: [{ index, function: { arguments: fragment } }] })),
  ]);
  return [
    { role: "assistant", content: "" },
    ...thirds(thoughts).map((piece) => ({ reasoning_content: piece })),
    ...thirds(text).map((content) => ({ content })),
    ...thirds(refusal).map((piece) => ({ refusal: piece })),
    ...called,
  ]
    .map((delta) => sse(chunk(delta)))
    .concat(
      sse(chunk({}, chatEnds[endOf(answer)])),
      sse({ ...chunk({}), choices: [], usage: chatUsage }),
      sse("[DONE]"),
    );
}

export function chatWhole(answer: Answer): Buffer {
  const { thoughts, text, refusal, calls = [] } = answer;
  const toolCalls = calls.map(({ id, name, args }) => ({
    id,
    type: "function",
    function: { name, arguments: json(args) },
  }));
  const message = {
    role: "assistant",
    content: text ?? null,
    ...(refusal === undefined ? {} : { refusal }),
    ...(thoughts === undefined ? {} : { reasoning_content: thoughts }),
    ...(calls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
  return Buffer.from(
    json({
      id: "chatcmpl-up",
      object: "chat.completion",
      created: 1_790_000_000,
      model: "m",
      choices: [{ index: 0, message, finish_reason: chatEnds[endOf(answer)] }],
      usage: chatUsage,
    }),
  );
}

/* Responses. */

function itemsOf({ thoughts, opaque, text, refusal, calls = [] }: Answer, status: string): object[] {
  const summary = thoughts === undefined ? [] : [{ type: "summary_text", text: thoughts }];
  const content = [
    ...(text === undefined ? [] : [{ type: "output_text", text, annotations: [], logprobs: [] }]),
    ...(refusal === undefined ? [] : [{ type: "refusal", refusal }]),
  ];
  return [
    ...(thoughts === undefined && opaque === undefined
      ? []
      : [
          {
            id: "rs_up",
            type: "reasoning",
            summary,
            ...(opaque === undefined ? {} : { encrypted_content: opaque }),
          },
        ]),
    ...(content.length === 0 ? [] : [{ id: "msg_up", type: "message", role: "assistant", status, content }]),
    ...calls.map(({ id, name, args }) => ({
      id: `fc_${id}`,
      type: "function_call",
      call_id: id,
      name,
      arguments: json(args),
      status: "completed",
    })),
  ];
}

export function responseOf(answer: Answer): { readonly status: string; readonly response: object } {
  const end = endOf(answer);
  const reason = end === "length" ? "max_output_tokens" : end === "filter" ? "content_filter" : undefined;
  const status = reason === undefined ? "completed" : "incomplete";
  const usage = {
    input_tokens: tokens.input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: tokens.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: total,
  };
  const response = {
    ...begun,
    status,
    incomplete_details: reason === undefined ? null : { reason },
    output: itemsOf(answer, status),
    usage,
  };
  return { status, response };
}

const begun = {
  id: "resp_up",
  object: "response",
  created_at: 1_790_000_000,
  status: "in_progress",
  error: null,
  incomplete_details: null,
  model: "m",
  output: [],
  usage: null,
};

/** The deltas of one item, between its beginning and its end. */
function deltasOf(item: Readonly<Record<string, unknown>>, index: number): object[] {
  const place = { item_id: item["id"], output_index: index };
  if (item["type"] === "function_call") {
    const args = String(item["arguments"]);
    return [
      ...thirds(args).map((delta) => ({ type: "response.function_call_arguments.delta", ...place, delta })),
      { type: "response.function_call_arguments.done", ...place, arguments: args },
    ];
  }
  const isThought = item["type"] === "reasoning";
  const parts = (isThought ? item["summary"] : item["content"]) as Readonly<Record<string, unknown>>[];
  return parts.flatMap((part, at) => {
    const inPart = { ...place, [isThought ? "summary_index" : "content_index"]: at };
    const kind = isThought ? "reasoning_summary_text" : String(part["type"]);
    const member = kind === "refusal" ? "refusal" : "text";
    const words = String(part[member]);
    const box = isThought ? "reasoning_summary_part" : "content_part";
    return [
      { type: `response.${box}.added`, ...inPart, part: { ...part, [member]: "" } },
      ...thirds(words).map((delta) => ({ type: `response.${kind}.delta`, ...inPart, delta })),
      { type: `response.${kind}.done`, ...inPart, [member]: words },
      { type: `response.${box}.done`, ...inPart, part },
    ];
  });
}

export function responsesStream(answer: Answer): Buffer[] {
  const { status, response } = responseOf(answer);
  const items = (response as { output: Record<string, unknown>[] }).output;
  const events = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...items.flatMap((item, index) => [
      {
        type: "response.output_item.added",
        output_index: index,
        item: {
          ...item,
          ...(item["type"] === "reasoning"
            ? { summary: [], encrypted_content: undefined }
            : { status: "in_progress" }),
          ...(item["type"] === "message" ? { content: [] } : {}),
          ...(item["type"] === "function_call" ? { arguments: "" } : {}),
        },
      },
      ...deltasOf(item, index),
      { type: "response.output_item.done", output_index: index, item },
    ]),
    { type: `response.${status}`, response },
  ];
  return events.map((one, place) =>
    namedSse({ ...(one as { type: string }), ...{ sequence_number: place } }),
  );
}
