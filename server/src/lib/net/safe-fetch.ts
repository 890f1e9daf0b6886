/**
 * Fetches one http(s) URL from an untrusted source. The name is resolved once, all of its addresses are
 * checked, and the connection goes to exactly those addresses, even if the name changes meanwhile. No
 * redirects, proxies, cookies or compression; bytes, time and concurrency are limited. Knows no project
 * words.
 */
import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import { addressKind, innermostAddress, isOpened, parseAddress } from "./address.ts";
import type { Opening } from "./address-opening.ts";
import { createResolve, type Resolve } from "./resolve-name.ts";

/** Why nothing was fetched. */
export type FetchFailure =
  | "url"
  | "scheme"
  | "port"
  | "address"
  | "unresolved"
  | "unreachable"
  | "tls"
  | "redirect"
  | "status"
  | "encoding"
  | "type"
  | "size"
  | "timeout"
  | "aborted"
  | "busy";

/** Thrown by a fetch. Do not show the message to callers: it reveals what this machine can reach. */
export class FetchError extends Error {
  readonly failure: FetchFailure;

  constructor(failure: FetchFailure, message: string) {
    super(message);
    this.name = "FetchError";
    this.failure = failure;
  }
}

export interface SafeFetchOptions {
  /** Further addresses that may be called, also without TLS. Default: none. */
  readonly openings?: readonly Opening[];
  readonly resolve?: Resolve;
  /** This machine's own addresses, which are never called: services there may trust local connections. */
  readonly ownAddresses?: () => readonly string[];
  /** Most concurrent fetches; eight times as many may wait. Default 16. */
  readonly fetchesMax?: number;
}

export interface FetchAsk {
  readonly url: string;
  /** Accepted media types, lower case, without parameters. */
  readonly mediaTypes: readonly string[];
  /** Most bytes; default 20 MiB. */
  readonly bytesMax?: number;
  /** Most milliseconds, including the wait for a permit and name resolution; default 10,000. */
  readonly totalMs?: number;
  readonly signal?: AbortSignal;
}

export interface Fetched {
  readonly bytes: Buffer;
  /** One of the accepted types. */
  readonly mediaType: string;
}

export interface SafeFetch {
  /** Always rejects with a `FetchError`. */
  fetch(ask: FetchAsk): Promise<Fetched>;
}

const urlLengthMax = 8_192;
const headBytesMax = 16 * 1024;
const defaultBytesMax = 20 * 1024 * 1024;
const defaultTotalMs = 10_000;
const standardPorts = [80, 443];

/** Every address of this machine's interfaces. */
function addressesOfThisMachine(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
}

function readUrl(text: string): URL {
  const url = text.length > urlLengthMax || /[\s\\\p{Cc}]/u.test(text) ? null : URL.parse(text);
  if (url === null) throw new FetchError("url", "not an absolute URL");
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new FetchError("scheme", `${url.protocol} is neither http: nor https:`);
  }
  if (url.username !== "" || url.password !== "")
    throw new FetchError("url", "holds a user name or password");
  return url;
}

interface Destination {
  readonly port: number;
  readonly isPlain: boolean;
}

function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

function isSameAddress(text: string, bytes: Uint8Array): boolean {
  const other = parseAddress(text);
  return other !== undefined && innermostAddress(other).join() === innermostAddress(bytes).join();
}

/** Throws unless this address, port and scheme are allowed. */
function judge(
  address: string,
  destination: Destination,
  openings: readonly Opening[],
  own: readonly string[],
): void {
  const bytes = parseAddress(address);
  if (bytes === undefined) throw new FetchError("address", `${address} is no plain IP address`);
  const isOpen = openings.some(
    ({ network, port }) =>
      isOpened(bytes, [network]) &&
      (port === undefined ? standardPorts.includes(destination.port) : port === destination.port),
  );
  if (isOpen) return;
  const kind = addressKind(bytes);
  if (kind !== "public") throw new FetchError("address", `${address} is a ${kind} address`);
  if (own.some((one) => isSameAddress(one, bytes))) {
    throw new FetchError("address", `${address} is an address of this machine`);
  }
  if (!standardPorts.includes(destination.port))
    throw new FetchError("port", `port ${destination.port} is not 80 or 443`);
  if (destination.isPlain) throw new FetchError("scheme", "https: is needed");
}

/** A lookup that always returns the checked addresses, in the requested form. */
function pinTo(addresses: readonly string[]): LookupFunction {
  const pinned = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return (_name, { all }, done) => {
    const [first] = pinned;
    if (all === true) done(null, pinned);
    else done(null, first?.address ?? "", first?.family);
  };
}

const failureOfCode = (code: string): FetchFailure =>
  /^EPROTO$|^ERR_TLS|^ERR_SSL|CERT|SIGNATURE|ISSUER|^CRL_/.test(code) ? "tls" : "unreachable";

