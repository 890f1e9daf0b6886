/** A Bedrock mock that returns a test's bytes and records its requests. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface MockCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface MockAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects are sent as JSON. */
  readonly body: Buffer | object | string;
}

export interface MockBedrock {
  readonly origin: string;
  /** Calls since the last `answerWith`. */
  readonly calls: readonly MockCall[];
  /** The next answers, in order; the last one repeats. */
  answerWith(...answers: readonly MockAnswer[]): void;
  stop(): Promise<void>;
}

const bytesOf = (body: MockAnswer["body"]): Buffer =>
  Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));

/** Starts one on a free port of 127.0.0.1. Streams go out in pieces that have nothing to do with frames. */
export async function startMockBedrock(): Promise<MockBedrock> {
  let answers: readonly MockAnswer[] = [];
  let calls: MockCall[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const {
        status = 200,
        headers,
        body,
      } = answers[Math.min(calls.length, answers.length - 1)] ?? {
        status: 500,
        body: {},
      };
      calls.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(parts) });
      const type = Buffer.isBuffer(body) ? "application/vnd.amazon.eventstream" : "application/json";
      response.writeHead(status, { "content-type": type, ...headers });
      const bytes = bytesOf(body);
      for (let at = 0; at < bytes.length; at += 777) response.write(bytes.subarray(at, at + 777));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    get calls() {
      return calls;
    },
    answerWith(...next) {
      answers = next;
      calls = [];
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
