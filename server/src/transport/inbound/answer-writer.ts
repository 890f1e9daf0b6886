/** Writes pieces of answers to sockets: each with the text around it in one write. Knows nothing of HTTP. */
import type { Socket } from "node:net";
import type { DirectWriter } from "../sockets/direct.ts";

/** Up to this many bytes go out as one latin1 string, which Node copies to its stack: no Buffer is made. */
const stringBytesMax = 8 * 1024;
/** Up to this many are copied into one buffer; larger pieces are written by reference. */
const copiedBytesMax = 192 * 1024;

/** One for all sockets. */
export class AnswerWriter {
  #copy: Buffer | undefined;
  /** Writes texts past the sockets' streams, where that is known to work. */
  direct: DirectWriter | undefined = undefined;

  /**
   * Writes all three, the texts as latin1. Up to 128 KiB of `bytes` may be overwritten afterwards; of more,
   * the socket keeps a reference. `isFull`: a write has returned false, and no `drain` has come since. False:
   * the socket is full, wait for `drain`.
   */
  write(socket: Socket, before: string, bytes: Buffer | undefined, after: string, isFull: boolean): boolean {
    if (bytes === undefined) return this.#writeText(socket, before + after, isFull);
    const { length } = bytes;
    if (length <= stringBytesMax)
      return this.#writeText(socket, before + bytes.toString("latin1", 0, length) + after, isFull);
    const wholeBytes = before.length + length + after.length;
    return wholeBytes <= copiedBytesMax
      ? this.#writeCopy(socket, before, bytes, after)
      : writeByReference(socket, before, bytes, after);
  }

  #writeText(socket: Socket, text: string, isFull: boolean): boolean {
    const isSent = isFull ? undefined : this.direct?.write(socket, text);
    return isSent ?? socket.write(text, "latin1");
  }

  #writeCopy(socket: Socket, before: string, bytes: Buffer, after: string): boolean {
    const copy = this.#copy ?? Buffer.allocUnsafeSlow(copiedBytesMax);
    this.#copy = copy;
    let length = copy.write(before, 0, "latin1");
    length += bytes.copy(copy, length);
    length += copy.write(after, length, "latin1");
    const hasRoom = socket.write(copy.subarray(0, length));
    // Unless the system took all of it at once, the copy now belongs to the socket.
    if (socket.writableLength > 0) this.#copy = undefined;
    return hasRoom;
  }
}

function writeByReference(socket: Socket, before: string, bytes: Buffer, after: string): boolean {
  socket.cork();
  if (before !== "") socket.write(before, "latin1");
  let hasRoom = socket.write(bytes);
  if (after !== "") hasRoom = socket.write(after, "latin1");
  socket.uncork();
  return hasRoom;
}
