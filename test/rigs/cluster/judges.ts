/**
 * What callers of a cluster may conclude, and what they may meet while parts of it are cut off. Pure; shares
 * no code with the product.
 */
import { type Figure, zeroFigure } from "../harness/figure.ts";
import type { Seen } from "../harness/http-client.ts";
import { completedAnswer, type MoneyCall } from "../harness/money/calls.ts";
import { errorCode } from "../harness/raw-client.ts";
import type { CallRecord } from "../upstream/journal.ts";

/**
 * `whole`: a complete answer. `refused`: an error of Plaza's that says when to come back. `balancer`: an
 * error of the balancer's own. `cut`: what came is visibly not all. `wrong`: anything else, such as a 401.
 */
export type Outcome = "whole" | "refused" | "balancer" | "cut" | "wrong";

/** A call, as its caller sees it. */
export interface Made {
  readonly call: MoneyCall;
  readonly seen: Seen;
}

const balancerStatuses = [502, 503, 504];
const refusalStatuses = [429, 503];

export function outcomeOf({ seen }: Pick<Made, "seen">): Outcome {
  if (completedAnswer(seen) !== undefined) return "whole";
  const { status, headers, body } = seen;
  if (status === 0 || status === 200) return "cut";
  const isPlaza = errorCode(body) !== undefined;
  if (!isPlaza && balancerStatuses.includes(status)) return "balancer";
  const saysWhen = Number(headers["retry-after"]) >= 1;
  return isPlaza && saysWhen && refusalStatuses.includes(status) ? "refused" : "wrong";
}

export function describe({ call, seen }: Made): string {
  const { status, body, problem, sentAt, endedAt } = seen;
  const took = Math.round(endedAt - sentAt);
  return `${call.id}: status ${status} ${errorCode(body) ?? problem} ${body.length} bytes after ${took} ms`;
}

/** Answers that look complete beside what the upstream sent for them. */
export function judgeComplete(made: readonly Made[], calls: readonly CallRecord[]): Figure {
  const recordOf = Map.groupBy(calls, ({ id }) => id);
  const whole = made.filter((one) => outcomeOf(one) === "whole");
  const wrong = whole.flatMap((one) => {
    const records = recordOf.get(one.call.id) ?? [];
    const isFinished = records.some(({ end }) => end === "finished");
    const output = completedAnswer(one.seen)?.usage?.output;
    const isAll = output === one.call.plan.tokens;
    return isFinished && isAll ? [] : [`${describe(one)}: ${output} of ${one.call.plan.tokens} tokens`];
  });
  return zeroFigure("P09", "answers that look complete and are not", whole.length, wrong);
}

/** Calls of which the upstream saw more than one: the balancer or Plaza made them twice. */
export function madeTwice(made: readonly Made[], calls: readonly CallRecord[]): string[] {
  const recordOf = Map.groupBy(calls, ({ id }) => id);
  return made.flatMap((one) => {
    const times = recordOf.get(one.call.id)?.length ?? 0;
    return times > 1 ? [`${describe(one)}: ${times} calls at the upstream`] : [];
  });
}

/** The last failure among calls sent since `from`, in milliseconds from then to its end; 0 = none failed. */
export function recoveredAfterMs(made: readonly Made[], from: number): number {
  const failed = made.filter((one) => one.seen.sentAt >= from && outcomeOf(one) !== "whole");
  return Math.max(0, ...failed.map(({ seen }) => seen.endedAt - from));
}

/** A purse pays for so many calls: more complete answers are overspent, wherever they were given. */
export function judgePurse(made: readonly Made[], calls: readonly CallRecord[], pays: number): string[] {
  const ids = new Set(made.map(({ call }) => call.id));
  const seen = calls.filter(({ id }) => ids.has(id)).length;
  const whole = made.filter((one) => outcomeOf(one) === "whole").length;
  // A call that was cut off by a crash is not charged.
  const cut = made.filter((one) => outcomeOf(one) === "cut").length;
  const wrong: string[] = [];
  if (whole > pays) wrong.push(`${whole} answers for the money of ${pays}`);
  if (seen > pays + cut) wrong.push(`${seen} calls at the upstream for the money of ${pays}, ${cut} cut off`);
  if (whole === 0) wrong.push("no answer: nothing was tested");
  return wrong;
}