/** Sends the GET; resolves with the head of the answer. */
function open(url: URL, addresses: readonly string[], signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = {
      lookup: pinTo(addresses),
      signal,
      maxHeaderSize: headBytesMax,
      insecureHTTPParser: false,
      headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": "plaza", connection: "close" },
    };
    // A separate agent per call: the global one may use proxies, and nothing must be reused.
    const call: ClientRequest =
      url.protocol === "https:"
        ? requestHttps(url, { ...options, agent: new HttpsAgent(), rejectUnauthorized: true })
        : requestHttp(url, { ...options, agent: new HttpAgent() });
    call.once("response", resolve);
    call.once("upgrade", (_answer, socket) => {
      socket.destroy();
      reject(new FetchError("status", "status 101"));
    });
    call.on("error", (error: NodeJS.ErrnoException) =>
      reject(new FetchError(failureOfCode(error.code ?? ""), error.code ?? error.message)),
    );
    call.end();
  });
}

/** Checks the head; returns the media type. */
function acceptHead({ statusCode = 0, headers }: IncomingMessage, ask: FetchAsk, bytesMax: number): string {
  if (statusCode >= 300 && statusCode <= 399) throw new FetchError("redirect", `status ${statusCode}`);
  if (statusCode !== 200) throw new FetchError("status", `status ${statusCode}`);
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() !== "identity") throw new FetchError("encoding", "compressed all the same");
  const mediaType = (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!ask.mediaTypes.includes(mediaType))
    throw new FetchError("type", "a media type that was not asked for");
  if (Number(headers["content-length"] ?? 0) > bytesMax)
    throw new FetchError("size", `over ${bytesMax} bytes`);
  return mediaType;
}

async function readBody(answer: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw new FetchError("size", `over ${bytesMax} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof FetchError) throw error;
    throw new FetchError("unreachable", "the answer broke off");
  }
  return Buffer.concat(chunks, bytes);
}

/** Rejects when the signal fires, even if the work continues. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new FetchError("aborted", "given up"));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** Runs at most this many concurrently; others wait in order, up to a limit. */
function createConcurrencyLimiter(permitsMax: number) {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    async take(signal: AbortSignal): Promise<void> {
      if (taken < permitsMax) {
        taken++;
        return;
      }
      if (waiting.length >= permitsMax * 8) throw new FetchError("busy", "too many fetches at once");
      let enter = (): void => {};
      const turn = new Promise<void>((resolve) => {
        enter = resolve;
        waiting.push(enter);
      });
      try {
        await unlessAborted(turn, signal);
      } catch (error) {
        const index = waiting.indexOf(enter);
        if (index >= 0) waiting.splice(index, 1);
        else this.give();
        throw error;
      }
    },
    /** Passes the permit on or frees it. */
    give(): void {
      const next = waiting.shift();
      if (next === undefined) taken--;
      else next();
    },
  };
}

/** Creates a fetcher. Without options it calls only public addresses, by https, on ports 80 and 443. */
export function createSafeFetch(options: SafeFetchOptions = {}): SafeFetch {
  const openings = options.openings ?? [];
  const resolve = options.resolve ?? createResolve();
  const ownAddresses = options.ownAddresses ?? addressesOfThisMachine;
  const limiter = createConcurrencyLimiter(options.fetchesMax ?? 16);

  /** The addresses of the URL's host, all of them checked. */
  async function judgedAddresses(url: URL, signal: AbortSignal): Promise<readonly string[]> {
    const destination = { port: portOf(url), isPlain: url.protocol === "http:" };
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const isAddress = parseAddress(host) !== undefined;
    if (
      !isAddress &&
      !openings.some(({ port }) => port === destination.port) &&
      !standardPorts.includes(destination.port)
    ) {
      throw new FetchError("port", `port ${destination.port} is not 80 or 443`);
    }
    const addresses = isAddress
      ? [host]
      : await unlessAborted(resolve(host, signal), signal).catch(notResolved);
    if (addresses.length === 0) throw new FetchError("unresolved", "the name has no address");
    const own = ownAddresses();
    for (const address of addresses) judge(address, destination, openings, own);
    return addresses;
  }

  async function fetchWithin(ask: FetchAsk, url: URL, signal: AbortSignal): Promise<Fetched> {
    const bytesMax = ask.bytesMax ?? defaultBytesMax;
    const answer = await open(url, await judgedAddresses(url, signal), signal);
    try {
      const mediaType = acceptHead(answer, ask, bytesMax);
      return { mediaType, bytes: await readBody(answer, bytesMax) };
    } finally {
      answer.destroy();
    }
  }

  return {
    async fetch(ask) {
      const url = readUrl(ask.url);
      const deadline = AbortSignal.timeout(ask.totalMs ?? defaultTotalMs);
      const signal = ask.signal === undefined ? deadline : AbortSignal.any([deadline, ask.signal]);
      try {
        await limiter.take(signal);
        try {
          return await fetchWithin(ask, url, signal);
        } finally {
          limiter.give();
        }
      } catch (error) {
        if (ask.signal?.aborted === true) throw new FetchError("aborted", "given up by the caller");
        if (deadline.aborted) throw new FetchError("timeout", "not within the time allowed");
        throw error;
      }
    },
  };
}

function notResolved(error: unknown): never {
  if (error instanceof FetchError) throw error;
  throw new FetchError("unresolved", error instanceof Error ? error.message : "the name has no address");
}
