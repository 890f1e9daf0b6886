/** `plaza connect`: selects the models to add: those named, all with a price, or those the person chooses. */

import { textOf } from "@plaza/contract/messages/message.ts";
import type { Proposal } from "../../connect/propose.ts";
import { suggest } from "../../lib/nearest.ts";
import { quote } from "../../lib/quote.ts";
import type { Terminal } from "../command-io.ts";
import { CommandFailure } from "../failure.ts";

/** Returns the proposals that can be chosen without being named. */
export const candidatesOf = (proposals: readonly Proposal[]): Proposal[] =>
  proposals.filter(({ action }) => action === "add" || action === "deploy");

/** Throws when a name is not among the proposals. */
function chooseNamed(proposals: readonly Proposal[], names: readonly string[]): Proposal[] {
  const byName = new Map(proposals.map((proposal) => [proposal.id, proposal]));
  for (const proposal of proposals) byName.set(proposal.upstreamModel, proposal);
  const missing = names.filter((name) => !byName.has(name));
  if (missing.length > 0) {
    const known = proposals.map(({ upstreamModel }) => upstreamModel);
    const lines = missing.map(
      (name) => `the upstream lists no model ${quote(name)}${suggest(name, known, "models")}`,
    );
    throw new CommandFailure("model_not_found", lines.join("\n"));
  }
  const chosen = new Set(names.map((name) => byName.get(name) as Proposal));
  const refused = [...chosen].find(({ action }) => action === "leave");
  if (refused !== undefined)
    throw new CommandFailure(
      "not_a_chat_model",
      `${quote(refused.upstreamModel)} cannot be connected: ${refused.reason === undefined ? "" : textOf(refused.reason)}`,
    );
  return [...chosen].filter(({ action }) => action !== "present");
}

/** "1,3-5" → 0, 2, 3, 4; undefined when it is invalid or out of range. */
export function readNumbers(text: string, count: number): number[] | undefined {
  const indexes = new Set<number>();
  for (const part of text.split(",")) {
    const [, from = "", to = from] = /^\s*(\d{1,5})\s*(?:-\s*(\d{1,5})\s*)?$/.exec(part) ?? [];
    const first = Number(from);
    const last = Number(to);
    if (from === "" || first < 1 || last < first || last > count) return undefined;
    for (let number = first; number <= last; number += 1) indexes.add(number - 1);
  }
  return [...indexes].sort((a, b) => a - b);
}

async function ask(candidates: readonly Proposal[], terminal: Terminal): Promise<readonly Proposal[]> {
  const priced = candidates.filter(({ isPriced }) => isPriced);
  const question = `Which ones? Numbers like 1,3-5; p = the ${priced.length} with a price; a = all ${candidates.length}; n = none: `;
  for (;;) {
    const answer = (await terminal.ask(question)).trim().toLowerCase();
    if (answer === "" || answer === "n" || answer === "none") return [];
    if (answer === "p") return priced;
    if (answer === "a" || answer === "all") return candidates;
    const chosen = readNumbers(answer, candidates.length);
    if (chosen !== undefined) return candidates.filter((_, index) => chosen.includes(index));
  }
}

/** `names` undefined: asks at the terminal, or without one takes all with a price. */
export async function chooseModels(
  proposals: readonly Proposal[],
  names: readonly string[] | "all" | undefined,
  terminal: Terminal | undefined,
): Promise<readonly Proposal[]> {
  const candidates = candidatesOf(proposals);
  if (names === "all") return candidates;
  if (names !== undefined) return chooseNamed(proposals, names);
  if (terminal === undefined) return candidates.filter(({ isPriced }) => isPriced);
  return candidates.length === 0 ? [] : await ask(candidates, terminal);
}
