/**
 * Parses openings: networks that may be called although they are not public. Knows neither project words nor
 * sockets.
 */
import { type Network, parseNetwork } from "./address.ts";

/** A network that is not public but allowed by the operator. */
export interface Opening {
  readonly network: Network;
  /** The only port allowed there; absent: 80 and 443. */
  readonly port?: number;
}

/** Reads `10.1.0.0/16`, `10.1.2.3:9000`, `[fd00::]/8` or `[fd00::5]:9000`; undefined for anything else. */
export function parseOpening(text: string): Opening | undefined {
  const [, bracketed, plain, length = "", digits] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([\d.]+))(\/\d+)?(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address = bracketed ?? plain;
  const network = parseNetwork(address === undefined ? text : address + length);
  if (network === undefined || (bracketed !== undefined && network.bytes.length !== 16)) return undefined;
  if (digits === undefined) return { network };
  const port = Number(digits);
  return port >= 1 && port <= 65_535 ? { network, port } : undefined;
}
