/**
 * The catalog: upstreams, models, deployments and prices, as both the store and the gateway see them.
 * Shapes only; `server/src/domain/catalog/file.ts` reads them from `plaza.yaml`.
 */
import type { FormatId } from "./formats.ts";
import type { NanoUsd } from "./money.ts";
import type { Operation } from "./operations.ts";

/**
 * Where a thing of the catalog is managed: in `plaza.yaml`, in the console, or nowhere: what came with an
 * installation for a first try, which goes with the first file and can be changed and removed in the console.
 */
export type CatalogSource = "file" | "console" | "demo";

/** What the store adds to each thing of the catalog. */
export interface Kept {
  readonly source?: CatalogSource | undefined;
  /** Grows with every change, so that two people do not overwrite each other's. */
  readonly revision?: number | undefined;
}

/** The upstream timers, in milliseconds (meaning in docs/call/streaming.md). */
export interface Timeouts {
  /** TCP and TLS handshake. */
  readonly connectMs: number;
  /**
   * From sending the request to the first byte of a whole answer's JSON. Absent =
   * `defaultFirstByteMs`, by the model.
   */
  readonly firstByteMs?: number | undefined;
  /** From sending the request to the first content event of a stream. */
  readonly firstTokenMs: number;
  /** Between two reads of a body that has begun. */
  readonly idleMs: number;
  /** The whole attempt. */
  readonly totalMs: number;
}

/** Models think for minutes in silence; P12 promises that three silent minutes do no harm. */
export const defaultTimeouts: Timeouts = {
  connectMs: 5_000,
  firstTokenMs: 240_000,
  idleMs: 240_000,
  totalMs: 900_000,
};

/**
 * How long a whole answer may take to begin where no timer says. Most upstreams send nothing of it before
 * the last token: four minutes are 8,500 tokens at 128,000 an hour. A model that reasons may think as long
 * as the usual client waits, 10 minutes.
 */
export const defaultFirstByteMs = { ordinary: 240_000, reasoning: 600_000 } as const;

/** A configured provider: where it is and what secrets it takes. */
export interface Upstream extends Kept {
  readonly id: string;
  /** Id of the provider code that speaks its protocol (`server/src/providers/index.ts`). */
  readonly provider: string;
  /**
   * Base URL up to and including the version segment, no trailing slash;
   * empty for providers without a network.
   */
  readonly baseUrl: string;
  /** Secrets we present; used in turn. Sealed at rest, never shown. */
  readonly credentials: readonly string[];
  /** Which service it is, where that makes a difference (`server/src/providers/presets/presets.ts`). */
  readonly preset?: string | undefined;
  /** Settings of its provider's own, like a region; which there are: `server/src/providers/index.ts`. */
  readonly options?: Readonly<Record<string, string>> | undefined;
  readonly timeouts: Timeouts;
  /**
   * `finish`: its answer is read on to its usage when the caller leaves.
   * Absent: its work is cancelled.
   */
  readonly onDisconnect?: "finish" | undefined;
  /** Maximum concurrent calls from one process; at least 1. Absent = unbounded. */
  readonly concurrency?: number | undefined;
  /**
   * Most requests that wait for a permit while `concurrency` calls are under way. Absent = `defaultQueue`.
   */
  readonly queue?: number | undefined;
  /**
   * `key` (and absent): requests of one session go to the same deployment while it is
   * well. `none`: they are spread freely.
   */
  readonly affinity?: "key" | "none" | undefined;
}

/** How many requests wait for a permit at an upstream whose file does not say. */
export const defaultQueue = 100;

/** One way to serve a model. */
export interface Deployment {
  readonly upstream: string;
  /** The model's name at the upstream. */
  readonly model: string;
  /** Lower is tried first. */
  readonly priority: number;
  /** Share of traffic among deployments of the same priority; 0 = only when nothing else is left. */
  readonly weight: number;
  /**
   * What the upstream bills us, computed as a charge is from a price.
   * Absent = unknown; never shown to callers.
   */
  readonly cost?: Price | undefined;
  /** Timers of this deployment that differ from its upstream's. */
  readonly timeouts?: Partial<Timeouts> | undefined;
  /**
   * The wire formats the upstream speaks for this model, at least one. Absent = what is known of it.
   */
  readonly formats?: readonly FormatId[] | undefined;
}

/**
 * NanoUsd per million tokens of each class of `Usage`. A class without a rate of its own costs what another
 * one does: `cachedInput`, `cacheWrite`, `audioInput`, `imageInput` as `input`; `longCacheWrite` as
 * `cacheWrite`; `reasoning`, `audioOutput`, `imageOutput` as `output`.
 */
export interface Rates {
  readonly input: NanoUsd;
  readonly output: NanoUsd;
  readonly cachedInput?: NanoUsd | undefined;
  readonly cacheWrite?: NanoUsd | undefined;
  readonly longCacheWrite?: NanoUsd | undefined;
  readonly reasoning?: NanoUsd | undefined;
  readonly audioInput?: NanoUsd | undefined;
  readonly audioOutput?: NanoUsd | undefined;
  readonly imageInput?: NanoUsd | undefined;
  readonly imageOutput?: NanoUsd | undefined;
}

