/**
 * Where a request came from, when proxies may stand between: their word counts only where the operator named their networks. Pure;
 * reads headers and nothing else.
 */
import { innermostAddress, isInside, type Network, parseAddress } from "../../lib/address.ts";

export interface Arrival {
  /** Of the connection. */
  readonly remoteAddress: string | undefined;
  /** A header by its name in lower case. */
  header(name: string): string | undefined;
}

export interface PlaceSettings {
  readonly trustedProxies: readonly Network[];
  readonly publicUrl: string | undefined;
  /** Set: the console is at an address of its own, which `publicUrl` does not say. */
  readonly consoleListen: object | undefined;
}

export interface Place {
  readonly ip: string;
  /** Origin of the console, for links to it. */
  readonly site: string;
  /** Every origin our own pages can have. */
  readonly origins: readonly string[];
}

function bytesOf(text: string): Uint8Array | undefined {
  const bytes = parseAddress(text.trim().replace(/^\[(.*)\]$/, "$1"));
  return bytes && innermostAddress(bytes);
}

function textOf(bytes: Uint8Array, text: string): string {
  return bytes.length === 4
    ? bytes.join(".")
    : text
        .trim()
        .replace(/^\[(.*)\]$/, "$1")
        .toLowerCase();
}

/** Longest chain of proxies that is followed. */
const hopsMax = 20;

/** The right-most address no trusted proxy has; what stands left of it anybody may have written. */
function callerOf(
  own: string,
  forwarded: string | undefined,
  trusts: (bytes: Uint8Array) => boolean,
): string {
  let caller = own;
  const hops = (forwarded ?? "").split(",").slice(-hopsMax).reverse();
  for (const hop of hops) {
    const bytes = bytesOf(hop);
    if (bytes === undefined) return caller;
    caller = textOf(bytes, hop);
    if (!trusts(bytes)) return caller;
  }
  return caller;
}

const first = (list: string | undefined): string | undefined => list?.split(",")[0]?.trim();

function originOf(scheme: string, host: string): string | undefined {
  const url = URL.parse(`${scheme}://${host}`);
  return url !== null && url.pathname === "/" && url.username === "" ? url.origin : undefined;
}

/** Throws nothing: headers that make no sense count as absent. */
export function placeOf(arrival: Arrival, settings: PlaceSettings): Place {
  const { trustedProxies, publicUrl, consoleListen } = settings;
  const trusts = (bytes: Uint8Array) => trustedProxies.some((network) => isInside(bytes, network));
  const own = arrival.remoteAddress ?? "";
  const ownBytes = bytesOf(own);
  const isProxied = ownBytes !== undefined && trusts(ownBytes);
  const told = (name: string) => (isProxied ? arrival.header(name) : undefined);
  const ownText = ownBytes === undefined ? own : textOf(ownBytes, own);
  const isPublic = publicUrl !== undefined && consoleListen === undefined;
  const publicOrigin = isPublic ? new URL(publicUrl).origin : undefined;
  const proto = first(told("x-forwarded-proto"))?.toLowerCase();
  const isSecure = proto === undefined ? publicOrigin?.startsWith("https:") === true : proto === "https";
  const host = first(told("x-forwarded-host")) ?? arrival.header("host") ?? "localhost";
  const asked = originOf(isSecure ? "https" : "http", host) ?? "http://localhost";
  const site = publicOrigin ?? asked;
  return {
    ip: isProxied ? callerOf(ownText, told("x-forwarded-for"), trusts) : ownText,
    site,
    origins: [...new Set([asked, site])],
  };
}
