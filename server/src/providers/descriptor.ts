/**
 * What is known of a provider without loading its code: one descriptor in the provider's folder says
 * everything the command line, the console, the catalog file and the documentation need. Types and
 * parts that several descriptors share.
 */
import { type Message, message } from "@plaza/contract/messages/message.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import type { SecretShape } from "../protocols/scrub/secret-shapes.ts";
import type { Listing } from "./listing.ts";
import type { OptionRule, Provider, ProviderNeeds } from "./provider.ts";

/** A page, or a package with its version, and a day like "2026-11-22". */
export interface Origin {
  readonly source: string;
  readonly date: string;
}

/** The service a provider is named after, where no preset describes it. */
export interface OwnService {
  /** For people. */
  readonly name: string;
  /** Environment variables its own tools read the key from, the usual one first. */
  readonly keyVariables: readonly string[];
  /**
   * How its address looks where only its operator knows it, like
   * `https://{region}.example.com`; the usual form first.
   */
  readonly baseUrlForms?: readonly string[];
  /** Where the address and the variables are from. */
  readonly origin: Origin;
  /** A sentence to know before connecting it. */
  readonly note?: Message;
}

/** Addresses whose prices the shipped catalog has. */
export interface PricedAt {
  /** Of host names, in lower case. */
  readonly host: RegExp;
  /** Addresses at such hosts that have other prices, as whole URLs. */
  readonly except?: RegExp;
  /** The file of `catalog/models/` with the prices, without its ending. */
  readonly catalog: string;
}

/**
 * What a protocol cannot say, so that callers are refused by name or get it left out: calls of
 * tools, several of them in one answer, a model's reasoning, counts of a prompt cache, an answer
 * that a filter stopped, images, files that are named by address (the gateway has to fetch and
 * inline them), usage in streams (it is estimated).
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
  /** Its one public address, where it has one: what an upstream without `baseUrl` gets. */
  readonly baseUrl?: string;
  /** What its own files serve beside chat; more may be in the tables of operations (`index.ts`). */
  readonly operations?: readonly Operation[];
  /** Settings an upstream of it has in the catalog. */
  readonly needs: ProviderNeeds;
  /** Names people know it by, beside its id. */
  readonly aliases?: readonly string[];
  /** Where the shipped catalog's prices hold. Absent: nowhere, or a preset says it. */
  readonly pricedAt?: readonly PricedAt[];
  /**
   * What of its secrets may stand in errors; beside what looks like a secret anywhere. A preset may say it.
   */
  readonly secrets?: readonly SecretShape[];
  /** Absent where a preset describes the service, or where there is none. */
  readonly service?: OwnService;
  /** For docs/operate/providers/README.md. */
  readonly docs: {
    /** What it speaks, as the end of a sentence. */
    readonly speaks: string;
    /** Its own page, relative to that one; absent: what its descriptor says is enough. */
    readonly page?: string;
  };
  /**
   * How its upstreams list their models; absent where they cannot, because
   * deployments have names of the operator's.
   */
  readonly listing?: Listing;
  /** What it cannot do that others can: suites and rigs do not ask it for that, and hold it to the rest. */
  readonly lacks?: readonly Lack[];
  /** Loads its code; called when the catalog first names it. */
  readonly load: () => Promise<Provider>;
}

/** Option of providers that take a service account's key. */
export const tokenUri: OptionRule = {
  help: message("provider.tokenAddress"),
  pattern: /^(?:https:\/\/[^\s/@]{1,255}|http:\/\/(?:127\.0\.0\.1|localhost)(?::\d{1,5})?)(?:\/\S{0,500})?$/,
};

/** Option of providers that speak Anthropic's Messages. */
export const beta: OptionRule = {
  help: message("provider.anthropicBeta"),
  pattern: /^[\w.-]{1,100}(?:,[\w.-]{1,100}){0,19}$/,
};
