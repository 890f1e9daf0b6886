/** Replaces parts of a buffer with a single copy. Knows nothing of the content. */
import assert from "node:assert/strict";

/** Bytes `start` (inclusive) to `end` (exclusive) become `text` in UTF-8; `start === end` inserts. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const [quote, comma] = [0x22, 0x2c];

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * The edit that removes a member from a well-formed JSON object, given the span of its value: name, value and
 * one comma. The name must have no escapes.
 */
export function cutMember(body: Buffer, value: { readonly start: number; readonly end: number }): Edit {
  // Back from the value to the name's opening quote.
  let start = body.lastIndexOf(quote, value.start - 1);
  start = body.lastIndexOf(quote, start - 1);
  let { end } = value;
  while (isSpace(body[end])) end += 1;
  if (body[end] === comma) return { start, end: end + 1, text: "" };
  // The last member: the comma before it is removed instead.
  let before = start - 1;
  while (isSpace(body[before])) before -= 1;
  return { start: body[before] === comma ? before : start, end: value.end, text: "" };
}

/**
 * The body with all edits applied. They must not overlap and must be in ascending order. Without edits the
 * same buffer is returned; otherwise one new buffer is allocated and the body stays unchanged.
 */
export function splice(body: Buffer, edits: readonly Edit[]): Buffer {
  if (edits.length === 0) return body;
  let length = body.length;
  for (const { start, end, text } of edits) length += Buffer.byteLength(text) - (end - start);
  const result = Buffer.allocUnsafe(length);
  let from = 0;
  let to = 0;
  for (const { start, end, text } of edits) {
    assert(from <= start && start <= end && end <= body.length, "edits are in order and inside the body");
    to += body.copy(result, to, from, start);
    to += result.write(text, to);
    from = end;
  }
  body.copy(result, to, from);
  return result;
}
