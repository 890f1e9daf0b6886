/** Finds the characters that can end a line, a header or a terminal's patience. Knows no project words. */

/** Does the text hold a C0 control character (tab and line breaks included) or DEL? */
export function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
