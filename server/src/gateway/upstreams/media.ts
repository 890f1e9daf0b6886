/**
 * Fetches files that a request names by URL and a provider needs inline. This is the only place that calls a
 * URL written by a caller, and only when the operator enabled it. `lib/safe-fetch` decides which addresses
 * may be called.
 */

import { GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import type { Opening } from "../../lib/net/address-opening.ts";
import type { Fetched, FetchFailure, SafeFetch } from "../../lib/net/safe-fetch.ts";

/** One file to fetch. */
export interface MediaAsk {
  readonly url: string;
  /** Path of the URL in the request, for errors about it. */
  readonly param: string;
  /** Media types the provider accepts, lower case, without parameters. */
  readonly mediaTypes: readonly string[];
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

export interface Media {
  /**
   * Throws 400 `invalid_request` naming the param, or 503 `overloaded` when too many files are being fetched.
   */
  fetch(ask: MediaAsk): Promise<Fetched>;
}

export interface MediaSettings {
  readonly fetchMedia: "off" | "on";
  readonly fetchMediaAllow: readonly Opening[];
}

const bytesMax = 20 * 1024 * 1024;
const totalMs = 10_000;

/**
 * Most failures share one message. Whether a host exists, its address and its answers would reveal Plaza's
 * internal network to the caller.
 */
const unreachable = message("call.fileUnavailable");
const texts: Readonly<Record<Exclude<FetchFailure, "busy">, Message>> = {
  url: message("call.fileAddress"),
  scheme: message("call.fileNotHttps"),
  port: unreachable,
  address: unreachable,
  unresolved: unreachable,
  unreachable,
  tls: unreachable,
  redirect: message("call.fileRedirected"),
  status: unreachable,
  encoding: unreachable,
  type: message("call.fileKind"),
  size: message("call.fileTooLarge", { max: bytesMax / 1024 / 1024 }),
  timeout: message("call.fileTimeout"),
  aborted: unreachable,
};

function refusal(error: unknown, param: string): unknown {
  // Checked by field instead of `instanceof`, because the class's file is loaded only when needed.
  const failure = error instanceof Error && "failure" in error ? (error.failure as FetchFailure) : undefined;
  if (failure === undefined) return error;
  if (failure === "busy") return new GatewayError("overloaded", { retryAfterMs: 1_000, param });
  return new GatewayError("invalid_request", { message: texts[failure], param });
}

/** Creates the process's fetcher. Its code is loaded on first use. */
export function createMedia({ fetchMedia, fetchMediaAllow }: MediaSettings): Media {
  let fetcher: Promise<SafeFetch> | undefined;
  const load = async (): Promise<SafeFetch> => {
    const { createSafeFetch } = await import("../../lib/net/safe-fetch.ts");
    return createSafeFetch({ openings: fetchMediaAllow });
  };
  return {
    async fetch({ param, ...ask }) {
      if (fetchMedia === "off") {
        throw new GatewayError("invalid_request", { message: message("call.filesOff"), param });
      }
      fetcher ??= load();
      try {
        return await (await fetcher).fetch({ ...ask, bytesMax, totalMs });
      } catch (error) {
        throw refusal(error, param);
      }
    },
  };
}
