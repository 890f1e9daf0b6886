/**
 * Who may look at the operator's paths: whoever sends the operator's token, or, where there is none, programs
 * on this very machine. It knows HTTP only and nothing of what is looked at.
 */

import { createHash, timingSafeEqual } from "node:crypto";
import { isIPv4 } from "node:net";
import { GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import type { Sent } from "../../lib/net/forwarded.ts";

/** Throws `invalid_api_key` (401) or `ip_not_allowed` (403) for everybody else. */
export type OperatorGuard = (sent: Sent) => void;

/** A proxy passed it on: the address of the connection is the proxy's, whoever asked. */
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

/** 127.0.0.0/8 and ::1, also as a dual-stack socket writes the former. */
function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false;
  if (address === "::1") return true;
  const plain = address.toLowerCase().startsWith("::ffff:") ? address.slice("::ffff:".length) : address;
  return isIPv4(plain) && plain.startsWith("127.");
}

/** A page of another site may have its name lead here (DNS rebinding); then the Host is that name. */
function isLoopbackHost(host: string | undefined): boolean {
  if (host === undefined) return true;
  const name = host.replace(/:\d{1,5}$/, "").toLowerCase();
  return name === "localhost" || isLoopback(name.replace(/^\[(.*)\]$/, "$1"));
}

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();

/** The bearer token of a request; undefined = none. */
const bearerOf = ({ headers }: Sent): string | undefined =>
  /^bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1];

/**
 * Tells whether a text is one of the tokens. Digests are compared, so that neither the time taken
 * nor a length tells anything about them.
 */
function matcherOf(tokens: readonly (string | undefined)[]): (given: string) => boolean {
  const wanted = tokens.flatMap((token) => (token === undefined ? [] : [digestOf(token)]));
  return (given) => {
    const digest = digestOf(given);
    return wanted.some((one) => timingSafeEqual(digest, one));
  };
}

/** Throws `ip_not_allowed` for everything but a program on this machine that came without a proxy. */
function requireNear(sent: Sent, refusal: Message): void {
  const isNear = isLoopback(sent.peerAddress) && isLoopbackHost(sent.headers.host);
  if (!isNear || isForwarded(sent)) throw new GatewayError("ip_not_allowed", { message: refusal });
}

/** `token`: the operator's; undefined = none was set. */
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
  /** Boot settings; undefined = not set. Either opens the metrics. */
  readonly operatorToken: string | undefined;
  readonly metricsToken: string | undefined;
  /** True for a token made in the console that may read metrics. Asked only for what is no boot setting. */
  readonly isMadeToken: (given: string) => Promise<boolean>;
}

/**
 * Guards `/metrics`: a token is enough that opens nothing else. Without any boot
 * token, programs on this machine need none.
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
