/**
 * The text of an operator token: `plz-op-`, 32 random base62 characters, and a
 * checksum of 6, made like an API key's.
 */

import { type RandomBytes, randomBase62, textChecksum } from "../../domain/keys/api-key.ts";
import { isSameText } from "./secret-text.ts";

const tokenStart = "plz-op-";
const randomLength = 32;
const checkedLength = tokenStart.length + randomLength;
const visibleLength = tokenStart.length + 4;

/** `secret` is shown once and never stored. */
export function createOperatorToken(randomBytes: RandomBytes): { secret: string; visiblePrefix: string } {
  const checked = tokenStart + randomBase62(randomLength, randomBytes);
  return { secret: checked + textChecksum(checked), visiblePrefix: checked.slice(0, visibleLength) };
}

/** True when the text has a token's form. A mistyped or truncated one causes no look-up. */
export function isOperatorTokenShape(text: string): boolean {
  if (!/^plz-op-[0-9A-Za-z]{38}$/.test(text)) return false;
  return isSameText(text.slice(checkedLength), textChecksum(text.slice(0, checkedLength)));
}
