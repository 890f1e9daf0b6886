/** The inputs of a serving process. Types only. */

import type { Config } from "../config/config.ts";
import type { GatherMetrics, OwnFamilies } from "../http/operator/metrics-gather.ts";
import type { Log } from "../lib/telemetry/log.ts";
import type { Registry } from "../lib/telemetry/metrics.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { Store } from "../store/store.ts";

export interface AppOptions {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  /** Metrics registry; default: a new one. */
  readonly registry?: Registry;
  /** How metrics of all processes are joined; default: this process only. */
  readonly gatherMetrics?: (own: OwnFamilies) => GatherMetrics;
}
