/**
 * A pure relay on the transport: every request goes to one origin, every answer comes back, bytes as they
 * arrive. What is not plain HTTP/1.1 is refused; a product would hand it to node:http instead.
 */
import { createServer, type Server } from "node:net";
import type { Head } from "../../server/src/transport/llhttp/head.ts";
import { createLlhttp, type Llhttp, methodNames } from "../../server/src/transport/llhttp/llhttp.ts";
import type { MessageParser } from "../../server/src/transport/llhttp/parser.ts";
import { createDeadlines } from "../../server/src/transport/sockets/deadlines.ts";
import { createDirectWriter } from "../../server/src/transport/sockets/direct.ts";
import { type Passing, readFields } from "./fields.ts";
import {
  type Application,
  createInboundWriter,
  InboundConnection,
  type InboundLimits,
  type InboundShared,
  type RequestSink,
} from "./inbound.ts";
import type { AnswerSink, Failure, OutboundConnection, OutboundLimits } from "./outbound.ts";
import { createPool, type Origin, type Pool } from "./pool.ts";

export interface RelayOptions {
  readonly origin: Origin;
  readonly inbound: InboundLimits;
  readonly outbound: OutboundLimits;
  readonly connectionsMax: number;
  /** Only requests with one of these as `Authorization` are relayed. Undefined: all are. */
  readonly authorizations?: ReadonlySet<string> | undefined;
  /** For comparison: only what is public in Node, or more of what is private. See `adopt`, `direct.ts`. */
  readonly inside?: "public" | "direct" | undefined;
}

export interface Relay {
  readonly server: Server;
  readonly pool: Pool;
  readonly connections: ReadonlySet<InboundConnection>;
  /** Ends every connection and stops listening. */
  close(): void;
}

/** Connections waiting to be accepted. */
export const listenBacklog = 4096;

const lastChunk = "0\r\n\r\n";
const slash = 0x2f;

