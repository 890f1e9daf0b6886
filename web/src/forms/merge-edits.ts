/**
 * Two users edited the same item: applies the later user's changes to what the earlier one saved, field by
 * field. Pure; knows no form and no route.
 */

/** A field that the other person changed. */
export interface Clash {
  /** With dots for nested fields, as in `price.rates.input`. */
  readonly field: string;
  readonly theirs: unknown;
  /** What was typed here, where both changed it; undefined where only they did. */
  readonly mine: unknown;
}

/** What the form shows next, and what to report about it. */
export interface Merge<Values> {
  readonly values: Values;
  readonly clashes: readonly Clash[];
}

type Parts = Readonly<Record<string, unknown>>;

/** A list is one value: its members have only their place. */
function hasParts(value: unknown): value is Parts {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function mergeParts(base: Parts, mine: Parts, theirs: Parts, path: string, clashes: Clash[]): Parts {
  const values: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const [before, typed, saved] = [base[name], mine[name], theirs[name]];
    const field = `${path}${name}`;
    if (hasParts(before) && hasParts(typed) && hasParts(saved)) {
      values[name] = mergeParts(before, typed, saved, `${field}.`, clashes);
      continue;
    }
    const isMine = !isSame(typed, before);
    const kept = isMine ? typed : saved;
    if (kept !== undefined) values[name] = kept;
    if (isSame(saved, before)) continue;
    const isBoth = isMine && !isSame(typed, saved);
    clashes.push({ field, theirs: saved, mine: isBoth ? typed : undefined });
  }
  return values;
}

/**
 * `base` is what both began with, `mine` what was typed, `theirs` what is saved now. A field only one of them
 * changed has that one's value; one that both changed keeps mine. Fields inside a field count alone, so that
 * two rates of one price do not undo each other.
 */
export function mergeEdits<Values extends object>(base: Values, mine: Values, theirs: Values): Merge<Values> {
  const clashes: Clash[] = [];
  const values = mergeParts(base as Parts, mine as Parts, theirs as Parts, "", clashes);
  return { values: values as Values, clashes };
}

function putAt(values: Parts, [name, ...rest]: readonly string[], value: unknown): Parts {
  if (name === undefined) return values;
  const inner = values[name];
  return { ...values, [name]: rest.length === 0 || !hasParts(inner) ? value : putAt(inner, rest, value) };
}

/** `values` with theirs wherever both changed a field; what only one of them changed stays. */
export function takingTheirs<Values extends object>(values: Values, clashes: readonly Clash[]): Values {
  return clashes
    .filter(({ mine }) => mine !== undefined)
    .reduce<Parts>(
      (next, { field, theirs }) => putAt(next, field.split("."), theirs),
      values as Parts,
    ) as Values;
}
