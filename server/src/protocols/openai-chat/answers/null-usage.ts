/**
 * Removes `"usage":null` from a stream's chunks. Plaza always asks upstreams for usage, and they then write
 * it in every chunk; a caller that did not ask must not see it. Works on whole events without parsing them,
 * and removes only members of the chunk itself.
 */

const name = Buffer.from('"usage"');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const LF = 0x0a;
const CR = 0x0d;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;

/** `null` as a 32-bit number. */
const NULL = 0x6e756c6c;

const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09;

function skipBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (isBlank(bytes[at])) at += 1;
  return at;
}

/** End of the `null` that is the value of the key at `at`; -1 when it is not a key or has another value. */
function endOfNull(bytes: Buffer, at: number): number {
  const colon = skipBlanks(bytes, at + name.length);
  if (bytes[at - 1] === BACKSLASH || bytes[colon] !== COLON) return -1;
  const value = skipBlanks(bytes, colon + 1);
  return value + 4 <= bytes.length && bytes.readUInt32BE(value) === NULL ? value + 4 : -1;
}

/**
 * End of the object or array that contains the value ending at `from`: its closing bracket, or the end of the
 * line.
 */
function closingOf(bytes: Buffer, from: number): number {
  let depth = 0;
  let isText = false;
  let at = from;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === LF || byte === CR) return at;
    if (isText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return bytes.length;
}

/** True when this bracket closes the outermost object of a line. */
function isOutermost(bytes: Buffer, closing: number): boolean {
  if (bytes[closing] !== CLOSE_BRACE) return false;
  const next = bytes[skipBlanks(bytes, closing + 1)];
  return next === undefined || next === LF || next === CR;
}

/**
 * The span to remove for a member from `start` to `end`: including the comma before it, or else the one after
 * it.
 */
function memberSpan(bytes: Buffer, start: number, end: number): [start: number, end: number] {
  let before = start - 1;
  while (isBlank(bytes[before])) before -= 1;
  if (bytes[before] === COMMA) return [before, end];
  const behind = skipBlanks(bytes, end);
  return [start, bytes[behind] === COMMA ? skipBlanks(bytes, behind + 1) : end];
}

function without(bytes: Buffer, spans: readonly (readonly [start: number, end: number])[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const [start, end] of spans) {
    parts.push(bytes.subarray(at, start));
    at = end;
  }
  parts.push(bytes.subarray(at));
  return Buffer.concat(parts);
}

/** The events without `"usage":null`; the same buffer when there is none. */
export function withoutNullUsage(events: Buffer): Buffer {
  let at = events.indexOf(name);
  if (at < 0) return events;
  const spans: [start: number, end: number][] = [];
  while (at >= 0) {
    const end = endOfNull(events, at);
    let from = at + name.length;
    if (end >= 0) {
      const closing = closingOf(events, end);
      if (isOutermost(events, closing)) spans.push(memberSpan(events, at, end));
      // Everything skipped is at this depth or deeper, so no byte is scanned twice.
      from = closing;
    }
    at = events.indexOf(name, from);
  }
  return spans.length === 0 ? events : without(events, spans);
}
