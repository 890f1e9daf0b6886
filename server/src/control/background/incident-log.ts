/**
 * Keeps the list of incidents up to what processes report. A process only asks the store while it knows of a
 * problem or of an incident that is not over, so a healthy installation pays nothing.
 */
import type { Log } from "../../lib/telemetry/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Schedule } from "../../lib/time/schedule.ts";
import type { IncidentsStore } from "../../store/operation/incidents-shapes.ts";

const everyMs = 5_000;

export interface IncidentLogOptions {
  readonly store: Pick<IncidentsStore, "noteIncidents">;
  readonly clock: Pick<Clock, "wallMs">;
  readonly log: Log;
  readonly schedule: Pick<Schedule, "every">;
  /** True while any process measures a problem of a model. */
  readonly hasTroubledModels: () => boolean;
}

/** Starts; the returned function stops it and resolves when nothing is running. */
export function startIncidentLog(options: IncidentLogOptions): () => Promise<void> {
  const { store, clock, log, schedule, hasTroubledModels } = options;
  // An incident may have been open when the last process stopped.
  let isOpen = true;
  let isFailing = false;
  let running: Promise<void> | undefined;

  async function note(): Promise<void> {
    try {
      isOpen = (await store.noteIncidents(clock.wallMs())) > 0;
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn("incidents_not_noted", { error: (error as Error).message });
      isFailing = true;
    }
  }

  const stop = schedule.every(everyMs, () => {
    if (running !== undefined || !(isOpen || hasTroubledModels())) return;
    running = note().finally(() => {
      running = undefined;
    });
  });
  return async () => {
    stop();
    await running;
  };
}
