/**
 * P04: compares the ledger with the upstream's journal, call by call. Every call reports a prompt of unique
 * size, which matches rows to calls whatever happened to the answer.
 */
import type { CallRecord } from "../../upstream/journal.ts";
import { countFigure, type Figure, zeroFigure } from "../figure.ts";
import { type ReportedUsage, readReportedText } from "./calls.ts";
import type { RequestSeen } from "./ledger-reader.ts";
import { costOf } from "./money.ts";

export interface Reconciled {
  readonly exact: number;
  readonly estimated: number;
  readonly unpaid: number;
  /** Rows and calls that do not match. */
  readonly wrong: readonly string[];
  /** Difference in tokens between exact rows and the upstream's reports, summed over rows. */
  readonly tokensOff: number;
  /** Calls reported by the upstream without a charge: interrupted by a crash, or failed answers. */
  readonly unclaimed: number;
}

/** Matches every row with the upstream's journal. Pure. */
export function reconcile(rows: readonly RequestSeen[], calls: readonly CallRecord[]): Reconciled {
  const reports = new Map<number, { usage: ReportedUsage; call: CallRecord; isClaimed: boolean }>();
  for (const call of calls) {
    const usage = readReportedText(call.usage);
    if (usage !== undefined) reports.set(usage.input, { usage, call, isClaimed: false });
  }
  const wrong: string[] = [];
  const counts = { exact: 0, estimated: 0, unpaid: 0 };
  let tokensOff = 0;
  for (const row of rows) {
    const cost = row.source === "none" ? 0n : costOf(row);
    if (row.charge !== cost) wrong.push(`${row.id}: charged ${row.charge}, its tokens cost ${cost}`);
    if (row.source === "estimated") counts.estimated++;
    else if (row.source === "exact") {
      counts.exact++;
      const report = reports.get(row.input);
      if (report === undefined || report.isClaimed) {
        tokensOff += row.input + row.output;
        wrong.push(
          `${row.id}: exact with ${row.input} + ${row.output} tokens, ${report ? "a second time" : "never reported"}`,
        );
        continue;
      }
      report.isClaimed = true;
      const off =
        Math.abs(row.output - report.usage.output) + Math.abs(row.cachedInput - report.usage.cachedInput);
      tokensOff += off;
      const { path, fault } = report.call;
      if (off > 0)
        wrong.push(`${row.id}: ${off} tokens off what was reported (${fault || "no fault"}, ${path})`);
    } else {
      counts.unpaid++;
      if (row.input + row.output > 0) wrong.push(`${row.id}: tokens, but no source of them`);
    }
  }
  const unclaimed = [...reports.values()].filter(({ isClaimed }) => !isClaimed).length;
  return { ...counts, wrong, tokensOff, unclaimed };
}

export function reconcileFigures({
  exact,
  estimated,
  unpaid,
  wrong,
  tokensOff,
  unclaimed,
}: Reconciled): Figure[] {
  const all = exact + estimated + unpaid;
  return [
    countFigure(
      "P04",
      `rows agree with the upstream's book (${unclaimed} reports nobody was charged for)`,
      all,
      wrong,
    ),
    {
      promise: "P04",
      name: "tokens off in exact rows",
      reached: `${tokensOff} in ${exact} exact rows (beside ${estimated} flagged as estimated, ${unpaid} without usage)`,
      wanted: "0",
      ok: tokensOff === 0 && exact > 0,
      kind: "correct",
    },
  ];
}

/** Checks that answers received completely, with valid usage, have exact rows and one charge. Pure. */
export function judgeCharges(
  answers: readonly { readonly requestId: string; readonly usage: ReportedUsage | undefined }[],
  rows: readonly RequestSeen[],
  charges: readonly { readonly requestId: string; readonly amount: bigint }[],
): Figure[] {
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const chargesOf = Map.groupBy(charges, (charge) => charge.requestId);
  const lost: string[] = [];
  for (const { requestId, usage } of answers) {
    const row = rowOf.get(requestId);
    const [charge] = chargesOf.get(requestId) ?? [];
    const cost = usage === undefined ? undefined : costOf(usage);
    if (row === undefined || (charge === undefined && cost !== 0n))
      lost.push(`${requestId}: complete, and not on the ledger`);
    else if (cost !== undefined && (row.source !== "exact" || (charge?.amount ?? 0n) !== cost)) {
      lost.push(`${requestId}: ${row.source}, charged ${charge?.amount ?? 0n} for what costs ${cost}`);
    }
  }
  const double = [...chargesOf]
    .filter(([, lines]) => lines.length > 1)
    .map(([id, lines]) => `${id}: ${lines.length} charges`);
  const strangers = charges
    .filter(({ requestId }) => !rowOf.has(requestId))
    .map(({ requestId }) => `${requestId}: no row`);
  return [
    zeroFigure("P03", "answers completed without their charge", answers.length, lost),
    zeroFigure("P03", "requests charged twice, or charges of no request", charges.length, [
      ...double,
      ...strangers,
    ]),
  ];
}
