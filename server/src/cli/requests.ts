/** `plaza requests`: the newest requests, from the database. */
import { type Command, InvalidArgumentError } from "commander";
import type { RequestRow } from "../store/store.ts";
import type { CommandIo } from "./command-io.ts";
import { formatTable, isoTime, shortTime, writeJson } from "./output.ts";
import { addStoreSettings, getAccount, withStore } from "./with-store.ts";

const limitMax = 10_000;
const limitDefault = 20;

function readLimit(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > limitMax)
    throw new InvalidArgumentError(`Give a whole number from 1 to ${limitMax}.`);
  return limit;
}

/** Tokens of a class; estimated ones carry a mark. */
function formatTokens(row: RequestRow, tokens: number): string {
  if (row.usageSource === "none") return "-";
  return row.usageSource === "estimated" ? `~${tokens}` : String(tokens);
}

function formatRow(row: RequestRow): string[] {
  return [
    shortTime(row.createdAt),
    row.id,
    row.modelId ?? "-",
    row.errorCode === null ? row.state : `${row.state} (${row.errorCode})`,
    String(row.status),
    formatTokens(row, row.inputTokens + row.cachedInputTokens + row.cacheWriteTokens),
    formatTokens(row, row.outputTokens),
    row.firstTokenMs === null ? "-" : String(Math.round(row.firstTokenMs)),
    String(Math.round(row.durationMs)),
  ];
}

const headings = ["time (UTC)", "id", "model", "state", "status", "in", "out", "first token ms", "ms"];
const numbers = ["status", "in", "out", "first token ms", "ms"];

async function list(
  io: CommandIo,
  options: { account?: string; limit: number; json?: boolean },
): Promise<void> {
  const rows = await withStore(io, options, async (store) => {
    if (options.account !== undefined) await getAccount(store, options.account);
    return store.listRequests({ accountId: options.account, limit: options.limit });
  });
  if (options.json === true) {
    writeJson(
      io,
      rows.map((row) => ({ ...row, createdAt: isoTime(row.createdAt) })),
    );
    return;
  }
  if (rows.length === 0) {
    io.out("There is no request yet.\n");
    return;
  }
  io.out(formatTable(headings, rows.map(formatRow), numbers));
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
    .description("List the newest requests with their state, tokens and times.")
    .option("--account <id>", "only requests of this account")
    .option("--limit <number>", "how many at most", readLimit, limitDefault)
    .option("--json", "answer as one JSON document, with every column")
    .addHelpText("after", more);
  addStoreSettings(command).action((options: { account?: string; limit: number; json?: boolean }) =>
    list(io, options),
  );
}
