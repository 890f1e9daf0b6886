/** The kinds of values a startup setting can have: parsing, and the description of what is allowed. */

import { isInside, type Network, parseAddress, parseNetwork } from "../lib/net/address.ts";
import { type Opening, parseOpening } from "../lib/net/address-opening.ts";
import { hasControlCharacter } from "../lib/quote.ts";
import { formatBytes, formatDuration, parseBytes, parseDurationMs } from "../lib/units.ts";

/** One kind of value. */
export interface ValueKind<T> {
  /** Completes the sentence "enter …". */
  readonly allowed: string;
  /** The unit or form in one or two words, for the documentation. */
  readonly unit: string;
  /** Returns undefined when the text is not allowed. */
  parse(text: string): T | undefined;
  /** Returns more about a rejected text, if possible. */
  hint?(text: string): string | undefined;
}

function readWhole(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Limits a number to `min` to `max`, inclusive. */
function bounded(min: number, max: number, read: (text: string) => number | undefined) {
  return (text: string): number | undefined => {
    const value = read(text);
    return value !== undefined && value >= min && value <= max ? value : undefined;
  };
}

export function whole(min: number, max: number, unit = "number"): ValueKind<number> {
  return {
    allowed: `a whole number from ${min} to ${max}`,
    unit,
    parse: bounded(min, max, readWhole),
  };
}

/** Milliseconds; a plain number is in milliseconds. */
export function duration(minMs: number, maxMs: number): ValueKind<number> {
  return {
    allowed: `a duration from ${formatDuration(minMs)} to ${formatDuration(maxMs)}, like "500ms", "5s" or "15m"`,
    unit: "duration",
    parse: bounded(minMs, maxMs, (text) => parseDurationMs(text) ?? readWhole(text)),
  };
}

/** Bytes; a plain number is in bytes. */
export function bytes(min: number, max: number, unit = "bytes"): ValueKind<number> {
  return {
    allowed: `a number of bytes from ${formatBytes(min)} to ${formatBytes(max)}, like "64KiB" or "32MiB"`,
    unit,
    parse: bounded(min, max, (text) => parseBytes(text) ?? readWhole(text)),
  };
}

export function oneOf<const T extends string>(choices: readonly T[]): ValueKind<T> {
  return {
    allowed: `one of ${choices.join(", ")}`,
    unit: choices.join(" | "),
    parse: (text) => choices.find((choice) => choice === text),
  };
}

export const path: ValueKind<string> = {
  allowed: "a path",
  unit: "path",
  parse: (text) => (text === "" || hasControlCharacter(text) ? undefined : text),
};

export const hostName: ValueKind<string> = {
  allowed: "an IP address or a host name of this machine",
  unit: "address",
  parse: (text) => (/^[A-Za-z0-9.:_%-]{1,253}$/.test(text) ? text : undefined),
};

/** Address of a listener. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Examples: `127.0.0.1:9090`, `[::1]:9090`, `9090`. */
export const listenAddress: ValueKind<ListenAddress> = {
  allowed: "an address and a port, like 127.0.0.1:9090",
  unit: "address:port",
  parse(text) {
    const [, bracketed, plain = "127.0.0.1", digits] =
      /^(?:(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]{1,253})):)?(\d{1,5})$/.exec(text) ?? [];
    const port = digits === undefined ? Number.NaN : Number(digits);
    return port >= 0 && port <= 65_535 ? { host: bracketed ?? plain, port } : undefined;
  },
};

/** The database to use. The URL contains user and password. */
export type DatabaseSetting =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string };

function readSqlite(text: string): DatabaseSetting | undefined {
  const file = text.slice("sqlite:".length);
  return file === "" || file === ":memory:" || hasControlCharacter(file)
    ? undefined
    : { kind: "sqlite", file };
}

