/**
 * `plaza account`: creates, lists, suspends and closes accounts. limits.ts has their limits, responses.ts how
 * long their responses are kept.
 */

import { formatUsd, type NanoUsd, parseUsd } from "@plaza/contract/money.ts";
import type { Command } from "commander";
import { createIdFactory } from "../../lib/id.ts";
import type { Account, AccountStatus, AccountsStore } from "../../store/accounts/account-shapes.ts";
import { readAmount, readName } from "../arguments.ts";
import { audited } from "../audit.ts";
import type { CommandIo } from "../command-io.ts";
import { CommandFailure } from "../failure.ts";
import { formatLimits } from "../keys/limit-options.ts";
import { formatTable, isoTime, shortTime, writeJson } from "../output.ts";
import { addStatusCommands, type StatusChange, type StatusOptions } from "../status-commands.ts";
import { addStoreSettings, repeatStoreSettings, withStore } from "../with-store.ts";
import { addAccountLimits } from "./limits.ts";
import { addAccountResponses } from "./responses.ts";

const zero = parseUsd("0");

async function create(
  io: CommandIo,
  name: string,
  options: { balance?: NanoUsd; data?: string; database?: string; json?: boolean },
) {
  const id = createIdFactory(io.clock)("acc");
  const newAccount = { id, name, balance: options.balance ?? zero };
  const detail = { name, balance: formatUsd(newAccount.balance) };
  const account = await withStore(io, options, (store) =>
    audited(
      io,
      store,
      { action: "account create", subject: id, detail },
      () => store.createAccount(newAccount),
      () => ({
        accountId: id,
      }),
    ),
  );
  const balance = formatUsd(account.balance);
  if (options.json === true) {
    writeJson(io, { id: account.id, name: account.name, balance, leased: formatUsd(account.leased) });
    return;
  }
  io.out(`Account ${account.id} (${account.name}) has a balance of ${balance} USD.\n`);
  io.out(`Create a key:  npx plaza key create --account ${account.id}${repeatStoreSettings(options)}\n`);
}

const asJson = ({ balance, leased, createdAt, ...account }: Account) => ({
  ...account,
  balance: formatUsd(balance),
  leased: formatUsd(leased),
  createdAt: isoTime(createdAt),
});

async function list(io: CommandIo, options: { json?: boolean }) {
  const accounts = await withStore(io, options, (store) => store.listAccounts());
  if (options.json === true) {
    writeJson(io, accounts.map(asJson));
    return;
  }
  if (accounts.length === 0) {
    io.out("No accounts yet. Create one:  npx plaza account create NAME --balance 5.00\n");
    return;
  }
  const rows = accounts.map(({ id, name, status, balance, leased, createdAt, limits }) => [
    id,
    name,
    status,
    formatUsd(balance),
    formatUsd(leased),
    shortTime(createdAt),
    formatLimits(limits) || "default",
  ]);
  const amounts = ["balance USD", "of it lent USD"];
  io.out(formatTable(["id", "name", "status", ...amounts, "created (UTC)", "limits"], rows, amounts));
}

const changes: readonly StatusChange<AccountStatus>[] = [
  {
    verb: "suspend",
    status: "suspended",
    text: "Reject all requests of an account until you resume it.",
    done: "is suspended; resume it with: npx plaza account resume",
  },
  { verb: "resume", status: "active", text: "Resume a suspended account.", done: "is active" },
  {
    verb: "close",
    status: "closed",
    text: "Close an account permanently. Its balance stays in the ledger.",
    done: "is permanently closed",
  },
];

/** Throws when the account does not exist or is closed. */
async function setStatus(store: AccountsStore, id: string, status: AccountStatus): Promise<Account> {
  const account = await store.setAccountStatus(id, status);
  if (account === undefined)
    throw new CommandFailure("not_found", `account ${id} not found; see: npx plaza account list`);
  if (account.status === status) return account;
  throw new CommandFailure(
    "account_closed",
    `account ${id} is permanently closed; create another one with: npx plaza account create`,
  );
}

async function change(
  io: CommandIo,
  id: string,
  { verb, status, done }: StatusChange<AccountStatus>,
  options: StatusOptions,
): Promise<void> {
  const account = await withStore(io, options, async (store) => {
    const before = await store.findAccount(id);
    return await audited(
      io,
      store,
      { action: `account ${verb}`, subject: id },
      () => setStatus(store, id, status),
      () => (before?.status === status ? "unchanged" : { accountId: id }),
    );
  });
  if (options.json === true) {
    writeJson(io, { id, status, balance: formatUsd(account.balance), leased: formatUsd(account.leased) });
    return;
  }
  const left = `with a balance of ${formatUsd(account.balance)} USD`;
  io.out(`Account ${id} (${account.name}), ${left}, ${done}${status === "suspended" ? ` ${id}` : ""}.
`);
}

const createMore = `
Examples:
  $ npx plaza account create "Team Blue" --balance 5.00
  $ npx plaza account create ci --balance 5.00 --json
`;

export function addAccount(program: Command, io: CommandIo): void {
  const account = program
    .command("account")
    .description("Create, list, limit, suspend, resume and close accounts.");
  const createCommand = account
    .command("create")
    .description("Create an account.")
    .argument("<name>", "display name", readName)
    .option("--balance <usd>", "initial balance in US dollars, for example 5.00 (default: 0)", readAmount)
    .option("--json", "print JSON")
    .addHelpText("after", createMore);
  addStoreSettings(createCommand).action((name: string, options: object) => create(io, name, options));
  addStatusCommands(account, "ID of the account", changes, (id, one, options) =>
    change(io, id, one, options),
  );
  addAccountLimits(account, io);
  addAccountResponses(account, io);
  const listCommand = account
    .command("list")
    .description("List all accounts.")
    .option("--json", "print JSON");
  addStoreSettings(listCommand).action((options: object) => list(io, options));
}
