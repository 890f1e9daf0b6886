/** The turn to remove rows: one process of an installation has it, for requests and the audit log alike. */
import { sql } from "kysely";
import type { MethodsOptions } from "../sql/dialect.ts";

/** How long a process keeps its turn without a step: longer than the archive of a large day takes. */
const claimMs = 6 * 3_600_000;

/** Servers of earlier schemas would take what is removed for lost. */
const schemaNeeded = 27;

/** Takes or renews the turn. False: another process has it, or a server is alive that is too old. */
export async function claimRemoval(
  { db, clock, dialect }: MethodsOptions,
  processId: string,
): Promise<boolean> {
  const nowMs = clock.wallMs();
  return await db.transaction().execute(async (trx) => {
    const { rows: older } = await sql`select 1 from holders where expires_at > ${dialect.databaseNow()}
      and coalesce(schema_version, 0) < ${schemaNeeded} limit 1`.execute(trx);
    if (older.length > 0) return false;
    const { numAffectedRows } =
      await sql`insert into removed_requests (id, below_ms, claimed_by, claimed_until)
      values (1, 0, ${processId}, ${nowMs + claimMs}) on conflict (id) do update
      set claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until
      where removed_requests.claimed_by is null or removed_requests.claimed_by = excluded.claimed_by
        or removed_requests.claimed_until < ${nowMs}`.execute(trx);
    return (numAffectedRows ?? 0n) > 0n;
  });
}
