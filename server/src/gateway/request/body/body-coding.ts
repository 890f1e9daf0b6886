/**
 * A compressed request body, unpacked while it arrives: one piece in hand at a time, in
 * zlib's threads, under bounds of its own besides those of the bytes that come out. It knows
 * neither requests nor what the bytes mean.
 */

import { constants, createGunzip, createZstdDecompress, type Gunzip, type ZstdDecompress } from "node:zlib";
import { GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";

export type Coding = "gzip" | "zstd";

/** Names of Content-Encoding, lower case. */
const codings: Readonly<Record<string, Coding>> = { gzip: "gzip", "x-gzip": "gzip", zstd: "zstd" };

/**
 * Reads a Content-Encoding; undefined: nothing to unpack. Throws
 * `unsupported_media_type`, naming what is accepted.
 */
export function readCoding(header: string | undefined, isAccepted: boolean): Coding | undefined {
  if (header === undefined) return undefined;
  const names = header
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  const [name] = names;
  if (name === undefined) return undefined;
  if (!isAccepted) {
    throw new GatewayError("unsupported_media_type", {
      message: message("body.compressed"),
    });
  }
  if (names.length === 1 && Object.hasOwn(codings, name)) return codings[name];
  throw new GatewayError("unsupported_media_type", {
    message: message("body.otherCoding"),
  });
}

/**
 * What a body may become at most beyond its first mebibyte, as a multiple of what was sent;
 * as Apache's DeflateInflateRatioLimit.
 */
const ratioMax = 200;
const ratioFromBytes = 1024 * 1024;
/** The window RFC 9659 allows in HTTP: 8 MiB. A frame may ask for 2 GiB. */
const zstdWindowLogMax = 23;
const zstdWindowBytes = 2 ** zstdWindowLogMax;
/** Frames one after another, each with a decoder of its own; Node's own compressor writes two. */
const framesMax = 16;
/** What a decoder holds besides its window, and the piece it is about to give. */
const decoderBytes: Readonly<Record<Coding, number>> = { gzip: 128 * 1024, zstd: 512 * 1024 };
const pieceBytes = 64 * 1024;

/** Who takes what comes out. */
export interface DecodedSink {
  /** Room for so many more bytes; throws when there is none. */
  makeRoom(bytes: number): void;
  take(piece: Buffer): void;
  /** All was unpacked. */
  finish(): void;
  /** Called at most once; nothing comes after it. */
  fail(error: unknown): void;
}

const invalid = (made: Message): GatewayError => new GatewayError("invalid_request", { message: made });

function open(coding: Coding): Gunzip | ZstdDecompress {
  if (coding === "gzip") return createGunzip({ chunkSize: pieceBytes });
  return createZstdDecompress({
    chunkSize: pieceBytes,
    params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax },
  });
}

/**
 * A class because it has a lifetime: it holds a decoder until the body is over, refused or no longer wanted.
 */
export class BodyDecoder {
  readonly #coding: Coding;
  readonly #sink: DecodedSink;
  #stream: Gunzip | ZstdDecompress;
  #frames = 1;
  #receivedBytes = 0;
  #unpackedBytes = 0;
  #isEnding = false;
  #isOver = false;

  /** Throws what the sink throws when there is no room for a decoder. */
  constructor(coding: Coding, sink: DecodedSink) {
    this.#coding = coding;
    this.#sink = sink;
    sink.makeRoom(decoderBytes[coding]);
    this.#stream = this.#begin();
  }

  /** Unpacks a piece, then calls `then`; the next piece must wait for that. */
  write(piece: Buffer, then: () => void): void {
    this.#receivedBytes += piece.length;
    this.#feed(piece, then);
  }

  /** No piece comes any more. */
  end(): void {
    this.#isEnding = true;
    this.#stream.end();
  }

  /** Gives up everything; nothing is said any more. */
  drop(): void {
    this.#isOver = true;
    this.#stream.destroy();
  }

  #begin(): Gunzip | ZstdDecompress {
    const stream = open(this.#coding);
    stream.on("data", (piece: Buffer) => this.#take(piece));
    stream.on("error", (error: NodeJS.ErrnoException) => this.#fail(this.#refusalOf(error)));
    stream.on("end", () => {
      // One that ends before it was told to stopped in the midst of a piece; `#feed` sees to the rest.
      if (this.#isOver || !this.#isEnding || stream !== this.#stream) return;
      this.#isOver = true;
      this.#sink.finish();
    });
    return stream;
  }

  #feed(piece: Buffer, then: () => void): void {
    const before = this.#stream.bytesWritten;
    this.#stream.write(piece, (error) => {
      if (error || this.#isOver) return;
      const rest = piece.subarray(this.#stream.bytesWritten - before);
      if (rest.length === 0) then();
      else this.#feedNextFrame(rest, then);
    });
  }

  /**
   * A decoder of Node's stops at the end of the first zstd frame in a piece; what is behind it needs another.
   */
  #feedNextFrame(rest: Buffer, then: () => void): void {
    this.#frames += 1;
    if (this.#coding === "gzip" || this.#frames > framesMax) {
      this.#fail(invalid(message("body.behindEnd", { coding: this.#coding })));
      return;
    }
    this.#stream = this.#begin();
    this.#feed(rest, then);
  }

  #take(piece: Buffer): void {
    if (this.#isOver) return;
    const isInWindow = this.#coding === "zstd" && this.#unpackedBytes < zstdWindowBytes;
    this.#unpackedBytes += piece.length;
    if (this.#unpackedBytes > ratioFromBytes && this.#unpackedBytes > this.#receivedBytes * ratioMax) {
      this.#fail(
        new GatewayError("request_too_large", {
          message: message("body.unpacksTooLarge", { max: ratioMax }),
        }),
      );
      return;
    }
    try {
      // Up to its window a decoder keeps what it gave, so that it is there twice.
      this.#sink.makeRoom(isInWindow ? piece.length * 2 : piece.length);
    } catch (refusal) {
      this.#fail(refusal);
      return;
    }
    this.#sink.take(piece);
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.drop();
    this.#sink.fail(error);
  }

  #refusalOf({ code }: NodeJS.ErrnoException): GatewayError {
    if (code === "Z_BUF_ERROR") return invalid(message("body.endsEarly", { coding: this.#coding }));
    if (code !== "ZSTD_error_frameParameter_windowTooLarge")
      return invalid(message("body.notUnpacked", { coding: this.#coding }));
    return new GatewayError("request_too_large", {
      message: message("body.windowTooLarge"),
    });
  }
}
