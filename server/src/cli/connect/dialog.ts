/**
 * `plaza connect`: the dialog at the terminal: shows proposals, lets the person choose, reports the result.
 */

import type { Proposal } from "../../connect/propose.ts";
import { formatDifference } from "../apply.ts";
import type { CommandIo, Terminal } from "../command-io.ts";
import { CommandFailure } from "../failure.ts";
import { counted, writeJson } from "../output.ts";
import { isAll } from "./ask.ts";
import { candidatesOf, chooseModels } from "./choose.ts";
import type { FileNow } from "./plan.ts";
import { proposalJson, proposalTable, summary } from "./show.ts";
import type { ConnectOptions, Subject } from "./subject.ts";
import type { Written } from "./write.ts";

/**
 * Shows the proposals and returns the chosen ones. Throws `no_price` when none can be chosen automatically.
 */
export async function choose(
  io: CommandIo,
  proposals: readonly Proposal[],
  options: ConnectOptions,
  terminal: Terminal | undefined,
): Promise<readonly Proposal[]> {
  const candidates = candidatesOf(proposals);
  const names = options.models === undefined || !isAll(options.models) ? options.models : "all";
  const asks = options.yes !== true && options.dryRun !== true;
  if (options.json !== true) {
    if (candidates.length > 0) io.out(proposalTable(candidates));
    io.out(summary(proposals));
  }
  const chosen = await chooseModels(proposals, names, asks ? terminal : undefined);
  if (chosen.length === 0 && candidates.length > 0 && !asks && names === undefined) {
    const message = `no known price for any of the ${counted(candidates.length, "model", "models")}; set one, for example --price 0.50/1.50 (USD per million input and output tokens; 0/0 for free), or add them without a price (visible, not callable) with --models all`;
    throw new CommandFailure("no_price", message);
  }
  if (asks && names !== undefined && chosen.length > 0) {
    const answer = await terminal?.ask(`Connect ${counted(chosen.length, "model", "models")}? [y/N] `);
    if (!/^y(?:es)?$/i.test(answer?.trim() ?? "")) return [];
  }
  return chosen;
}

/** The result as text. */
export function report(
  io: CommandIo,
  subject: Subject,
  written: Written | undefined,
  file: FileNow,
  options: ConnectOptions,
): void {
  if (written === undefined) {
    io.out("Nothing was written.\n");
    return;
  }
  const { plan, difference } = written;
  const lines = formatDifference(difference).trimEnd().split("\n");
  const shown = lines.slice(0, 50);
  io.out(
    `\n${shown.join("\n")}\n${lines.length > shown.length ? `… and ${lines.length - shown.length} more\n` : ""}`,
  );
  const warnings = plan.warnings.filter((warning) => !warning.includes("has no price"));
  for (const warning of warnings) io.err(`warning: ${warning}\n`);
  if (options.dryRun === true) {
    io.err("This was a dry run; nothing was saved.\n");
    return;
  }
  io.out(`Written to ${file.name} and applied; running servers take it within a second.\n`);
  const names = subject.given.flatMap(({ variable }) => (variable === undefined ? [] : [variable]));
  if (!subject.isThere && names.length > 0)
    io.err(
      `The file names \${${names.join("}, ${")}}: plaza apply and plaza serve --catalog need it in their environment too.\n`,
    );
}

/** The result as JSON. */
export function reportJson(
  io: CommandIo,
  subject: Subject,
  { proposals, chosen }: { readonly proposals: readonly Proposal[]; readonly chosen: readonly Proposal[] },
  written: Written | undefined,
  file: FileNow,
  options: ConnectOptions,
): void {
  const { upstream, isThere, given } = subject;
  const taken = new Set(chosen);
  writeJson(io, {
    upstream: {
      id: upstream.id,
      provider: upstream.provider,
      preset: upstream.preset ?? null,
      baseUrl: upstream.baseUrl,
      new: !isThere,
    },
    credentials: given.map(({ from, variable }) => ({ from, variable: variable ?? null })),
    catalog: file.name,
    dryRun: options.dryRun === true,
    models: proposals.map((proposal) => proposalJson(proposal, taken.has(proposal))),
    ...(written?.difference ?? { added: [], changed: [], removed: [] }),
    warnings: written?.plan.warnings ?? [],
  });
}
