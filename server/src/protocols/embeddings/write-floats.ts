/**
 * Writes 32-bit floats as JSON numbers into bytes, each with the fewest digits that read back as the same
 * float, as OpenAI does. Knows no answer format.
 */

/** Most bytes of one number: a sign, "0.", six zeros, nine digits. */
export const floatBytesMax = 18;

const zero = 0x30;
const minus = 0x2d;
const point = 0x2e;
const letterE = 0x65;

/** Enough digits to distinguish any two 32-bit floats. */
const digitsMax = 9;
/** Tried first, because most floats of usual size need eight digits. */
const digitsFirst = 8;
/** Smaller exponents are written in scientific notation, as JavaScript does. */
const plainExponentMin = -7;
/** Largest power of ten that a double holds exactly. */
const exactPowerMax = 22;
const powers = Array.from({ length: exactPowerMax + 1 }, (_, power) => Number(`1e${power}`));

/** By a float's eight exponent bits: the decimal exponent of the smallest number with these bits. */
const decimalExponents = Int8Array.from({ length: 256 }, (_, bits) =>
  Math.floor((Math.max(bits, 1) - 127) * Math.log10(2)),
);
const bitsOf = new Float32Array(1);
const bitsView = new Uint32Array(bitsOf.buffer);

/** The next power of ten above a decimal exponent. */
const nextPower = Float64Array.from({ length: 256 }, (_, bits) =>
  Number(`1e${(decimalExponents[bits] as number) + 1}`),
);

/** Writes a text, for the few numbers the fast path does not cover. */
function writeText(text: string, out: Uint8Array, at: number): number {
  for (let index = 0; index < text.length; index += 1) out[at + index] = text.charCodeAt(index);
  return at + text.length;
}

/** From here on `String` writes more zeros than the buffer has room for. */
const plainSizeMax = 1e9;

const textOf = (number: number): string => (number < plainSizeMax ? String(number) : number.toExponential());

/** The fewest digits, found by trying texts; for very large and very small numbers. */
function shortestText(size: number): string {
  for (let digits = 1; digits < digitsMax; digits += 1) {
    const number = Number(size.toPrecision(digits));
    if (Math.fround(number) === size) return textOf(number);
  }
  return textOf(Number(size.toPrecision(digitsMax)));
}

/** Writes a whole number of `digits` digits at `at`. */
function writeDigits(number: number, digits: number, out: Uint8Array, at: number): void {
  let rest = number | 0;
  for (let index = at + digits - 1; index >= at; index -= 1) {
    const next = (rest / 10) | 0;
    out[index] = zero + rest - next * 10;
    rest = next;
  }
}

/** Writes a number below 1: "0.", zeros, digits. */
function writeFraction(
  number: number,
  digits: number,
  exponent: number,
  out: Uint8Array,
  from: number,
): number {
  let at = from;
  out[at++] = zero;
  out[at++] = point;
  for (let zeros = -exponent - 1; zeros > 0; zeros -= 1) out[at++] = zero;
  writeDigits(number, digits, out, at);
  return at + digits;
}

/** Writes a number of at least 1: digits with a decimal point if needed, or trailing zeros. */
function writeWhole(number: number, digits: number, exponent: number, out: Uint8Array, from: number): number {
  const before = exponent + 1;
  if (digits <= before) {
    writeDigits(number, digits, out, from);
    out.fill(zero, from + digits, from + before);
    return from + before;
  }
  writeDigits(number, digits, out, from + 1);
  out.copyWithin(from, from + 1, from + 1 + before);
  out[from + before] = point;
  return from + digits + 1;
}

/** Writes a small number: "1.25e-8". */
function writeSmall(number: number, digits: number, exponent: number, out: Uint8Array, from: number): number {
  let at = writeWhole(number, digits, 0, out, from);
  out[at++] = letterE;
  out[at++] = minus;
  const power = -exponent;
  const length = power < 10 ? 1 : 2;
  writeDigits(power, length, out, at);
  return at + length;
}

/**
 * Writes one number at `at` and returns where it ends. `value` must be a finite 32-bit float; `out` must have
 * room for `floatBytesMax` bytes.
 */
export function writeFloat(value: number, out: Uint8Array, from: number): number {
  let at = from;
  bitsOf[0] = value;
  const bits = bitsView[0] as number;
  if (bits >>> 31 !== 0) out[at++] = minus;
  const size = Math.abs(value);
  if (size === 0) {
    out[at++] = zero;
    return at;
  }
  const exponentBits = (bits >>> 23) & 0xff;
  let exponent = decimalExponents[exponentBits] as number;
  if (size >= (nextPower[exponentBits] as number)) exponent += 1;
  let power = digitsFirst - 1 - exponent;
  if (exponentBits === 0 || power <= 0 || power + 1 > exactPowerMax) {
    return writeText(shortestText(size), out, at);
  }

  // With this many digits the number is `round(size × 10^power)`. Both inverse steps are exact, and therefore
  // also the test.
  let digits = digitsFirst;
  let number = Math.round(size * (powers[power] as number));
  if (Math.fround(number / (powers[power] as number)) !== size) {
    digits = digitsMax;
    power += 1;
    number = Math.round(size * (powers[power] as number));
    if (Math.fround(number / (powers[power] as number)) !== size) {
      return writeText(shortestText(size), out, at);
    }
  } else {
    while (digits > 1) {
      const fewer = Math.round(size * (powers[power - 1] ?? Number.NaN));
      if (Math.fround(fewer / (powers[power - 1] as number)) !== size) break;
      digits -= 1;
      power -= 1;
      number = fewer;
    }
  }
  // Rounded up to the next power of ten: one more digit, which is a zero.
  if (number === powers[digits]) {
    number = powers[digits - 1] as number;
    exponent += 1;
  }
  if (exponent >= 0) return writeWhole(number, digits, exponent, out, at);
  if (exponent >= plainExponentMin) return writeFraction(number, digits, exponent, out, at);
  return writeSmall(number, digits, exponent, out, at);
}
