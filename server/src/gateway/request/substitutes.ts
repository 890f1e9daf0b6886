/**
 * What may serve a request, in the order in which it is tried: the model asked for, then those that
 * may take its place and are paid for.
 */
import type { Candidate } from "../dispatch/dispatch.ts";
import { type Hold, type HoldBasis, outputPaid } from "../money/holds.ts";
import type { WorstCase } from "../money/worst-case.ts";
import type { Resolved } from "./phases.ts";
import type { PricedModel } from "./resolve.ts";

/** The same request served by another model: what it may use there, at that model's price. */
export interface Substitute {
  readonly resolved: PricedModel;
  readonly basis: HoldBasis & WorstCase;
}

/** What each of the other models would make of the request. */
export function substitutesOf(
  { caller, endpoint, fields, body }: Resolved,
  others: readonly PricedModel[],
): readonly Substitute[] {
  return others.map((resolved) => {
    const { model, price } = resolved;
    return { resolved, basis: { caller, price, ...endpoint.worstCase(model, price, fields, body) } };
  });
}

/** What a substitute takes of its own model's limits, where it has any. */
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

/** `worstCase`: of the model asked for. A substitute that the money held does not pay for is left out. */
export function candidatesOf(
  resolved: PricedModel,
  worstCase: WorstCase,
  hold: Hold,
  substitutes: readonly Substitute[],
): readonly [Candidate, ...Candidate[]] {
  const asked: Candidate = { resolved, outputTokensMax: hold.clampedTo ?? worstCase.told };
  const paidFor = substitutes.flatMap(({ resolved: other, basis }) => {
    const paid = outputPaid(hold, basis);
    if (paid === "too little") return [];
    return [withLimits({ resolved: other, outputTokensMax: paid ?? basis.told }, worstCase)];
  });
  return [asked, ...paidFor];
}
