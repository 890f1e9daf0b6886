/**
 * Encodes spans as OTLP in protobuf, with OpenTelemetry's own serializer. Loaded only where a collector is
 * configured to receive it.
 */
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { type Attributes, type AttributeValue, type Span, type SpanSource, valueLengthMax } from "./otlp.ts";

type ReadableSpan = Parameters<typeof ProtobufTraceSerializer.serializeRequest>[0][number];

/** Numbers of OpenTelemetry's API for kinds and statuses; those on the wire are its serializer's concern. */
const kinds = { server: 1, client: 2 } as const;
const status = { unset: 0, error: 2 } as const;
const isSampled = 1;

const isDefined = (entry: [string, AttributeValue | undefined]): entry is [string, AttributeValue] =>
  entry[1] !== undefined;

function attributesOf(attributes: Attributes): Record<string, AttributeValue> {
  return Object.fromEntries(
    Object.entries(attributes)
      .filter(isDefined)
      .map(([key, value]) => [key, typeof value === "string" ? value.slice(0, valueLengthMax) : value]),
  );
}

/** Seconds and nanoseconds of a time in Unix milliseconds, to the microsecond. */
function hrTime(ms: number): [number, number] {
  const micros = Math.round(ms * 1_000);
  return [Math.floor(micros / 1_000_000), (micros % 1_000_000) * 1_000];
}

function readableSpan(
  span: Span,
  shared: Pick<ReadableSpan, "resource" | "instrumentationScope">,
): ReadableSpan {
  const contextOf = (spanId: string) => ({ traceId: span.traceId, spanId, traceFlags: isSampled });
  return {
    ...shared,
    name: span.name.slice(0, valueLengthMax),
    kind: kinds[span.kind],
    spanContext: () => contextOf(span.spanId),
    ...(span.parentId === undefined ? {} : { parentSpanContext: contextOf(span.parentId) }),
    startTime: hrTime(span.startMs),
    endTime: hrTime(span.endMs),
    duration: hrTime(span.endMs - span.startMs),
    ended: true,
    status: { code: span.hasFailed ? status.error : status.unset },
    attributes: attributesOf(span.attributes),
    links: [],
    events: [],
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** An `ExportTraceServiceRequest`: the body of a POST to `/v1/traces`, and a call's message in gRPC. */
export function encodeSpansAsProtobuf(spans: readonly Span[], { resource, scope }: SpanSource): Buffer {
  const attributes = attributesOf(resource);
  const origin = { attributes, merge: () => origin, getRawAttributes: () => Object.entries(attributes) };
  const shared = { resource: origin, instrumentationScope: scope };
  const bytes = ProtobufTraceSerializer.serializeRequest(spans.map((span) => readableSpan(span, shared)));
  return bytes === undefined
    ? Buffer.alloc(0)
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
