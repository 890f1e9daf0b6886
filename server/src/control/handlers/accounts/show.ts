/** Accounts as the operator sees them, with their recent spending. */
import type { account, accountRow } from "@plaza/contract/api/accounts.ts";
import { formatUsd, nanoUsd } from "@plaza/contract/money.ts";
import type { z } from "zod";
import { slotMs } from "../../../lib/time/time-zone.ts";
import type { ConsoleAccount } from "../../../store/accounts/keys.ts";
import type { UsageRow } from "../../../store/usage/usage.ts";
import type { ControlContext } from "../../context.ts";
import { balanceOf, isLow, usdOrNull } from "../billing/balance.ts";
import { shownSince } from "../keys/show.ts";

type Row = z.output<typeof accountRow>;

/** Usage of these accounts in the last 30 days; accounts without usage are missing. */
async function numbersOf(
  { store, clock }: ControlContext,
  accounts: readonly ConsoleAccount[],
): Promise<ReadonlyMap<string, UsageRow>> {
  const nowMs = clock.wallMs();
  const from = Math.floor(shownSince(nowMs) / slotMs);
  const rows = await store.sumUsage({
    accounts: accounts.map(({ id }) => id),
    stretches: [{ from, to: Math.floor(nowMs / slotMs) + 1, offset: 0 }],
    byDay: false,
    by: "account",
    rowsMax: accounts.length,
  });
  return new Map(rows?.flatMap((row) => (row.account === undefined ? [] : [[row.account, row]])));
}

/** Rows of a list. */
export async function showAccounts(
  context: ControlContext,
  accounts: readonly ConsoleAccount[],
): Promise<Row[]> {
  if (accounts.length === 0) return [];
  const [settings, numbers] = await Promise.all([context.store.getSettings(), numbersOf(context, accounts)]);
  return accounts.map((one) => ({
    id: one.id,
    name: one.name,
    status: one.status,
    ...balanceOf(one),
    isLow: isLow(one, settings),
    users: one.users,
    keys: one.keys,
    limits: one.limits,
    last30Days: {
      requests: numbers.get(one.id)?.requests ?? 0,
      charge: formatUsd(numbers.get(one.id)?.charge ?? nanoUsd(0n)),
    },
    createdAt: new Date(one.createdAt).toISOString(),
  }));
}

/** One account with its people. */
export async function showAccount(
  context: ControlContext,
  one: ConsoleAccount,
): Promise<z.output<typeof account>> {
  const [[row], people] = await Promise.all([
    showAccounts(context, [one]),
    context.store.listAccountPeople(one.id),
  ]);
  return {
    ...(row as Row),
    lowBalance: usdOrNull(one.lowBalance),
    responsesKeptMs: one.responsesKeptMs,
    people: people.map(({ seenAt, ...person }) => ({
      ...person,
      seenAt: seenAt === null ? null : new Date(seenAt).toISOString(),
    })),
    revision: one.revision,
  };
}
