/**
 * Decodes what a collector receives in protobuf. The messages are those of opentelemetry-proto 1.x, without
 * the fields that no span of ours has: an unknown field that arrives is left out.
 */
import protobuf from "protobufjs";

const messages = `
  syntax = "proto3";
  message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { InstrumentationScope scope = 1; repeated Span spans = 2; }
  message InstrumentationScope { string name = 1; string version = 2; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue {
    oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; }
  }
  message Status { string message = 2; int32 code = 3; }
  message Span {
    bytes trace_id = 1;
    bytes span_id = 2;
    bytes parent_span_id = 4;
    string name = 5;
    int32 kind = 6;
    fixed64 start_time_unix_nano = 7;
    fixed64 end_time_unix_nano = 8;
    repeated KeyValue attributes = 9;
    Status status = 15;
  }`;

const request = protobuf.parse(messages).root.lookupType("ExportTraceServiceRequest");

/** Spans as both encodings have them. */
export interface DecodedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

export interface DecodedTraces {
  readonly resourceSpans: readonly {
    readonly resource: object;
    readonly scopeSpans: readonly { readonly scope: object; readonly spans: readonly DecodedSpan[] }[];
  }[];
}

/** Ids in hexadecimal, and only fields that are in the JSON encoding. */
function asInJson(value: unknown, name = ""): unknown {
  if (Buffer.isBuffer(value)) return value.toString("hex");
  if (Array.isArray(value)) return value.map((one) => asInJson(one));
  if (typeof value !== "object" || value === null) return value;
  const isUnset = (key: string, one: unknown): boolean => name === "status" && key === "code" && one === 0;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, one]) => !isUnset(key, one))
      .map(([key, one]) => [key, asInJson(one, key)]),
  );
}

/** Throws for bytes that are no such message. The result is what the JSON encoding of the same would be. */
export function decodeTraces(bytes: Buffer): DecodedTraces {
  const decoded = request.toObject(request.decode(bytes), { longs: String, bytes: Buffer, arrays: true });
  return asInJson(decoded) as DecodedTraces;
}
