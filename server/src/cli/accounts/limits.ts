/** `plaza account limits`: shows and changes the limits of one account. */
import type { Command } from "commander";
import { isSame } from "../../lib/record.ts";
import type { Account } from "../../store/accounts/account-shapes.ts";
import { audited } from "../audit.ts";
import type { CommandIo } from "../command-io.ts";
import {
  addLimitsCommand,
  blockingNote,
  formatLimitLines,
  type LimitsCommandOptions,
  readLimitOptions,
} from "../keys/limit-options.ts";
import { writeJson } from "../output.ts";
import { getAccount, withStore } from "../with-store.ts";

type Options = LimitsCommandOptions<"default">;

function show({ id, name, limits }: Account): string {
  return `Limits of account ${id} (${name}):\n${formatLimitLines(limits, "default")}`;
}

async function limits(io: CommandIo, id: string, options: Options): Promise<void> {
  const requested = readLimitOptions(options);
  const account = await withStore(io, options, async (store) => {
    const found = await getAccount(store, id);
    if (Object.keys(requested).length === 0) return found;
    const act = { action: "account limits", accountId: id, subject: id, detail: requested };
    if (isSame(found.limits, requested)) return found;
    return await audited(io, store, act, async () => (await store.setAccountLimits(id, requested)) ?? found);
  });
  io.err(blockingNote(options, "this account"));
  if (options.json === true) writeJson(io, { id, limits: account.limits });
  else io.out(show(account));
}

const more = `
Without options it shows them. "default" is what plaza.yaml says under limits for every account.

Examples:
  $ npx plaza account limits acc_01
  $ npx plaza account limits acc_01 --rpm 600 --tpm 2000000
  $ npx plaza account limits acc_01 --rpm default
`;

export function addAccountLimits(account: Command, io: CommandIo): void {
  addLimitsCommand(account, {
    whose: "an account",
    idText: "ID of the account",
    word: "default",
    more,
    run: (id, options) => limits(io, id, options),
  });
}
