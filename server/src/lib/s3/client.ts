/**
 * Calls to a store that speaks S3: signed, repeated where that may help, and with its errors as messages.
 * What the calls are for, `objects.ts` knows.
 */
import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { SignatureV4 } from "@smithy/signature-v4";
import { SigningHash } from "../signing-hash.ts";
import { systemClock } from "../time/clock.ts";
import { type Bucket, ObjectStoreError } from "./address.ts";

export interface Call {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** The key of the object; empty for the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

const attemptsMax = 5;
const firstPauseMs = 200;
/** For a part of 16 MiB on a slow line. */
const callMs = 10 * 60_000;

/** What AWS leaves as it is in a path: anything else is escaped, each slash excepted. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

const pathOf = (url: URL, key: string): string => {
  const base = url.pathname.replace(/\/$/, "");
  return key === "" ? base || "/" : `${base}/${key.split("/").map(escaped).join("/")}`;
};

/** The text of the first element of this name; undefined without one. */
export function elementIn(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text === undefined ? undefined : unescaped(text);
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

/** Reads the entities that XML has without a declaration. */
export const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return entities[name] ?? whole;
  });

/** The failure for an answer that is an error; the store's own words are cut to a line. */
function failureOf({ name }: Bucket, { status, body }: Reply): ObjectStoreError {
  const xml = body.toString("utf8", 0, 4_096);
  const code = elementIn(xml, "Code") ?? `status ${status}`;
  const said = (elementIn(xml, "Message") ?? "").replace(/\p{Cc}/gu, " ").slice(0, 300);
  const advice =
    status === 403
      ? "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION, and what they may do with this bucket"
      : status === 301 || status === 307
        ? "set AWS_REGION to the region of the bucket"
        : "look at the store's own messages";
  const detail = said === "" ? code : `${code}: ${said}`;
  return new ObjectStoreError(status === 404 ? "not_found" : "storage", `s3://${name}: ${detail}; ${advice}`);
}

async function send(bucket: Bucket, signer: SignatureV4, call: Call): Promise<Reply> {
  const { url } = bucket;
  const { method, key, query = {}, body } = call;
  const path = pathOf(url, key);
  const digest = createHash("sha256")
    .update(body ?? "")
    .digest("hex");
  const headers = { ...call.headers, host: url.host, "x-amz-content-sha256": digest };
  const { protocol, hostname } = url;
  const signed = await signer.sign(
    { method, protocol, hostname, path, query: { ...query }, headers },
    { signingDate: new Date(systemClock.wallMs()) },
  );
  const { host: _, ...sent } = signed.headers;
  const search = Object.entries(query).map(([name, value]) => `${escaped(name)}=${escaped(value)}`);
  const target = `${url.origin}${path}${search.length === 0 ? "" : `?${search.join("&")}`}`;
  const response = await fetch(target, {
    method,
    headers: sent,
    redirect: "manual",
    signal: AbortSignal.timeout(callMs),
    ...(body === undefined ? {} : { body: new Uint8Array(body) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  };
}

/** True for answers that are about the moment, not about the call. */
const mayPass = (status: number): boolean => status === 429 || status === 500 || status >= 502;

const causeOf = (error: unknown): string => {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code || message : message;
};

/** Makes a call; resolves with any answer below 400, and with 404 where `isMissingFine`. */
export type CallStore = (call: Call, isMissingFine?: boolean) => Promise<Reply>;

/** Calls to one bucket. Throws ObjectStoreError `storage` or `not_found`. */
export function createStoreClient(bucket: Bucket): CallStore {
  const signer = new SignatureV4({
    credentials: bucket.keys,
    region: bucket.region,
    service: "s3",
    sha256: SigningHash,
    // The path is escaped once, as S3 signs it.
    uriEscapePath: false,
    applyChecksum: true,
  });

  async function attempt(call: Call): Promise<Reply | ObjectStoreError> {
    try {
      const reply = await send(bucket, signer, call);
      return mayPass(reply.status) ? failureOf(bucket, reply) : reply;
    } catch (error) {
      const message = `s3://${bucket.name}: ${bucket.url.host} cannot be reached (${causeOf(error)}): check AWS_ENDPOINT_URL and the network`;
      return new ObjectStoreError("storage", message, { cause: error });
    }
  }

  return async (call, isMissingFine = false) => {
    let outcome = await attempt(call);
    for (let made = 1; outcome instanceof ObjectStoreError && made < attemptsMax; made += 1) {
      await setTimeout(firstPauseMs * 2 ** (made - 1));
      outcome = await attempt(call);
    }
    if (outcome instanceof ObjectStoreError) throw outcome;
    const { status } = outcome;
    if (status < 300 || (status === 404 && isMissingFine)) return outcome;
    throw failureOf(bucket, outcome);
  };
}
