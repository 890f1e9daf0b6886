/** `plaza ledger`: lists an account's entries and writes corrections. ledger-verify.ts recalculates it. */

import { formatUsd, type NanoUsd, nanoUsd } from "@plaza/contract/money.ts";
import type { Command } from "commander";
import type { LedgerEntry, LedgerStore, NewLedgerEntry } from "../../store/ledger/shapes.ts";
import type { RequestsStore } from "../../store/requests/shapes.ts";
import { readLimit, readName, readPositiveAmount, readSignedAmount } from "../arguments.ts";
import type { CommandIo } from "../command-io.ts";
import { CommandFailure } from "../failure.ts";
import { formatTable, shortTime, writeJson } from "../output.ts";
import { addStoreSettings, getAccount, withStore } from "../with-store.ts";
import { addMoney, entryAsJson } from "./entry.ts";
import { addLedgerVerify } from "./ledger-verify.ts";

interface CorrectionOptions {
  readonly note?: string;
  readonly json?: boolean;
}

const limitDefault = 20;

const formatEntry = (entry: LedgerEntry): string[] => [
  shortTime(entry.createdAt),
  String(entry.id),
  entry.kind,
  formatUsd(entry.amount),
  entry.requestId ?? entry.reference ?? "-",
  entry.expiresAt === null ? "-" : shortTime(entry.expiresAt),
  entry.note ?? "",
];

const headings = ["time (UTC)", "id", "kind", "amount USD", "request or reference", "expires (UTC)", "note"];

async function list(io: CommandIo, accountId: string, options: { limit: number; json?: boolean }) {
  const { account, entries } = await withStore(io, options, async (store) => ({
    account: await getAccount(store, accountId),
    entries: await store.listEntries({ accountId, limit: options.limit }),
  }));
  if (options.json === true) {
    writeJson(io, entries.map(entryAsJson));
    return;
  }
  if (entries.length === 0) {
    io.out(`No entries yet. Top up:  npx plaza topup ${accountId} 5.00\n`);
    return;
  }
  io.out(formatTable(headings, entries.map(formatEntry), ["id", "amount USD"]));
  io.out(`The balance is ${formatUsd(account.balance)} USD.\n`);
}

/** Writes a correction and reports the new balance. */
async function correct(
  io: CommandIo,
  options: CorrectionOptions,
  action: string,
  done: (entry: LedgerEntry) => string,
  createEntry: (store: LedgerStore & RequestsStore) => Promise<NewLedgerEntry>,
): Promise<void> {
  const { entry, balance } = await addMoney(io, options, action, createEntry);
  if (options.json === true) {
    writeJson(io, { ...entryAsJson(entry), balance: formatUsd(balance) });
    return;
  }
  io.out(`${done(entry)}\nThe balance is ${formatUsd(balance)} USD.\n`);
}

function adjust(io: CommandIo, accountId: string, amount: NanoUsd, options: CorrectionOptions) {
  return correct(
    io,
    options,
    "ledger adjust",
    (entry) => `Account ${accountId} was adjusted by ${formatUsd(entry.amount)} USD.`,
    async () => ({ accountId, kind: "adjustment", amount, note: options.note }),
  );
}

/**
 * Returns the amount to refund: the one named, or everything paid. Throws when there is nothing to refund.
 */
async function refundOf(
  store: LedgerStore & RequestsStore,
  requestId: string,
  amount: NanoUsd | undefined,
): Promise<NewLedgerEntry> {
  const found = await store.findRequest(requestId);
  if (found === undefined) {
    throw new CommandFailure("not_found", `request ${requestId} not found; see: npx plaza requests`);
  }
  const { accountId, charge, loss } = found.request;
  const paid = nanoUsd(charge - loss);
  if (paid === 0n) throw new CommandFailure("nothing_paid", `request ${requestId} was not charged`);
  if (amount !== undefined && amount > paid) {
    throw new CommandFailure(
      "invalid",
      `request ${requestId} was charged only ${formatUsd(paid)} USD: enter at most this amount, or none to refund all of it`,
    );
  }
  return { accountId, kind: "refund", amount: amount ?? paid, requestId };
}

function refund(io: CommandIo, requestId: string, amount: NanoUsd | undefined, options: CorrectionOptions) {
  return correct(
    io,
    options,
    "ledger refund",
    (entry) =>
      `Account ${entry.accountId} was refunded ${formatUsd(entry.amount)} USD for request ${requestId}.`,
    async (store) => ({ ...(await refundOf(store, requestId, amount)), note: options.note }),
  );
}

const listMore = `
Examples:
  $ npx plaza ledger list acc_01
  $ npx plaza ledger list acc_01 --limit 1000 --json
`;

const adjustMore = `
Entries are never changed: a correction is an entry of its own. Money that running servers hold for calls in progress
cannot be taken away.

Examples:
  $ npx plaza ledger adjust acc_01 -2.50 --note "typo in invoice 2026-11"
  $ npx plaza ledger adjust acc_01 1.00 --note "goodwill"
`;

const refundMore = `
A request is refunded once, by at most what was paid for it.

Examples:
  $ npx plaza ledger refund req_01
  $ npx plaza ledger refund req_01 0.05 --note "answer was cut off"
`;

export function addLedger(program: Command, io: CommandIo): void {
  const ledger = program.command("ledger").description("Verify, list and correct ledger entries.");
  addLedgerVerify(ledger, io);
  const listCommand = ledger
    .command("list")
    .description("List an account's entries, newest first.")
    .argument("<account>", "ID of the account")
    .option("--limit <number>", "maximum number", readLimit, limitDefault)
    .option("--json", "print JSON")
    .addHelpText("after", listMore);
  addStoreSettings(listCommand).action((account: string, options: { limit: number; json?: boolean }) =>
    list(io, account, options),
  );
  const adjustCommand = ledger
    .command("adjust")
    .description("Adjust an account's balance.")
    .argument("<account>", "ID of the account")
    .argument(
      "<amount>",
      "US dollars to add, for example 1.00, or subtract, for example -1.00",
      readSignedAmount,
    )
    .requiredOption("--note <text>", "why", readName)
    .option("--json", "print JSON")
    .addHelpText("after", adjustMore);
  addStoreSettings(adjustCommand).action((account: string, amount: NanoUsd, options: CorrectionOptions) =>
    adjust(io, account, amount, options),
  );
  const refundCommand = ledger
    .command("refund")
    .description("Refund a request in full or in part.")
    .argument("<request>", "ID of the request")
    .argument("[amount]", "US dollars (default: the full charge)", readPositiveAmount)
    .option("--note <text>", "why", readName)
    .option("--json", "print JSON")
    .addHelpText("after", refundMore);
  addStoreSettings(refundCommand).action(
    (request: string, amount: NanoUsd | undefined, options: CorrectionOptions) =>
      refund(io, request, amount, options),
  );
}
