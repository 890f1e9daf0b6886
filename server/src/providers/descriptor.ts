/**
 * What is known of a provider without loading its code: one descriptor in the provider's folder says everything the command line, the
 * console, the catalog file and the documentation need. Types and parts that several descriptors share.
 */
import type { Listing } from "./listing.ts";
import type { OptionRule, Provider, ProviderNeeds } from "./provider.ts";
import type { Fixture } from "./testing/fixture.ts";

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
  /** How its address looks where only its operator knows it, like `https://{region}.example.com`; the usual form first. */
  readonly baseUrlForms?: readonly string[];
  /** Where the address and the variables are from. */
  readonly origin: Origin;
  /** A sentence to know before connecting it. */
  readonly note?: string;
}

export interface ProviderDescriptor {
  readonly id: string;
  readonly transport: Provider["transport"];
  /** Its one public address, where it has one: what an upstream without `baseUrl` gets. */
  readonly baseUrl?: string;
  /** Settings an upstream of it has in the catalog. */
  readonly needs: ProviderNeeds;
  /** Absent where a preset describes the service, or where there is none. */
  readonly service?: OwnService;
  /** How its upstreams list their models; absent where they cannot, because deployments have names of the operator's. */
  readonly listing?: Listing;
  /** Loads its code; called when the catalog first names it. */
  readonly load: () => Promise<Provider>;
  /** For tests: recorded answers of every kind. Each provider with a network has them. */
  readonly fixtures?: () => Promise<readonly Fixture[]>;
}

/** Option of providers that take a service account's key. */
export const tokenUri: OptionRule = {
  help: "where a service account's key is exchanged for a token, instead of at Google",
  pattern: /^(?:https:\/\/[^\s/@]{1,255}|http:\/\/(?:127\.0\.0\.1|localhost)(?::\d{1,5})?)(?:\/\S{0,500})?$/,
};

/** Option of providers that speak Anthropic's Messages. */
export const beta: OptionRule = {
  help: "flags for the header anthropic-beta, with commas between them",
  pattern: /^[\w.-]{1,100}(?:,[\w.-]{1,100}){0,19}$/,
};
