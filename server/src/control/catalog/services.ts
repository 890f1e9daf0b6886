/** Lists what an upstream can be, what could be connected now, and the state of connected upstreams. */

import type { catalogRoutes, OfferDocument, ServiceDocument } from "@plaza/contract/api/catalog.ts";
import { type Message, message, textOf } from "@plaza/contract/messages/message.ts";
import { type Environment, processEnvironment } from "../../config/config.ts";
import {
  isLocal,
  keyOffers,
  type LocalServer,
  localServers,
  probeLocalServers,
} from "../../connect/find-offers.ts";
import type { ProviderDescriptor } from "../../providers/descriptor.ts";
import { findListing, providers } from "../../providers/index.ts";
import type { Ended } from "../../providers/presets/preset.ts";
import { type Target, targets } from "../../providers/presets/targets.ts";
import type { HandlersOf } from "../context.ts";

/** Milliseconds for local servers to answer. */
const lookMs = 500;

/** A sentence, and its message id for the console's own language. */
function helpOf(help: Message): Pick<ServiceDocument["options"][number], "help" | "helpMessage"> {
  const helpMessage = message("form.sentence", { text: help });
  return { help: textOf(helpMessage), helpMessage };
}

const endedOf = ({ on, note }: Ended): ServiceDocument["ended"] => ({
  on,
  note: textOf(note),
  noteMessage: note,
});

function optionsOf({ needs }: ProviderDescriptor): ServiceDocument["options"] {
  return Object.entries(needs.options ?? {}).map(([name, { help, isRequired = false }]) => ({
    name,
    ...helpOf(help),
    isRequired,
  }));
}

function ofTarget(target: Target): ServiceDocument {
  const { provider, preset } = target;
  return {
    id: target.id,
    name: target.name,
    provider: provider.id,
    preset: preset?.id ?? null,
    baseUrl: target.baseUrl ?? null,
    baseUrlForm: target.baseUrlForms[0] ?? null,
    otherBaseUrls: [...(preset?.otherBaseUrls ?? [])],
    hasAddress: provider.needs.baseUrl,
    needsCredential: target.needsKey,
    keyVariables: [...target.keyVariables],
    listsModels: preset?.listsModels ?? findListing(provider.id) !== undefined,
    isLocal: isLocal(target),
    options: optionsOf(provider),
    source: target.origin === undefined ? null : { name: target.origin.source, date: target.origin.date },
    ended: target.ended === undefined ? null : endedOf(target.ended),
    note: target.note === undefined ? null : textOf(target.note),
    noteMessage: target.note ?? null,
  };
}

/** Providers without a network run in the process itself. */
function ofProvider(provider: ProviderDescriptor): ServiceDocument {
  return {
    id: provider.id,
    name: "Demo (not a language model)",
    provider: provider.id,
    preset: null,
    baseUrl: null,
    baseUrlForm: null,
    otherBaseUrls: [],
    hasAddress: false,
    needsCredential: false,
    keyVariables: [],
    listsModels: true,
    isLocal: true,
    options: optionsOf(provider),
    source: null,
    ended: null,
    note: null,
    noteMessage: null,
  };
}

/** Services first, then protocols, then the demo. */
export const services: readonly ServiceDocument[] = [
  ...targets.map(ofTarget),
  ...providers.filter(({ transport }) => transport === "local").map(ofProvider),
];

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : "");

/** All services that can be connected; waits at most `timeoutMs`. */
export async function findOffers(look: {
  readonly env: Environment;
  readonly servers: readonly LocalServer[];
  readonly ownPort: number;
  readonly timeoutMs: number;
  /** Base URLs of existing upstreams. */
  readonly connected: readonly string[];
}): Promise<OfferDocument[]> {
  const origins = new Set(look.connected.map(originOf));
  const isConnected = (baseUrl: string | undefined): boolean =>
    baseUrl !== undefined && origins.has(originOf(baseUrl));
  const found = await Promise.all(probeLocalServers(look.servers, look.ownPort, look.timeoutMs));
  return [
    ...keyOffers(look.env).map(({ target, variable }) => ({
      service: target.id,
      name: target.name,
      baseUrl: target.baseUrl ?? null,
      variable,
      models: null,
      isConnected: isConnected(target.baseUrl),
    })),
    ...found.flatMap((one) =>
      one === undefined
        ? []
        : [
            {
              service: one.server.id,
              name: one.server.name,
              baseUrl: one.server.baseUrl,
              variable: null,
              models: one.models,
              isConnected: isConnected(one.server.baseUrl),
            },
          ],
    ),
  ];
}

export const serviceHandlers: Pick<
  HandlersOf<typeof catalogRoutes>,
  "listProviders" | "listOffers" | "listUpstreamStates"
> = {
  listProviders: () => ({ services: [...services] }),
  async listOffers({ store, endpointPort }) {
    const { upstreams } = await store.showCatalog();
    const offers = await findOffers({
      env: processEnvironment(),
      servers: localServers,
      ownPort: endpointPort(),
      timeoutMs: lookMs,
      connected: upstreams.map(({ baseUrl }) => baseUrl),
    });
    return { offers };
  },
  listUpstreamStates: async ({ store }) => ({ upstreams: await store.listUpstreamStandings() }),
};
