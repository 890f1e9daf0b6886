/**
 * Upstreams, models and limits as the console changes them: what the store offers of them.
 * Loaded by the serving thread, so no SQL code here. Whether a document is sound is the
 * caller's business (`domain/catalog/file/edited.ts`); who may change what, and that nothing
 * refers to what is not there, is the store's.
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
export interface ShownUpstream extends Omit<Upstream, "credentials"> {
  /** How many it has. */
  readonly credentials: number;
  /** Why they cannot be opened; null = they can. */
  readonly credentialsFault: string | null;
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
 * How a change ended; in every case but `done` nothing was written. `not_found`: there is no such thing.
 * `exists`: there is one with this id. `file`: it is plaza.yaml's. `stale`: somebody changed it since that
 * revision. `used`: these models refer to it. `lost`: it refers to what is not there. `loop`: its fallbacks
 * lead back to it. `full`: there are as many as there may be.
 */
export type EditOutcome =
  | { readonly kind: "done"; readonly revision: number }
  | { readonly kind: "not_found" | "stale" | "loop" }
  | { readonly kind: "exists" | "file"; readonly what: "upstream" | "model" | "limits"; readonly id: string }
  | { readonly kind: "full"; readonly what: "upstream" | "model"; readonly max: number }
  | { readonly kind: "used"; readonly by: readonly string[] }
  | { readonly kind: "lost"; readonly what: "upstream" | "model"; readonly id: string };

/** What a wizard found and an operator confirmed. */
export interface Connection {
  /** A new one, or the id of one that is there. */
  readonly upstream: Upstream | string;
  readonly models: readonly Model[];
  /** One more deployment each, of models of the console. */
  readonly joins: readonly { readonly model: string; readonly deployment: Deployment }[];
}

export interface CatalogEditStore {
  /** Everything, also where credentials cannot be opened; an empty catalog before there is one. */
  showCatalog(): Promise<ShownCatalog>;
  /** One upstream with its credentials. Throws `unreadable_credentials`. */
  openUpstream(id: string): Promise<Upstream | undefined>;
  /** Every price a model ever got, the newest first, at most `limit`. */
  listPrices(modelId: string, limit: number): Promise<PriceRow[]>;
  createUpstream(upstream: Upstream): Promise<EditOutcome>;
  /** `credentials` undefined: they stay what they are. */
  changeUpstream(
    upstream: Omit<Upstream, "credentials"> & { readonly credentials: readonly string[] | undefined },
    revision: number,
  ): Promise<EditOutcome>;
  removeUpstream(id: string, revision: number): Promise<EditOutcome>;
  createModel(model: Model): Promise<EditOutcome>;
  changeModel(model: Model, revision: number): Promise<EditOutcome>;
  removeModel(id: string, revision: number): Promise<EditOutcome>;
  changeLimits(limits: Pick<Catalog, "limits" | "installation">, revision: number): Promise<EditOutcome>;
  /** An upstream and its models, all or nothing. */
  connectUpstream(connection: Connection): Promise<EditOutcome>;
}

/**
 * Every method of `CatalogEditStore`; they are handed to the storage thread as they are (`create-store.ts`).
 */
export const catalogEditMethods = {
  showCatalog: true,
  openUpstream: true,
  listPrices: true,
  createUpstream: true,
  changeUpstream: true,
  removeUpstream: true,
  createModel: true,
  changeModel: true,
  removeModel: true,
  changeLimits: true,
  connectUpstream: true,
} as const satisfies Record<keyof CatalogEditStore, true>;
