/**
 * Errors as callers of Responses read them (docs/wire/openai-responses.md section 6): a whole answer's body,
 * and the end of a stream that failed, with the codes that clients act on.
 */
import type { AnswerError } from "../wire-protocol.ts";

/** Which response failed, as far as its stream has said so. */
export interface FailedHead {
  /** As in `response.created`: clients refuse another one. */
  readonly responseId: string;
  readonly createdSeconds: number;
  readonly model: string;
  /** Of the first event that is written here. */
  readonly sequenceNumber: number;
}

/**
 * The catalogue's codes as clients know them. All that is not here is `server_error`, which Codex repeats;
 * it does not repeat `server_is_overloaded` and `slow_down`, so nobody is told those.
 */
const codes: ReadonlyMap<string, string> = new Map([
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

/** Codex waits as long as the text says. */
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

/** The body of an answer that is an error. */
export const errorBody = (error: AnswerError): Buffer => Buffer.from(JSON.stringify({ error: asIs(error) }));

const event = (type: string, data: object): string => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

/**
 * The end of a stream that failed. `error` makes OpenAI's SDKs throw; `response.failed` is what Codex reads,
 * which passes over the other.
 */
export function failedEnd(head: FailedHead, error: AnswerError): Buffer {
  const { responseId: id, createdSeconds, model, sequenceNumber } = head;
  const code = codes.get(error.code) ?? "server_error";
  const message = spoken(error);
  const param = error.param ?? null;
  const told = event("error", {
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
  return Buffer.from(told + event(type, { type, sequence_number: sequenceNumber + 1, response }));
}
