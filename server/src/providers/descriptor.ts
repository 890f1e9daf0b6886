/**
 * What Plaza knows about a provider without loading its code. One descriptor in the provider's folder holds
 * everything the command line, the console, the catalog file and the documentation need. This file has the
 * types and the parts that several descriptors share.
 */
import type { FormatId } from "@plaza/contract/formats.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import type { SecretShape } from "../protocols/scrub/secret-shapes.ts";
import type { Listing } from "./listing.ts";
import type { MediaRule } from "./media-rules.ts";
import type { OptionRule, Provider, ProviderNeeds } from "./provider.ts";

/** A source: a URL or a package with its version, and a date like "2026-11-22". */
export interface Origin {
  readonly source: string;
  readonly date: string;
}

/** Keys of a service that clients still send when they are pointed at Plaza. */
export interface ClientKeys {
  /** How they begin, exactly. */
  readonly beginnings: readonly string[];
  /** Whose they are, where that is not the service's display name. */
  readonly owner?: string;
  /** Environment variables that clients read them from, where `keyVariables` lack some. */
  readonly variables?: readonly string[];
}

/** The service a provider is named after, if no preset describes it. */
export interface OwnService {
  /** Display name. */
  readonly name: string;
  /** Environment variables the vendor's tools read the key from, the usual one first. */
  readonly keyVariables: readonly string[];
  /**
   * Forms of the address when only the operator knows it, like `https://{region}.example.com`; the usual form
   * first.
   */
  readonly baseUrlForms?: readonly string[];
  /** Its keys, where they can be told by how they begin. */
  readonly clientKeys?: ClientKeys;
  /** Source of the address and the variables. */
  readonly origin: Origin;
  /** One sentence the operator should know before connecting it. */
  readonly note?: Message;
}

/** Addresses for which the shipped catalog has prices. */
export interface PricedAt {
  /** Matches the host name, in lower case. */
  readonly host: RegExp;
  /** Matches whole URLs at such hosts that have other prices. */
  readonly except?: RegExp;
  /** The price file in `catalog/models/`, without its extension. */
  readonly catalog: string;
}

/**
 * What a protocol may be unable to express. Requests that need it are refused by field name, or the field is
 * dropped. In order: tool calls, several tool calls in one answer, reasoning, prompt cache counts, an answer
 * stopped by a filter, images, files given by URL (the gateway fetches and inlines them), usage in streams
 * (it is estimated).
 */
export const lacks = [
  "tools",
  "parallel tools",
  "reasoning",
  "prompt caching",
  "content filter",
  "images",
  "files by address",
  "usage in streams",
] as const;

export type Lack = (typeof lacks)[number];

export interface ProviderDescriptor {
  readonly id: string;
  readonly transport: Provider["transport"];
  /**
   * The protocol that is assumed of a server about which nothing is known. Exactly one provider has it:
   * `defaultProvider` in `index.ts`.
   */
  readonly isDefault?: true;
  /** Default base URL of an upstream without `baseUrl`; absent when there is no single public address. */
  readonly baseUrl?: string;
  /** Operations its own files serve besides chat. The tables in `index.ts` may add more. */
  readonly operations?: readonly Operation[];
  /** Conversation formats that its upstreams may speak. Absent: only the provider's own format. */
  readonly formats?: readonly FormatId[];
  /** How the tokens of a prompt's files are estimated. */
  readonly mediaRule: MediaRule;
  /** Settings an upstream of it has in the catalog. */
  readonly needs: ProviderNeeds;
  /** Other names people may search for. */
  readonly aliases?: readonly string[];
  /** Addresses where the shipped catalog's prices hold. Absent: none, or a preset has them. */
  readonly pricedAt?: readonly PricedAt[];
  /** Forms of its secrets to remove from errors, in addition to the general ones. Presets may add more. */
  readonly secrets?: readonly SecretShape[];
  /** Absent when a preset describes the service or there is none. */
  readonly service?: OwnService;
  /** Text for docs/operate/providers/README.md. */
  readonly docs: {
    /** The protocol it speaks, written as the end of a sentence. */
    readonly speaks: string;
    /** Its own page, relative to that README. Absent when the descriptor says enough. */
    readonly page?: string;
  };
  /** How its upstreams list their models. Absent when they cannot, because operators name the deployments. */
  readonly listing?: Listing;
  /** What it cannot do. Test suites and rigs skip these and check everything else. */
  readonly lacks?: readonly Lack[];
  /** Loads its code, when the catalog first uses it. */
  readonly load: () => Promise<Provider>;
}

/** Option of providers that accept a service account's key. */
export const tokenUri: OptionRule = {
  help: message("provider.tokenAddress"),
  pattern: /^(?:https:\/\/[^\s/@]{1,255}|http:\/\/(?:127\.0\.0\.1|localhost)(?::\d{1,5})?)(?:\/\S{0,500})?$/,
};

/** Option of providers that speak Anthropic's Messages. */
export const beta: OptionRule = {
  help: message("provider.anthropicBeta"),
  pattern: /^[\w.-]{1,100}(?:,[\w.-]{1,100}){0,19}$/,
};
