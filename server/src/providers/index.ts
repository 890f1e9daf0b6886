/**
 * The providers there are. A new one is one folder beside this file and one line here. A provider's code is
 * loaded when the catalog first names it, so that nobody pays for protocols they do not use.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { type Operation, operationNames, operationPaths } from "@plaza/contract/operations.ts";
import { useSecretShapes } from "../protocols/scrub/scrub.ts";
import type { SecretShape } from "../protocols/scrub/secret-shapes.ts";
import { anthropicDescriptor } from "./anthropic/descriptor.ts";
import { azureDescriptor } from "./azure/descriptor.ts";
import { bedrockDescriptor } from "./bedrock/descriptor.ts";
import { completions } from "./completions.ts";
import { demoDescriptor } from "./demo/descriptor.ts";
import type { ProviderDescriptor } from "./descriptor.ts";
import { embeddings } from "./embeddings.ts";
import { googleDescriptor } from "./google/descriptor.ts";
import type { Listing } from "./listing.ts";
import { openaiDescriptor } from "./openai/descriptor.ts";
import { presets } from "./presets/presets.ts";
import type { BatchCodec, ByOperation, HttpCodec, Provider, ServedOperation } from "./provider.ts";
import { vertexAnthropicDescriptor } from "./vertex-anthropic/descriptor.ts";

export const providers: readonly ProviderDescriptor[] = [
  openaiDescriptor,
  azureDescriptor,
  googleDescriptor,
  anthropicDescriptor,
  vertexAnthropicDescriptor,
  bedrockDescriptor,
  demoDescriptor,
];

/** What providers serve beside what they say themselves. A new operation is a file and a line here. */
const servedOperations: readonly ServedOperation[] = [completions, embeddings];

/** How upstreams of this provider list their models; undefined where they cannot. */
export function findListing(providerId: string): Listing | undefined {
  return providers.find(({ id }) => id === providerId)?.listing;
}

/** What secrets look like, of every provider and preset. */
export const secretShapes: readonly SecretShape[] = [...providers, ...presets].flatMap(
  ({ secrets = [] }) => secrets,
);

const loaded = new Map<string, Provider>();

/** Loads the providers called so; ids of no provider are passed over. To be awaited before `findProvider`. */
export async function loadProviders(ids: Iterable<string>): Promise<void> {
  // Before anything can read an upstream's error.
  useSecretShapes(secretShapes);
  for (const id of new Set(ids)) {
    const facts = providers.find((provider) => provider.id === id);
    if (facts !== undefined && !loaded.has(id)) loaded.set(id, await withOperations(await facts.load()));
  }
}

/** Loads, by operation, what the tables of operations have for one provider. */
async function loadFrom<Value>(
  tables: readonly { operation: Operation; loaders: Readonly<Record<string, () => Promise<Value>>> }[],
  id: string,
): Promise<ByOperation<Value>> {
  const found: [Operation, Value][] = [];
  for (const { operation, loaders } of tables) {
    const load = Object.hasOwn(loaders, id) ? loaders[id] : undefined;
    if (load !== undefined) found.push([operation, await load()]);
  }
  return Object.fromEntries(found);
}

/** With the operations it serves beside its own. */
async function withOperations(provider: Provider): Promise<Provider> {
  if (provider.transport === "local") {
    const tables = servedOperations.map(({ operation, scripts }) => ({ operation, loaders: scripts }));
    return { ...provider, scripts: { ...(await loadFrom(tables, provider.id)), ...provider.scripts } };
  }
  const tables = servedOperations.map(({ operation, codecs }) => ({ operation, loaders: codecs }));
  return { ...provider, codecs: { ...(await loadFrom(tables, provider.id)), ...provider.codecs } };
}

/** The provider called `id` in a catalog; undefined when there is none, or it was not loaded. */
export function findProvider(id: string): Provider | undefined {
  return loaded.get(id);
}

/** The provider as it speaks with an upstream; undefined as above. */
export function providerFor(upstream: Upstream): Provider | undefined {
  const provider = loaded.get(upstream.provider);
  if (provider?.transport !== "http") return provider;
  const own = provider.forUpstream?.(upstream) ?? provider;
  const codecs: { [Name in Operation]?: HttpCodec | BatchCodec } = { ...provider.codecs, ...own.codecs };
  for (const operation of operationNames) {
    if (isWithout(upstream, operation)) delete codecs[operation];
    const here = codecs[operation]?.forUpstream?.(upstream);
    if (here !== undefined) codecs[operation] = here;
  }
  return { ...own, codecs };
}

const tableOf = (operation: Operation): ServedOperation | undefined =>
  servedOperations.find((one) => one.operation === operation);

/** Is the upstream one of a service that has no such path? */
const isWithout = ({ preset }: Pick<Upstream, "preset">, operation: Operation): boolean =>
  preset !== undefined && tableOf(operation)?.withoutPresets?.has(preset) === true;

/**
 * Can an operation that this version serves not be called at an upstream? Told without loading its provider:
 * for checks of the catalog.
 */
export function lacksOperation(
  upstream: Pick<Upstream, "provider" | "preset">,
  operation: Operation,
): boolean {
  if (operation === "chat" || !operationPaths[operation].isServed) return false;
  const { provider } = upstream;
  const own = providers.find(({ id }) => id === provider)?.operations ?? [];
  if (own.includes(operation)) return false;
  const table = tableOf(operation);
  const isListed =
    table !== undefined && (Object.hasOwn(table.codecs, provider) || Object.hasOwn(table.scripts, provider));
  return !isListed || isWithout(upstream, operation);
}

/** Does a provider serve this operation at all? */
export function serves(provider: Provider, operation: Operation): boolean {
  const served = provider.transport === "http" ? provider.codecs : provider.scripts;
  return served[operation] !== undefined;
}