/**
 * Rates that replace the base rates, for every token of the request, when
 * its whole prompt is larger than this.
 */
export interface PriceTier extends Rates {
  /** A positive whole number of tokens, cached and written ones included. */
  readonly abovePromptTokens: number;
}

/** What a model costs. How a charge is computed from it: `server/src/domain/money/price.ts`. */
export interface Price extends Rates {
  /** Added once to every request that is charged. */
  readonly perRequest?: NanoUsd | undefined;
  /** Ascending by `abovePromptTokens`, none twice; absent rather than empty. */
  readonly tiers?: readonly PriceTier[] | undefined;
}

/** A price that takes over by itself at a time. */
export interface ScheduledPrice {
  /** Unix milliseconds. */
  readonly validFrom: number;
  readonly price: Price;
}

/** A price as the store keeps it; the id is what a charge refers to. */
export interface PriceRow {
  readonly id: number;
  /** Unix milliseconds. */
  readonly validFrom: number;
  /** undefined: from then on the model has no price and is not served. */
  readonly price: Price | undefined;
}

export interface Modalities {
  readonly input: readonly string[];
  readonly output: readonly string[];
}

/**
 * Usage limits; absent = no limit. Whole numbers from 0 to 2^53 − 1, where 0 lets
 * nothing through. What a minute means: docs/call/limits.md.
 */
export interface Limits {
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  /** Concurrent requests. */
  readonly concurrency?: number | undefined;
}

/** A second attempt at another deployment while the first is slow to begin. */
export interface Hedge {
  /**
   * How long the first attempt may take to its first content. Absent = the model's 95th percentile of late.
   */
  readonly afterMs?: number | undefined;
}

/** What a model can be asked for beyond text; `image` among the input modalities also means vision. */
export const capabilityNames = ["tools", "json", "vision", "reasoning"] as const;

export type Capability = (typeof capabilityNames)[number];

/**
 * Can a model be called? `available`. `degraded`: some deployment is out or has to be left alone, or too few
 * calls go well. `down`: no deployment is left. `unpriced`: listed but not served, for want of a price.
 * `unserved`: this version serves no endpoint of what it is for.
 */
export const modelStatuses = ["available", "degraded", "down", "unpriced", "unserved"] as const;

export type ModelStatus = (typeof modelStatuses)[number];

/** A status as an address or a script of an earlier version names it: what was `unavailable` is `down`. */
export const statusNamed = (name: string): string => (name === "unavailable" ? "down" : name);

/** A public model id and how it is served. Unknown facts are absent, never guessed. */
export interface Model extends Kept {
  readonly id: string;
  readonly name: string;
  /** Who made it, as people say it: "OpenAI", "Qwen". */
  readonly family?: string | undefined;
  readonly description?: string | undefined;
  /** What it is for, as `normalOperations` writes it; absent = chat alone (`operationsOf`). */
  readonly operations?: readonly Operation[] | undefined;
  /** Context window in tokens. */
  readonly context?: number | undefined;
  /** Most output tokens of one answer. */
  readonly maxOutput?: number | undefined;
  readonly modalities?: Modalities | undefined;
  /** What it is known to be able to; absent = nothing is known, empty = it is known to have none of them. */
  readonly capabilities?: readonly Capability[] | undefined;
  /** Unix milliseconds from when on it is not to be relied on; absent = nothing is known. */
  readonly deprecatedAt?: number | undefined;
  /** The price now. Absent = not servable; an explicit "0" is a price. */
  readonly price?: Price | undefined;
  /** Prices that take over later, ascending by time, no time twice; absent rather than empty. */
  readonly scheduledPrices?: readonly ScheduledPrice[] | undefined;
  /**
   * The row in force when the catalog was loaded and all later ones, in the
   * order they take over; set by the store.
   */
  readonly priceRows?: readonly PriceRow[] | undefined;
  readonly deployments: readonly Deployment[];
  /** Across all callers; absent = none. */
  readonly limits?: Limits | undefined;
  /**
   * Public ids of other models, tried in this order when every deployment failed. Never leads
   * back here; absent rather than empty.
   */
  readonly fallbacks?: readonly string[] | undefined;
  /** Absent = never a second attempt beside the first. */
  readonly hedge?: Hedge | undefined;
  /** Unix milliseconds when this catalog first listed the model; set by the store. */
  readonly createdAt?: number | undefined;
}

/** Everything the gateway serves, as one document. */
export interface Catalog {
  /** Where the limits are managed, and their revision; set by the store. */
  readonly keptLimits?: Kept | undefined;
  readonly upstreams: readonly Upstream[];
  readonly models: readonly Model[];
  /** Of every account that has none of its own. */
  readonly limits: Limits;
  /** Of the whole installation together; absent = none. */
  readonly installation?: Limits | undefined;
}
