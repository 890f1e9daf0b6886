/**
 * Counts warnings and errors by the name of their event, so that whatever is worth a log line can raise an
 * alarm. Event names are words of the source, never anything from outside.
 */
import type { Log } from "../../lib/telemetry/log.ts";
import type { Registry } from "../../lib/telemetry/metrics.ts";

/** The same log, counted. `level` and `event` are the labels of `plaza_log_events_total`. */
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
