/**
 * A model as its form holds it, and as the API takes it. Amounts stay the texts they are; an empty field is
 * unknown or none. Pure; knows no component.
 */
import type { ModelDocument, PriceDocument, ShownModelDocument } from "@plaza/contract/api/catalog.ts";

/** Classes with a rate of their own, in the order they are shown. */
export const rateNames = [
  "input",
  "output",
  "cachedInput",
  "cacheWrite",
  "longCacheWrite",
  "reasoning",
  "audioInput",
  "audioOutput",
  "imageInput",
  "imageOutput",
] as const;
export type RateName = (typeof rateNames)[number];
export type RateValues = Readonly<Record<RateName, string>>;

export interface TierValues {
  readonly above: number | null;
  readonly rates: RateValues;
}

export interface PriceValues {
  readonly rates: RateValues;
  readonly perRequest: string;
  readonly tiers: readonly TierValues[];
}

export interface ScheduledValues {
  readonly validFrom: string;
  readonly price: PriceValues;
}

/** Seconds; null = the upstream's. */
export interface TimerValues {
  readonly connect: number | null;
  readonly firstByte: number | null;
  readonly firstToken: number | null;
  readonly idle: number | null;
  readonly total: number | null;
}

export interface DeploymentValues {
  readonly upstream: string;
  readonly model: string;
  readonly priority: number | null;
  readonly weight: number | null;
  /** null: unknown. */
  readonly cost: PriceValues | null;
  readonly timers: TimerValues;
  /** Wire formats; empty: what is known of the upstream. */
  readonly formats: readonly string[];
}

export interface ModelValues {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** At least one. */
  readonly operations: readonly string[];
  readonly family: string;
  readonly context: number | null;
  readonly maxOutput: number | null;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly knowsCapabilities: boolean;
  readonly capabilities: readonly string[];
  /** ISO 8601, or a day; empty for none. */
  readonly deprecated: string;
  readonly price: PriceValues | null;
  readonly scheduled: readonly ScheduledValues[];
  readonly deployments: readonly DeploymentValues[];
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrency: number | null;
  readonly fallbacks: readonly string[];
  readonly hedge: "none" | "p95" | "after";
  /** Seconds. */
  readonly hedgeAfter: number | null;
}

const emptyRates = Object.fromEntries(rateNames.map((name) => [name, ""])) as unknown as RateValues;
const noTimers: TimerValues = { connect: null, firstByte: null, firstToken: null, idle: null, total: null };

export const emptyPrice: PriceValues = { rates: emptyRates, perRequest: "", tiers: [] };
export const emptyTier: TierValues = { above: null, rates: emptyRates };
export const emptyDeployment: DeploymentValues = {
  upstream: "",
  model: "",
  priority: 1,
  weight: 1,
  cost: null,
  timers: noTimers,
  formats: [],
};

/** A form for a model that is not there yet. */
export const emptyModel: ModelValues = {
  id: "",
  name: "",
  description: "",
  operations: ["chat"],
  family: "",
  context: null,
  maxOutput: null,
  inputs: [],
  outputs: [],
  knowsCapabilities: false,
  capabilities: [],
  deprecated: "",
  price: emptyPrice,
  scheduled: [],
  deployments: [emptyDeployment],
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrency: null,
  fallbacks: [],
  hedge: "none",
  hedgeAfter: null,
};

type Rates = { readonly [Name in RateName]?: string | undefined };

function ratesOf(given: Rates): RateValues {
  return Object.fromEntries(rateNames.map((name) => [name, given[name] ?? ""])) as unknown as RateValues;
}

/** A price as its fields hold it. */
function priceValuesOf(price: PriceDocument): PriceValues {
  return {
    rates: ratesOf(price),
    perRequest: price.perRequest ?? "",
    tiers: (price.tiers ?? []).map((tier) => ({ above: tier.abovePromptTokens, rates: ratesOf(tier) })),
  };
}

/** Input and output are sent even when empty, so that the server names the field. */
function ratesSent(rates: RateValues): Pick<PriceDocument, "input" | "output"> {
  const given = rateNames.filter(
    (name) => name === "input" || name === "output" || rates[name].trim() !== "",
  );
  return Object.fromEntries(given.map((name) => [name, rates[name].trim()])) as unknown as Pick<
    PriceDocument,
    "input" | "output"
  >;
}

/** The opposite of `priceValuesOf`. */
function priceOf(values: PriceValues): PriceDocument {
  return {
    ...ratesSent(values.rates),
    ...(values.perRequest.trim() === "" ? {} : { perRequest: values.perRequest.trim() }),
    ...(values.tiers.length === 0
      ? {}
      : {
          tiers: values.tiers.map(({ above, rates }) => ({
            abovePromptTokens: above ?? 0,
            ...ratesSent(rates),
          })),
        }),
  };
}

const secondsOf = (ms: number | null | undefined): number | null => (ms == null ? null : ms / 1_000);
const msOf = (seconds: number | null): number | null =>
  seconds === null ? null : Math.round(seconds * 1_000);

type Timeouts = NonNullable<ModelDocument["deployments"][number]["timeouts"]>;

/** Timers in seconds. */
function timersOf(timeouts: Timeouts | null): TimerValues {
  if (timeouts === null) return noTimers;
  return {
    connect: secondsOf(timeouts.connectMs),
    firstByte: secondsOf(timeouts.firstByteMs),
    firstToken: secondsOf(timeouts.firstTokenMs),
    idle: secondsOf(timeouts.idleMs),
    total: secondsOf(timeouts.totalMs),
  };
}

