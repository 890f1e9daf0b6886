/**
 * Finds the sender of a request that may have come through proxies: the nearest address that is not a trusted
 * proxy. Pure; no sockets, no project words.
 */
import { innermostAddress, isInside, type Network, parseAddress } from "./address.ts";
import type { Exchange } from "./exchange.ts";

/** The parts of a request that are read. */
export type Sent = Pick<Exchange, "headers" | "peerAddress">;

/** The address of a hop as proxies write it: alone, with a port, in brackets, or with a zone. */
function readHop(text: string): Uint8Array | undefined {
  const word = text.trim();
  const bracketed = /^\[([^\]]{2,60})\](?::\d{1,5})?$/.exec(word)?.[1];
  const withPort = /^([\d.]{7,15}):\d{1,5}$/.exec(word)?.[1];
  const bytes = parseAddress((bracketed ?? withPort ?? word).replace(/%.*$/s, ""));
  return bytes && innermostAddress(bytes);
}

/** An address as text in one canonical form: dotted IPv4, or IPv6 in groups. */
function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, group) =>
    (((bytes[group * 2] ?? 0) << 8) | (bytes[group * 2 + 1] ?? 0)).toString(16),
  );
  return groups.join(":").replace(/(?:^|:)0(?::0)+(?:$|:)/, "::");
}

const isTrusted = (address: Uint8Array, trusted: readonly Network[]): boolean =>
  trusted.some((network) => isInside(address, network));

/**
 * The sender's address. `peer`: the connection's other end. `forwardedFor`: the value of `X-Forwarded-For`,
 * trusted only as far as trusted proxies wrote it: from the right, up to the first address that is not one of
 * them. If a trusted proxy forwarded something that is not an address, the proxy itself is the sender,
 * because the rest may be forged. "": unknown, for a connection without an address, such as a Unix socket.
 */
export function senderAddress(
  peer: string | undefined,
  forwardedFor: string | undefined,
  trusted: readonly Network[],
): string {
  let sender = readHop(peer ?? "");
  if (sender === undefined) return "";
  if (forwardedFor === undefined || !isTrusted(sender, trusted)) return addressText(sender);
  for (const hop of forwardedFor.split(",").reverse()) {
    const address = readHop(hop);
    if (address === undefined) break;
    sender = address;
    if (!isTrusted(sender, trusted)) break;
  }
  return addressText(sender);
}

/** Most peers whose address is kept as text. */
const peersMax = 1_024;

/** Returns the sender's address of a request. Reads the address of a connection's other end once. */
export function createSenderOf(trusted: readonly Network[]): (sent: Sent) => string {
  const peers = new Map<string, string>();
  return ({ peerAddress = "", headers }) => {
    const forwardedFor = headers["x-forwarded-for"];
    if (forwardedFor !== undefined) {
      const text = Array.isArray(forwardedFor) ? forwardedFor.join(",") : forwardedFor;
      return senderAddress(peerAddress, text, trusted);
    }
    const known = peers.get(peerAddress);
    if (known !== undefined) return known;
    const sender = senderAddress(peerAddress, undefined, trusted);
    if (peers.size >= peersMax) peers.clear();
    peers.set(peerAddress, sender);
    return sender;
  };
}
