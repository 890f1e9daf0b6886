/** Puts a text from outside into a message. Knows no project words. */

const shownMax = 60;

/** In double quotes, on one line, at most 60 characters of it. */
export function quote(text: string): string {
  return JSON.stringify(text.length > shownMax ? `${text.slice(0, shownMax)}…` : text);
}

/**
 * True where the text holds a C0 control character (tab and line breaks included) or DEL: those can end a
 * line or a header, or change a terminal.
 */
export function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
