/** The type of a preset: what Plaza knows of a named service, one row of `preset-rows.ts`. Types only. */
import type { Message } from "@plaza/contract/messages/message.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import type { SecretShape } from "../../protocols/scrub/secret-shapes.ts";
import type { ClientKeys, PricedAt } from "../descriptor.ts";

/**
 * A service that ended, or no longer has the API Plaza speaks. The row stays, so that an operator who uses it
 * gets an explanation.
 */
export interface Ended {
  /** The date it ended, like "2026-09-27". */
  readonly on: string;
  /** One sentence: what the service was and what replaces it. */
  readonly note: Message;
}

export interface Preset {
  /** The `preset` of an upstream in plaza.yaml. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** Id of the provider for its protocol. */
  readonly provider: string;
  /** The default base URL, in the form of `Upstream.baseUrl`. Absent when `baseUrlForms` are given. */
  readonly baseUrl?: string;
  /** Other base URLs: regions, beta features. An upstream selects one with `baseUrl`. */
  readonly otherBaseUrls?: readonly string[];
  /**
   * Forms of the address when only the operator knows it, like `https://{region}.example.com/v1`; the usual
   * form first.
   */
  readonly baseUrlForms?: readonly string[];
  /**
   * Environment variables the vendor's tools read the key from, the usual one first; empty for local servers.
   */
  readonly keyVariables: readonly string[];
  /** False when it answers without a credential unless its operator has set one. */
  readonly needsKey: boolean;
  /** True when it lists its models. For the openai protocol: `GET {baseUrl}/models`. */
  readonly listsModels: boolean;
  /** Addresses where the shipped catalog's prices hold; absent: none. */
  readonly pricedAt?: readonly PricedAt[];
  /** The file in `catalog/models/` with its prices, at any address. */
  readonly pricedAnywhere?: string;
  /** Its keys, where they can be told by how they begin. */
  readonly clientKeys?: ClientKeys;
  /** Operations of its protocol for which it has no path. */
  readonly lacksOperations?: readonly Operation[];
  /** True when its sampling knows `top_k`. */
  readonly takesTopK?: true;
  /** True for a router that hands marks of the prompt cache on to Claude and takes signed thoughts back. */
  readonly isRouter?: true;
  /** Forms of its secrets to remove from errors, in addition to the general ones. */
  readonly secrets?: readonly SecretShape[];
  /** Source of the row: the page that states the address, or a package with its version. */
  readonly source: string;
  /** The date of the source, or the day it was last read, like "2026-11-22". */
  readonly date: string;
  readonly ended?: Ended;
  /** One sentence the operator should know before connecting it, as in docs/operate/providers/services.md. */
  readonly note?: Message;
}
