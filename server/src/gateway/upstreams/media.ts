/**
 * The files a request names by address and a provider needs inlined. The only place where an
 * address somebody else wrote is called, and only where the operator said so; what may be
 * called is decided in `lib/safe-fetch`.
 */

import { GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import type { Opening } from "../../lib/net/address-opening.ts";
import type { Fetched, FetchFailure, SafeFetch } from "../../lib/net/safe-fetch.ts";

/** One file to fetch. */
export interface MediaAsk {
  readonly url: string;
  /** Where in the request it stands, like `messages[0].content[1].image_url.url`. */
  readonly param: string;
  /** Media types the provider takes, lower case, without parameters. */
  readonly mediaTypes: readonly string[];
  /** Fires when the caller leaves. */
  readonly signal: AbortSignal;
}

export interface Media {
  /** Throws 400 `invalid_request` naming the param, or 503 `overloaded` when too much is being fetched. */
  fetch(ask: MediaAsk): Promise<Fetched>;
}

export interface MediaSettings {
  readonly fetchMedia: "off" | "on";
  readonly fetchMediaAllow: readonly Opening[];
}

const bytesMax = 20 * 1024 * 1024;
const totalMs = 10_000;

/**
 * What the caller is told. Not more: whether a name exists, which address it has and what answers there is
 * this machine's view of its network, and nobody's who can send a request.
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
  // Told by its field and not by its class, whose file is loaded only when it is needed.
  const failure = error instanceof Error && "failure" in error ? (error.failure as FetchFailure) : undefined;
  if (failure === undefined) return error;
  if (failure === "busy") return new GatewayError("overloaded", { retryAfterMs: 1_000, param });
  return new GatewayError("invalid_request", { message: texts[failure], param });
}

/** Makes the fetcher of a process. Loads nothing until something is fetched. */
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
