/**
 * The head of a caller's last request, to recognise the next one by its bytes. A client sends the same head
 * on a connection again and again, but for the length of the body. llhttp has decided what those bytes mean;
 * when they come again, between two messages as before and with the whole body in the same read, they mean
 * the same. Anything else is for llhttp.
 */
import type { Head } from "../llhttp/head.ts";
import type { PlainHead } from "./plain.ts";

const lengthName = "content-length";
const zero = 0x30;
/** Longer lengths are left to llhttp, which looks for an overflow. */
const digitsMax = 9;

/** Heads in a row that were not the one before; then the connection is no longer looked at. */
const missesMax = 4;

export class RepeatedHead {
  /** Where the body of the request that `find` has found starts. */
  bodyStart = 0;
  #plain: PlainHead | undefined = undefined;
  /** The bytes of the head before the digits of its length, and behind them. */
  #before: Buffer | undefined = undefined;
  #behind: Buffer | undefined = undefined;
  #bodyBytes = 0;
  /** Begins below 0: a connection's first head is not worth keeping. */
  #misses = -1;

  /**
   * The head of a request that is all of the first `bytes` of the area: the kept head, its whole body, and
   * nothing else. Undefined: they are not that.
   */
  find(area: Buffer, bytes: number): PlainHead | undefined {
    const before = this.#before;
    const behind = this.#behind;
    const plain = this.#plain;
    if (before === undefined || behind === undefined || plain === undefined) return undefined;
    const digitsAt = before.length;
    if (bytes <= digitsAt || area.compare(before, 0, digitsAt, 0, digitsAt) !== 0) return undefined;
    let at = digitsAt;
    let bodyBytes = 0;
    for (; at < bytes && at - digitsAt < digitsMax; at++) {
      const digit = (area[at] as number) - zero;
      if (digit < 0 || digit > 9) break;
      bodyBytes = bodyBytes * 10 + digit;
    }
    const bodyStart = at + behind.length;
    if (area[digitsAt] === zero || bodyBytes === 0 || bodyStart + bodyBytes !== bytes) return undefined;
    if (area.compare(behind, 0, behind.length, at, bodyStart) !== 0) return undefined;
    this.#misses = 0;
    this.bodyStart = bodyStart;
    if (bodyBytes === this.#bodyBytes) return plain;
    this.#bodyBytes = bodyBytes;
    this.#plain = { ...plain, headers: { ...plain.headers, [lengthName]: String(bodyBytes) } };
    return this.#plain;
  }

  /**
   * Keeps the head of a request that llhttp has read, whole and from the start of the area, with its body.
   * Only a head that leaves the connection open, and a body with a length.
   */
  keep(head: Head, plain: PlainHead, bodyStart: number): void {
    if (this.#misses === missesMax) return;
    this.#misses += 1;
    this.#before = undefined;
    if (this.#misses === 0 || this.#misses === missesMax || !head.keepsAlive) return;
    const length = plain.headers[lengthName];
    const field = fieldOf(head, lengthName);
    if (typeof length !== "string" || field < 0 || length === "0" || length !== String(Number(length)))
      return;
    const digitsAt = head.valueStart(field);
    this.#before = Buffer.from(head.source.subarray(0, digitsAt));
    this.#behind = Buffer.from(head.source.subarray(digitsAt + length.length, bodyStart));
    this.#bodyBytes = Number(length);
    this.#plain = plain;
  }
}

/** The field with a lower-case name, or -1. */
function fieldOf(head: Head, name: string): number {
  for (let field = 0; field < head.count; field++) {
    if (head.nameLength(field) === name.length && head.isNamed(field, name)) return field;
  }
  return -1;
}
