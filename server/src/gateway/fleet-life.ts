/** A fleet at work: with its log lines, its looks from outside and its words to the store, until the process stops. */
import type { ProcessReadings } from "@plaza/contract/upstream-states.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Store } from "../store/store.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { logFleetEvent } from "./fleet-log.ts";
import { createProbes } from "./fleet-probes.ts";
import { createPublisher } from "./fleet-publish.ts";
import type { FleetEvent } from "./fleet-verdict.ts";

export interface FleetLifeOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Numbers in [0, 1). */
  readonly random: () => number;
  readonly store: Pick<Store, "publishUpstreamStates">;
  readonly holderId: () => string;
  /** How the process is doing. */
  readonly readings: () => ProcessReadings;
  /** Hears of every change besides the log. */
  readonly onEvent?: (event: FleetEvent) => void;
}

const probeTurnMs = 1_000;
const publishMs = 2_000;

/** `stop` ends looks and words; the fleet itself goes on answering. */
export function startFleet(options: FleetLifeOptions): { readonly fleet: Fleet; stop(): void } {
  const { clock, log, random } = options;
  const fleet = createFleet({
    clock,
    random,
    onEvent(event) {
      logFleetEvent(log, event);
      options.onEvent?.(event);
    },
  });
  const probes = createProbes({ slots: fleet.slots, clock, tell: fleet.tell });
  const { store, holderId, readings } = options;
  const publish = createPublisher({ states: fleet.states, readings, clock, store, holderId });
  const probeTimer = setInterval(() => void probes.turn(), probeTurnMs).unref();
  const publishTimer = setInterval(() => void publish(), publishMs).unref();
  return {
    fleet,
    stop() {
      clearInterval(probeTimer);
      clearInterval(publishTimer);
      probes.stop();
    },
  };
}
