/**
 * The state machine of `scan.ts`: one step per token, resumable at any byte. Keeps the state that a chunk
 * border may cut. Does not know what the fields are for.
 */

import { ListTally } from "./scan-lists.ts";
import { findFolded, findName, findSmall, type Names } from "./scan-names.ts";
import type { JsonField, JsonKind, JsonLimits, JsonScan, JsonScanFault, JsonScanner } from "./scan-shapes.ts";
import {
  BACKSLASH,
  ESCAPES,
  HEX,
  isNumberState,
  NUMBER_NEXT,
  NUMBER_START,
  plainEnd,
  QUOTE,
} from "./scan-text.ts";
import { beginText, textStop } from "./text-stop.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

// The expected next token. From TEXT on, the scanner is inside a token that the last chunk cut.
const VALUE = 0;
const FIRST_ITEM = 1;
const FIRST_KEY = 2;
const KEY = 3;
const COLON = 4;
const COMMA_OR_CLOSE = 5;
const NOTHING = 6;
const TEXT = 7;
const KEY_TEXT = 8;
const NUMBER = 9;
const LITERAL = 10;

// Results of the token readers other than an index.
const REFUSED = -1;
const UNFINISHED = -2;

const NINE = 0x39;
/** Containers per word of the bit stack. */
const BITS = 30;

const NONE: ReadonlyMap<string, number> = new Map();

const LITERALS = [Buffer.from("true"), Buffer.from("false"), Buffer.from("null")] as const;

function kindOf(firstByte: number): JsonKind {
  if (firstByte === 0x7b) return "object";
  if (firstByte === 0x5b) return "array";
  if (firstByte === QUOTE) return "string";
  if (firstByte === 0x74) return "true";
  if (firstByte === 0x66) return "false";
  return firstByte === 0x6e ? "null" : "number";
}

/** Scans one text; `scan.ts` explains its results. */
export class Scanner implements JsonScanner {
  private readonly names: Names;
  private readonly inner: Names | undefined;
  private readonly depthMax: number;
  private readonly valuesMax: number;
  private readonly tally: ListTally | undefined;
  private fault: JsonScanFault | undefined = undefined;
  /** Bytes of earlier chunks. */
  private before = 0;
  private state = VALUE;
  private depth = 0;
  private values = 0;
  /** Number of values that are not numbers. */
  private others = 0;
  /** One bit per open container, innermost lowest; 1 for an object. Full words move to `outer`. */
  private objects = 0;
  private outer: number[] | undefined = undefined;

  // State inside a token.
  /** Inside an escape: 5 after the backslash, 4..1 for the missing hex digits, 0 outside. */
  private escape = 0;
  /** The value of the hex digits read so far. */
  private code = 0;
  private number = NUMBER_START;
  private literal: Uint8Array = LITERALS[0];
  private literalAt = 0;
  /** The bytes so far of a top-level key cut by a chunk border; of very long keys only the length. */
  private cutKey: Uint8Array | undefined = undefined;
  private cutKeyLength = 0;

  // The result so far.
  private root = 0;
  private firstMemberAt = -1;
  private isEmpty = false;
  private misspelt: string | undefined = undefined;
  private counts: Map<string, number> | undefined = undefined;
  private hasEscapedLetter = false;
  private duplicate: string | undefined = undefined;
  private fields: Mutable<JsonField>[] = [];
  private field: Mutable<JsonField> | undefined = undefined;

  constructor(names: Names, limits: JsonLimits, inner: Names | undefined) {
    this.names = names;
    this.inner = inner;
    this.depthMax = limits.depthMax;
    this.valuesMax = limits.valuesMax;
    this.tally = limits.listDepth === undefined ? undefined : new ListTally(limits.listDepth);
  }

  push(chunk: Uint8Array): JsonScanFault | undefined {
    if (this.fault !== undefined) return this.fault;
    const length = chunk.length;
    beginText();
    const from = this.state >= TEXT ? this.resume(chunk, length) : 0;
    if (from >= 0) this.run(chunk, from, length);
    this.before += length;
    return this.fault;
  }

