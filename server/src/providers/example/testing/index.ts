/**
 * For tests: the test material of the provider `example`, built from the protocol's description in
 * `../protocol.ts`.
 */

import type { PriceSuite } from "../../../testing/price-vectors/prices.ts";
import { badRequest, broken, busy, late, refusedUs, throttled } from "../../testing/fault-outcomes.ts";
import type { Fixture } from "../../testing/fixture.ts";
import type { ProviderTesting } from "../../testing/material.ts";
import { all, bookkeeping } from "../../testing/parameters.ts";
import { json, sse, type Wire } from "../../testing/wire.ts";
import { readUsage } from "../protocol.ts";

const model = "engine-1";
const messages = [{ role: "user", content: "Hello" }];
const turns = [{ who: "person", words: "Hello" }];
const ended = { why: "done", read: 10, wrote: 5 };
const usage = { input: 10, cachedInput: 0, cacheWrite: 0, output: 5, reasoning: 0 };

/** Writes answers as its upstream does; mock upstreams use it. */
const wire: Wire = {
  id: "example",
  basePath: "/v1",
  credential: "exkey_0123456789abcdef",
  streamType: "text/event-stream",
  whole: (words) => json({ words, ...ended }),
  stream: (words) => ({ begin: sse({ words }), rest: sse(ended) }),
  asksForStream: (_path, body) => body.includes('"live":true'),
  error: (_status, wrong, because) => json({ wrong, because }),
  streamError: (_status, wrong, because) => sse({ wrong, because }),
};

/** Recorded calls: at least one of every kind that the descriptor does not list in `lacks`. */
const fixtures: readonly Fixture[] = [
  {
    name: "a whole text",
    kind: "text",
    model,
    request: {
      messages: [{ role: "system", content: "Be brief." }, ...messages],
      temperature: 0.5,
      max_tokens: 9,
    },
    sent: {
      engine: model,
      turns: [{ who: "guide", words: "Be brief." }, ...turns],
      warmth: 0.5,
      longest: 9,
      live: null,
    },
    answer: { words: "Hi.", ...ended },
    expected: { text: "Hi.", finish: "stop", usage },
  },
  {
    name: "a stream",
    kind: "stream",
    model,
    request: { messages, stream: true },
    sent: { turns, live: true },
    answer: sse({ words: "Hi" }, { words: " there" }, { why: "longest", read: 10, wrote: 5 }),
    expected: { text: "Hi there", finish: "length", usage },
  },
  {
    name: "an error",
    kind: "error",
    model,
    request: { messages },
    status: 429,
    headers: { "content-type": "application/json", "retry-after": "7" },
    answer: { wrong: "pace", because: "Slow down." },
    expected: { fault: "rate_limit", retryAfterMs: 7_000 },
  },
  {
    name: "an error in a stream of status 200",
    kind: "error in 200",
    model,
    request: { messages, stream: true },
    answer: sse({ wrong: "busy", because: "Later." }),
    expected: { fault: "overloaded" },
  },
  {
    name: "a stream that stops without an end",
    kind: "truncated stream",
    model,
    request: { messages, stream: true },
    answer: sse({ words: "Hi" }),
    expected: { text: "Hi", fault: "server" },
  },
  {
    name: "an answer a filter stopped, without counts",
    kind: "safety stop",
    model,
    request: { messages },
    answer: { words: "", why: "filtered" },
    expected: { text: "", finish: "content_filter", usage: null },
  },
];

/** Usage reports with their charges in nano-dollars, computed by hand. */
const prices: PriceSuite = {
  name: "example",
  read: readUsage,
  vectors: [
    {
      name: "plain",
      price: "mini",
      usage: '{"words":"Hi.","why":"done","read":10,"wrote":5}',
      working: "10 × 0.25 + 5 × 2",
      charge: 12_500n,
    },
  ],
};

export const testing: ProviderTesting = {
  fixtures,
  wire,
  endMarks: ['"why"'],
  faults: [
    { fault: "bad request", outcome: badRequest, words: [400, "request", "No turns."] },
    { fault: "bad credential", outcome: refusedUs, words: [401, "key", "Unknown key."] },
    {
      fault: "throttled",
      outcome: throttled(7),
      words: [429, "pace", "Slow down.", {}, { "retry-after": "7" }],
    },
    { fault: "overloaded", outcome: busy, words: [503, "busy", "Later."] },
    { fault: "broken", outcome: broken, words: [500, "us", "Oops."] },
    { fault: "timeout", outcome: late, words: [504, "time", "Too late."] },
  ],
  overload: [503, "busy"],
  secrets: {
    credentials: [{ credential: ({ plant }) => `exkey_${plant("credential: example")}` }],
    leaks: [{ name: "example key", text: (core) => `Unknown key exkey_${core}` }],
    shownType: "request",
  },
  parameters: [
    {
      id: "example",
      title: "`example`",
      provider: "example",
      model,
      otherwise: "refused",
      outcomes: {
        ...all("translated", "max_completion_tokens", "max_tokens", "temperature", "stream"),
        ...bookkeeping,
        ...all("dropped", "top_p", "seed", "reasoning_effort", "prompt_cache_key"),
        ...all("plaza", "stream_options", "parallel_tool_calls"),
      },
    },
  ],
  priceSuites: [prices],
  keptReasoning: [],
  measured: { model, event: (words) => sse({ words }) },
};
