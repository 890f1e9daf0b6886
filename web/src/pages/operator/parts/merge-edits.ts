/**
 * Two people edited the same thing: what the later one typed goes on top of what the earlier one saved, field by field. Pure;
 * knows no form and no route.
 */

/** A field that the other person changed. */
export interface Clash {
  readonly field: string;
  readonly theirs: unknown;
  /** What was typed here, where both changed it; undefined where only they did. */
  readonly mine: unknown;
}

/** What the form shows next, and what to tell about it. */
export interface Merge<Values> {
  readonly values: Values;
  readonly clashes: readonly Clash[];
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/**
 * `base` is what both began with, `mine` what was typed, `theirs` what is saved now. A field only one of them changed has that
 * one's value; one that both changed keeps mine.
 */
export function mergeEdits<Values extends object>(base: Values, mine: Values, theirs: Values): Merge<Values> {
  const values = { ...theirs } as Record<string, unknown>;
  const clashes: Clash[] = [];
  for (const [field, saved] of Object.entries(theirs)) {
    const before = (base as Record<string, unknown>)[field];
    const typed = (mine as Record<string, unknown>)[field];
    const isMine = !isSame(typed, before);
    if (isMine) values[field] = typed;
    if (isSame(saved, before)) continue;
    const isBoth = isMine && !isSame(typed, saved);
    clashes.push({ field, theirs: saved, mine: isBoth ? typed : undefined });
  }
  return { values: values as Values, clashes };
}
