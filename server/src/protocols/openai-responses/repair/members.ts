/** Reads single members of JSON objects in bytes, where parsing all of an event would cost too much. */
import { type MemberSpan, membersOf, type ValueSpan } from "../../../lib/json/spans.ts";
import { parseJson } from "../../../lib/record.ts";

/** An object in bytes and its members. A name that stands twice means its last value, as for parsers. */
export class ObjectView {
  readonly bytes: Buffer;
  readonly members: readonly MemberSpan[];

  /** `start`: where the object begins. */
  constructor(bytes: Buffer, start = 0) {
    this.bytes = bytes;
    this.members = membersOf(bytes, start);
  }

  span(name: string): ValueSpan | undefined {
    return this.members.findLast((member) => member.name === name);
  }

  /** The value as it is written. */
  raw(name: string): string | undefined {
    const span = this.span(name);
    return span && this.bytes.toString("utf8", span.start, span.end);
  }

  /** Undefined for what is no text, or an empty one. */
  text(name: string): string | undefined {
    const span = this.span(name);
    if (span === undefined || this.bytes[span.start] !== 0x22) return undefined;
    const value = parseJson(this.bytes.toString("utf8", span.start, span.end));
    return typeof value === "string" && value !== "" ? value : undefined;
  }

  /** Undefined for what is no whole number from 0. */
  number(name: string): number | undefined {
    const span = this.span(name);
    if (span === undefined || span.end - span.start > 16) return undefined;
    const value = parseJson(this.bytes.toString("latin1", span.start, span.end));
    return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  }

  /** The object that is the member's value; undefined for anything else. */
  object(name: string): ObjectView | undefined {
    const span = this.span(name);
    return span !== undefined && this.bytes[span.start] === 0x7b
      ? new ObjectView(this.bytes.subarray(span.start, span.end))
      : undefined;
  }

  isArray(name: string): boolean {
    const span = this.span(name);
    return span !== undefined && this.bytes[span.start] === 0x5b;
  }
}
