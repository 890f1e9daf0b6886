/**
 * Commands that change the status of one item by id, such as `plaza account suspend` and `plaza key revoke`.
 */
import type { Command } from "commander";
import { addStoreSettings } from "./with-store.ts";

/** The command's name, the new status, its help text and its success message. */
export interface StatusChange<Status> {
  readonly verb: string;
  readonly status: Status;
  readonly text: string;
  readonly done: string;
}

export interface StatusOptions {
  readonly json?: boolean;
}

/** Adds a command per status change. `idText`: help text of its argument. */
export function addStatusCommands<Status>(
  parent: Command,
  idText: string,
  changes: readonly StatusChange<Status>[],
  run: (id: string, change: StatusChange<Status>, options: StatusOptions) => Promise<void>,
): void {
  for (const change of changes) {
    const command = parent
      .command(change.verb)
      .description(change.text)
      .argument("<id>", idText)
      .option("--json", "print JSON");
    addStoreSettings(command).action((id: string, options: StatusOptions) => run(id, change, options));
  }
}
