/**
 * Traces of requests: one span per request and one below it per upstream attempt. Continues the caller's
 * trace if it sends one (W3C Trace Context). Holds ids, models, counts and times, never prompts, answers or
 * keys.
 * Used only with a configured collector. Attribute names follow OpenTelemetry's conventions for generative
 * AI; `plaza.*` covers the rest.
 */
import { randomBytes } from "node:crypto";
import { formatUsd } from "@plaza/contract/money.ts";
import type { SpanExporter } from "../../lib/telemetry/otlp.ts";
import type { AttemptRecord, RequestRow } from "../../store/requests/shapes.ts";
import { genAiOperation } from "./observe.ts";

/** The trace and parent span of a request. */
export interface TraceContext {
  readonly traceId: string;
  readonly parentId: string | undefined;
}

/** A finished request. Times are Unix milliseconds. */
export interface TracedRequest {
  readonly trace: TraceContext;
  readonly row: RequestRow;
  /** Path of the endpoint that was called. */
  readonly path: string;
  readonly provider: string | undefined;
  readonly startMs: number;
  /** Start of the first attempt; undefined when there was none. */
  readonly dispatchedMs: number | undefined;
  readonly answeredMs: number | undefined;
  readonly endMs: number;
}

export interface Tracer {
  /**
   * Starts a trace, or continues that of the `traceparent` header. undefined = the caller asked not to sample
   * it.
   */
  begin(traceparent: string | string[] | undefined): TraceContext | undefined;
  end(request: TracedRequest): void;
}

/** Accepts version 00 exactly, and of later versions the fields known here. */
const traceparentPattern = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const nothing = /^0+$/;

/** Parses a `traceparent` header; undefined when it is invalid. */
export function readTraceparent(
  text: string,
): { traceId: string; parentId: string; isSampled: boolean } | undefined {
  const [, version = "", traceId = "", parentId = "", flags = "", more] = traceparentPattern.exec(text) ?? [];
  if (version === "" || nothing.test(traceId) || nothing.test(parentId)) return undefined;
  if (version === "00" && more !== undefined) return undefined;
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

const newId = (bytes: number): string => randomBytes(bytes).toString("hex");

/** True when Plaza or the upstream failed, not the caller. */
const isOurs = (row: RequestRow): boolean =>
  row.state === "incomplete" || (row.state === "failed" && row.status >= 500);

function requestAttributes({ row, path, provider }: TracedRequest) {
  const isUsed = row.usageSource !== "none";
  return {
    "gen_ai.operation.name": genAiOperation(row.operation),
    "gen_ai.provider.name": provider,
    "gen_ai.request.model": row.modelId ?? undefined,
    "gen_ai.response.model": row.upstreamModel ?? undefined,
    "gen_ai.usage.input_tokens": isUsed
      ? row.inputTokens + row.cachedInputTokens + row.cacheWriteTokens
      : undefined,
    "gen_ai.usage.cache_read.input_tokens": isUsed ? row.cachedInputTokens : undefined,
    "gen_ai.usage.cache_creation.input_tokens": isUsed ? row.cacheWriteTokens : undefined,
    "gen_ai.usage.output_tokens": isUsed ? row.outputTokens : undefined,
    "http.request.method": "POST",
    "http.route": path,
    "http.response.status_code": row.status,
    "error.type": row.errorCode ?? undefined,
    "plaza.request.id": row.id,
    "plaza.account.id": row.accountId,
    "plaza.key.id": row.keyId,
    "plaza.state": row.state,
    "plaza.stream": row.isStream,
    "plaza.charge_usd": formatUsd(row.charge),
    "plaza.queue_ms": row.queueMs ?? undefined,
    "plaza.first_token_ms": row.firstTokenMs ?? undefined,
  };
}

/** Returns all attempts. The row has no log when the first attempt succeeded. */
function attemptsOf({
  row,
  startMs: requestMs,
  dispatchedMs,
  answeredMs,
}: TracedRequest): readonly AttemptRecord[] {
  if (row.attemptLog !== null) return row.attemptLog;
  if (row.upstreamId === null || dispatchedMs === undefined || answeredMs === undefined) return [];
  const startMs = row.queueMs ?? undefined;
  const beganMs = startMs === undefined ? dispatchedMs : requestMs + startMs;
  return [
    {
      upstreamId: row.upstreamId,
      upstreamModel: row.upstreamModel ?? "",
      fault: null,
      status: 200,
      startMs,
      durationMs: Math.max(0, answeredMs - beganMs),
    },
  ];
}

export function createTracer(exporter: SpanExporter): Tracer {
  function endAttempts(request: TracedRequest, parentId: string): void {
    const operation = genAiOperation(request.row.operation);
    for (const attempt of attemptsOf(request)) {
      const { upstreamId, upstreamModel, fault, status, durationMs } = attempt;
      const startMs = request.startMs + (attempt.startMs ?? 0);
      exporter.add({
        traceId: request.trace.traceId,
        spanId: newId(8),
        parentId,
        name: `${operation} ${upstreamModel}`,
        kind: "client",
        startMs,
        endMs: startMs + durationMs,
        attributes: {
          "gen_ai.operation.name": operation,
          "gen_ai.provider.name": upstreamId === request.row.upstreamId ? request.provider : undefined,
          "gen_ai.request.model": upstreamModel,
          "http.response.status_code": status ?? undefined,
          "error.type": fault ?? undefined,
          "plaza.upstream": upstreamId,
        },
        hasFailed: fault !== null,
      });
    }
  }

  return {
    begin(traceparent) {
      const from = typeof traceparent === "string" ? readTraceparent(traceparent) : undefined;
      if (from === undefined) return { traceId: newId(16), parentId: undefined };
      return from.isSampled ? { traceId: from.traceId, parentId: from.parentId } : undefined;
    },
    end(request) {
      const { trace, row } = request;
      const spanId = newId(8);
      const operation = genAiOperation(row.operation);
      exporter.add({
        traceId: trace.traceId,
        spanId,
        parentId: trace.parentId,
        name: row.modelId === null ? operation : `${operation} ${row.modelId}`,
        kind: "server",
        startMs: request.startMs,
        endMs: request.endMs,
        attributes: requestAttributes(request),
        hasFailed: isOurs(row),
      });
      endAttempts(request, spanId);
    },
  };
}
