import assert from "node:assert/strict";
import { test } from "node:test";
import type { UpstreamHeaders } from "./protocol.ts";
import { upstreamWaitMs } from "./wait.ts";

const date = "Fri, 21 Nov 2025 05:00:00 GMT";

const cases: [string, UpstreamHeaders, string, number | undefined][] = [
  ["nothing said", {}, "Rate limit reached", undefined],
  ["retry-after in seconds", { "retry-after": "7" }, "", 7_000],
  ["retry-after with a fraction", { "retry-after": "0.25" }, "", 250],
  ["retry-after-ms", { "retry-after-ms": "120" }, "", 120],
  ["the longest wait wins", { "retry-after-ms": "1200", "retry-after": "1" }, "", 1_200],
  ["a list of values: the first", { "retry-after": ["3", "9"] }, "", 3_000],
  ["negative is none", { "retry-after": "-5" }, "", 0],
  ["more than an hour is an hour", { "retry-after": "86400" }, "", 3_600_000],
  [
    "a date, measured from the answer's own",
    { "retry-after": "Fri, 21 Nov 2025 05:00:30 GMT", date },
    "",
    30_000,
  ],
  ["a date in the past", { "retry-after": "Fri, 21 Nov 2025 04:00:00 GMT", date }, "", 0],
  ["a date without the answer's own", { "retry-after": "Fri, 21 Nov 2025 05:00:30 GMT" }, "", undefined],
  ["nonsense", { "retry-after": "soon", "retry-after-ms": "1e9" }, "", undefined],
  ["headers win over the text", { "retry-after": "1" }, "try again in 9s", 1_000],
  [
    "a reset where nothing remains",
    { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s" },
    "",
    360_000,
  ],
  [
    "a reset where something remains",
    { "x-ratelimit-remaining-tokens": "5", "x-ratelimit-reset-tokens": "6m0s" },
    "",
    undefined,
  ],
  [
    "two resets: the longer one that is at zero",
    {
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "2m59.56s",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "12ms",
    },
    "",
    179_560,
  ],
  [
    "Azure's seconds",
    { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "58" },
    "",
    58_000,
  ],
  [
    "RFC 3339",
    { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "2025-11-21T05:00:10Z", date },
    "",
    10_000,
  ],
  [
    "OpenRouter's Unix milliseconds",
    { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(Date.parse(date) + 4_000), date },
    "",
    4_000,
  ],
  ["text: seconds", {}, "Please try again in 18.642s. Contact us", 18_642],
  ["text: milliseconds", {}, "Please try again in 120ms.", 120],
  ["text: minutes and seconds", {}, "try again in 6m0s", 360_000],
  ["text: hours", {}, "try again in 1h2m3s", 3_600_000],
  ["text: words", {}, "Please retry after 12 seconds.", 12_000],
  ["text: without a number", {}, "Please try again in a while", undefined],
  ["text: without a unit", {}, "try again in 5", undefined],
];

for (const [name, headers, message, expected] of cases) {
  test(name, () => assert.equal(upstreamWaitMs(headers, message), expected));
}
