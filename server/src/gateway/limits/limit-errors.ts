/** What a caller is told who has reached a limit: whose, of what kind, how much it is. Knows no numbers but those given. */
import { GatewayError } from "@plaza/contract/errors.ts";
import type { LimitKind, LimitScope, LocalBucket } from "./limit-bucket.ts";

const owners: Readonly<Record<LimitScope, string>> = {
  key: "This API key",
  account: "This account",
  model: "This model, by all its callers together,",
  all: "This installation, by all its callers together,",
};

const names: Readonly<Record<LimitKind, string>> = {
  rpm: "requests a minute",
  tpm: "tokens a minute",
  conc: "requests at once",
};

const nouns: Readonly<Record<LimitKind, string>> = {
  rpm: "requests",
  tpm: "tokens",
  conc: "requests at once",
};

const refusal = (message: string, detail: { retryAfterMs?: number; shouldRetry?: boolean }) =>
  new GatewayError("rate_limit_exceeded", { message, ...detail });

/** `scope` and `id` of `model` and `all` are everybody's; nothing here names another caller. */
function verb({ scope, kind, limit }: LocalBucket): string {
  const what = `${limit} ${limit === 1 ? names[kind].replace("requests", "request").replace("tokens", "token") : names[kind]}`;
  const isShared = scope === "model" || scope === "all";
  if (isShared) return kind === "tpm" ? `may be used for ${what}` : `may be sent ${what}`;
  return kind === "tpm" ? `may use ${what}` : kind === "conc" ? `may have ${what}` : `may make ${what}`;
}

/** A limit of zero. */
export function blocked(bucket: LocalBucket): GatewayError {
  return refusal(
    `${owners[bucket.scope]} is blocked: its limit is 0 ${names[bucket.kind]}. Waiting does not help; ask the operator to raise it.`,
    { shouldRetry: false },
  );
}

/** A prompt larger than a whole minute's tokens. */
export function tooLarge(bucket: LocalBucket, inputTokens: number): GatewayError {
  return refusal(
    `${owners[bucket.scope]} ${verb(bucket)}, and the prompt of this request alone has about ${inputTokens} tokens. Waiting does not help; send less, or ask the operator to raise the limit.`,
    { shouldRetry: false },
  );
}

/** A limit reached. */
export function exceeded(bucket: LocalBucket, units: number, waitMs: number): GatewayError {
  if (bucket.kind === "conc") {
    return refusal(
      `${owners[bucket.scope]} ${verb(bucket)}, and that many are under way. Try again when one of them has ended.`,
      { retryAfterMs: waitMs },
    );
  }
  const wanted = bucket.kind === "tpm" ? `this one may use ${units}` : "that many were made";
  const seconds = Math.max(0.1, Math.ceil(waitMs / 100) / 10);
  return refusal(
    `${owners[bucket.scope]} ${verb(bucket)}, and ${wanted}: the limit of ${nouns[bucket.kind]} is reached. Try again in ${seconds} s.`,
    { retryAfterMs: waitMs },
  );
}
