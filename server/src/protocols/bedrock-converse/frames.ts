/**
 * AWS's event-stream framing (docs/wire/bedrock-converse.md section 3): bytes cut anywhere → complete,
 * verified messages. Does not interpret the messages.
 */
import { crc32 } from "node:zlib";
import { EventStreamCodec } from "@smithy/eventstream-codec";

/** One message: its text headers by name, and its payload. */
export interface Frame {
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer;
}

/** Largest frame: 8 MiB, like every stream event, plus the framing. */
export const frameBytesMax = 8 * 1024 * 1024 + 64 * 1024;
const preludeBytes = 12;
const smallestFrame = 16;

/** Initial buffer size in bytes: large enough for nearly every frame. */
const firstRoom = 4 * 1024;

const codec = new EventStreamCodec(
  (bytes) =>
    typeof bytes === "string"
      ? bytes
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"),
  (text) => Buffer.from(text, "utf8"),
);

function decode(bytes: Buffer): Frame {
  // A separate copy: a header that claims to be longer than the frame must not expose adjacent memory.
  const { headers, body } = codec.decode(new Uint8Array(bytes));
  const texts: Record<string, string> = {};
  for (const [name, header] of Object.entries(headers))
    if (header.type === "string") texts[name] = header.value;
  return { headers: texts, payload: Buffer.from(body.buffer, body.byteOffset, body.byteLength) };
}

export interface FrameReader {
  /** Adds bytes. Returns false when they are not valid frames; nothing is read after that. */
  push(chunk: Buffer): boolean;
}

/** Creates a reader for one body. `take` receives each frame. */
export function createFrameReader(take: (frame: Frame) => void): FrameReader {
  let held = Buffer.alloc(0);
  let heldBytes = 0;
  let isBroken = false;

  /** Length in bytes of the frame at `at`; 0 = not known yet; -1 = not a frame. */
  function lengthAt(bytes: Buffer, at: number): number {
    if (bytes.length - at < preludeBytes) return 0;
    const length = bytes.readUInt32BE(at);
    const isPlausible =
      length >= smallestFrame &&
      length <= frameBytesMax &&
      bytes.readUInt32BE(at + 8) === crc32(bytes.subarray(at, at + 8));
    return isPlausible ? length : -1;
  }

  /** Passes on every complete frame; returns where the rest begins. */
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
   * Keeps an incomplete frame in a buffer that doubles, so that bytes arriving one by one are not copied each
   * time.
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
