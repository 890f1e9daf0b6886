/**
 * SQL for `people.ts`: failed attempts, counted so that concurrent processes and calls together allow exactly
 * the permitted number; and the audit log's entries.
 */
import type { Transaction } from "kysely";
import type { MethodsOptions, SqlDialect } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";
import type { FailedAttemptsTable } from "../sql/schema-console.ts";
import type { AttemptSubject, CountedAttempt, PeopleStore } from "./people.ts";

type AttemptMethods = Pick<PeopleStore, "beginAttempt" | "undoAttempt" | "clearAttempts">;

/**
 * Wait in milliseconds after the first failure that causes one. It doubles with each further failure up to
 * the longest.
 */
const firstWaitMs = 1_000;
const longestWaitMs = 15 * 60_000;
/** Failures older than this many milliseconds no longer count. */
const forgottenMs = 24 * 60 * 60_000;
const pruneEvery = 100;
const pruneMax = 1_000;

/** Milliseconds the next attempt must wait after so many failures. */
function waitAfter(failures: number, free: number): number {
  if (failures < free) return 0;
  return Math.min(firstWaitMs * 2 ** Math.min(failures - free, 30), longestWaitMs);
}

/** Thrown to roll the transaction back, so that nothing is counted. */
class Blocked extends Error {
  readonly waitMs: number;

  constructor(waitMs: number) {
    super("blocked");
    this.waitMs = waitMs;
  }
}

async function lockRow(
  trx: Transaction<Database>,
  subject: string,
  dialect: SqlDialect,
): Promise<FailedAttemptsTable | undefined> {
  return await trx
    .selectFrom("failed_attempts")
    .selectAll()
    .where("subject", "=", subject)
    .$if(dialect.locksRows, (query) => query.forUpdate())
    .executeTakeFirst();
}

async function count(
  trx: Transaction<Database>,
  { subject, free }: AttemptSubject,
  nowMs: number,
  dialect: SqlDialect,
): Promise<CountedAttempt> {
  const first = { subject, failures: 1, last_at: nowMs, blocked_until: nowMs + waitAfter(1, free) };
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto("failed_attempts")
    .values(first)
    .onConflict((conflict) => conflict.column("subject").doNothing())
    .executeTakeFirstOrThrow();
  if ((numInsertedOrUpdatedRows ?? 0n) > 0n) return { subject, failures: 1, blockedBefore: 0 };
  const row = await lockRow(trx, subject, dialect);
  // Cleared between the two statements: a user signed in, and a short wait does no harm.
  if (row === undefined) throw new Blocked(firstWaitMs);
  if (row.blocked_until > nowMs) throw new Blocked(row.blocked_until - nowMs);
  const isFresh = row.last_at > nowMs - forgottenMs;
  const failures = isFresh ? row.failures + 1 : 1;
  await trx
    .updateTable("failed_attempts")
    .set({ failures, last_at: nowMs, blocked_until: nowMs + waitAfter(failures, free) })
    .where("subject", "=", subject)
    .execute();
  return { subject, failures, blockedBefore: row.blocked_until };
}

async function undo(trx: Transaction<Database>, counted: CountedAttempt, dialect: SqlDialect): Promise<void> {
  const row = await lockRow(trx, counted.subject, dialect);
  if (row === undefined) return;
  if (row.failures === 1) {
    await trx.deleteFrom("failed_attempts").where("subject", "=", counted.subject).execute();
    return;
  }
  // If others failed meanwhile, their wait stays.
  const isUntouched = row.failures === counted.failures;
  await trx
    .updateTable("failed_attempts")
    .set({
      failures: row.failures - 1,
      ...(isUntouched ? { blocked_until: counted.blockedBefore } : {}),
    })
    .where("subject", "=", counted.subject)
    .execute();
}

async function prune(trx: Transaction<Database>, nowMs: number): Promise<void> {
  const old = trx
    .selectFrom("failed_attempts")
    .select("subject")
    .where("last_at", "<", nowMs - forgottenMs)
    .limit(pruneMax);
  await trx.deleteFrom("failed_attempts").where("subject", "in", old).execute();
}

/** One global order, so that transactions cannot deadlock. */
const inOrder = <T extends { readonly subject: string }>(subjects: readonly T[]): T[] =>
  subjects.toSorted((a, b) => (a.subject < b.subject ? -1 : 1));

export function createAttemptMethods({ db, dialect }: MethodsOptions): AttemptMethods {
  let attempts = 0;
  return {
    async beginAttempt(subjects, nowMs) {
      attempts += 1;
      if (attempts % pruneEvery === 0) await db.transaction().execute((trx) => prune(trx, nowMs));
      try {
        const counted = await db.transaction().execute(async (trx) => {
          const all: CountedAttempt[] = [];
          for (const subject of inOrder(subjects)) all.push(await count(trx, subject, nowMs, dialect));
          return all;
        });
        return { isAllowed: true, counted };
      } catch (thrown) {
        if (thrown instanceof Blocked) return { isAllowed: false, waitMs: thrown.waitMs };
        throw thrown;
      }
    },
    undoAttempt: (counted) =>
      db.transaction().execute(async (trx) => {
        for (const one of inOrder(counted)) await undo(trx, one, dialect);
      }),
    async clearAttempts(subjects) {
      if (subjects.length === 0) return;
      await db
        .deleteFrom("failed_attempts")
        .where("subject", "in", [...subjects])
        .execute();
    },
  };
}

type AuditMethods = Pick<PeopleStore, "beginAudit" | "endAudit" | "dropAudit">;

export function createAuditMethods({ db }: MethodsOptions): AuditMethods {
  return {
    async beginAudit(entry) {
      const { id } = await db
        .insertInto("audit_entries")
        .values({
          at: entry.at,
          actor_kind: entry.actorKind,
          actor_id: entry.actorId,
          actor_name: entry.actorName,
          account_id: entry.accountId,
          action: entry.action,
          subject: entry.subject,
          detail: entry.detail,
          ip: entry.ip,
          request_id: entry.requestId,
          outcome: entry.outcome,
        })
        .returning("id")
        .executeTakeFirstOrThrow();
      return id;
    },
    async endAudit(id, { outcome, accountId, subject, detail }) {
      await db
        .updateTable("audit_entries")
        .set({
          outcome,
          ...(accountId === undefined ? {} : { account_id: accountId }),
          ...(subject === undefined ? {} : { subject }),
          ...(detail === undefined ? {} : { detail }),
        })
        .where("id", "=", id)
        .execute();
    },
    async dropAudit(id) {
      await db.deleteFrom("audit_entries").where("id", "=", id).execute();
    },
  };
}
