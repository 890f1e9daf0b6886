/**
 * How a text is cut into words for search: without case, accents, width and separators. Digits that touch one
 * letter stay with it ("4o", "o3", "70b"); otherwise digits are words of their own ("gpt5" is "gpt", "5").
 * Knows no model.
 */

/** A text for comparing: without case, accents and width. */
export function folded(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
}

const word = /\p{N}+\p{L}(?!\p{L})|(?<!\p{L})\p{L}\p{N}+|\p{L}+|\p{N}+/gu;

/** The words of a folded text. */
export function wordsOf(text: string): readonly string[] {
  return text.match(word) ?? [];
}

/** A folded text without separators: "gpt-5" and "GPT 5" are both "gpt5". */
export function compacted(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

/** Most edits that still count as a mistyped word of this length: short ones would match anything. */
export function editsAllowed(length: number): number {
  return length >= 8 ? 2 : length >= 4 ? 1 : 0;
}

/**
 * Number of edits (insert, delete, replace, swap neighbours) that make `typed` of `word` or of its beginning;
 * more than `most` is returned as `most + 1`.
 */
export function editsToPrefix(typed: string, word: string, most: number): number {
  const over = most + 1;
  if (word.length < typed.length - most) return over;
  const width = Math.min(word.length, typed.length + most);
  let before: number[] = [];
  let last = Array.from({ length: width + 1 }, (_, at) => at);
  for (let row = 1; row <= typed.length; row += 1) {
    const next = [row];
    let least = row;
    for (let at = 1; at <= width; at += 1) {
      const isSame = typed[row - 1] === word[at - 1];
      let cost = Math.min(
        (last[at - 1] as number) + (isSame ? 0 : 1),
        (last[at] as number) + 1,
        (next[at - 1] as number) + 1,
      );
      if (row > 1 && at > 1 && typed[row - 1] === word[at - 2] && typed[row - 2] === word[at - 1])
        cost = Math.min(cost, (before[at - 2] as number) + 1);
      next.push(cost);
      if (cost < least) least = cost;
    }
    if (least > most) return over;
    before = last;
    last = next;
  }
  // The rest of the word may follow: a search is often read while it is typed.
  return Math.min(over, ...last.slice(Math.max(0, typed.length - most)));
}

/** True when the letters of `typed` appear in `text` in their order, from the beginning of a word. */
export function isSubsequence(typed: string, text: string, starts: ReadonlySet<number>): boolean {
  for (const start of starts) {
    if (text[start] !== typed[0]) continue;
    let found = 1;
    for (let at = start + 1; at < text.length && found < typed.length; at += 1)
      if (text[at] === typed[found]) found += 1;
    if (found === typed.length) return true;
  }
  return false;
}
