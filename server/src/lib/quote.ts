/** Quotes untrusted text for a message. Knows no project words. */

const shownMax = 60;

/** The text in double quotes, on one line, at most 60 characters of it. */
export function quote(text: string): string {
  return JSON.stringify(text.length > shownMax ? `${text.slice(0, shownMax)}…` : text);
}

/**
 * True when the text contains a C0 control character (including tab and line breaks) or DEL, which can end a
 * line or a header, or change a terminal.
 */
export function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
