/**
 * Catalog files for tests, as objects written as JSON, which is valid YAML. Documented in
 * docs/operate/catalog.md.
 */

export interface UpstreamEntry {
  readonly id: string;
  readonly provider?: string;
  readonly preset?: string;
  readonly baseUrl?: string;
  readonly credentials?: readonly string[];
  readonly timeouts?: Readonly<Record<string, string>>;
}

export interface ModelEntry {
  readonly id: string;
  readonly name: string;
  readonly operations?: readonly string[];
  readonly context?: number;
  readonly maxOutput?: number;
  readonly modalities?: { readonly input: readonly string[]; readonly output: readonly string[] };
  readonly disabled?: boolean;
  readonly price?: Readonly<Record<string, string>>;
  readonly deployments: readonly {
    readonly upstream: string;
    readonly model: string;
    readonly priority?: number;
    readonly weight?: number;
    readonly formats?: readonly string[];
  }[];
}

export interface CatalogFile {
  readonly upstreams: readonly UpstreamEntry[];
  readonly models: readonly ModelEntry[];
  readonly limits?: Readonly<Record<string, number>>;
}

/** Timeouts short enough to wait for, long enough for a busy machine. */
export const shortTimeouts = { connect: "2s", firstToken: "700ms", idle: "700ms", total: "1500ms" };

export function openaiUpstream(
  id: string,
  baseUrl: string,
  timeouts?: Readonly<Record<string, string>>,
): UpstreamEntry {
  return {
    id,
    provider: "openai",
    baseUrl,
    credentials: [`sk-upstream-${id}`],
    ...(timeouts === undefined ? {} : { timeouts }),
  };
}

export const demoUpstream: UpstreamEntry = { id: "demo", provider: "demo" };

/** A priced model; `routes` are `upstream/model` pairs in order of priority. */
export function model(
  id: string,
  ...routes: readonly (readonly [upstream: string, model: string])[]
): ModelEntry {
  return {
    id,
    name: id,
    context: 128_000,
    maxOutput: 4_096,
    modalities: { input: ["text", "image", "audio", "file"], output: ["text"] },
    price: { input: "0.25", cachedInput: "0.025", output: "2.00" },
    deployments: routes.map(([upstream, name], index) => ({
      upstream,
      model: name,
      priority: index + 1,
      weight: 1,
    })),
  };
}
