/** Keys as the console shows them to their account and to the operator. */
import type { apiKey, keysPage, keysQuery } from "@plaza/contract/api/keys.ts";
import { formatUsd, nanoUsd } from "@plaza/contract/money.ts";
import { z } from "zod";
import { budgetWindow } from "../../../domain/money/budget.ts";
import type { ConsoleKey, KeyScope } from "../../../store/accounts/keys.ts";
import type { KeyNumbers } from "../../../store/usage/usage.ts";
import type { ControlContext } from "../../context.ts";
import { readCursor, writeCursor } from "../../cursor.ts";

type Shown = z.output<typeof apiKey>;

const daysShown = 30;
const dayMs = 86_400_000;

/** Start of "the last 30 days": UTC days including today, like the list of requests behind the number. */
export const shownSince = (nowMs: number): number => (Math.floor(nowMs / dayMs) - daysShown + 1) * dayMs;

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function showKey(key: ConsoleKey, numbers: KeyNumbers | undefined, nowMs: number): Shown {
  const { requestsPerMinute, tokensPerMinute, concurrency, budget } = key;
  const isOver = key.status === "active" && key.expiresAt !== null && key.expiresAt <= nowMs;
  return {
    id: key.id,
    name: key.name,
    visiblePrefix: key.visiblePrefix,
    status: isOver ? "expired" : key.status,
    models: key.models === null ? null : [...key.models],
    ips: key.ips === null ? null : [...key.ips],
    limits: { requestsPerMinute, tokensPerMinute, concurrency },
    budget: budget && {
      amount: formatUsd(budget.amount),
      period: budget.period,
      spent: formatUsd(key.spent),
      resetsAt: new Date(budgetWindow(key.id, budget.period, nowMs).endsAt).toISOString(),
    },
    expiresAt: isoOrNull(key.expiresAt),
    project: key.project,
    tags: [...key.tags],
    createdAt: new Date(key.createdAt).toISOString(),
    createdBy: key.createdBy,
    lastUsedAt: isoOrNull(numbers?.lastUsedAt ?? null),
    last30Days: {
      requests: numbers?.requests ?? 0,
      charge: formatUsd(numbers?.charge ?? nanoUsd(0n)),
    },
    revision: key.revision,
  };
}

/** Keys of one account with their usage. */
async function showKeys(
  { store, clock }: ControlContext,
  accountId: string,
  keys: readonly ConsoleKey[],
): Promise<Shown[]> {
  if (keys.length === 0) return [];
  const nowMs = clock.wallMs();
  const numbers = await store.keyNumbers(accountId, shownSince(nowMs));
  const byKey = new Map(numbers.map((one) => [one.keyId, one]));
  return keys.map((key) => showKey(key, byKey.get(key.id), nowMs));
}

/** One key. */
export async function showOne(context: ControlContext, key: ConsoleKey): Promise<Shown> {
  const [shown] = await showKeys(context, key.accountId, [key]);
  return shown as Shown;
}

const place = z.tuple([z.number(), z.string()]);

/** A page of keys, newest first. */
export async function pageOfKeys(
  context: ControlContext,
  scope: KeyScope,
  { limit, cursor, search, status, project, tag }: z.output<typeof keysQuery>,
): Promise<z.output<typeof keysPage>> {
  const [createdAt, id] = readCursor(cursor, place) ?? [];
  const found = await context.store.pageKeys({
    scope,
    search,
    statuses: status,
    projects: project,
    tags: tag,
    after: createdAt === undefined || id === undefined ? undefined : { createdAt, id },
    limit: limit + 1,
  });
  const keys = found.slice(0, limit);
  const last = keys.at(-1);
  const labels = cursor === undefined ? await context.store.listKeyLabels(scope) : null;
  return {
    keys: await showKeys(context, scope.accountId, keys),
    labels: labels && { projects: [...labels.projects], tags: [...labels.tags] },
    next: found.length > limit && last !== undefined ? writeCursor([last.createdAt, last.id]) : null,
  };
}

/** A page of keys of all accounts that have their own limit or budget. */
export async function pageOfLimitedKeys(
  { store, clock }: ControlContext,
  { limit, cursor, search }: { limit: number; cursor?: string | undefined; search?: string | undefined },
) {
  const [createdAt, after] = readCursor(cursor, place) ?? [];
  const found = await store.pageLimitedKeys({
    search,
    after: createdAt === undefined || after === undefined ? undefined : { createdAt, id: after },
    limit: limit + 1,
  });
  const nowMs = clock.wallMs();
  const keys = found.slice(0, limit).map((key) => {
    const { id, name, visiblePrefix, status, limits, budget } = showKey(key, undefined, nowMs);
    const account = { id: key.accountId, name: key.accountName };
    return { id, name, visiblePrefix, status, limits, budget, account };
  });
  const last = found[limit - 1];
  return {
    keys,
    next: found.length > limit && last !== undefined ? writeCursor([last.createdAt, last.id]) : null,
  };
}
