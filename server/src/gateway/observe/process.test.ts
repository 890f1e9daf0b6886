/** Metrics of the process: what has a source is there, as it is at that moment, and nothing else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { UpstreamState } from "@plaza/contract/upstream-states.ts";
import { createRegistry } from "../../lib/telemetry/metrics.ts";
import { joinFamilies } from "../../lib/telemetry/metrics-text.ts";
import { countHealthEvents, type ObserveSources, observeProcess } from "./process.ts";

const sources: ObserveSources = {
  version: "1.2.3",
  startedAtMs: 1_500,
  inFlight: () => 3,
  leases: () => ({ leasePools: 2, lent: 1_500_000_000n, held: 1n }),
  isBehind: () => false,
};

function linesOf(registry: ReturnType<typeof createRegistry>): string[] {
  return joinFamilies([registry.families("")]).split("\n");
}

function linesWith(more: Partial<ObserveSources>): string[] {
  const registry = createRegistry();
  observeProcess(registry, { ...sources, ...more });
  return linesOf(registry);
}

function has(lines: readonly string[], ...wanted: readonly string[]): void {
  for (const line of wanted) assert.ok(lines.includes(line), `${line} is not in\n${lines.join("\n")}`);
}

test("the process, its requests, and money to the last digit", () => {
  has(
    linesWith({}),
    `plaza_build_info{version="1.2.3",node="${process.version}"} 1`,
    "process_start_time_seconds 1.5",
    "# HELP plaza_in_flight Requests in flight.",
    "plaza_in_flight 3",
    "plaza_purses 2",
    "plaza_leases_usd 1.50",
    "plaza_holds_usd 0.000000001",
    "plaza_store_behind 0",
  );
});

test("a source is read whenever the metrics are, and one that is absent has no metric", () => {
  let isBehind = false;
  const registry = createRegistry();
  observeProcess(registry, { ...sources, isBehind: () => isBehind });
  has(linesOf(registry), "plaza_store_behind 0");
  isBehind = true;
  const lines = linesOf(registry);
  has(lines, "plaza_store_behind 1");
  for (const name of ["gc_pause", "loop_lag", "upstream_in_flight", "limit_refusals", "spans_dropped"])
    assert.ok(!lines.some((line) => line.includes(`plaza_${name}`)), name);
});

test("pauses, delays and refusals in seconds and by reason", () => {
  const overload = {
    lagP99Ms: 20,
    lagMaxMs: 1_500,
    inFlightLimit: 9,
    bodiesBytes: 77,
    isLimiting: true,
    refused: { memory: 4, requests: 0 },
  } as unknown as ReturnType<NonNullable<ObserveSources["overload"]>>;
  has(
    linesWith({
      pauses: () => new Map([["minor", { count: 7, ms: 250 }]]),
      overload: () => overload,
      limitHits: () => [{ scope: "key", kind: "rpm", count: 5 }],
      spansDropped: () => 6,
    }),
    'plaza_gc_pause_seconds_total{kind="minor"} 0.25',
    'plaza_gc_pauses_total{kind="minor"} 7',
    'plaza_loop_lag_seconds{quantile="0.99"} 0.02',
    'plaza_loop_lag_seconds{quantile="1"} 1.5',
    "plaza_in_flight_limit 9",
    "plaza_bodies_bytes 77",
    "plaza_overloaded 1",
    'plaza_overload_refusals_total{reason="memory"} 4',
    'plaza_limit_refusals_total{scope="key",kind="rpm"} 5',
    "plaza_spans_dropped_total 6",
  );
});

const stateOf = (id: string, more: object): UpstreamState =>
  ({ id, inFlight: 0, deployments: [], credentials: [], ...more }) as unknown as UpstreamState;

test("an upstream's credentials are counted by state, also the states that none is in", () => {
  const credentials = [{ state: "active" }, { state: "active" }, { state: "out" }];
  const deployments = [{ upstreamModel: "um", model: "m", state: "ejected", weightNow: 0.5 }];
  has(
    linesWith({ upstreams: () => [stateOf("up", { inFlight: 2, credentials, deployments })] }),
    'plaza_upstream_in_flight{upstream="up"} 2',
    'plaza_deployment_state{upstream="up",upstream_model="um",model="m",state="ejected"} 1',
    'plaza_deployment_weight{upstream="up",upstream_model="um",model="m"} 0.5',
    'plaza_credentials{upstream="up",state="active"} 2',
    'plaza_credentials{upstream="up",state="resting"} 0',
    'plaza_credentials{upstream="up",state="out"} 1',
  );
});

test("names cannot break out of a label, and beyond 200 upstreams there are no more series", () => {
  const states = Array.from({ length: 250 }, (_, index) => stateOf(`up${index}`, { inFlight: 1 }));
  const lines = linesWith({ upstreams: () => [stateOf('a"} 9\n', { inFlight: 1 }), ...states] });
  const series = lines.filter((line) => line.startsWith("plaza_upstream_in_flight{"));
  assert.equal(series[0], 'plaza_upstream_in_flight{upstream="a\\"} 9\\n"} 1');
  assert.equal(series.length, 201);
});

test("changes of health are counted by what happened and where", () => {
  const registry = createRegistry();
  const count = countHealthEvents(registry);
  for (const name of ["deployment_ejected", "deployment_back", "deployment_ejected"] as const)
    count({ name, upstream: "up" } as Parameters<typeof count>[0]);
  has(
    linesOf(registry),
    'plaza_fleet_events_total{event="deployment_ejected",upstream="up"} 2',
    'plaza_fleet_events_total{event="deployment_back",upstream="up"} 1',
  );
});
