/**
 * Test fixtures: Claude on Vertex AI (@anthropic-ai/vertex-sdk 1.1.3, @ai-sdk/google-vertex 4.0.208, error
 * bodies from public issues).
 */
import {
  block,
  counted,
  errorBody,
  hello,
  message,
  ping,
  start,
  stop,
  stream,
  text,
  textBlock,
  thinkingBlock,
  toolBlock,
  toolUse,
  user,
  weather,
} from "../anthropic/fixtures/build.ts";
import { googleError } from "../google/fixtures/pieces.ts";
import type { Fixture } from "../testing/fixture.ts";

const at = "https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/publishers/anthropic";
const upstream = { baseUrl: at, credentials: ["ya29.token"] };
const model = "claude-sonnet-4-5@20250929";
const plain = { request: { messages: hello }, model, upstream } as const;
const streamed = { request: { messages: hello, stream: true }, model, upstream } as const;
const schema = {
  type: "object",
  properties: { a: { type: "number" } },
  required: ["a"],
  additionalProperties: false,
};
const shaped = { type: "json_schema", json_schema: { name: "answer", schema, strict: true } } as const;
const jsonTool = { name: "json", input_schema: schema };

/** Requests and their answers. */
const answers: readonly Fixture[] = [
  {
    name: "a whole text; the version is in the body, the model is not",
    kind: "text",
    ...plain,
    request: { messages: hello, service_tier: "auto", temperature: 0.5 },
    sent: {
      anthropic_version: "vertex-2023-10-16",
      model: null,
      service_tier: null,
      stream: null,
      temperature: 0.5,
      messages: [{ role: "user", content: [text("Hello")] }],
    },
    answer: message([text("Grüße 🙂")], { id: "msg_vrtx_015kgi1rBtZZ7tbfKPne6Jim" }),
    expected: { text: "Grüße 🙂", finish: "stop", usage: counted },
  },
  {
    name: "a stream",
    kind: "stream",
    ...streamed,
    sent: { anthropic_version: "vertex-2023-10-16", model: null, stream: true },
    answer: stream(start(), ping, textBlock(0, "Hel", "lo"), stop("end_turn")),
    expected: { text: "Hello", finish: "stop", usage: counted },
  },
  {
    name: "a tool call",
    kind: "tool call",
    ...streamed,
    request: { messages: hello, stream: true, tools: [weather] },
    answer: stream(
      start(),
      toolBlock(0, "toolu_vrtx_1", "get_weather", '{"city":', '"Rome"}'),
      stop("tool_use"),
    ),
    expected: {
      toolCalls: [{ id: "toolu_vrtx_1", name: "get_weather", arguments: { city: "Rome" } }],
      finish: "tool_calls",
      usage: counted,
    },
  },
  {
    name: "a schema for the answer is a tool that must be called, and its arguments are the answer",
    kind: "text",
    ...plain,
    request: { messages: hello, response_format: shaped },
    sent: {
      output_config: null,
      tool_choice: { type: "tool", name: "json", disable_parallel_tool_use: true },
    },
    answer: message([toolUse("toolu_vrtx_1", jsonTool.name, { a: 1 })], { stop_reason: "tool_use" }),
    expected: { text: '{"a":1}', toolCalls: [], finish: "stop", usage: counted },
  },
  {
    name: "the same, streamed",
    kind: "stream",
    ...streamed,
    request: { messages: hello, stream: true, response_format: shaped },
    answer: stream(
      start(),
      block(0, toolUse("t", "json", {}), { type: "input_json_delta", partial_json: '{"a":1}' }),
      stop("tool_use"),
    ),
    expected: { text: '{"a":1}', toolCalls: [], finish: "stop", usage: counted },
  },
  {
    name: "a mark on the whole request stands on its last block",
    kind: "usage with caching",
    ...plain,
    request: { messages: [user("one"), user("two")], cache_control: { type: "ephemeral", ttl: "1h" } },
    sent: {
      cache_control: null,
      messages: [
        {
          role: "user",
          content: [text("one"), { ...text("two"), cache_control: { type: "ephemeral", ttl: "1h" } }],
        },
      ],
    },
    answer: message([text("Hi")], {
      usage: {
        input_tokens: 3,
        output_tokens: 5,
        cache_creation_input_tokens: 700,
        cache_read_input_tokens: 10,
        cache_creation: { ephemeral_5m_input_tokens: 500, ephemeral_1h_input_tokens: 200 },
      },
    }),
    expected: {
      text: "Hi",
      usage: { input: 3, cachedInput: 10, cacheWrite: 700, longCacheWrite: 200, output: 5, reasoning: 0 },
    },
  },
  {
    name: "two tool calls at once",
    kind: "parallel tools",
    ...streamed,
    request: { messages: hello, stream: true, tools: [weather] },
    answer: stream(
      start(),
      toolBlock(0, "t1", "get_weather", '{"city":"Rome"}'),
      toolBlock(1, "t2", "get_weather", '{"city":', '"Oslo"}'),
      stop("tool_use"),
    ),
    expected: {
      toolCalls: [
        { id: "t1", name: "get_weather", arguments: { city: "Rome" } },
        { id: "t2", name: "get_weather", arguments: { city: "Oslo" } },
      ],
      finish: "tool_calls",
    },
  },
  {
    name: "thoughts by a budget",
    kind: "reasoning",
    ...streamed,
    request: { messages: hello, stream: true, reasoning_effort: "low", max_tokens: 4_000 },
    sent: { thinking: { type: "enabled", budget_tokens: 1_024 } },
    answer: stream(start(), thinkingBlock(0, "c2ln", "Hm"), textBlock(1, "Yes"), stop("end_turn")),
    expected: { reasoning: "Hm", text: "Yes", finish: "stop", usage: counted },
  },
  {
    name: "a refusal",
    kind: "safety stop",
    ...streamed,
    answer: stream(start(), stop("refusal")),
    expected: { finish: "content_filter" },
  },
];

