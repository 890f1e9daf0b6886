/**
 * Errors as callers of Messages read them (docs/wire/anthropic-messages.md sections 10 and 13): the body of
 * an answer, and the event in a stream. The family is Anthropic's, the code inside is the catalogue's.
 */

/** An error of ours, by the code of the catalogue. */
export interface AnswerError {
  readonly code: string;
  /** HTTP status; in a stream what it would have been. */
  readonly status: number;
  readonly message: string;
  readonly param?: string | null | undefined;
  readonly requestId?: string | undefined;
}

/** Anthropic's families by status. Its SDKs choose their classes by status, its clients read the family. */
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

/** Anthropic's word for errors of a status. */
export const errorTypeOf = (status: number): string =>
  types.get(status) ?? (status >= 500 ? "api_error" : "invalid_request_error");

/** Clients cut a conversation down, and try again, where the text begins so. */
const tooLong = "prompt is too long";

function spoken({ code, message }: AnswerError): string {
  const isSaid = code !== "context_length_exceeded" || message.toLowerCase().startsWith(tooLong);
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
    },
    request_id: requestId ?? null,
  });
}

/** The body of an answer that is an error. */
export const errorBody = (error: AnswerError): Buffer => Buffer.from(asJson(error));

/** The end of a stream that failed: no `message_stop` follows. */
export const errorEvent = (error: AnswerError): Buffer =>
  Buffer.from(`event: error\ndata: ${asJson(error)}\n\n`);
