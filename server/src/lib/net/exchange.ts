/**
 * One HTTP request and its answer as the gateway sees them, whatever transport brings them (`http/node-exchange.ts`: node:http). Types
 * only. Listener and sink are objects and not functions, so that no request makes a closure for being told something.
 */

/** Fields of a request's head. Names in lower case; a field that came more than once is one text where HTTP allows it. */
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

/** Takes a request's body. */
export interface BodySink {
  /** The next bytes; they may be kept without a copy. */
  piece(bytes: Buffer): void;
  /** All of the body has arrived. Never called when the caller leaves before that: the listener is told then. */
  ended(): void;
}

/** Is told what becomes of an exchange. */
export interface ExchangeListener {
  /** Called once. `isComplete`: every byte of the answer was handed to the system; false: the connection broke before. */
  closed(isComplete: boolean): void;
  /** A caller that was too slow has taken what was waiting: after a `write` that returned false. */
  drained(): void;
}

export interface Exchange {
  readonly method: string;
  /** Path of the request's target as it was sent, without the query. */
  readonly path: string;
  readonly headers: RequestHeaders;
  /** Address at the other end of the connection, perhaps a proxy's; undefined where it is not known. */
  readonly peerAddress: string | undefined;
  /** True once the whole request has arrived, its body included. */
  readonly isReceived: boolean;
  /** To be set before anything is asked of the exchange. */
  listener: ExchangeListener | undefined;

  /** Begins to read the body, once. A caller that waits for `100 Continue` is told to go on. */
  receive(sink: BodySink): void;
  /** Stops reading the body, until `resume`; a piece that was read already may still come. */
  pause(): void;
  resume(): void;

  /** Sends the head, once and before any byte. `headers` are flat: name, value, name, value … */
  writeHead(status: number, headers: readonly string[]): void;
  /** Writes bytes by reference, in a chunk of their own where the head gave no length. False: wait for `drained`. */
  write(bytes: Buffer): boolean;
  /** Ends the answer, with its last or its only bytes. */
  end(bytes?: Buffer): void;
  /**
   * Ends the answer once the rest of the request's body has arrived, which is thrown away: a connection that is closed while its caller
   * sends takes the answer with it. A caller that sends for too long is cut off.
   */
  endAfterBody(): void;
  /** The answer's head says that the connection closes after it. To be called before `writeHead`. */
  closeAfter(): void;
  /** Cuts the connection. */
  destroy(): void;
}
