/** How long a JSON string is that lies in bytes, without parsing it: for counts, not for reading. */

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

/** A native search costs as much as looking at so many bytes here, and most deltas are shorter. */
const nearBytes = 64;

/** Bytes of the text that begins after the quote at `from`; escapes count as what they stand for, nearly. */
export function textBytes(bytes: Buffer, from: number, end: number): number {
  const near = Math.min(end, from + nearBytes);
  for (let at = from; at < near && bytes[at] !== backslash; at += 1)
    if (bytes[at] === quote) return at - from;
  const firstQuote = bytes.indexOf(quote, from);
  const to = firstQuote < 0 || firstQuote > end ? end : firstQuote;
  // Native search where there are no escapes, as in most deltas.
  if (bytes[to - 1] !== backslash && !bytes.subarray(from, to).includes(backslash)) return to - from;
  let count = 0;
  for (let at = from; at < end && bytes[at] !== quote; at += 1) {
    count += 1;
    if (bytes[at] !== backslash) continue;
    at += 1;
    if (bytes[at] !== letterU) continue;
    // Six bytes, or half of a pair of them, for two in UTF-8, give or take one.
    at += 4;
    count += 1;
  }
  return count;
}
