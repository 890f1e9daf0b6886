/**
 * Where a request presents its key: in the headers that the clients of each format send, and for Gemini's
 * clients in the query. It judges no key.
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { checkApiKeyShape } from "../../../domain/keys/api-key.ts";
import type { Exchange } from "../../../lib/net/exchange.ts";

/** What is read of a request. */
export type Presenting = Pick<Exchange, "headers" | "path" | "query">;

export const bearer = "Bearer ";

/** Of Anthropic's clients, of Azure's and of Google's, in this order. */
const keyHeaders = ["x-api-key", "api-key", "x-goog-api-key"] as const;

/** Paths whose clients may write the key into the address, as Google has it. */
const hasQueryKey = (path: string): boolean => path.startsWith("/v1beta/") || path.startsWith("/v1alpha/");

export function isBearer(text: string | undefined): boolean {
  return text?.slice(0, bearer.length).toLowerCase() === bearer.toLowerCase();
}

const secretOf = (authorization: string): string => authorization.slice(bearer.length).trim();

const asBearer = (key: string): string => (isBearer(key) ? key : bearer + key);

function queryKeyOf({ path, query }: Presenting): string | undefined {
  if (!hasQueryKey(path) || !query.includes("key=")) return undefined;
  return new URLSearchParams(query).get("key") || undefined;
}

/** A query without the key that may stand in it. */
export const withoutKey = (query: string): string => query.replace(/(?:^|&)key=[^&]*/g, "").replace(/^&/, "");

/** Two keys of ours: whichever were taken, the other may be meant. */
function conflict(first: string, other: string): GatewayError {
  return new GatewayError("invalid_api_key", { message: message("call.keysDiffer", { first, other }) });
}

/**
 * The key a request presents, as an Authorization header says it; undefined where it presents nothing.
 * Authorization goes first, but where it is of another scheme (a proxy's, say) the other places are read.
 * What stands there besides counts only where it may be a key of ours: throws `invalid_api_key` for two that
 * differ.
 */
export function presentedKey(request: Presenting): string | undefined {
  const { authorization } = request.headers;
  let found = isBearer(authorization) ? authorization : undefined;
  let place = "Authorization";
  for (const name of keyHeaders) {
    const value = request.headers[name];
    if (typeof value !== "string" || value === "") continue;
    const other = asBearer(value);
    if (found === undefined) {
      found = other;
      place = name;
    } else if (isAnother(other, found)) {
      throw conflict(place, name);
    }
  }
  const inQuery = queryKeyOf(request);
  if (inQuery === undefined) return found ?? authorization;
  if (found !== undefined && isAnother(asBearer(inQuery), found)) throw conflict(place, "?key=");
  return found ?? asBearer(inQuery);
}

function isAnother(other: string, found: string): boolean {
  return secretOf(other) !== secretOf(found) && checkApiKeyShape(secretOf(other));
}
