/** For tests: catalogs and parts of catalogs for the behaviour suite. */
import {
  type Catalog,
  type Deployment,
  defaultTimeouts,
  type Model,
  type Price,
  type Upstream,
} from "@plaza/contract/catalog.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { Store } from "../store.ts";

/** A catalog as it was applied, without what the store adds. */
export function withoutPriceRows(catalog: Catalog | undefined): Catalog | undefined {
  if (catalog === undefined) return undefined;
  const { keptLimits: _, ...rest } = catalog;
  return {
    ...rest,
    upstreams: catalog.upstreams.map(({ source: _source, revision: _revision, ...own }) => own),
    models: catalog.models.map(
      ({ priceRows: _rows, source: _source, revision: _revision, createdAt: _createdAt, ...own }) => own,
    ),
  };
}

export const load = async (store: Store): Promise<Catalog | undefined> =>
  withoutPriceRows(await store.loadCatalog());

/** Times far in the past and far in the future. */
export const past = Date.UTC(2020, 0);
export const soon = Date.UTC(2090, 0);
export const later = Date.UTC(2095, 0);

export const nothing = { added: [], changed: [], removed: [] };

export const upstream = (id: string, changes: Partial<Upstream> = {}): Upstream => ({
  id,
  provider: "openai",
  baseUrl: "http://127.0.0.1:9000/v1",
  credentials: [`sk-${id}-1`, `sk-${id}-2`],
  timeouts: defaultTimeouts,
  ...changes,
});

export const on = (upstreamId: string): Deployment => ({
  upstream: upstreamId,
  model: "its-name",
  priority: 1,
  weight: 1,
});

export const model = (id: string, changes: Partial<Model> = {}): Model => ({
  id,
  name: `Model ${id}`,
  price: { input: nanoUsd(250_000_000n), output: nanoUsd(2_000_000_000n) },
  deployments: [on("main")],
  ...changes,
});

/** Every amount a cost can have, larger than JSON numbers can hold exactly. */
const fullCost: Price = {
  input: nanoUsd(9_007_199_254_740_993n),
  output: nanoUsd(10n ** 18n),
  cachedInput: nanoUsd(0n),
  cacheWrite: nanoUsd(1n),
  longCacheWrite: nanoUsd(2n),
  reasoning: nanoUsd(3n),
  audioInput: nanoUsd(4n),
  audioOutput: nanoUsd(5n),
  imageInput: nanoUsd(6n),
  imageOutput: nanoUsd(7n),
  perRequest: nanoUsd(8n),
  tiers: [{ abovePromptTokens: 200_000, input: nanoUsd(9n), output: nanoUsd(0n), imageOutput: nanoUsd(11n) }],
};

export const full: Catalog = {
  upstreams: [
    upstream("main", { headers: { "x-org": "org-1", "x-team": "a" } }),
    upstream("spare", {
      provider: "demo",
      baseUrl: "",
      credentials: [],
      timeouts: { connectMs: 1, firstByteMs: 5, firstTokenMs: 2, idleMs: 3, totalMs: 4 },
      onDisconnect: "finish",
      concurrency: 1,
      queue: 0,
      affinity: "none",
      preset: "mistral",
      options: { region: "eu-central-1", "": 'even "quoted" ones' },
    }),
  ],
  models: [
    model("zeta", {
      description: 'All facts, even "quoted" ones',
      operations: ["chat", "completion"],
      context: 400_000,
      maxOutput: 128_000,
      family: "Its maker",
      modalities: { input: ["text", "image"], output: ["text"] },
      capabilities: ["tools", "vision"],
      deprecatedAt: soon,
      isDisabled: true,
      price: {
        input: nanoUsd(9_007_199_254_740_993n),
        output: nanoUsd(10n ** 18n),
        cachedInput: nanoUsd(0n),
        cacheWrite: nanoUsd(1n),
        longCacheWrite: nanoUsd(2n),
        reasoning: nanoUsd(3n),
        audioInput: nanoUsd(4n),
        audioOutput: nanoUsd(5n),
        imageInput: nanoUsd(6n),
        imageOutput: nanoUsd(7n),
        perRequest: nanoUsd(8n),
        tiers: [
          { abovePromptTokens: 1, input: nanoUsd(9_007_199_254_740_993n), output: nanoUsd(0n) },
          { abovePromptTokens: 200_000, input: nanoUsd(9n), output: nanoUsd(10n), imageOutput: nanoUsd(11n) },
        ],
      },
      scheduledPrices: [
        { validFrom: soon, price: { input: nanoUsd(1n), output: nanoUsd(2n), perRequest: nanoUsd(0n) } },
        { validFrom: later, price: { input: nanoUsd(0n), output: nanoUsd(0n) } },
      ],
      deployments: [
        on("spare"),
        { upstream: "main", model: "other", priority: 2, weight: 0.5, cost: fullCost },
        {
          ...on("main"),
          cost: { input: nanoUsd(0n), output: nanoUsd(0n) },
          timeouts: { connectMs: 1, firstTokenMs: 2, idleMs: 3, totalMs: 4 },
        },
      ],
      limits: { requestsPerMinute: 0, tokensPerMinute: Number.MAX_SAFE_INTEGER, concurrency: 1 },
      fallbacks: ["alpha", "beta"],
      hedge: { afterMs: 800 },
    }),
    model("alpha", { deployments: [], capabilities: [], limits: { concurrency: 0 }, hedge: {} }),
    model("beta", {
      deployments: [
        { ...on("main"), timeouts: { idleMs: 1 } },
        { ...on("main"), formats: ["openai-chat", "openai-responses"] },
        { ...on("spare"), timeouts: { totalMs: 9 }, formats: ["openai-responses"] },
      ],
    }),
  ],
  limits: { requestsPerMinute: 600, tokensPerMinute: 2_000_000, concurrency: 100 },
  installation: { requestsPerMinute: 0, tokensPerMinute: Number.MAX_SAFE_INTEGER, concurrency: 7 },
};

