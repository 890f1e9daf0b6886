/**
 * Copies a body out of the memory that sockets read into. One that comes in several reads goes into one
 * buffer, as neighbours, which their reader puts together without another copy.
 */

/** Larger bodies come in buffers of their own for each read. */
const wholeBytesMax = 256 * 1024;

/** The first read must bring at least this part, so that a declared length alone takes no memory. */
const declaredPerByte = 4;

export class ArrivingBody {
  #whole: Buffer | undefined = undefined;
  #bytes = 0;

  /**
   * Called when the first `bytes` of a body are here and the rest is still to come. `declaredBytes`: 0 where
   * no length was declared.
   */
  begin(declaredBytes: number, bytes: number): void {
    if (declaredBytes === 0 || declaredBytes > wholeBytesMax || declaredBytes > bytes * declaredPerByte)
      return;
    this.#whole = Buffer.allocUnsafeSlow(declaredBytes);
    this.#bytes = 0;
  }

  /** The next bytes, from `start` to `end` of the area, which is overwritten by the next read. */
  copy(area: Buffer, start: number, end: number): Buffer {
    if (this.#whole === undefined) return Buffer.from(area.subarray(start, end));
    const at = this.#bytes;
    this.#bytes = at + area.copy(this.#whole, at, start, end);
    return this.#whole.subarray(at, this.#bytes);
  }

  /** No more of it is wanted. Its pieces keep the buffer as long as they are needed. */
  end(): void {
    this.#whole = undefined;
  }
}
