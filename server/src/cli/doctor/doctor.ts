/** `plaza doctor`: looks at everything an installation needs and says what to do. Changes nothing. */
import type { Command } from "commander";
import type { Config, SettingName } from "../../config/config.ts";
import type { CommandIo } from "../command-io.ts";
import { CommandFailure, ReportedFailure } from "../failure.ts";
import { counted, writeJson } from "../output.ts";
import { addSettings, readSettings } from "../settings-options.ts";
import { storeSettings } from "../with-store.ts";
import { type Finding, ok, problem, type Standing, warning } from "./finding.ts";

interface DoctorFlags {
  readonly json?: boolean;
  readonly offline?: boolean;
  readonly whole?: boolean;
}

const settingNames: readonly SettingName[] = storeSettings;

/** The settings; undefined with a finding for each that is wrong. */
function checkSettings(io: CommandIo, options: object): { config?: Config; findings: Finding[] } {
  const what = "settings";
  try {
    const config = readSettings(io, options, settingNames);
    const findings: Finding[] = [];
    if ((config.oidcIssuer === undefined) !== (config.oidcClientId === undefined)) {
      const text = "only one of PLAZA_OIDC_ISSUER and PLAZA_OIDC_CLIENT_ID is set";
      findings.push(warning(what, text, "set both, or neither"));
    }
    if (config.requestsArchive !== undefined && config.requestsKeptMs === undefined) {
      const text =
        "PLAZA_REQUESTS_ARCHIVE is set, and PLAZA_REQUESTS_KEPT_MS is not: only the audit log is archived";
      findings.push(warning(what, text, "say how long requests are kept, if they are to go, too"));
    }
    const given = Object.keys(config.given).length;
    return { config, findings: findings.length > 0 ? findings : [ok(what, `${given} set, all understood`)] };
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const faults = error.message.split("\n");
    return { findings: faults.map((fault) => problem(what, fault, "see docs/operate/config.md")) };
  }
}

const signs: Readonly<Record<Standing, string>> = { ok: "ok", warning: "look", problem: "WRONG" };

function formatFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ what }) => what.length));
  const lines = findings.map(({ what, standing, text, todo }) => {
    const line = `${signs[standing].padEnd(5)}  ${what.padEnd(width)}  ${text}`;
    return todo === undefined ? line : `${line}\n${" ".repeat(width + 9)}→ ${todo}`;
  });
  return `${lines.join("\n").replace(/[^\P{Cc}\n]/gu, "�")}\n`;
}

function summary(findings: readonly Finding[]): string {
  const countOf = (wanted: Standing) => findings.filter(({ standing }) => standing === wanted).length;
  const [problems, warnings] = [countOf("problem"), countOf("warning")];
  if (problems + warnings === 0) return "All is well.\n";
  return `${counted(problems, "problem", "problems")}, ${counted(warnings, "thing", "things")} to look at.\n`;
}

/** Looks at everything; resolves with what was found. */
export async function examine(
  io: CommandIo,
  options: Pick<DoctorFlags, "offline" | "whole">,
  version: string,
): Promise<Finding[]> {
  const { config, findings } = checkSettings(io, options);
  if (config === undefined) return findings;
  // Loaded here, because `--help` does not need them.
  const { checkMachine } = await import("./machine.ts");
  const { checkDatabase } = await import("./database.ts");
  const database = await checkDatabase(io, config, { version, isWhole: options.whole === true });
  const bucket = config.requestsArchive?.startsWith("s3://") === true ? config.requestsArchive : undefined;
  const archive: Finding[] = [];
  if (bucket !== undefined) {
    const { checkArchiveBucket } = await import("./archive.ts");
    archive.push(await checkArchiveBucket(io, bucket, options.offline === true));
  }
  const found = [...findings, ...checkMachine(config), ...archive, ...database.findings];
  if (options.offline === true || database.catalog === undefined) return found;
  const { checkUpstreams } = await import("./upstreams.ts");
  return [...found, ...(await checkUpstreams(io, config, database.catalog))];
}

async function doctor(io: CommandIo, options: DoctorFlags, version: string): Promise<void> {
  const findings = [ok("Plaza", version), ...(await examine(io, options, version))];
  const isWrong = findings.some(({ standing }) => standing === "problem");
  if (options.json === true) writeJson(io, { ok: !isWrong, findings });
  else io.out(`${formatFindings(findings)}\n${summary(findings)}`);
  if (isWrong) throw new ReportedFailure();
}

const more = `
Run it as the user and with the environment of the server, beside it or while it is stopped. It looks at the settings, the
machine (Node.js, disk, rights, open files, the journal), the database and its schema, the servers that report to it, models
that cannot be served, and each upstream: whether it answers to each credential, its certificate, its time of day. It calls
no model and changes nothing. Exit status: 0 nothing is wrong, 1 something is, 2 not understood.

Examples:
  $ npx plaza doctor
  $ npx plaza doctor --offline
  $ npx plaza doctor --whole --json
`;

export function addDoctor(program: Command, io: CommandIo, version: string): void {
  const command = program
    .command("doctor")
    .description("Check settings, machine, database, servers and upstreams; say what to do.")
    .option("--offline", "do not ask the upstreams")
    .option("--whole", "check the whole database file and every sum of the ledger as well")
    .option("--json", "print JSON")
    .addHelpText("after", more);
  addSettings(command, settingNames).action((options: DoctorFlags) => doctor(io, options, version));
}
