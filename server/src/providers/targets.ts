/**
 * What an operator can connect by name: every preset, and every provider that has no preset of its own. Pure; the tables are
 * `presets.ts` and `index.ts`.
 */
import { type ProviderFacts, providers } from "./index.ts";
import { type Preset, presets } from "./presets.ts";

/** A service or protocol with a name. */
export interface Target {
  /** Id of the preset or the provider. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly provider: ProviderFacts;
  readonly preset: Preset | undefined;
  /** Where it is when nobody says; undefined where only its operator knows. */
  readonly baseUrl: string | undefined;
  /** Where it is once an option is known, like `https://{region}.example.com`. */
  readonly baseUrlForm?: string | undefined;
  /** Environment variables its own tools read the key from, the usual one first. */
  readonly keyVariables: readonly string[];
  readonly needsKey: boolean;
}

/** What providers without a preset are called, and where their own tools find the key. */
interface Known {
  readonly name: string;
  readonly keyVariables: readonly string[];
  readonly baseUrlForm?: string;
}

const known: Readonly<Record<string, Known>> = {
  anthropic: { name: "Anthropic", keyVariables: ["ANTHROPIC_API_KEY"] },
  google: { name: "Google Gemini", keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"] },
  bedrock: {
    name: "Amazon Bedrock",
    keyVariables: ["AWS_BEARER_TOKEN_BEDROCK"],
    baseUrlForm: "https://bedrock-runtime.{region}.amazonaws.com",
  },
  azure: {
    name: "Azure OpenAI",
    keyVariables: ["AZURE_OPENAI_API_KEY"],
    baseUrlForm: "https://{resource}.openai.azure.com",
  },
};

const ofProvider = (provider: ProviderFacts): Target => ({
  id: provider.id,
  name: known[provider.id]?.name ?? provider.id,
  provider,
  preset: undefined,
  baseUrl: provider.baseUrl,
  baseUrlForm: known[provider.id]?.baseUrlForm,
  keyVariables: known[provider.id]?.keyVariables ?? [],
  // A server of one's own may do without; the service of that name does not.
  needsKey: provider.needs.credentials || known[provider.id] !== undefined,
});

function ofPreset(preset: Preset): Target[] {
  const provider = providers.find(({ id }) => id === preset.provider);
  if (provider === undefined) return [];
  const { id, name, baseUrl, keyVariables, needsKey } = preset;
  return [{ id, name, provider, preset, baseUrl, keyVariables, needsKey }];
}

const fromPresets = presets.flatMap(ofPreset);

/** All of them: presets first, then providers. */
export const targets: readonly Target[] = [
  ...fromPresets,
  ...providers
    .filter(({ id, transport }) => transport === "http" && !fromPresets.some((target) => target.id === id))
    .map(ofProvider),
];

const originOf = (url: string): string => new URL(url).origin.replace("//localhost", "//127.0.0.1");

/** The target at this address, told by its origin; the openai protocol of nobody in particular where no target is known there. */
export function targetAt(baseUrl: string): Target | undefined {
  const origin = originOf(baseUrl);
  return targets.find((target) => {
    const urls = [target.baseUrl, ...(target.preset?.otherBaseUrls ?? [])];
    return urls.some((url) => url !== undefined && originOf(url) === origin);
  });
}

/** A server of one's own that speaks the protocol of a provider; it may want a key or not. */
export function anyServer(providerId: string): Target | undefined {
  const provider = providers.find(({ id, transport }) => id === providerId && transport === "http");
  if (provider === undefined) return undefined;
  const needsKey = provider.needs.credentials;
  return { ...ofProvider(provider), name: "the upstream", baseUrl: undefined, keyVariables: [], needsKey };
}
