/**
 * Calls of `/v1` from the console: with an ephemeral key of the chosen key, renewed once when it is refused,
 * and what the endpoint has on record of a call. Knows no React; fetch, ephemeral keys and clock are given.
 */
import type { MessageRef } from "../../i18n/server-text.ts";
import { errorIn } from "./chat/answer.ts";
import type { EphemeralKeys } from "./chat/ephemeral-keys.ts";

/** What calls need. */
export interface Endpoint {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly ephemeralKeys: EphemeralKeys;
  readonly fetch: (address: string, init: RequestInit) => Promise<Response>;
  /** Milliseconds of a clock that is never set. */
  readonly elapsedMs: () => number;
  /** Settles after this many milliseconds, or immediately when the signal fires. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * Why a call has no answer, or not a whole one. `code` is of the catalogue of
 * errors, or `network_lost`, `cut_off`.
 */
export interface CallFault {
  readonly code: string;
  /** As the endpoint sent it; empty if it sent none. */
  readonly message: string;
  /** The id of `message`, if it is Plaza's. */
  readonly messageRef: MessageRef | null;
  readonly param: string | null;
  /** 0 without an answer. */
  readonly status: number;
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;
}

/** Thrown when there is no answer. */
export class CallError extends Error {
  readonly fault: CallFault;

  constructor(fault: CallFault) {
    super(fault.message === "" ? fault.code : fault.message);
    this.name = "CallError";
    this.fault = fault;
  }
}

const noAnswer: CallFault = {
  code: "network_lost",
  message: "",
  messageRef: null,
  param: null,
  status: 0,
  requestId: null,
  retryAfterMs: null,
};

/** No answer at all. */
export function networkLost(): CallFault {
  return noAnswer;
}

function waitIn(headers: Headers): number | null {
  const exact = headers.get("retry-after-ms");
  if (exact !== null && /^\d+$/.test(exact)) return Number(exact);
  const seconds = headers.get("retry-after");
  return seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) * 1_000 : null;
}

/** Reads an answer that is no success. */
export async function faultOf(answer: Response): Promise<CallFault> {
  const body: unknown = await answer.json().catch(() => undefined);
  const error = errorIn(body);
  return {
    code: error?.code ?? "unreadable_answer",
    message: error?.message ?? `HTTP ${answer.status}`,
    messageRef: error?.messageRef ?? null,
    param: error?.param ?? null,
    status: answer.status,
    requestId: answer.headers.get("x-request-id"),
    retryAfterMs: waitIn(answer.headers),
  };
}

/**
 * Only these speak of the ephemeral key; the others are about the key and
 * come back the same with another one.
 */
const passCodes = new Set(["invalid_api_key", "api_key_expired"]);

async function send(endpoint: Endpoint, secret: string, path: string, init: RequestInit): Promise<Response> {
  const headers = {
    ...(init.headers as Record<string, string> | undefined),
    authorization: `Bearer ${secret}`,
    "x-plaza-message-ids": "true",
  };
  try {
    return await endpoint.fetch(`${endpoint.baseUrl}${path}`, {
      ...init,
      headers,
      credentials: "omit",
      cache: "no-store",
    });
  } catch (thrown) {
    if (init.signal?.aborted === true) throw thrown;
    throw new CallError(noAnswer);
  }
}

/**
 * Calls the endpoint as the key. The answer may be an error other than one about the ephemeral key. Throws
 * CallError without an answer, what making an ephemeral key throws, and the signal's reason.
 */
export async function callEndpoint(
  endpoint: Endpoint,
  keyId: string,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const secret = await endpoint.ephemeralKeys.get(keyId);
  init.signal?.throwIfAborted();
  const answer = await send(endpoint, secret, path, init);
  if (answer.status !== 401) return answer;
  const fault = await faultOf(answer.clone());
  if (!passCodes.has(fault.code)) return answer;
  endpoint.ephemeralKeys.drop(keyId, secret);
  const renewed = await endpoint.ephemeralKeys.get(keyId);
  if (renewed === secret) return answer;
  return await send(endpoint, renewed, path, init);
}

/** What the endpoint has on record of a call (`GET /v1/requests/{id}`), as far as pages show it. */
export interface RequestRecord {
  readonly state: string;
  readonly usage: {
    readonly source: "exact" | "estimated";
    readonly input: number;
    readonly cached_input: number;
    readonly cache_write: number;
    readonly output: number;
    readonly reasoning: number;
  } | null;
  /** Decimal dollars. */
  readonly charge: string;
  readonly first_token_ms: number | null;
  readonly duration_ms: number;
}

/** The request of a client that disconnected is on record a moment later. */
const recordWaitsMs = [0, 250, 750, 2_000, 4_000] as const;

/** The record of a request, or null when there is none to be had. */
export async function findRecord(
  endpoint: Endpoint,
  keyId: string,
  requestId: string,
): Promise<RequestRecord | null> {
  for (const ms of recordWaitsMs) {
    if (ms > 0) await endpoint.wait(ms);
    try {
      const answer = await callEndpoint(endpoint, keyId, `/requests/${encodeURIComponent(requestId)}`);
      if (answer.ok) return (await answer.json()) as RequestRecord;
      if (answer.status !== 404 && answer.status < 500) return null;
    } catch {
      // A lost connection may come back; the last wait ends it.
    }
  }
  return null;
}
