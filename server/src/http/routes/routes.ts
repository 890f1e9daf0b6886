/**
 * The route table: matches method and path to a handler, answers CORS preflights of public paths, and turns
 * everything else into an error.
 */
import { toGatewayError } from "@plaza/contract/error-wire.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { servedPaths } from "@plaza/contract/operations.ts";
import {
  canonicalPath,
  formatMeant,
  hidesNotFound,
  isCallersPath,
} from "../../gateway/endpoints/path-families.ts";
import type { Reply } from "../../gateway/request/reply.ts";
import type { Exchange } from "../../lib/net/exchange.ts";
import type { Route } from "../listener/server.ts";
import { preflightHeaders } from "./cors.ts";
import { findMissingPath, type MissingPath } from "./missing-paths.ts";

/** May be asynchronous; what it throws becomes an error answer. `tail`: the text matched by the wildcard. */
export type Handler = (exchange: Exchange, reply: Reply, tail: string) => Promise<void> | void;

export interface RouteEntry {
  readonly method: "GET" | "POST" | "DELETE";
  /**
   * An exact path, or one with a `*` after a slash, which stands for any text: at its end, or before an
   * ending like `:generateContent` or `/embeddings`. The text is passed on percent-decoded.
   */
  readonly path: string;
  readonly handler: Handler;
}

/** Answers paths without a route: the control plane and the console. False: the path is not theirs either. */
export type Fallback = (exchange: Exchange, reply: Reply) => boolean;

/** Some clients add a slash at the end. */
const withoutSlash = (path: string): string =>
  path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;

/** Handling of requests without a route. */
export interface Besides {
  readonly fallback?: Fallback | undefined;
  /** Adds headers to every error under `/v1/` that comes before a handler. */
  readonly addHeaders?: ((exchange: Exchange, reply: Reply) => Promise<void>) | undefined;
}

/**
 * Builds the route function. Exact paths win over wildcards, longer wildcards over shorter ones; a slash at
 * the end is ignored. Other spellings of a path (`canonicalPath`) are the same path.
 */
export function createRoutes(
  entries: readonly RouteEntry[],
  onMistake: (reply: Reply, thrown: unknown) => void,
  { fallback = () => false, addHeaders }: Besides = {},
): Route {
  const byPath = Map.groupBy(entries, ({ path }) => path);
  const exact = new Map([...byPath].filter(([path]) => !path.includes("*")));
  const wild = [...byPath].flatMap(([path, ofPath]) => wildcardOf(path, ofPath) ?? []).sort(moreExact);

  function find(method: string, given: string): { entries: readonly RouteEntry[]; tail: string } | undefined {
    const asked = canonicalPath(given);
    const path = exact.has(asked) ? asked : withoutSlash(asked);
    const found = exact.get(path);
    if (found !== undefined) return { entries: found, tail: "" };
    const matching = wild.filter((one) => matches(one, path));
    const match = matching.find(({ entries }) => entryOf(entries, method) !== undefined) ?? matching[0];
    if (match === undefined) return undefined;
    const tail = path.slice(match.prefix.length, path.length - endingBytes(match, path));
    return { entries: match.entries, tail: decodeTail(tail) };
  }

  /**
   * Returns the matching entry and the text matched by its wildcard; undefined when the fallback has
   * answered; otherwise the error.
   */
  function choose(
    exchange: Exchange,
    reply: Reply,
  ): { entry: RouteEntry; tail: string } | GatewayError | undefined {
    const { path } = exchange;
    const method = exchange.method === "HEAD" ? "GET" : exchange.method;
    const found = find(method, path);
    if (found === undefined) {
      const missing = missingAt(path);
      // Some paths under /api belong to other products. Their help text comes before the console's 404.
      if (missing?.path.startsWith("/api/") !== true && fallback(exchange, reply)) return undefined;
      const meant = formatMeant(path);
      if (meant !== undefined) reply.speak(meant);
      return notFound(exchange, missing);
    }
    const entry = entryOf(found.entries, method);
    if (entry === undefined) {
      // Below a wildcard, a path that exists for another method may not be served at all.
      const missing = found.tail === "" ? undefined : missingAt(path);
      return missing === undefined ? methodNotAllowed(found.entries, path) : notFound(exchange, missing);
    }
    return { entry, tail: found.tail };
  }

  function refuse(reply: Reply, thrown: unknown): void {
    const error = toGatewayError(thrown);
    if (error !== thrown) onMistake(reply, thrown);
    reply.refuse(error);
  }

  async function awaitEnd(running: Promise<void>, reply: Reply): Promise<void> {
    try {
      await running;
    } catch (thrown) {
      refuse(reply, thrown);
    }
  }

  /** Refuses a request for which there is no handler. */
  async function refuseUnhandled(exchange: Exchange, reply: Reply, thrown: unknown): Promise<void> {
    if (isCallersPath(exchange.path)) await addHeaders?.(exchange, reply);
    refuse(reply, thrown);
  }

  function answer(exchange: Exchange, reply: Reply): void {
    let isHandled = false;
    try {
      if (exchange.method === "OPTIONS" && isCallersPath(exchange.path)) {
        reply.sendEmpty(204, preflightHeaders(exchange.headers["access-control-request-headers"]));
        return;
      }
      if (wantsWebSocket(exchange)) {
        reply.addHeader("upgrade", "HTTP/1.1");
        // node:http drops what a client sends behind such a head before it is answered.
        reply.closeAfter();
        throw new GatewayError("websocket_not_supported");
      }
      const chosen = choose(exchange, reply);
      if (chosen === undefined) return;
      if (chosen instanceof GatewayError) {
        void refuseUnhandled(exchange, reply, chosen);
        return;
      }
      isHandled = true;
      const running = chosen.entry.handler(exchange, reply, chosen.tail);
      if (running !== undefined) void awaitEnd(running, reply);
    } catch (thrown) {
      if (isHandled) refuse(reply, thrown);
      else void refuseUnhandled(exchange, reply, thrown);
    }
  }

  return answer;
}

