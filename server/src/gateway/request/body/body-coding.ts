/**
 * Decompresses a request body as it arrives, one piece at a time in zlib's thread pool, with its own limits
 * on ratio, window and frames. Knows neither the request nor what the bytes mean.
 */

import { constants, createGunzip, createZstdDecompress, type Gunzip, type ZstdDecompress } from "node:zlib";
import { GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";

export type Coding = "gzip" | "zstd";

/** Names of Content-Encoding, lower case. */
const codings: Readonly<Record<string, Coding>> = { gzip: "gzip", "x-gzip": "gzip", zstd: "zstd" };

/**
 * Reads a Content-Encoding header; undefined when there is nothing to decompress. Throws
 * `unsupported_media_type` with the accepted codings.
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
 * Maximum bytes out per byte in, checked after the first MiB; the same as Apache's DeflateInflateRatioLimit.
 */
const ratioMax = 200;
const ratioFromBytes = 1024 * 1024;
/** 8 MiB, the window RFC 9659 allows in HTTP. A zstd frame could ask for 2 GiB. */
const zstdWindowLogMax = 23;
const zstdWindowBytes = 2 ** zstdWindowLogMax;
/** Maximum number of zstd frames per body, each with a new decoder. Node's own compressor writes two. */
const framesMax = 16;
/** Memory of a decoder besides its window, and the size of its output pieces. */
const decoderBytes: Readonly<Record<Coding, number>> = { gzip: 128 * 1024, zstd: 512 * 1024 };
const pieceBytes = 64 * 1024;

/** Receives the decompressed bytes. */
export interface DecodedSink {
  /** Reserves memory; throws when there is none left. */
  makeRoom(bytes: number): void;
  take(piece: Buffer): void;
  /** The whole body was decompressed. */
  finish(): void;
  /** Called at most once, and last. */
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

/** A class because it owns a decoder that must be destroyed when the body ends, fails or is abandoned. */
export class BodyDecoder {
  readonly #coding: Coding;
  readonly #sink: DecodedSink;
  #stream: Gunzip | ZstdDecompress;
  #frames = 1;
  #receivedBytes = 0;
  #unpackedBytes = 0;
  #isEnding = false;
  #isOver = false;

  /** Throws the sink's error when there is no memory for a decoder. */
  constructor(coding: Coding, sink: DecodedSink) {
    this.#coding = coding;
    this.#sink = sink;
    sink.makeRoom(decoderBytes[coding]);
    this.#stream = this.#begin();
  }

  /** Decompresses a piece, then calls `then`. Do not write the next piece before that. */
  write(piece: Buffer, then: () => void): void {
    this.#receivedBytes += piece.length;
    this.#feed(piece, then);
  }

  /** Call after the last piece. */
  end(): void {
    this.#isEnding = true;
    this.#stream.end();
  }

  /** Destroys the decoder; the sink gets no further calls. */
  drop(): void {
    this.#isOver = true;
    this.#stream.destroy();
  }

  #begin(): Gunzip | ZstdDecompress {
    const stream = open(this.#coding);
    stream.on("data", (piece: Buffer) => this.#take(piece));
    stream.on("error", (error: NodeJS.ErrnoException) => this.#fail(this.#refusalOf(error)));
    stream.on("end", () => {
      // A stream that ends early stopped inside a piece, at the end of a frame; `#feed` handles the rest.
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

  /** Node's decoder stops after the first zstd frame in a piece. The next frame needs a new decoder. */
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
      // Up to its window size the decoder keeps a copy of its output, so count those bytes twice.
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
