/** What a serving process is made with. Types only. */

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
  /** Where the process counts; default one of its own. */
  readonly registry?: Registry;
  /** How the metrics of all processes come together; default: this process is alone. */
  readonly gatherMetrics?: (own: OwnFamilies) => GatherMetrics;
}
