/**
 * The immutable view of the catalog that one request reads. A new catalog makes a new
 * snapshot; requests under way keep theirs. Connections live in `Upstreams`, which outlives
 * snapshots where an upstream is unchanged.
 */
import type { Catalog, Deployment, Limits, Model, Timeouts, Upstream } from "@plaza/contract/catalog.ts";
import { type Operation, operationsOf } from "@plaza/contract/operations.ts";
import { createHttpClient, type HttpClient } from "../lib/net/http-client.ts";
import { providerFor, serves } from "../providers/index.ts";
import type { ByOperation, Provider } from "../providers/provider.ts";

/** A configured upstream ready to be called. */
export interface LiveUpstream {
  readonly upstream: Upstream;
  readonly provider: Provider;
  /** undefined for providers without a network. */
  readonly client: HttpClient | undefined;
}

export interface LiveDeployment {
  readonly deployment: Deployment;
  readonly live: LiveUpstream;
}

export interface LiveModel {
  readonly model: Model;
  readonly deployments: readonly LiveDeployment[];
  /**
   * The same with those deployments alone whose upstream serves an operation; absent where each
   * serves all that the model is for.
   */
  readonly byOperation?: ByOperation<LiveModel> | undefined;
}

export interface Snapshot {
  readonly models: ReadonlyMap<string, LiveModel>;
  /** Of every account that has none of its own. */
  readonly limits: Limits;
  /** Of the whole installation together. */
  readonly installation?: Limits | undefined;
}

/**
 * Keeps one live upstream per distinct configuration; an edited upstream gets fresh
 * connections, old calls finish on theirs.
 */
export interface Upstreams {
  take(upstream: Upstream): LiveUpstream | undefined;
  /** Closes those not taken since the last call. */
  sweep(): void;
  close(): Promise<void>;
}

/** How long a dropped upstream's connections stay open for calls still in flight. */
const graceMs = 15 * 60_000;

export function createUpstreams(): Upstreams {
  let current = new Map<string, LiveUpstream>();
  let next = new Map<string, LiveUpstream>();
  const retiring = new Set<LiveUpstream>();

  return {
    take(upstream) {
      const fingerprint = JSON.stringify(upstream);
      let live = next.get(fingerprint) ?? current.get(fingerprint);
      const provider = live?.provider ?? providerFor(upstream);
      if (provider === undefined) return undefined;
      live ??= {
        upstream,
        provider,
        client:
          provider.transport === "http"
            ? createHttpClient(new URL(upstream.baseUrl).origin, upstream.timeouts.connectMs)
            : undefined,
      };
      next.set(fingerprint, live);
      return live;
    },
    sweep() {
      for (const [fingerprint, live] of current) {
        if (next.has(fingerprint) || live.client === undefined) continue;
        retiring.add(live);
        setTimeout(() => {
          retiring.delete(live);
          void live.client?.close();
        }, graceMs).unref();
      }
      current = next;
      next = new Map();
    },
    async close() {
      const all = [...current.values(), ...retiring];
      await Promise.all(all.map((live) => live.client?.close()));
    },
  };
}

/**
 * Builds the snapshot of a catalog. Deployments on unknown upstreams are left
 * out (the store refuses such catalogs).
 */
export function createSnapshot(catalog: Catalog, upstreams: Upstreams): Snapshot {
  const live = new Map<string, LiveUpstream>();
  for (const upstream of catalog.upstreams) {
    const taken = upstreams.take(upstream);
    if (taken !== undefined) live.set(upstream.id, taken);
  }
  const models = new Map<string, LiveModel>();
  for (const model of catalog.models) {
    const deployments = model.deployments.flatMap((deployment) => {
      const found = live.get(deployment.upstream);
      return found === undefined ? [] : [{ deployment, live: found }];
    });
    models.set(model.id, { model, deployments, byOperation: divided(model, deployments) });
  }
  upstreams.sweep();
  return { models, limits: catalog.limits, installation: catalog.installation };
}

/** The model by operation, where some deployment does not serve all that it is for. */
function divided(model: Model, deployments: readonly LiveDeployment[]): LiveModel["byOperation"] {
  const operations = operationsOf(model);
  const canServe = ({ live }: LiveDeployment, operation: Operation) => serves(live.provider, operation);
  if (deployments.every((one) => operations.every((operation) => canServe(one, operation)))) return undefined;
  return Object.fromEntries(
    operations.map((operation) => [
      operation,
      { model, deployments: deployments.filter((one) => canServe(one, operation)) },
    ]),
  );
}

/** The upstream's timers, with those the deployment has of its own. */
export function timeoutsOf({ deployment, live }: LiveDeployment): Timeouts {
  const { timeouts } = live.upstream;
  return deployment.timeouts === undefined ? timeouts : { ...timeouts, ...deployment.timeouts };
}
