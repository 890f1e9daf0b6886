/**
 * Runs upstream health tracking: logs state changes, probes ejected upstreams, and publishes state to the
 * store.
 */

import type { ProcessReadings } from "@plaza/contract/upstream-states.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Schedule } from "../../lib/time/schedule.ts";
import type { UpstreamStatesStore } from "../../store/operation/upstream-states-shapes.ts";
import { createUpstreamHealth, type UpstreamHealth } from "./health.ts";
import { logHealthEvent } from "./log-health.ts";
import { createModelStatuses, type ModelStatuses } from "./model-statuses.ts";
import { createProbes } from "./probes.ts";
import { createPublisher } from "./published-state.ts";
import type { HealthEvent } from "./verdict.ts";

export interface HealthTrackingOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Returns numbers in [0, 1). */
  readonly random: () => number;
  readonly schedule: Schedule;
  readonly store: Pick<UpstreamStatesStore, "publishUpstreamStates">;
  readonly holderId: () => string;
  /** Current load and memory of the process. */
  readonly readings: () => ProcessReadings;
  /** Share of successful calls, 0 to 1, below which a model is degraded. */
  readonly successMin: number;
  /** Called for every change, in addition to the log. */
  readonly onEvent?: (event: HealthEvent) => void;
}

const probeTurnMs = 1_000;
const publishMs = 2_000;
/**
 * A model's status agrees in all processes within two seconds: checked this often, published at once when
 * changed, and read by the others a fifth of a second later.
 */
const lookMs = 500;

/** `stop` ends probes and publishing; `upstreamHealth` can still be used. */
export function startHealthTracking(options: HealthTrackingOptions): {
  readonly upstreamHealth: UpstreamHealth;
  readonly statuses: ModelStatuses;
  /** Probes an upstream now, because an operator asked. */
  probeNow(upstreamId: string): void;
  stop(): void;
} {
  const { clock, log, random, successMin } = options;
  const upstreamHealth = createUpstreamHealth({
    clock,
    random,
    onEvent(event) {
      logHealthEvent(log, event);
      options.onEvent?.(event);
    },
  });
  const probes = createProbes({ slots: upstreamHealth.slots, clock, report: upstreamHealth.report });
  const { schedule, store, holderId, readings } = options;
  const statuses = createModelStatuses({ report: () => upstreamHealth.modelReport(successMin), holderId });
  const publish = createPublisher({
    states: upstreamHealth.states,
    readings,
    models: statuses.own,
    clock,
    store,
    holderId,
  });
  const stops = [
    schedule.every(lookMs, () => {
      if (statuses.look()) void publish();
    }),
    schedule.every(probeTurnMs, () => void probes.turn()),
    schedule.every(publishMs, () => void publish()),
  ];
  return {
    upstreamHealth,
    statuses,
    probeNow: (upstreamId) => void probes.probeNow(upstreamId),
    stop() {
      for (const stop of stops) stop();
      probes.stop();
    },
  };
}
