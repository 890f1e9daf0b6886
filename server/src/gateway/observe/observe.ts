/**
 * Request metrics: names, labels and counting, once per request when it is settled or refused. The series of
 * a model are looked up once and kept. docs/operate/operations.md explains every metric and when to worry.
 * Names that begin with `gen_ai_` and their buckets come from OpenTelemetry's semantic conventions for
 * generative AI, in Prometheus spelling. Model labels hold catalog ids, never text typed by a caller.
 */

import { formatUsd, nanoUsd } from "@plaza/contract/money.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import { durationBounds, firstTokenBounds } from "../../domain/live/buckets.ts";
import { isGivenUpBeside } from "../../domain/routing/attempt-outcome.ts";
import {
  type Counter,
  type ExactCounter,
  type Histogram,
  type LabelRule,
  otherValue,
  type Registry,
} from "../../lib/telemetry/metrics.ts";
import type { AttemptRecord, RequestRow } from "../../store/requests/shapes.ts";

/** A finished request, whether or not its row was written. */
export interface SettledRequest {
  readonly row: RequestRow;
  /** Path of the endpoint that was called: one of a few. */
  readonly path: string;
  /** Public id of the catalog; undefined when it was refused before that was known. */
  readonly model: string | undefined;
  /** Protocol of the upstream; undefined when none was called. */
  readonly provider: string | undefined;
  /** Milliseconds from authentication to the row being durable. */
  readonly durationMs: number;
  /**
   * Milliseconds spent in this process: from the last byte of the body to the first upstream call, and from
   * the end of the answer on.
   */
  readonly overheadMs: number | undefined;
  /** Milliseconds until the row was durable. */
  readonly settleMs: number;
  /** True when the row is durable. */
  readonly isRecorded: boolean;
}

/** Which endpoint a call was for. */
export interface CalledEndpoint {
  readonly path: string;
  readonly operation: Operation;
}

/** What is known of a refused call without a row. */
export interface RefusedCall {
  readonly state: "failed" | "aborted";
  /** Model id from the catalog; undefined when the request was refused before the model was resolved. */
  readonly model: string | undefined;
}

export interface Observe {
  settled(request: SettledRequest): void;
  /** Counts a refused call without a row: its key is unknown, or has many such calls. */
  refused(errorCode: string, status: number, called: CalledEndpoint, known?: RefusedCall): void;
}

/** Maximum number of models with their own series; further ones share `other`. */
export const modelsMax = 1_000;
const upstreamsMax = 200;

