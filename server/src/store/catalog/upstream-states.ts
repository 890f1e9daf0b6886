/**
 * Stores what serving processes report about their upstreams and themselves, so that any process and the
 * command line can read it.
 */
import type {
  ModelReport,
  ProcessReadings,
  ProcessStates,
  UpstreamState,
} from "@plaza/contract/upstream-states.ts";
import type { Kysely } from "kysely";
import type { SqlDialect } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";
import type { Store } from "../store.ts";

/** The stored form. A process of an older version stores only the list of its upstreams. */
type KeptStates = UpstreamState[] | { upstreams: UpstreamState[]; readings: ProcessReadings | null };

function readStates(text: string): Pick<ProcessStates, "upstreams" | "readings"> {
  const kept = JSON.parse(text) as KeptStates;
  return Array.isArray(kept) ? { upstreams: kept, readings: null } : kept;
}

/** The last report of every live process, oldest process first. */
export async function listUpstreamStates(
  db: Kysely<Database>,
  dialect: SqlDialect,
): Promise<ProcessStates[]> {
  const rows = await db
    .selectFrom("upstream_states")
    .innerJoin("holders", "holders.id", "upstream_states.holder_id")
    .select(["holder_id", "states", "models", "at"])
    .where("holders.expires_at", ">", dialect.databaseNow())
    .orderBy("holders.created_at")
    .orderBy("holder_id")
    .execute();
  return rows.map(
    ({ holder_id, states, models, at }): ProcessStates => ({
      process: holder_id,
      at: new Date(at).toISOString(),
      ...readStates(states),
      models: models === null ? null : (JSON.parse(models) as ModelReport),
    }),
  );
}

type UpstreamStateMethods = Pick<Store, "publishUpstreamStates" | "listUpstreamStates" | "listModelReports">;

export function createUpstreamStateMethods(db: Kysely<Database>, dialect: SqlDialect): UpstreamStateMethods {
  return {
    async publishUpstreamStates(holderId, upstreams, readings, report) {
      const states = JSON.stringify({ upstreams, readings: readings ?? null });
      const models = report === undefined ? null : JSON.stringify(report);
      // Inserts from a select on the holder's row, so nothing is stored for a holder that is gone.
      await db
        .insertInto("upstream_states")
        .columns(["holder_id", "states", "models", "at"])
        .expression((eb) =>
          eb
            .selectFrom("holders")
            .select(({ val }) => [
              "id",
              val(states).as("states"),
              val(models).as("models"),
              dialect.databaseNow().as("at"),
            ])
            .where("id", "=", holderId),
        )
        .onConflict((conflict) =>
          conflict.column("holder_id").doUpdateSet(({ ref }) => ({
            states: ref("excluded.states"),
            models: ref("excluded.models"),
            at: ref("excluded.at"),
          })),
        )
        .execute();
    },
    async listModelReports() {
      const rows = await db
        .selectFrom("upstream_states")
        .innerJoin("holders", "holders.id", "upstream_states.holder_id")
        .select(["holder_id", "models"])
        .where("holders.expires_at", ">", dialect.databaseNow())
        .execute();
      return rows.flatMap(({ holder_id, models }) =>
        models === null ? [] : [{ process: holder_id, models: JSON.parse(models) as ModelReport }],
      );
    },
    listUpstreamStates: () => listUpstreamStates(db, dialect),
  };
}
