/**
 * Classifies IP addresses: whether a program may connect to an address from an untrusted source. Pure; no
 * names, sockets or project words. Ranges: IANA's special-purpose registries for IPv4 and IPv6, read 2026-11.
 */

/** A range of addresses. IPv4 ranges have 4 bytes, IPv6 ranges 16. */
export interface Network {
  readonly bytes: Uint8Array;
  /** Number of significant leading bits. */
  readonly bits: number;
}

/** The kind of an address; callers may reach only `public` ones. */
export type AddressKind =
  | "public"
  | "unspecified"
  | "loopback"
  | "private"
  | "shared"
  | "link_local"
  | "metadata"
  | "unique_local"
  | "multicast"
  | "broadcast"
  | "documentation"
  | "benchmark"
  | "tunnel"
  | "reserved";

const v4Pattern = /^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/;

function readV4(text: string): Uint8Array | undefined {
  if (!v4Pattern.test(text)) return undefined;
  const parts = text.split(".").map(Number);
  return parts.every((part) => part <= 255) ? Uint8Array.from(parts) : undefined;
}

/** The 16-bit groups on one side of `::`; the last may be a dotted IPv4 address. Undefined when malformed. */
function readGroups(text: string): number[] | undefined {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      groups.push(Number.parseInt(part, 16));
      continue;
    }
    const [a = 0, b = 0, c = 0, d = 0] = (index === parts.length - 1 ? readV4(part) : undefined) ?? [-1];
    if (a < 0) return undefined;
    groups.push(a * 256 + b, c * 256 + d);
  }
  return groups;
}

function readV6(text: string): Uint8Array | undefined {
  if (text.length > 45) return undefined;
  const sides = text.split("::");
  const [before, after] = sides.map(readGroups);
  if (sides.length > 2 || before === undefined || (sides.length === 2 && after === undefined))
    return undefined;
  const missing = 8 - before.length - (after?.length ?? 0);
  if (sides.length === 1 ? missing !== 0 : missing < 1) return undefined;
  // An embedded IPv4 address must be at the end, not before `::`.
  if (sides.length === 2 && sides[0]?.includes(".")) return undefined;
  const groups = [...before, ...new Array<number>(missing).fill(0), ...(after ?? [])];
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 255]));
}

/**
 * Parses an address in its usual form to 4 or 16 bytes. Undefined for anything else: octal, hexadecimal and
 * shortened IPv4 (URL parsers normalize those first), brackets, and IPv6 with a zone.
 */
export function parseAddress(text: string): Uint8Array | undefined {
  return text.includes(":") ? readV6(text) : readV4(text);
}

/**
 * Reads `10.0.0.0/8`, `fd00::/8`, or a single address. Bits after the prefix must be zero, so that mistakes
 * are noticed.
 */
export function parseNetwork(text: string): Network | undefined {
  const [address = "", length, ...rest] = text.split("/");
  const bytes = parseAddress(address);
  if (bytes === undefined || rest.length > 0) return undefined;
  if (length !== undefined && !/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined;
  const bits = length === undefined ? bytes.length * 8 : Number(length);
  if (bits > bytes.length * 8) return undefined;
  for (let bit = bits; bit < bytes.length * 8; bit++) if (bitAt(bytes, bit) !== 0) return undefined;
  return { bytes, bits };
}

function bitAt(bytes: Uint8Array, bit: number): number {
  return ((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1;
}

/**
 * True when the address (of `parseAddress`) is in the network. IPv4 addresses are in no IPv6 network and vice
 * versa.
 */
export function isInside(address: Uint8Array, network: Network): boolean {
  if (address.length !== network.bytes.length) return false;
  for (let bit = 0; bit < network.bits; bit++) {
    if (bitAt(address, bit) !== bitAt(network.bytes, bit)) return false;
  }
  return true;
}

function row(kind: AddressKind, ...networks: string[]): { kind: AddressKind; networks: Network[] } {
  return { kind, networks: networks.flatMap((text) => parseNetwork(text) ?? []) };
}

/**
 * The first match counts. Addresses of cloud metadata services, which hand out credentials, come first,
 * because some are in public ranges.
 */
const table = [
  row(
    "metadata",
    "169.254.169.254",
    "169.254.169.253",
    "169.254.170.2",
    "169.254.170.23",
    "169.254.0.23",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd00:ec2::23",
    "fd20:ce::254",
  ),
  row("unspecified", "0.0.0.0/8", "::"),
  row("loopback", "127.0.0.0/8", "::1"),
  row("private", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),
  row("shared", "100.64.0.0/10"),
  row("link_local", "169.254.0.0/16", "fe80::/10"),
  row("unique_local", "fc00::/7", "fec0::/10"),
  row("broadcast", "255.255.255.255"),
  row("multicast", "224.0.0.0/4", "ff00::/8"),
  row("documentation", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"),
  row("benchmark", "198.18.0.0/15", "2001:2::/48"),
  row("tunnel", "192.88.99.0/24", "2001::/32", "2002::/16"),
  row("reserved", "192.0.0.0/24", "240.0.0.0/4", "2001::/23", "3ffe::/16"),
];

const globalV6 = row("public", "2000::/3").networks;
const carriers = row("public", "::ffff:0:0/96", "64:ff9b::/96").networks;

/**
 * The address that is really called: an IPv4 address inside an IPv6 one (`::ffff:a.b.c.d`, or NAT64's
 * well-known prefix, through which IPv6-only networks reach IPv4 hosts) counts as IPv4.
 */
export function innermostAddress(address: Uint8Array): Uint8Array {
  return carriers.some((network) => isInside(address, network)) ? address.slice(12) : address;
}

/** ISATAP contains an IPv4 address after any prefix. */
function isIsatap(address: Uint8Array): boolean {
  return (
    address.length === 16 &&
    ((address[8] ?? 0) & 0xfd) === 0 &&
    address[9] === 0 &&
    address[10] === 0x5e &&
    address[11] === 0xfe
  );
}

/**
 * The kind of an address (of `parseAddress`). IPv6 outside the global unicast range is reserved unless it is
 * listed.
 */
export function addressKind(address: Uint8Array): AddressKind {
  const inner = innermostAddress(address);
  for (const { kind, networks } of table) {
    if (networks.some((network) => isInside(inner, network))) return kind;
  }
  if (inner.length === 4) return "public";
  if (isIsatap(inner)) return "tunnel";
  return globalV6.some((network) => isInside(inner, network)) ? "public" : "reserved";
}

/**
 * True when the networks open this address. A metadata address must be listed by itself, because a range
 * around it is rarely meant to open the machine's credentials.
 */
export function isOpened(address: Uint8Array, networks: readonly Network[]): boolean {
  const inner = innermostAddress(address);
  const isMetadata = addressKind(inner) === "metadata";
  return networks.some(
    (network) => isInside(inner, network) && (!isMetadata || network.bits === inner.length * 8),
  );
}
