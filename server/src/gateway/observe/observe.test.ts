/** Request metrics, and that they stay bounded. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { createRegistry } from "../../lib/telemetry/metrics.ts";
import { joinFamilies } from "../../lib/telemetry/metrics-text.ts";
import type { AttemptRecord, RequestRow } from "../../store/requests/shapes.ts";
import { createObserve, modelsMax, type SettledRequest } from "./observe.ts";

const row: RequestRow = {
  id: "req_1",
  createdAt: 0,
  accountId: "acc_1",
  keyId: "key_1",
  operation: "chat",
  modelId: "m",
  upstreamId: "main",
  upstreamModel: "um",
  isStream: true,
  status: 200,
  state: "complete",
  errorCode: null,
  attempts: 1,
  inputTokens: 10,
  cachedInputTokens: 4,
  cacheWriteTokens: 2,
  outputTokens: 7,
  reasoningTokens: 3,
  usageSource: "exact",
  usageParts: null,
  firstTokenMs: 40,
  durationMs: 100,
  charge: nanoUsd(1_500_000_001n),
  cost: nanoUsd(5n),
  priceId: 1,
  attemptLog: null,
  queueMs: null,
};

const settled: SettledRequest = {
  row,
  path: "/v1/chat/completions",
  model: "m",
  provider: "openai",
  durationMs: 100,
  overheadMs: 1.5,
  settleMs: 1,
  isRecorded: true,
};

const attempt = (upstreamId: string, upstreamModel: string, fault: string | null): AttemptRecord => ({
  upstreamId,
  upstreamModel,
  fault,
  status: null,
  durationMs: 1,
});

/** The metric lines after these requests. */
function linesAfter(...requests: readonly Partial<SettledRequest>[]): string[] {
  const registry = createRegistry();
  const observe = createObserve(registry);
  for (const request of requests) observe.settled({ ...settled, ...request });
  return joinFamilies([registry.families("")]).split("\n");
}

function has(lines: readonly string[], ...wanted: readonly string[]): void {
  for (const line of wanted) assert.ok(lines.includes(line), `${line} is not in\n${lines.join("\n")}`);
}

test("a complete request: tokens by class, exact money, times in seconds", () => {
  const calls = 'gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_request_model="m"';
  has(
    linesAfter({}, {}),
    'plaza_requests_total{status="200",state="complete",model="m",operation="chat"} 2',
    'plaza_tokens_total{model="m",class="input"} 20',
    'plaza_tokens_total{model="m",class="cached_input"} 8',
    'plaza_tokens_total{model="m",class="cache_write"} 4',
    'plaza_tokens_total{model="m",class="output"} 14',
    'plaza_reasoning_tokens_total{model="m"} 6',
    'plaza_charges_usd_total{model="m"} 3.000000002',
    'plaza_costs_usd_total{upstream="main"} 0.00000001',
    'plaza_attempts_total{upstream="main",outcome="answered"} 2',
    `gen_ai_client_token_usage_sum{${calls},gen_ai_token_type="input"} 32`,
    `gen_ai_client_operation_duration_seconds_sum{${calls}} 0.2`,
    `gen_ai_server_time_to_first_token_seconds_bucket{${calls},le="0.04"} 2`,
    "plaza_overhead_seconds_sum 0.003",
  );
});

test("requests are counted by operation, and called as OpenTelemetry calls it where it has a word", () => {
  const lines = linesAfter(
    {},
    { row: { ...row, operation: "embeddings" } },
    { row: { ...row, operation: "completion" } },
    { row: { ...row, operation: "rerank" } },
    { row: { ...row, operation: "embeddings", status: 400, state: "failed", errorCode: "wrong_endpoint" } },
  );
  const calls = (operation: string) =>
    `gen_ai_client_operation_duration_seconds_count{gen_ai_operation_name="${operation}",gen_ai_provider_name="openai",gen_ai_request_model="m"} 1`;
  has(
    lines,
    'plaza_requests_total{status="200",state="complete",model="m",operation="chat"} 1',
    'plaza_requests_total{status="200",state="complete",model="m",operation="embeddings"} 1',
    'plaza_requests_total{status="400",state="failed",error="wrong_endpoint",model="m",operation="embeddings"} 1',
    'plaza_tokens_total{model="m",class="output"} 35',
    ...["chat", "embeddings", "text_completion", "rerank"].map(calls),
  );
});

