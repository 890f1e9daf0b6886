/** `plaza ledger verify`: recalculates the whole ledger and reports differences. Changes nothing. */
import { formatUsd } from "@plaza/contract/money.ts";
import type { Command } from "commander";
import type { LedgerReport } from "../../store/ledger/shapes.ts";
import type { CommandIo } from "../command-io.ts";
import { ReportedFailure } from "../failure.ts";
import { counted, formatTable, writeJson } from "../output.ts";
import { addStoreSettings, withStore } from "../with-store.ts";

const totalsOf = ({ totals }: LedgerReport) => ({
  balance: formatUsd(totals.balance),
  leased: formatUsd(totals.leased),
  credited: formatUsd(totals.credited),
  charged: formatUsd(totals.charged),
  lost: formatUsd(totals.lost),
});

const asJson = (report: LedgerReport) => ({
  ok: report.isOk,
  accounts: report.accounts,
  entries: report.entries,
  requests: report.requests,
  leases: report.leases,
  totals: totalsOf(report),
  findings: report.findings.map(({ what, subject, text }) => ({ what, subject, text })),
  moreFindings: report.moreFindings,
});

function formatReport(report: LedgerReport): string {
  const totals = totalsOf(report);
  const rows = [
    ["credited (top-ups, refunds, adjustments)", totals.credited],
    ["charged", totals.charged],
    ["absorbed by the operator", totals.lost],
    ["balance of all accounts", totals.balance],
    ["of which leased to running servers", totals.leased],
  ];
  const accounts = counted(report.accounts, "account", "accounts");
  const entries = counted(report.entries, "entry", "entries");
  const requests = counted(report.requests, "request", "requests");
  const checked = `${accounts}, ${entries}, ${requests} and ${counted(report.leases, "lease", "leases")}`;
  return `Checked ${checked}.\n${formatTable(["total", "USD"], rows, ["USD"])}`;
}

function formatFindings({ findings, moreFindings }: LedgerReport): string {
  const rows = findings.map(({ what, subject, text }) => [what, subject, text]);
  const more = moreFindings > 0 ? `… and ${moreFindings} more.\n` : "";
  return `${formatTable(["what", "where", "finding"], rows)}${more}`;
}

/** Prints the report of a check. Throws ReportedFailure when a sum is off. */
export function reportLedger(io: CommandIo, report: LedgerReport, options: { json?: boolean }): void {
  if (options.json === true) writeJson(io, asJson(report));
  else io.out(formatReport(report));
  if (report.isOk) {
    if (options.json !== true) io.out("All sums are correct.\n");
    return;
  }
  if (options.json !== true) io.out(`\n${formatFindings(report)}`);
  const count = report.findings.length + report.moreFindings;
  io.err(
    `error: the ledger does not balance: ${counted(count, "finding", "findings")}; back up the database before you do anything else\n`,
  );
  throw new ReportedFailure();
}

async function verify(io: CommandIo, options: { json?: boolean }): Promise<void> {
  const report = await withStore(io, options, async (store) => {
    await store.checkFile(Number.POSITIVE_INFINITY);
    return await store.verifyLedger();
  });
  reportLedger(io, report, options);
}

const more = `
Adds up again every account's entries, every lease, and the charge of every request from its usage and price. Reads only,
and may run while servers do. Exit status: 0 every sum is right, 1 something is off.

Examples:
  $ npx plaza ledger verify
  $ npx plaza ledger verify --json
`;

export function addLedgerVerify(ledger: Command, io: CommandIo): void {
  const command = ledger
    .command("verify")
    .description("Recompute all sums: entries, balances, leases, charges.")
    .option("--json", "print JSON")
    .addHelpText("after", more);
  addStoreSettings(command).action((options: { json?: boolean }) => verify(io, options));
}