export const cheap = { input: nanoUsd(1n), output: nanoUsd(1n) };
export const base = { input: nanoUsd(250_000_000n), output: nanoUsd(2_000_000_000n) };

/** Each differs from every test model's price and from the others. */
export const priceChanges: [string, Partial<Model>][] = [
  ["price per request", { price: { ...base, perRequest: nanoUsd(0n) } }],
  ["audio", { price: { ...base, audioInput: nanoUsd(5n) } }],
  ["tier", { price: { ...base, tiers: [{ ...cheap, abovePromptTokens: 5 }] } }],
  ["size of a tier", { price: { ...base, tiers: [{ ...cheap, abovePromptTokens: 6 }] } }],
  ["schedule", { scheduledPrices: [{ validFrom: soon, price: cheap }] }],
  ["time of a schedule", { scheduledPrices: [{ validFrom: later, price: cheap }] }],
  [
    "price of a schedule",
    { scheduledPrices: [{ validFrom: soon, price: { ...cheap, reasoning: nanoUsd(0n) } }] },
  ],
];

/** Each differs from every test model and from the others. */
export const routingChanges: [string, Partial<Model>][] = [
  ["limit of a model", { limits: { requestsPerMinute: 1 } }],
  ["another limit of a model", { limits: { tokensPerMinute: 1 } }],
  ["limit of a model that blocks", { limits: { requestsPerMinute: 0 } }],
  ["state", { isDisabled: true }],
  ["fallback", { fallbacks: ["y"] }],
  ["hedge", { hedge: {} }],
  ["time of a hedge", { hedge: { afterMs: 1 } }],
  ["timer of a deployment", { deployments: [{ ...on("main"), timeouts: { idleMs: 1 } }] }],
  ["formats of a deployment", { deployments: [{ ...on("main"), formats: ["openai-responses"] }] }],
  ["other formats of a deployment", { deployments: [{ ...on("main"), formats: ["openai-chat"] }] }],
  ["another timer of a deployment", { deployments: [{ ...on("main"), timeouts: { totalMs: 1 } }] }],
];

/** The same for an upstream. */
export const placeChanges: [string, Partial<Upstream>][] = [
  ["places", { concurrency: 1 }],
  ["queue", { queue: 1 }],
  ["queue of nobody", { queue: 0 }],
  ["timer of whole answers", { timeouts: { ...defaultTimeouts, firstByteMs: 1 } }],
  ["affinity", { affinity: "none" }],
  ["preset", { preset: "mistral" }],
  ["another preset", { preset: "groq" }],
  ["option", { options: { region: "a" } }],
  ["value of an option", { options: { region: "b" } }],
  ["name of an option", { options: { project: "b" } }],
  ["whose caller left", { onDisconnect: "finish" }],
];

/** Costs that differ from each other and from none. */
export const costChanges: [string, Price][] = [
  ["a cost where there was none", base],
  ["a cost of nothing, which is one", { input: nanoUsd(0n), output: nanoUsd(0n) }],
  ["cost per request", { ...base, perRequest: nanoUsd(1n) }],
  ["cost of a tier", { ...base, tiers: [{ ...cheap, abovePromptTokens: 5 }] }],
];

export const negativeCosts: Price[] = [
  { ...base, output: nanoUsd(-1n) },
  { ...base, perRequest: nanoUsd(-1n) },
  { ...base, tiers: [{ ...cheap, input: nanoUsd(-1n), abovePromptTokens: 5 }] },
];
