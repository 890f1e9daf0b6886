/** Metrics of a process's connections and file descriptors, read on demand. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import type { Registry } from "../../lib/telemetry/metrics.ts";
import type { ConnectionReadings } from "./connections.ts";

const descriptorFolder = "/proc/self/fd";

/**
 * Returns the process's limit of file descriptors; undefined when the system does not report it (Linux does).
 */
function descriptorsMax(): number | undefined {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

function descriptorsOpen(): number | undefined {
  try {
    // Linux reports the count as the folder's size since 6.2. Otherwise the folder is listed, which itself
    // opens one descriptor and takes milliseconds when there are thousands.
    return statSync(descriptorFolder).size || readdirSync(descriptorFolder).length - 1;
  } catch {
    return undefined;
  }
}

function addDescriptors({ gauge }: Registry): void {
  const max = descriptorsMax();
  if (max === undefined) return;
  gauge({
    name: "process_open_fds",
    help: "Descriptors the process has open.",
    read(set) {
      const open = descriptorsOpen();
      if (open !== undefined) set(open);
    },
  });
  gauge({
    name: "process_max_fds",
    help: "Descriptors the process may have open.",
    read: (set) => set(max),
  });
}

/** `read` returns the readings of all listeners. */
export function observeConnections(registry: Registry, read: () => readonly ConnectionReadings[]): void {
  addDescriptors(registry);
  const { gauge, readCounter } = registry;
  // Reads once per scrape, which takes one turn of the event loop.
  let last: readonly ConnectionReadings[] | undefined;
  const readOnce = (): readonly ConnectionReadings[] => {
    if (last === undefined) {
      last = read();
      setImmediate(() => {
        last = undefined;
      });
    }
    return last;
  };
  const sum = (pick: (readings: ConnectionReadings) => number): number =>
    readOnce().reduce((total, readings) => total + pick(readings), 0);
  gauge({
    name: "plaza_connections",
    help: "Connections of callers: with a request under way, or idle.",
    labels: [{ name: "state" }],
    read(set) {
      const idle = sum((readings) => readings.idle);
      set(sum((readings) => readings.open) - idle, "active");
      set(idle, "idle");
    },
  });
  gauge({
    name: "plaza_connection_oldest_idle_seconds",
    help: "How long the connection has been without a request that has been for longest; above PLAZA_KEEP_ALIVE_TIMEOUT_MS they hang.",
    read: (set) => set(Math.max(0, ...readOnce().map(({ oldestIdleMs }) => oldestIdleMs)) / 1_000),
  });
  readCounter({
    name: "plaza_connections_refused_total",
    help: "Connections closed at once because there were PLAZA_CONNECTIONS_MAX.",
    read: (set) => set(sum((readings) => readings.refused)),
  });
}
