/**
 * The prebuilt bytes of the benchmark's upstream: a chat completion, and a stream of chunks framed for HTTP.
 * Pure.
 */

const id = "chatcmpl-bench0000000000000000000";
const created = 1_760_000_000;
const promptTokens = 180;

/** Size of the JSON response's body and of one SSE event, in bytes. */
export const jsonAnswerBytes = 577;
export const sseEventBytes = 243;

/** Meaning of a stream model's name: `s-200-50` = 200 content chunks, 50 ms apart. */
export interface StreamPlan {
  /** `open` = until the upstream gets the command to finish, at most `openChunksMax`. */
  readonly chunks: number | "open";
  readonly intervalMs: number;
}

/** Maximum length of a stream that is never finished. */
export const openChunksMax = 20_000;

/**
 * Parses a stream model's name; undefined for other models. At most 20,000 chunks, at most 1 s apart.
 * A prefix is ignored (`gpt-s-200-50`, `openai/s-200-50`): some gateways know an upstream's models by it.
 */
export function parseStreamModel(model: string): StreamPlan | undefined {
  const match = /^(?:.*[-/])?s-(\d{1,5}|open)-(\d{1,4})$/.exec(model);
  if (match === null) return undefined;
  const chunks = match[1] === "open" ? "open" : Number(match[1]);
  const intervalMs = Number(match[2]);
  if (chunks !== "open" && (chunks < 1 || chunks > openChunksMax)) return undefined;
  if (intervalMs < 1 || intervalMs > 1000) return undefined;
  return { chunks, intervalMs };
}

/** The name of the model that answers with this plan. */
export function streamModel(plan: StreamPlan): string {
  return `s-${plan.chunks}-${plan.intervalMs}`;
}

/** Repeats prose to an exact number of ASCII characters. */
function filler(chars: number): string {
  const text = "The grain ship came in late and the clerk wrote down each sack with care. ";
  return text.repeat(Math.ceil(chars / text.length)).slice(0, Math.max(0, chars));
}

function usage(completionTokens: number) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

/** One HTTP response with a JSON body. */
export function jsonReply(status: string, body: string): Buffer {
  const head = [
    `HTTP/1.1 ${status}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "x-request-id: req_bench",
    "connection: keep-alive",
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** The whole response to a chat completion request; its body has `jsonAnswerBytes` bytes. */
export function completionReply(model: string): Buffer {
  const body = (content: string) =>
    JSON.stringify({
      id,
      object: "chat.completion",
      created,
      model,
      choices: [
        {
          index: 0,
          message: { role: "assistant", content, refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: usage(60),
    });
  return jsonReply("200 OK", body(filler(jsonAnswerBytes - body("").length)));
}

/** One SSE event as one HTTP chunk. */
function frame(event: string): string {
  return `${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`;
}

/** The parts of a streamed response, each sent in one write. */
export interface StreamReply {
  /** Headers, the chunk with the role, and the first content chunk. */
  readonly first: Buffer;
  /** Every further content chunk: one event of `sseEventBytes` bytes. */
  readonly content: Buffer;
  /** Finish chunk, usage chunk, `[DONE]` and the end of the body. */
  readonly last: Buffer;
}

/** Builds the response parts of one stream model. */
export function streamReply(model: string): StreamReply {
  const event = (choices: unknown[], extra: object = {}) =>
    `data: ${JSON.stringify({ id, object: "chat.completion.chunk", created, model, choices, ...extra })}\n\n`;
  const choice = (delta: object, finish: string | null = null) => ({
    index: 0,
    delta,
    logprobs: null,
    finish_reason: finish,
  });
  const contentEvent = (text: string) => event([choice({ content: text })]);
  const content = frame(contentEvent(filler(sseEventBytes - contentEvent("").length)));
  const head = [
    "HTTP/1.1 200 OK",
    "content-type: text/event-stream",
    "cache-control: no-cache",
    "transfer-encoding: chunked",
    "connection: keep-alive",
  ];
  const role = frame(event([choice({ role: "assistant", content: "" })]));
  const finish = frame(event([choice({}, "stop")]));
  const usageEvent = frame(event([], { usage: usage(60) }));
  return {
    first: Buffer.from(`${head.join("\r\n")}\r\n\r\n${role}${content}`),
    content: Buffer.from(content),
    last: Buffer.from(`${finish}${usageEvent}${frame("data: [DONE]\n\n")}0\r\n\r\n`),
  };
}
