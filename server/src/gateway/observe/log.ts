/**
 * Counts warnings and errors by event name, so that alerts can be set on anything that is logged. Event names
 * are constants of the source, never outside input.
 */
import type { Log } from "../../lib/telemetry/log.ts";
import type { Registry } from "../../lib/telemetry/metrics.ts";

/** Wraps a log with the counter `plaza_log_events_total` (labels `level` and `event`). */
export function countLog(log: Log, registry: Registry): Log {
  const events = registry.counter({
    name: "plaza_log_events_total",
    help: "Warnings and errors logged, by event (docs/operate/operations.md tells what each means).",
    labels: [{ name: "level" }, { name: "event", valuesMax: 200 }],
  });
  return {
    debug: log.debug,
    info: log.info,
    warn(event, fields) {
      events.with("warn", event).add();
      log.warn(event, fields);
    },
    error(event, fields) {
      events.with("error", event).add();
      log.error(event, fields);
    },
  };
}
