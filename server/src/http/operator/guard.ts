/**
 * Protects the operator's paths: requires the operator token or, when none is set, a program on this machine.
 */

import { createHash, timingSafeEqual } from "node:crypto";
import { isIPv4 } from "node:net";
import { GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import type { Sent } from "../../lib/net/forwarded.ts";

/** Throws `invalid_api_key` (401) or `ip_not_allowed` (403) for everyone else. */
export type OperatorGuard = (sent: Sent) => void;

/**
 * Headers added by proxies. With one of them the peer address is the proxy's, so it says nothing about the
 * client.
 */
const forwardingHeaders = [
  "forwarded",
  "via",
  "x-real-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-original-forwarded-for",
  "x-envoy-external-address",
  "x-original-host",
  "true-client-ip",
  "cf-connecting-ip",
  "cf-ray",
  "fastly-client-ip",
  "fly-client-ip",
  "x-azure-clientip",
  "x-appengine-user-ip",
];

function isForwarded({ headers }: Sent): boolean {
  if (forwardingHeaders.some((name) => headers[name] !== undefined)) return true;
  return Object.keys(headers).some((name) => name.startsWith("x-forwarded"));
}

/** True for 127.0.0.0/8 and ::1, also in IPv4-mapped form. */
function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false;
  if (address === "::1") return true;
  const plain = address.toLowerCase().startsWith("::ffff:") ? address.slice("::ffff:".length) : address;
  return isIPv4(plain) && plain.startsWith("127.");
}

/** With DNS rebinding, another site's name resolves to this machine. The Host header then has that name. */
function isLoopbackHost(host: string | undefined): boolean {
  if (host === undefined) return true;
  const name = host.replace(/:\d{1,5}$/, "").toLowerCase();
  return name === "localhost" || isLoopback(name.replace(/^\[(.*)\]$/, "$1"));
}

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Returns the bearer token of a request; undefined = none. */
const bearerOf = ({ headers }: Sent): string | undefined =>
  /^bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1];

/**
 * Returns a function that compares a text with the tokens. It compares digests in constant time, so that
 * neither time nor length reveals anything.
 */
function matcherOf(tokens: readonly (string | undefined)[]): (given: string) => boolean {
  const wanted = tokens.flatMap((token) => (token === undefined ? [] : [digestOf(token)]));
  return (given) => {
    const digest = digestOf(given);
    return wanted.some((one) => timingSafeEqual(digest, one));
  };
}

/** Throws `ip_not_allowed` unless the request comes from this machine and not through a proxy. */
function requireNear(sent: Sent, refusal: Message): void {
  const isNear = isLoopback(sent.peerAddress) && isLoopbackHost(sent.headers.host);
  if (!isNear || isForwarded(sent)) throw new GatewayError("ip_not_allowed", { message: refusal });
}

/** `token`: the operator's; undefined = not set. */
export function createOperatorGuard(token: string | undefined): OperatorGuard {
  if (token === undefined) {
    return (sent) => requireNear(sent, message("server.operatorNear"));
  }
  const isToken = matcherOf([token]);
  return (sent) => {
    const given = bearerOf(sent);
    if (given !== undefined && isToken(given)) return;
    throw new GatewayError("invalid_api_key", {
      message: message("server.operatorToken"),
    });
  };
}

export interface MetricsGuardOptions {
  /** Startup settings; undefined = not set. Either token gives access to the metrics. */
  readonly operatorToken: string | undefined;
  readonly metricsToken: string | undefined;
  /**
   * True for a console-made token that may read metrics. Called only for tokens that are not startup
   * settings.
   */
  readonly isMadeToken: (given: string) => Promise<boolean>;
}

/**
 * Protects `/metrics`, which also accepts a token for metrics alone. With no token set at startup, programs
 * on this machine need none.
 */
export function createMetricsGuard(options: MetricsGuardOptions): (sent: Sent) => Promise<void> {
  const { operatorToken, metricsToken, isMadeToken } = options;
  const isSet = operatorToken !== undefined || metricsToken !== undefined;
  const isToken = matcherOf([operatorToken, metricsToken]);
  return async (sent) => {
    const given = bearerOf(sent);
    if (given !== undefined && (isToken(given) || (await isMadeToken(given)))) return;
    if (!isSet) {
      requireNear(sent, message("server.metricsNear"));
      return;
    }
    throw new GatewayError("invalid_api_key", {
      message: message("server.metricsToken"),
    });
  };
}
