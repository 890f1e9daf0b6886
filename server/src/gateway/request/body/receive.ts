/**
 * Receives the request body under all limits at once (size, memory, pace, JSON) in one pass over its bytes,
 * decompressing if needed.
 */

import { isUtf8 } from "node:buffer";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import type { BodySink, Exchange } from "../../../lib/net/exchange.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { Tickable, type Ticker } from "../../../lib/time/ticker.ts";
import { type BodyReservation, declaredBytes } from "../../gate/admit.ts";
import type { GatewaySettings } from "../../settings.ts";
import type { CallerWatcher, Reply } from "../reply.ts";
import { BodyDecoder, type Coding, type DecodedSink, readCoding } from "./body-coding.ts";
import type { BodyScanner } from "./body-scan.ts";

export interface ReceiveContext {
  readonly settings: GatewaySettings;
  readonly clock: Clock;
  readonly ticker: Ticker;
}

/**
 * Checks the headers before any body is read: content type, compression, declared size. Returns how to
 * decompress; undefined = not compressed.
 */
export function checkBodyHead(
  { headers }: Pick<Exchange, "headers">,
  { bodyBytesMax, requestCompression }: Pick<GatewaySettings, "bodyBytesMax" | "requestCompression">,
): Coding | undefined {
  const type = headers["content-type"];
  if (type !== undefined && !/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) {
    throw new GatewayError("unsupported_media_type", {
      message: message("body.notJsonType"),
    });
  }
  const coding = readCoding(headers["content-encoding"], requestCompression === "on");
  if (Number(headers["content-length"] ?? 0) > bodyBytesMax) throw tooLarge(bodyBytesMax);
  return coding;
}

function tooLarge(bodyBytesMax: number): GatewayError {
  return new GatewayError("request_too_large", {
    message: message("body.largerThan", { max: bodyBytesMax }),
  });
}

/** What receiving one body needs. */
interface Receiving {
  readonly scanner: Pick<BodyScanner, "push">;
  /** Memory for the body is reserved here. */
  readonly reservation: BodyReservation;
  /** Compression of the body; absent = none. */
  readonly coding?: Coding | undefined;
}

/** UTF-8 byte order mark. Some editors and Windows clients send one before the JSON; upstreams reject it. */
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Bytes after which reading waits for the next turn of the event loop. A turn may bring 4 MiB of one
 * connection, and escapes are scanned at some 100 bytes a microsecond.
 */
const turnBytesMax = 512 * 1024;

/** Bytes that must have arrived before a buffer of the declared size is allocated. */
const gatheredBytesMin = 1024 * 1024;

/** Collects one body. A class because its listeners, timer and decoder are released exactly once. */
class BodyReader extends Tickable implements BodySink, CallerWatcher, DecodedSink {
  readonly #exchange: Exchange;
  readonly #context: ReceiveContext;
  readonly #scanner: Pick<BodyScanner, "push">;
  readonly #reservation: BodyReservation;
  readonly #coding: Coding | undefined;
  /** The declared size; undefined when absent or when the body is compressed. */
  readonly #declaredBytes: number | undefined;
  readonly #chunks: Buffer[] = [];
  /** A large body is assembled as it arrives: one copy at the end would block the event loop. */
  #whole: Buffer | undefined;
  #wholeBytes = 0;
  /** Created with the first bytes of a compressed body. */
  #decoder: BodyDecoder | undefined;
  /** Bytes on the wire and after decompression; equal without compression. */
  #receivedBytes = 0;
  #bytes = 0;
  /** Received since reading last waited. */
  #turnBytes = 0;
  /** Bytes of a byte order mark seen so far; -1 once decided. */
  #markBytes = 0;
  #isOver = false;
  readonly #reply: Reply;
  readonly #startedMs: number;
  #progressMs: number;
  #resolve!: (body: Buffer) => void;
  #reject!: (error: unknown) => void;

