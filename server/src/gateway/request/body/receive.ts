/**
 * Step 1, receive: takes the body off the wire under every limit at once (size, room, pace, and
 * those of its scanner) in one pass over its bytes, unpacked where they are compressed. It
 * knows nothing of what the body says.
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
 * Refuses by the head alone what must not be read: wrong type, a compression nobody here undoes, announced
 * too large. Returns how the body has to be unpacked.
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

/** What one body is received with. */
interface Receiving {
  readonly scanner: Pick<BodyScanner, "push">;
  /** Where the room for the body comes from. */
  readonly reservation: BodyReservation;
  /** How the body is compressed; absent = not at all. */
  readonly coding?: Coding | undefined;
}

/** Some editors and Windows clients put this before JSON; no upstream expects it there. */
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Bytes that have arrived of a body before it gets a buffer of its declared size. */
const gatheredBytesMin = 1024 * 1024;

/**
 * Collects one body. A class because it has a lifetime: it listens, ticks,
 * and lets go of everything exactly once.
 */
class BodyReader extends Tickable implements BodySink, CallerWatcher, DecodedSink {
  readonly #exchange: Exchange;
  readonly #context: ReceiveContext;
  readonly #scanner: Pick<BodyScanner, "push">;
  readonly #reservation: BodyReservation;
  readonly #coding: Coding | undefined;
  /** Size of a body that said it; undefined = it did not, or is compressed. */
  readonly #declaredBytes: number | undefined;
  readonly #chunks: Buffer[] = [];
  /** A large body is put together while it arrives: at its end that would hold up everybody else. */
  #whole: Buffer | undefined;
  #wholeBytes = 0;
  /** Made for the first bytes of a compressed body. */
  #decoder: BodyDecoder | undefined;
  /** As they came, and unpacked; the same where nothing is compressed. */
  #receivedBytes = 0;
  #bytes = 0;
  /** Bytes of a byte order mark at the beginning; -1 once it is certain. */
  #markBytes = 0;
  #isOver = false;
  readonly #reply: Reply;
  readonly #startedMs: number;
  #progressMs: number;
  #resolve!: (body: Buffer) => void;
  #reject!: (error: unknown) => void;

  /** Throws `overloaded` when there is no room for the size declared. */
  constructor(exchange: Exchange, reply: Reply, context: ReceiveContext, receiving: Receiving) {
    super();
    const { scanner, reservation, coding } = receiving;
    this.#exchange = exchange;
    this.#reply = reply;
    this.#context = context;
    this.#scanner = scanner;
    this.#reservation = reservation;
    this.#coding = coding;
    // What is declared of a compressed body says nothing of the room it takes.
    this.#declaredBytes = coding === undefined ? declaredBytes(exchange) : undefined;
    if (this.#declaredBytes !== undefined) reservation.makeRoom(this.#declaredBytes);
    this.#startedMs = context.clock.elapsedMs();
    this.#progressMs = this.#startedMs;
  }

  /**
   * The body's end, or why it never came. The caller's leaving is noticed by
   * the reply, once for the whole request.
   */
  read(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#exchange.receive(this);
      this.#reply.watch(this);
      this.#context.ticker.add(this);
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

  /** One piece at a time: while it is unpacked no other is read off the wire. */
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

  /** Room for a body whose size was not declared is taken as it arrives. */
  #takeRoom(chunk: Buffer): void {
    try {
      if (this.#declaredBytes === undefined) this.#reservation.makeRoom(chunk.length);
    } catch (refusal) {
      this.fail(refusal);
      return;
    }
    this.take(chunk);
  }

  /** The next bytes of the body, unpacked; room for them is taken. */
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
      this.#chunks.push(chunk);
      // Not before: what is only declared must not cost memory.
      if (this.#declaredBytes === undefined || this.#bytes < gatheredBytesMin) return;
      this.#whole = Buffer.allocUnsafeSlow(this.#declaredBytes);
      for (const kept of this.#chunks) this.#wholeBytes += kept.copy(this.#whole, this.#wholeBytes);
      this.#chunks.length = 0;
      return;
    }
    this.#wholeBytes += chunk.copy(this.#whole, this.#wholeBytes);
  }

  /** Every byte that was kept, without a copy where that can be. */
  #gathered(): Buffer {
    if (this.#whole !== undefined) return this.#whole.subarray(0, this.#wholeBytes);
    const only = this.#chunks[0];
    return this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
  }

  /**
   * What is behind a byte order mark, however it is cut. Half a mark is
   * none: it stays, for the scan to refuse.
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

  /** The body is complete. */
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
 * Takes the whole body. Rejects with `request_timeout`, `request_too_large`,
 * `invalid_request` or `overloaded` as soon as one is certain; throws `overloaded` at once
 * when there is no room for the size declared.
 */
export function receive(
  exchange: Exchange,
  reply: Reply,
  context: ReceiveContext,
  receiving: Receiving,
): Promise<Buffer> {
  return new BodyReader(exchange, reply, context, receiving).read();
}
