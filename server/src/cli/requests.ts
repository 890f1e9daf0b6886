/** `plaza requests`: the newest requests, from the database. */
import { formatUsd } from "@plaza/contract/money.ts";
import type { Command } from "commander";
import type { StoredRequest } from "../store/requests/shapes.ts";
import { readLimit } from "./arguments.ts";
import type { CommandIo } from "./command-io.ts";
import { formatTable, isoTime, shortTime, writeJson } from "./output.ts";
import { addStoreSettings, getAccount, withStore } from "./with-store.ts";

const limitDefault = 20;

/** Formats tokens; estimated ones are marked. */
function formatTokens(row: StoredRequest, tokens: number): string {
  if (row.usageSource === "none") return "-";
  return row.usageSource === "estimated" ? `~${tokens}` : String(tokens);
}

/** Formats the upstream cost; "?" when a deployment without a cost answered. */
function formatCost({ cost, usageSource }: StoredRequest): string {
  if (cost === null) return "?";
  return usageSource === "none" && cost === 0n ? "-" : formatUsd(cost);
}

function formatRow(row: StoredRequest): string[] {
  return [
    shortTime(row.createdAt),
    row.id,
    row.modelId ?? "-",
    row.errorCode === null ? row.state : `${row.state} (${row.errorCode})`,
    String(row.status),
    formatTokens(row, row.inputTokens + row.cachedInputTokens + row.cacheWriteTokens),
    formatTokens(row, row.outputTokens),
    row.priceId === null && row.charge === 0n ? "-" : formatUsd(row.charge),
    row.loss === 0n ? "" : formatUsd(row.loss),
    formatCost(row),
    row.firstTokenMs === null ? "-" : String(Math.round(row.firstTokenMs)),
    String(Math.round(row.durationMs)),
  ];
}

/** Shown only if any row has them: the part of a charge the balance did not cover, and costs. */
const lossHeading = "loss USD";
const costHeading = "cost USD";
const headings = [
  ...["time (UTC)", "id", "model", "state", "status", "in", "out", "charge USD", lossHeading, costHeading],
  ...["first token ms", "ms"],
];
const numbers = headings.slice(headings.indexOf("status"));

function formatRows(rows: readonly StoredRequest[]): string {
  const cells = rows.map(formatRow);
  const hidden = [
    ...(rows.some(({ loss }) => loss > 0n) ? [] : [lossHeading]),
    ...(rows.some(({ cost }) => cost !== null && cost > 0n) ? [] : [costHeading]),
  ];
  const isShown = (_: string, column: number) => !hidden.includes(headings[column] ?? "");
  return formatTable(
    headings.filter(isShown),
    cells.map((row) => row.filter(isShown)),
    numbers,
  );
}

const asJson = ({ createdAt, charge, loss, cost, ...row }: StoredRequest) => ({
  ...row,
  createdAt: isoTime(createdAt),
  charge: formatUsd(charge),
  loss: formatUsd(loss),
  /** null = unknown. */
  cost: cost === null ? null : formatUsd(cost),
});

async function list(
  io: CommandIo,
  options: { account?: string; limit: number; json?: boolean },
): Promise<void> {
  const rows = await withStore(io, options, async (store) => {
    if (options.account !== undefined) await getAccount(store, options.account);
    return store.listRequests({ accountId: options.account, limit: options.limit });
  });
  if (options.json === true) {
    writeJson(io, rows.map(asJson));
    return;
  }
  if (rows.length === 0) {
    io.out("No requests yet.\n");
    return;
  }
  io.out(formatRows(rows));
  if (rows.some((row) => row.usageSource === "estimated")) {
    io.out("~ estimated: the upstream reported no usage, so Plaza counted what went by.\n");
  }
}

const more = `
Examples:
  $ npx plaza requests
  $ npx plaza requests --account acc_01 --limit 100 --json
`;

export function addRequests(program: Command, io: CommandIo): void {
  const command = program
    .command("requests")
    .description("List the newest requests with their state, tokens, charge, cost and times.")
    .option("--account <id>", "only requests of this account")
    .option("--limit <number>", "maximum number", readLimit, limitDefault)
    .option("--json", "print JSON, with all columns")
    .addHelpText("after", more);
  addStoreSettings(command).action((options: { account?: string; limit: number; json?: boolean }) =>
    list(io, options),
  );
}
