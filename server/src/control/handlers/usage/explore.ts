/** The cost explorer's answer: groups with spans of their own, the rest, and everything. */
import { exploreDaysMax, exploreHourDaysMax, type exploreRoutes } from "@plaza/contract/api/explore.ts";
import { usageRowsMax } from "@plaza/contract/api/usage.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { formatUsd, nanoUsd } from "@plaza/contract/money.ts";
import { exploreRequestDaysMax, exploreRequestsMax } from "@plaza/contract/read-limits.ts";
import type { z } from "zod";
import { slotMs } from "../../../lib/time/time-zone.ts";
import type {
  ExploreGroups,
  ExploreRank,
  ExploreStore,
  SpanSums,
  WholeSums,
} from "../../../store/usage/explore-shapes.ts";
import type { UsageSums } from "../../../store/usage/usage.ts";
import { previousStretches, spansOf } from "./explore-spans.ts";
import { type NumbersQuery, showOperatorNumbers, stretchesOf, totalOf } from "./numbers.ts";

type OwnAnswer = z.output<(typeof exploreRoutes)["exploreUsage"]["answer"]>;
type OperatorAnswer = z.output<(typeof exploreRoutes)["exploreAllUsage"]["answer"]>;

export interface ExploreQuery extends Omit<NumbersQuery, "by"> {
  readonly member?: readonly string[] | undefined;
  readonly by: ExploreGroups;
  readonly rank: ExploreRank;
  readonly grain: "day" | "hour";
  readonly top: number;
}

export interface ExploreContext {
  readonly store: Pick<ExploreStore, "exploreUsage">;
  readonly nowMs: number;
}

/** One group, with sums of every span; spans without requests have sums of nothing. */
interface Explored {
  readonly id: string;
  readonly name: string | null;
  readonly keys: readonly string[];
  readonly total: UsageSums;
  readonly previous: UsageSums;
  readonly spans: readonly UsageSums[];
}

/** Everything the answer and its download are made of. */
export interface Exploration {
  /** The begin of each span in Unix milliseconds. */
  readonly spans: readonly number[];
  readonly previous: { readonly fromMs: number; readonly toMs: number };
  readonly groups: readonly Explored[];
  /** What is of no group above; by tag: of keys that have none of those tags. */
  readonly other: (Explored & { readonly groups: number }) | undefined;
  readonly all: Explored;
}

const nothing = totalOf([]);

const refuse = (id: "usage.rowsTooMany" | "usage.requestsTooMany", param: string, max: number): never => {
  throw new GatewayError("invalid_request", { message: message(id, { max }), param });
};

/** What the groups are filtered by; for every question of the explorer. */
export const filterOf = (query: Omit<ExploreQuery, "by" | "rank" | "grain" | "top">) => ({
  accounts: query.account,
  keys: query.key,
  models: query.model,
  operations: query.operation,
  members: query.member,
  projects: query.project,
  tags: query.tag,
});

/** What is left of a whole without a part. */
function without(whole: UsageSums, part: UsageSums): UsageSums {
  const left: Record<string, number | bigint> = {};
  for (const name of Object.keys(whole) as (keyof UsageSums)[])
    left[name] = ((whole[name] as number) - (part[name] as number)) as number;
  return left as unknown as UsageSums;
}

const bySpan = (rows: readonly SpanSums[]): ReadonlyMap<number, UsageSums> =>
  new Map(rows.map(({ span, sums }) => [span, sums]));

