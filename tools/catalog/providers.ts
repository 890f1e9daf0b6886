/**
 * The catalog's providers, by their Plaza ids, with each package's name for them. Everything specific to a
 * provider is in its row.
 */

/** Maps a package's id to the provider's id; undefined: callers of the provider cannot use it. */
type Rename = (id: string) => string | undefined;

export interface CatalogProvider {
  readonly id: string;
  /** The provider's name in each package; absent: the package does not list it, or has wrong prices. */
  readonly piAi?: string;
  readonly piCatalog?: readonly string[];
  readonly genaiPrices?: string;
  readonly renamePiCatalog?: Rename;
  /** For ids that only genai-prices lists; it also names groups of models. */
  readonly renameGenaiPrices?: Rename;
  /** Why the packages' prices do not apply to this provider. */
  readonly priceless?: string;
  /** True when the operator's machine limits context and output size. */
  readonly isSizeless?: true;
  /** Ids for which a price of 0 means free; elsewhere it means unknown. */
  readonly free?: RegExp;
  /** A note on its rows for the report and the README. */
  readonly note?: string;
}

const fireworksName: Rename = (id) => {
  const wire = id.replaceAll(/(\d)\.(\d)/g, "$1p$2");
  return wire.endsWith("-fast") ? `accounts/fireworks/routers/${wire}` : `accounts/fireworks/models/${wire}`;
};

const only =
  (form: RegExp): Rename =>
  (id) =>
    form.test(id) ? id : undefined;

const none: Rename = () => undefined;

export const catalogProviders: readonly CatalogProvider[] = [
  { id: "openai", piAi: "openai", piCatalog: ["openai"], genaiPrices: "openai" },
  { id: "anthropic", piAi: "anthropic", piCatalog: ["anthropic"], genaiPrices: "anthropic" },
  {
    id: "google",
    piAi: "google",
    piCatalog: ["google"],
    genaiPrices: "google",
    renameGenaiPrices: only(/^(gemini-\d|gemma-)/),
    note: "The Gemini API. The same models on Vertex are under `vertex`.",
  },
  {
    id: "vertex",
    piAi: "google-vertex",
    piCatalog: ["google-vertex"],
    genaiPrices: "google",
    renameGenaiPrices: none,
  },
  {
    id: "bedrock",
    piAi: "amazon-bedrock",
    piCatalog: ["amazon-bedrock"],
    genaiPrices: "aws",
    renameGenaiPrices: only(/^(?!regional\.)/),
    note: "The same model costs more or less with another region before its id; each such id has a row of its own.",
  },
  {
    id: "azure",
    piAi: "azure",
    piCatalog: ["azure"],
    genaiPrices: "azure",
    renameGenaiPrices: only(/^[^:]*$/),
  },
  {
    id: "openrouter",
    piAi: "openrouter",
    piCatalog: ["openrouter"],
    genaiPrices: "openrouter",
    free: /:free$|^openrouter\/free$/,
  },
  {
    id: "deepseek",
    piAi: "deepseek",
    piCatalog: ["deepseek"],
    genaiPrices: "deepseek",
    note: "DeepSeek bills less outside its peak hours; the prices here are those of the peak.",
  },
  {
    id: "mistral",
    piAi: "mistral",
    piCatalog: ["mistral"],
    genaiPrices: "mistral",
    renameGenaiPrices: only(/^[^:]*$/),
  },
  { id: "groq", piAi: "groq", piCatalog: ["groq"], genaiPrices: "groq" },
  { id: "xai", piAi: "xai", piCatalog: ["xai"], genaiPrices: "x-ai" },
  {
    id: "qwen",
    piAi: "qwen-token-plan",
    piCatalog: ["alibaba-token-plan", "alibaba-coding-plan"],
    priceless: "the packages know only Alibaba's plans, not what its API costs",
  },
  {
    id: "moonshot",
    piAi: "moonshotai",
    piCatalog: ["moonshot"],
    genaiPrices: "moonshotai",
    note: "Prices of api.moonshot.ai; those of api.moonshot.cn are in yuan.",
  },
  {
    id: "zhipu",
    piAi: "zai",
    piCatalog: ["zai"],
    genaiPrices: "zai",
    note: "Prices of api.z.ai; those of open.bigmodel.cn are under `zhipu-cn`.",
  },
  { id: "zhipu-cn", genaiPrices: "zhipuai", note: "open.bigmodel.cn; converted from yuan by the source." },
  { id: "together", piAi: "together", piCatalog: ["together"], genaiPrices: "together" },
  {
    id: "fireworks",
    piAi: "fireworks",
    piCatalog: ["fireworks"],
    genaiPrices: "fireworks",
    renamePiCatalog: fireworksName,
    renameGenaiPrices: fireworksName,
  },
  { id: "cohere", genaiPrices: "cohere" },
  { id: "cerebras", piAi: "cerebras", piCatalog: ["cerebras"], genaiPrices: "cerebras" },
  { id: "perplexity", genaiPrices: "perplexity" },
  { id: "minimax", piAi: "minimax", piCatalog: ["minimax"], genaiPrices: "minimax" },
  {
    id: "ollama",
    piCatalog: ["ollama-cloud"],
    priceless: "the package knows what the hosted service costs, not what running it oneself does",
    isSizeless: true,
    note: "Facts of the models, from the list of the hosted service.",
  },
];