  end(): JsonScan | JsonScanFault {
    if (this.fault === undefined) {
      const isNumberDone = this.state === NUMBER && this.depth === 0 && isNumberState(this.number);
      if (this.state !== NOTHING && !isNumberDone) this.refuse("syntax", 0);
    }
    if (this.fault !== undefined) return this.fault;
    return {
      reason: undefined,
      root: kindOf(this.root),
      fields: this.fields,
      duplicate: this.duplicate,
      misspelt: this.misspelt,
      hasEscapedLetter: this.hasEscapedLetter,
      counts: this.counts ?? NONE,
      lists: this.tally?.lists ?? [],
      firstMemberAt: this.firstMemberAt,
      isEmpty: this.isEmpty,
    };
  }

  private refuse(reason: JsonScanFault["reason"], at: number): number {
    this.fault = { reason, at: this.before + at };
    return REFUSED;
  }

  /** Reads from a place between tokens. Handles whitespace, commas and colons; `step` does the rest. */
  private run(chunk: Uint8Array, from: number, end: number): void {
    let at = from;
    let state = this.state;
    while (at < end) {
      const byte = chunk[at] as number;
      if (byte <= 0x20 && (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)) at++;
      else if (state === COMMA_OR_CLOSE && byte === 0x2c) {
        state = (this.objects & 1) === 1 ? KEY : VALUE;
        at++;
      } else if (state === COLON && byte === 0x3a) {
        state = VALUE;
        at++;
      } else {
        at = this.step(state, chunk, byte, at, end);
        if (at < 0) return;
        state = this.state;
      }
    }
    this.state = state;
  }

  /** Reads the token at `at` and sets the next state; returns the token's end or a negative result. */
  private step(state: number, chunk: Uint8Array, byte: number, at: number, end: number): number {
    if (state === VALUE) return this.value(chunk, byte, at, end);
    if (byte === QUOTE && (state === KEY || state === FIRST_KEY)) return this.key(chunk, at + 1, end);
    if (state === COMMA_OR_CLOSE) return this.close(byte, at, false);
    if (state === FIRST_ITEM && byte !== 0x5d) return this.value(chunk, byte, at, end);
    if (state === FIRST_ITEM || state === FIRST_KEY) return this.close(byte, at, true);
    return this.refuse("syntax", at);
  }

  /** Continues the token that the last chunk cut. Returns the index after it, or a negative result. */
  private resume(chunk: Uint8Array, end: number): number {
    if (this.state === TEXT) return this.textEnd(chunk, 0, end);
    if (this.state === KEY_TEXT) return this.keyTextEnd(chunk, 0, end);
    if (this.state === NUMBER) return this.numberEnd(chunk, 0, end);
    return this.literalEnd(chunk, 0, end);
  }

  /** A value begins at `at`. */
  private value(chunk: Uint8Array, byte: number, at: number, end: number): number {
    const isContainer = byte === 0x7b || byte === 0x5b;
    if (isContainer && this.depth === this.depthMax) return this.refuse("depth", at);
    if (++this.values > this.valuesMax) return this.refuse("values", at);
    if (this.depth <= 1) {
      if (this.depth === 0) this.root = byte;
      else if (this.field !== undefined) {
        this.field.start = this.before + at;
        this.field.kind = kindOf(byte);
      }
    }
    if (byte > NINE || byte === QUOTE) this.others++;
    if (byte === QUOTE) return this.textEnd(chunk, at + 1, end);
    if (isContainer) return this.open(byte === 0x7b, at);
    if (byte === 0x74 || byte === 0x66 || byte === 0x6e) {
      this.literal = byte === 0x74 ? LITERALS[0] : byte === 0x66 ? LITERALS[1] : LITERALS[2];
      this.literalAt = 1;
      return this.literalEnd(chunk, at + 1, end);
    }
    this.number = NUMBER_NEXT[byte] as number;
    if (this.number === NUMBER_START) return this.refuse("syntax", at);
    return this.numberEnd(chunk, at + 1, end);
  }

