/**
 * Writes log lines as JSON, one per event. Knows no project words; callers pass names and plain values. Lines
 * must not contain secrets: log ids, codes and counts, never bodies, headers or keys.
 */
import type { Clock } from "../time/clock.ts";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

const order: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 };

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/**
 * `write` receives whole lines including the newline. JSON.stringify escapes control characters, so a value
 * cannot forge a line.
 */
export function createLog(options: { level: LogLevel; clock: Clock; write: (line: string) => void }): Log {
  const at =
    (level: LogLevel) =>
    (event: string, fields?: LogFields): void => {
      if (order[level] < order[options.level]) return;
      const time = new Date(options.clock.wallMs()).toISOString();
      options.write(`${JSON.stringify({ time, level, event, ...fields })}\n`);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
