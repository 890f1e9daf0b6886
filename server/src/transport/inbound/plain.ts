/**
 * Decides which requests are plain, that is, served on a connection of our own, and reads their heads. Every
 * other request is handed to node:http with its connection, so a doubt costs time but no correctness: what is
 * not certainly understood the same way by node:http is not plain.
 */
import type { RequestHeaders } from "../../lib/net/exchange.ts";
import { createFieldNames, type Head } from "../llhttp/head.ts";
import { methodNames } from "../llhttp/llhttp.ts";

const getNumber = methodNames.indexOf("GET");
const postNumber = methodNames.indexOf("POST");
const slash = 0x2f;

/** A plain request's head, as `Exchange` gives it. */
export interface PlainHead {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly query: string;
  readonly headers: RequestHeaders;
}

/** What the application serves. */
export interface Served {
  /** True for a path, without its query, that may be called on such a connection. */
  isPath(path: string): boolean;
  /** True for a form of `Host` that is not refused. */
  isHost(host: string): boolean;
}

/** Names that requests usually have, in lower case, so that no string is made for them. */
const nameOf = createFieldNames([
  "accept",
  "accept-encoding",
  "accept-language",
  "anthropic-beta",
  "anthropic-version",
  "api-key",
  "authorization",
  "cache-control",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "expect",
  "forwarded",
  "host",
  "idempotency-key",
  "keep-alive",
  "openai-beta",
  "openai-organization",
  "openai-project",
  "origin",
  "proxy-connection",
  "referer",
  "trailer",
  "traceparent",
  "transfer-encoding",
  "upgrade",
  "user-agent",
  "x-api-key",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-goog-api-client",
  "x-goog-api-key",
  "x-real-ip",
  "x-stainless-arch",
  "x-stainless-lang",
  "x-stainless-os",
  "x-stainless-package-version",
  "x-stainless-retry-count",
  "x-stainless-runtime",
  "x-stainless-runtime-version",
  "x-stainless-timeout",
]);

/**
 * The fields, or undefined if one of them keeps the request from being plain. A name that comes twice does:
 * node:http has rules of its own for each.
 */
function readFields(head: Head, served: Served): RequestHeaders | undefined {
  const headers: Record<string, string> = {};
  for (let field = 0; field < head.count; field++) {
    const name = nameOf(head, field);
    const value = head.trimmedValue(field);
    // Also what every object inherits, like `constructor`.
    if (headers[name] !== undefined) return undefined;
    if (!isPlainField(name, value, served)) return undefined;
    headers[name] = value;
  }
  return headers;
}

function isPlainField(name: string, value: string, served: Served): boolean {
  switch (name) {
    case "host":
      return served.isHost(value);
    case "connection": {
      const option = value.toLowerCase();
      return option === "keep-alive" || option === "close";
    }
    case "transfer-encoding":
      return value.toLowerCase() === "chunked";
    case "expect":
    case "proxy-connection":
    // node:http gives this one as a list.
    case "set-cookie":
    case "trailer":
    case "upgrade":
      return false;
    default:
      return true;
  }
}

/** Reads a complete head. Undefined: the request is not plain. */
export function readPlain(head: Head, served: Served): PlainHead | undefined {
  if (head.major !== 1 || head.minor !== 1 || head.isUpgrade) return undefined;
  const isPost = head.method === postNumber;
  if (!isPost && head.method !== getNumber) return undefined;
  if (head.source[head.targetStart] !== slash) return undefined;
  const { target } = head;
  const question = target.indexOf("?");
  const path = question < 0 ? target : target.slice(0, question);
  if (!served.isPath(path)) return undefined;
  const headers = readFields(head, served);
  if (headers?.host === undefined) return undefined;
  const length = headers["content-length"];
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && length !== undefined) return undefined;
  if (!isPost && (coding !== undefined || (length !== undefined && length !== "0"))) return undefined;
  const query = question < 0 ? "" : target.slice(question + 1);
  return { method: isPost ? "POST" : "GET", path, query, headers };
}
