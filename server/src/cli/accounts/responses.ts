/** `plaza account responses`: shows and changes how long one account's responses are kept. */
import { responsesKeptMaxMs } from "@plaza/contract/responses-kept.ts";
import { type Command, InvalidArgumentError } from "commander";
import { formatDuration, parseDurationMs } from "../../lib/units.ts";
import type { Account } from "../../store/accounts/account-shapes.ts";
import { audited } from "../audit.ts";
import type { CommandIo } from "../command-io.ts";
import { writeJson } from "../output.ts";
import { addStoreSettings, getAccount, withStore } from "../with-store.ts";

interface Options {
  /** Milliseconds, or the word that restores the default. (Not null: commander reads that as missing.) */
  readonly keep?: number | "default";
  readonly data?: string;
  readonly database?: string;
  readonly json?: boolean;
}

function readKept(text: string): number | "default" {
  if (text === "default") return text;
  const ms = text === "off" ? 0 : parseDurationMs(text);
  if (ms !== undefined && ms <= responsesKeptMaxMs) return ms;
  throw new InvalidArgumentError(
    `Give "off", "default", or a time up to ${formatDuration(responsesKeptMaxMs)} like 12h or 7d.`,
  );
}

function show({ id, name, responsesKeptMs }: Account): string {
  if (responsesKeptMs === 0) return `Responses of account ${id} (${name}) are not kept.\n`;
  const time = responsesKeptMs === null ? "as for every account" : formatDuration(responsesKeptMs);
  return `Responses of account ${id} (${name}) are kept: ${time}.\n`;
}

async function responses(io: CommandIo, id: string, options: Options): Promise<void> {
  const { keep } = options;
  const account = await withStore(io, options, async (store) => {
    const found = await getAccount(store, id);
    if (keep === undefined) return found;
    const keptMs = keep === "default" ? null : keep;
    if (keptMs === found.responsesKeptMs) return found;
    const detail = { responsesKeptMs: keptMs };
    const act = { action: "account responses", accountId: id, subject: id, detail };
    return await audited(io, store, act, async () => (await store.setResponsesKept(id, keptMs)) ?? found);
  });
  if (options.json === true) writeJson(io, { id, responsesKeptMs: account.responsesKeptMs });
  else io.out(show(account));
}

const more = `
Without options it shows the time. "default" is the server's PLAZA_RESPONSES_KEPT_MS. "off" also deletes what is
stored: calls of this account then have to send store: false or leave it out, and their whole conversation.

Examples:
  $ npx plaza account responses acc_01
  $ npx plaza account responses acc_01 --keep 7d
  $ npx plaza account responses acc_01 --keep off
`;

export function addAccountResponses(account: Command, io: CommandIo): void {
  const command = account
    .command("responses")
    .description(
      "Show or change how long answers of /v1/responses are kept for an account. Running servers apply it within a second.",
    )
    .argument("<id>", "ID of the account")
    .option("--keep <time|off|default>", "how long they are kept", readKept)
    .option("--json", "print JSON")
    .addHelpText("after", more);
  addStoreSettings(command).action((id: string, options: Options) => responses(io, id, options));
}
