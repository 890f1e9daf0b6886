/** What a support bundle holds: facts about an installation, and nothing secret. */
import { arch, availableParallelism, platform, release, totalmem } from "node:os";
import type { Catalog } from "@plaza/contract/catalog.ts";
import { operationsOf } from "@plaza/contract/operations.ts";
import type { Config } from "../../config/config.ts";
import { settingsInForce } from "../../config/shown.ts";
import type { Store } from "../../store/store.ts";
import type { CommandIo } from "../command-io.ts";
import type { Finding } from "../doctor/finding.ts";

const requestsMax = 200;
const troublesMax = 100;

/** What is known without a database. */
export const machineFacts = (io: CommandIo, version: string) => ({
  at: new Date(io.clock.wallMs()).toISOString(),
  plaza: version,
  node: process.versions.node,
  system: `${platform()} ${release()} ${arch()}`,
  cores: availableParallelism(),
  memoryBytes: totalmem(),
});

/** Settings by variable: those that are set, but for secrets. */
export const settingFacts = (config: Config) =>
  settingsInForce(config)
    .filter(({ from }) => from !== undefined)
    .map(({ variable, from, value }) => ({ variable, from, value: value ?? "(not shown)" }));

/** The catalog's shape, without a credential, an address's path or an option's value. */
function catalogFacts({ upstreams, models, limits }: Catalog) {
  return {
    limits,
    upstreams: upstreams.map(({ id, provider, preset, baseUrl, credentials, options, concurrency }) => ({
      ...{ id, provider, preset, concurrency },
      origin: URL.canParse(baseUrl) ? new URL(baseUrl).origin : null,
      credentials: credentials.length,
      options: Object.keys(options ?? {}),
    })),
    models: models.map((model) => ({
      id: model.id,
      operations: operationsOf(model),
      hasPrice: model.price !== undefined,
      isDisabled: model.isDisabled === true,
      deployments: model.deployments.map(({ upstream, model: name, priority, weight }) => ({
        ...{ upstream, model: name, priority, weight },
      })),
      fallbacks: model.fallbacks ?? [],
    })),
  };
}

/** The newest requests that did not end well: what was tried, and how it failed. No account, no key. */
async function failedRequests(store: Store) {
  const states = ["failed", "incomplete"] as const;
  const found = await store.pageRequests({ states }, { limit: requestsMax });
  return found.map(({ request }) => ({
    id: request.id,
    at: new Date(request.createdAt).toISOString(),
    model: request.modelId,
    operation: request.operation,
    isStream: request.isStream,
    status: request.status,
    state: request.state,
    error: request.errorCode,
    usage: request.usageSource,
    firstTokenMs: request.firstTokenMs,
    durationMs: request.durationMs,
    queueMs: request.queueMs,
    attempts: (request.attemptLog ?? []).map((attempt) => ({
      ...{ upstream: attempt.upstreamId, model: attempt.upstreamModel, fault: attempt.fault },
      ...{ status: attempt.status, startMs: attempt.startMs, durationMs: attempt.durationMs },
    })),
  }));
}

/** Runs a part; its error takes the part's place, so that one failure does not cost the rest. */
async function part<T>(work: () => Promise<T>): Promise<T | { readonly unreadable: string }> {
  try {
    return await work();
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : String(error) };
  }
}

/** What the database knows. */
export async function databaseFacts(store: Store) {
  return {
    storage: await part(() => store.readStorage()),
    migrations: await part(() => store.readMigrations()),
    health: await part(() => store.readHealth(troublesMax)),
    upstreams: await part(() => store.listUpstreamStates()),
    holders: await part(async () =>
      (await store.listHolders()).map(({ id, startedAt, expiresAt, isAlive, leases }) => ({
        ...{ id, startedAt, expiresAt, isAlive, leases },
      })),
    ),
    ledgerChecks: await part(async () =>
      (await store.listLedgerChecks({ limit: 5 })).map(({ startedAt, endedAt, status }) => ({
        ...{ startedAt, endedAt, status },
      })),
    ),
    catalog: await part(async () => {
      const catalog = await store.loadCatalog();
      return catalog === undefined ? null : catalogFacts(catalog);
    }),
    failedRequests: await part(() => failedRequests(store)),
  };
}

export interface SupportBundle {
  readonly machine: ReturnType<typeof machineFacts>;
  readonly settings: ReturnType<typeof settingFacts>;
  readonly findings: readonly Finding[];
  readonly database: Awaited<ReturnType<typeof databaseFacts>> | { readonly unreadable: string };
}

/** The bundle's text. Amounts and other large numbers become text. */
export const bundleText = (bundle: SupportBundle): string =>
  `${JSON.stringify(bundle, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value), 2)}\n`;
