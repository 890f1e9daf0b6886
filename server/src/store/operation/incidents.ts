/**
 * SQL for `incidents-shapes.ts`. The list is bounded and rarely written, so it is one value beside the
 * settings of the installation: older servers do not see it, and no schema changes.
 */
import type { Kysely } from "kysely";
import {
  foldIncidents,
  type Incident,
  incidentsNow,
  isChanged,
  type SeenIncident,
} from "../../domain/routing/incidents.ts";
import { listUpstreamStates } from "../catalog/upstream-states.ts";
import type { MethodsOptions } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";
import { insertChange } from "./changes.ts";
import type { IncidentsStore } from "./incidents-shapes.ts";
import { probeSubject } from "./news-shapes.ts";

const settingName = "incidents";

interface Kept {
  readonly incidents: readonly Incident[];
  /** 0: never written. */
  readonly revision: number;
}

async function readKept(db: Kysely<Database>): Promise<Kept> {
  const row = await db
    .selectFrom("installation_settings")
    .select(["value", "revision"])
    .where("name", "=", settingName)
    .executeTakeFirst();
  if (row === undefined) return { incidents: [], revision: 0 };
  return { incidents: JSON.parse(row.value) as Incident[], revision: row.revision };
}

/** Writes the list unless another process wrote it since `revision`; that one saw the same reports. */
async function writeKept(db: Kysely<Database>, { incidents, revision }: Kept): Promise<void> {
  const value = JSON.stringify(incidents);
  const next = revision + 1;
  await db
    .insertInto("installation_settings")
    .values({ name: settingName, value, revision: next })
    .onConflict((conflict) =>
      conflict
        .column("name")
        .doUpdateSet({ value, revision: next })
        .where("installation_settings.revision", "=", revision),
    )
    .execute();
}

const keyOf = ({ upstream, cause }: SeenIncident | Incident): string => `${cause} ${upstream}`;

export function createIncidentMethods({ db, dialect, clock }: MethodsOptions): IncidentsStore {
  async function look(nowMs: number) {
    const [states, kept] = [await listUpstreamStates(db, dialect), await readKept(db)];
    const seen = incidentsNow(states);
    return { kept, seen, incidents: foldIncidents(kept.incidents, seen, nowMs) };
  }
  return {
    async noteIncidents(nowMs) {
      const { kept, incidents } = await look(nowMs);
      if (isChanged(kept.incidents, incidents)) await writeKept(db, { ...kept, incidents });
      return incidents.filter(({ endedAt }) => endedAt === null).length;
    },
    async readIncidents(nowMs) {
      const { seen, incidents } = await look(nowMs);
      const now = new Map(seen.map((one) => [keyOf(one), one]));
      return incidents.map((incident) => ({
        ...incident,
        now: incident.endedAt === null ? (now.get(keyOf(incident)) ?? null) : null,
      }));
    },
    async requestProbe(upstreamId) {
      const change = { kind: "catalog", subject: probeSubject(upstreamId) } as const;
      await db.transaction().execute((trx) => insertChange(trx, change, clock.wallMs()));
    },
  };
}
