/**
 * What may be called although it is not public: how such an opening is written.
 * Knows no project words, and no sockets.
 */
import { type Network, parseNetwork } from "./address.ts";

/** A network the operator opens although it is not public. */
export interface Opening {
  readonly network: Network;
  /** The one port opened there; absent: 80 and 443. */
  readonly port?: number;
}

/** Reads `10.1.0.0/16`, `10.1.2.3:9000`, `[fd00::]/8` or `[fd00::5]:9000`; undefined when it is none. */
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
