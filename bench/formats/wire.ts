/** Streams of text as vendors write them, in each format that callers speak. Pure. */

const words = "The grain ship came in late.";

const data = (value: object, end = "\n\n"): string => `data: ${JSON.stringify(value)}${end}`;
const named = (value: { readonly type: string; readonly [name: string]: unknown }): string =>
  `event: ${value.type}\n${data(value)}`;

/** One format's request and stream. */
export interface StreamFormat {
  readonly name: string;
  readonly path: string;
  readonly body: string;
  /** What comes before the text. */
  readonly first: string;
  /** One piece of text. */
  readonly chunk: string;
  readonly last: string;
  /** In every stream that has ended, and in no other. */
  readonly end: string;
  /** The provider whose upstreams speak it, as `plaza.yaml` says it. */
  readonly provider: string;
  readonly formats: string;
  /** The service whose upstream it is, where the provider alone does not say it. */
  readonly preset?: string;
}

const say = { role: "user", content: "hi" };

const chatChunk = (choices: readonly object[], more: object = {}): string =>
  data({
    ...{ id: "chatcmpl-bench0000000000000000000", object: "chat.completion.chunk", created: 1_760_000_000 },
    ...{ model: "m-chat", service_tier: "default", choices, ...more },
  });
const chatChoice = (delta: object, finish_reason: string | null = null): object => ({
  ...{ index: 0, delta, logprobs: null, finish_reason },
});
const chatUsage = { prompt_tokens: 180, completion_tokens: 60, total_tokens: 240 };

const chat: StreamFormat = {
  ...{ name: "chat", provider: "openai", formats: "openai-chat", path: "/v1/chat/completions" },
  body: JSON.stringify({
    ...{ model: "m-chat", messages: [say], max_tokens: 20_000, stream: true },
    stream_options: { include_usage: true },
  }),
  first: chatChunk([chatChoice({ role: "assistant", content: "" })]),
  chunk: chatChunk([chatChoice({ content: words })]),
  last:
    chatChunk([chatChoice({}, "stop")]) +
    chatChunk([], { usage: chatUsage }) +
    data({}).replace("{}", "[DONE]"),
  end: "[DONE]",
};

const message = {
  ...{ id: "msg_bench", type: "message", role: "assistant", model: "m-messages", content: [] },
  ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 180, output_tokens: 1 } },
};
const messages: StreamFormat = {
  ...{ name: "messages", provider: "anthropic", formats: "anthropic-messages", path: "/v1/messages" },
  body: JSON.stringify({ model: "m-messages", messages: [say], max_tokens: 20_000, stream: true }),
  first:
    named({ type: "message_start", message }) +
    named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
  chunk: named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: words } }),
  last:
    named({ type: "content_block_stop", index: 0 }) +
    named({
      ...{ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null } },
      usage: { output_tokens: 60 },
    }) +
    named({ type: "message_stop" }),
  end: "event: message_stop",
};

const item = { type: "message", id: "msg_bench", role: "assistant" };
const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
const response = { id: "resp_bench", object: "response", created_at: 1_760_000_000, model: "m-responses" };
const at = { item_id: "msg_bench", output_index: 0, content_index: 0 };
const responses: StreamFormat = {
  ...{ name: "responses", provider: "openai", formats: "openai-responses", path: "/v1/responses" },
  // Answers of unknown servers are looked through for what they leave out; those of OpenAI and xAI pass.
  preset: "xai",
  body: JSON.stringify({
    ...{ model: "m-responses", input: [say], max_output_tokens: 20_000, stream: true, store: false },
  }),
  first:
    named({
      ...{ type: "response.created", sequence_number: 0 },
      response: { ...response, status: "in_progress", output: [] },
    }) +
    named({
      ...{ type: "response.output_item.added", sequence_number: 1, output_index: 0 },
      item: { ...item, status: "in_progress", content: [] },
    }) +
    named({ type: "response.content_part.added", sequence_number: 2, ...at, part }),
  chunk: named({
    ...{ type: "response.output_text.delta", sequence_number: 3, ...at },
    ...{ delta: words, logprobs: [], obfuscation: "aB3dE5gH7j" },
  }),
  last:
    named({ type: "response.output_text.done", sequence_number: 4, ...at, text: words, logprobs: [] }) +
    named({ type: "response.content_part.done", sequence_number: 5, ...at, part: { ...part, text: words } }) +
    named({
      ...{ type: "response.output_item.done", sequence_number: 6, output_index: 0 },
      item: { ...item, status: "completed", content: [{ ...part, text: words }] },
    }) +
    named({
      ...{ type: "response.completed", sequence_number: 7 },
      response: {
        ...{ ...response, status: "completed", error: null, incomplete_details: null },
        output: [{ ...item, status: "completed", content: [{ ...part, text: words }] }],
        usage: {
          ...{ input_tokens: 180, input_tokens_details: { cached_tokens: 0 }, output_tokens: 60 },
          ...{ output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 240 },
        },
      },
    }),
  end: "event: response.completed",
};

const piece = (finish: object, candidates: number): string =>
  data(
    {
      candidates: [{ content: { parts: [{ text: words }], role: "model" }, index: 0, ...finish }],
      usageMetadata: {
        ...{ promptTokenCount: 180, candidatesTokenCount: candidates, totalTokenCount: 180 + candidates },
        promptTokensDetails: [{ modality: "TEXT", tokenCount: 180 }],
      },
      ...{ modelVersion: "m-gemini", responseId: "bench000000000000000" },
    },
    "\r\n\r\n",
  );
const gemini: StreamFormat = {
  ...{ name: "gemini", provider: "google", formats: "gemini" },
  path: "/v1beta/models/m-gemini:streamGenerateContent?alt=sse",
  body: JSON.stringify({
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
    generationConfig: { maxOutputTokens: 20_000 },
  }),
  first: "",
  chunk: piece({}, 9),
  last: piece({ finishReason: "STOP" }, 60),
  end: '"finishReason":"STOP"',
};

/** Chat first: the others are compared with it. */
export const streamFormats: readonly StreamFormat[] = [chat, messages, responses, gemini];
