/**
 * What both sides share about sockets: reading into the one area, and writing what lies in it. Knows nothing
 * of HTTP.
 */
import { type OnReadOpts, Socket } from "node:net";
import type { DirectWriter } from "./direct.ts";

/** Up to this many bytes go out as one latin1 string, which libuv copies to its stack: no Buffer is made. */
const stringBytesMax = 8 * 1024;

/** A listening socket's handle; private to Node, the same since Node 12. */
interface WithHandle {
  _handle: object | null;
}

/**
 * A socket with a read buffer of ours for a connection that a `net.Server` accepted, which gives only sockets
 * that allocate for each read. There is no public way: the handle moves from one socket object to another.
 * The server must be made with `pauseOnConnect`, so that nothing has been read, and no longer counts the
 * connection. Undefined when the connection has closed already.
 */
export function adopt(accepted: Socket, onread: OnReadOpts): Socket | undefined {
  const from = accepted as unknown as WithHandle;
  const handle = from._handle;
  if (handle === null) return undefined;
  from._handle = null;
  accepted.destroy();
  const options: object = { handle, allowHalfOpen: true, onread };
  return new Socket(options);
}

/** Writes bytes of the area, which the next read overwrites, with text before and after them. */
export class AreaWriter {
  readonly #area: Buffer;
  #copy: Buffer;
  readonly #copyBytes: number;
  readonly #direct: DirectWriter | undefined;

  /** `textBytesMax`: the longest text before and after. `direct`: writes texts instead of the socket. */
  constructor(area: Buffer, textBytesMax: number, direct?: DirectWriter) {
    this.#area = area;
    this.#direct = direct;
    this.#copyBytes = area.length + textBytesMax;
    this.#copy = Buffer.allocUnsafeSlow(this.#copyBytes);
  }

  /** One write of all three. Returns false when the socket is full: then wait for `drain`. */
  write(socket: Socket, before: string, start: number, end: number, after: string): boolean {
    if (end - start <= stringBytesMax) {
      const text =
        start === end ? before + after : before + this.#area.toString("latin1", start, end) + after;
      return this.#direct?.write(socket, text) ?? socket.write(text, "latin1");
    }
    const copy = this.#copy;
    let length = copy.write(before, 0, "latin1");
    length += this.#area.copy(copy, length, start, end);
    length += copy.write(after, length, "latin1");
    const hasRoom = socket.write(copy.subarray(0, length));
    // The system took all of it at once, or the copy now belongs to the socket.
    if (socket.writableLength > 0) this.#copy = Buffer.allocUnsafeSlow(this.#copyBytes);
    return hasRoom;
  }
}
