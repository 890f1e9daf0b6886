/**
 * Who may look at the operator's paths: whoever sends the operator's token, or, where there is none, programs on this very
 * machine. It knows HTTP only and nothing of what is looked at.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIPv4 } from "node:net";
import { GatewayError } from "@plaza/contract/errors.ts";

/** Throws `invalid_api_key` (401) or `ip_not_allowed` (403) for everybody else. */
export type OperatorGuard = (req: IncomingMessage) => void;

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

function isForwarded({ headers }: IncomingMessage): boolean {
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

/** `token`: the operator's; undefined = none was set. */
export function createOperatorGuard(token: string | undefined): OperatorGuard {
  if (token === undefined) {
    return (req) => {
      const isNear = isLoopback(req.socket.remoteAddress) && isLoopbackHost(req.headers.host);
      if (isNear && !isForwarded(req)) return;
      throw new GatewayError("ip_not_allowed", {
        message:
          "This address is the operator's. Without an operator token it answers programs on Plaza's own machine only; " +
          "set PLAZA_OPERATOR_TOKEN to use it from elsewhere or through a proxy.",
      });
    };
  }
  const wanted = digestOf(token);
  return (req) => {
    const given = /^bearer +(\S+) *$/i.exec(req.headers.authorization ?? "")?.[1];
    // Digests are compared, so that neither the time taken nor a length tells anything about the token.
    if (given !== undefined && timingSafeEqual(digestOf(given), wanted)) return;
    throw new GatewayError("invalid_api_key", {
      message:
        "This address is the operator's. Send its token, set with PLAZA_OPERATOR_TOKEN, as `Authorization: Bearer …`.",
    });
  };
}
