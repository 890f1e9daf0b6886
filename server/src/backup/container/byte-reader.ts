/** Takes exact numbers of bytes, and lines, from a stream of pieces of any size. */

const newline = 10;

export class ByteReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#pieces = source[Symbol.asyncIterator]();
  }

  /** Exactly `count` bytes; undefined when the stream ends before. */
  async read(count: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    let missing = count;
    while (missing > 0) {
      const some = await this.readSome(missing);
      if (some === undefined) return undefined;
      parts.push(some);
      missing -= some.length;
    }
    return parts.length === 1 ? parts[0] : Buffer.concat(parts);
  }

  /** Between one and `max` bytes, as they come; undefined at the end. */
  async readSome(max: number): Promise<Buffer | undefined> {
    if (!(await this.#fill())) return undefined;
    const some = this.#rest.subarray(0, max);
    this.#rest = this.#rest.subarray(some.length);
    return some;
  }

  /** A line without its newline; undefined when the stream ends before one, or the line is longer. */
  async readLine(bytesMax: number): Promise<string | undefined> {
    const parts: Buffer[] = [];
    for (let bytes = 0; bytes <= bytesMax; ) {
      if (!(await this.#fill())) return undefined;
      const end = this.#rest.indexOf(newline);
      const part = (await this.readSome(end < 0 ? this.#rest.length : end + 1)) as Buffer;
      parts.push(part);
      bytes += part.length;
      if (end >= 0)
        return bytes <= bytesMax ? Buffer.concat(parts).toString("utf8", 0, bytes - 1) : undefined;
    }
    return undefined;
  }

  async isAtEnd(): Promise<boolean> {
    return !(await this.#fill());
  }

  /** False when there is nothing more. */
  async #fill(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#pieces.next();
      if (done === true) return false;
      this.#rest = value;
    }
    return true;
  }
}
