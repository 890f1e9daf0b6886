/**
 * For tests: sums and lists of requests, computed row by row with `Intl`'s calendar, independently of the
 * code under test.
 */
import { nanoUsd } from "@plaza/contract/money.ts";
import { slotMs } from "../../lib/time/time-zone.ts";
import type { RequestRow } from "../requests/shapes.ts";
import type { RequestFilter, UsageFilter, UsageQuestion, UsageRow } from "../usage/usage.ts";

const invented = ["model_not_found", "model_not_allowed"];

const modelOf = ({ modelId, errorCode }: RequestRow): string =>
  errorCode !== null && invented.includes(errorCode) ? "" : (modelId ?? "");

const isIn = (values: readonly string[] | undefined, value: string): boolean =>
  values === undefined || values.includes(value);

const isFitting = (row: RequestRow, { accounts, keys, models, operations }: UsageFilter): boolean =>
  isIn(accounts, row.accountId) &&
  isIn(keys, row.keyId) &&
  isIn(models, modelOf(row)) &&
  isIn(operations, row.operation);

function naiveRow(row: RequestRow, { stretches, byDay, by }: UsageQuestion): UsageRow {
  const slot = Math.floor(row.createdAt / slotMs);
  const stretch = stretches.find(({ from, to }) => slot >= from && slot < to);
  const localMs = row.createdAt + (stretch?.offset ?? 0) * slotMs;
  const isTimed = row.firstTokenMs !== null;
  const is = (state: RequestRow["state"]) => (row.state === state ? 1 : 0);
  return {
    day: byDay ? Math.floor(localMs / 86_400_000) : undefined,
    model: by === "model" ? modelOf(row) : undefined,
    key: by === "key" ? row.keyId : undefined,
    account: by === "key" || by === "account" ? row.accountId : undefined,
    operation: by === "operation" ? row.operation : undefined,
    keyName: undefined,
    accountName: undefined,
    requests: 1,
    complete: is("complete"),
    incomplete: is("incomplete"),
    aborted: is("aborted"),
    inputTokens: row.inputTokens,
    cachedInputTokens: row.cachedInputTokens,
    cacheWriteTokens: row.cacheWriteTokens,
    outputTokens: row.outputTokens,
    reasoningTokens: row.reasoningTokens,
    charge: row.charge,
    loss: nanoUsd(0n),
    cost: row.cost ?? nanoUsd(0n),
    withoutCost: row.cost === null ? 1 : 0,
    firstTokens: isTimed ? 1 : 0,
    firstTokenMs: row.firstTokenMs ?? 0,
    durationMs: row.durationMs,
  };
}

const names = ["day", "model", "key", "account", "keyName", "accountName", "operation"];

function add(one: UsageRow, other: UsageRow): UsageRow {
  const right = other as unknown as Record<string, number | bigint>;
  const sums = Object.entries(one).map(([name, value]) =>
    names.includes(name) ? [name, value] : [name, (value as number) + (right[name] as number)],
  );
  return Object.fromEntries(sums) as UsageRow;
}

export function naiveSums(rows: readonly RequestRow[], question: UsageQuestion): UsageRow[] {
  const from = (question.stretches[0]?.from ?? 0) * slotMs;
  const to = (question.stretches.at(-1)?.to ?? 0) * slotMs;
  const sums = new Map<string, UsageRow>();
  for (const row of rows) {
    if (row.createdAt < from || row.createdAt >= to || !isFitting(row, question)) continue;
    const single = naiveRow(row, question);
    const text = JSON.stringify([single.day, single.model, single.key, single.account, single.operation]);
    const known = sums.get(text);
    sums.set(text, known === undefined ? single : add(known, single));
  }
  return [...sums.values()];
}

export function naivePage(rows: readonly RequestRow[], filter: RequestFilter): RequestRow[] {
  const { states, errorCode, idPrefix, fromMs = 0, toMs = Number.POSITIVE_INFINITY } = filter;
  return rows
    .filter((row) => isFitting(row, filter) && row.createdAt >= fromMs && row.createdAt < toMs)
    .filter((row) => states === undefined || states.includes(row.state))
    .filter((row) => errorCode === undefined || row.errorCode === errorCode)
    .filter((row) => idPrefix === undefined || row.id.startsWith(idPrefix))
    .sort((one, two) => two.createdAt - one.createdAt || (one.id < two.id ? 1 : -1));
}
