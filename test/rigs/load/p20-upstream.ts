/**
 * A cheap upstream in a thread: every call gets the prepared stream of its format, one token per write at a
 * fixed pace. The counting upstream would be overloaded before Plaza.
 */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { type EndpointName, endpointNames } from "../harness/endpoints.ts";
import { soundScript } from "../upstream/answer.ts";
import { defaultPlan } from "../upstream/plan.ts";

export interface CheapUpstream {
  readonly baseUrl: string;
  /** Number of completed streams. */
  streamed(): Promise<number>;
  stop(): Promise<void>;
}

interface CheapStream {
  /** Tokens of each stream, and the pause before each. */
  readonly events: number;
  readonly gapMs: number;
}

/** Starts the thread and waits for its port. */
export async function startCheapUpstream(stream: CheapStream): Promise<CheapUpstream> {
  const worker = new Worker(new URL(import.meta.url), { workerData: stream });
  const [port] = (await once(worker, "message")) as [number];
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async streamed() {
      worker.postMessage("streamed");
      const [count] = (await once(worker, "message")) as [number];
      return count;
    },
    async stop() {
      await worker.terminate();
    },
  };
}

const chunkOf = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

/** The writes of a stream: what stands before the first token, each token, and the rest with the end. */
function writesOf(format: EndpointName, tokens: number): Buffer[] {
  const asked = { format, callId: "p20", model: "m", isStream: true, isUsageAsked: true };
  const plan = { ...defaultPlan, tokens };
  const { steps } = soundScript(plan, { ...asked, authorization: "", address: "", leaks: [] });
  const first = steps.findIndex((step) => step.tokens > 0);
  const last = steps.findLastIndex((step) => step.tokens > 0);
  const textOf = (from: number, to: number): string =>
    Buffer.concat(steps.slice(from, to).map(({ bytes }) => bytes)).toString("utf8");
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
  const begin = first === 0 ? head : head + chunkOf(textOf(0, first));
  const content = steps
    .slice(first, last + 1)
    .map((_, index) => chunkOf(textOf(first + index, first + index + 1)));
  const end = `${chunkOf(textOf(last + 1, steps.length))}0\r\n\r\n`;
  return [begin, ...content, end].map((text) => Buffer.from(text));
}

/** The format of a request by its path. */
function formatOf(request: string): EndpointName {
  const path = request.slice(0, request.indexOf("\r\n"));
  if (path.includes("/chat/completions ")) return "chat";
  if (path.includes("/responses ")) return "responses";
  return path.includes("/messages ") ? "messages" : "gemini";
}

interface Running {
  readonly socket: Socket;
  readonly writes: readonly Buffer[];
  next: number;
}

function serve({ events, gapMs }: CheapStream): void {
  const writesIn = Object.fromEntries(
    endpointNames.map((format) => [format, writesOf(format, events)]),
  ) as Record<EndpointName, Buffer[]>;
  let running: Running[] = [];
  let streamed = 0;
  setInterval(() => {
    for (const one of running) {
      const bytes = one.writes[one.next];
      if (bytes === undefined || one.socket.destroyed) continue;
      one.socket.write(bytes);
      one.next += 1;
      if (one.next === one.writes.length) streamed += 1;
    }
    running = running.filter(({ socket, writes, next }) => next < writes.length && !socket.destroyed);
  }, gapMs);
  const server = createServer({ noDelay: true }, (socket) => {
    let text = "";
    socket.on("error", () => {});
    socket.on("data", (bytes: Buffer) => {
      text += bytes.toString("latin1");
      const headEnd = text.indexOf("\r\n\r\n");
      const length = /content-length: *(\d+)/i.exec(text)?.[1];
      if (headEnd < 0 || length === undefined || text.length < headEnd + 4 + Number(length)) return;
      running.push({ socket, writes: writesIn[formatOf(text)], next: 0 });
      text = "";
    });
  });
  server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
    parentPort?.postMessage((server.address() as AddressInfo).port);
  });
  parentPort?.on("message", () => parentPort?.postMessage(streamed));
}

if (!isMainThread) serve(workerData as CheapStream);
