/** Incidents of models: what is wrong now, and what was. Types, and the list of methods. */
import type { Incident, SeenIncident } from "../../domain/routing/incidents.ts";

/** An incident with what processes see of it at this moment; null: it is over. */
export interface LiveIncident extends Incident {
  readonly now: SeenIncident | null;
}

export interface IncidentsStore {
  /**
   * Brings the kept list of incidents up to what live processes report; resolves with the number of those
   * that are not over. Any process may call it at any time.
   */
  noteIncidents(nowMs: number): Promise<number>;
  /** Incidents as of this moment, newest first; writes nothing. */
  readIncidents(nowMs: number): Promise<readonly LiveIncident[]>;
  /** Asks every serving process to probe an upstream now instead of when its turn comes. */
  requestProbe(upstreamId: string): Promise<void>;
}

/** Methods that `create-store.ts` forwards to the storage thread unchanged. */
export const incidentMethods = {
  noteIncidents: true,
  readIncidents: true,
  requestProbe: true,
} as const satisfies Record<keyof IncidentsStore, true>;
