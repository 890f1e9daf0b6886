/** Replaces stretches of a buffer in one copy. It knows nothing of what the bytes mean. */
import assert from "node:assert/strict";

/** Bytes `start` (inclusive) to `end` (exclusive) become `text` in UTF-8; `start === end` inserts. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * The body with every edit made. Edits must not overlap and come in rising order. Without edits the very same buffer is
 * returned; with edits exactly one new one is allocated and the body itself is left alone.
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
