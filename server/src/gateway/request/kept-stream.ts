/** Copies of what a stream wrote, for the caller that repeats its call: none once there are more bytes than may be kept. */
export class KeptStream {
  readonly #bytesMax: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  push(bytes: Buffer): void {
    this.#bytes += bytes.length;
    // Copies, because a piece may be a small part of a large read.
    if (this.#bytes <= this.#bytesMax) this.#parts.push(Buffer.from(bytes));
    else this.#parts = [];
  }

  /** Everything, with the bytes that end it; undefined when that is more than may be kept. */
  endedBy(tail: Buffer): Buffer | undefined {
    if (this.#bytes + tail.length > this.#bytesMax) return undefined;
    return Buffer.concat([...this.#parts, tail]);
  }
}