/** Timers in milliseconds; null when none is set. */
function timeoutsOf(timers: TimerValues): Timeouts {
  return {
    connectMs: msOf(timers.connect),
    firstByteMs: msOf(timers.firstByte),
    firstTokenMs: msOf(timers.firstToken),
    idleMs: msOf(timers.idle),
    totalMs: msOf(timers.total),
  };
}

const hasTimers = (timers: TimerValues): boolean => Object.values(timers).some((seconds) => seconds !== null);

/** A time as people write it: only the day if it is midnight. */
function writtenTime(iso: string): string {
  return iso.replace(/T00:00:00(\.000)?Z$/, "").replace(/\.000Z$/, "Z");
}

/** By what the rows of a model's lists are told apart. */
export const modelRowNames = {
  deployments: ["upstream", "model"],
  scheduled: ["validFrom"],
  tiers: ["above"],
} as const;

const rateOfPrice = new RegExp(
  `^(price|deployments\\.\\d+\\.cost|scheduled\\.\\d+\\.price)(\\.tiers\\.\\d+)?\\.(${rateNames.join("|")})$`,
);

/** The form's field for a path of the document, where they differ. */
export function modelFieldOf(path: string): string {
  if (path.startsWith("limits.")) return path.slice("limits.".length);
  if (path === "hedge.afterMs") return "hedgeAfter";
  // A deployment that is there twice is told by its model.
  if (/^deployments\.\d+$/.test(path)) return `${path}.model`;
  return path
    .replace(/^modalities\.(input|output)\b/, "$1s")
    .replace(/^(deployments\.\d+)\.timeouts\b/, "$1.timers")
    .replace(/^(deployments\.\d+\.timers\.\w+)Ms$/, "$1")
    .replace(/^scheduledPrices\.(\d+)\.(?!validFrom$)/, "scheduled.$1.price.")
    .replace(/^scheduledPrices\b/, "scheduled")
    .replace(/\.abovePromptTokens$/, ".above")
    .replace(rateOfPrice, "$1$2.rates.$3");
}

/** What the form begins with. */
export function modelValuesOf(model: ShownModelDocument): ModelValues {
  return {
    id: model.id,
    name: model.name === model.id ? "" : model.name,
    description: model.description ?? "",
    operations: model.operations,
    family: model.family ?? "",
    context: model.context,
    maxOutput: model.maxOutput,
    inputs: model.modalities?.input ?? [],
    outputs: model.modalities?.output ?? [],
    knowsCapabilities: model.capabilities !== null,
    capabilities: model.capabilities ?? [],
    deprecated: writtenTime(model.deprecated ?? ""),
    price: model.price === null ? null : priceValuesOf(model.price),
    scheduled: model.scheduledPrices.map(({ validFrom, ...price }) => ({
      validFrom: writtenTime(validFrom),
      price: priceValuesOf(price),
    })),
    deployments: model.deployments.map((one) => ({
      upstream: one.upstream,
      model: one.model,
      priority: one.priority,
      weight: one.weight,
      cost: one.cost === null ? null : priceValuesOf(one.cost),
      timers: timersOf(one.timeouts),
      formats: one.formats ?? [],
    })),
    ...model.limits,
    fallbacks: model.fallbacks,
    hedge: model.hedge === null ? "none" : model.hedge.afterMs === null ? "p95" : "after",
    hedgeAfter: secondsOf(model.hedge?.afterMs),
  };
}

const textOrNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());

function hedgeOf(values: ModelValues): ModelDocument["hedge"] {
  if (values.hedge === "none") return null;
  return { afterMs: values.hedge === "p95" ? null : (msOf(values.hedgeAfter) ?? 0) };
}

/** What is sent. */
export function modelDocumentOf(values: ModelValues): ModelDocument {
  const knowsModalities = values.inputs.length > 0 || values.outputs.length > 0;
  return {
    id: values.id.trim(),
    name: textOrNull(values.name),
    description: textOrNull(values.description),
    operations: [...values.operations],
    family: textOrNull(values.family),
    context: values.context,
    maxOutput: values.maxOutput,
    modalities: knowsModalities ? { input: [...values.inputs], output: [...values.outputs] } : null,
    capabilities: values.knowsCapabilities ? [...values.capabilities] : null,
    deprecated: textOrNull(values.deprecated),
    price: values.price === null ? null : priceOf(values.price),
    scheduledPrices: values.scheduled.map(({ validFrom, price }) => ({ ...priceOf(price), validFrom })),
    deployments: values.deployments.map((one) => ({
      upstream: one.upstream,
      model: one.model.trim(),
      priority: one.priority ?? 1,
      weight: one.weight ?? 1,
      cost: one.cost === null ? null : priceOf(one.cost),
      timeouts: hasTimers(one.timers) ? timeoutsOf(one.timers) : null,
      formats: one.formats.length === 0 ? null : [...one.formats],
    })),
    limits: {
      requestsPerMinute: values.requestsPerMinute,
      tokensPerMinute: values.tokensPerMinute,
      concurrency: values.concurrency,
    },
    fallbacks: [...values.fallbacks],
    hedge: hedgeOf(values),
  };
}
