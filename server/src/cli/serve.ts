/** `plaza serve`: its options. main.ts has the server. */
import type { Command } from "commander";
import type { CommandIo } from "./command-io.ts";
import { serveSettings } from "./plain-serve.ts";
import { addSettings, readSettings } from "./settings-options.ts";

const more = `
Without a catalog a first start serves a demo model and prints a key for it. docs/operate/config.md lists all settings.

Examples:
  $ npx plaza serve
  $ npx plaza serve --host 0.0.0.0 --catalog plaza.yaml
  $ npx plaza serve --port 0 --data /var/lib/plaza --workers 4
`;

export function addServe(program: Command, io: CommandIo): void {
  const command = program.command("serve").description("Run the gateway.").addHelpText("after", more);
  addSettings(command, serveSettings).action(async (options: object) => {
    const config = readSettings(io, options, serveSettings);
    const { startServer } = await import("../main.ts");
    await startServer(config);
  });
}
