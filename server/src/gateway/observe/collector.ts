/**
 * Sends traces to a collector through a queue, and logs when the collector stops and resumes accepting spans.
 * Used only when a collector is configured. What encodes protobuf and speaks gRPC is loaded only when that is
 * chosen: a start without it pays nothing.
 */
import { createHttpClient } from "../../lib/net/http-client.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import {
  createSpanExporter,
  type Sent,
  type Span,
  type SpanExporter,
  type SpanSource,
} from "../../lib/telemetry/otlp.ts";
import { type OtlpTarget, sendOverHttp, tracesUrl } from "../../lib/telemetry/otlp-http.ts";
import { encodeSpansAsJson } from "../../lib/telemetry/otlp-json.ts";

export interface CollectorOptions {
  /** http or https URL of the collector. */
  readonly endpoint: string;
  readonly protocol: "http/json" | "http/protobuf" | "grpc";
  /** Flat list: name, value, name, value, … */
  readonly headers: readonly string[];
  readonly version: string;
  readonly log: Log;
}

/** One way to a collector. */
interface Sender {
  /** Never rejects, and keeps the time limit. */
  send(spans: readonly Span[], timeoutMs: number): Promise<Sent>;
  close(): Promise<void>;
}

const connectMs = 5_000;
const timeoutMs = 10_000;

/** When the process stops, in milliseconds: time limits for the last batch, and for it and one on its way. */
const lastBatchMs = 2_000;
const closeMs = 3_000;

function createHttpSender(
  { endpoint, headers }: CollectorOptions,
  contentType: OtlpTarget["contentType"],
  encode: (spans: readonly Span[]) => Buffer,
): Sender {
  const url = tracesUrl(endpoint);
  const client = createHttpClient(url.origin, connectMs);
  const target = { client, path: `${url.pathname}${url.search}`, headers, contentType };
  return {
    send: (spans, limitMs) => sendOverHttp({ ...target, timeoutMs: limitMs }, encode(spans)),
    close: () => client.close(),
  };
}

async function createSender(options: CollectorOptions, source: SpanSource): Promise<Sender> {
  if (options.protocol === "http/json")
    return createHttpSender(options, "application/json", (spans) => encodeSpansAsJson(spans, source));
  const { encodeSpansAsProtobuf } = await import("../../lib/telemetry/otlp-protobuf.ts");
  const encode = (spans: readonly Span[]): Buffer => encodeSpansAsProtobuf(spans, source);
  if (options.protocol === "http/protobuf")
    return createHttpSender(options, "application/x-protobuf", encode);
  const { createGrpcSender } = await import("../../lib/telemetry/otlp-grpc.ts");
  const { protocol, hostname, port } = new URL(options.endpoint);
  const isTls = protocol === "https:";
  const host = `${hostname}:${port === "" ? (isTls ? 443 : 80) : port}`;
  const grpc = createGrpcSender({ host, isTls, headers: options.headers });
  return {
    send: (spans, limitMs) => grpc.send(encode(spans), limitMs),
    close: async () => grpc.close(),
  };
}

/** Takes the place of a sender that could not be made. */
const nowhere: Sender = { send: async () => "never", close: async () => {} };

export function createCollector(options: CollectorOptions): SpanExporter {
  const { endpoint, protocol, version, log } = options;
  const collector = new URL(endpoint).host;
  const sender = createSender(options, {
    resource: { "service.name": "plaza", "service.version": version, "process.pid": process.pid },
    scope: { name: "plaza", version },
  }).catch((error: Error) => {
    log.error("traces_not_sent", { collector, protocol, fault: error.message });
    return nowhere;
  });
  let isClosing = false;
  const exporter = createSpanExporter({
    send: async (spans) => await (await sender).send(spans, isClosing ? lastBatchMs : timeoutMs),
    onState(isFailing) {
      if (isFailing) log.warn("traces_not_taken", { collector, dropped: exporter.dropped });
      else log.info("traces_taken_again", { collector, dropped: exporter.dropped });
    },
  });
  return {
    add: exporter.add,
    get dropped() {
      return exporter.dropped;
    },
    async close() {
      isClosing = true;
      const { promise: isLate, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, closeMs);
      await Promise.race([exporter.close(), isLate]);
      clearTimeout(timer);
      await (await sender).close();
    },
  };
}
