/**
 * SQL for `operation.ts`: audit log, installation settings, lease holders. `checks.ts` has the ledger checks.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import {
  pageCredentials,
  pageDeployments,
  standingsOf,
  sumUpUpstreams,
} from "../../domain/routing/upstream-health.ts";
import { listUpstreamStates } from "../catalog/upstream-states.ts";
import { StoreError } from "../error.ts";
import type { MethodsOptions } from "../sql/dialect.ts";
import { containing, nanosOfSum, sumOfNanos } from "../sql/expressions.ts";
import type { Database } from "../sql/schema.ts";
import type { AuditEntriesTable } from "../sql/schema-console.ts";
import { createCheckMethods } from "./checks.ts";
import type { AuditEntry, AuditFilter, InstallationSettings, OperationStore } from "./operation.ts";

/** Defaults until an operator changes them. */
const initial: InstallationSettings = {
  name: "Plaza",
  plazaIsPublic: false,
  lowBalance: null,
  revision: 0,
};

/**
 * One row per setting, values as JSON, amounts as decimal strings of nano-dollars. All have the revision of
 * the last change.
 */
const settingNames = ["name", "plazaIsPublic", "lowBalance"] as const;

/** The settings, with defaults for what was never set. */
export async function readSettings(db: Kysely<Database>): Promise<InstallationSettings> {
  const rows = await db
    .selectFrom("installation_settings")
    .selectAll()
    .where("name", "in", settingNames)
    .execute();
  const kept = new Map(rows.map(({ name, value }) => [name, JSON.parse(value) as unknown]));
  const name = kept.get("name");
  const plazaIsPublic = kept.get("plazaIsPublic");
  const lowBalance = kept.get("lowBalance");
  return {
    name: typeof name === "string" ? name : initial.name,
    plazaIsPublic: typeof plazaIsPublic === "boolean" ? plazaIsPublic : initial.plazaIsPublic,
    lowBalance: typeof lowBalance === "string" ? nanoUsd(BigInt(lowBalance)) : initial.lowBalance,
    revision: Math.max(initial.revision, ...rows.map(({ revision }) => revision)),
  };
}

/** Writes one row; returns false when its revision is not the one that was read. */
async function writeSetting(
  trx: Transaction<Database>,
  name: string,
  value: unknown,
  revision: number,
): Promise<boolean> {
  const row = { name, value: JSON.stringify(value), revision: revision + 1 };
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto("installation_settings")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column("name")
        .doUpdateSet({ value: row.value, revision: row.revision })
        .where("installation_settings.revision", "=", revision),
    )
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Writes all settings; undefined when they are not at this revision. */
export async function writeSettings(
  trx: Transaction<Database>,
  { name, plazaIsPublic, lowBalance, revision }: InstallationSettings,
): Promise<InstallationSettings | undefined> {
  // The first row serves as lock; a stale revision is detected there.
  if (!(await writeSetting(trx, "name", name, revision))) return undefined;
  await writeSetting(trx, "plazaIsPublic", plazaIsPublic, revision);
  await writeSetting(trx, "lowBalance", lowBalance?.toString() ?? null, revision);
  return { name, plazaIsPublic, lowBalance, revision: revision + 1 };
}

function toAuditEntry(row: Selectable<AuditEntriesTable> & { account_name: string | null }): AuditEntry {
  return {
    id: row.id,
    at: row.at,
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    accountId: row.account_id,
    accountName: row.account_name,
    action: row.action,
    subject: row.subject,
    detail: row.detail === null ? null : (JSON.parse(row.detail) as Record<string, unknown>),
    ip: row.ip,
    requestId: row.request_id,
    outcome: row.outcome,
  };
}

/**
 * Hides the column from its index: entries are read in id order, and sorting all entries of a time range
 * would be slower.
 */
const unsorted = sql<number>`+audit_entries.at`;

