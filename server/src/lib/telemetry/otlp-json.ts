/** Encodes spans as OTLP in JSON, which needs no library. */
import { type Attributes, type AttributeValue, type Span, type SpanSource, valueLengthMax } from "./otlp.ts";

/** Kinds of a span and its status in the protocol's numbers. */
const kinds = { server: 2, client: 3 } as const;
const statusFailed = 2;

function wireValue(value: AttributeValue): object {
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "string") return { stringValue: value.slice(0, valueLengthMax) };
  // In this JSON 64-bit integers are strings.
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

function attributesOf(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: wireValue(value) }],
  );
}

const nanosOf = (ms: number): string => String(BigInt(Math.round(ms * 1_000)) * 1_000n);

function spanObject(span: Span): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentId === undefined ? {} : { parentSpanId: span.parentId }),
    name: span.name.slice(0, valueLengthMax),
    kind: kinds[span.kind],
    startTimeUnixNano: nanosOf(span.startMs),
    endTimeUnixNano: nanosOf(span.endMs),
    attributes: attributesOf(span.attributes),
    status: span.hasFailed ? { code: statusFailed } : {},
  };
}

/** The body of a POST to a collector's `/v1/traces`, in JSON. */
export function encodeSpansAsJson(spans: readonly Span[], { resource, scope }: SpanSource): Buffer {
  const scopeSpans = [{ scope, spans: spans.map(spanObject) }];
  return Buffer.from(
    JSON.stringify({ resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans }] }),
  );
}
