/** `plaza topup`: adds money to an account's balance. */
import { formatUsd, type NanoUsd } from "@plaza/contract/money.ts";
import type { Command } from "commander";
import type { NewLedgerEntry } from "../../store/ledger/shapes.ts";
import { type Expiry, readExpiry, readName, readPositiveAmount } from "../arguments.ts";
import type { CommandIo } from "../command-io.ts";
import { shortTime, writeJson } from "../output.ts";
import { addStoreSettings } from "../with-store.ts";
import { addMoney, entryAsJson } from "./entry.ts";

interface TopupOptions {
  readonly note?: string;
  readonly reference?: string;
  readonly expires?: Expiry;
  readonly json?: boolean;
}

async function topup(io: CommandIo, accountId: string, amount: NanoUsd, options: TopupOptions) {
  const { note, reference, expires } = options;
  const newEntry: NewLedgerEntry = { accountId, kind: "topup", amount, note, reference, ...expires };
  const { entry, isNew, balance } = await addMoney(io, options, "topup", async () => newEntry);
  if (options.json === true) {
    writeJson(io, { ...entryAsJson(entry), balance: formatUsd(balance), repeated: !isNew });
    return;
  }
  if (isNew) {
    const until = entry.expiresAt === null ? "" : `, unused credit expires ${shortTime(entry.expiresAt)} UTC`;
    io.out(`Account ${accountId} was topped up by ${formatUsd(amount)} USD${until}.\n`);
  } else {
    const when = shortTime(entry.createdAt);
    io.out(`Nothing changed: the top-up with reference ${reference} already exists (${when} UTC).\n`);
    if (note !== undefined && note !== entry.note) {
      io.out(`Its note stays ${entry.note === null ? "empty" : JSON.stringify(entry.note)}.\n`);
    }
  }
  io.out(`The balance is ${formatUsd(balance)} USD.\n`);
}

const more = `
AMOUNT is US dollars with at most nine decimals. A payment named by --reference is added once, however often the command
is repeated, and refused with another amount or expiry; its first note stays. What is left of a top-up that --expires is taken back at that time; spending uses it up first.

To take money away, use: npx plaza ledger adjust

Examples:
  $ npx plaza topup acc_01 25.00 --note "invoice 2026-11"
  $ npx plaza topup acc_01 25.00 --reference pay_8f2c --json
  $ npx plaza topup acc_01 5.00 --note "welcome" --expires 30d
`;

export function addTopup(program: Command, io: CommandIo): void {
  const command = program
    .command("topup")
    .description("Top up an account's balance. Running servers apply it within a second.")
    .argument("<account>", "ID of the account")
    .argument("<amount>", "US dollars, like 25.00", readPositiveAmount)
    .option("--note <text>", "a note kept with the entry", readName)
    .option("--reference <id>", "unique reference of the payment, so that it is never added twice", readName)
    .option("--expires <date>", "when unused credit expires: 2030-12-31 or 30d from now", (text: string) =>
      readExpiry(text, io.clock.wallMs()),
    )
    .option("--json", "print JSON")
    .addHelpText("after", more);
  addStoreSettings(command).action((account: string, amount: NanoUsd, options: TopupOptions) =>
    topup(io, account, amount, options),
  );
}
