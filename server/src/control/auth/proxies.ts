/**
 * Finds where a request came from when there may be proxies: their headers count only if the operator listed
 * their networks. Pure.
 */
import { isInside, type Network, parseAddress } from "../../lib/net/address.ts";
import { senderAddress } from "../../lib/net/forwarded.ts";

export interface Arrival {
  /** Of the connection. */
  readonly remoteAddress: string | undefined;
  /** A header by its name in lower case. */
  header(name: string): string | undefined;
}

export interface ClientAddressSettings {
  readonly trustedProxies: readonly Network[];
  readonly publicUrl: string | undefined;
  /** When set, the console has its own address, which `publicUrl` does not contain. */
  readonly consoleListen: object | undefined;
  /** When set, Plaza's own listeners serve HTTPS. */
  readonly tlsCert: string | undefined;
}

export interface ClientAddress {
  readonly ip: string;
  /** Origin of the console, for links to it. */
  readonly site: string;
  /** Every origin of Plaza's own pages. */
  readonly origins: readonly string[];
}

const first = (list: string | undefined): string | undefined => list?.split(",")[0]?.trim();

function originOf(scheme: string, host: string): string | undefined {
  const url = URL.parse(`${scheme}://${host}`);
  return url !== null && url.pathname === "/" && url.username === "" ? url.origin : undefined;
}

/** Never throws: invalid headers count as absent. */
export function clientAddressOf(arrival: Arrival, settings: ClientAddressSettings): ClientAddress {
  const { trustedProxies, publicUrl, consoleListen, tlsCert } = settings;
  const peer = parseAddress(senderAddress(arrival.remoteAddress, undefined, []));
  const isProxied = peer !== undefined && trustedProxies.some((network) => isInside(peer, network));
  const forwarded = (name: string) => (isProxied ? arrival.header(name) : undefined);
  const isPublic = publicUrl !== undefined && consoleListen === undefined;
  const publicOrigin = isPublic ? new URL(publicUrl).origin : undefined;
  const proto = first(forwarded("x-forwarded-proto"))?.toLowerCase();
  const isOwnSecure = tlsCert !== undefined || publicOrigin?.startsWith("https:") === true;
  const isSecure = proto === undefined ? isOwnSecure : proto === "https";
  const host = first(forwarded("x-forwarded-host")) ?? arrival.header("host") ?? "localhost";
  const asked = originOf(isSecure ? "https" : "http", host) ?? "http://localhost";
  const site = publicOrigin ?? asked;
  return {
    ip: senderAddress(arrival.remoteAddress, arrival.header("x-forwarded-for"), trustedProxies),
    site,
    origins: [...new Set([asked, site])],
  };
}