type Row = readonly [name: string, status: number, answer: object, expected: Fixture["expected"]];

const quota = "Quota exceeded for aiplatform.googleapis.com/online_prediction_requests_per_base_model.";
const wait = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "12s" }];

const refusals: readonly Row[] = [
  ["Anthropic's own", 529, errorBody("overloaded_error", "Overloaded"), { fault: "overloaded" }],
  [
    "the request's, in Anthropic's words",
    400,
    errorBody("invalid_request_error", "prompt is too long: 214783 tokens > 200000 maximum"),
    { fault: "context_length" },
  ],
  [
    "the platform's quota",
    429,
    googleError(429, "RESOURCE_EXHAUSTED", quota, wait),
    { fault: "rate_limit", retryAfterMs: 12_000 },
  ],
  [
    "the platform's quota, as a list",
    429,
    [googleError(429, "RESOURCE_EXHAUSTED", quota)],
    { fault: "rate_limit" },
  ],
  [
    "the token",
    401,
    googleError(401, "UNAUTHENTICATED", "Request had invalid authentication credentials."),
    { fault: "upstream_auth" },
  ],
  [
    "the project's rights",
    403,
    googleError(403, "PERMISSION_DENIED", "Permission denied on resource project p."),
    { fault: "upstream_auth" },
  ],
  [
    "a model the project has not",
    404,
    googleError(
      404,
      "NOT_FOUND",
      "Publisher Model `claude-gone` was not found or your project does not have access to it.",
    ),
    { fault: "model_unavailable" },
  ],
  ["the platform", 503, googleError(503, "UNAVAILABLE"), { fault: "overloaded" }],
];

const errors: readonly Fixture[] = [
  ...refusals.map(
    ([name, status, answer, expected]): Fixture => ({
      name: `error: ${name}`,
      kind: "error",
      ...streamed,
      status,
      answer,
      expected,
    }),
  ),
  {
    name: "an error in a stream",
    kind: "error in 200",
    ...streamed,
    answer: stream(start(), errorBody("overloaded_error", "Overloaded")),
    expected: { fault: "overloaded" },
  },
  {
    name: "a stream cut after words",
    kind: "truncated stream",
    ...streamed,
    answer: stream(start(), textBlock(0, "Hel")),
    expected: { text: "Hel", fault: "server" },
  },
];

export const fixtures: readonly Fixture[] = [...answers, ...errors];
