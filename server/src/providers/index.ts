/**
 * The providers there are. A new one is one file beside this one and one line here. A provider's code is loaded when the
 * catalog first names it, so that nobody pays for protocols they do not use.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { azureOptions } from "./azure/options.ts";
import { allowOption, allowRule } from "./charged-apart.ts";
import type { OptionRule, Provider, ProviderNeeds } from "./provider.ts";
import type { Fixture } from "./testing/fixture.ts";

/** What is known of a provider without loading it. */
export interface ProviderFacts {
  readonly id: string;
  readonly transport: Provider["transport"];
  /** Its one public address, where it has one: what an upstream without `baseUrl` gets. */
  readonly baseUrl?: string;
  readonly needs: ProviderNeeds;
  readonly load: () => Promise<Provider>;
  /** For tests. Each provider with a network has them. */
  readonly fixtures?: () => Promise<readonly Fixture[]>;
}

/** Of those that take a service account's key. */
const tokenUri: OptionRule = {
  help: "where a service account's key is exchanged for a token, instead of at Google",
  pattern: /^(?:https:\/\/[^\s/@]{1,255}|http:\/\/(?:127\.0\.0\.1|localhost)(?::\d{1,5})?)(?:\/\S{0,500})?$/,
};

/** Of those that speak Anthropic's messages. */
const beta: OptionRule = {
  help: "flags for the header anthropic-beta, with commas between them",
  pattern: /^[\w.-]{1,100}(?:,[\w.-]{1,100}){0,19}$/,
};

/** No credential is needed: servers on one's own machines (vLLM, Ollama, llama.cpp) often take none. */
const openNeeds: ProviderNeeds = { baseUrl: true, credentials: false, options: { [allowOption]: allowRule } };

export const providers: readonly ProviderFacts[] = [
  {
    id: "openai",
    transport: "http",
    baseUrl: "https://api.openai.com/v1",
    needs: openNeeds,
    load: async () => (await import("./openai/openai.ts")).openai,
    fixtures: async () => (await import("./openai/fixtures.ts")).fixtures,
  },
  {
    id: "azure",
    transport: "http",
    needs: { baseUrl: true, credentials: true, options: { ...azureOptions, [allowOption]: allowRule } },
    load: async () => (await import("./azure/azure.ts")).azure,
    fixtures: async () => (await import("./azure/fixtures.ts")).fixtures,
  },
  {
    id: "google",
    transport: "http",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    needs: {
      baseUrl: true,
      credentials: true,
      options: {
        [allowOption]: allowRule,
        api: {
          help: "gemini or vertex; where it is absent the base URL tells",
          pattern: /^(?:gemini|vertex)$/,
        },
        tokenUri,
      },
    },
    load: async () => (await import("./google/google.ts")).google,
    fixtures: async () => (await import("./google/fixtures.ts")).fixtures,
  },
  {
    id: "anthropic",
    transport: "http",
    baseUrl: "https://api.anthropic.com/v1",
    needs: {
      baseUrl: true,
      credentials: false,
      options: {
        [allowOption]: allowRule,
        beta,
      },
    },
    load: async () => (await import("./anthropic/anthropic.ts")).anthropic,
    fixtures: async () => (await import("./anthropic/fixtures.ts")).fixtures,
  },
  {
    id: "vertex-anthropic",
    transport: "http",
    needs: { baseUrl: true, credentials: true, options: { [allowOption]: allowRule, beta, tokenUri } },
    load: async () => (await import("./vertex-anthropic/vertex-anthropic.ts")).vertexAnthropic,
    fixtures: async () => (await import("./vertex-anthropic/fixtures.ts")).fixtures,
  },
  {
    id: "bedrock",
    transport: "http",
    needs: {
      baseUrl: true,
      credentials: true,
      options: {
        [allowOption]: allowRule,
        region: {
          help: "the AWS region calls are signed for; where it is absent the host's name tells",
          pattern: /^[a-z]{2,3}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/,
        },
        guardrail: {
          help: "id or ARN of a guardrail every call goes through",
          pattern: /^[\w:/-]{1,2048}$/,
        },
        guardrailVersion: {
          help: "version of the guardrail, DRAFT where it is absent",
          pattern: /^(?:\d{1,8}|DRAFT)$/,
        },
      },
    },
    load: async () => (await import("./bedrock/bedrock.ts")).bedrock,
    fixtures: async () => (await import("./bedrock/fixtures.ts")).fixtures,
  },
  {
    id: "demo",
    transport: "local",
    needs: { baseUrl: false, credentials: false },
    load: async () => (await import("./demo/demo.ts")).demo,
  },
];

const loaded = new Map<string, Provider>();

/** Loads the providers called so; ids of no provider are passed over. To be awaited before `findProvider`. */
export async function loadProviders(ids: Iterable<string>): Promise<void> {
  for (const id of new Set(ids)) {
    const facts = providers.find((provider) => provider.id === id);
    if (facts !== undefined && !loaded.has(id)) loaded.set(id, await facts.load());
  }
}

/** The provider called `id` in a catalog; undefined when there is none, or it was not loaded. */
export function findProvider(id: string): Provider | undefined {
  return loaded.get(id);
}

/** The provider as it speaks with an upstream; undefined as above. */
export function providerFor(upstream: Upstream): Provider | undefined {
  const provider = loaded.get(upstream.provider);
  return provider?.transport === "http" ? (provider.forUpstream?.(upstream) ?? provider) : provider;
}
