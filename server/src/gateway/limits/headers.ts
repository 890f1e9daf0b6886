/**
 * The `x-ratelimit-*` headers in OpenAI's format. For each kind they show the subject with the smallest share
 * left.
 */
import { limitMax } from "../../domain/limits/limit.ts";
import type { LocalBucket } from "./bucket.ts";

/** Formats a duration like OpenAI: `0s`, `120ms`, `1.5s`, `6m0s`, `1h0m0s`. */
export function formatReset(ms: number): string {
  if (ms <= 0) return "0s";
  if (ms < 1_000) return `${Math.ceil(ms)}ms`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes === 0) return `${Math.ceil(ms) / 1_000}s`;
  const total = Math.ceil(ms / 1_000);
  const rest = `${Math.floor((total % 3_600) / 60)}m${total % 60}s`;
  return total >= 3_600 ? `${Math.floor(total / 3_600)}h${rest}` : rest;
}

/** Adds the three headers of a kind to `into`, flat; nothing without a limit of that kind. */
export function addHeaders(
  name: "requests" | "tokens",
  buckets: readonly LocalBucket[],
  nowMs: number,
  into: string[],
): void {
  let tightest: LocalBucket | undefined;
  let leastShare = Number.POSITIVE_INFINITY;
  for (const bucket of buckets) {
    const share = bucket.limit === 0 ? -1 : bucket.remaining(nowMs) / bucket.limit;
    if (share > leastShare || (share === leastShare && bucket.limit >= (tightest?.limit ?? 0))) continue;
    tightest = bucket;
    leastShare = share;
  }
  if (tightest === undefined) return;
  const { limit } = tightest;
  const remaining = tightest.remaining(nowMs);
  const counted = Math.min(limit, limitMax);
  const resetMs = counted === 0 ? 0 : ((counted - remaining) * 60_000) / counted;
  into.push(
    `x-ratelimit-limit-${name}`,
    String(limit),
    `x-ratelimit-remaining-${name}`,
    String(remaining),
    `x-ratelimit-reset-${name}`,
    formatReset(resetMs),
  );
}
