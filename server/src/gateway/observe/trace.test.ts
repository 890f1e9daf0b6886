/** Parsing a caller's `traceparent`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Operation } from "@plaza/contract/operations.ts";
import type { Span } from "../../lib/telemetry/otlp.ts";
import type { RequestRow } from "../../store/requests/shapes.ts";
import { createTracer, readTraceparent } from "./trace.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const parentId = "b7ad6b7169203331";

test("a traceparent is read as W3C Trace Context writes it", () => {
  assert.deepEqual(readTraceparent(`00-${traceId}-${parentId}-01`), { traceId, parentId, isSampled: true });
  assert.deepEqual(readTraceparent(`00-${traceId}-${parentId}-02`), { traceId, parentId, isSampled: false });
  assert.deepEqual(readTraceparent(`cc-${traceId}-${parentId}-03-later`), {
    traceId,
    parentId,
    isSampled: true,
  });
});

test("anything else begins a trace of its own", () => {
  const wrong = [
    "",
    "x",
    `00-${traceId}-${parentId}-01-more`,
    `ff-${traceId}-${parentId}-01`,
    `00-${"0".repeat(32)}-${parentId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${parentId}-01`,
    `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01`,
    `00-${traceId}-${parentId}-1`,
  ];
  const tracer = createTracer({ add() {}, dropped: 0, close: () => Promise.resolve() });
  for (const text of wrong) {
    assert.equal(readTraceparent(text), undefined, text);
    const begun = tracer.begin(text);
    assert.equal(begun?.parentId, undefined);
    assert.match(begun?.traceId ?? "", /^[0-9a-f]{32}$/);
    assert.notEqual(begun?.traceId, traceId);
  }
});

test("a caller that does not record its trace is not recorded", () => {
  const tracer = createTracer({ add() {}, dropped: 0, close: () => Promise.resolve() });
  assert.equal(tracer.begin(`00-${traceId}-${parentId}-00`), undefined);
  assert.deepEqual(tracer.begin(`00-${traceId}-${parentId}-01`), { traceId, parentId });
});

test("spans carry the operation in OpenTelemetry's word, in their names and in their attributes", () => {
  const spansOf = (operation: Operation): unknown[] => {
    const spans: Span[] = [];
    const tracer = createTracer({
      add: (span) => spans.push(span),
      dropped: 0,
      close: () => Promise.resolve(),
    });
    const row = {
      operation,
      modelId: "m",
      upstreamId: "u",
      upstreamModel: "um",
      attemptLog: null,
      charge: 0n,
    };
    tracer.end({
      trace: { traceId, parentId },
      row: row as unknown as RequestRow,
      path: "/v1/messages",
      provider: "openai",
      ...{ startMs: 0, dispatchedMs: 1, answeredMs: 2, endMs: 3 },
    });
    const server = spans.find(({ kind }) => kind === "server");
    assert.equal(server?.attributes["http.route"], "/v1/messages");
    return spans.map(({ name, attributes }) => [name, attributes["gen_ai.operation.name"]]);
  };
  for (const [operation, word] of [
    ["chat", "chat"],
    ["embeddings", "embeddings"],
    ["completion", "text_completion"],
  ] as const)
    assert.deepEqual(spansOf(operation), [
      [`${word} m`, word],
      [`${word} um`, word],
    ]);
});

test("spans of attempts begin when the attempts did", () => {
  const spans: Span[] = [];
  const tracer = createTracer({
    add: (span) => spans.push(span),
    dropped: 0,
    close: () => Promise.resolve(),
  });
  const row = { operation: "chat", modelId: "m", upstreamId: "b", upstreamModel: "y", charge: 0n };
  const tried = (upstreamId: string, startMs: number, durationMs: number) => ({
    ...{ upstreamId, upstreamModel: "x", fault: null, status: null, startMs, durationMs },
  });
  const spansOf = (changes: object) => {
    spans.length = 0;
    tracer.end({
      trace: { traceId, parentId },
      row: { ...row, ...changes } as unknown as RequestRow,
      path: "/v1/chat/completions",
      provider: "openai",
      ...{ startMs: 1_000, dispatchedMs: 1_005, answeredMs: 1_090, endMs: 1_095 },
    });
    return spans.slice(1).map(({ startMs, endMs }) => [startMs, endMs]);
  };
  assert.deepEqual(spansOf({ attemptLog: [tried("a", 6, 10), tried("b", 30, 59)], queueMs: 6 }), [
    [1_006, 1_016],
    [1_030, 1_089],
  ]);
  assert.deepEqual(spansOf({ attemptLog: null, queueMs: 20 }), [[1_020, 1_090]]);
});
