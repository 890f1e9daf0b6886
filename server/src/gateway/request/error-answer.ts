/**
 * An error as the bytes that its caller reads: a whole answer, or the end of a stream, in the format of the
 * path that was called. It knows the catalogue; each format writes its own shape.
 */
import {
  bodyFor,
  errorBody,
  errorHead,
  type WireError,
  wireErrorEvent,
  wireErrorFor,
} from "@plaza/contract/error-wire.ts";
import type { GatewayError } from "@plaza/contract/errors.ts";
import type { Exchange } from "../../lib/net/exchange.ts";
import type { AnswerError, StreamReader, WireProtocol } from "../../protocols/wire-protocol.ts";

/** The format in which an error is written, and what of the request it needs. */
export interface ErrorContext {
  /** undefined: OpenAI's errors. */
  readonly format: Pick<WireProtocol, "errors" | "readStream"> | undefined;
  readonly requestId: string;
  /** Of the request: some ask for more than the text. */
  readonly headers: Exchange["headers"];
}

function answerErrorOf(error: GatewayError, requestId: string): AnswerError {
  const { status, retryAfterMs } = errorHead(error);
  return { ...errorBody(error).error, status, requestId, retryAfterMs };
}

/** Status, body and headers of an answer that is this error. */
export function errorAnswer(error: GatewayError, { format, requestId, headers }: ErrorContext): WireError {
  const shape = format?.errors;
  if (shape === undefined) return wireErrorFor(error, headers);
  return { ...errorHead(error), body: shape.body(answerErrorOf(error, requestId)) };
}

/**
 * The last bytes of a stream that failed, after which no marker comes. `reader`: what read the part that was
 * sent; undefined = nothing was but what keeps a connection alive.
 */
export function failureOf(
  error: GatewayError,
  { format, requestId, headers }: ErrorContext,
  reader: StreamReader | undefined,
): Buffer {
  const stream = reader ?? format?.readStream();
  if (stream?.failure === undefined) return wireErrorEvent(error, bodyFor(error, headers));
  return stream.failure(answerErrorOf(error, requestId));
}
