/**
 * An HTTP request and its answer as the gateway sees them, independent of the transport. Types only;
 * `transport/inbound/exchange.ts` implements them on connections of our own, `http/node-exchange.ts` on
 * node:http. Listener and sink are objects with methods, so that a request allocates no closures.
 */

/**
 * A request's headers, with lower-case names. A repeated header is one string joined by ", ", where HTTP
 * allows that.
 */
export interface RequestHeaders extends Readonly<Record<string, string | string[] | undefined>> {
  readonly accept?: string | undefined;
  readonly "access-control-request-headers"?: string | undefined;
  readonly authorization?: string | undefined;
  readonly "content-encoding"?: string | undefined;
  readonly "content-length"?: string | undefined;
  readonly "content-type"?: string | undefined;
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly "transfer-encoding"?: string | undefined;
  readonly upgrade?: string | undefined;
}

/** Receives a request's body. */
export interface BodySink {
  /** Called with the next bytes, which may be kept without a copy. */
  piece(bytes: Buffer): void;
  /**
   * Called when the body is complete. Not called when the client disconnects before; then only the listener's
   * `closed` is.
   */
  ended(): void;
}

/** Receives the events of an exchange. */
export interface ExchangeListener {
  /**
   * Called once, at the end. `isComplete`: every byte of the answer was passed to the system; false: the
   * connection broke before.
   */
  closed(isComplete: boolean): void;
  /** Called after a `write` that returned false, when everything waiting was sent. */
  drained(): void;
}

export interface Exchange {
  readonly method: string;
  /** The path of the request target as sent, without the query. */
  readonly path: string;
  /** What follows the `?` of the target, as it was sent; empty where there is none. */
  readonly query: string;
  readonly headers: RequestHeaders;
  /** Address of the connection's other end, which may be a proxy; undefined if unknown. */
  readonly peerAddress: string | undefined;
  /** True once the whole request has arrived, including its body. */
  readonly isReceived: boolean;
  /** Must be set before any call below. */
  listener: ExchangeListener | undefined;

  /** Starts to read the body; call it once. A client that waits for `100 Continue` gets it. */
  receive(sink: BodySink): void;
  /** Stops reading the body until `resume`. A piece already read may still arrive. */
  pause(): void;
  resume(): void;

  /** Sends the head; call it once, before any byte. `headers`: flat list of names and values. */
  writeHead(status: number, headers: readonly string[]): void;
  /**
   * Writes bytes, as a chunk if the head gave no length. They may be overwritten when this returns: what
   * could not be sent by then was copied. Returns false when the client is slow: then wait for `drained`.
   */
  write(bytes: Buffer): boolean;
  /** Ends the answer with its last, or only, bytes, which must not change afterwards. */
  end(bytes?: Buffer): void;
  /**
   * Ends the answer once the rest of the request's body has arrived, which is discarded. Closing the
   * connection while the client still sends would lose the answer. A client that sends for too long is
   * disconnected.
   */
  endAfterBody(): void;
  /**
   * Closes the connection after this answer and announces it in the head. Must be called before `writeHead`.
   */
  closeAfter(): void;
  /** Closes the connection immediately. */
  destroy(): void;
}
