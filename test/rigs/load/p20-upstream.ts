/**
 * A cheap upstream in a thread: every call gets the same prepared stream, one event per write at a fixed
 * pace. The counting upstream would be overloaded before Plaza.
 */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

export interface CheapUpstream {
  readonly baseUrl: string;
  /** Number of completed streams. */
  streamed(): Promise<number>;
  stop(): Promise<void>;
}

interface CheapStream {
  /** Content events of each stream, and the pause before each. */
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

function eventOf(delta: object, finish: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  const event = { id: "chatcmpl-p20", object: "chat.completion.chunk", created: 1, model: "m", choices };
  return `data: ${JSON.stringify(event)}\n\n`;
}

function writesOf(events: number): string[] {
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
  const usage = { prompt_tokens: 9, completion_tokens: events, total_tokens: 9 + events };
  const last = {
    id: "chatcmpl-p20",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [],
    usage,
  };
  const end = `${eventOf({}, "stop")}data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`;
  return [
    head + chunkOf(eventOf({ role: "assistant", content: "" }, null)),
    ...Array.from({ length: events }, (_, index) =>
      chunkOf(eventOf({ content: `word ${index % 10} ` }, null)),
    ),
    `${chunkOf(end)}0\r\n\r\n`,
  ];
}

interface Running {
  readonly socket: Socket;
  next: number;
}

function serve({ events, gapMs }: CheapStream): void {
  const writes = writesOf(events).map((text) => Buffer.from(text));
  let running: Running[] = [];
  let streamed = 0;
  setInterval(() => {
    for (const one of running) {
      const bytes = writes[one.next];
      if (bytes === undefined || one.socket.destroyed) continue;
      one.socket.write(bytes);
      one.next += 1;
      if (one.next === writes.length) streamed += 1;
    }
    running = running.filter(({ socket, next }) => next < writes.length && !socket.destroyed);
  }, gapMs);
  const server = createServer({ noDelay: true }, (socket) => {
    let text = "";
    socket.on("error", () => {});
    socket.on("data", (bytes: Buffer) => {
      text += bytes.toString("latin1");
      const headEnd = text.indexOf("\r\n\r\n");
      const length = /content-length: *(\d+)/i.exec(text)?.[1];
      if (headEnd < 0 || length === undefined || text.length < headEnd + 4 + Number(length)) return;
      text = "";
      running.push({ socket, next: 0 });
    });
  });
  server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
    parentPort?.postMessage((server.address() as AddressInfo).port);
  });
  parentPort?.on("message", () => parentPort?.postMessage(streamed));
}

if (!isMainThread) serve(workerData as CheapStream);
