/** An account's balance and holds, and what is left of a key's budget in the current period. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { Caller } from "../request/authenticate.ts";
import { type BalanceContext, getBalance } from "./balance.ts";

const usd = (dollars: number) => nanoUsd(BigInt(Math.round(dollars * 100)) * 10_000_000n);

function scene(account: object | undefined | Error, spent: bigint | undefined | Error = undefined) {
  const asked: string[] = [];
  const logged: string[] = [];
  const answer = async (name: string, found: unknown) => {
    asked.push(name);
    if (found instanceof Error) throw found;
    return found;
  };
  const context = {
    store: {
      findAccount: (id: string) => answer(id, account),
      findBudget: (id: string) => answer(id, typeof spent === "bigint" ? { spent } : spent),
    },
    clock: { wallMs: () => Date.UTC(2026, 10, 23, 12), elapsedMs: () => 0 },
    log: { warn: (event: string) => logged.push(event) },
  } as unknown as BalanceContext;
  const callerOf = (budget: object | null) =>
    ({ key: { id: "key_1", accountId: "acc_1", budget } }) as unknown as Caller;
  return { context, callerOf, asked, logged };
}

test("balance, what is held of it, and the rest; a key without a budget is asked for none", async () => {
  const { context, callerOf, asked } = scene({ balance: usd(5), leased: usd(1.5) });
  assert.deepEqual(await getBalance(context, callerOf(null)), {
    object: "balance",
    currency: "USD",
    balance: "5.00",
    held: "1.50",
    available: "3.50",
    budget: null,
  });
  assert.deepEqual(asked, ["acc_1"]);
});

test("an account nobody has heard of has nothing", async () => {
  const { context, callerOf } = scene(undefined);
  const { balance, held, available } = await getBalance(context, callerOf(null));
  assert.deepEqual([balance, held, available], ["0.00", "0.00", "0.00"]);
});

test("a budget is of its period: what is left is never less than nothing, and it says when the next begins", async () => {
  for (const [period, id, spent, remaining, resets] of [
    ["month", "key_1:month:2026-11", undefined, "10.00", "2026-12-01T00:00:00.000Z"],
    ["day", "key_1:day:2026-11-23", usd(4), "6.00", "2026-11-24T00:00:00.000Z"],
    ["day", "key_1:day:2026-11-23", usd(12), "0.00", "2026-11-24T00:00:00.000Z"],
  ] as const) {
    const { context, callerOf, asked } = scene({ balance: usd(5), leased: usd(0) }, spent);
    const { budget } = await getBalance(context, callerOf({ period, amount: usd(10) }));
    assert.deepEqual(
      [budget?.period, budget?.limit, budget?.remaining, budget?.resets_at],
      [period, "10.00", remaining, resets],
    );
    assert.deepEqual(asked, ["acc_1", id]);
  }
});

test("a store that cannot be asked is a 503, never a balance of nothing", async () => {
  for (const [account, spent] of [
    [new Error("gone"), undefined],
    [{ balance: usd(1), leased: usd(0) }, new Error("gone")],
  ] as const) {
    const { context, callerOf, logged } = scene(account, spent);
    const asking = getBalance(context, callerOf({ period: "day", amount: usd(1) }));
    await assert.rejects(asking, { code: "ledger_unavailable" });
    assert.deepEqual(logged, ["balance_not_read"]);
  }
});
