/**
 * Merges several packages' data on one model into a row. The first package with a fact wins (pi-ai,
 * pi-catalog, genai-prices). Facts from other packages are marked in the row; contradictions are reported.
 * Pure.
 */
import type { CatalogPrice, CatalogRow, FilledFacts } from "../../server/src/domain/catalog/model-catalog.ts";
import { familyOf } from "./kinds.ts";
import { type Listed, pricedKinds } from "./listed.ts";
import { mergePrices } from "./merge-prices.ts";
import type { SourceName } from "./packages.ts";
import type { Finding, Said, SourceLabels } from "./said.ts";

/**
 * A context too small for the last tier's prompts is the package's own limit; the largest other value is
 * used.
 */
function mergeContext(
  said: Said,
  order: readonly Listed[],
  price: CatalogPrice | undefined,
  findings: Finding[],
  id: string,
) {
  const first = order.find(({ context }) => context !== undefined);
  const needed = price?.tiers?.at(-1)?.abovePromptTokens ?? 0;
  if (first?.context === undefined || first.context > needed) return first;
  const larger = [...order, said.genaiGroup]
    .filter((listed) => listed !== undefined)
    .filter(({ context }) => (context ?? 0) > needed)
    .sort((a, b) => (b.context ?? 0) - (a.context ?? 0))[0];
  const text = `context ${first.context} of ${first.source} leaves no room for the tier above ${needed}`;
  findings.push({
    provider: said.provider,
    id,
    what: "note",
    text:
      larger === undefined
        ? `${text}; nobody says more`
        : `${text}; taken: ${larger.context} of ${larger.source}`,
  });
  return larger ?? first;
}

const inputOrder = ["text", "image", "audio", "video", "file"];

/** Input and output modalities: a list of pi-ai or pi-catalog, and those that genai-prices has prices for. */
function mergeModalities(order: readonly Listed[]) {
  const first = order.find(({ source, input }) => source !== "genai-prices" && input !== undefined);
  if (first?.input === undefined) return undefined;
  const shown = order.find(({ source }) => source === "genai-prices");
  const sorted = (names: readonly string[]): string[] =>
    [...new Set(names)].sort((a, b) => inputOrder.indexOf(a) - inputOrder.indexOf(b));
  const input = sorted([...first.input, ...(shown?.input ?? [])]);
  const output = sorted([...(first.output ?? []), ...(shown?.output ?? [])]);
  const isMore = input.length > first.input.length || output.length > (first.output?.length ?? 0);
  return { first, value: { input, output }, addedBy: isMore ? shown : undefined };
}

/** Records which package each fact comes from, for `filled`. */
function filledFacts(
  labels: SourceLabels,
  own: SourceName,
  facts: readonly (readonly [SourceName | undefined, string])[],
) {
  const others = new Map<SourceName, string[]>();
  for (const [source, fact] of facts) {
    if (source !== undefined && source !== own) others.set(source, [...(others.get(source) ?? []), fact]);
  }
  return [...others].map(([source, names]): FilledFacts => ({ ...labels[source], facts: names.sort() }));
}

/** The object without undefined fields. */
function known<T extends object>(value: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
}

/** Facts of a model that is not for chat: for some kinds its size and price. */
function mergeOther(
  said: Said,
  order: readonly Listed[],
  labels: SourceLabels,
  findings: Finding[],
  id: string,
) {
  const [first] = order as readonly [Listed];
  if (!pricedKinds.has(first.kind)) return {};
  const same = order.filter(({ kind }) => kind === first.kind);
  const context = said.isSizeless === true ? undefined : same.find((listed) => listed.context !== undefined);
  const trusted = [said.piAi, said.genaiPrices, said.piCatalog].filter(
    (listed) => listed?.kind === first.kind && listed.price !== undefined,
  );
  const chosen = said.priceless === undefined ? trusted[0] : undefined;
  for (const other of trusted) {
    if (chosen?.price === undefined || other?.price === undefined) continue;
    const [kept, theirs] = [chosen.price, other.price];
    if (kept.input === theirs.input && kept.output === theirs.output) continue;
    const text = `rates: **${chosen.source}** input ${kept.input}, output ${kept.output} — ${other.source} input ${theirs.input}, output ${theirs.output}`;
    findings.push({ provider: said.provider, id, what: "disagreement", text });
  }
  for (const { faults, source } of same)
    for (const fault of faults)
      findings.push({ provider: said.provider, id, what: "dropped", text: `${fault} (${source})` });
  const filled = filledFacts(labels, first.source, [
    [context?.source, "context"],
    [chosen?.source, "price"],
  ]);
  return {
    context: context?.context,
    price: chosen?.price,
    filled: filled.length === 0 ? undefined : filled,
  };
}

/** The row of one model; adds to the report. Throws when no source lists the model. */
export function mergeRow(said: Said, id: string, labels: SourceLabels, findings: Finding[]): CatalogRow {
  const order = [said.piAi, said.piCatalog, said.genaiPrices].filter((listed) => listed !== undefined);
  const [first] = order;
  if (first === undefined) throw new Error(`nobody said anything of ${said.provider} ${id}`);
  const label = labels[first.source];
  const name = order.find((listed) => listed.name !== undefined)?.name ?? id;
  // pi-ai appends this to some names; it is not part of the model's name.
  const shownName = name.replace(/ \(latest\)$/, "");
  if (first.kind !== "chat") {
    const named = { id, name: shownName, family: familyOf(id), kind: first.kind };
    return known({ ...named, ...mergeOther(said, order, labels, findings, id), ...label }) as CatalogRow;
  }
  for (const listed of order) {
    for (const fault of listed.faults) {
      findings.push({ provider: said.provider, id, what: "dropped", text: `${fault} (${listed.source})` });
    }
  }
  const chats = order.filter(({ kind }) => kind === "chat");
  const { chosen, added, later } = mergePrices(said, id, findings);
  const context =
    said.isSizeless === true ? undefined : mergeContext(said, chats, chosen?.price, findings, id);
  const maxOutput =
    said.isSizeless === true ? undefined : chats.find((listed) => listed.maxOutput !== undefined);
  const modalities = mergeModalities(chats);
  const capabilities = chats.find((listed) => listed.capabilities !== undefined);
  const filled = filledFacts(labels, first.source, [
    [context?.source, "context"],
    [maxOutput?.source, "maxOutput"],
    [modalities?.first.source, "modalities"],
    [modalities?.addedBy?.source, "modalities"],
    [capabilities?.source, "capabilities"],
    [chosen?.source, "price"],
    ...[...added].map((fact) => ["genai-prices", fact] as const),
  ]);
  return known({
    id,
    name: shownName,
    family: familyOf(id),
    isDeprecated: said.genaiPrices?.isDeprecated,
    modalities: modalities?.value,
    context: context?.context,
    maxOutput: maxOutput?.maxOutput,
    capabilities: capabilities?.capabilities,
    price: chosen?.price,
    laterPrices: later,
    ...label,
    filled: filled.length === 0 ? undefined : filled,
  }) as CatalogRow;
}
