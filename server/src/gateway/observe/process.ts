/**
 * Metrics that are read on demand: the process, its leases, its upstreams. Each source is a function that
 * returns the current value.
 */
import { getHeapStatistics } from "node:v8";
import { formatUsd, nanoUsd } from "@plaza/contract/money.ts";
import type { UpstreamState } from "@plaza/contract/upstream-states.ts";
import type { LabelRule, Registry } from "../../lib/telemetry/metrics.ts";
import type { CollectorPauses } from "../gate/heap-gauge.ts";
import type { OverloadReadings } from "../gate/overload.ts";
import type { LimitHit } from "../limits/limits.ts";
import type { HealthEvent } from "../upstreams/verdict.ts";
import { modelsMax } from "./observe.ts";

/** Sources of the metrics. Metrics of an absent source are left out. */
export interface ObserveSources {
  readonly version: string;
  /** Unix milliseconds when the process started. */
  readonly startedAtMs: number;
  readonly inFlight: () => number;
  /** Lease pools in use, and NanoUsd lent to them and on hold for requests. */
  readonly leases: () => { readonly leasePools: number; readonly lent: bigint; readonly held: bigint };
  /** True while the database is unreachable or does not have everything yet. */
  readonly isBehind: () => boolean;
  /** Garbage collection pauses by kind. */
  readonly pauses?: (() => ReadonlyMap<string, CollectorPauses>) | undefined;
  readonly overload?: (() => OverloadReadings) | undefined;
  readonly upstreams?: (() => readonly UpstreamState[]) | undefined;
  /** Requests refused by Plaza's limits since the start. */
  readonly limitHits?: (() => readonly LimitHit[]) | undefined;
  /** Spans lost because the collector did not accept them. */
  readonly spansDropped?: (() => number) | undefined;
}

const upstreamLabel: LabelRule = { name: "upstream", valuesMax: 200 };
const deploymentLabels: readonly LabelRule[] = [
  upstreamLabel,
  { name: "upstream_model", valuesMax: modelsMax },
  { name: "model", valuesMax: modelsMax },
];

function addProcess({ gauge, readCounter }: Registry, sources: ObserveSources): void {
  gauge({
    name: "plaza_build_info",
    help: "Always 1; the labels say what runs.",
    labels: [{ name: "version" }, { name: "node" }],
    read: (set) => set(1, sources.version, process.version),
  });
  gauge({
    name: "process_start_time_seconds",
    help: "When the process began, in Unix seconds.",
    read: (set) => set(sources.startedAtMs / 1_000),
  });
  readCounter({
    name: "process_cpu_seconds_total",
    help: "CPU time the process used, of user and system.",
    read(set) {
      const { user, system } = process.cpuUsage();
      set((user + system) / 1e6);
    },
  });
  gauge({
    name: "process_resident_memory_bytes",
    help: "Memory the process occupies.",
    read: (set) => set(process.memoryUsage.rss()),
  });
  gauge({
    name: "plaza_heap_used_bytes",
    help: "JavaScript heap in use.",
    read: (set) => set(getHeapStatistics().used_heap_size),
  });
  gauge({
    name: "plaza_heap_limit_bytes",
    help: "Largest JavaScript heap the process may have.",
    read: (set) => set(getHeapStatistics().heap_size_limit),
  });
}

/** Garbage collection pauses by kind. */
function addCollector({ readCounter }: Registry, pauses: () => ReadonlyMap<string, CollectorPauses>): void {
  readCounter({
    name: "plaza_gc_pause_seconds_total",
    help: "Time the garbage collector stopped the process, by its kind.",
    labels: [{ name: "kind" }],
    read(set) {
      for (const [kind, { ms }] of pauses()) set(ms / 1_000, kind);
    },
  });
  readCounter({
    name: "plaza_gc_pauses_total",
    help: "How often it did.",
    labels: [{ name: "kind" }],
    read(set) {
      for (const [kind, { count }] of pauses()) set(count, kind);
    },
  });
}

function addMoney({ gauge }: Registry, sources: ObserveSources): void {
  const usd = (value: bigint): string => formatUsd(nanoUsd(value));
  gauge({
    name: "plaza_in_flight",
    help: "Requests in flight.",
    read: (set) => set(sources.inFlight()),
  });
  gauge({
    name: "plaza_purses",
    help: "Accounts and budgets this process has borrowed money of.",
    read: (set) => set(sources.leases().leasePools),
  });
  gauge({
    name: "plaza_leases_usd",
    help: "Borrowed of balances and budgets at the moment, US dollars.",
    read: (set) => set(usd(sources.leases().lent)),
  });
  gauge({
    name: "plaza_holds_usd",
    help: "Set aside for requests under way, US dollars.",
    read: (set) => set(usd(sources.leases().held)),
  });
  gauge({
    name: "plaza_store_behind",
    help: "1 while the database does not answer or the journal holds what it has not got.",
    read: (set) => set(sources.isBehind() ? 1 : 0),
  });
}

