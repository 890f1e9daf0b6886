/** Sums of requests for the console. */

import {
  type operatorNumbers,
  usageDaysMax,
  type usageNumbers,
  usageRowsMax,
} from "@plaza/contract/api/usage.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { formatUsd, nanoUsd } from "@plaza/contract/money.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import type { z } from "zod";
import {
  dayText,
  slotMs,
  slotsPerDay,
  TimeZoneError,
  type ZoneStretch,
  zoneStretches,
} from "../../../lib/time/time-zone.ts";
import type { UsageGroups, UsageRow, UsageStore, UsageSums } from "../../../store/usage/usage.ts";
import { fieldsRefused } from "../../field-faults.ts";

/** A question as the route's schema read it. */
export interface NumbersQuery {
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
  readonly model?: readonly string[] | undefined;
  readonly key?: readonly string[] | undefined;
  readonly account?: readonly string[] | undefined;
  readonly operation?: readonly Operation[] | undefined;
  readonly project?: readonly string[] | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly by: string;
}

const refuse = (path: string, fault: Message): never => {
  throw fieldsRefused([{ path, message: fault }]);
};

/** The requested range in the requested time zone. */
export function stretchesOf(
  { from, to, timeZone }: Pick<NumbersQuery, "from" | "to" | "timeZone">,
  daysMax = usageDaysMax,
): ZoneStretch[] {
  const [fromSlot, toSlot] = [Date.parse(from) / slotMs, Date.parse(to) / slotMs];
  if (fromSlot >= toSlot) refuse("to", message("usage.endBeforeStart"));
  if (fromSlot < 0) refuse("from", message("usage.before1970"));
  // A day of 25 hours must not make a period of whole days too long.
  if (toSlot - fromSlot > daysMax * slotsPerDay + 2)
    refuse("from", message("usage.daysTooMany", { max: daysMax }));
  try {
    return zoneStretches(timeZone, fromSlot, toSlot);
  } catch (error) {
    if (!(error instanceof TimeZoneError)) throw error;
    const { reason, timeZone: zone } = error;
    const refusal = message(reason === "unknown" ? "usage.timeZoneUnknown" : "usage.timeZoneOffset", {
      zone,
    });
    return refuse("timeZone", refusal);
  }
}

const grouping: Readonly<Record<string, UsageGroups>> = {
  model: "model",
  key: "key",
  account: "account",
  operation: "operation",
};

/** `day-model` → by day and by model. */
function groupsOf(by: string): { byDay: boolean; by: UsageGroups } {
  const [first = "none", second] = by.split("-");
  return { byDay: first === "day", by: grouping[second ?? first] ?? "none" };
}

/** The mean in whole milliseconds; null without samples. */
const mean = (sum: number, count: number): number | null => (count === 0 ? null : Math.round(sum / count));

/** Usage of a user's own requests. */
export function showNumbers(sums: UsageSums): z.output<typeof usageNumbers> {
  const { requests, complete, incomplete, aborted } = sums;
  return {
    requests,
    complete,
    incomplete,
    aborted,
    failed: requests - complete - incomplete - aborted,
    inputTokens: sums.inputTokens,
    cachedInputTokens: sums.cachedInputTokens,
    cacheWriteTokens: sums.cacheWriteTokens,
    outputTokens: sums.outputTokens,
    reasoningTokens: sums.reasoningTokens,
    charge: formatUsd(sums.charge),
    loss: formatUsd(sums.loss),
    firstTokenMs: mean(sums.firstTokenMs, sums.firstTokens),
    durationMs: mean(sums.durationMs, requests),
  };
}

/** The same with the operator's numbers. */
export function showOperatorNumbers(sums: UsageSums): z.output<typeof operatorNumbers> {
  return { ...showNumbers(sums), cost: formatUsd(sums.cost), withoutCost: sums.withoutCost };
}

const nothing: UsageSums = {
  requests: 0,
  complete: 0,
  incomplete: 0,
  aborted: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  charge: nanoUsd(0n),
  loss: nanoUsd(0n),
  cost: nanoUsd(0n),
  withoutCost: 0,
  firstTokens: 0,
  firstTokenMs: 0,
  durationMs: 0,
};

const sumNames = Object.keys(nothing) as (keyof UsageSums)[];

/** The sum of all rows. */
export function totalOf(rows: readonly UsageSums[]): UsageSums {
  const sums: Record<string, number | bigint> = { ...nothing };
  for (const row of rows) {
    for (const name of sumNames) sums[name] = ((sums[name] as number) + (row[name] as number)) as number;
  }
  return sums as unknown as UsageSums;
}

function namesOf({ day, model, key, keyName, account, accountName, operation }: UsageRow) {
  return {
    day: day === undefined ? null : dayText(day),
    model: model ?? null,
    key: key ?? null,
    keyName: keyName ?? null,
    account: account ?? null,
    accountName: accountName ?? null,
    operation: operation ?? null,
  };
}

/** By day, then by charge, highest first, then by name. */
function inOrder(one: UsageRow, other: UsageRow): number {
  if (one.day !== other.day) return (one.day ?? 0) - (other.day ?? 0);
  if (one.charge !== other.charge) return one.charge < other.charge ? 1 : -1;
  const [name, otherName] = [one, other].map(
    ({ model, key, account, operation }) => model ?? key ?? account ?? operation ?? "",
  );
  return (name ?? "") < (otherName ?? "") ? -1 : 1;
}

/** Answers a query; `show` selects the numbers shown. */
export async function answerNumbers<Numbers>(
  { store, nowMs }: { store: Pick<UsageStore, "sumUsage">; nowMs: number },
  query: NumbersQuery,
  show: (sums: UsageSums) => Numbers,
) {
  const rows = await store.sumUsage({
    accounts: query.account,
    keys: query.key,
    models: query.model,
    operations: query.operation,
    projects: query.project,
    tags: query.tag,
    stretches: stretchesOf(query),
    ...groupsOf(query.by),
    rowsMax: usageRowsMax,
  });
  if (rows === undefined) {
    throw new GatewayError("invalid_request", {
      message: message("usage.rowsTooMany", { max: usageRowsMax }),
      param: "by",
    });
  }
  return {
    asOf: new Date(nowMs).toISOString(),
    timeZone: query.timeZone,
    from: new Date(query.from).toISOString(),
    to: new Date(query.to).toISOString(),
    rows: rows.toSorted(inOrder).map((row) => ({ ...namesOf(row), ...show(row) })),
    total: show(totalOf(rows)),
  };
}