test("requests are counted by the path that was called, and how they ended", () => {
  has(
    linesAfter(
      {},
      {},
      { path: "/v1/messages" },
      { path: "/v1/messages", row: { ...row, state: "aborted" } },
      { path: "/v1beta/models/*", isRecorded: false },
    ),
    'plaza_endpoint_requests_total{endpoint="/v1/chat/completions",state="complete"} 2',
    'plaza_endpoint_requests_total{endpoint="/v1/messages",state="complete"} 1',
    'plaza_endpoint_requests_total{endpoint="/v1/messages",state="aborted"} 1',
    'plaza_endpoint_requests_total{endpoint="/v1beta/models/*",state="failed"} 1',
  );
});

test("a refused call without a row is counted under the operation of its path", () => {
  const registry = createRegistry();
  const observe = createObserve(registry);
  observe.refused("invalid_api_key", 401, { path: "/v1/embeddings", operation: "embeddings" });
  const messages = { path: "/v1/messages", operation: "chat" } as const;
  observe.refused("model_not_allowed", 403, messages, { state: "failed", model: undefined });
  has(
    joinFamilies([registry.families("")]).split("\n"),
    'plaza_requests_total{status="401",state="failed",error="invalid_api_key",operation="embeddings"} 1',
    'plaza_requests_total{status="403",state="failed",error="model_not_allowed",operation="chat"} 1',
    'plaza_endpoint_requests_total{endpoint="/v1/embeddings",state="failed"} 1',
    'plaza_endpoint_requests_total{endpoint="/v1/messages",state="failed"} 1',
  );
});

test("attempts: retries, fallbacks and races are told apart", () => {
  const log = [
    attempt("a", "x", "network"),
    attempt("a", "x", "server"),
    attempt("b", "x", "superseded"),
    attempt("c", "x", null),
  ];
  has(
    linesAfter({ row: { ...row, attemptLog: log } }),
    'plaza_retries_total{upstream="a"} 1',
    'plaza_fallbacks_total{upstream="b"} 1',
    'plaza_hedges_total{upstream="c"} 1',
    'plaza_attempts_total{upstream="a",outcome="network"} 1',
    'plaza_attempts_total{upstream="c",outcome="answered"} 1',
  );
  has(
    linesAfter({ row: { ...row, attemptLog: [attempt("a", "x", "caller_left"), attempt("b", "x", null)] } }),
    'plaza_hedges_total{upstream="b"} 1',
    'plaza_attempts_total{upstream="a",outcome="caller_left"} 1',
  );
  has(
    linesAfter({ row: { ...row, attemptLog: [attempt("a", "x", "server"), attempt("b", "x", null)] } }),
    'plaza_fallbacks_total{upstream="b"} 1',
  );
});

test("a refusal, a cut and a row that could not be written are no complete requests", () => {
  const refused = {
    status: 402,
    state: "failed",
    errorCode: "insufficient_balance",
    upstreamId: null,
  } as const;
  const cut = { state: "incomplete", errorCode: "upstream_error" } as const;
  const lines = linesAfter(
    { row: { ...row, ...refused, usageSource: "none" }, provider: undefined, overheadMs: undefined },
    { row: { ...row, ...cut } },
    { isRecorded: false },
  );
  has(
    lines,
    'plaza_requests_total{status="200",state="complete",model="m",operation="chat"} 0',
    'plaza_requests_total{status="402",state="failed",error="insufficient_balance",model="m",operation="chat"} 1',
    'plaza_requests_total{status="200",state="incomplete",error="upstream_error",model="m",operation="chat"} 1',
    'plaza_requests_total{status="503",state="failed",error="ledger_unavailable",model="m",operation="chat"} 1',
    "plaza_requests_not_recorded_total 1",
    'plaza_charges_usd_total{model="m"} 1.500000001',
  );
});

test("models without end make no series without end", () => {
  const many = Array.from({ length: modelsMax + 500 }, (_, index) => ({ model: `m-${index}` }));
  const lines = linesAfter(...many).filter((line) => line.startsWith("plaza_charges_usd_total"));
  assert.equal(lines.length, modelsMax + 1);
  has(lines, 'plaza_charges_usd_total{model="other"} 750.0000005');
});
