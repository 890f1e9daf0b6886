/**
 * Errors in the shape callers of Responses read (docs/wire/openai-responses.md section 6): a whole answer's
 * body and the end of a failed stream, with codes that clients act on.
 */
import type { AnswerError } from "../wire-protocol.ts";

/** The failed response, as far as its stream described it. */
export interface FailedHead {
  /** As in `response.created`; clients refuse a different one. */
  readonly responseId: string;
  readonly createdSeconds: number;
  readonly model: string;
  /** The number of the first event written here. */
  readonly sequenceNumber: number;
}

/**
 * The catalogue's codes in failed streams, under names that clients know. Any other code becomes
 * `otherCode`, which Codex retries. Codex does not retry `server_is_overloaded` and `slow_down`, so these are
 * not used.
 */
export const streamCodes: ReadonlyMap<string, string> = new Map([
  ["context_length_exceeded", "context_length_exceeded"],
  ["insufficient_balance", "insufficient_quota"],
  ["budget_exceeded", "insufficient_quota"],
  ["rate_limit_exceeded", "rate_limit_exceeded"],
  ["invalid_request", "invalid_prompt"],
  ["unsupported_parameter", "invalid_prompt"],
  ["content_filter", "invalid_prompt"],
  ["request_too_large", "invalid_prompt"],
  ["model_not_found", "invalid_prompt"],
  ["model_not_allowed", "invalid_prompt"],
]);

export const otherCode = "server_error";

/** The message. Codex waits as long as its text says. */
function spoken({ code, message, retryAfterMs }: AnswerError): string {
  if (code !== "rate_limit_exceeded" || retryAfterMs === undefined || /try again in/i.test(message))
    return message;
  return `${message.replace(/\.?$/, ".")} Please try again in ${Math.ceil(retryAfterMs / 1000)}s.`;
}

const asIs = ({ code, type, message, param, requestId }: AnswerError): object => ({
  message,
  type,
  param: param ?? null,
  code,
  ...(requestId === undefined ? {} : { request_id: requestId }),
});

/** The body of an error answer. */
export const errorBody = (error: AnswerError): Buffer => Buffer.from(JSON.stringify({ error: asIs(error) }));

const event = (type: string, data: object): string => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

/**
 * The end of a failed stream. `error` makes OpenAI's SDKs throw. Codex ignores it and reads
 * `response.failed`.
 */
export function failedEnd(head: FailedHead, error: AnswerError): Buffer {
  const { responseId: id, createdSeconds, model, sequenceNumber } = head;
  const code = streamCodes.get(error.code) ?? otherCode;
  const message = spoken(error);
  const param = error.param ?? null;
  const errorEvent = event("error", {
    type: "error",
    sequence_number: sequenceNumber,
    code,
    message,
    param,
    error: { ...asIs(error), code, message },
  });
  const response = {
    id,
    object: "response",
    created_at: createdSeconds,
    status: "failed",
    background: false,
    error: { code, message },
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    temperature: null,
    tool_choice: "auto",
    tools: [],
    top_p: null,
    usage: null,
  };
  const type = "response.failed";
  return Buffer.from(errorEvent + event(type, { type, sequence_number: sequenceNumber + 1, response }));
}
