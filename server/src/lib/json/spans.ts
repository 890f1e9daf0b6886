/**
 * Finds the spans of an object's members and an array's items in bytes known to be well-formed JSON, so that
 * single ones can be edited while the others stay unchanged. Decodes names only. Knows no project words.
 */

/** The span of a value: bytes `start` (inclusive) to `end` (exclusive). */
export interface ValueSpan {
  readonly start: number;
  readonly end: number;
}

/** A member of an object. `start` and `end` belong to its value. */
export interface MemberSpan extends ValueSpan {
  readonly name: string;
  /** Offset of the name's opening quote. */
  readonly nameStart: number;
  /** Offset after the name's closing quote. */
  readonly nameEnd: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** The first byte at or after `from` that is not JSON whitespace. */
export function afterSpace(body: Buffer, from: number): number {
  let at = from;
  while (isSpace(body[at])) at += 1;
  return at;
}

/** Most quotes in a text that are found by native search; after that it is read byte by byte. */
const searchesMax = 64;

/** The offset after the text whose opening quote is at `start`. */
export function afterText(body: Buffer, start: number): number {
  let at = start;
  for (let searches = 0; searches < searchesMax; searches += 1) {
    at = body.indexOf(quote, at + 1);
    if (at < 0) return body.length;
    let before = at - 1;
    while (body[before] === backslash) before -= 1;
    if ((at - before) % 2 === 1) return at + 1;
  }
  at += 1;
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return Math.min(at + 1, body.length);
}

/** The offset after the value at `start`. */
export function afterValue(body: Buffer, start: number): number {
  const first = body[start];
  if (first === quote) return afterText(body, start);
  if (first !== 0x7b && first !== 0x5b) {
    let at = start;
    while (at < body.length && !isEndOfScalar(body[at] as number)) at += 1;
    return at;
  }
  let depth = 0;
  let at = start;
  while (at < body.length) {
    const byte = body[at] as number;
    if (byte === quote) {
      at = afterText(body, at);
      continue;
    }
    at += 1;
    if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return at;
}

const isEndOfScalar = (byte: number): boolean =>
  byte === comma || byte === 0x7d || byte === 0x5d || isSpace(byte);

/**
 * Texts that stand in many bodies, by length. Comparing their bytes costs a fifth of making a string, which a
 * body of 10,000 tools would need 100,000 times.
 */
const frequentTexts: readonly (readonly (readonly [string, Buffer])[])[] = [
  ...["id", "type", "name", "text", "role", "tool", "tools", "title", "items", "input", "custom", "strict"],
  ...["content", "default", "function", "required", "arguments", "parameters", "properties", "description"],
  ...["input_schema", "cache_control"],
].reduce<[string, Buffer][][]>((byLength, text) => {
  while (byLength.length <= text.length) byLength.push([]);
  byLength[text.length]?.push([text, Buffer.from(text)]);
  return byLength;
}, []);

/** The text of these bytes when it is a frequent one. */
export function frequentText(body: Buffer, start: number, end: number): string | undefined {
  const candidates = frequentTexts[end - start];
  if (candidates === undefined) return undefined;
  for (const [text, bytes] of candidates) {
    let at = 0;
    while (at < bytes.length && body[start + at] === bytes[at]) at += 1;
    if (at === bytes.length) return text;
  }
  return undefined;
}

function nameOf(body: Buffer, start: number, end: number): string {
  const frequent = frequentText(body, start + 1, end - 1);
  if (frequent !== undefined) return frequent;
  const text = body.toString("utf8", start + 1, end - 1);
  return text.includes("\\") ? (JSON.parse(`"${text}"`) as string) : text;
}

/**
 * The members of the object at or after `start` (whitespace is skipped), in order; empty when it is not an
 * object.
 */
export function membersOf(body: Buffer, start: number): MemberSpan[] {
  const members: MemberSpan[] = [];
  let at = afterSpace(body, start);
  if (body[at] !== 0x7b) return members;
  at = afterSpace(body, at + 1);
  while (body[at] === quote) {
    const nameEnd = afterText(body, at);
    const valueStart = afterSpace(body, afterSpace(body, nameEnd) + 1);
    const end = afterValue(body, valueStart);
    members.push({ name: nameOf(body, at, nameEnd), nameStart: at, nameEnd, start: valueStart, end });
    at = afterSpace(body, end);
    if (body[at] !== comma) break;
    at = afterSpace(body, at + 1);
  }
  return members;
}

/** The items of the array at or after `start`, in order; empty when it is not an array. */
export function itemsOf(body: Buffer, start: number): ValueSpan[] {
  const items: ValueSpan[] = [];
  let at = afterSpace(body, start);
  if (body[at] !== 0x5b) return items;
  at = afterSpace(body, at + 1);
  while (at < body.length && body[at] !== 0x5d) {
    const end = afterValue(body, at);
    items.push({ start: at, end });
    at = afterSpace(body, end);
    if (body[at] !== comma) break;
    at = afterSpace(body, at + 1);
  }
  return items;
}

/**
 * The spans to remove so that the chosen members of an object are gone and a valid object remains: disjoint
 * and in order. `isCut` is called once per member.
 */
export function cutsOf(members: readonly MemberSpan[], isCut: (member: MemberSpan) => boolean): ValueSpan[] {
  const cuts: ValueSpan[] = [];
  let hasKept = false;
  members.forEach((member, index) => {
    if (!isCut(member)) {
      hasKept = true;
      return;
    }
    const before = members[index - 1];
    const after = members[index + 1];
    // After a member that stays, the comma before is removed too, else the one after.
    if (hasKept && before !== undefined) cuts.push({ start: before.end, end: member.end });
    else cuts.push({ start: member.nameStart, end: after?.nameStart ?? member.end });
  });
  return cuts;
}

/**
 * True when the text occurs in these bytes as a value, not only as a name. `text`: with its quotes. A text in
 * other spelling is not found.
 */
export function hasValue(body: Buffer, text: string, { start, end }: ValueSpan): boolean {
  for (let at = body.indexOf(text, start); at >= 0 && at < end; at = body.indexOf(text, at + text.length)) {
    if (body[afterSpace(body, at + text.length)] !== 0x3a) return true;
  }
  return false;
}