const tokenBounds = Array.from({ length: 14 }, (_, power) => 4 ** power);
/** Overhead and commits range from far below a millisecond to seconds. */
const overheadBounds = [
  0.0002, 0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

const modelLabel: LabelRule = { name: "model", valuesMax: modelsMax };
const upstreamLabel: LabelRule = { name: "upstream", valuesMax: upstreamsMax };
const genAiLabels: readonly LabelRule[] = [
  { name: "gen_ai_operation_name" },
  { name: "gen_ai_provider_name" },
  { name: "gen_ai_request_model", valuesMax: modelsMax },
];

/** OpenTelemetry's name of an operation (`gen_ai.operation.name`), or Plaza's where it has none. */
export const genAiOperation = (operation: Operation): string =>
  operation === "completion" ? "text_completion" : operation;

/** Series of one model. */
interface ModelSeries {
  readonly input: Counter;
  readonly cachedInput: Counter;
  readonly cacheWrite: Counter;
  readonly output: Counter;
  readonly reasoning: Counter;
  readonly charges: ExactCounter;
  readonly operations: Map<Operation, OperationSeries>;
}

/** Series of one model and operation. */
interface OperationSeries {
  readonly complete: Counter;
  /** By protocol of the upstream. */
  readonly calls: Map<string, CallSeries>;
}

/** Series of one model, operation and protocol. */
interface CallSeries {
  readonly duration: Histogram;
  readonly firstToken: Histogram;
  readonly inputTokens: Histogram;
  readonly outputTokens: Histogram;
}

/** Series of one upstream. */
interface UpstreamSeries {
  readonly answered: Counter;
  readonly estimated: Counter;
  readonly costs: ExactCounter;
}

const usd = (value: bigint): string => formatUsd(nanoUsd(value));

function createFamilies(registry: Registry) {
  const { counter, exactCounter, histogram } = registry;
  return {
    requests: counter({
      name: "plaza_requests_total",
      help: "Requests by how they ended: HTTP status, state, error code, model and operation.",
      labels: [{ name: "status" }, { name: "state" }, { name: "error" }, modelLabel, { name: "operation" }],
    }),
    endpoints: counter({
      name: "plaza_endpoint_requests_total",
      help: "Requests by the path that was called, which says the wire format, and how they ended.",
      labels: [{ name: "endpoint" }, { name: "state" }],
    }),
    duration: histogram({
      name: "gen_ai_client_operation_duration_seconds",
      help: "Duration of complete requests that an upstream answered, retries included, until they are settled.",
      labels: genAiLabels,
      bounds: durationBounds,
    }),
    firstToken: histogram({
      name: "gen_ai_server_time_to_first_token_seconds",
      help: "Time to the first content of a streamed answer, retries included.",
      labels: genAiLabels,
      bounds: firstTokenBounds,
    }),
    tokenUsage: histogram({
      name: "gen_ai_client_token_usage",
      help: "Tokens of a request, by kind.",
      labels: [...genAiLabels, { name: "gen_ai_token_type" }],
      bounds: tokenBounds,
    }),
    tokens: counter({
      name: "plaza_tokens_total",
      help: "Tokens by class; the classes are disjoint.",
      labels: [modelLabel, { name: "class" }],
    }),
    reasoning: counter({
      name: "plaza_reasoning_tokens_total",
      help: "Output tokens that were reasoning; a part of the class output.",
      labels: [modelLabel],
    }),
    estimated: counter({
      name: "plaza_usage_estimated_total",
      help: "Requests charged by Plaza's own count because the upstream reported no usage.",
      labels: [upstreamLabel],
    }),
    charges: exactCounter({
      name: "plaza_charges_usd_total",
      help: "Charges to accounts, US dollars.",
      labels: [modelLabel],
      format: usd,
    }),
    costs: exactCounter({
      name: "plaza_costs_usd_total",
      help: "What upstreams bill, US dollars, where the catalog knows it; under the upstream that ended the request.",
      labels: [upstreamLabel],
      format: usd,
    }),
    overhead: histogram({
      name: "plaza_overhead_seconds",
      help: "Time a request spent in Plaza outside of upstream calls: from the body's last byte to the first call, and from the answer's end until it was settled.",
      bounds: overheadBounds,
    }),
    settle: histogram({
      name: "plaza_settle_seconds",
      help: "Time until a request's row and charge were durable.",
      bounds: overheadBounds,
    }),
    notRecorded: counter({
      name: "plaza_requests_not_recorded_total",
      help: "Requests whose row could not be written; their callers got ledger_unavailable.",
    }),
    attempts: counter({
      name: "plaza_attempts_total",
      help: "Upstream calls by how they ended: answered, or the kind of fault.",
      labels: [upstreamLabel, { name: "outcome" }],
    }),
    retries: counter({
      name: "plaza_retries_total",
      help: "Further attempts on the same deployment.",
      labels: [upstreamLabel],
    }),
    fallbacks: counter({
      name: "plaza_fallbacks_total",
      help: "Further attempts on another deployment, under the upstream that was turned to.",
      labels: [upstreamLabel],
    }),
    hedges: counter({
      name: "plaza_hedges_total",
      help: "Hedged requests: second attempts beside a slow first one, under the upstream that won.",
      labels: [upstreamLabel],
    }),
  };
}

type Families = ReturnType<typeof createFamilies>;

function modelSeries({ tokens, reasoning, charges }: Families, model: string): ModelSeries {
  return {
    input: tokens.with(model, "input"),
    cachedInput: tokens.with(model, "cached_input"),
    cacheWrite: tokens.with(model, "cache_write"),
    output: tokens.with(model, "output"),
    reasoning: reasoning.with(model),
    charges: charges.with(model),
    operations: new Map(),
  };
}

function callSeries(families: Families, operation: Operation, provider: string, model: string): CallSeries {
  const labels = [genAiOperation(operation), provider, model] as const;
  return {
    duration: families.duration.with(...labels),
    firstToken: families.firstToken.with(...labels),
    inputTokens: families.tokenUsage.with(...labels, "input"),
    outputTokens: families.tokenUsage.with(...labels, "output"),
  };
}

/** Returns the entry for a name, creating it if needed. Beyond `max` names, all others share one entry. */
function keep<T>(known: Map<string, T>, name: string, max: number, create: (name: string) => T): T {
  const found = known.get(name);
  if (found !== undefined) return found;
  const key = known.size < max ? name : otherValue;
  const made = known.get(key) ?? create(key);
  known.set(key, made);
  return made;
}

function countUsage(series: ModelSeries, calls: CallSeries, row: RequestRow): void {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens } = row;
  series.input.add(inputTokens);
  series.cachedInput.add(cachedInputTokens);
  series.cacheWrite.add(cacheWriteTokens);
  series.output.add(outputTokens);
  series.reasoning.add(row.reasoningTokens);
  series.charges.add(row.charge);
  calls.inputTokens.observe(inputTokens + cachedInputTokens + cacheWriteTokens);
  calls.outputTokens.observe(outputTokens);
}

