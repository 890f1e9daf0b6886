/** SQL for `operation.ts`: ledger checks and their stored results. */
import { nanoUsd } from "@plaza/contract/money.ts";
import type { Selectable, Transaction } from "kysely";
import type { LedgerReport } from "../ledger/shapes.ts";
import type { MethodsOptions } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";
import type { LedgerChecksTable } from "../sql/schema-console.ts";
import type { LedgerCheck, OperationStore } from "./operation.ts";

type CheckMethods = Pick<
  OperationStore,
  "beginLedgerCheck" | "beatLedgerCheck" | "endLedgerCheck" | "listLedgerChecks"
>;

/** A check without a sign of life for this many milliseconds has ended: its process is gone. */
const silentMs = 30_000;

/** Most results kept; the oldest are deleted. */
const keptMax = 500;

/** The content of the report's column while a check runs. */
interface Beat {
  readonly aliveAt: number;
}

const beat = (nowMs: number): string => JSON.stringify({ aliveAt: nowMs } satisfies Beat);

const asText = (report: LedgerReport): string =>
  JSON.stringify(report, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value));

function readReport(text: string): LedgerReport {
  const { totals, ...report } = JSON.parse(text) as Omit<LedgerReport, "totals"> & {
    totals: Record<keyof LedgerReport["totals"], string>;
  };
  const nanos = (digits: string) => nanoUsd(BigInt(digits));
  return {
    ...report,
    totals: {
      balance: nanos(totals.balance),
      leased: nanos(totals.leased),
      credited: nanos(totals.credited),
      charged: nanos(totals.charged),
      lost: nanos(totals.lost),
    },
  };
}

function isAlive(row: Selectable<LedgerChecksTable>, nowMs: number): boolean {
  if (row.ended_at !== null || row.report === null) return false;
  const { aliveAt } = JSON.parse(row.report) as Beat;
  // A clock that was set back must not keep a check alive for ever.
  return Math.abs(nowMs - aliveAt) < silentMs;
}

function toCheck(row: Selectable<LedgerChecksTable>, nowMs: number): LedgerCheck {
  const common = {
    id: row.id,
    startedAt: row.started_at,
    startedBy: row.started_by,
    endedAt: row.ended_at,
  };
  if (row.ended_at === null)
    return { ...common, status: isAlive(row, nowMs) ? "running" : "cut", report: null };
  if (row.report === null) return { ...common, status: "failed", report: null };
  return { ...common, status: row.is_ok === 1 ? "ok" : "wrong", report: readReport(row.report) };
}

/** The row that a starting check writes first, so that two concurrent starts run one after the other. */
const lockRow = "ledger-check";

async function begin(
  trx: Transaction<Database>,
  check: { id: string; startedBy: string | null },
  nowMs: number,
): Promise<LedgerCheck | undefined> {
  await trx
    .insertInto("installation_settings")
    .values({ name: lockRow, value: JSON.stringify(check.id), revision: 1 })
    .onConflict((conflict) =>
      conflict.column("name").doUpdateSet(({ ref }) => ({ value: ref("excluded.value") })),
    )
    .execute();
  const open = await trx.selectFrom("ledger_checks").selectAll().where("ended_at", "is", null).execute();
  if (open.some((other) => isAlive(other, nowMs))) return undefined;
  const row = await trx
    .insertInto("ledger_checks")
    .values({ id: check.id, started_at: nowMs, started_by: check.startedBy, report: beat(nowMs) })
    .returningAll()
    .executeTakeFirstOrThrow();
  const oldest = trx
    .selectFrom("ledger_checks")
    .select("started_at")
    .orderBy("started_at", "desc")
    .offset(keptMax)
    .limit(1);
  await trx.deleteFrom("ledger_checks").where("started_at", "<=", oldest).execute();
  return toCheck(row, nowMs);
}

export function createCheckMethods({ db, clock }: MethodsOptions): CheckMethods {
  return {
    beginLedgerCheck: (check) => db.transaction().execute((trx) => begin(trx, check, clock.wallMs())),
    async beatLedgerCheck(id) {
      await db
        .updateTable("ledger_checks")
        .set({ report: beat(clock.wallMs()) })
        .where("id", "=", id)
        .where("ended_at", "is", null)
        .execute();
    },
    async endLedgerCheck(id, report) {
      await db
        .updateTable("ledger_checks")
        .set({
          ended_at: clock.wallMs(),
          is_ok: report === null ? null : report.isOk ? 1 : 0,
          report: report && asText(report),
        })
        .where("id", "=", id)
        .where("ended_at", "is", null)
        .execute();
    },
    async listLedgerChecks({ limit, before }) {
      const rows = await db
        .selectFrom("ledger_checks")
        .selectAll()
        .$if(before !== undefined, (query) =>
          query.where((eb) =>
            eb(eb.refTuple("started_at", "id"), "<", eb.tuple(before?.startedAt ?? 0, before?.id ?? "")),
          ),
        )
        .orderBy("started_at", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map((row) => toCheck(row, clock.wallMs()));
    },
  };
}
