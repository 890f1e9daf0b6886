/** Connect wizard: finds which models an upstream serves and what they cost. Writes nothing. */
import type { AimDocument, catalogRoutes, ProposalDocument } from "@plaza/contract/api/catalog.ts";
import type { Model } from "@plaza/contract/catalog.ts";
import { type Message, message, rendered } from "@plaza/contract/messages/message.ts";
import { operationsOf } from "@plaza/contract/operations.ts";
import { ConnectFailure } from "../../connect/failure.ts";
import { type ListAnswer, type ListAsk, listUpstream } from "../../connect/list.ts";
import { type PriceSource, type Proposal, proposeModels } from "../../connect/propose.ts";
import type { CatalogMatch, CatalogPrice, ModelCatalog } from "../../domain/catalog/model-catalog.ts";
import { providers } from "../../providers/index.ts";
import type { ListedModel } from "../../providers/listing.ts";
import { catalogProviderOf } from "../../providers/presets/priced-at.ts";
import type { HandlersOf } from "../context.ts";
import { type Meant, meantBy, refuseConnection } from "./aim.ts";

/** Milliseconds for all pages of an upstream's list. */
const listMs = 10_000;

/** Failures of the list that do not matter when models are named by hand. */
const listFailures = new Set(["not_a_list", "upstream_error", "too_large", "timeout"]);

const notAsked = (baseUrl: string): ListAnswer => ({
  baseUrl,
  models: undefined,
  isCut: false,
  isChecked: false,
});

/** The demo's only model; the demo has no list. */
const demoModel: ListedModel = { name: "demo", title: "Demo (not a language model)" };

type Asked = Pick<ListAsk, "nowMs" | "createClient" | "identity" | "signal">;

/** The upstream's list, or why there is none. */
export async function listOf(meant: Meant, asked: Asked): Promise<ListAnswer | ConnectFailure> {
  const { upstream, baseUrls } = meant;
  const general = await providers.find(({ id }) => id === upstream.provider)?.load();
  if (general === undefined) return notAsked(upstream.baseUrl);
  if (general.transport !== "http") return { ...notAsked(upstream.baseUrl), models: [demoModel] };
  const provider = general.forUpstream?.(upstream) ?? general;
  const credential = upstream.credentials[0] ?? "";
  try {
    return await listUpstream({ upstream, provider, credential, baseUrls, timeoutMs: listMs, ...asked });
  } catch (error) {
    if (error instanceof ConnectFailure) return error;
    throw error;
  }
}

async function ask(meant: Meant, isNamed: boolean, asked: Asked): Promise<ListAnswer> {
  const answer = await listOf(meant, asked);
  if (!(answer instanceof ConnectFailure)) return answer;
  if (isNamed && listFailures.has(answer.code)) return notAsked(meant.upstream.baseUrl);
  return refuseConnection(answer);
}

/** The demo is free; all other models cost what the shipped catalog says, if it has them. */
function findIn(
  catalog: ModelCatalog,
  provider: string,
  shelf: string | undefined,
): (name: string) => CatalogMatch | undefined {
  if (provider !== "demo")
    return (name) => (shelf === undefined ? undefined : catalog.findModel(shelf, name));
  const row = { id: "demo", name: "Demo (not a language model)", price: { input: "0", output: "0" } };
  return () => ({ sure: "exact", by: [], row: { ...row, source: "Plaza", date: "" } });
}

/** The catalog's files of companies that make models, and serve no others' models. */
const makers = [
  "openai",
  "anthropic",
  "google",
  "mistral",
  "deepseek",
  "xai",
  "cohere",
  "qwen",
  "moonshot",
  "zhipu",
  "minimax",
  "perplexity",
];

/** Finds a model at its maker: by its name, or by what follows the maker's (`openai/gpt-5`). */
function findAtMaker(catalog: ModelCatalog): (name: string) => CatalogMatch | undefined {
  return (name) => {
    const bare = name.slice(name.lastIndexOf("/") + 1);
    for (const maker of makers) {
      const match = catalog.findModel(maker, bare);
      if (match?.row.price !== undefined) return match;
    }
    return undefined;
  };
}

