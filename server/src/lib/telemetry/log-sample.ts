/**
 * Keeps a log readable during an outage: of lines that every call would write, only the first few of each
 * kind are written in a period; the rest are counted and reported with the next line. Knows no project words.
 */
import type { Clock } from "../time/clock.ts";
import type { Log, LogFields } from "./log.ts";

/** Event → the fields that distinguish kinds of lines. Other events are always written. */
export type SampledEvents = Readonly<Record<string, readonly string[]>>;

const windowMs = 10_000;
const linesPerWindow = 5;
/** Most kinds remembered; beyond it all are forgotten and start again. */
const kindsMax = 1_000;

interface Kind {
  startedMs: number;
  written: number;
  skipped: number;
}

/**
 * The same log with at most five lines of a kind per ten seconds. A line after skipped ones has the field
 * `skipped`.
 */
export function sampleLog(log: Log, clock: Clock, events: SampledEvents): Log {
  const kinds = new Map<string, Kind>();

  function kindOf(event: string, fields: LogFields | undefined, names: readonly string[]): Kind {
    const name = [event, ...names.map((field) => String(fields?.[field]))].join("\0");
    const known = kinds.get(name);
    if (known !== undefined) return known;
    if (kinds.size >= kindsMax) kinds.clear();
    const kind = { startedMs: clock.elapsedMs(), written: 0, skipped: 0 };
    kinds.set(name, kind);
    return kind;
  }

  const sampled =
    (write: (event: string, fields?: LogFields) => void) =>
    (event: string, fields?: LogFields): void => {
      const names = events[event];
      if (names === undefined) {
        write(event, fields);
        return;
      }
      const kind = kindOf(event, fields, names);
      const nowMs = clock.elapsedMs();
      if (nowMs - kind.startedMs >= windowMs) {
        kind.startedMs = nowMs;
        kind.written = 0;
      }
      if (kind.written >= linesPerWindow) {
        kind.skipped += 1;
        return;
      }
      kind.written += 1;
      write(event, kind.skipped === 0 ? fields : { ...fields, skipped: kind.skipped });
      kind.skipped = 0;
    };
  return { debug: log.debug, info: log.info, warn: sampled(log.warn), error: sampled(log.error) };
}
