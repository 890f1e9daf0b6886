/**
 * Reads how long an upstream asked to wait (docs/wire/upstream-errors.md section 3). Providers have no clock,
 * so dates are measured from the answer's own `date` header and ignored without one.
 */
import type { UpstreamHeaders } from "./protocol.ts";

/** Longest wait in milliseconds; longer ones are reduced to it. */
const waitMsMax = 3_600_000;

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  sec: 1_000,
  secs: 1_000,
  second: 1_000,
  seconds: 1_000,
  m: 60_000,
  min: 60_000,
  mins: 60_000,
  minute: 60_000,
  minutes: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  hours: 3_600_000,
};

const durationPart = /(\d{1,12}(?:\.\d{1,12})?)\s?([a-zµμ]{1,7})\s?/iy;

/**
 * Reads `6m0s`, `2m59.56s`, `120ms`, `18.642 seconds` as far as possible; undefined when the text does not
 * contain a duration at its start.
 */
function durationMs(text: string): number | undefined {
  let total: number | undefined;
  durationPart.lastIndex = 0;
  for (let part = durationPart.exec(text); part !== null; part = durationPart.exec(text)) {
    const unit = unitMs[part[2]?.toLowerCase() ?? ""];
    if (unit === undefined) break;
    total = (total ?? 0) + Number(part[1]) * unit;
  }
  return total;
}

function first(headers: UpstreamHeaders, name: string): string | undefined {
  const value = headers[name];
  return (typeof value === "string" ? value : value?.[0])?.trim();
}

/** A plain decimal number; undefined for anything else, including dates. */
function decimal(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : undefined;
}

/** Milliseconds from the answer's `date` header to another date. */
function untilMs(headers: UpstreamHeaders, moment: string): number | undefined {
  const nowMs = Date.parse(first(headers, "date") ?? "");
  const wait = Date.parse(moment) - nowMs;
  return Number.isNaN(wait) ? undefined : wait;
}

function retryAfterMs(headers: UpstreamHeaders): number | undefined {
  const text = first(headers, "retry-after");
  if (text === undefined) return undefined;
  const seconds = decimal(text);
  if (seconds !== undefined) return seconds * 1_000;
  return /^[a-z]{3}, /i.test(text) ? untilMs(headers, text) : undefined;
}

/**
 * Reads `x-ratelimit-reset-*`: a Go duration, seconds (Azure), Unix seconds or milliseconds (OpenRouter), or
 * RFC 3339.
 */
function resetMs(headers: UpstreamHeaders, suffix: string): number | undefined {
  if (decimal(first(headers, `x-ratelimit-remaining${suffix}`)) !== 0) return undefined;
  const text = first(headers, `x-ratelimit-reset${suffix}`);
  if (text === undefined) return undefined;
  const number = decimal(text);
  if (number === undefined) return durationMs(text) ?? untilMs(headers, text);
  if (number < 1e8) return number * 1_000;
  return untilMs(headers, new Date(number < 1e11 ? number * 1_000 : Math.min(number, 8e15)).toISOString());
}

/** "Please try again in 18.642s": OpenAI and Groq write this when they send no headers. */
function waitInText(message: string): number | undefined {
  const found = /\b(?:try again|retry) (?:in|after) {1,3}(?=\d)/i.exec(message);
  return found === null ? undefined : durationMs(message.slice(found.index + found[0].length).slice(0, 60));
}

/**
 * Milliseconds from 0 to one hour: the longest wait in the headers, else the one in the text; undefined when
 * there is none.
 */
export function upstreamWaitMs(headers: UpstreamHeaders, message: string): number | undefined {
  const waits = [
    decimal(first(headers, "retry-after-ms")),
    retryAfterMs(headers),
    ...["-requests", "-tokens", ""].map((suffix) => resetMs(headers, suffix)),
  ].filter((ms) => ms !== undefined);
  const wait = waits.length > 0 ? Math.max(...waits) : waitInText(message);
  return wait === undefined ? undefined : Math.ceil(Math.min(Math.max(wait, 0), waitMsMax));
}
