/**
 * The cost of choosing a deployment, in microseconds (best of many rounds): the pure choice, and the choice
 * with upstream health and credentials. Run: node bench/micro/routing.ts
 */
import type { Model } from "@plaza/contract/catalog.ts";
import { defaultTimeouts } from "@plaza/contract/catalog.ts";
import { chooseTarget, createRoutingTable, seedOf } from "../../server/src/domain/routing/routing.ts";
import { createUpstreamHealth } from "../../server/src/gateway/upstreams/health.ts";
import { systemClock } from "../../server/src/lib/time/clock.ts";
import { openai } from "../../server/src/providers/openai/openai.ts";
import { microsPerCall } from "./time.ts";

function pure(count: number, affinity: number | undefined): number {
  const targets = Array.from({ length: count }, (_, index) => ({
    priority: 1,
    weight: 1 + (index % 5),
    seed: seedOf(`up${index}`),
    isBinding: true,
  }));
  const standings = targets.map((_, index) => ({
    isUsable: true,
    isFull: false,
    isSlow: false,
    share: 1,
    health: 1,
    firstTokenMs: 200 + index,
    inFlight: index % 7,
  }));
  const table = createRoutingTable(targets);
  const requested = { affinity, random: Math.random };
  return microsPerCall(() => chooseTarget(table, standings, requested));
}

function whole(count: number, affinity: number | undefined): number {
  const deployments = Array.from({ length: count }, (_, index) => ({
    deployment: { upstream: `up${index}`, model: "m", priority: 1, weight: 1 + (index % 5) },
    live: {
      upstream: {
        id: `up${index}`,
        provider: "openai",
        baseUrl: "http://127.0.0.1:9/v1",
        credentials: ["a", "b"],
        timeouts: defaultTimeouts,
      },
      provider: openai,
      client: undefined,
    },
  }));
  const model = {
    model: { id: "m", name: "m", deployments: deployments.map((one) => one.deployment) } satisfies Model,
    deployments,
  };
  const upstreamHealth = createUpstreamHealth({ clock: systemClock, random: Math.random, onEvent: () => {} });
  return microsPerCall(() =>
    upstreamHealth.choose(model, { affinity, isStream: true, tried: [], nowMs: systemClock.elapsedMs() }),
  );
}

for (const count of [1, 10, 100]) {
  for (const affinity of [undefined, 12_345]) {
    const kind = affinity === undefined ? "two choices" : "affinity";
    console.log(
      `${String(count).padStart(4)} deployments, ${kind.padEnd(11)}  choice ${pure(count, affinity).toFixed(2)} µs` +
        `  with health and credentials ${whole(count, affinity).toFixed(2)} µs`,
    );
  }
}