  /** A value ended just before `at`. */
  private valueEnd(at: number): number {
    this.state = this.depth === 0 ? NOTHING : COMMA_OR_CLOSE;
    if (this.depth === 1 && this.field !== undefined) {
      this.field.end = this.before + at;
      this.field = undefined;
    }
    return at;
  }

  private open(isObject: boolean, at: number): number {
    if (this.depth === 0) this.firstMemberAt = this.before + at + 1;
    else if (this.depth % BITS === 0) {
      this.outer ??= [];
      this.outer.push(this.objects);
      this.objects = 0;
    }
    this.depth++;
    if (this.depth === this.tally?.depth) this.tally.open(this.values, this.others);
    this.objects = (this.objects << 1) | (isObject ? 1 : 0);
    this.state = isObject ? FIRST_KEY : FIRST_ITEM;
    return at + 1;
  }

  /** The byte at `at` must close the innermost container. */
  private close(byte: number, at: number, isEmpty: boolean): number {
    if (byte !== ((this.objects & 1) === 1 ? 0x7d : 0x5d)) return this.refuse("syntax", at);
    if (this.depth === 1) this.isEmpty = isEmpty;
    if (this.depth === this.tally?.depth && byte === 0x5d) {
      this.tally.close(this.values, this.others, this.before + at);
    }
    this.depth--;
    this.objects >>>= 1;
    if (this.depth !== 0 && this.depth % BITS === 0) this.objects = this.outer?.pop() ?? 0;
    return this.valueEnd(at + 1);
  }

  /** Reads a string value up to its end or the chunk's end. */
  private textEnd(chunk: Uint8Array, from: number, end: number): number {
    let at = from;
    if (this.escape !== 0) at = this.escapeEnd(chunk, at, end);
    if (at < 0) return at;
    const shortEnd = Math.min(at + 24, end);
    at = plainEnd(chunk, at, shortEnd);
    if (at < end && chunk[at] === QUOTE) return this.valueEnd(at + 1);
    while (at < end) {
      at = textStop(chunk, at, end);
      if (at === end) break;
      const byte = chunk[at] as number;
      if (byte === QUOTE) return this.valueEnd(at + 1);
      if (byte !== BACKSLASH) return this.refuse("syntax", at);
      this.escape = 5;
      at = this.escapeEnd(chunk, at + 1, end);
      if (at < 0) break;
    }
    this.state = TEXT;
    return at === REFUSED ? REFUSED : UNFINISHED;
  }

  /** A key begins; `from` is the index after its quote. */
  private key(chunk: Uint8Array, from: number, end: number): number {
    const stop = plainEnd(chunk, from, end);
    if (stop < end && chunk[stop] === QUOTE) {
      if (this.depth === 1) this.match(chunk, from, stop - from);
      else if (this.inner !== undefined) this.countKey(findSmall(this.inner, chunk, from, stop - from));
      const hasColon = stop + 1 < end && chunk[stop + 1] === 0x3a;
      this.state = hasColon ? VALUE : COLON;
      return hasColon ? stop + 2 : stop + 1;
    }
    this.cutKeyLength = 0;
    this.state = KEY_TEXT;
    return this.keyTextEnd(chunk, from, end);
  }

  /** Reads a key up to its end or the chunk's end. */
  private keyTextEnd(chunk: Uint8Array, from: number, end: number): number {
    let at = from;
    if (this.escape !== 0) at = this.escapeEnd(chunk, at, end);
    while (at >= 0) {
      at = plainEnd(chunk, at, end);
      if (at === end) break;
      const byte = chunk[at] as number;
      if (byte === QUOTE) return this.keyEnd(chunk, from, at);
      if (byte !== BACKSLASH) return this.refuse("syntax", at);
      this.escape = 5;
      at = this.escapeEnd(chunk, at + 1, end);
    }
    if (at === REFUSED) return REFUSED;
    if (this.depth === 1 || this.inner !== undefined) this.keepCutKey(chunk, from, end);
    return UNFINISHED;
  }

