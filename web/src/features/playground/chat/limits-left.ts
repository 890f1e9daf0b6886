/** Reads remaining limits from the `x-ratelimit-*` headers of an answer. Knows no React; sends nothing. */

/** One kind of limit at one moment. */
export interface LimitLeft {
  readonly limit: number;
  readonly remaining: number;
  /** Until all of it is there again; null when it was not said. */
  readonly resetMs: number | null;
}

/** null = no limit of that kind. */
export interface LimitsLeft {
  readonly requests: LimitLeft | null;
  readonly tokens: LimitLeft | null;
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Reads `120ms`, `1.5s`, `6m0s`, `1h0m0s`; null when it is none of these. */
export function resetMsOf(text: string | null): number | null {
  if (text === null || !/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) return null;
  let sum = 0;
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    sum += Number(count) * (unitsMs[unit ?? ""] ?? 0);
  }
  return sum;
}

function wholeOf(text: string | null): number | null {
  return text !== null && /^\d{1,16}$/.test(text) ? Number(text) : null;
}

function kindIn(headers: Headers, kind: string): LimitLeft | null {
  const limit = wholeOf(headers.get(`x-ratelimit-limit-${kind}`));
  const remaining = wholeOf(headers.get(`x-ratelimit-remaining-${kind}`));
  if (limit === null || remaining === null) return null;
  return { limit, remaining, resetMs: resetMsOf(headers.get(`x-ratelimit-reset-${kind}`)) };
}

/** What the headers of an answer say. */
export function limitsLeftIn(headers: Headers): LimitsLeft {
  return { requests: kindIn(headers, "requests"), tokens: kindIn(headers, "tokens") };
}
