/**
 * Lists of models at upstreams: the type of a provider's listing, and the readers they share. Pure. Values of
 * unexpected form are ignored.
 */
import type { Operation } from "@plaza/contract/operations.ts";
import { isRecord, type JsonRecord } from "../lib/record.ts";

/** A model in its upstream's list. Values the list does not give are absent. */
export interface ListedModel {
  /** The name to use in calls. */
  readonly name: string;
  /** Display name. */
  readonly title?: string;
  /** Context window in tokens. */
  readonly context?: number;
  /** Most output tokens. */
  readonly maxOutput?: number;
  /** The operations the list says it serves. */
  readonly operations?: readonly Operation[];
  /** True when the list says only that it is not a chat model. */
  readonly isOther?: boolean;
}

export interface ListedPage {
  readonly models: readonly ListedModel[];
  /** Cursor of the next page; absent on the last page. */
  readonly next?: string;
}

/** How one provider lists models: the list's path, derived from its probe's, and a reader for one page. */
export interface Listing {
  /** The path of a page, derived from the probe's path; undefined when the probe does not read a list. */
  path(probePath: string, next: string | undefined): string | undefined;
  /** Returns undefined when `body` is not such a list. */
  read(body: unknown): ListedPage | undefined;
  /**
   * True when a credential may be allowed to call models but not to list them. A 403 then says nothing about
   * the credential.
   */
  readonly mayBeForbidden?: true;
}

/** Longest cursor accepted. */
const nextLengthMax = 4_096;
const tokensMax = 1_000_000_000;
const titleLengthMax = 256;

/** The first value that is a plausible number of tokens. */
export function firstTokens(...values: readonly unknown[]): number | undefined {
  return values.find(
    (value): value is number =>
      typeof value === "number" && Number.isSafeInteger(value) && value > 0 && value <= tokensMax,
  );
}

/** The first value that can be shown as a title. */
export function firstTitle(...values: readonly unknown[]): string | undefined {
  return values.find(
    (value): value is string =>
      typeof value === "string" && value.trim() !== "" && value.length <= titleLengthMax,
  );
}

/** The cursor of the next page, as part of a `ListedPage`. */
const nextOf = (value: unknown): { next?: string } =>
  typeof value === "string" && value !== "" && value.length <= nextLengthMax ? { next: value } : {};

/** The item without members that are undefined or false. */
export function listed(
  item: { readonly [Name in keyof ListedModel]: ListedModel[Name] | undefined },
): ListedModel {
  return Object.fromEntries(
    Object.entries(item).filter(([, value]) => value !== undefined && value !== false),
  ) as unknown as ListedModel;
}

/** Reads each item that is an object. Items without a name are skipped. */
export function readItems(
  items: readonly unknown[],
  read: (item: JsonRecord) => ListedModel | undefined,
): ListedModel[] {
  return items.flatMap((item) => {
    const model = isRecord(item) ? read(item) : undefined;
    return model === undefined ? [] : [model];
  });
}

/** The value as a name usable in calls; undefined if it is not. */
export const nameOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** The list's path with this query; undefined when there is no list. */
function withQuery(
  probePath: string,
  pathEnd: string,
  query: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const url = new URL(probePath, "http://upstream");
  if (!url.pathname.endsWith(pathEnd)) return undefined;
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value);
  return url.pathname + url.search;
}

/** A paged list below the probe's path, as most services have it. */
export interface PagedForm {
  /** The member of a page that holds the models. */
  readonly items: string;
  /** What the list's path ends with; default `/models`. A probe elsewhere reads no list. */
  readonly pathEnd?: string;
  /** The member with a model's name, and a prefix to remove from it. */
  readonly nameField: string;
  readonly namePrefix?: RegExp;
  /** True when a missing list is an empty one: Google leaves empty lists out. */
  readonly mayLackItems?: true;
  readonly mayBeForbidden?: true;
  /** Query parameters; undefined ones are left out. `next`: the cursor from the page before. */
  readonly query: (next: string | undefined) => Readonly<Record<string, string | undefined>>;
  /** The cursor of the next page. */
  readonly next: (page: JsonRecord) => unknown;
  readonly read: (name: string, item: JsonRecord) => ListedModel;
}

/** The listing of a service with pages of this form. */
export function pagedListing(form: PagedForm): Listing {
  const { items, nameField, namePrefix, mayLackItems, mayBeForbidden, query, next, read } = form;
  const { pathEnd = "/models" } = form;
  return {
    ...(mayBeForbidden === undefined ? {} : { mayBeForbidden }),
    path: (probePath, after) => withQuery(probePath, pathEnd, query(after)),
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
