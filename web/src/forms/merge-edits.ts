/**
 * Two users edited the same item: applies the later user's changes to what the earlier one saved, field by
 * field. Pure; knows no form and no route.
 */

/** A field that the other person changed. */
export interface Clash {
  /**
   * With dots for nested fields, as in `price.rates.input`; a row of a list by its `rowId`, as in
   * `deployments.main+halo.weight`.
   */
  readonly field: string;
  /** undefined: removed there. */
  readonly theirs: unknown;
  /** What was typed here, where both changed it (null: removed here); undefined where only they did. */
  readonly mine: unknown;
}

/**
 * The parts by which the rows of a list are told apart, by the list's own name: `{ tiers: ["above"] }`. A
 * list that is not named here is one value.
 */
export type RowNames = Readonly<Record<string, readonly string[]>>;

/** What the form shows next, and what to report about it. */
export interface Merge<Values> {
  readonly values: Values;
  readonly clashes: readonly Clash[];
}

type Parts = Readonly<Record<string, unknown>>;

function hasParts(value: unknown): value is Parts {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

const textOf = (value: unknown): string => (typeof value === "string" ? value.trim() : String(value ?? ""));

/** A row as a segment of a path: `main+halo-4%2E1`. `rowText` is for people. */
export function rowId(row: object, names: readonly string[]): string {
  const parts = names.map((name) => encodeURIComponent(textOf((row as Parts)[name])));
  return parts.join("+").replaceAll(".", "%2E");
}

/** What is in a `rowId`: "main halo-4.1". */
export const rowText = (id: string): string => id.split("+").map(decodeURIComponent).join(" ");

type Rows = ReadonlyMap<string, Parts>;

/** A list by its rows' ids; undefined when it is none, or two rows cannot be told apart. */
function rowsOf(value: unknown, names: readonly string[]): Rows | undefined {
  if (!Array.isArray(value) || !value.every(hasParts)) return undefined;
  const rows = new Map(value.map((row) => [rowId(row, names), row]));
  return rows.size === value.length ? rows : undefined;
}

/**
 * By the id of a row of `base`, the id that it has in `other`: the same, or that of a new row which shares
 * one of the parts that tell rows apart, because that row was renamed.
 */
function idsIn(base: Rows, other: Rows, names: readonly string[]): ReadonlyMap<string, string> {
  const ids = new Map([...base.keys()].filter((id) => other.has(id)).map((id) => [id, id]));
  const added = new Map([...other].filter(([id]) => !base.has(id)));
  for (const [id, row] of base) {
    if (ids.has(id)) continue;
    const renamed = [...added].find(([, one]) => names.some((name) => isSame(one[name], row[name])));
    if (renamed === undefined) continue;
    ids.set(id, renamed[0]);
    added.delete(renamed[0]);
  }
  return ids;
}

const flipped = (ids: ReadonlyMap<string, string>) => new Map([...ids].map(([id, other]) => [other, id]));

/** What is being merged, beside the values. */
interface Merging {
  readonly rowNames: RowNames;
  readonly clashes: Clash[];
}

/** Both changed a list: each row counts alone. The order is mine, rows that they added come last. */
function mergeRows(
  [base, mine, theirs]: readonly [Rows, Rows, Rows],
  names: readonly string[],
  path: string,
  merging: Merging,
): readonly Parts[] {
  const inTheirs = idsIn(base, theirs, names);
  const fromMine = flipped(idsIn(base, mine, names));
  const keptHere = new Set(fromMine.values());
  const report = (field: string, saved: unknown, typed: unknown) =>
    merging.clashes.push({ field: `${path}.${field}`, theirs: saved, mine: typed });
  const values: Parts[] = [];
  for (const [id, typed] of mine) {
    const former = fromMine.get(id);
    const before = former === undefined ? undefined : base.get(former);
    const saved = theirs.get(former === undefined ? id : (inTheirs.get(former) ?? ""));
    if (before !== undefined && saved !== undefined) {
      const named = names.map((name) => [
        name,
        isSame(typed[name], before[name]) ? saved[name] : typed[name],
      ]);
      const merged = rowId(Object.fromEntries(named), names);
      values.push(mergeParts(before, typed, saved, `${path}.${merged}.`, merging));
      continue;
    }
    const isTheirs = before !== undefined && isSame(typed, before);
    if (!isTheirs) values.push(typed);
    const isBoth = !isTheirs && !isSame(typed, saved);
    if (before !== undefined || saved !== undefined) report(id, saved, isBoth ? typed : undefined);
  }
  for (const [id, before] of base) {
    const saved = theirs.get(inTheirs.get(id) ?? "");
    if (keptHere.has(id) || saved === undefined || isSame(saved, before)) continue;
    report(rowId(saved, names), saved, null);
  }
  const known = new Set(inTheirs.values());
  for (const [id, saved] of theirs) {
    if (known.has(id) || mine.has(id)) continue;
    values.push(saved);
    report(id, saved, undefined);
  }
  return values;
}

function mergeParts(base: Parts, mine: Parts, theirs: Parts, path: string, merging: Merging): Parts {
  const values: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const [before, typed, saved] = [base[name], mine[name], theirs[name]];
    const field = `${path}${name}`;
    if (hasParts(before) && hasParts(typed) && hasParts(saved)) {
      values[name] = mergeParts(before, typed, saved, `${field}.`, merging);
      continue;
    }
    const isMine = !isSame(typed, before);
    const isTheirs = !isSame(saved, before);
    const names = merging.rowNames[name];
    if (isMine && isTheirs && names !== undefined) {
      const [formerRows, myRows, theirRows] = [before, typed, saved].map((list) => rowsOf(list, names));
      if (formerRows !== undefined && myRows !== undefined && theirRows !== undefined) {
        values[name] = mergeRows([formerRows, myRows, theirRows], names, field, merging);
        continue;
      }
    }
    const kept = isMine ? typed : saved;
    if (kept !== undefined) values[name] = kept;
    if (!isTheirs) continue;
    const isBoth = isMine && !isSame(typed, saved);
    merging.clashes.push({ field, theirs: saved, mine: isBoth ? typed : undefined });
  }
  return values;
}

