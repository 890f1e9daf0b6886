/** What exactly `plaza apply` changes: the fields of each changed item, never a credential. */
import type { Catalog, Limits, Model, Upstream } from "@plaza/contract/catalog.ts";
import { modelFields, upstreamFields } from "../../domain/configuration/catalog-fields.ts";
import { changedFields, type FieldChange, type ItemChange } from "../../domain/configuration/difference.ts";
import { limitFields, type Written } from "../../domain/configuration/written.ts";
import type { CatalogEditStore, ShownCatalog } from "../../store/catalog/edit.ts";
import type { CatalogDifference, CatalogStore } from "../../store/catalog/shapes.ts";
import { flowOf } from "../connect/yaml.ts";

/** A line of the difference, like `~ model fast`, with the fields that changed. */
export interface Detail {
  readonly sign: "+" | "~" | "-";
  readonly name: string;
  readonly fields: readonly FieldChange[];
}

/** The stored catalog; credentials and headers only where they can be opened. */
export interface CatalogBefore {
  readonly shown: ShownCatalog;
  readonly opened: ReadonlyMap<string, Upstream>;
}

export async function readCatalogBefore(store: CatalogStore & CatalogEditStore): Promise<CatalogBefore> {
  const shown = await store.showCatalog();
  const isOpen = shown.upstreams.every(({ credentialsFault }) => credentialsFault === null);
  const opened = isOpen ? await store.loadCatalog() : undefined;
  return { shown, opened: new Map(opened?.upstreams.map((one) => [one.id, one])) };
}

const hidden = (count: number): string => `not shown (${count})`;

/** An item that is not the file's yet becomes it. */
function managing(source: string | undefined): FieldChange[] {
  if (source === undefined || source === "file") return [];
  return [{ name: "managed by", before: source, after: "file" }];
}

/** The names of the headers, and whether their values change. */
function headerChange(
  names: readonly string[],
  old: Upstream["headers"],
  { headers = {} }: Upstream,
): FieldChange[] {
  const before = names.toSorted().join(", ");
  const after = Object.keys(headers).toSorted().join(", ");
  const isSame = after === before && Object.entries(headers).every(([name, value]) => old?.[name] === value);
  if (isSame) return [];
  const shown = (list: string, isNew: boolean): string | undefined =>
    list === "" ? undefined : isNew && list === before ? `${list} (new values)` : list;
  return [{ name: "headers", before: shown(before, false), after: shown(after, true) }];
}

function upstreamChanges({ shown, opened }: CatalogBefore, upstream: Upstream): FieldChange[] {
  const before = shown.upstreams.find(({ id }) => id === upstream.id);
  if (before === undefined) return [];
  const old = opened.get(upstream.id);
  const isSame = JSON.stringify(old?.credentials) === JSON.stringify(upstream.credentials);
  const secrets = {
    name: "credentials",
    before: hidden(before.credentials),
    after: hidden(upstream.credentials.length),
  };
  return [
    ...managing(before.source),
    ...changedFields(upstreamFields(before, []), upstreamFields(upstream, [])),
    ...(isSame ? [] : [secrets]),
    ...headerChange(before.headers, old?.headers, upstream),
  ];
}

function modelChanges({ shown }: CatalogBefore, model: Model): FieldChange[] {
  const before = shown.models.find(({ id }) => id === model.id);
  if (before === undefined) return [];
  return [...managing(before.source), ...changedFields(modelFields(before), modelFields(model))];
}

function limitChanges(
  before: Limits | undefined,
  after: Limits | undefined,
  source: string | undefined,
): FieldChange[] {
  return [...managing(source), ...changedFields(limitFields(before) ?? {}, limitFields(after) ?? {})];
}

function fieldsOf(before: CatalogBefore, after: Catalog, name: string): FieldChange[] {
  const id = name.slice(name.indexOf(" ") + 1);
  const upstream = name.startsWith("upstream ") ? after.upstreams.find((one) => one.id === id) : undefined;
  if (upstream !== undefined) return upstreamChanges(before, upstream);
  const model = name.startsWith("model ") ? after.models.find((one) => one.id === id) : undefined;
  if (model !== undefined) return modelChanges(before, model);
  const { source } = before.shown.keptLimits;
  if (name === "limits") return limitChanges(before.shown.limits, after.limits, source);
  if (name === "installation") return limitChanges(before.shown.installation, after.installation, undefined);
  return [];
}

/** The catalog's difference with its fields, as `plaza apply` lists it: added, changed, removed. */
export function catalogDetails(
  { added, changed, removed }: CatalogDifference,
  before: CatalogBefore,
  after: Catalog,
): Detail[] {
  return [
    ...added.map((name): Detail => ({ sign: "+", name, fields: [] })),
    ...changed.map((name): Detail => ({ sign: "~", name, fields: fieldsOf(before, after, name) })),
    ...removed.map((name): Detail => ({ sign: "-", name, fields: [] })),
  ];
}

const endings: Readonly<Record<string, string>> = { account: " (suspended)", key: " (disabled)" };

/** The same of settings, accounts, keys and users. */
export const configurationDetails = (changes: readonly ItemChange[]): Detail[] =>
  changes.map(({ sign, kind, id, fields }) => ({
    sign,
    name: `${id === "" ? kind : `${kind} ${id}`}${sign === "-" ? (endings[kind] ?? "") : ""}`,
    fields,
  }));

const shownValue = (value: Written | undefined): string =>
  value === undefined ? "not set" : flowOf(value, false);

/** One line each; with `hasFields` also one for each changed field. */
export function formatDetails(details: readonly Detail[], hasFields: boolean): string {
  const lines = details.flatMap(({ sign, name, fields }) => [
    `${sign} ${name}`,
    ...(hasFields
      ? fields.map((field) => `    ${field.name}: ${shownValue(field.before)} → ${shownValue(field.after)}`)
      : []),
  ]);
  return `${lines.length === 0 ? "no change" : lines.join("\n")}\n`;
}
