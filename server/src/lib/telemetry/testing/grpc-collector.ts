/** A collector that speaks gRPC, on the official server library, and decides how each batch is answered. */
import { Metadata, Server, ServerCredentials, type ServiceDefinition, status } from "@grpc/grpc-js";

export interface GrpcAnswer {
  /** 0 accepts the batch. */
  readonly code: number;
  /** Google's details of a status, as they are on the wire. */
  readonly details?: Buffer;
}

export interface GrpcCollector {
  readonly port: number;
  /** Batches so far, encoded, each with its metadata. */
  readonly batches: readonly { readonly message: Buffer; readonly metadata: Metadata }[];
  /** How the next batches are answered; "never" leaves the calls open. */
  answer: GrpcAnswer | "never";
  /** Resolves once so many batches came. */
  came(count: number): Promise<void>;
  stop(): void;
}

const same = (bytes: Buffer): Buffer => bytes;
const service: ServiceDefinition = {
  export: {
    path: "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
    requestStream: false,
    responseStream: false,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  },
};

/** `tls`: with this certificate and key, both PEM. */
export async function startGrpcCollector(tls?: { readonly chain: string; readonly key: string }) {
  const pair = tls && { cert_chain: Buffer.from(tls.chain), private_key: Buffer.from(tls.key) };
  const credentials = pair ? ServerCredentials.createSsl(null, [pair]) : ServerCredentials.createInsecure();
  const batches: { message: Buffer; metadata: Metadata }[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const server = new Server();
  const collector = {
    port: 0,
    batches,
    answer: { code: status.OK } as GrpcAnswer | "never",
    came(count: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (batches.length >= count) resolve();
      else waiting.push({ count, resolve });
      return promise;
    },
    stop: () => server.forceShutdown(),
  };
  server.addService(service, {
    export(
      call: { request: Buffer; metadata: Metadata },
      reply: (error: object | null, message?: Buffer) => void,
    ) {
      const { answer } = collector;
      batches.push({ message: call.request, metadata: call.metadata });
      for (const { count, resolve } of waiting) if (batches.length >= count) resolve();
      if (answer === "never") return;
      const metadata = new Metadata();
      if (answer.details !== undefined) metadata.set("grpc-status-details-bin", answer.details);
      if (answer.code === status.OK) reply(null, Buffer.alloc(0));
      else reply({ code: answer.code, details: "no", metadata });
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.bindAsync("127.0.0.1:0", credentials, (error, bound) =>
    error === null ? resolve(bound) : reject(error),
  );
  collector.port = await promise;
  return collector satisfies GrpcCollector;
}
