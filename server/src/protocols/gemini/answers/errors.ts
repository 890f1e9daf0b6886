/**
 * Errors in the shape callers of Gemini read (docs/wire/gemini.md sections 9 and 13): Google's body with its
 * status names, and the catalogue's code in the details.
 */
import type { AnswerError } from "../../wire-protocol.ts";

const statuses: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  402: "FAILED_PRECONDITION",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  405: "UNIMPLEMENTED",
  408: "DEADLINE_EXCEEDED",
  409: "ABORTED",
  413: "INVALID_ARGUMENT",
  415: "INVALID_ARGUMENT",
  422: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  501: "UNIMPLEMENTED",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

const statusOf = (status: number): string =>
  statuses[status] ?? (status < 500 ? "FAILED_PRECONDITION" : "INTERNAL");

const google = "type.googleapis.com/google.rpc.";

function detailsOf({ code, type, message, param, requestId, retryAfterMs }: AnswerError): object[] {
  const metadata: Record<string, string> = { code, type };
  if (param !== undefined && param !== null) metadata["param"] = param;
  const details: object[] = [
    { "@type": `${google}ErrorInfo`, reason: code.toUpperCase(), domain: "plaza", metadata },
  ];
  if (typeof param === "string")
    details.push({
      "@type": `${google}BadRequest`,
      fieldViolations: [{ field: param, description: message }],
    });
  if (requestId !== undefined) details.push({ "@type": `${google}RequestInfo`, requestId });
  if (retryAfterMs !== undefined)
    details.push({ "@type": `${google}RetryInfo`, retryDelay: `${Math.ceil(retryAfterMs / 1_000)}s` });
  return details;
}

const bodyOf = (error: AnswerError): string =>
  JSON.stringify({
    error: {
      code: error.status,
      message: error.message,
      status: statusOf(error.status),
      details: detailsOf(error),
    },
  });

/** The body of an error answer. */
export const errorBody = (error: AnswerError): Buffer => Buffer.from(bodyOf(error));

/** The end of a failed stream; the SDK throws because of its `code`. */
export const failedEnd = (error: AnswerError): Buffer => Buffer.from(`data: ${bodyOf(error)}\r\n\r\n`);
