/** The combined data of all packages on one model, and what to report about it. Types only. */
import type { Listed } from "./listed.ts";
import type { SourceName } from "./packages.ts";

/** A fact that the report lists about a model. */
export interface Finding {
  readonly provider: string;
  readonly id: string;
  readonly what: "disagreement" | "duplicate" | "dropped" | "note" | "page";
  readonly text: string;
}

/** The packages as a row names them. */
export type SourceLabels = {
  readonly [Name in SourceName]: { readonly source: string; readonly date: string };
};

/**
 * What is said of one model. Of genai-prices also what its entry for a
 * whole group says, which is only compared.
 */
export interface Said {
  readonly provider: string;
  readonly piAi?: Listed | undefined;
  readonly piCatalog?: Listed | undefined;
  /** The entry that names the model in full. */
  readonly genaiPrices?: Listed | undefined;
  /** The entry that the model falls under, when none names it. */
  readonly genaiGroup?: Listed | undefined;
  /** The group is that of the model's snapshots: it names the model without its date. */
  readonly isSnapshot?: boolean | undefined;
  /** Packages that list no tier of any model of the provider; that they are silent about one says nothing. */
  readonly tierless?: ReadonlySet<SourceName> | undefined;
  /** Ids of the provider that are free when they cost nothing. */
  readonly free?: RegExp | undefined;
  readonly priceless?: string | undefined;
  readonly isSizeless?: boolean | undefined;
}
