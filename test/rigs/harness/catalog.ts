/**
 * The catalog file of a rig: upstreams and models, as JSON (which is valid YAML). Without limits that a rig
 * could reach.
 */
import type { EndpointName } from "./endpoints.ts";

export interface RigUpstream {
  readonly id: string;
  readonly baseUrl: string;
  /** Default `openai`. */
  readonly provider?: string | undefined;
  readonly options?: Readonly<Record<string, string>> | undefined;
  readonly preset?: string | undefined;
  /** The environment variable with the credential; absent = a fixed one in the file. */
  readonly credentialFrom?: string | undefined;
  /** Headers added to every call: environment variables with their values, by name. */
  readonly headersFrom?: Readonly<Record<string, string>> | undefined;
  readonly timeouts?: Readonly<Record<string, string>> | undefined;
  /** `finish`: the upstream bills the whole answer, so it is read to its usage. */
  readonly onDisconnect?: "finish" | undefined;
}

export interface RigModel {
  readonly id: string;
  /** Upstream id and upstream model ID, in order of priority; with timeouts if they differ. */
  readonly deployments: readonly {
    readonly upstream: string;
    readonly model: string;
    readonly timeouts?: Readonly<Record<string, string>> | undefined;
    /** Wire formats that the upstream speaks for it; absent = what Plaza knows. */
    readonly formats?: readonly string[] | undefined;
  }[];
  /** Facts and prices that differ from the defaults. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
}

export interface RigCatalog {
  readonly upstreams: readonly RigUpstream[];
  readonly models: readonly RigModel[];
}

/** One upstream and one model `rig-model`, with upstream model ID `upstream-model`. */
export function oneUpstream(baseUrl: string, more: Partial<RigUpstream> = {}): RigCatalog {
  return {
    upstreams: [{ id: "main", baseUrl, ...more }],
    models: [{ id: "rig-model", deployments: [{ upstream: "main", model: "upstream-model" }] }],
  };
}

/** How an upstream of each format is told to Plaza: all at the same address. */
const spokenBy = {
  responses: { provider: "openai", formats: ["openai-responses"] },
  messages: { provider: "anthropic", formats: undefined },
  gemini: { provider: "google", formats: undefined },
} as const;

/** The name of a model, or of an upstream, whose upstream speaks this format. */
export const spokenName = (id: string, spoken: EndpointName): string =>
  spoken === "chat" ? id : `${id}-${spoken}`;

/**
 * The catalog with every model thrice more, on upstreams at the same addresses that speak Responses, Messages
 * and Gemini (`spokenName`).
 */
export function inAllFormats({ upstreams, models }: RigCatalog): RigCatalog {
  const others = (["responses", "messages", "gemini"] as const).map((spoken) => {
    const { provider, formats } = spokenBy[spoken];
    return {
      upstreams: upstreams.map((one) => ({ ...one, id: spokenName(one.id, spoken), provider })),
      models: models.map((model) => ({
        ...model,
        id: spokenName(model.id, spoken),
        deployments: model.deployments.map((one) => ({
          ...one,
          upstream: spokenName(one.upstream, spoken),
          ...(formats === undefined ? {} : { formats }),
        })),
      })),
    };
  });
  return {
    upstreams: [...upstreams, ...others.flatMap((one) => one.upstreams)],
    models: [...models, ...others.flatMap((one) => one.models)],
  };
}

const inVariables = (names: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(names).map(([name, variable]) => [name, `\${${variable}}`]));

export function catalogText(catalog: RigCatalog): string {
  const upstreams = catalog.upstreams.map((upstream) => ({
    id: upstream.id,
    provider: upstream.provider ?? "openai",
    baseUrl: upstream.baseUrl,
    credentials: [
      upstream.credentialFrom === undefined ? "sk-rig-upstream" : `\${${upstream.credentialFrom}}`,
    ],
    ...(upstream.options === undefined ? {} : { options: upstream.options }),
    ...(upstream.headersFrom === undefined ? {} : { headers: inVariables(upstream.headersFrom) }),
    ...(upstream.preset === undefined ? {} : { preset: upstream.preset }),
    ...(upstream.timeouts === undefined ? {} : { timeouts: upstream.timeouts }),
    ...(upstream.onDisconnect === undefined ? {} : { onDisconnect: upstream.onDisconnect }),
  }));
  const models = catalog.models.map((model) => ({
    id: model.id,
    name: model.id,
    context: 400_000,
    maxOutput: 128_000,
    modalities: { input: ["text"], output: ["text"] },
    price: { input: "0.25", cachedInput: "0.025", output: "2.00" },
    ...model.facts,
    deployments: model.deployments.map((deployment, index) => ({
      ...deployment,
      priority: index + 1,
      weight: 1,
    })),
  }));
  const limits = { requestsPerMinute: 10_000_000, tokensPerMinute: 10_000_000_000, concurrency: 100_000 };
  return `${JSON.stringify({ upstreams, models, limits }, undefined, 2)}\n`;
}
