/**
 * How upstreams say which models they serve: what a provider's listing is, and what all of them read with.
 * Pure; what an upstream wrote is taken only where it has the expected form.
 */
import type { Operation } from "@plaza/contract/operations.ts";
import { isRecord, type JsonRecord } from "../lib/record.ts";

/** A model as its upstream lists it. What the list does not say is absent. */
export interface ListedModel {
  /** What a call names it by. */
  readonly name: string;
  /** For people. */
  readonly title?: string;
  /** Tokens. */
  readonly context?: number;
  /** Tokens. */
  readonly maxOutput?: number;
  /** What the list says it is for. */
  readonly operations?: readonly Operation[];
  /** The list says that it does not answer chats, and not what else it is for. */
  readonly isOther?: boolean;
}

export interface ListedPage {
  readonly models: readonly ListedModel[];
  /** Asks for the next page; absent on the last one. */
  readonly next?: string;
}

/** How one provider lists: where the list is beside its probe, and how a page of it is read. */
export interface Listing {
  /**
   * The path of a page beside the path of the provider's probe; undefined where the probe is not at a list.
   */
  path(probePath: string, next: string | undefined): string | undefined;
  /** undefined: this is not such a list. */
  read(body: unknown): ListedPage | undefined;
  /** Not everybody who may call models may list them: being forbidden to says nothing of the credential. */
  readonly mayBeForbidden?: true;
}

/** Most a page may say of the next one. */
const nextLengthMax = 4_096;
const tokensMax = 1_000_000_000;
const titleLengthMax = 256;

/** The first of these that is a possible number of tokens. */
export function firstTokens(...values: readonly unknown[]): number | undefined {
  return values.find(
    (value): value is number =>
      typeof value === "number" && Number.isSafeInteger(value) && value > 0 && value <= tokensMax,
  );
}

/** The first of these that can be shown as a title. */
export function firstTitle(...values: readonly unknown[]): string | undefined {
  return values.find(
    (value): value is string =>
      typeof value === "string" && value.trim() !== "" && value.length <= titleLengthMax,
  );
}

/** What a page says of the next one, as a part of a `ListedPage`. */
const nextOf = (value: unknown): { next?: string } =>
  typeof value === "string" && value !== "" && value.length <= nextLengthMax ? { next: value } : {};

/** The item without what it does not say. */
export function listed(
  item: { readonly [Name in keyof ListedModel]: ListedModel[Name] | undefined },
): ListedModel {
  return Object.fromEntries(
    Object.entries(item).filter(([, value]) => value !== undefined && value !== false),
  ) as unknown as ListedModel;
}

/** Reads each item that is an object; those without a name are passed over. */
export function readItems(
  items: readonly unknown[],
  read: (item: JsonRecord) => ListedModel | undefined,
): ListedModel[] {
  return items.flatMap((item) => {
    const model = isRecord(item) ? read(item) : undefined;
    return model === undefined ? [] : [model];
  });
}

/** A name a call can use. */
export const nameOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** The path of a list with these in its query; undefined where there is no list. */
function withQuery(
  probePath: string,
  query: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const url = new URL(probePath, "http://upstream");
  if (!url.pathname.endsWith("/models")) return undefined;
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value);
  return url.pathname + url.search;
}

/** A list in pages below the probe's path, as most services have it. */
export interface PagedForm {
  /** The member of a page with the models. */
  readonly items: string;
  /** The member of a model with its name, and what of it is no part of the name. */
  readonly nameField: string;
  readonly namePrefix?: RegExp;
  /** An empty object is an empty list: Google leaves empty lists out. */
  readonly mayLackItems?: true;
  readonly mayBeForbidden?: true;
  /** Members of the query; undefined ones are left out. `next`: what the page before said. */
  readonly query: (next: string | undefined) => Readonly<Record<string, string | undefined>>;
  /** What a page says of the next one. */
  readonly next: (page: JsonRecord) => unknown;
  readonly read: (name: string, item: JsonRecord) => ListedModel;
}

/** The listing of a service that writes pages in this form. */
export function pagedListing(form: PagedForm): Listing {
  const { items, nameField, namePrefix, mayLackItems, mayBeForbidden, query, next, read } = form;
  return {
    ...(mayBeForbidden === undefined ? {} : { mayBeForbidden }),
    path: (probePath, after) => withQuery(probePath, query(after)),
    read(body) {
      if (!isRecord(body)) return undefined;
      const isEmpty = mayLackItems === true && Object.keys(body).length === 0;
      const list = body[items] ?? (isEmpty ? [] : undefined);
      if (!Array.isArray(list)) return undefined;
      const models = readItems(list, (item) => {
        const name = nameOf(item[nameField]);
        return name === undefined ? undefined : read(namePrefix ? name.replace(namePrefix, "") : name, item);
      });
      return { models, ...nextOf(next(body)) };
    },
  };
}