async function listAudit(db: Kysely<Database>, filter: AuditFilter): Promise<AuditEntry[]> {
  const { actor, actions, accountId, from, to, before, limit } = filter;
  const rows = await db
    .selectFrom("audit_entries")
    .leftJoin("accounts", "accounts.id", "audit_entries.account_id")
    .selectAll("audit_entries")
    .select("accounts.name as account_name")
    .$if(accountId !== undefined, (query) => query.where("audit_entries.account_id", "=", accountId ?? ""))
    .$if(before !== undefined, (query) => query.where("audit_entries.id", "<", before ?? 0))
    .$if(from !== undefined, (query) => query.where(unsorted, ">=", from ?? 0))
    .$if(to !== undefined, (query) => query.where(unsorted, "<", to ?? 0))
    .$if(actions !== undefined, (query) => query.where("action", "in", actions ?? []))
    .$if(actor !== undefined, (query) =>
      query.where((eb) =>
        eb.or([eb("actor_id", "=", actor ?? ""), containing(eb.ref("actor_name"), actor ?? "")]),
      ),
    )
    .orderBy("audit_entries.id", "desc")
    .limit(limit)
    .execute();
  return rows.map(toAuditEntry);
}

/** Deletes old entries. Not durable: if a power cut restores rows, they are deleted again later. */
async function pruneAudit(
  { lazyDb, dialect }: MethodsOptions,
  before: number,
  linesMax: number,
): Promise<number> {
  return await lazyDb.transaction().execute(async (trx) => {
    await dialect.commitLazily(trx);
    const oldest = trx
      .selectFrom("audit_entries")
      .select("id")
      .where("at", "<", before)
      .orderBy("at")
      .limit(linesMax);
    const { numDeletedRows } = await trx
      .deleteFrom("audit_entries")
      .where("id", "in", oldest)
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  });
}

export function createOperationMethods(options: MethodsOptions): OperationStore {
  const { db, dialect } = options;
  return {
    getSettings: () => readSettings(db),
    async changeSettings(settings) {
      if (settings.lowBalance !== null && settings.lowBalance < 0n)
        throw new StoreError("invalid", message("store.thresholdNegative"));
      return await db.transaction().execute((trx) => writeSettings(trx, settings));
    },
    listAudit: (filter) => listAudit(db, filter),
    pruneAudit: (before, linesMax) => pruneAudit(options, before, linesMax),
    ...createCheckMethods(options),
    async readHealth(troublesMax) {
      const states = await listUpstreamStates(db, dialect);
      const processes = states.map(({ upstreams: _, models: __, ...process }) => process);
      return { processes, ...sumUpUpstreams(states, troublesMax) };
    },
    listUpstreamStandings: async () => standingsOf(await listUpstreamStates(db, dialect)),
    pageDeploymentHealth: async (filter) => pageDeployments(await listUpstreamStates(db, dialect), filter),
    pageCredentialHealth: async (filter) => pageCredentials(await listUpstreamStates(db, dialect), filter),
    async listHolders() {
      const rows = await db
        .selectFrom("holders")
        .leftJoin("leases", "leases.holder_id", "holders.id")
        .select(({ fn }) => [
          "holders.id",
          "holders.created_at",
          "holders.expires_at",
          dialect.databaseNow().as("now"),
          fn.count<number | bigint>("leases.subject").as("leases"),
          sumOfNanos(sql`(case when leases.kind = 'account' then leases.amount_nanos else 0 end)`).as(
            "leased_nanos",
          ),
        ])
        .groupBy(["holders.id", "holders.created_at", "holders.expires_at"])
        .orderBy("holders.created_at")
        .orderBy("holders.id")
        .execute();
      return rows.map((row) => ({
        id: row.id,
        startedAt: row.created_at,
        expiresAt: row.expires_at,
        isAlive: row.expires_at > row.now,
        leases: Number(row.leases),
        leased: nanoUsd(nanosOfSum(row.leased_nanos)),
      }));
    },
  };
}
