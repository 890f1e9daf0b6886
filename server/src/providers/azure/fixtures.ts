/**
 * Test fixtures, built from docs/wire/azure-openai.md section 2 and docs/wire/upstream-errors.md section 2.
 */

import {
  ask,
  askStream,
  call,
  chunk,
  head,
  read92,
  sse,
  usage92,
  usageChunk,
  whole,
} from "../openai/fixtures/answers.ts";
import type { Fixture } from "../testing/fixture.ts";

const safe = {
  hate: { filtered: false, severity: "safe" },
  self_harm: { filtered: false, severity: "safe" },
  jailbreak: { filtered: false, detected: false },
};
const promptResults = [{ prompt_index: 0, content_filter_results: safe }];
/** The first event of a stream: the filter's result for the prompt. */
const remark = {
  id: "",
  object: "",
  created: 0,
  model: "",
  choices: [],
  prompt_filter_results: promptResults,
};

/** A chunk with the filter's annotations in its choice, as Azure sends it. */
const remarked = (delta: object, finish: string | null = null): object => ({
  ...head,
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish, content_filter_results: safe }],
});

/** Annotations that come after the text they describe. */
const later = {
  id: "",
  object: "",
  created: 0,
  model: "",
  choices: [
    {
      index: 0,
      finish_reason: null,
      content_filter_results: safe,
      content_filter_offsets: { check_offset: 44, start_offset: 44, end_offset: 198 },
    },
  ],
};

const v1 = { baseUrl: "https://res.openai.azure.com/openai/v1" };
const classic = { baseUrl: "https://res.openai.azure.com" };

const refusal = (
  name: string,
  status: number,
  answer: object,
  expected: Fixture["expected"],
  headers?: Readonly<Record<string, string>>,
): Fixture => ({
  name,
  kind: "error",
  model: "dep",
  upstream: classic,
  request: askStream,
  status,
  ...(headers === undefined ? {} : { headers: { "content-type": "application/json", ...headers } }),
  answer,
  expected,
});