function countAttempts(families: Families, log: readonly AttemptRecord[]): void {
  let last: AttemptRecord | undefined;
  for (const attempt of log) {
    const { upstreamId } = attempt;
    families.attempts.with(upstreamId, attempt.fault ?? "answered").add();
    if (last !== undefined) {
      const isSame =
        last.upstreamId === upstreamId &&
        last.upstreamModel === attempt.upstreamModel &&
        last.model === attempt.model;
      const isHedge = isGivenUpBeside(last.fault);
      const further = isHedge ? families.hedges : isSame ? families.retries : families.fallbacks;
      further.with(upstreamId).add();
    }
    last = attempt;
  }
}

export function createObserve(registry: Registry): Observe {
  const families = createFamilies(registry);
  const overhead = families.overhead.with();
  const settle = families.settle.with();
  const notRecorded = families.notRecorded.with();
  /** Complete requests by the path of their endpoint. */
  const completeAt = new Map<string, Counter>();
  /** Calls refused before the caller was known, by path and error code. */
  const refusedAt = new Map<string, Map<string, readonly Counter[]>>();
  const models = new Map<string, ModelSeries>();
  const upstreams = new Map<string, UpstreamSeries>();

  const seriesOf = (model: string): ModelSeries =>
    keep(models, model, modelsMax, (name) => modelSeries(families, name));

  /** The label under which a model is counted. */
  const labelOf = (model: string): string => (models.has(model) ? model : otherValue);

  function operationOf({ operations }: ModelSeries, model: string, operation: Operation): OperationSeries {
    let series = operations.get(operation);
    if (series === undefined) {
      const complete = families.requests.with("200", "complete", "", labelOf(model), operation);
      series = { complete, calls: new Map() };
      operations.set(operation, series);
    }
    return series;
  }

  const callsOf = (
    series: OperationSeries,
    operation: Operation,
    provider: string,
    model: string,
  ): CallSeries =>
    keep(series.calls, provider, 32, (name) => callSeries(families, operation, name, labelOf(model)));

  const upstreamOf = (id: string): UpstreamSeries =>
    keep(upstreams, id, upstreamsMax, (name) => ({
      answered: families.attempts.with(name, "answered"),
      estimated: families.estimated.with(name),
      costs: families.costs.with(name),
    }));

  function countEndpoint(path: string, state: RequestRow["state"]): void {
    if (state !== "complete") {
      families.endpoints.with(path, state).add();
      return;
    }
    let complete = completeAt.get(path);
    if (complete === undefined) {
      complete = families.endpoints.with(path, state);
      completeAt.set(path, complete);
    }
    complete.add();
  }

  function countCalls(row: RequestRow): void {
    if (row.upstreamId === null) return;
    const upstream = upstreamOf(row.upstreamId);
    if (row.attemptLog === null) upstream.answered.add();
    else countAttempts(families, row.attemptLog);
    if (row.cost !== null) upstream.costs.add(row.cost);
    if (row.usageSource === "estimated") upstream.estimated.add();
  }

  function countEnding(row: RequestRow, series: OperationSeries | undefined, model: string): void {
    if (series !== undefined && row.state === "complete" && row.status === 200 && row.errorCode === null) {
      series.complete.add();
    } else {
      families.requests.with(String(row.status), row.state, row.errorCode ?? "", model, row.operation).add();
    }
  }

  return {
    settled({ row, path, model, provider, durationMs, overheadMs, settleMs, isRecorded }) {
      settle.observe(settleMs / 1_000);
      if (overheadMs !== undefined) overhead.observe(overheadMs / 1_000);
      const series = model === undefined ? undefined : seriesOf(model);
      countCalls(row);
      countEndpoint(path, isRecorded ? row.state : "failed");
      if (!isRecorded) {
        notRecorded.add();
        families.requests.with("503", "failed", "ledger_unavailable", model ?? "", row.operation).add();
        return;
      }
      const { operation } = row;
      const ofOperation =
        series === undefined || model === undefined ? undefined : operationOf(series, model, operation);
      countEnding(row, ofOperation, model ?? "");
      if (ofOperation === undefined || series === undefined || model === undefined || provider === undefined)
        return;
      const calls = callsOf(ofOperation, operation, provider, model);
      if (row.state === "complete") calls.duration.observe(durationMs / 1_000);
      if (row.isStream && row.firstTokenMs !== null) calls.firstToken.observe(row.firstTokenMs / 1_000);
      if (row.usageSource !== "none") countUsage(series, calls, row);
    },
    refused(errorCode, status, { path, operation }, known) {
      let counters = known === undefined ? refusedAt.get(path)?.get(errorCode) : undefined;
      if (counters === undefined) {
        const { state = "failed", model = "" } = known ?? {};
        const ofRequests = families.requests.with(String(status), state, errorCode, model, operation);
        counters = [families.endpoints.with(path, state), ofRequests];
        if (known === undefined) {
          const atPath = refusedAt.get(path) ?? new Map<string, readonly Counter[]>();
          refusedAt.set(path, atPath.set(errorCode, counters));
        }
      }
      for (const counter of counters) counter.add();
    },
  };
}