  private escapeEnd(chunk: Uint8Array, from: number, end: number): number {
    let at = from;
    if (this.escape === 5) {
      if (at >= end) return UNFINISHED;
      const rule = ESCAPES[chunk[at] as number] as number;
      if (rule === 0) return this.refuse("syntax", at);
      at++;
      this.escape = rule === 2 ? 4 : 0;
      this.code = 0;
    }
    while (this.escape > 0) {
      if (at >= end) return UNFINISHED;
      const digit = HEX[chunk[at] as number] as number;
      if (digit === 0) return this.refuse("syntax", at);
      this.code = (this.code << 4) | (digit - 1);
      at++;
      if (--this.escape === 0 && this.code >= 0x41 && this.code <= 0x7a) this.hasEscapedLetter = true;
    }
    return at;
  }

  private numberEnd(chunk: Uint8Array, from: number, end: number): number {
    let at = from;
    let state = this.number;
    while (at < end) {
      const next = NUMBER_NEXT[(state << 8) | (chunk[at] as number)] as number;
      if (next === 0) return isNumberState(state) ? this.valueEnd(at) : this.refuse("syntax", at);
      state = next;
      at++;
    }
    this.number = state;
    this.state = NUMBER;
    return UNFINISHED;
  }

  private literalEnd(chunk: Uint8Array, from: number, end: number): number {
    const literal = this.literal;
    let at = from;
    while (this.literalAt < literal.length) {
      if (at >= end) {
        this.state = LITERAL;
        return UNFINISHED;
      }
      if (chunk[at] !== literal[this.literalAt]) return this.refuse("syntax", at);
      at++;
      this.literalAt++;
    }
    return this.valueEnd(at);
  }

  /** A key ended with the quote at `quoteAt`; its bytes in this chunk begin at `from`. */
  private keyEnd(chunk: Uint8Array, from: number, quoteAt: number): number {
    this.state = COLON;
    const { inner } = this;
    if (this.depth !== 1 && inner === undefined) return quoteAt + 1;
    let [bytes, start, length] = [chunk, from, quoteAt - from];
    if (this.cutKeyLength > 0) {
      this.keepCutKey(chunk, from, quoteAt);
      [bytes, start, length] = [this.cutKey ?? chunk, 0, this.cutKeyLength];
    }
    if (this.depth === 1) this.match(bytes, start, length);
    else if (inner !== undefined) this.countKey(findFolded(inner, bytes, start, length));
    return quoteAt + 1;
  }

  /** Counts one more of the counted keys. */
  private countKey(name: string | undefined): void {
    if (name === undefined) return;
    this.counts ??= new Map();
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  private keepCutKey(chunk: Uint8Array, from: number, end: number): void {
    const most = Math.max(this.names.foldedMax, this.inner?.foldedMax ?? 0);
    this.cutKey ??= new Uint8Array(most);
    for (let at = from; at < end && this.cutKeyLength <= most; at++) {
      this.cutKey[this.cutKeyLength++] = chunk[at] as number;
    }
  }

  /** Looks the key up; if it is wanted, its value is recorded when read. */
  private match(bytes: Uint8Array, from: number, length: number): void {
    const name = findName(this.names, bytes, from, length);
    if (name === undefined) {
      this.misspelt ??= findFolded(this.names, bytes, from, length);
      return;
    }
    const fields = this.fields;
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i] as Mutable<JsonField>;
      if (field.name !== name) continue;
      this.duplicate ??= name;
      this.field = field;
      return;
    }
    this.field = { name, start: 0, end: 0, kind: "null" };
    fields.push(this.field);
  }
}
