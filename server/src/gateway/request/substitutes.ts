/** Builds the list of models to try: the one asked for, then the substitutes that the hold pays for. */
import type { Candidate } from "../dispatch/dispatch.ts";
import { type Hold, type HoldBasis, outputPaid } from "../money/holds.ts";
import type { WorstCase } from "../money/worst-case.ts";
import type { Resolved } from "./phases.ts";
import type { PricedModel } from "./resolve.ts";
import { onlyAt } from "./tied.ts";

/** A model that may serve the request instead, with its own worst case and price. */
export interface Substitute {
  readonly resolved: PricedModel;
  readonly basis: HoldBasis & WorstCase;
}

/** Computes the worst case of the request for each substitute, of those that can serve it. */
export function substitutesOf(
  { call: { caller }, endpoint, read: { fields, body, upstream } }: Resolved,
  others: readonly PricedModel[],
): readonly Substitute[] {
  const able = upstream === undefined ? others : others.flatMap((other) => onlyAt(other, upstream) ?? []);
  return able.map((resolved) => {
    const { model, price } = resolved;
    return { resolved, basis: { ...endpoint.worstCase(model, price, fields, body), caller, price } };
  });
}

/** Adds what the substitute takes of its own model's limits, if it has any. */
function withLimits(candidate: Candidate, worstCase: WorstCase): Candidate {
  const { model } = candidate.resolved.model;
  if (model.limits === undefined) return candidate;
  const { sentTokens: inputTokens, isAsked, answers } = worstCase;
  const outputTokens = isAsked ? worstCase.outputTokens : undefined;
  return {
    ...candidate,
    limitUse: { model, inputTokens, outputTokens, answers, maxOutput: model.maxOutput },
  };
}

/** `worstCase`: that of the model asked for. Substitutes the hold does not pay for are left out. */
export function candidatesOf(
  resolved: PricedModel,
  worstCase: WorstCase,
  hold: Hold,
  substitutes: readonly Substitute[],
): readonly [Candidate, ...Candidate[]] {
  const asked: Candidate = { resolved, outputTokensMax: hold.clampedTo ?? worstCase.outputLimit };
  const paidFor = substitutes.flatMap(({ resolved: other, basis }) => {
    const paid = outputPaid(hold, basis);
    if (paid === "too little") return [];
    return [withLimits({ resolved: other, outputTokensMax: paid ?? basis.outputLimit }, worstCase)];
  });
  return [asked, ...paidFor];
}
