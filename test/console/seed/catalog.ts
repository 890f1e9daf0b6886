/** The catalog of the seeded installation, with invented names and numbers. */
import { type Catalog, defaultTimeouts, type Model, type Price } from "@plaza/contract/catalog.ts";
import { parseUsd } from "@plaza/contract/money.ts";

const price = (input: string, output: string, cachedInput?: string): Price => ({
  input: parseUsd(input),
  output: parseUsd(output),
  ...(cachedInput === undefined ? {} : { cachedInput: parseUsd(cachedInput) }),
});

const text = { input: ["text"], output: ["text"] };
const seeing = { input: ["text", "image"], output: ["text"] };

const models: readonly (Partial<Model> & Pick<Model, "id" | "name">)[] = [
  {
    id: "aurora-large",
    name: "Aurora Large",
    context: 400_000,
    maxOutput: 128_000,
    modalities: seeing,
    price: price("1.25", "10.00", "0.125"),
  },
  {
    id: "aurora-mini",
    name: "Aurora Mini",
    context: 400_000,
    maxOutput: 128_000,
    modalities: seeing,
    price: price("0.25", "2.00", "0.025"),
  },
  {
    id: "aurora-nano",
    name: "Aurora Nano",
    context: 128_000,
    maxOutput: 32_000,
    modalities: text,
    price: price("0.05", "0.40", "0.005"),
  },
  {
    id: "cirrus/cirrus-4-opus",
    name: "Cirrus 4 Opus",
    context: 200_000,
    maxOutput: 32_000,
    modalities: seeing,
    price: price("15.00", "75.00", "1.50"),
  },
  {
    id: "cirrus/cirrus-4-sonnet",
    name: "Cirrus 4 Sonnet",
    context: 1_000_000,
    maxOutput: 64_000,
    modalities: seeing,
    price: {
      ...price("3.00", "15.00", "0.30"),
      tiers: [{ abovePromptTokens: 200_000, ...price("6.00", "22.50", "0.60") }],
    },
  },
  {
    id: "halo-2.5-pro",
    name: "Halo 2.5 Pro",
    context: 1_048_576,
    maxOutput: 65_536,
    modalities: { input: ["text", "image", "audio", "video"], output: ["text"] },
    price: price("1.25", "10.00", "0.31"),
  },
  {
    id: "halo-2.5-flash",
    name: "Halo 2.5 Flash",
    context: 1_048_576,
    maxOutput: 65_536,
    modalities: seeing,
    price: price("0.30", "2.50", "0.075"),
  },
  {
    id: "deep-v3",
    name: "Deep V3",
    context: 64_000,
    maxOutput: 8_000,
    modalities: text,
    price: price("0.27", "1.10", "0.07"),
  },
  {
    id: "qilin-72b",
    name: "麒麟 72B",
    context: 131_072,
    maxOutput: 8_192,
    modalities: text,
    price: price("0.35", "0.40"),
  },
  {
    id: "open-8b",
    name: "Open 8B",
    description: "Runs on this machine.",
    context: 32_768,
    maxOutput: 4_096,
    modalities: text,
    price: price("0", "0"),
  },
  { id: "tomorrow-1", name: "Tomorrow 1", description: "Listed, and waits for its price." },
];

/** Invented vendors and capabilities; unknown for some models. */
function factsOf(id: string): Partial<Model> {
  const maker = { aurora: "Aurora Labs", cirrus: "Cirrus", halo: "Halo", deep: "Deep", qilin: "麒麟" }[
    /^[a-z]+/.exec(id)?.[0] ?? ""
  ];
  if (maker === undefined) return {};
  const reasons = /large|opus|sonnet|pro/.test(id);
  return { family: maker, capabilities: ["tools", "json", ...(reasons ? (["reasoning"] as const) : [])] };
}

/** The catalog with its models on one upstream, and the demo. */
export function catalogOf(upstreamUrl: string): Catalog {
  return {
    upstreams: [
      {
        id: "main",
        provider: "openai",
        baseUrl: upstreamUrl,
        credentials: ["sk-seeded-1", "sk-seeded-2"],
        timeouts: defaultTimeouts,
      },
      { id: "demo", provider: "demo", baseUrl: "", credentials: [], timeouts: defaultTimeouts },
    ],
    models: [
      ...models.map((model) => ({
        ...factsOf(model.id),
        ...model,
        deployments: [{ upstream: "main", model: `up-${model.id}`, priority: 1, weight: 1 }],
      })),
      {
        id: "demo",
        name: "Demo (not a language model)",
        description: "Answers from your prompt without any model.",
        context: 128_000,
        maxOutput: 4_096,
        modalities: { input: ["text", "image", "audio", "file"], output: ["text"] },
        price: price("0.10", "0.20"),
        deployments: [{ upstream: "demo", model: "demo", priority: 1, weight: 1 }],
      },
    ],
    limits: { requestsPerMinute: 600, tokensPerMinute: 2_000_000, concurrency: 100 },
  };
}
