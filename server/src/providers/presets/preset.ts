/** What is known of a service that has a name of its own: one row of `preset-rows.ts`. Types only. */
import type { Message } from "@plaza/contract/messages/message.ts";
import type { SecretShape } from "../../protocols/scrub/secret-shapes.ts";
import type { PricedAt } from "../descriptor.ts";

/**
 * A service whose API that Plaza speaks is no more. It stays a row, so that an operator who names it is told.
 */
export interface Ended {
  /** The day, like "2026-09-27". */
  readonly on: string;
  /** One sentence: what it was and what there is now. */
  readonly note: Message;
}

export interface Preset {
  /** As `preset` of an upstream in plaza.yaml. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** Id of the provider that speaks its protocol. */
  readonly provider: string;
  /**
   * Where it is when an upstream does not say: as `Upstream.baseUrl`, and the first
   * of what it has. Absent: it has forms.
   */
  readonly baseUrl?: string;
  /** Its other addresses: other regions, beta features. An upstream names one as its `baseUrl`. */
  readonly otherBaseUrls?: readonly string[];
  /**
   * How its addresses look where only the operator knows them, like
   * `https://{region}.example.com/v1`; the usual form first.
   */
  readonly baseUrlForms?: readonly string[];
  /**
   * Environment variables its own tools read the key from, the usual one first;
   * none for servers on one's own machine.
   */
  readonly keyVariables: readonly string[];
  /** false: it answers without a credential unless its operator has set one. */
  readonly needsKey: boolean;
  /** Can it be asked what it serves? For the openai protocol: `GET {baseUrl}/models`. */
  readonly listsModels: boolean;
  /** Where the shipped catalog's prices hold; absent: nowhere. */
  readonly pricedAt?: readonly PricedAt[];
  /** The file of `catalog/models/` with its prices, wherever it runs. */
  readonly pricedAnywhere?: string;
  /** What of its secrets may stand in errors; beside what looks like a secret anywhere. */
  readonly secrets?: readonly SecretShape[];
  /** Where the row is from: the page that states the address, or a package with its version. */
  readonly source: string;
  /** The day that source is of, or was last read, like "2026-11-22". */
  readonly date: string;
  readonly ended?: Ended;
  /**
   * For people: something to know before connecting it. One sentence, as in
   * docs/operate/providers/services.md.
   */
  readonly note?: Message;
}
