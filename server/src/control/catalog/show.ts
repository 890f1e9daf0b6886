/**
 * The catalog for the console: stored items as documents of `contract/api/catalog.ts`. Pure; contains no
 * secret.
 */
import type {
  PriceDocument,
  ShownModelDocument,
  ShownUpstreamDocument,
} from "@plaza/contract/api/catalog.ts";
import type { Limits, Model, Price, Rates } from "@plaza/contract/catalog.ts";
import { formatUsd } from "@plaza/contract/money.ts";
import { operationsOf } from "@plaza/contract/operations.ts";
import { statusOf } from "../../domain/catalog/model-facts.ts";
import type { Measured } from "../../domain/catalog/model-status.ts";
import { rateNames } from "../../domain/money/price-classes.ts";
import type { ShownUpstream } from "../../store/catalog/edit.ts";

type RatesDocument = Omit<PriceDocument, "tiers" | "perRequest">;

function ratesDocument(rates: Rates): RatesDocument {
  const shown = rateNames.flatMap((name) => {
    const rate = rates[name];
    return rate === undefined ? [] : [[name, formatUsd(rate)]];
  });
  return Object.fromEntries(shown) as RatesDocument;
}

/** Every class with a rate of its own. */
export function priceDocument(price: Price): PriceDocument {
  const { perRequest, tiers } = price;
  const shown = tiers?.map((tier) => ({ abovePromptTokens: tier.abovePromptTokens, ...ratesDocument(tier) }));
  return {
    ...ratesDocument(price),
    ...(perRequest === undefined ? {} : { perRequest: formatUsd(perRequest) }),
    ...(shown === undefined ? {} : { tiers: shown }),
  };
}

const orNull = (price: Price | undefined): PriceDocument | null =>
  price === undefined ? null : priceDocument(price);

const timeOf = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString();

/** Null: no limit of that kind. */
export const limitsDocument = (limits: Limits | undefined): ShownModelDocument["limits"] => ({
  requestsPerMinute: limits?.requestsPerMinute ?? null,
  tokensPerMinute: limits?.tokensPerMinute ?? null,
  concurrency: limits?.concurrency ?? null,
});

function deploymentDocument({
  cost,
  timeouts,
  formats,
  ...deployment
}: Model["deployments"][number]): ShownModelDocument["deployments"][number] {
  const {
    connectMs = null,
    firstByteMs = null,
    firstTokenMs = null,
    idleMs = null,
    totalMs = null,
  } = timeouts ?? {};
  return {
    ...deployment,
    cost: orNull(cost),
    timeouts: timeouts === undefined ? null : { connectMs, firstByteMs, firstTokenMs, idleMs, totalMs },
    formats: formats === undefined ? null : [...formats],
  };
}

/** A model with the prices that apply at a time. `measured`: its measured problem. */
export function modelDocument(model: Model, nowMs: number, measured: Measured): ShownModelDocument {
  const { modalities } = model;
  return {
    id: model.id,
    name: model.name,
    description: model.description ?? null,
    operations: [...operationsOf(model)],
    family: model.family ?? null,
    context: model.context ?? null,
    maxOutput: model.maxOutput ?? null,
    modalities:
      modalities === undefined ? null : { input: [...modalities.input], output: [...modalities.output] },
    capabilities: model.capabilities === undefined ? null : [...model.capabilities],
    deprecated: timeOf(model.deprecatedAt),
    disabled: model.isDisabled === true,
    price: orNull(model.price),
    scheduledPrices: (model.scheduledPrices ?? []).map(({ validFrom, price }) => ({
      validFrom: new Date(validFrom).toISOString(),
      ...priceDocument(price),
    })),
    deployments: model.deployments.map(deploymentDocument),
    limits: limitsDocument(model.limits),
    fallbacks: [...(model.fallbacks ?? [])],
    hedge: model.hedge === undefined ? null : { afterMs: model.hedge.afterMs ?? null },
    status: model.isDisabled === true ? "disabled" : statusOf(model, nowMs, measured),
    createdAt: timeOf(model.createdAt),
    source: model.source ?? "file",
    revision: model.revision ?? 0,
  };
}

/** An upstream with the public ids of the models it serves. */
export function upstreamDocument(upstream: ShownUpstream, models: readonly string[]): ShownUpstreamDocument {
  return {
    id: upstream.id,
    provider: upstream.provider,
    preset: upstream.preset ?? null,
    baseUrl: upstream.baseUrl,
    options: { ...upstream.options },
    credentials: upstream.credentials,
    headers: Object.fromEntries(upstream.headers.map((name) => [name, null])),
    credentialsFault: upstream.credentialsFault,
    timeouts: { ...upstream.timeouts, firstByteMs: upstream.timeouts.firstByteMs ?? null },
    concurrency: upstream.concurrency ?? null,
    queue: upstream.queue ?? null,
    affinity: upstream.affinity ?? "key",
    onDisconnect: upstream.onDisconnect ?? "stop",
    models: [...models],
    source: upstream.source ?? "file",
    revision: upstream.revision ?? 0,
  };
}

/** Public ids by upstream, each once, in the catalog's order. */
export function modelsByUpstream(models: readonly Model[]): ReadonlyMap<string, readonly string[]> {
  const byUpstream = new Map<string, Set<string>>();
  for (const { id, deployments } of models)
    for (const { upstream } of deployments) {
      const ids = byUpstream.get(upstream);
      if (ids === undefined) byUpstream.set(upstream, new Set([id]));
      else ids.add(id);
    }
  return new Map([...byUpstream].map(([upstream, ids]) => [upstream, [...ids]]));
}