/** True for `a:5432,b:5432` and `?host=a,b`, which PostgreSQL's own programs take and the driver does not. */
function hasSeveralHosts(text: string): boolean {
  const [, authority = ""] = /^[a-z]+:\/\/([^/?#]*)/.exec(text) ?? [];
  const hosts = authority.slice(authority.lastIndexOf("@") + 1);
  return hosts.includes(",") || /[?&]host=[^&]*(,|%2C)/i.test(text);
}

/** Returns what is wrong with a PostgreSQL URL; undefined = valid. */
function postgresFault(text: string): string | undefined {
  if (hasSeveralHosts(text)) return "one host only: give an address that moves to the primary at a failover";
  const url = URL.parse(text);
  if (url === null || hasControlCharacter(text) || /[\s#]/.test(text)) {
    return "that is not a URL: write @ : / ? # % and spaces in a password as %40 %3A %2F %3F %23 %25 %20";
  }
  if (url.hostname === "" && !url.searchParams.has("host")) return "the host is missing";
  if (!/^\/[^/]+$/.test(url.pathname)) return "the name of the database is missing";
  try {
    decodeURIComponent(`${url.username}${url.password}${url.pathname}`);
    return undefined;
  } catch {
    return "write a % in a password as %25";
  }
}

const isPostgres = (text: string): boolean => /^postgres(ql)?:\/\//.test(text);

export const database: ValueKind<DatabaseSetting> = {
  allowed: "sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/DATABASE",
  unit: "sqlite:FILE | postgres://…",
  parse(text) {
    if (text.startsWith("sqlite:")) return readSqlite(text);
    const isSound = isPostgres(text) && postgresFault(text) === undefined;
    return isSound ? { kind: "postgres", url: text } : undefined;
  },
  hint(text) {
    if (isPostgres(text)) return postgresFault(text);
    if (text === "sqlite::memory:") return "the database must outlive the process";
    return undefined;
  },
};

export const key32: ValueKind<Buffer> = {
  allowed: "32 bytes in base64 (make one with: openssl rand -base64 32)",
  unit: "base64",
  parse(text) {
    if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
    const key = Buffer.from(text, "base64");
    return key.length === 32 ? key : undefined;
  },
};

function readOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.origin === text.toLowerCase();
  return isOrigin ? url.origin : undefined;
}

/** `*`, `none` (parsed to an empty text), or origins separated by commas. */
export const origins: ValueKind<string> = {
  allowed: `"*", "none", or origins like https://app.example.com separated by commas`,
  unit: "origins",
  parse(text) {
    if (text === "*") return "*";
    if (text === "none") return "";
    const read = text.split(",").map((one) => readOrigin(one.trim()));
    return read.includes(undefined) ? undefined : read.join(",");
  },
};

/** `none`, or networks with an optional port, separated by commas. */
export const openings: ValueKind<readonly Opening[]> = {
  allowed: `"none", or networks like 10.1.0.0/16, 10.1.2.3:9000 or [fd00::5]:9000 separated by commas`,
  unit: "networks",
  parse(text) {
    if (text === "none") return [];
    const read = text.split(",").map((one) => parseOpening(one.trim()));
    return read.every((one) => one !== undefined) ? read : undefined;
  },
};

/** `none`, or networks separated by commas. */
export const networks: ValueKind<readonly Network[]> = {
  allowed: `"none", or networks like 127.0.0.1, 10.0.0.0/8 or fd00::/8 separated by commas`,
  unit: "networks",
  parse(text) {
    if (text === "none") return [];
    const read = text.split(",").map((one) => parseNetwork(one.trim()));
    return read.every((one) => one !== undefined) ? read : undefined;
  },
};

const loopback: readonly Network[] = ["127.0.0.0/8", "::1"].flatMap((text) => parseNetwork(text) ?? []);

/** `hostname`: of a URL, so that an IPv6 address has brackets. */
export function isLoopbackName(hostname: string): boolean {
  const bytes = parseAddress(hostname.replace(/^\[(.*)\]$/, "$1"));
  if (bytes === undefined) return hostname === "localhost";
  return loopback.some((network) => isInside(bytes, network));
}

/**
 * URL of the identity provider. http is allowed only on this machine, because its answers decide who may sign
 * in.
 */
export const issuerUrl: ValueKind<string> = {
  allowed: "an https address, like https://login.example.com/realms/main (http only on loopback)",
  unit: "URL",
  parse(text) {
    const url = URL.parse(text);
    if (url === null || hasControlCharacter(text) || /[?#@\s]/.test(text)) return undefined;
    const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isLoopbackName(url.hostname));
    return isSafe ? text : undefined;
  },
};

/** One line of text. */
export const line: ValueKind<string> = {
  allowed: "1 to 500 characters on one line",
  unit: "text",
  parse: (text) =>
    text.trim() === "" || text.length > 500 || hasControlCharacter(text) ? undefined : text.trim(),
};

/** URL of a trace collector. Credentials do not belong here; use the setting for headers. */
export const collectorUrl: ValueKind<string> = {
  allowed: "an http or https address, like http://127.0.0.1:4318",
  unit: "URL",
  parse(text) {
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol) || hasControlCharacter(text)) return undefined;
    return /[#@\s]/.test(text) ? undefined : text;
  },
};

/** The operator's proxy for calls to upstreams. */
export interface ProxySetting {
  readonly isTls: boolean;
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** `user:password`, a secret; undefined without. */
  readonly userinfo: string | undefined;
}

export const proxyUrl = {
  allowed: "a proxy like http://proxy.example.com:3128 or https://USER:PASSWORD@proxy.example.com:3129",
  unit: "URL",
  parse(text: string): ProxySetting | undefined {
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== "/") return undefined;
    if (/[?#\s]/.test(text)) return undefined;
    let user: string;
    let password: string;
    try {
      user = decodeURIComponent(url.username);
      password = decodeURIComponent(url.password);
    } catch {
      return undefined;
    }
    // Basic authentication has no way to write a colon in a name.
    if (user.includes(":") || hasControlCharacter(user + password)) return undefined;
    const isTls = url.protocol === "https:";
    return {
      isTls,
      host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: url.port === "" ? (isTls ? 443 : 80) : Number(url.port),
      userinfo: user === "" && password === "" ? undefined : `${user}:${password}`,
    };
  },
};

/** The proxy of single upstreams, by id; "direct" for none. */
export type UpstreamProxies = ReadonlyMap<string, ProxySetting | "direct">;

export const upstreamProxies: ValueKind<UpstreamProxies> = {
  allowed:
    "ids of upstreams with a proxy each, or with direct: vllm=direct openai=http://proxy.example.com:3128",
  unit: "list",
  parse(text) {
    const proxies = new Map<string, ProxySetting | "direct">();
    for (const word of text.split(/\s+/).filter((part) => part !== "")) {
      const at = word.indexOf("=");
      const id = word.slice(0, at);
      const proxy = word.slice(at + 1) === "direct" ? "direct" : proxyUrl.parse(word.slice(at + 1));
      if (at < 1 || proxy === undefined || proxies.has(id)) return undefined;
      proxies.set(id, proxy);
    }
    return proxies;
  },
};

/** Parses one `name=value` of a header list in OpenTelemetry's form, with percent-encoded values. */
function readHeader(text: string): readonly [string, string] | undefined {
  const [, name = "", encoded = ""] = /^\s*([A-Za-z0-9!#$%&'*+.^_`|~-]+)=(.*?)\s*$/.exec(text) ?? [];
  if (name === "") return undefined;
  try {
    const value = decodeURIComponent(encoded);
    return /^[\x20-\x7e]+$/.test(value) ? [name.toLowerCase(), value] : undefined;
  } catch {
    return undefined;
  }
}

/** Headers as a flat list: name, value, name, value, … */
export const headers: ValueKind<readonly string[]> = {
  allowed: "headers like authorization=Bearer%20abc,x-team=ops",
  unit: "name=value,…",
  parse(text) {
    const read = text.split(",").map(readHeader);
    return read.includes(undefined) ? undefined : read.flatMap((one) => one ?? []);
  },
};

/** A secret that is sent as a bearer token. */
export const bearerToken: ValueKind<string> = {
  allowed: "16 to 256 letters, digits and signs of those in base64 (make one with: openssl rand -hex 32)",
  unit: "token",
  parse: (text) => (/^[A-Za-z0-9._~+/=-]{16,256}$/.test(text) ? text : undefined),
};

/** The base_url of an OpenAI client. */
export const baseUrl: ValueKind<string> = {
  allowed: "an http or https address that ends in /v1, like https://plaza.example.com/v1",
  unit: "URL",
  parse(text) {
    const trimmed = text.replace(/\/+$/, "");
    const url = URL.parse(trimmed);
    if (url === null || !/^https?:$/.test(url.protocol) || !url.pathname.endsWith("/v1")) return undefined;
    return /[?#@\s]/.test(trimmed) ? undefined : trimmed;
  },
};