/**
 * `base` is what both began with, `mine` what was typed, `theirs` what is saved now. A field only one of them
 * changed has that one's value; one that both changed keeps mine. Fields inside a field count alone, so that
 * two rates of one price do not undo each other, and so do the rows of lists in `rowNames`.
 */
export function mergeEdits<Values extends object>(
  base: Values,
  mine: Values,
  theirs: Values,
  rowNames: RowNames = {},
): Merge<Values> {
  const merging: Merging = { rowNames, clashes: [] };
  const values = mergeParts(base as Parts, mine as Parts, theirs as Parts, "", merging);
  return { values: values as Values, clashes: merging.clashes };
}

type Segments = readonly [string, ...string[]];

/** The row with this id gets the value: undefined removes it, and one that is not there is added. */
function putInRows(
  rows: readonly Parts[],
  names: readonly string[],
  [id, name, ...rest]: readonly string[],
  value: unknown,
  rowNames: RowNames,
): readonly unknown[] {
  const at = rows.findIndex((row) => rowId(row, names) === id);
  if (name !== undefined)
    return rows.map((row, index) => (index === at ? putAt(row, [name, ...rest], value, rowNames) : row));
  if (at === -1) return value === undefined ? rows : [...rows, value];
  return value === undefined ? rows.toSpliced(at, 1) : rows.with(at, value as Parts);
}

function putAt(values: Parts, [name, ...rest]: Segments, value: unknown, rowNames: RowNames): Parts {
  const inner = values[name];
  const [next, ...others] = rest;
  if (next === undefined) return { ...values, [name]: value };
  const names = rowNames[name];
  if (Array.isArray(inner) && names !== undefined)
    return { ...values, [name]: putInRows(inner, names, rest, value, rowNames) };
  return hasParts(inner) ? { ...values, [name]: putAt(inner, [next, ...others], value, rowNames) } : values;
}

/** `values` with theirs wherever both changed a field; what only one of them changed stays. */
export function takingTheirs<Values extends object>(
  values: Values,
  clashes: readonly Clash[],
  rowNames: RowNames = {},
): Values {
  const names = new Set(Object.values(rowNames).flat());
  const isNaming = ({ field }: Clash): boolean => names.has(field.split(".").at(-1) ?? "");
  const both = clashes.filter(({ mine }) => mine !== undefined);
  // A row's name last: the fields before it find the row by the name it has.
  return [...both.filter((clash) => !isNaming(clash)), ...both.filter(isNaming)].reduce<Parts>(
    (next, { field, theirs }) => putAt(next, field.split(".") as [string], theirs, rowNames),
    values as Parts,
  ) as Values;
}