/** A sentence, and its message id for the console's own language. */
function reasonOf(reason: Message | undefined): Pick<ProposalDocument, "reason" | "reasonMessage"> {
  if (reason === undefined) return { reason: null, reasonMessage: null };
  const { message: text, ...reasonMessage } = rendered(message("form.sentence", { text: reason }));
  return { reason: text, reasonMessage };
}

const shownPriceOf = (price: CatalogPrice) => ({
  ...price,
  tiers: price.tiers?.map((tier) => ({ ...tier })),
});

const shownSourceOf = ({ source, date, isOld }: PriceSource) => ({
  name: source,
  date: date || null,
  isOld: isOld === true,
});

function proposalDocument(proposal: Proposal, models: ReadonlyMap<string, Model>): ProposalDocument {
  const { modalities, price, priceSource, laterPrices = [] } = proposal;
  const isFiles = proposal.action === "deploy" && models.get(proposal.id)?.source === "file";
  const reason = isFiles ? message("catalog.modelOfFile", { id: proposal.id }) : proposal.reason;
  return {
    upstreamModel: proposal.upstreamModel,
    id: proposal.id,
    name: proposal.name,
    action: isFiles ? "leave" : proposal.action,
    ...reasonOf(reason),
    operations: [...operationsOf(proposal)],
    family: proposal.family ?? null,
    context: proposal.context ?? null,
    maxOutput: proposal.maxOutput ?? null,
    modalities:
      modalities === undefined ? null : { input: [...modalities.input], output: [...modalities.output] },
    capabilities: proposal.capabilities === undefined ? null : [...proposal.capabilities],
    isDeprecated: proposal.isDeprecated === true,
    price: price === undefined ? null : shownPriceOf(price),
    priceSource: priceSource === undefined ? null : shownSourceOf(priceSource),
    listPrice:
      proposal.listPrice === undefined
        ? null
        : {
            price: shownPriceOf(proposal.listPrice.price),
            source: shownSourceOf(proposal.listPrice.source),
          },
    laterPrices: laterPrices.map((later) => ({
      ...later,
      tiers: later.tiers?.map((tier) => ({ ...tier })),
    })),
    isOtherSpelling: proposal.match === "alias",
    isPriced: proposal.isPriced,
  };
}

export const checkHandlers: Pick<HandlersOf<typeof catalogRoutes>, "checkConnection"> = {
  async checkConnection({ store, modelCatalog, createClient, identity, clock }, { body, note, signal }) {
    const { models: names, ...aim } = body;
    const meant = await meantBy(store, aim satisfies AimDocument, null);
    const { upstream, catalog, isThere, sameAs } = meant;
    // Noted only now, because a typed address may have contained a password.
    note(isThere ? `upstream ${upstream.id}` : undefined, { baseUrl: upstream.baseUrl });
    const isNamed = names !== null && names.length > 0;
    const answer = await ask(meant, isNamed, {
      ...{ nowMs: clock.wallMs(), createClient, identity, signal },
    });
    const hasNoList = answer.models === undefined;
    const shelf = catalogProviderOf(answer.baseUrl, upstream.preset);
    const shipped = await modelCatalog();
    const proposals = proposeModels({
      listed: isNamed ? named(names, answer.models) : (answer.models ?? []),
      upstreamId: upstream.id,
      models: catalog.models,
      find: findIn(shipped, upstream.provider, shelf),
      findAtMaker: findAtMaker(shipped),
      statedPrice: undefined,
      nowMs: clock.wallMs(),
    });
    const models = new Map(catalog.models.map((model) => [model.id, model]));
    return {
      upstream: {
        id: upstream.id,
        provider: upstream.provider,
        preset: upstream.preset ?? null,
        baseUrl: answer.baseUrl,
        options: { ...upstream.options },
        isThere,
        sameAs,
      },
      isChecked: answer.isChecked,
      hasNoList,
      isCut: answer.isCut,
      models: proposals.map((proposal) => proposalDocument(proposal, models)),
    };
  },
};

/** The named models, with the list's data for those it contains. */
function named(names: readonly string[], listed: readonly ListedModel[] | undefined): ListedModel[] {
  const byName = new Map(listed?.map((one) => [one.name, one]));
  return names.map((name) => byName.get(name.trim()) ?? { name: name.trim() });
}
