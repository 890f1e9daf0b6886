/**
 * How each provider's upstream writes an answer, the beginning of one, and an error, as bytes. Written from
 * the pages of docs/wire, for mock upstreams; it knows nothing of the product. Bedrock's framing is AWS's own
 * codec.
 */
import { frame as frameOf } from "../../../server/src/providers/bedrock/fixtures/build.ts";

/** What an upstream sends. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
  /** `cut`: the connection breaks after the body; `hang`: nothing more ever comes. Default a clean end. */
  readonly ending?: "end" | "cut" | "hang";
}

/** An upstream's protocol, as far as tests of faults need it. Texts are `said`; usage is 10 tokens in, 5 out. */
export interface Wire {
  /** Id of the provider. */
  readonly id: string;
  /** What follows the origin and a case's own segment in the base URL. */
  readonly basePath: string;
  readonly credential: string;
  readonly options?: Readonly<Record<string, string>>;
  whole(said: string): string;
  /** A stream's bytes: up to the last piece of text, and the rest, with the protocol's own end. */
  stream(said: string): { readonly begin: Buffer; readonly rest: Buffer };
  /** How much of `rest` belongs to the end itself, after usage was told; undefined where the two come together and nothing lacks. */
  readonly endBytes?: number;
  readonly streamType: string;
  /** An error's body. `type`: the protocol's own name of it. */
  error(status: number, type: string, message: string, more?: object): string;
  /** The same inside a stream. */
  streamError(status: number, type: string, message: string): Buffer;
}

const json = (value: unknown): string => JSON.stringify(value);
const sse = (...events: readonly unknown[]): Buffer =>
  Buffer.from(events.map((event) => `data: ${typeof event === "string" ? event : json(event)}\n\n`).join(""));