function addOverload({ gauge, readCounter }: Registry, read: () => OverloadReadings): void {
  gauge({
    name: "plaza_loop_lag_seconds",
    help: "How late the event loop was over the last seconds.",
    labels: [{ name: "quantile" }],
    read(set) {
      const { lagP99Ms, lagMaxMs } = read();
      set(lagP99Ms / 1_000, "0.99");
      set(lagMaxMs / 1_000, "1");
    },
  });
  gauge({
    name: "plaza_in_flight_limit",
    help: "Requests in flight beyond which newcomers are refused at the moment.",
    read: (set) => set(read().inFlightLimit),
  });
  gauge({
    name: "plaza_bodies_bytes",
    help: "Bytes of the bodies of requests in flight.",
    read: (set) => set(read().bodiesBytes),
  });
  gauge({
    name: "plaza_overloaded",
    help: "1 while the bound is lower than the operator set it, because the process cannot keep up.",
    read: (set) => set(read().isLimiting ? 1 : 0),
  });
  readCounter({
    name: "plaza_overload_refusals_total",
    help: "Requests refused as overloaded, by reason.",
    labels: [{ name: "reason" }],
    read(set) {
      for (const [reason, count] of Object.entries(read().refused)) set(count, reason);
    },
  });
}

function addUpstreams({ gauge }: Registry, read: () => readonly UpstreamState[]): void {
  gauge({
    name: "plaza_upstream_in_flight",
    help: "Calls under way to an upstream.",
    labels: [upstreamLabel],
    read(set) {
      for (const { id, inFlight } of read()) set(inFlight, id);
    },
  });
  gauge({
    name: "plaza_deployment_state",
    help: "1 for the state a deployment is in: healthy, resting, ejected, probing or returning.",
    labels: [...deploymentLabels, { name: "state" }],
    read(set) {
      for (const { id, deployments } of read()) {
        for (const { upstreamModel, model, state } of deployments) set(1, id, upstreamModel, model, state);
      }
    },
  });
  gauge({
    name: "plaza_deployment_weight",
    help: "What a deployment counts for at the moment when one is chosen.",
    labels: deploymentLabels,
    read(set) {
      for (const { id, deployments } of read()) {
        for (const { upstreamModel, model, weightNow } of deployments)
          set(weightNow, id, upstreamModel, model);
      }
    },
  });
  gauge({
    name: "plaza_credentials",
    help: "Credentials of an upstream by state: active, resting or out.",
    labels: [upstreamLabel, { name: "state" }],
    read(set) {
      for (const { id, credentials } of read()) {
        for (const state of ["active", "resting", "out"]) {
          set(credentials.filter((credential) => credential.state === state).length, id, state);
        }
      }
    },
  });
}

/** Counts changes of upstream state. Call the returned function for each event. */
export function countHealthEvents(registry: Registry): (event: HealthEvent) => void {
  const events = registry.counter({
    name: "plaza_fleet_events_total",
    help: "Changes of deployments and credentials: ejected, resting, out, back.",
    labels: [{ name: "event" }, upstreamLabel],
  });
  return ({ name, upstream }) => events.with(name, upstream).add();
}

/** Registers all metrics that have a source. */
export function observeProcess(registry: Registry, sources: ObserveSources): void {
  const { overload, pauses, upstreams, limitHits, spansDropped } = sources;
  addProcess(registry, sources);
  if (pauses !== undefined) addCollector(registry, pauses);
  addMoney(registry, sources);
  if (overload !== undefined) addOverload(registry, overload);
  if (upstreams !== undefined) addUpstreams(registry, upstreams);
  if (limitHits !== undefined) {
    registry.readCounter({
      name: "plaza_limit_refusals_total",
      help: "Requests refused with rate_limit_exceeded by a limit of Plaza's, by whose it is and of what.",
      labels: [{ name: "scope" }, { name: "kind" }],
      read(set) {
        for (const { scope, kind, count } of limitHits()) set(count, scope, kind);
      },
    });
  }
  if (spansDropped !== undefined) {
    registry.readCounter({
      name: "plaza_spans_dropped_total",
      help: "Trace spans thrown away because the collector did not take them in time.",
      read: (set) => set(spansDropped()),
    });
  }
}
