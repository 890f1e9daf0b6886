/**
 * One HTTP request and its answer as the gateway sees them, independent of the transport. Types only;
 * `http/node-exchange.ts` is the implementation on node:http. Listener and sink are objects with methods, so
 * that a request allocates no closures for them.
 */

/**
 * Header fields of a request, names in lower case. A repeated field is one text, joined by ", ", where HTTP
 * allows it.
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
}

/** Receives a request's body. */
export interface BodySink {
  /** The next bytes; they may be kept without a copy. */
  piece(bytes: Buffer): void;
  /** The body is complete. Not called when the caller disconnects before that; the listener's `closed` is. */
  ended(): void;
}

/** Receives the events of an exchange. */
export interface ExchangeListener {
  /**
   * Called once, at the end. `isComplete`: every byte of the answer was handed to the system; false: the
   * connection broke first.
   */
  closed(isComplete: boolean): void;
  /** After a `write` that returned false: what was waiting has been sent. */
  drained(): void;
}

export interface Exchange {
  readonly method: string;
  /** Path of the request's target as it was sent, without the query. */
  readonly path: string;
  /** What follows the `?` of the target, as it was sent; empty where there is none. */
  readonly query: string;
  readonly headers: RequestHeaders;
  /** Address at the other end of the connection, which may be a proxy's; undefined if unknown. */
  readonly peerAddress: string | undefined;
  /** True once the whole request has arrived, its body included. */
  readonly isReceived: boolean;
  /** Set it before any call below. */
  listener: ExchangeListener | undefined;

  /** Starts reading the body; call it once. A caller that waits for `100 Continue` gets it. */
  receive(sink: BodySink): void;
  /** Stops reading the body until `resume`. A piece that was already read may still arrive. */
  pause(): void;
  resume(): void;

  /** Sends the head; call it once, before any byte. `headers` are flat: name, value, name, value … */
  writeHead(status: number, headers: readonly string[]): void;
  /**
   * Writes bytes by reference, as a chunk where the head gave no length. Returns false when the caller is
   * slow: wait for `drained`.
   */
  write(bytes: Buffer): boolean;
  /** Ends the answer with its last, or only, bytes. */
  end(bytes?: Buffer): void;
  /**
   * Ends the answer once the rest of the request's body has arrived. The rest is discarded. Closing the
   * connection while the caller still sends would lose the answer. A caller that sends for too long is
   * disconnected.
   */
  endAfterBody(): void;
  /** Closes the connection after this answer, and says so in its head. Call it before `writeHead`. */
  closeAfter(): void;
  /** Closes the connection immediately. */
  destroy(): void;
}
