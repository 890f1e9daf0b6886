/**
 * The benchmark's upstream: a separate process that answers chat completions with prebuilt bytes, so that it
 * costs much less than any gateway. HTTP/1.1 over raw sockets, keep-alive, bodies with Content-Length, no
 * pipelining. For load only: it parses only the necessary parts of a request.
 */
import { createServer, type Server, type Socket } from "node:net";
import { type PacedStream, StreamTicker } from "./measure/stream-ticker.ts";
import {
  completionReply,
  jsonReply,
  openChunksMax,
  parseStreamModel,
  type StreamPlan,
  type StreamReply,
  streamReply,
} from "./replies.ts";

const headBytesMax = 32 * 1024;
const bodyBytesMax = 32 * 1024 * 1024;
const unsentBytesMax = 1024 * 1024;
const modelsMax = 256;
const noBytes: Buffer = Buffer.alloc(0);

/**
 * Number of responses since the start. `GET /count` returns it as JSON; `GET /finish` also ends open streams.
 */
export interface UpstreamCount {
  json: number;
  streamsStarted: number;
  streamsFinished: number;
  contentChunks: number;
}

type Answer =
  | { readonly kind: "json"; readonly bytes: Buffer }
  | { readonly kind: "stream"; readonly plan: StreamPlan; readonly reply: StreamReply };

interface Shared {
  readonly answers: Map<string, Answer>;
  readonly ticker: StreamTicker;
  readonly count: UpstreamCount;
  /** Open streams started before this count end at their next chunk. */
  finishBefore: number;
}

/** More than the field of a model needs, from its name to its closing quotation mark. */
const modelFieldBytesMax = 256;

/** Reads the model from a part of a body: the bench's own clients write it first. */
function findModel(body: Buffer): string | undefined {
  const marker = '"model":"';
  const start = body.indexOf(marker, 0, "latin1");
  const end = start < 0 ? -1 : body.indexOf(0x22, start + marker.length);
  return end < 0 ? undefined : body.toString("latin1", start + marker.length, end);
}

/** The same in a body that a gateway wrote anew: the model anywhere, with spaces around the colon. */
function findLateModel(body: Buffer): string | undefined {
  return findModel(body) ?? /"model"\s*:\s*"([^"]*)"/.exec(body.toString("latin1"))?.[1];
}

function answerFor(shared: Shared, model: string): Answer {
  const known = shared.answers.get(model);
  if (known !== undefined) return known;
  const plan = parseStreamModel(model);
  const answer: Answer =
    plan === undefined
      ? { kind: "json", bytes: completionReply(model) }
      : { kind: "stream", plan, reply: streamReply(model) };
  if (shared.answers.size < modelsMax) shared.answers.set(model, answer);
  return answer;
}

/** One connection: reads requests, one at a time, and answers each. */
class Connection {
  readonly #socket: Socket;
  readonly #shared: Shared;
  #head: Buffer = Buffer.alloc(0);
  /** Remaining body bytes; -1 while the headers are incomplete. */
  #bodyLeft = -1;
  #control: "count" | "finish" | undefined;
  #model: string | undefined;
  /** The end of the body's last part, while no model was found. */
  #bodyTail: Buffer = noBytes;
  #stream: PacedStream | undefined;