/** Asks the store; throws for what is too much. */
export async function explore({ store, nowMs }: ExploreContext, query: ExploreQuery): Promise<Exploration> {
  const ofRequests = query.by === "upstream";
  const ofSums = query.grain === "hour" ? exploreHourDaysMax : exploreDaysMax;
  const stretches = stretchesOf(query, ofRequests ? exploreRequestDaysMax : ofSums);
  const previous = previousStretches(stretches, query.timeZone, nowMs);
  const { grain, by, rank, top } = query;
  const limits = { rowsMax: usageRowsMax, requestsMax: exploreRequestsMax };
  const question = { ...filterOf(query), stretches, previous: previous.stretches, grain, by, rank, top };
  const found = await store.exploreUsage({ ...question, ...limits });
  if (found === "tooManyRows") return refuse("usage.rowsTooMany", "by", usageRowsMax);
  if (found === "tooManyRequests") return refuse("usage.requestsTooMany", "from", exploreRequestsMax);
  const former = new Map(found.previous.map(({ id, sums }) => [id, sums]));
  const spans = spansOf(stretches, grain, nowMs);
  const first = found.groups.slice(0, top);
  const groups = first.map(({ id, name, keys, sums }): Explored => {
    const own = bySpan(found.parts.filter((part) => part.id === id));
    const previousSums = former.get(id) ?? nothing;
    return {
      ...{ id, name, keys, total: sums, previous: previousSums },
      spans: spans.map(({ span }) => own.get(span) ?? nothing),
    };
  });
  const nameless = { id: "", name: null, keys: [] };
  const wholeOf = ({ total, previous: before, spans: sums }: WholeSums): Explored => {
    const own = bySpan(sums);
    return { ...nameless, total, previous: before, spans: spans.map(({ span }) => own.get(span) ?? nothing) };
  };
  const all = wholeOf(found.all);
  const shown = wholeOf(found.first);
  const rest = {
    ...{ ...nameless, groups: found.groups.length - first.length },
    total: without(all.total, shown.total),
    previous: without(all.previous, shown.previous),
    spans: all.spans.map((sums, at) => without(sums, shown.spans[at] ?? nothing)),
  };
  const isNothing = rest.total.requests === 0 && rest.previous.requests === 0;
  return {
    spans: spans.map(({ fromSlot }) => fromSlot * slotMs),
    previous: { fromMs: previous.from * slotMs, toMs: previous.to * slotMs },
    groups,
    other: isNothing ? undefined : rest,
    all,
  };
}

/** All tokens of these sums. */
const tokensOf = (sums: UsageSums): number =>
  sums.inputTokens + sums.cachedInputTokens + sums.cacheWriteTokens + sums.outputTokens;

/** Figures of spans as an account sees them. */
export const showSpans = (spans: readonly UsageSums[]): OwnAnswer["all"]["spans"] => ({
  charge: spans.map(({ charge }) => formatUsd(charge)),
  requests: spans.map(({ requests }) => requests),
  tokens: spans.map(tokensOf),
});

/** The same for the operator. */
export const showMarginSpans = (spans: readonly UsageSums[]): OperatorAnswer["all"]["spans"] => ({
  ...showSpans(spans),
  cost: spans.map(({ cost }) => formatUsd(cost)),
  withoutCost: spans.map(({ withoutCost }) => withoutCost),
});

/** Numbers with the margin: what accounts paid without what is known to be billed for it. */
export const showMargin = (sums: UsageSums): OperatorAnswer["all"]["total"] => ({
  ...showOperatorNumbers(sums),
  margin: formatUsd(nanoUsd(sums.charge - sums.loss - sums.cost)),
});

/** Answers a query; `show` and `showFigures` select what is shown. */
export async function answerExplore<Numbers, Figures>(
  context: ExploreContext,
  query: ExploreQuery,
  show: (sums: UsageSums) => Numbers,
  showFigures: (spans: readonly UsageSums[]) => Figures,
) {
  const { spans, previous, groups, other, all } = await explore(context, query);
  const iso = (ms: number): string => new Date(ms).toISOString();
  const figures = (of: Explored) => ({
    total: show(of.total),
    previous: show(of.previous),
    spans: showFigures(of.spans),
  });
  return {
    asOf: iso(context.nowMs),
    timeZone: query.timeZone,
    from: iso(Date.parse(query.from)),
    to: iso(Date.parse(query.to)),
    previous: { from: iso(previous.fromMs), to: iso(previous.toMs) },
    by: query.by,
    grain: query.grain,
    spans: spans.map(iso),
    overlaps: query.by === "tag",
    source: query.by === "upstream" ? ("requests" as const) : ("sums" as const),
    groups: groups.map((of) => ({ id: of.id, name: of.name, keys: [...of.keys], ...figures(of) })),
    other: other === undefined ? null : { groups: other.groups, ...figures(other) },
    all: figures(all),
  };
}
