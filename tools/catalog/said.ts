/** The combined data of all packages on one model, and what to report about it. Types only. */
import type { Listed } from "./listed.ts";
import type { SourceName } from "./packages.ts";

/** A line of the report about a model. */
export interface Finding {
  readonly provider: string;
  readonly id: string;
  readonly what: "disagreement" | "duplicate" | "dropped" | "note" | "page";
  readonly text: string;
}

/** Package names as used in rows. */
export type SourceLabels = {
  readonly [Name in SourceName]: { readonly source: string; readonly date: string };
};

/** All packages' data on one model. From genai-prices also the entry of its group, which is only compared. */
export interface Said {
  readonly provider: string;
  readonly piAi?: Listed | undefined;
  readonly piCatalog?: Listed | undefined;
  /** The entry with the model's full name. */
  readonly genaiPrices?: Listed | undefined;
  /** The entry of a group that includes the model, if none has its full name. */
  readonly genaiGroup?: Listed | undefined;
  /** True when the group is the model's snapshots: it has the model's name without its date. */
  readonly isSnapshot?: boolean | undefined;
  /** Packages without a tier for any model of the provider; a missing tier then means nothing. */
  readonly tierless?: ReadonlySet<SourceName> | undefined;
  /** Ids of the provider for which a price of 0 means free. */
  readonly free?: RegExp | undefined;
  readonly priceless?: string | undefined;
  readonly isSizeless?: boolean | undefined;
}