export const fixtures: readonly Fixture[] = [
  {
    name: "classic: whole text without the filter's remarks",
    kind: "text",
    model: "dep",
    upstream: classic,
    request: { ...ask, seed: 7 },
    sent: { model: "dep", seed: 7, messages: ask.messages },
    answer: whole({ content: "Grüße 🙂" }, "stop", { usage: usage92, prompt_filter_results: promptResults }),
    expected: { text: "Grüße 🙂", finish: "stop", usage: read92 },
  },
  {
    name: "classic: stream that begins with remarks",
    kind: "stream",
    model: "dep",
    upstream: classic,
    request: askStream,
    sent: { stream_options: { include_usage: true } },
    answer: sse([
      remark,
      remarked({ role: "assistant", content: "" }),
      remarked({ content: "Grü" }),
      remarked({ content: "ße 🙂" }),
      remarked({}, "stop"),
      usageChunk(usage92),
    ]),
    expected: { text: "Grüße 🙂", finish: "stop", usage: read92 },
  },
  {
    name: "asynchronous filter: remarks after the text",
    kind: "stream",
    model: "dep",
    upstream: v1,
    request: askStream,
    answer: sse(
      [
        remark,
        chunk({ role: "assistant", content: "a" }),
        later,
        chunk({ content: "b" }),
        chunk({}, "stop"),
        later,
        usageChunk(usage92),
      ],
      "\r\n",
    ),
    expected: { text: "ab", finish: "stop", usage: read92 },
  },
  {
    name: "classic before stream_options: usage is not asked for",
    kind: "stream",
    model: "dep",
    upstream: { ...classic, options: { apiVersion: "2024-06-01" } },
    request: { ...askStream, stream_options: { include_usage: true } },
    sent: { stream_options: null },
    answer: sse([remarked({ role: "assistant", content: "a" }), remarked({}, "stop")]),
    expected: { text: "a", finish: "stop", usage: null },
  },
  {
    name: "tool call",
    kind: "tool call",
    model: "dep",
    upstream: v1,
    request: askStream,
    answer: sse([
      remark,
      remarked({ role: "assistant", content: null, tool_calls: [call(0, "call_1", "f", "")] }),
      remarked({ tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] }),
      remarked({}, "tool_calls"),
    ]),
    expected: {
      toolCalls: [{ id: "call_1", name: "f", arguments: { a: 1 } }],
      finish: "tool_calls",
      usage: null,
    },
  },
  {
    name: "parallel tool calls",
    kind: "parallel tools",
    model: "dep",
    upstream: v1,
    request: askStream,
    answer: sse([
      remarked({ role: "assistant", tool_calls: [call(0, "call_1", "f", "{}")] }),
      remarked({ tool_calls: [call(1, "call_2", "g", '{"b"')] }),
      remarked({ tool_calls: [{ index: 1, function: { arguments: ":2}" } }] }),
      remarked({}, "tool_calls"),
    ]),
    expected: {
      toolCalls: [
        { id: "call_1", name: "f", arguments: {} },
        { id: "call_2", name: "g", arguments: { b: 2 } },
      ],
      finish: "tool_calls",
    },
  },
  {
    name: "reasoning is counted, and told by models of others on v1",
    kind: "reasoning",
    model: "DeepSeek-V4",
    upstream: v1,
    request: askStream,
    answer: sse([
      remarked({ role: "assistant", reasoning_content: "Hm" }),
      remarked({ content: "Yes" }),
      remarked({}, "stop"),
      usageChunk({ ...usage92, completion_tokens_details: { reasoning_tokens: 1 } }),
    ]),
    expected: { reasoning: "Hm", text: "Yes", finish: "stop", usage: { ...read92, reasoning: 1 } },
  },
  {
    name: "cached prompt",
    kind: "usage with caching",
    model: "dep",
    upstream: v1,
    request: ask,
    answer: whole({ content: "a" }, "length", {
      usage: { ...usage92, prompt_tokens_details: { cached_tokens: 4 } },
    }),
    expected: { finish: "length", usage: { ...read92, input: 5, cachedInput: 4 } },
  },
  {
    name: "answer stopped by the filter",
    kind: "safety stop",
    model: "dep",
    upstream: v1,
    request: askStream,
    answer: sse([
      remark,
      remarked({ role: "assistant", content: "He" }),
      remarked({}, "content_filter"),
      usageChunk(usage92),
    ]),
    expected: { text: "He", finish: "content_filter", usage: read92 },
  },
  {
    name: "error in a stream of 200",
    kind: "error in 200",
    model: "dep",
    upstream: v1,
    request: askStream,
    answer: sse([remark, { error: { code: "429", message: "Rate limit is exceeded." } }]),
    expected: { fault: "rate_limit" },
  },
  {
    name: "error after content",
    kind: "error in 200",
    model: "dep",
    upstream: v1,
    request: askStream,
    answer: sse([
      remarked({ role: "assistant", content: "He" }),
      { error: { message: "x", type: "server_error" } },
    ]),
    expected: { text: "He", fault: "server" },
  },
  {
    name: "cut after content",
    kind: "truncated stream",
    model: "dep",
    upstream: v1,
    request: askStream,
    answer: `data: ${JSON.stringify(remarked({ role: "assistant", content: "He" }))}\n\n`,
    expected: { text: "He", fault: "server" },
  },
  {
    name: "cut after remarks",
    kind: "truncated stream",
    model: "dep",
    upstream: v1,
    request: askStream,
    answer: `data: ${JSON.stringify(remark)}\n\n`,
    expected: { fault: "server" },
  },
  refusal(
    "prompt stopped by the filter",
    400,
    {
      error: {
        code: "content_filter",
        message: "The response was filtered.",
        param: "prompt",
        status: 400,
        innererror: { code: "ResponsibleAIPolicyViolation", content_filter_result: safe },
      },
    },
    { fault: "content_filter" },
  ),
  refusal(
    "no such deployment",
    404,
    {
      error: { code: "DeploymentNotFound", message: "The API deployment for this resource does not exist." },
    },
    { fault: "model_unavailable" },
  ),
  refusal("wrong key", 401, { error: { code: "401", message: "Access denied" } }, { fault: "upstream_auth" }),
  refusal("wrong key, flat", 401, { statusCode: 401, message: "Unauthorized" }, { fault: "upstream_auth" }),
  refusal(
    "rate limit with milliseconds",
    429,
    { error: { code: "RateLimitReached", message: "Please retry after 2 seconds." } },
    { fault: "rate_limit", retryAfterMs: 2_500 },
    { "retry-after": "2", "retry-after-ms": "2500" },
  ),
  refusal("timeout", 408, { error: { code: "Timeout", message: "x" } }, { fault: "timeout" }),
  refusal(
    "a field the version does not know",
    400,
    {
      error: {
        message: "Unrecognized request argument supplied: foo",
        type: "invalid_request_error",
        code: null,
      },
    },
    { fault: "bad_request" },
  ),
  refusal("no room", 503, { error: { code: "ServiceUnavailable", message: "x" } }, { fault: "overloaded" }),
];