  constructor(socket: Socket, shared: Shared) {
    this.#socket = socket;
    this.#shared = shared;
    socket.setNoDelay(true);
    socket.on("data", (bytes: Buffer) => this.#receive(bytes));
    socket.on("error", () => undefined);
    socket.on("close", () => this.#endStream());
  }

  #receive(bytes: Buffer): void {
    let body = bytes;
    if (this.#bodyLeft < 0) {
      const head = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
      const end = head.indexOf("\r\n\r\n", 0, "latin1");
      if (end < 0) {
        if (head.length > headBytesMax) this.#refuse("431 Request Header Fields Too Large");
        else this.#head = head;
        return;
      }
      this.#head = Buffer.alloc(0);
      if (!this.#readHead(head.toString("latin1", 0, end + 2))) return;
      body = head.subarray(end + 4);
    }
    if (body.length > 0 && this.#model === undefined) this.#model = findModel(body) ?? this.#searchOn(body);
    this.#bodyLeft -= body.length;
    if (this.#bodyLeft < 0) this.#refuse("400 Bad Request");
    else if (this.#bodyLeft === 0) this.#answer();
  }

  /** Searches a part of a body together with the end of the part before it. */
  #searchOn(body: Buffer): string | undefined {
    const bytes = Buffer.concat([this.#bodyTail, body]);
    this.#bodyTail = bytes.subarray(-modelFieldBytesMax);
    return findLateModel(bytes);
  }

  /** Reads the Content-Length; false when the request was refused. */
  #readHead(head: string): boolean {
    const length = Number(/\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1] ?? 0);
    if (/\r\ntransfer-encoding:/i.test(head)) return this.#refuse("411 Length Required");
    if (length > bodyBytesMax) return this.#refuse("413 Content Too Large");
    if (this.#stream !== undefined) return this.#refuse("400 Bad Request");
    this.#bodyLeft = length;
    this.#control = head.startsWith("GET /count ")
      ? "count"
      : head.startsWith("GET /finish ")
        ? "finish"
        : undefined;
    this.#model = undefined;
    this.#bodyTail = noBytes;
    return true;
  }

  #refuse(status: string): false {
    this.#socket.end(
      jsonReply(status, JSON.stringify({ error: { code: "bench_upstream", message: status } })),
    );
    this.#socket.pause();
    return false;
  }

  #answer(): void {
    this.#bodyLeft = -1;
    if (this.#control !== undefined) {
      if (this.#control === "finish") this.#shared.finishBefore = this.#shared.count.streamsStarted;
      this.#socket.write(jsonReply("200 OK", JSON.stringify(this.#shared.count)));
      return;
    }
    if (this.#model === undefined) {
      this.#refuse("400 Bad Request");
      return;
    }
    const answer = answerFor(this.#shared, this.#model);
    if (answer.kind === "json") {
      this.#shared.count.json++;
      this.#socket.write(answer.bytes);
    } else {
      this.#startStream(answer.plan, answer.reply);
    }
  }

  #startStream(plan: StreamPlan, reply: StreamReply): void {
    const shared = this.#shared;
    const { count, ticker } = shared;
    const ordinal = count.streamsStarted;
    const isOpen = plan.chunks === "open";
    const chunksMax = plan.chunks === "open" ? openChunksMax : plan.chunks;
    let sent = 1;
    count.streamsStarted++;
    count.contentChunks++;
    this.#socket.write(reply.first);
    const send = (): boolean => {
      if (sent === chunksMax || (isOpen && ordinal < shared.finishBefore)) {
        count.streamsFinished++;
        this.#stream = undefined;
        this.#socket.write(reply.last);
        return false;
      }
      sent++;
      count.contentChunks++;
      this.#socket.write(reply.content);
      if (this.#socket.writableLength > unsentBytesMax) this.#socket.destroy();
      return true;
    };
    this.#stream = { intervalMs: plan.intervalMs, isClosed: false, send };
    ticker.add(this.#stream);
  }

  #endStream(): void {
    if (this.#stream !== undefined) this.#stream.isClosed = true;
  }
}

/** Creates the upstream; the caller starts listening. */
export function createUpstream(): Server {
  const shared: Shared = {
    answers: new Map(),
    ticker: new StreamTicker(),
    count: { json: 0, streamsStarted: 0, streamsFinished: 0, contentChunks: 0 },
    finishBefore: 0,
  };
  return createServer((socket) => void new Connection(socket, shared));
}

if (import.meta.main) {
  const server = createUpstream();
  server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
    const address = server.address();
    if (address !== null && typeof address === "object") console.log(`port ${address.port}`);
  });
}
