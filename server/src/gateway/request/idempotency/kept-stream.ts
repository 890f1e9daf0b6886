/**
 * Keeps a copy of a stream for repeats with the same Idempotency-Key. Drops everything once the copy exceeds
 * `bytesMax`.
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
    // Copied, because a piece may be a small part of a large read buffer.
    if (this.#bytes <= this.#bytesMax) this.#parts.push(Buffer.from(bytes));
    else this.#parts = [];
  }

  /** Returns the stream followed by `tail`; undefined when it exceeds the limit. */
  endedBy(tail: Buffer): Buffer | undefined {
    if (this.#bytes + tail.length > this.#bytesMax) return undefined;
    return Buffer.concat([...this.#parts, tail]);
  }
}
