/**
 * Store methods for upstreams, models and limits as the console changes them. The serving thread loads this
 * file, so it has no SQL. The caller validates documents (`domain/catalog/file/edited.ts`); the store checks
 * who may change what, and that references exist.
 */
import type {
  Catalog,
  Deployment,
  Kept,
  Limits,
  Model,
  PriceRow,
  Upstream,
} from "@plaza/contract/catalog.ts";

/** An upstream without its secrets. */
export interface ShownUpstream extends Omit<Upstream, "credentials" | "headers"> {
  /** Number of its credentials. */
  readonly credentials: number;
  /** Names of its headers. */
  readonly headers: readonly string[];
  /** Why they, or its headers, cannot be opened; null: they can. */
  readonly credentialsFault: string | null;
}

/** What an upstream becomes. */
export interface ChangedUpstream extends Omit<Upstream, "credentials" | "headers"> {
  /** Undefined: they stay unchanged. */
  readonly credentials: readonly string[] | undefined;
  /** All of its headers; null keeps the stored value. Undefined: they stay unchanged. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined;
}

/** The catalog as an operator sees it. */
export interface ShownCatalog {
  readonly upstreams: readonly ShownUpstream[];
  readonly models: readonly Model[];
  readonly limits: Limits;
  readonly installation: Limits;
  readonly keptLimits: Required<Kept>;
}

/**
 * The result of a change. Only `done` means that something was written. `not_found`: the item does not exist.
 * `exists`: the id is taken. `file`: plaza.yaml manages it. `stale`: it was changed since that revision.
 * `used`: these models refer to it. `lost`: it refers to something that does not exist. `loop`: its fallbacks
 * lead back to it. `full`: the catalog is full.
 */
export type EditOutcome =
  | { readonly kind: "done"; readonly revision: number }
  | { readonly kind: "not_found" | "stale" | "loop" }
  | { readonly kind: "exists" | "file"; readonly what: "upstream" | "model" | "limits"; readonly id: string }
  | { readonly kind: "full"; readonly what: "upstream" | "model"; readonly max: number }
  | { readonly kind: "used"; readonly by: readonly string[] }
  | { readonly kind: "lost"; readonly what: "upstream" | "model"; readonly id: string };

/** The result of the wizard, confirmed by an operator. */
export interface Connection {
  /** A new upstream, or the id of an existing one. */
  readonly upstream: Upstream | string;
  readonly models: readonly Model[];
  /** Further deployments for existing models of the console. */
  readonly joins: readonly { readonly model: string; readonly deployment: Deployment }[];
}

export interface CatalogEditStore {
  /** The whole catalog, even if credentials cannot be opened; empty when there is none yet. */
  showCatalog(): Promise<ShownCatalog>;
  /** One upstream with its credentials. Throws `unreadable_credentials`. */
  openUpstream(id: string): Promise<Upstream | undefined>;
  /** All prices a model ever had, newest first, at most `limit`. */
  listPrices(modelId: string, limit: number): Promise<PriceRow[]>;
  createUpstream(upstream: Upstream): Promise<EditOutcome>;
  changeUpstream(upstream: ChangedUpstream, revision: number): Promise<EditOutcome>;
  removeUpstream(id: string, revision: number): Promise<EditOutcome>;
  createModel(model: Model): Promise<EditOutcome>;
  changeModel(model: Model, revision: number): Promise<EditOutcome>;
  /** Disables a model, or enables it again; nothing else of it changes. */
  changeModelState(id: string, isDisabled: boolean, revision: number): Promise<EditOutcome>;
  removeModel(id: string, revision: number): Promise<EditOutcome>;
  changeLimits(limits: Pick<Catalog, "limits" | "installation">, revision: number): Promise<EditOutcome>;
  /** Saves an upstream and its models, all or nothing. */
  connectUpstream(connection: Connection): Promise<EditOutcome>;
}

/** Every method of `CatalogEditStore`; `create-store.ts` forwards them to the storage thread unchanged. */
export const catalogEditMethods = {
  showCatalog: true,
  openUpstream: true,
  listPrices: true,
  createUpstream: true,
  changeUpstream: true,
  removeUpstream: true,
  createModel: true,
  changeModel: true,
  changeModelState: true,
  removeModel: true,
  changeLimits: true,
  connectUpstream: true,
} as const satisfies Record<keyof CatalogEditStore, true>;
