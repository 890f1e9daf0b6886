/**
 * Sends batches to a collector over gRPC, with a time limit. The answer's message is ignored. Loaded only
 * where a collector is configured to receive gRPC: the library is large.
 */
import { createSecureContext, getCACertificates } from "node:tls";
import {
  type CallOptions,
  Client,
  credentials,
  logVerbosity,
  Metadata,
  type ServiceError,
  setLogVerbosity,
  status,
} from "@grpc/grpc-js";
import type { Sent } from "./otlp.ts";

const exportPath = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

/** Largest answer that is read, in bytes; a collector's says how many spans it rejected, and why. */
const answerBytesMax = 65_536;

/** Longest pause of the library between two attempts to connect. */
const reconnectMaxMs = 10_000;

/** Codes after which a batch may be sent again, from the protocol's specification. */
const laterCodes: ReadonlySet<number> = new Set([
  status.CANCELLED,
  status.DEADLINE_EXCEEDED,
  status.ABORTED,
  status.OUT_OF_RANGE,
  status.UNAVAILABLE,
  status.DATA_LOSS,
]);

/** An exhausted collector takes a batch later only if it says when. */
function saysWhen({ metadata }: ServiceError): boolean {
  const details = metadata.get("grpc-status-details-bin");
  return details.some((detail) => detail.includes("google.rpc.RetryInfo"));
}

function judge(error: ServiceError | null): Sent {
  if (error === null) return "taken";
  const mayRepeat =
    laterCodes.has(error.code) || (error.code === status.RESOURCE_EXHAUSTED && saysWhen(error));
  return mayRepeat ? "later" : "never";
}

/** Throws for a name or value that gRPC does not allow. */
function metadataOf(headers: readonly string[]): Metadata {
  const metadata = new Metadata();
  for (let at = 0; at < headers.length; at += 2) {
    const [name = "", value = ""] = headers.slice(at, at + 2);
    metadata.set(name, name.endsWith("-bin") ? Buffer.from(value, "base64") : value);
  }
  return metadata;
}

/** The library's own default leaves out the authorities of NODE_EXTRA_CA_CERTS. */
const trustingAsNode = () =>
  credentials.createFromSecureContext(createSecureContext({ ca: getCACertificates("default") }));

export interface GrpcSender {
  /** Sends an encoded batch; never rejects. */
  send(message: Buffer, timeoutMs: number): Promise<Sent>;
  close(): void;
}

/** `isTls`: with the certificate authorities that Node trusts. `headers`: flat, name, value, name, value … */
export function createGrpcSender(options: {
  readonly host: string;
  readonly isTls: boolean;
  readonly headers: readonly string[];
}): GrpcSender {
  const metadata = metadataOf(options.headers);
  // Lines on standard error would not be in the log's form.
  setLogVerbosity(logVerbosity.NONE);
  const client = new Client(options.host, options.isTls ? trustingAsNode() : credentials.createInsecure(), {
    // As over HTTP: proxies of the environment are for other programs.
    "grpc.enable_http_proxy": 0,
    "grpc.enable_retries": 0,
    "grpc.max_receive_message_length": answerBytesMax,
    "grpc.max_reconnect_backoff_ms": reconnectMaxMs,
    "grpc.service_config_disable_resolution": 1,
  });
  const same = (bytes: Buffer): Buffer => bytes;
  return {
    send(message, timeoutMs) {
      const { promise, resolve } = Promise.withResolvers<Sent>();
      const call: CallOptions = { deadline: Date.now() + timeoutMs };
      client.makeUnaryRequest(exportPath, same, same, message, metadata, call, (error) =>
        resolve(judge(error)),
      );
      return promise;
    },
    close: () => client.close(),
  };
}
