/**
 * The list of providers. To add one, add a folder beside this file and one line here. A provider's code is
 * loaded when the catalog first uses it, so unused protocols cost nothing.
 */
import assert from "node:assert/strict";
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
import { findPreset, presets } from "./presets/presets.ts";
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

/** The provider that is assumed of a server about which nothing is known. */
export const defaultProvider: ProviderDescriptor =
  providers.find(({ isDefault }) => isDefault) ?? assert.fail("no provider has isDefault");

/** Operations that providers serve in addition to their own. A new operation is a file and a line here. */
const servedOperations: readonly ServedOperation[] = [completions, embeddings];

/** The demo's models of these operations, each with what it is for. */
export const demoModels = servedOperations.flatMap(({ operation, demoModel }) =>
  demoModel === undefined ? [] : [{ ...demoModel, operation }],
);

/** How upstreams of this provider list their models; undefined where they cannot. */
export function findListing(providerId: string): Listing | undefined {
  return providers.find(({ id }) => id === providerId)?.listing;
}

/** Forms of the secrets of all providers and presets. */
export const secretShapes: readonly SecretShape[] = [...providers, ...presets].flatMap(
  ({ secrets = [] }) => secrets,
);

const loaded = new Map<string, Provider>();

/** Loads the providers with these ids and ignores unknown ids. Await this before `findProvider`. */
export async function loadProviders(ids: Iterable<string>): Promise<void> {
  // Must be done before any upstream error is read.
  useSecretShapes(secretShapes);
  for (const id of new Set(ids)) {
    const facts = providers.find((provider) => provider.id === id);
    if (facts !== undefined && !loaded.has(id)) loaded.set(id, await withOperations(await facts.load()));
  }
}

/** Loads one provider's entries from the tables of operations. */
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

/** The provider with the operations of the tables added. */
async function withOperations(provider: Provider): Promise<Provider> {
  if (provider.transport === "local") {
    const tables = servedOperations.map(({ operation, scripts }) => ({ operation, loaders: scripts }));
    return { ...provider, scripts: { ...(await loadFrom(tables, provider.id)), ...provider.scripts } };
  }
  const tables = servedOperations.map(({ operation, codecs }) => ({ operation, loaders: codecs }));
  return { ...provider, codecs: { ...(await loadFrom(tables, provider.id)), ...provider.codecs } };
}

/** The provider `id` of a catalog; undefined when it does not exist or is not loaded. */
export function findProvider(id: string): Provider | undefined {
  return loaded.get(id);
}

/** The provider adapted to this upstream; undefined as in `findProvider`. */
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

/** True when the upstream's service has no path for the operation. */
const isWithout = ({ preset }: Pick<Upstream, "preset">, operation: Operation): boolean =>
  findPreset(preset)?.lacksOperations?.includes(operation) === true;

/**
 * True when Plaza serves the operation but this upstream cannot. Needs no loaded provider; used by catalog
 * checks.
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

/** True when the provider serves the operation. */
export function serves(provider: Provider, operation: Operation): boolean {
  if (provider.transport === "local") return provider.scripts[operation] !== undefined;
  return operation === "chat" ? provider.formats.length > 0 : provider.codecs?.[operation] !== undefined;
}
