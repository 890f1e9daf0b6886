/** `plaza connect`: shows the proposals as a table or as JSON. Never shows a credential. */
import { textOf } from "@plaza/contract/messages/message.ts";
import { operationsOf } from "@plaza/contract/operations.ts";
import type { Proposal } from "../../connect/propose.ts";
import { oldAfterDays } from "../../domain/money/old-prices.ts";
import { counted, formatTable } from "../output.ts";
import { sourceText } from "./plan.ts";

/** Replaces characters that are invisible or change the direction of text. */
const visible = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "�");

const cellMax = 48;
const short = (text: string): string => {
  const plain = visible(text);
  return plain.length > cellMax ? `${plain.slice(0, cellMax - 1)}…` : plain;
};

const orUnknown = (value: number | undefined): string => (value === undefined ? "?" : String(value));

function modalitiesText({ modalities }: Proposal): string {
  if (modalities === undefined) return "?";
  return `${modalities.input.join(",")}>${modalities.output.join(",")}`;
}

function sourceCell(proposal: Proposal): string {
  if (proposal.action === "deploy") return proposal.isPriced ? "(the model's own)" : "none: not callable";
  if (proposal.price === undefined) return "none known: not callable";
  return `${sourceText(proposal)}${proposal.match === "alias" ? " (different spelling)" : ""}`;
}

function noteOf(proposal: Proposal): string {
  const { action, id, upstreamModel, operations, isDeprecated, priority, laterPrices = [] } = proposal;
  const notes = [
    ...(operations === undefined ? [] : [`for ${operations.join(" and ")}`]),
    ...(action === "deploy" ? [`added as a deployment, priority ${priority}`] : []),
    ...(action === "add" && id !== upstreamModel ? [`there: ${short(upstreamModel)}`] : []),
    ...(isDeprecated === true ? ["deprecated"] : []),
    ...(action === "add"
      ? laterPrices.map(({ validFrom, input, output }) => `from ${validFrom}: ${input} in, ${output} out`)
      : []),
  ];
  return notes.join("; ");
}

const headings = [
  "#",
  "model",
  "context",
  "output",
  "modalities",
  "in $/M",
  "out $/M",
  "price source",
  "note",
];
const numbers = ["#", "context", "output", "in $/M", "out $/M"];
const rowsMax = 500;

/** The candidates, numbered from 1. */
export function proposalTable(candidates: readonly Proposal[]): string {
  const rows = candidates
    .slice(0, rowsMax)
    .map((proposal, index) => [
      String(index + 1),
      short(proposal.id),
      orUnknown(proposal.context),
      orUnknown(proposal.maxOutput),
      modalitiesText(proposal),
      proposal.action === "deploy" ? "" : (proposal.price?.input ?? "?"),
      proposal.action === "deploy" ? "" : (proposal.price?.output ?? "?"),
      sourceCell(proposal),
      noteOf(proposal),
    ]);
  const more = candidates.length - rows.length;
  return (
    formatTable(headings, rows, numbers) + (more > 0 ? `… and ${more} more; name them with --models\n` : "")
  );
}

/** "12 models: 9 with a price, 3 without; 2 are in the file already; 5 are no chat models and left out." */
export function summary(proposals: readonly Proposal[]): string {
  const count = (keep: (proposal: Proposal) => boolean): number => proposals.filter(keep).length;
  const isCandidate = ({ action }: Proposal): boolean => action === "add" || action === "deploy";
  const priced = count((one) => isCandidate(one) && one.isPriced);
  const unpriced = count((one) => isCandidate(one) && !one.isPriced);
  const present = count(({ action }) => action === "present");
  const old = count((one) => one.action === "add" && one.priceSource?.isOld === true);
  const reasons = new Map<string, number>();
  for (const { action, reason } of proposals) {
    if (action !== "leave") continue;
    const text = reason === undefined ? "" : textOf(reason);
    reasons.set(text, (reasons.get(text) ?? 0) + 1);
  }
  return `${[
    `${counted(proposals.length, "model", "models")}: ${priced} with a price, ${unpriced} without`,
    ...(old > 0
      ? [`${old} of these prices older than ${oldAfterDays} days: compare with the vendor's page`]
      : []),
    ...(present > 0 ? [`${present} already in the file`] : []),
    ...[...reasons].map(([reason, number]) => `${number} excluded: ${reason}`),
  ].join("; ")}.\n`;
}

/** One proposal as JSON; unknown values are null. */
export function proposalJson(proposal: Proposal, isChosen: boolean) {
  const { action, price, priceSource, modalities } = proposal;
  return {
    id: proposal.id,
    upstreamModel: proposal.upstreamModel,
    name: proposal.name,
    action,
    chosen: isChosen,
    reason: proposal.reason === undefined ? null : textOf(proposal.reason),
    operations: operationsOf(proposal),
    context: proposal.context ?? null,
    maxOutput: proposal.maxOutput ?? null,
    modalities: modalities ?? null,
    family: proposal.family ?? null,
    capabilities: proposal.capabilities ?? null,
    price: price ?? null,
    priceSource: priceSource?.source ?? null,
    priceDate: priceSource?.date ?? null,
    priceIsOld: priceSource?.isOld ?? false,
    laterPrices: proposal.laterPrices ?? [],
    match: proposal.match ?? null,
    deprecated: proposal.isDeprecated ?? false,
    priority: proposal.priority ?? null,
  };
}
