/** Options and help of `plaza ready`; `ready.ts` has what it does. */
import type { Command } from "commander";
import type { SettingName } from "../../config/config.ts";
import type { CommandIo } from "../command-io.ts";
import { addSettings, readSettings } from "../settings-options.ts";
import { askReady, type ReadyOptions } from "./ready.ts";

const more = `
Asks at PLAZA_HEALTH_LISTEN where it is set, else at PLAZA_HOST and PLAZA_PORT. Exit status: 0 yes, 1 no.

Examples:
  $ npx plaza ready
  $ npx plaza ready --alive
`;

const readySettings: readonly SettingName[] = ["host", "port", "healthListen"];

export function addReady(program: Command, io: CommandIo): void {
  const command = program
    .command("ready")
    .description("Ask the server on this machine whether it should get traffic; for health checks.")
    .option("--alive", "ask only whether it runs, like GET /healthz")
    .addHelpText("after", more);
  addSettings(command, readySettings).action((options: ReadyOptions) =>
    askReady(readSettings(io, options, readySettings), options, io),
  );
}
