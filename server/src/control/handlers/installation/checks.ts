/** The ledger check: runs in the background, one at a time; its result is stored. */

import type { ledgerCheck } from "@plaza/contract/api/installation.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { formatUsd } from "@plaza/contract/money.ts";
import type { z } from "zod";
import type { LedgerReport } from "../../../store/ledger/shapes.ts";
import type { LedgerCheck } from "../../../store/operation/operation.ts";
import type { ControlContext } from "../../context.ts";

type Shown = z.output<typeof ledgerCheck>;

/**
 * Milliseconds between a check's signs of life; it is considered dead after six times as long
 * (`store/operation/checks.ts`).
 */
const beatMs = 5_000;

function showReport({ findings, totals, moreFindings, accounts, entries, requests, leases }: LedgerReport) {
  const { balance, leased, credited, charged, lost } = totals;
  return {
    findings: findings.map((finding) => ({ ...finding })),
    moreFindings,
    accounts,
    entries,
    requests,
    leases,
    totals: {
      balance: formatUsd(balance),
      leased: formatUsd(leased),
      credited: formatUsd(credited),
      charged: formatUsd(charged),
      lost: formatUsd(lost),
    },
  };
}

export function showCheck({ id, startedAt, startedBy, endedAt, status, report }: LedgerCheck): Shown {
  return {
    id,
    startedAt: new Date(startedAt).toISOString(),
    startedBy,
    endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
    // A check cut off by a restart has no result.
    status: status === "cut" ? "failed" : status,
    report: report === null ? null : showReport(report),
  };
}

/** Runs the check and stores the result. Never rejects: no caller waits for it. */
async function run({ store, log, checkLedger }: ControlContext, id: string): Promise<void> {
  const beat = setInterval(() => void store.beatLedgerCheck(id).catch(() => {}), beatMs).unref();
  let report: LedgerReport | null = null;
  try {
    report = await checkLedger();
    if (!report.isOk) log.error("ledger_check_wrong", { check: id, findings: report.findings.length });
  } catch (error) {
    log.error("ledger_check_broken", { check: id, error: (error as Error).message });
  } finally {
    clearInterval(beat);
  }
  try {
    await store.endLedgerCheck(id, report);
  } catch (error) {
    log.error("ledger_check_broken", { check: id, error: (error as Error).message });
  }
}

/** Starts a check and returns. Throws `already_exists` while one runs in any process. */
export async function startCheck(context: ControlContext, startedBy: string): Promise<Shown> {
  const check = await context.store.beginLedgerCheck({ id: context.newId("chk"), startedBy });
  if (check === undefined)
    throw new GatewayError("already_exists", { message: message("server.checkRunning") });
  void run(context, check.id);
  return showCheck(check);
}
