/**
 * Parses JSON so that it can be written again without loss: numbers that do not fit a double (ids of 17 and
 * more digits, which models copy into tool arguments) keep their spelling. For values passed on, not for
 * computing.
 */

/** Node 24 has both; TypeScript's ES2024 library lacks their types. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

const longNumber = /\d{16}|\d[eE]/;

const keepSource: Reviver = (_key, value, context) => {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined || String(value) === source) return value;
  return rawJSON(source);
};

/** Like JSON.parse; undefined for text that is not JSON. */
export function parseExact(text: string): unknown {
  try {
    return longNumber.test(text)
      ? JSON.parse(text, keepSource as (key: string, value: unknown) => unknown)
      : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * True when no list or object is nested deeper than `depthMax`. Works on text of any depth, unlike a check of
 * parsed values.
 */
export function isShallow(text: string, depthMax: number): boolean {
  if (text.length <= depthMax) return true;
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isInText) {
      if (code === 0x5c) at += 1;
      else if (code === 0x22) isInText = false;
    } else if (code === 0x22) isInText = true;
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > depthMax) return false;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return true;
}
