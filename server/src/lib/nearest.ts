/** Suggests a known word for a mistyped one. Knows no project words. */
import { quote } from "./quote.ts";

const wordLengthMax = 64;

/**
 * Number of single-character insertions, deletions, substitutions and swaps of neighbours that turn `a` into
 * `b`.
 */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      let best = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwap) best = Math.min(best, (beforePrevious[column - 2] ?? 0) + 1);
      current.push(best);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/**
 * The candidate closest to `word`, ignoring case; undefined when none is close enough to be a likely typing
 * error (about one edit per three characters). Words over 64 characters get no suggestion.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length === 0 || word.length > wordLengthMax) return undefined;
  const lower = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(lower, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

const listedMax = 20;

/** The likely intended word, and the first 20 candidates as a list ("none" if empty). */
export function suggestion(
  word: string,
  candidates: readonly string[],
): { readonly meant: string | undefined; readonly listed: string } {
  const more = candidates.length > listedMax ? ", …" : "";
  const listed = candidates.length === 0 ? "none" : candidates.slice(0, listedMax).join(", ") + more;
  return { meant: nearest(word, candidates), listed };
}

/**
 * The end of a message about an unknown word: `; did you mean "main"? (upstreams: main, backup)`, or only the
 * list when nothing is close. `what`: name of the candidates.
 */
export function suggest(word: string, candidates: readonly string[], what: string): string {
  const { meant, listed } = suggestion(word, candidates);
  const question = meant === undefined ? "" : `; did you mean ${quote(meant)}?`;
  return `${question} (${what}: ${listed})`;
}
