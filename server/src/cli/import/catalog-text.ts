/**
 * Writes a draft as a catalog file: facts and prices that the other gateway does not have come from the
 * shipped catalog, with their source. Pure but for the catalog passed in.
 */

import { normalOperations, operationPaths } from "@plaza/contract/operations.ts";
import { proposeModels } from "../../connect/propose.ts";
import type { ModelCatalog } from "../../domain/catalog/model-catalog.ts";
import type { ListedModel } from "../../providers/listing.ts";
import { catalogProviderOf } from "../../providers/presets/priced-at.ts";
import { newFile } from "../connect/edit.ts";
import { sourceText } from "../connect/plan.ts";
import { blockLines, type Entry, plainText, type YamlMapping } from "../connect/yaml.ts";
import type { Draft, DraftModel, DraftSecret, DraftUpstream } from "./draft.ts";
import { accountFields } from "./draft-keys.ts";

export interface CatalogTextOptions {
  readonly catalog: ModelCatalog;
  readonly nowMs: number;
  /** A credential as the file may have it; `upstream`: what it is bound to. */
  readonly seal: (text: string, upstream: { provider: string; baseUrl: string }) => string;
  /** What made the file, for its first line. */
  readonly from: string;
}

export interface CatalogText {
  readonly text: string;
  /** Models without a price: they are listed, and not served. */
  readonly unpriced: readonly string[];
}

const addressOf = ({ baseUrl, target }: DraftUpstream): string => baseUrl ?? target.baseUrl ?? "";

function credentialOf(secret: DraftSecret, upstream: DraftUpstream, { seal }: CatalogTextOptions): string {
  if ("variables" in secret) return secret.variables;
  return seal(secret.text, { provider: upstream.target.provider.id, baseUrl: addressOf(upstream) });
}

function upstreamEntry(upstream: DraftUpstream, options: CatalogTextOptions): Entry {
  const { id, target, baseUrl, credentials } = upstream;
  const isPreset = target.preset !== undefined;
  return {
    fields: {
      id,
      ...(isPreset ? { preset: target.id } : { provider: target.id }),
      baseUrl: baseUrl ?? (isPreset ? undefined : target.baseUrl),
      credentials:
        credentials.length === 0 ? undefined : credentials.map((one) => credentialOf(one, upstream, options)),
      options: Object.keys(upstream.options).length === 0 ? undefined : upstream.options,
    },
  };
}

/** What the shipped catalog knows of a model, by the names of its deployments. */
function knownOf(model: DraftModel, draft: Draft, { catalog, nowMs }: CatalogTextOptions) {
  for (const deployment of model.deployments) {
    const upstream = draft.upstreams.find(({ id }) => id === deployment.upstream);
    if (upstream === undefined) continue;
    const address = addressOf(upstream);
    const isUrl = URL.canParse(address);
    const shelf = isUrl ? catalogProviderOf(address, upstream.target.preset?.id) : undefined;
    const shelves = [shelf, upstream.target.id === "azure" ? "azure" : undefined].filter(
      (one) => one !== undefined,
    );
    const names = [model.knownAs, deployment.model].filter((one) => one !== undefined);
    for (const name of names) {
      const listed: ListedModel = { name };
      const find = (asked: string) =>
        shelves.map((one) => catalog.findModel(one, asked)).find((found) => found !== undefined);
      const [proposal] = proposeModels({
        listed: [listed],
        upstreamId: "",
        models: [],
        find,
        statedPrice: undefined,
        nowMs,
      });
      if (proposal?.match !== undefined) return proposal;
    }
  }
  return undefined;
}

function deploymentFields({
  upstream,
  model,
  priority,
  weight,
  timeouts,
}: DraftModel["deployments"][number]): YamlMapping {
  return { upstream, model: plainText(model), priority, weight, timeouts };
}

function modelEntry(
  model: DraftModel,
  draft: Draft,
  options: CatalogTextOptions,
): { entry: Entry; isPriced: boolean } {
  const known = knownOf(model, draft, options);
  const operations = normalOperations(
    model.operations.length > 0 ? model.operations : (known?.operations ?? []),
  );
  const served = operations?.filter((operation) => operationPaths[operation].isServed);
  const price = model.price ?? known?.price;
  const later = model.price === undefined ? known?.laterPrices : undefined;
  const source = model.price === undefined ? (known === undefined ? "" : sourceText(known)) : options.from;
  const prices =
    price === undefined || later === undefined ? undefined : [priceFields(price), ...later.map(priceFields)];
  const entry: Entry = {
    fields: {
      id: model.id,
      operations: served === undefined || served.length === 0 ? undefined : served,
      family: known?.family,
      context: known?.context,
      maxOutput: known?.maxOutput,
      modalities: known?.modalities === undefined ? undefined : { ...known.modalities },
      capabilities: known?.capabilities,
      price: price === undefined || prices !== undefined ? undefined : priceFields(price),
      prices,
      deployments: model.deployments.map(deploymentFields),
      fallbacks: model.fallbacks.length === 0 ? undefined : model.fallbacks.slice(0, 8),
    },
    remarks:
      price === undefined
        ? { id: "no price known: visible, not callable" }
        : { [prices === undefined ? "price" : "prices"]: source },
  };
  return { entry, isPriced: price !== undefined };
}

/** A price of the shipped catalog has the file's words already. */
const priceFields = (price: object): YamlMapping => ({ ...price }) as YamlMapping;

/** Accounts and their keys, after the models. */
function withAccounts(text: string, { accounts }: Draft): string {
  if (accounts.size === 0) return text;
  const entries = [...accounts.values()].flatMap((account) =>
    blockLines({ fields: accountFields(account) }, 2),
  );
  return `${text}\naccounts:\n${entries.join("\n")}\n`;
}

/** The text of a catalog file with everything that came along. */
export function catalogText(draft: Draft, options: CatalogTextOptions): CatalogText {
  const models = [...draft.models.values()].filter(({ deployments }) => deployments.length > 0);
  const made = models.map((model) => ({ model, ...modelEntry(model, draft, options) }));
  const text = newFile(
    draft.upstreams.map((upstream) => upstreamEntry(upstream, options)),
    made.map(({ entry }) => entry),
  );
  return {
    text: withAccounts(text, draft).replace(
      "Begun by plaza connect;",
      () => `Imported from ${options.from} by plaza import;`,
    ),
    unpriced: made.filter(({ isPriced }) => !isPriced).map(({ model }) => model.id),
  };
}
