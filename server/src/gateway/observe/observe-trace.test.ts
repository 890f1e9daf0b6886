/** What a caller's `traceparent` may say. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createTracer, readTraceparent } from "./observe-trace.ts";

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
