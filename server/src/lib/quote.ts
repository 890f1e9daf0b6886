/** Puts a text somebody else wrote into a message of ours. Knows no project words. */

const shownMax = 60;

/** In double quotes, on one line, at most 60 characters of it. */
export function quote(text: string): string {
  return JSON.stringify(text.length > shownMax ? `${text.slice(0, shownMax)}…` : text);
}
