/**
 * The start line and header fields of one message, as offsets into the bytes they were read into. Knows
 * nothing of sockets or of the parser; nothing is copied or made into a string until someone asks for it.
 */

/** More header fields than this are refused. */
export const fieldsMax = 100;

const lineEnd = "\r\n";
const space = 0x20;
const tab = 0x09;
/** Numbers of one field in `spans`: start and end of its name, start and end of its value. */
const width = 4;

export class Head {
  /** What the offsets point into. Valid until the next read, unless the head came in several reads. */
  source: Buffer;
  readonly spans = new Int32Array(fieldsMax * width);
  count = 0;
  /** The request target, or the reason phrase of an answer. */
  targetStart = 0;
  targetEnd = 0;
  /** llhttp's number of the request's method. */
  method = 0;
  /** 0 for a request. */
  status = 0;
  major = 1;
  minor = 1;
  /** What HTTP says about the connection after this message, by version and `Connection`. */
  keepsAlive = false;
  isUpgrade = false;

  constructor(source: Buffer) {
    this.source = source;
  }

  clear(): void {
    this.count = 0;
    this.targetStart = 0;
    this.targetEnd = 0;
    this.status = 0;
  }

  get target(): string {
    return this.source.toString("latin1", this.targetStart, this.targetEnd);
  }

  nameLength(field: number): number {
    const at = field * width;
    return (this.spans[at + 1] as number) - (this.spans[at] as number);
  }

  /** The offset of a field's value in `source`. */
  valueStart(field: number): number {
    return this.spans[field * width + 2] as number;
  }

  /** Compares a field's name with a lower-case one of the same length. */
  isNamed(field: number, name: string): boolean {
    const start = this.spans[field * width] as number;
    for (let index = 0; index < name.length; index++) {
      if (((this.source[start + index] as number) | 0x20) !== name.charCodeAt(index)) return false;
    }
    return true;
  }

  name(field: number): string {
    const at = field * width;
    return this.source.toString("latin1", this.spans[at] as number, this.spans[at + 1] as number);
  }

  value(field: number): string {
    const at = field * width;
    return this.source.toString("latin1", this.spans[at + 2] as number, this.spans[at + 3] as number);
  }

  /** The value without the white space that llhttp leaves behind it (RFC 9110 5.5). */
  trimmedValue(field: number): string {
    const { source, spans } = this;
    const start = spans[field * width + 2] as number;
    let end = spans[field * width + 3] as number;
    while (end > start && (source[end - 1] === space || source[end - 1] === tab)) end--;
    return source.toString("latin1", start, end);
  }

  /**
   * The lines of the fields from one to another (not included), each with its line end. The parser in strict
   * mode has seen that between two fields there is nothing but white space and one line end.
   */
  lines(from: number, to: number): string {
    if (from >= to) return "";
    const start = this.spans[from * width] as number;
    if (to < this.count) return this.source.toString("latin1", start, this.spans[to * width] as number);
    return this.source.toString("latin1", start, this.spans[(to - 1) * width + 3] as number) + lineEnd;
  }
}

/**
 * Returns a function that gives a field's name in lower case. `usual`: lower-case names that come often. They
 * are recognised by their bytes, without a new string.
 */
export function createFieldNames(usual: readonly string[]): (head: Head, field: number) => string {
  const longest = Math.max(...usual.map((name) => name.length));
  const byLength = Array.from({ length: longest + 1 }, (_, length) =>
    usual.filter((name) => name.length === length),
  );
  return (head, field) => {
    for (const name of byLength[head.nameLength(field)] ?? []) if (head.isNamed(field, name)) return name;
    return head.name(field).toLowerCase();
  };
}
