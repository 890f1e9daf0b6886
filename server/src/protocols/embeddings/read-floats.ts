/**
 * Reads the numbers of a JSON array from its bytes directly into 32-bit floats, without strings, arrays or
 * boxed numbers. Knows no answer format.
 */

const zero = 0x30;
const minus = 0x2d;
const plus = 0x2b;
const point = 0x2e;
const comma = 0x2c;

/** Largest power of ten that a double holds exactly. */
const exactPowerMax = 22;
const powers = Array.from({ length: exactPowerMax + 1 }, (_, power) => Number(`1e${power}`));

/** With this many digits, a double holds a whole number and its successor exactly. */
const digitsMax = 15;
/** Most digits of an exponent; no valid number needs more. */
const exponentDigitsMax = 4;

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const digitAt = (bytes: Uint8Array, at: number): number => ((bytes[at] as number) - zero) >>> 0;

/** `mantissa × 10^exponent`, rounded once as a double; NaN when that takes more than one exact step. */
function scaled(mantissa: number, exponent: number): number {
  if (exponent === 0) return mantissa;
  if (exponent < 0) return exponent >= -exactPowerMax ? mantissa / (powers[-exponent] as number) : Number.NaN;
  return exponent <= exactPowerMax ? mantissa * (powers[exponent] as number) : Number.NaN;
}

/** Parses the number from `start` to `end` as text: exact, but slow. */
const parsed = (bytes: Uint8Array, start: number, end: number): number =>
  Math.fround(Number(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("latin1")));

/**
 * Reads one array's numbers. `start`: after its opening bracket; `end`: index of its closing bracket, which
 * must be in the bytes. Each number becomes `Math.fround(JSON.parse(…))`. Returns how many there are; -1 for
 * invalid content, a number beyond the range of a 32-bit float, or too small an `into`.
 */
export function readFloats(bytes: Uint8Array, start: number, end: number, into: Float32Array): number {
  let count = 0;
  let at = start;
  for (;;) {
    while (isSpace(bytes[at] as number)) at += 1;
    if (at >= end) return count === 0 ? 0 : -1;
    const from = at;
    const isNegative = bytes[at] === minus;
    if (isNegative) at += 1;

    // At most 15 digits are used; `isCut`: more digits follow.
    let mantissa = 0;
    let kept = 0;
    let exponent = 0;
    let isCut = false;
    const integerFrom = at;
    for (let digit = digitAt(bytes, at); digit < 10; digit = digitAt(bytes, at)) {
      if (kept < digitsMax) {
        mantissa = mantissa * 10 + digit;
        if (mantissa !== 0) kept += 1;
      } else {
        exponent += 1;
        isCut = true;
      }
      at += 1;
    }
    if (at === integerFrom) return -1;
    if (bytes[at] === point) {
      at += 1;
      const fractionFrom = at;
      for (let digit = digitAt(bytes, at); digit < 10; digit = digitAt(bytes, at)) {
        if (kept < digitsMax) {
          mantissa = mantissa * 10 + digit;
          if (mantissa !== 0) kept += 1;
          exponent -= 1;
        } else isCut = true;
        at += 1;
      }
      if (at === fractionFrom) return -1;
    }
    if (((bytes[at] as number) | 0x20) === 0x65) {
      at += 1;
      const isDown = bytes[at] === minus;
      if (isDown || bytes[at] === plus) at += 1;
      const exponentFrom = at;
      let power = 0;
      for (let digit = digitAt(bytes, at); digit < 10; digit = digitAt(bytes, at)) {
        power = power * 10 + digit;
        at += 1;
      }
      if (at === exponentFrom || at - exponentFrom > exponentDigitsMax) return -1;
      exponent += isDown ? -power : power;
    }

    let value = Math.fround(scaled(mantissa, exponent));
    // The exact value is between this and the next mantissa. If both round to the same float, so does the
    // value.
    const isSure = !isCut || value === Math.fround(scaled(mantissa + 1, exponent));
    if (Number.isNaN(value) || !isSure) value = parsed(bytes, from, at);
    else if (isNegative) value = -value;
    if (count >= into.length || value - value !== 0) return -1;
    into[count] = value;
    count += 1;

    while (isSpace(bytes[at] as number)) at += 1;
    if (at === end) return count;
    if (bytes[at] !== comma) return -1;
    at += 1;
  }
}