/** Codex and others continue over HTTP at once on status 426, on others only after several attempts. */
const wantsWebSocket = ({ method, headers, path }: Exchange): boolean =>
  method === "GET" &&
  headers.upgrade !== undefined &&
  /websocket/i.test(headers.upgrade) &&
  isCallersPath(path);

const entryOf = (entries: readonly RouteEntry[], method: string): RouteEntry | undefined =>
  entries.find((candidate) => candidate.method === method);

/** A path with a `*`, by what stands before and behind it. */
interface Wildcard {
  readonly prefix: string;
  readonly ending: string;
  readonly entries: readonly RouteEntry[];
}

function wildcardOf(path: string, entries: readonly RouteEntry[]): Wildcard | undefined {
  const at = path.indexOf("*");
  return at < 0 ? undefined : { prefix: path.slice(0, at), ending: path.slice(at + 1), entries };
}

const moreExact = (a: Wildcard, b: Wildcard): number =>
  b.prefix.length - a.prefix.length || b.ending.length - a.ending.length;

/** A colon, as clients write it that encode what stands in a path. */
const encodedColon = /^%3a/i;

/** Length of the ending at the end of this path; -1 = it ends otherwise. */
function endingBytes({ ending }: Wildcard, path: string): number {
  if (path.endsWith(ending)) return ending.length;
  if (ending[0] !== ":") return -1;
  const encoded = ending.length + 2;
  const last = path.slice(-encoded);
  return encodedColon.test(last) && last.endsWith(ending.slice(1)) ? encoded : -1;
}

function matches(wildcard: Wildcard, path: string): boolean {
  if (!path.startsWith(wildcard.prefix)) return false;
  const bytes = endingBytes(wildcard, path);
  return bytes >= 0 && path.length > wildcard.prefix.length + bytes;
}

function decodeTail(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    throw new GatewayError("invalid_request", { message: message("server.badEncoding") });
  }
}

/** Of what no client calls so, the path that is meant may be known. */
const missingAt = (path: string): MissingPath | undefined =>
  findMissingPath(path) ?? findMissingPath(canonicalPath(path));

const endpointHelp = message("server.endpointHelp", { paths: servedPaths.join(", ") });

function notFound({ method, path }: Exchange, missing: MissingPath | undefined): GatewayError {
  const shown = path.length > 100 ? `${path.slice(0, 100)}…` : path;
  const code = missing !== undefined && hidesNotFound(path) ? "invalid_request" : "not_found";
  return new GatewayError(code, {
    message: message("server.nothingAt", { method, path: shown, help: missing?.help ?? endpointHelp }),
  });
}

function methodNotAllowed(entries: readonly RouteEntry[], path: string): GatewayError {
  const allow = entries.map((entry) => (entry.method === "GET" ? "GET, HEAD" : entry.method)).join(", ");
  return new GatewayError("method_not_allowed", {
    message: message("server.takesOnly", { path, allow }),
    allow: `${allow}, OPTIONS`,
  });
}
