/** The errors for a reached limit: whose limit, of what kind, and how large. */

import { GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import type { LocalBucket } from "./bucket.ts";

const refusal = (message: Message, detail: { retryAfterMs?: number; shouldRetry?: boolean }) =>
  new GatewayError("rate_limit_exceeded", { message, ...detail });

/** Describes the limit. Model and installation limits are shared, so their ids reveal no other caller. */
function allowed({ scope, kind, limit }: LocalBucket): Message {
  if (kind === "tpm") return message("limit.tokens", { scope, limit });
  return message(kind === "conc" ? "limit.concurrency" : "limit.requests", { scope, limit });
}

/** A limit of 0. */
export function blocked(bucket: LocalBucket): GatewayError {
  return refusal(message("limit.blocked", { scope: bucket.scope, kind: bucket.kind }), {
    shouldRetry: false,
  });
}

/** A prompt with more tokens than the limit allows per minute. */
export function tooLarge(bucket: LocalBucket, inputTokens: number): GatewayError {
  return refusal(message("limit.promptTooLarge", { allowed: allowed(bucket), inputTokens }), {
    shouldRetry: false,
  });
}

export function exceeded(bucket: LocalBucket, units: number, waitMs: number): GatewayError {
  if (bucket.kind === "conc") {
    return refusal(message("limit.concurrencyReached", { allowed: allowed(bucket) }), {
      retryAfterMs: waitMs,
    });
  }
  const seconds = Math.max(0.1, Math.ceil(waitMs / 100) / 10);
  return refusal(
    bucket.kind === "tpm"
      ? message("limit.tokensReached", { allowed: allowed(bucket), units, seconds })
      : message("limit.requestsReached", { allowed: allowed(bucket), seconds }),
    { retryAfterMs: waitMs },
  );
}
