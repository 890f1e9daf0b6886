/** Why a call to an upstream failed, as an error with a code; the gateway's faults are made from the code. */

/**
 * `ETIMEDOUT`: no connection in time. `UPSTREAM_CLOSED`: the connection ended before the answer did.
 * `UPSTREAM_FRAMING`: what was sent is not an HTTP/1.1 answer. `CONNECTIONS_MAX`: this process has too many.
 * `CLIENT_CLOSED`: the upstream was removed or the process stops. `INVALID_CALL`: the call has a header that
 * must not be sent. `PROXY_…`: what went wrong at the operator's proxy. All others are the system's.
 */
export type FailureCode =
  | "ETIMEDOUT"
  | "UPSTREAM_CLOSED"
  | "UPSTREAM_FRAMING"
  | "CONNECTIONS_MAX"
  | "CLIENT_CLOSED"
  | "INVALID_CALL"
  | "PROXY_CLOSED"
  | "PROXY_FRAMING"
  | `PROXY_${number}`;

export function failure(code: FailureCode): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}

/**
 * A host with several addresses fails with one error for all of them. When one of them timed out, that is
 * what the operator should read.
 */
export function connectFailure(error: NodeJS.ErrnoException): NodeJS.ErrnoException {
  const { errors } = error as { errors?: readonly NodeJS.ErrnoException[] };
  return errors?.some(({ code }) => code === "ETIMEDOUT") === true ? failure("ETIMEDOUT") : error;
}
