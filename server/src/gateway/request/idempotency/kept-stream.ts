/**
 * Copies what a stream writes, for a repeated call with the same Idempotency-Key. Drops everything above a
 * maximum of bytes.
 */
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

  /** Returns all bytes with `tail` at the end; undefined when they are more than the maximum. */
  endedBy(tail: Buffer): Buffer | undefined {
    if (this.#bytes + tail.length > this.#bytesMax) return undefined;
    return Buffer.concat([...this.#parts, tail]);
  }
}
