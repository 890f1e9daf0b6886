/** `plaza support-bundle`: one file to attach to a report, with everything but secrets. */
import { writeFileSync } from "node:fs";
import type { Command } from "commander";
import type { Config } from "../../config/config.ts";
import type { CommandIo } from "../command-io.ts";
import { readText } from "../connect/file.ts";
import { examine } from "../doctor/doctor.ts";
import { CommandFailure } from "../failure.ts";
import { counted } from "../output.ts";
import { readSettings } from "../settings-options.ts";
import { addStoreSettings, storeSettings, withStore } from "../with-store.ts";

interface SupportFlags {
  readonly out?: string;
  readonly offline?: boolean;
}

/** `plaza-support-20261127T103000Z.json` */
const nameAt = (wallMs: number): string =>
  `plaza-support-${new Date(wallMs).toISOString().replace(/[-:]|\.\d+/g, "")}.json`;

/** None where they are not understood: the findings say what is wrong with them. */
function settingsOf<T>(io: CommandIo, options: object, show: (config: Config) => T[]): T[] {
  try {
    return show(readSettings(io, options, storeSettings));
  } catch (error) {
    if (error instanceof CommandFailure) return [];
    throw error;
  }
}

async function support(io: CommandIo, options: SupportFlags, version: string): Promise<void> {
  const out = options.out ?? nameAt(io.clock.wallMs());
  if (readText(out) !== undefined)
    throw new CommandFailure("exists", `${out} is there already: give another name with --out`);
  const { bundleText, databaseFacts, machineFacts, settingFacts } = await import("./bundle.ts");
  const findings = await examine(io, options, version);
  const database = await withStore(io, options, databaseFacts).catch((error: unknown) => ({
    unreadable: error instanceof Error ? error.message : String(error),
  }));
  const text = bundleText({
    machine: machineFacts(io, version),
    settings: settingsOf(io, options, settingFacts),
    findings,
    database,
  });
  writeFileSync(out, text, { mode: 0o600, flag: "wx" });
  const bad = findings.filter(({ standing }) => standing !== "ok").length;
  io.err(
    `${out}: ${Math.ceil(text.length / 1024)} KiB, ${counted(bad, "finding", "findings")}. Read it before you send it.\n`,
  );
}

const more = `
Writes one JSON file: versions, settings that are set (never secrets), what plaza doctor finds, schema, storage, the servers'
reports, the shape of the catalog, and the newest requests that failed with what was tried. No credential, no key, no
account, no balance and no prompt is in it. Read it before you send it.

Examples:
  $ npx plaza support-bundle
  $ npx plaza support-bundle --offline --out report.json
`;

export function addSupportBundle(program: Command, io: CommandIo, version: string): void {
  const command = program
    .command("support-bundle")
    .description("Write a file about this installation for a report, without secrets.")
    .option("--out <file>", "name of the file (default: plaza-support-TIME.json)")
    .option("--offline", "do not ask the upstreams")
    .addHelpText("after", more);
  addStoreSettings(command).action((options: SupportFlags) => support(io, options, version));
}
