/**
 * Writes upstreams and models as the fields of a catalog file: the inverse of `catalog/file/`. What equals
 * its default is left out. Pure; credentials are a parameter, because the caller decides how to write them.
 */
import {
  type Deployment,
  defaultTimeouts,
  type Model,
  type Price,
  type Rates,
  type Upstream,
} from "@plaza/contract/catalog.ts";
import { formatUsd } from "@plaza/contract/money.ts";
import { formatDuration } from "../../lib/units.ts";
import { rateNames } from "../money/price-classes.ts";
import { limitFields, timeoutFields, timeText, unlessEmpty, type WrittenFields } from "./written.ts";

/** In the order of their names; undefined when there are none. */
function sortedFields(texts: Readonly<Record<string, string>> = {}): WrittenFields | undefined {
  const entries = Object.entries(texts).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The fields of an upstream. */
export function upstreamFields(
  upstream: Omit<Upstream, "credentials" | "headers">,
  credentials: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): WrittenFields {
  const { id, preset, provider, baseUrl, options, timeouts } = upstream;
  return {
    id,
    ...(preset === undefined ? { provider } : { preset }),
    baseUrl: baseUrl === "" ? undefined : baseUrl,
    credentials: unlessEmpty(credentials),
    options: sortedFields(options),
    headers: sortedFields(headers),
    timeouts: timeoutFields(timeouts, defaultTimeouts),
    onDisconnect: upstream.onDisconnect,
    concurrency: upstream.concurrency,
    queue: upstream.queue,
    affinity: upstream.affinity,
  };
}

function rateFields(rates: Rates): WrittenFields {
  return Object.fromEntries(
    rateNames.flatMap((name) => {
      const rate = rates[name];
      return rate === undefined ? [] : [[name, formatUsd(rate)]];
    }),
  );
}

function priceFields(price: Price): WrittenFields {
  return {
    ...rateFields(price),
    perRequest: price.perRequest === undefined ? undefined : formatUsd(price.perRequest),
    tiers: unlessEmpty(price.tiers)?.map((tier) => ({
      abovePromptTokens: tier.abovePromptTokens,
      ...rateFields(tier),
    })),
  };
}

/** `price`, or `prices` when some are scheduled. */
function pricesOf({ price, scheduledPrices = [] }: Model): WrittenFields {
  if (scheduledPrices.length === 0) return { price: price === undefined ? undefined : priceFields(price) };
  const later = scheduledPrices.map((one) => ({
    validFrom: timeText(one.validFrom),
    ...priceFields(one.price),
  }));
  return { prices: [...(price === undefined ? [] : [priceFields(price)]), ...later] };
}

function deploymentFields({ upstream, model, priority, weight, cost, timeouts, formats }: Deployment) {
  return {
    upstream,
    model,
    priority: priority === 1 ? undefined : priority,
    weight: weight === 1 ? undefined : weight,
    cost: cost === undefined ? undefined : priceFields(cost),
    timeouts: timeoutFields(timeouts),
    formats,
  };
}

/** The fields of a model, with the prices that apply now and later. */
export function modelFields(model: Model): WrittenFields {
  const { id, name, modalities, deprecatedAt, hedge } = model;
  return {
    id,
    name: name === id ? undefined : name,
    description: model.description,
    operations: model.operations,
    context: model.context,
    maxOutput: model.maxOutput,
    family: model.family,
    modalities: modalities === undefined ? undefined : { input: modalities.input, output: modalities.output },
    capabilities: model.capabilities,
    deprecated: deprecatedAt === undefined ? undefined : timeText(deprecatedAt),
    disabled: model.isDisabled,
    ...pricesOf(model),
    deployments: model.deployments.map(deploymentFields),
    limits: limitFields(model.limits),
    fallbacks: unlessEmpty(model.fallbacks),
    hedge:
      hedge === undefined
        ? undefined
        : hedge.afterMs === undefined
          ? true
          : { after: formatDuration(hedge.afterMs) },
  };
}
