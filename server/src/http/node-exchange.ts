/**
 * Implements `Exchange` on node:http's request and response, with a few writes that are cheaper than node's
 * own.
 */
import assert from "node:assert/strict";
import { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Reply } from "../gateway/request/reply.ts";
import type { BodySink, Exchange, ExchangeListener, RequestHeaders } from "../lib/net/exchange.ts";
import type { Connections } from "./listener/connections.ts";

/**
 * Up to this size, copying a body into one write with its headers is cheaper than a writev of two buffers.
 */
const joinedBytesMax = 64 * 1024;

/**
 * Stream pieces up to this size are framed here and written as one string. node:http would send four buffers
 * in one writev (measured: 4 µs of 34 per piece).
 */
const frameBytesMax = 4 * 1024;

/** How long a caller may keep sending a refused body, in milliseconds. */
export const lingerMs = 2_000;

/** Node's request with its exchange, so that one function per event serves all requests. */
export class NodeRequest extends IncomingMessage {
  exchange?: NodeExchange | undefined;
}

/** Node's response with its exchange. */
export class NodeResponse extends ServerResponse {
  exchange?: NodeExchange | undefined;
}

function onPiece(this: NodeRequest, bytes: Buffer): void {
  this.exchange?.sink?.piece(bytes);
}

function onBodyEnd(this: NodeRequest): void {
  this.exchange?.sink?.ended();
}

function onDrain(this: NodeResponse): void {
  this.exchange?.listener?.drained();
}

function onClose(this: NodeResponse): void {
  this.exchange?.close();
}

/** The path of a request's target as it was sent. */
export function pathOf({ url = "" }: IncomingMessage): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

/** A class because it has a lifetime: from a request's head to the last byte of its answer. */
export class NodeExchange implements Exchange {
  readonly path: string;
  listener: ExchangeListener | undefined = undefined;
  /** Receives the body; undefined until `receive`. */
  sink: BodySink | undefined = undefined;
  readonly #req: NodeRequest;
  readonly #res: NodeResponse;
  readonly #connections: Connections;
  #hasWritten = false;
  /** The socket for pieces of a chunked answer; undefined until its headers were sent. */
  #framed: Socket | undefined = undefined;

  /** Calls `connections.end` at the end. The caller must have called `connections.begin`. */
  constructor(req: NodeRequest, res: NodeResponse, connections: Connections) {
    this.path = pathOf(req);
    this.#req = req;
    this.#res = res;
    this.#connections = connections;
    req.exchange = this;
    res.exchange = this;
    res.on("close", onClose);
  }

  get query(): string {
    return (this.#req.url ?? "").slice(this.path.length + 1);
  }

  get method(): string {
    return this.#req.method ?? "";
  }

  get headers(): RequestHeaders {
    return this.#req.headers;
  }

  get peerAddress(): string | undefined {
    return this.#req.socket.remoteAddress;
  }

  get isReceived(): boolean {
    return this.#req.complete;
  }

  receive(sink: BodySink): void {
    this.sink = sink;
    this.#req.on("data", onPiece);
    this.#req.on("end", onBodyEnd);
  }

  pause(): void {
    this.#req.pause();
  }

  resume(): void {
    this.#req.resume();
  }

  writeHead(status: number, headers: readonly string[]): void {
    this.#res.writeHead(status, headers as string[]);
  }

  write(bytes: Buffer): boolean {
    const { length } = bytes;
    // An empty chunk would end the body.
    if (length === 0) return true;
    const socket = this.#framed;
    if (socket === undefined || length > frameBytesMax) return this.#writeByNode(bytes);
    const isTaken = socket.write(`${length.toString(16)}\r\n${bytes.toString("latin1")}\r\n`, "latin1");
    // Node emits `drain` on the response only for bytes written through the response.
    if (!isTaken) socket.once("drain", () => this.listener?.drained());
    return isTaken;
  }

  /**
   * Used for the first piece, for large pieces, and while another request on the connection is answered
   * first.
   */
  #writeByNode(bytes: Buffer): boolean {
    const res = this.#res;
    if (!this.#hasWritten) {
      this.#hasWritten = true;
      res.on("drain", onDrain);
    }
    // Node keeps a reference to what the system has not taken yet.
    const isTaken = res.write(Buffer.from(bytes));
    if (res.chunkedEncoding && res.socket !== null) this.#framed = res.socket;
    return isTaken;
  }

  end(bytes?: Buffer): void {
    if (bytes === undefined) this.#res.end();
    // Node sends a string together with the headers in one write; a Buffer would need a writev of two.
    else if (!this.#hasWritten && bytes.length <= joinedBytesMax)
      this.#res.end(bytes.toString("latin1"), "latin1");
    else this.#res.end(bytes);
  }

  endAfterBody(): void {
    const req = this.#req;
    const timer = setTimeout(() => req.socket.destroy(), lingerMs);
    timer.unref();
    req.on("end", () => {
      clearTimeout(timer);
      this.#res.end();
    });
    req.on("close", () => clearTimeout(timer));
    req.on("error", () => {});
    req.resume();
  }

  closeAfter(): void {
    this.#res.shouldKeepAlive = false;
  }

  destroy(): void {
    this.#res.destroy();
  }

  /** Called when node's response has closed. */
  close(): void {
    this.#framed = undefined;
    this.#connections.end(this.#req.socket);
    this.listener?.closed(this.#res.writableFinished);
  }

  /** Node's request and response. */
  get sides(): { readonly req: NodeRequest; readonly res: NodeResponse } {
    return { req: this.#req, res: this.#res };
  }
}

/**
 * Returns node's request and response for the control plane and the console, which use them directly. `reply`
 * writes nothing afterwards. Throws an AssertionError for an exchange of another transport.
 */
export function takeOver(exchange: Exchange, reply: Reply): NodeExchange["sides"] {
  assert(exchange instanceof NodeExchange);
  reply.handOver();
  return exchange.sides;
}