const named = (...events: readonly { readonly type: string }[]): Buffer =>
  Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${json(event)}\n\n`).join(""));

const completion = (object: string, choice: object, more: object = {}): object => ({
  id: "chatcmpl-1",
  object,
  created: 1_790_000_000,
  model: "m",
  choices: [{ index: 0, ...choice }],
  ...more,
});
const openaiUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const chunk = (delta: object, finish: string | null = null): object =>
  completion("chat.completion.chunk", { delta, finish_reason: finish });

const openai: Wire = {
  id: "openai",
  basePath: "/v1",
  credential: "sk-up-0123456789",
  endBytes: sse("[DONE]").length,
  streamType: "text/event-stream",
  whole: (content) =>
    json(
      completion(
        "chat.completion",
        { message: { role: "assistant", content }, finish_reason: "stop" },
        { usage: openaiUsage },
      ),
    ),
  stream: (content) => ({
    begin: sse(chunk({ role: "assistant", content: "" }), chunk({ content })),
    rest: sse(
      chunk({}, "stop"),
      { ...completion("chat.completion.chunk", {}), choices: [], usage: openaiUsage },
      "[DONE]",
    ),
  }),
  error: (_status, code, message, more = {}) =>
    json({ error: { message, type: "invalid_request_error", param: null, code, ...more } }),
  streamError: (_status, code, message) =>
    sse({ error: { message, type: "server_error", param: null, code } }),
};

const azure: Wire = {
  ...openai,
  id: "azure",
  basePath: "/openai/v1",
  credential: "0123456789abcdef0123456789abcdef",
};

const claudeUsage = { input_tokens: 10, output_tokens: 5 };
const message = (content: readonly object[], reason: string | null): object => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content,
  stop_reason: reason,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: reason === null ? 1 : 5 },
});
const anthropic: Wire = {
  id: "anthropic",
  basePath: "/v1",
  credential: "sk-ant-api03-0123456789",
  endBytes: named({ type: "message_stop" }).length,
  streamType: "text/event-stream",
  whole: (text) => json(message([{ type: "text", text }], "end_turn")),
  stream: (text) => ({
    begin: Buffer.concat([
      named(
        { type: "message_start", ...{ message: message([], null) } },
        { type: "content_block_start", ...{ index: 0, content_block: { type: "text", text: "" } } },
      ),
      named({ type: "content_block_delta", ...{ index: 0, delta: { type: "text_delta", text } } }),
    ]),
    rest: named(
      { type: "content_block_stop", ...{ index: 0 } },
      {
        type: "message_delta",
        ...{ delta: { stop_reason: "end_turn", stop_sequence: null }, usage: claudeUsage },
      },
      { type: "message_stop" },
    ),
  }),
  error: (_status, type, text, more = {}) =>
    json({
      type: "error",
      error: { type, message: text, ...more },
      request_id: "req_011CSHoEeqs5C35K2UUqR7Fy",
    }),
  streamError: (_status, type, text) => named({ type: "error", ...{ error: { type, message: text } } }),
};

const geminiUsage = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
const candidate = (text: string, more: object = {}): object => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0, ...more }],
  modelVersion: "m",
  responseId: "r1",
});
const google: Wire = {
  id: "google",
  basePath: "/v1beta",
  credential: "AIzaSyA0123456789012345678901234567890a",
  // Its end is that of the connection.
  endBytes: 0,
  streamType: "text/event-stream",
  whole: (text) => json({ ...candidate(text, { finishReason: "STOP" }), usageMetadata: geminiUsage }),
  stream: (text) => ({
    begin: sse(candidate(text)),
    rest: sse({ ...candidate("", { finishReason: "STOP" }), usageMetadata: geminiUsage }),
  }),
  error: (code, status, text, more = {}) => json({ error: { code, message: text, status, ...more } }),
  streamError: (code, status, text) => sse({ error: { code, message: text, status } }),
};

/** One message of AWS's event-stream framing. */
export const frame = (kind: "event" | "exception", type: string, payload: object): Buffer =>
  frameOf(
    { [`:${kind}-type`]: type, ":content-type": "application/json", ":message-type": kind },
    json(payload),
  );
const converseUsage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
const bedrock: Wire = {
  id: "bedrock",
  basePath: "",
  credential: "AKIA0123456789ABCDEF:wJalrXUtnFEMIK7MDENGbPxRfiCY0123456789",
  options: { region: "us-east-1" },
  streamType: "application/vnd.amazon.eventstream",
  whole: (text) =>
    json({
      output: { message: { role: "assistant", content: [{ text }] } },
      stopReason: "end_turn",
      usage: converseUsage,
      metrics: { latencyMs: 1 },
    }),
  stream: (text) => ({
    begin: Buffer.concat([
      frame("event", "messageStart", { role: "assistant" }),
      frame("event", "contentBlockDelta", { contentBlockIndex: 0, delta: { text } }),
    ]),
    rest: Buffer.concat([
      frame("event", "contentBlockStop", { contentBlockIndex: 0 }),
      frame("event", "messageStop", { stopReason: "end_turn" }),
      frame("event", "metadata", { usage: converseUsage, metrics: { latencyMs: 1 } }),
    ]),
  }),
  // The exception's name is in a header too; see `awsHeaders`.
  error: (_status, type, text) => json({ __type: `com.amazon.coral.service#${type}`, message: text }),
  streamError: (_status, type, text) =>
    frame("exception", `${type[0]?.toLowerCase()}${type.slice(1)}`, { message: text }),
};

export const wires: readonly Wire[] = [openai, azure, anthropic, google, bedrock];

/** What Google's door before Claude says is in Google's words, in capitals. */
const isOfGoogle = (type: string): boolean => /^[A-Z_]+$/.test(type);

/** Claude on Vertex AI: Anthropic's answers behind Google's address and tokens. The rigs of translation need no second Claude. */
const vertexAnthropic: Wire = {
  ...anthropic,
  id: "vertex-anthropic",
  basePath: "/v1/projects/p/locations/us-east5/publishers/anthropic",
  credential: "ya29.a0AfB-0123456789abcdef",
  error: (status, type, text, more) =>
    (isOfGoogle(type) ? google : anthropic).error(status, type, text, more),
};

export const everyWire: readonly Wire[] = [...wires, vertexAnthropic];
