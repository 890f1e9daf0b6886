/** `plaza account`: creates and lists accounts. */
import { formatUsd, type NanoUsd, parseUsd } from "@plaza/contract/money.ts";
import type { Command } from "commander";
import { createIdFactory } from "../lib/id.ts";
import type { Account } from "../store/store.ts";
import { readAmount, readName } from "./arguments.ts";
import type { CommandIo } from "./command-io.ts";
import { formatTable, isoTime, shortTime, writeJson } from "./output.ts";
import { addStoreSettings, repeatStoreSettings, withStore } from "./with-store.ts";

const zero = parseUsd("0");

async function create(
  io: CommandIo,
  name: string,
  options: { balance?: NanoUsd; data?: string; database?: string; json?: boolean },
) {
  const id = createIdFactory(io.clock)("acc");
  const account = await withStore(io, options, (store) =>
    store.createAccount({ id, name, balance: options.balance ?? zero }),
  );
  const balance = formatUsd(account.balance);
  if (options.json === true) {
    writeJson(io, { id: account.id, name: account.name, balance });
    return;
  }
  io.out(`Account ${account.id} (${account.name}) has a balance of ${balance} USD.\n`);
  io.out(`Make a key for it:  npx plaza key create --account ${account.id}${repeatStoreSettings(options)}\n`);
}

const asJson = ({ balance, createdAt, ...account }: Account) => ({
  ...account,
  balance: formatUsd(balance),
  createdAt: isoTime(createdAt),
});

async function list(io: CommandIo, options: { json?: boolean }) {
  const accounts = await withStore(io, options, (store) => store.listAccounts());
  if (options.json === true) {
    writeJson(io, accounts.map(asJson));
    return;
  }
  if (accounts.length === 0) {
    io.out("There is no account yet. Make one:  npx plaza account create NAME --balance 5.00\n");
    return;
  }
  const rows = accounts.map(({ id, name, status, balance, createdAt }) => [
    id,
    name,
    status,
    formatUsd(balance),
    shortTime(createdAt),
  ]);
  io.out(formatTable(["id", "name", "status", "balance USD", "created (UTC)"], rows, ["balance USD"]));
}

const createMore = `
Examples:
  $ npx plaza account create "Team Blue" --balance 5.00
  $ npx plaza account create ci --balance 5.00 --json
`;

export function addAccount(program: Command, io: CommandIo): void {
  const account = program.command("account").description("Create and list accounts.");
  const createCommand = account
    .command("create")
    .description("Create an account.")
    .argument("<name>", "a name for people", readName)
    .option("--balance <usd>", "US dollars to start with, like 5.00 (default: 0)", readAmount)
    .option("--json", "answer as one JSON document")
    .addHelpText("after", createMore);
  addStoreSettings(createCommand).action((name: string, options: object) => create(io, name, options));
  const listCommand = account
    .command("list")
    .description("List all accounts.")
    .option("--json", "answer as one JSON document");
  addStoreSettings(listCommand).action((options: object) => list(io, options));
}
