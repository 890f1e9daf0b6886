/**
 * Reads data written as JSON or as a JavaScript literal (a bundler's form of JSON), without executing it and
 * without converting numbers to floats.
 */

/** A number as its digits. */
export interface Digits {
  readonly digits: string;
}
export type Literal = string | boolean | null | Digits | readonly Literal[] | LiteralFields;
export type LiteralFields = { readonly [name: string]: Literal };

const simpleEscapes: { readonly [letter: string]: string } = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  v: "\v",
  "0": "\0",
};

const depthMax = 100;
const spaceForm = /\s*/y;
const numberForm = /-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const wordForm = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const plainForms: { readonly [quote: string]: RegExp } = {
  '"': /[^"\\]*/y,
  "'": /[^'\\]*/y,
  "`": /[^`\\$]*/y,
};

/** The value that begins at `from`, and where it ends. Throws a SyntaxError for anything but plain data. */
export function readLiteral(text: string, from = 0): { readonly value: Literal; readonly end: number } {
  let at = from;

  const fail = (expected: string): never => {
    throw new SyntaxError(`${expected} expected at ${at}, found ${JSON.stringify(text.slice(at, at + 30))}`);
  };
  const take = (form: RegExp): string => {
    form.lastIndex = at;
    const found = form.exec(text)?.[0] ?? "";
    at += found.length;
    return found;
  };
  const next = (): string => {
    take(spaceForm);
    return text[at] ?? "";
  };
  const expect = (sign: string): void => {
    if (next() !== sign) fail(sign);
    at += 1;
  };

  const readEscape = (): string => {
    const letter = text[at + 1] ?? "";
    const length = letter === "u" ? 4 : 2;
    at += 2;
    if (letter !== "u" && letter !== "x") return simpleEscapes[letter] ?? letter;
    const code = text.slice(at, at + length);
    if (code.length < length || !/^[\da-fA-F]+$/.test(code)) fail("hexadecimal digits");
    at += length;
    return String.fromCharCode(Number.parseInt(code, 16));
  };

  const readString = (): string => {
    const quote = text[at] ?? "";
    const plain = plainForms[quote] ?? fail("a string");
    at += 1;
    let value = take(plain);
    while (text[at] !== quote) {
      if (at >= text.length) fail(quote);
      if (text.startsWith("${", at)) fail("a template without expressions");
      if (text[at] === "\\") value += readEscape();
      else {
        value += text[at];
        at += 1;
      }
      value += take(plain);
    }
    at += 1;
    return value;
  };

  const readArray = (depth: number): Literal[] => {
    const items: Literal[] = [];
    expect("[");
    while (next() !== "]") {
      items.push(readValue(depth + 1));
      if (next() !== "]") expect(",");
    }
    at += 1;
    return items;
  };

  const readName = (): string => {
    const sign = next();
    if (sign === '"' || sign === "'") return readString();
    return take(wordForm) || take(numberForm) || fail("a name");
  };

  const readFields = (depth: number): LiteralFields => {
    // Without a prototype, so that no source's key has a special meaning.
    const fields = Object.create(null) as { [name: string]: Literal };
    expect("{");
    while (next() !== "}") {
      const name = readName();
      expect(":");
      fields[name] = readValue(depth + 1);
      if (next() !== "}") expect(",");
    }
    at += 1;
    return fields;
  };

  const readValue = (depth: number): Literal => {
    if (depth > depthMax) fail("less depth");
    const sign = next();
    if (sign === "{") return readFields(depth);
    if (sign === "[") return readArray(depth);
    if (plainForms[sign] !== undefined) return readString();
    const digits = take(numberForm);
    if (digits !== "") return { digits };
    for (const [word, value] of words) {
      if (!text.startsWith(word, at)) continue;
      at += word.length;
      return value;
    }
    return fail("a value");
  };

  return { value: readValue(0), end: at };
}

const words: readonly (readonly [string, Literal])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
  ["!0", true],
  ["!1", false],
];

/** The fields of an object; none for other values. */
export function fieldsOf(value: Literal | undefined): LiteralFields {
  const isMapping = typeof value === "object" && value !== null && !Array.isArray(value) && !isDigits(value);
  return isMapping ? (value as LiteralFields) : {};
}

/** The items of an array; none for other values. */
export function itemsOf(value: Literal | undefined): readonly Literal[] {
  return Array.isArray(value) ? (value as readonly Literal[]) : [];
}

/** A text; undefined for other values. */
export function textOf(value: Literal | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The digits of a number; undefined for other values. */
export function digitsOf(value: Literal | undefined): string | undefined {
  return isDigits(value) ? value.digits : undefined;
}

function isDigits(value: Literal | undefined): value is Digits {
  return typeof value === "object" && value !== null && "digits" in value && typeof value.digits === "string";
}
