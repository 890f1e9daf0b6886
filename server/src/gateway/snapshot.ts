/**
 * The immutable view of the catalog that one request uses. A catalog change creates a new snapshot; running
 * requests keep theirs. Connections belong to `Upstreams`, which reuses unchanged upstreams.
 */
import type { Catalog, Deployment, Limits, Model, Timeouts, Upstream } from "@plaza/contract/catalog.ts";
import { type Operation, operationsOf } from "@plaza/contract/operations.ts";
import { withHeaders } from "../lib/net/added-headers.ts";
import type { CreateHttpClient, HttpClient } from "../lib/net/http-client.ts";
import { providerFor, serves } from "../providers/index.ts";
import type { ByOperation, Provider } from "../providers/provider.ts";

/** A configured upstream, ready to be called. */
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
   * Per operation, the deployments whose upstream supports it. Absent when every deployment supports all
   * operations.
   */
  readonly byOperation?: ByOperation<LiveModel> | undefined;
}

export interface Snapshot {
  /** Models that callers may see and call, by id. */
  readonly models: ReadonlyMap<string, LiveModel>;
  /** Fallbacks of disabled models, by the model's id; absent: no model is disabled. */
  readonly disabled?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Limits of accounts without their own. */
  readonly limits: Limits;
  /** Limits of the whole installation. */
  readonly installation?: Limits | undefined;
}

/**
 * Keeps one live upstream per configuration. A changed upstream gets new connections; running calls finish on
 * the old ones.
 */
export interface Upstreams {
  take(upstream: Upstream): LiveUpstream | undefined;
  /** Closes upstreams that were not taken since the last sweep. */
  sweep(): void;
  close(): Promise<void>;
}

/** How long the connections of a removed upstream stay open for running calls, in milliseconds. */
const graceMs = 15 * 60_000;

/** Opens the client of an upstream, whose calls carry the upstream's own headers. */
function openClient(
  { baseUrl, timeouts, id, headers }: Upstream,
  createClient: CreateHttpClient,
): HttpClient {
  const client = createClient(new URL(baseUrl).origin, timeouts.connectMs, id);
  return headers === undefined ? client : withHeaders(client, headers);
}

export function createUpstreams(createClient: CreateHttpClient): Upstreams {
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
        client: provider.transport === "http" ? openClient(upstream, createClient) : undefined,
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
 * Builds the snapshot of a catalog. Of a disabled model only the id and the fallbacks are kept. Deployments
 * on unknown upstreams are left out; the store refuses such catalogs.
 */
export function createSnapshot(catalog: Catalog, upstreams: Upstreams): Snapshot {
  const live = new Map<string, LiveUpstream>();
  for (const upstream of catalog.upstreams) {
    const taken = upstreams.take(upstream);
    if (taken !== undefined) live.set(upstream.id, taken);
  }
  const models = new Map<string, LiveModel>();
  const disabled = new Map<string, readonly string[]>();
  for (const model of catalog.models) {
    if (model.isDisabled === true) {
      disabled.set(model.id, model.fallbacks ?? []);
      continue;
    }
    const deployments = model.deployments.flatMap((deployment) => {
      const found = live.get(deployment.upstream);
      return found === undefined ? [] : [{ deployment, live: found }];
    });
    models.set(model.id, { model, deployments, byOperation: divided(model, deployments) });
  }
  upstreams.sweep();
  return { models, disabled, limits: catalog.limits, installation: catalog.installation };
}

/** Groups deployments by operation; undefined when each one supports all of them. */
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

/** Returns the upstream's timeouts, with the deployment's own in place of them. */
export function timeoutsOf({ deployment, live }: LiveDeployment): Timeouts {
  const { timeouts } = live.upstream;
  return deployment.timeouts === undefined ? timeouts : { ...timeouts, ...deployment.timeouts };
}
