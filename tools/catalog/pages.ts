/**
 * Adds facts from vendors' pages to the rows, each with its page's name, and reports what the packages said.
 * Pure.
 */
import { formatUsd, nanoUsd, parseUsd } from "@plaza/contract/money.ts";
import type {
  CatalogPrice,
  CatalogRow,
  FilledFacts,
  LaterPrice,
} from "../../server/src/domain/catalog/model-catalog.ts";
import { plainDecimal } from "./decimal.ts";
import type { Finding } from "./said.ts";
import type { LongWriteRule, PageSaying } from "./vendor-pages.ts";

/** Throws when tiers and rates do not match: then the packages' tiers differ from the page's. */
function withLongWrites(
  price: CatalogPrice | undefined,
  [base, ...tierRates]: readonly string[],
  where: string,
): CatalogPrice {
  const tiers = price?.tiers ?? [];
  if (price === undefined || base === undefined || tiers.length !== tierRates.length)
    throw new Error(`${where}: the page's rates of longCacheWrite do not fit the tiers of its price`);
  const { tiers: _, ...rates } = price;
  const raised = tiers.map((tier, at) => ({ ...tier, longCacheWrite: tierRates[at] as string }));
  return { ...rates, longCacheWrite: base, ...(raised.length === 0 ? {} : { tiers: raised }) };
}

/** The page's facts by name: [name, the row's value, the new value]. */
function factsOf(row: CatalogRow, said: PageSaying) {
  const facts: [name: string, before: unknown, after: Partial<CatalogRow>][] = [];
  if (said.context !== undefined) facts.push(["context", row.context, { context: said.context }]);
  if (said.price !== undefined) facts.push(["price", row.price, { price: said.price }]);
  if (said.longCacheWrite !== undefined) {
    const price = withLongWrites(said.price ?? row.price, said.longCacheWrite, `${said.provider} ${said.id}`);
    facts.push(["price.longCacheWrite", row.price, { price }]);
  }
  const later: readonly LaterPrice[] | undefined = said.laterPrices;
  if (later !== undefined) facts.push(["laterPrices", row.laterPrices, { laterPrices: later }]);
  return facts;
}

/** True when a fact's source is replaced by the page `name`. A whole price includes its classes. */
const isReplaced = (fact: string, name: string): boolean => fact === name || fact.startsWith(`${name}.`);

function filledWith(
  filled: readonly FilledFacts[],
  { page, date }: PageSaying,
  names: readonly string[],
): readonly FilledFacts[] {
  const others = filled.map((one) => ({
    ...one,
    facts: one.facts.filter((fact) => !names.some((name) => isReplaced(fact, name))),
  }));
  return [
    ...others.filter(({ facts }) => facts.length > 0),
    { source: page, date, facts: [...names].sort() },
  ];
}

/** Order of a row's fields, for added ones. */
const fieldOrder = ["price", "laterPrices", "source", "date", "filled"] as const;

function inOrder(row: CatalogRow): CatalogRow {
  const rest: Record<string, unknown> = { ...row };
  const tail = fieldOrder.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]] as const]));
  for (const name of fieldOrder) delete rest[name];
  return { ...rest, ...Object.fromEntries(tail) } as unknown as CatalogRow;
}

function applyOne(row: CatalogRow, said: PageSaying, findings: Finding[]): CatalogRow {
  const { provider, id, page } = said;
  const note = (text: string): void => void findings.push({ provider, id, what: "page", text });
  const names: string[] = [];
  let now = row;
  for (const [name, before, after] of factsOf(row, said)) {
    const [value] = Object.values(after);
    if (JSON.stringify(before) === JSON.stringify(value)) {
      note(`${name}: the packages say the same as ${page}; the page can go`);
      continue;
    }
    names.push(name);
    now = { ...now, ...after };
    const was = before === undefined ? "nothing" : JSON.stringify(before);
    note(`${name}: **${page}** ${JSON.stringify(value)} — the packages ${was}`);
  }
  return names.length === 0 ? row : inOrder({ ...now, filled: filledWith(row.filled ?? [], said, names) });
}

/** Multiplies a rate by hundredths: 125 of "4" is "5". Exact, or a RangeError. */
function hundredths(rate: string, of: bigint): string {
  const nanos = parseUsd(rate) * of;
  if (nanos % 100n !== 0n) throw new RangeError(`${of} hundredths of ${rate} are no whole billionths`);
  return plainDecimal(formatUsd(nanoUsd(nanos / 100n))) ?? rate;
}

/** True when the price and its tiers match the rule for short writes and omit long writes. */
function isUnderRule(price: CatalogPrice, { short }: LongWriteRule): boolean {
  return [price, ...(price.tiers ?? [])].every(
    ({ input, cacheWrite, longCacheWrite }) =>
      longCacheWrite === undefined && cacheWrite !== undefined && cacheWrite === hundredths(input, short),
  );
}

/** Adds rates of long writes to every row of a rule without one; reports one line per rule. */
function applyRules(
  rows: readonly CatalogRow[],
  rules: readonly LongWriteRule[],
  findings: Finding[],
): readonly CatalogRow[] {
  return rules.reduce<readonly CatalogRow[]>((all, rule) => {
    let raised = 0;
    const name = "price.longCacheWrite";
    const now = all.map((row) => {
      const { price } = row;
      if (price === undefined || !rule.form.test(row.id) || !isUnderRule(price, rule)) return row;
      raised += 1;
      const rates = [price, ...(price.tiers ?? [])].map(({ input }) => hundredths(input, rule.long));
      const filled = filledWith(row.filled ?? [], { ...rule, id: row.id }, [name]);
      return inOrder({ ...row, price: withLongWrites(price, rates, row.id), filled });
    });
    const text = `${name}: **${rule.page}** ${plainDecimal(String(rule.long), -2)} times input in ${raised} rows — the packages nothing`;
    findings.push({ provider: rule.provider, id: String(rule.form), what: "page", text });
    return now;
  }, rows);
}

/** The rows of one provider with the pages' facts. Throws when a page names a model without a row. */
export function applyPages(
  provider: string,
  rows: readonly CatalogRow[],
  { sayings, rules }: { readonly sayings: readonly PageSaying[]; readonly rules: readonly LongWriteRule[] },
  findings: Finding[],
): CatalogRow[] {
  const own = sayings.filter((said) => said.provider === provider);
  for (const { id } of own) {
    if (!rows.some((row) => row.id === id))
      throw new Error(`a page speaks of ${provider} ${id}, no package does`);
  }
  const ofRules = rules.filter((rule) => rule.provider === provider);
  return applyRules(rows, ofRules, findings).map((row) =>
    own.filter(({ id }) => id === row.id).reduce((now, said) => applyOne(now, said, findings), row),
  );
}