/** Answers without a body; the connection stays, unless it must close. */
function answerEmpty(caller: InboundConnection, status: string): void {
  const close = caller.mustClose ? "connection: close\r\n" : "";
  caller.write(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n${close}\r\n`);
  caller.finish();
}

/** How the bytes of a message's body are framed for the other side. */
type Framing = "none" | "sized" | "chunked";

/** The body found by the parser's last call, as one chunk; with the end of the body if it has ended. */
function chunkBefore({ bodyStart, bodyEnd }: MessageParser): string {
  return bodyEnd > bodyStart ? `${(bodyEnd - bodyStart).toString(16)}\r\n` : "";
}

function chunkAfter({ bodyStart, bodyEnd, isComplete }: MessageParser): string {
  const end = bodyEnd > bodyStart ? "\r\n" : "";
  return isComplete ? end + lastChunk : end;
}

/** One request and its answer. */
class Exchange implements RequestSink, AnswerSink {
  readonly #caller: InboundConnection;
  readonly #upstream: OutboundConnection;
  #requestFraming: Framing = "none";
  #answerFraming: Framing = "none";
  #hasAnswer = false;

  constructor(caller: InboundConnection, upstream: OutboundConnection) {
    this.#caller = caller;
    this.#upstream = upstream;
  }

  /** Sends the request's head with what there is of its body, in one write. */
  begin(head: Head, host: string, passing: Passing): void {
    const method = methodNames[head.method] ?? "";
    const { isChunked, lines } = passing;
    this.#requestFraming = isChunked ? "chunked" : passing.hasLength ? "sized" : "none";
    const coding = isChunked ? "transfer-encoding: chunked\r\n" : "";
    this.#upstream.begin(this, method === "HEAD");
    this.#sendBody(`${method} ${head.target} HTTP/1.1\r\nhost: ${host}\r\n${lines}${coding}\r\n`);
  }

  body(): void {
    if (!this.#hasAnswer) this.#sendBody("");
  }

  #sendBody(before: string): void {
    const { parser } = this.#caller;
    const { bodyStart, bodyEnd, isComplete } = parser;
    let hasRoom = true;
    if (this.#requestFraming === "chunked") {
      hasRoom = this.#upstream.send(before + chunkBefore(parser), bodyStart, bodyEnd, chunkAfter(parser));
    } else if (bodyEnd > bodyStart || before !== "") {
      hasRoom = this.#upstream.send(before, bodyStart, bodyEnd, "");
    }
    if (isComplete) this.#upstream.sent();
    else if (!hasRoom) this.#caller.pause();
  }

  /** The caller has taken all of the answer so far. */
  drained(): void {
    this.#upstream.resume();
  }

  left(): void {
    this.#upstream.abort();
  }

  answered(_upstream: OutboundConnection, head: Head): void {
    const passing = readFields(head);
    if (passing.isOtherCoding) {
      this.#upstream.abort();
      this.failed("framing");
      return;
    }
    const caller = this.#caller;
    this.#hasAnswer = true;
    const hasNone = head.status === 204 || head.status === 304;
    // It may send the body it speaks of after all, which must not be read as the next answer.
    if (hasNone && (passing.hasLength || passing.isChunked)) this.#upstream.closeAfter();
    const isBodyless = hasNone || this.#upstream.parser.skipsBody;
    this.#answerFraming = isBodyless ? "none" : passing.hasLength ? "sized" : "chunked";
    const coding = this.#answerFraming === "chunked" ? "transfer-encoding: chunked\r\n" : "";
    const close = caller.mustClose ? "connection: close\r\n" : "";
    const start = head.status === 200 ? "200 OK" : `${head.status} ${head.target}`;
    this.#pass(`HTTP/1.1 ${start}\r\n${passing.lines}${coding}${close}\r\n`);
  }

  piece(): void {
    this.#pass("");
  }

  /** Passes on what came of the answer, in one write. */
  #pass(before: string): void {
    const { parser } = this.#upstream;
    const { bodyStart, bodyEnd, isComplete } = parser;
    const caller = this.#caller;
    let hasRoom = true;
    if (this.#answerFraming === "chunked") {
      const text = before + chunkBefore(parser);
      const after = chunkAfter(parser);
      if (text !== "" || after !== "") hasRoom = caller.writeArea(text, bodyStart, bodyEnd, after);
    } else if (bodyEnd > bodyStart || before !== "") {
      hasRoom = caller.writeArea(before, bodyStart, bodyEnd, "");
    }
    if (isComplete) caller.finish();
    else if (!hasRoom) this.#upstream.pause();
  }

  requestTaken(): void {
    this.#caller.resume();
  }

  failed(failure: Failure): void {
    if (this.#hasAnswer) this.#caller.destroy();
    else answerEmpty(this.#caller, failure === "slow" ? "504 Gateway Timeout" : "502 Bad Gateway");
  }
}

/** Why a request is not served: a status, or undefined. */
function refusalOf(head: Head, { hosts, isOtherCoding, expect }: Passing): string | undefined {
  if (head.major !== 1 || head.minor !== 1) return "505 HTTP Version Not Supported";
  if (head.isUpgrade) return "501 Not Implemented";
  if (hosts !== 1) return "400 Bad Request";
  if (isOtherCoding) return "501 Not Implemented";
  if (expect !== "" && expect !== "100-continue") return "417 Expectation Failed";
  const { source, targetStart } = head;
  return source[targetStart] === slash ? undefined : "400 Bad Request";
}

/** Starts nothing: the caller listens, with `listenBacklog`. */
export function createRelay(options: RelayOptions): Relay {
  const { origin, inbound: limits, outbound, connectionsMax, authorizations, inside } = options;
  const llhttp: Llhttp = createLlhttp();
  const ticker = createDeadlines(() => performance.now());
  const direct = inside === "direct" ? createDirectWriter() : undefined;
  const pool = createPool(origin, { llhttp, ticker, limits: outbound, connectionsMax, direct });
  const host = `${origin.host}:${origin.port}`;

  function serve(caller: InboundConnection, head: Head): void {
    const passing = readFields(head);
    const refused = refusalOf(head, passing);
    if (refused !== undefined) {
      caller.closeAfter();
      answerEmpty(caller, refused);
      return;
    }
    if (authorizations !== undefined && !authorizations.has(passing.authorization)) {
      answerEmpty(caller, "401 Unauthorized");
      return;
    }
    const upstream = pool.take();
    if (upstream === undefined) {
      answerEmpty(caller, "503 Service Unavailable");
      return;
    }
    if (passing.expect !== "" && !caller.parser.isComplete) caller.write("HTTP/1.1 100 Continue\r\n\r\n");
    const exchange = new Exchange(caller, upstream);
    caller.sink = exchange;
    exchange.begin(head, host, passing);
  }

  const application: Application = { serve };
  const connections = new Set<InboundConnection>();
  const writer = createInboundWriter(llhttp, direct);
  const adopts = inside !== "public";
  const shared: InboundShared = { llhttp, ticker, writer, limits, application, connections, adopts };
  const server = createServer({ pauseOnConnect: adopts, allowHalfOpen: true, noDelay: true }, (accepted) => {
    InboundConnection.open(shared, accepted);
  });
  return {
    server,
    pool,
    connections,
    close() {
      server.close();
      for (const connection of connections) connection.destroy();
      pool.close();
      ticker.stop();
    },
  };
}
