/**
 * The providers there are. A new one is one file beside this one and one line here. A provider's code is loaded when the
 * catalog first names it, so that nobody pays for protocols they do not use.
 */
import type { Fixture } from "./fixture.ts";
import type { Provider, ProviderNeeds } from "./provider.ts";

/** What is known of a provider without loading it. */
export interface ProviderFacts {
  readonly id: string;
  readonly transport: Provider["transport"];
  readonly needs: ProviderNeeds;
  readonly load: () => Promise<Provider>;
  /** For tests. Each provider with a network has them. */
  readonly fixtures?: () => Promise<readonly Fixture[]>;
}

/** No credential is needed: servers on one's own machines (vLLM, Ollama, llama.cpp) often take none. */
const openNeeds: ProviderNeeds = { baseUrl: true, credentials: false };

export const providers: readonly ProviderFacts[] = [
  {
    id: "openai",
    transport: "http",
    needs: openNeeds,
    load: async () => (await import("./openai.ts")).openai,
  },
  {
    id: "demo",
    transport: "local",
    needs: { baseUrl: false, credentials: false },
    load: async () => (await import("./demo.ts")).demo,
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
