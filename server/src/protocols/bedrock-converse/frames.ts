/**
 * AWS's event-stream framing (docs/wire/bedrock-converse.md section 3): bytes cut anywhere → whole, checked
 * messages. Knows nothing of what messages mean.
 */
import { crc32 } from "node:zlib";
import { EventStreamCodec } from "@smithy/eventstream-codec";

/** One message: its text headers by name, and its payload. */
export interface Frame {
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer;
}

/** As every event of a stream (≤ 8 MiB); and the framing around one. */
export const frameBytesMax = 8 * 1024 * 1024 + 64 * 1024;
const preludeBytes = 12;
const smallestFrame = 16;

/** The first bytes of a body: large enough for nearly every frame. */
const firstRoom = 4 * 1024;

const codec = new EventStreamCodec(
  (bytes) =>
    typeof bytes === "string"
      ? bytes
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"),
  (text) => Buffer.from(text, "utf8"),
);

function decode(bytes: Buffer): Frame {
  // A copy of its own: a header that claims to be longer than the frame must not
  // read what lies behind it in memory.
  const { headers, body } = codec.decode(new Uint8Array(bytes));
  const texts: Record<string, string> = {};
  for (const [name, header] of Object.entries(headers))
    if (header.type === "string") texts[name] = header.value;
  return { headers: texts, payload: Buffer.from(body.buffer, body.byteOffset, body.byteLength) };
}

export interface FrameReader {
  /** Takes the next bytes; false once the bytes are no frames: nothing is read after that. */
  push(chunk: Buffer): boolean;
}

/** A reader of one body. `take` is told each frame. */
export function createFrameReader(take: (frame: Frame) => void): FrameReader {
  let held = Buffer.alloc(0);
  let heldBytes = 0;
  let isBroken = false;

  /** Bytes of the frame that begins here; 0 = not known yet; -1 = this is no frame. */
  function lengthAt(bytes: Buffer, at: number): number {
    if (bytes.length - at < preludeBytes) return 0;
    const length = bytes.readUInt32BE(at);
    const isPlausible =
      length >= smallestFrame &&
      length <= frameBytesMax &&
      bytes.readUInt32BE(at + 8) === crc32(bytes.subarray(at, at + 8));
    return isPlausible ? length : -1;
  }

  /** Takes every whole frame; returns where the rest begins. */
  function takeFrames(bytes: Buffer): number {
    let at = 0;
    for (;;) {
      const length = lengthAt(bytes, at);
      if (length < 0) isBroken = true;
      if (length <= 0 || bytes.length - at < length) return at;
      let frame: Frame;
      try {
        frame = decode(bytes.subarray(at, at + length));
      } catch {
        isBroken = true;
        return at;
      }
      take(frame);
      at += length;
    }
  }

  /**
   * Keeps what is no whole frame yet, in room that doubles: bytes that come one by one
   * are copied a few times, not each time.
   */
  function keep(rest: Buffer): void {
    if (rest.length === 0) return;
    const bytes = heldBytes + rest.length;
    if (bytes > held.length) {
      const room = Buffer.allocUnsafe(Math.max(bytes, held.length * 2, firstRoom));
      held.copy(room, 0, 0, heldBytes);
      held = room;
    }
    rest.copy(held, heldBytes);
    heldBytes = bytes;
  }

  return {
    push(chunk) {
      if (isBroken) return false;
      if (heldBytes === 0) {
        const at = takeFrames(chunk);
        if (!isBroken) keep(chunk.subarray(at));
        return !isBroken;
      }
      keep(chunk);
      const at = takeFrames(held.subarray(0, heldBytes));
      held.copyWithin(0, at, heldBytes);
      heldBytes -= at;
      return !isBroken;
    },
  };
}