  /** Throws `overloaded` when there is no memory for the declared size. */
  constructor(exchange: Exchange, reply: Reply, context: ReceiveContext, receiving: Receiving) {
    super();
    const { scanner, reservation, coding } = receiving;
    this.#exchange = exchange;
    this.#reply = reply;
    this.#context = context;
    this.#scanner = scanner;
    this.#reservation = reservation;
    this.#coding = coding;
    // The size of a compressed body does not say how much memory it needs.
    this.#declaredBytes = coding === undefined ? declaredBytes(exchange) : undefined;
    if (this.#declaredBytes !== undefined) reservation.makeRoom(this.#declaredBytes);
    this.#startedMs = context.clock.elapsedMs();
    this.#progressMs = this.#startedMs;
  }

  /**
   * Resolves with the whole body, or rejects with the reason. A disconnect is reported by the reply, which
   * watches the connection for the whole request.
   */
  read(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#reply.watch(this);
      this.#context.ticker.add(this);
      // Last, because a body that has arrived already is given at once.
      this.#exchange.receive(this);
    });
  }

  tick(nowMs: number): void {
    const { bodyStallMs, bodyRateMin } = this.#context.settings;
    const stalled = nowMs - this.#progressMs > bodyStallMs;
    const allowedMs = bodyStallMs + (this.#receivedBytes / bodyRateMin) * 1000;
    if (stalled || nowMs - this.#startedMs > allowedMs) this.fail(new GatewayError("request_timeout"));
  }

  piece(bytes: Buffer): void {
    if (this.#isOver) return;
    this.#receivedBytes += bytes.length;
    this.#progressMs = this.#context.clock.elapsedMs();
    if (this.#coding === undefined) this.#takeRoom(bytes);
    else this.#unpack(bytes, this.#coding);
  }

  /** Stops reading from the connection while a piece is decompressed. */
  #unpack(chunk: Buffer, coding: Coding): void {
    try {
      this.#decoder ??= new BodyDecoder(coding, this);
    } catch (refusal) {
      this.fail(refusal);
      return;
    }
    this.#exchange.pause();
    this.#decoder.write(chunk, () => this.#onUnpacked());
  }

  #onUnpacked(): void {
    this.#progressMs = this.#context.clock.elapsedMs();
    this.#exchange.resume();
  }

  makeRoom(bytes: number): void {
    this.#reservation.makeRoom(bytes);
  }

  /** Reserves memory as the bytes arrive when no size was declared. */
  #takeRoom(chunk: Buffer): void {
    try {
      if (this.#declaredBytes === undefined) this.#reservation.makeRoom(chunk.length);
    } catch (refusal) {
      this.fail(refusal);
      return;
    }
    this.take(chunk);
    this.#turnBytes += chunk.length;
    if (this.#turnBytes >= turnBytesMax && !this.#isOver) this.#waitForTurn();
  }

  /** Other callers get their turn before more of this body is scanned. */
  #waitForTurn(): void {
    this.#turnBytes = 0;
    this.#exchange.pause();
    setImmediate(() => this.#exchange.resume());
  }

  /** Takes the next decompressed bytes; memory for them is already reserved. */
  take(bytes: Buffer): void {
    if (this.#isOver) return;
    this.#bytes += bytes.length;
    if (this.#bytes > this.#context.settings.bodyBytesMax) {
      this.fail(tooLarge(this.#context.settings.bodyBytesMax));
      return;
    }
    const chunk = this.#markBytes < 0 ? bytes : this.#withoutMark(bytes);
    if (chunk.length === 0) return;
    const refused = this.#scanner.push(chunk);
    if (refused === undefined) this.#keep(chunk);
    else this.fail(refused);
  }

  #keep(chunk: Buffer): void {
    if (this.#whole === undefined) {
      this.#add(chunk);
      // Not earlier: a declared size alone must not allocate memory.
      if (this.#declaredBytes === undefined || this.#bytes < gatheredBytesMin) return;
      this.#whole = Buffer.allocUnsafeSlow(this.#declaredBytes);
      for (const kept of this.#chunks) this.#wholeBytes += kept.copy(this.#whole, this.#wholeBytes);
      this.#chunks.length = 0;
      return;
    }
    this.#wholeBytes += chunk.copy(this.#whole, this.#wholeBytes);
  }

  /** Pieces that are neighbours in one buffer become one piece. */
  #add(chunk: Buffer): void {
    const last = this.#chunks.at(-1);
    if (last?.buffer === chunk.buffer && last.byteOffset + last.length === chunk.byteOffset) {
      const both = Buffer.from(last.buffer, last.byteOffset, last.length + chunk.length);
      this.#chunks[this.#chunks.length - 1] = both;
    } else {
      this.#chunks.push(chunk);
    }
  }

  /** Returns the whole body, without copying it where possible. */
  #gathered(): Buffer {
    if (this.#whole !== undefined) return this.#whole.subarray(0, this.#wholeBytes);
    const only = this.#chunks[0];
    return this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
  }

  /**
   * Removes a byte order mark, even when it is split over pieces. An incomplete mark is kept, and the scanner
   * refuses it.
   */
  #withoutMark(bytes: Buffer): Buffer {
    let at = 0;
    while (at < bytes.length && this.#markBytes + at < byteOrderMark.length) {
      if (bytes[at] !== byteOrderMark[this.#markBytes + at]) {
        const seen = byteOrderMark.subarray(0, this.#markBytes);
        this.#markBytes = -1;
        return seen.length === 0 ? bytes : Buffer.concat([seen, bytes]);
      }
      at += 1;
    }
    this.#markBytes = this.#markBytes + at === byteOrderMark.length ? -1 : this.#markBytes + at;
    return bytes.subarray(at);
  }

  ended(): void {
    if (this.#isOver) return;
    if (this.#decoder === undefined) this.finish();
    else this.#decoder.end();
  }

  finish(): void {
    this.#letGo();
    const body = this.#gathered();
    if (isUtf8(body)) this.#resolve(body);
    else this.#reject(new GatewayError("invalid_request", { message: message("body.notUtf8") }));
  }

  callerLeft(): void {
    this.fail(new GatewayError("request_timeout", { message: message("body.cutOff") }));
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#letGo();
    this.#reject(error);
  }

  #letGo(): void {
    this.#isOver = true;
    this.#decoder?.drop();
    this.#context.ticker.delete(this);
    this.#reply.unwatch(this);
  }
}

/**
 * Receives the whole body. Rejects with `request_timeout`, `request_too_large`, `invalid_request` or
 * `overloaded` as soon as one is certain. Throws `overloaded` at once when there is no memory for the
 * declared size.
 */
export function receive(
  exchange: Exchange,
  reply: Reply,
  context: ReceiveContext,
  receiving: Receiving,
): Promise<Buffer> {
  return new BodyReader(exchange, reply, context, receiving).read();
}
