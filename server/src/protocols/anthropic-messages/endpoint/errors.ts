/**
 * Errors in the shape callers of Messages read (docs/wire/anthropic-messages.md sections 10 and 13): an
 * answer's body, and the event in a stream. The type is Anthropic's; the code inside is from Plaza's
 * catalogue.
 */
import type { AnswerError, ErrorShape } from "../../wire-protocol.ts";
import { threadParam } from "./fields.ts";

/** Anthropic's error type by status. Its SDKs pick their error class by status; clients read the type. */
const types: ReadonlyMap<number, string> = new Map([
  [401, "authentication_error"],
  [402, "billing_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [408, "timeout_error"],
  [409, "conflict_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [503, "overloaded_error"],
  [504, "timeout_error"],
  [529, "overloaded_error"],
]);

/** Anthropic's error type for a status. */
export const errorTypeOf = (status: number): string =>
  types.get(status) ?? (status >= 500 ? "api_error" : "invalid_request_error");

/** Clients shorten the conversation and retry when the message starts with this text. */
const tooLong = "prompt is too long";

/**
 * Anthropic's own words for a conversation that is too long. Claude Code reads the numbers of the second, and
 * asks again for less output, only where the message is no other.
 */
const overflow = /^(?:prompt is too long|input length and `max_tokens` exceed context limit)/i;

function spoken({ code, message }: AnswerError): string {
  const isSaid = code !== "context_length_exceeded" || overflow.test(message);
  return isSaid ? message : `${tooLong}: ${message}`;
}

function asJson(error: AnswerError): string {
  const { code, status, param, requestId } = error;
  return JSON.stringify({
    type: "error",
    error: {
      type: errorTypeOf(status),
      message: spoken(error),
      code,
      ...(param === undefined || param === null ? {} : { param }),
      // Upon this the SDKs send the whole conversation again.
      ...(param === threadParam ? { details: { error_code: "thread_not_found" } } : {}),
    },
    request_id: requestId ?? null,
  });
}

/** The body of an error answer. */
export const errorBody = (error: AnswerError): Buffer => Buffer.from(asJson(error));

/** The id of the request is where Anthropic's SDKs look for it. */
export const messagesErrors: ErrorShape = {
  body: errorBody,
  headers: (requestId) => ["request-id", requestId],
  readsOverflow: (text) => overflow.test(text),
};

/** The end of a stream that failed: no `message_stop` follows. */
export const errorEvent = (error: AnswerError): Buffer =>
  Buffer.from(`event: error\ndata: ${asJson(error)}\n\n`);
