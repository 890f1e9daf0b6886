/**
 * Holds: placed at once or after a wait, in account and budget, reduced to what is available, and ended
 * exactly once in both, whatever happens between.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import { type Hold, type HoldBasis, type HoldContext, outputPaid, placeHold } from "./holds.ts";
import type { Refusal } from "./lease-pool.ts";

/** NanoUsd per million tokens: an input token costs 1 NanoUsd, an output token 2. */
const price = { input: nanoUsd(1_000_000n), output: nanoUsd(2_000_000n) };
const free = { input: nanoUsd(0n), output: nanoUsd(0n) };
const dear = { input: nanoUsd(2_000_000n), output: nanoUsd(20_000_000n) };

type Outcome = bigint | Refusal | Error | { readonly amount: bigint; readonly holderId: string };

/** Leases that answer holds in turn; an amount means it is placed. Counts all placed holds and their ends. */
function scene(
  outcomes: { readonly account?: readonly Outcome[]; readonly budget?: readonly Outcome[] },
  { atOnce, hasBudget = outcomes.budget !== undefined }: { atOnce?: bigint; hasBudget?: boolean } = {},
) {
  const did: string[] = [];
  const asked = { account: 0, budget: 0 };
  const wishes: string[] = [];
  let open = 0;
  const placed = (kind: "account" | "budget", amount: bigint, holderId = "h1") => {
    open += 1;
    let isEnded = false;
    const end = (how: string) => {
      assert.equal(isEnded, false, `${kind} is ended twice`);
      isEnded = true;
      open -= 1;
      did.push(`${kind} ${how}`);
    };
    const leasePool = {
      subject: { kind, id: `${kind}_1`, ownerId: "o" },
      end(_hold: object, charge: bigint) {
        end(`ends with ${charge}`);
        return { charge, fromLease: charge, release: amount - charge };
      },
      drop: () => end("dropped"),
      doubt: () => void did.push(`${kind} doubted`),
    };
    return { leasePool, holderId, amount, isEnded: false };
  };
  const context = {
    leases: {
      holdAtOnce(id: string, amount: bigint) {
        wishes.push(`${id} at once ${amount}`);
        return atOnce !== undefined && amount <= atOnce ? placed("account", amount) : undefined;
      },
      async hold(
        { kind, id }: { kind: "account" | "budget"; id: string },
        { amount, atLeast }: { amount: bigint; atLeast: bigint },
      ) {
        wishes.push(`${id} ${amount} at least ${atLeast}`);
        const outcome = outcomes[kind]?.[asked[kind]];
        asked[kind] += 1;
        if (outcome instanceof Error) throw outcome;
        if (typeof outcome === "bigint") return placed(kind, outcome < amount ? outcome : amount);
        if (outcome === undefined) throw new Error(`${kind} was not to be asked`);
        return "amount" in outcome ? placed(kind, outcome.amount, outcome.holderId) : outcome;
      },
    },
    clock: { wallMs: () => Date.UTC(2026, 10, 23), elapsedMs: () => 0 },
  } as unknown as HoldContext;
  const budget = hasBudget ? { period: "month", limit: nanoUsd(1n) } : null;
  const basis = (changes: Partial<HoldBasis> = {}): HoldBasis =>
    ({
      caller: { key: { id: "key_1", accountId: "acc_1", budget } },
      price,
      inputTokens: 100,
      outputTokens: 1_000,
      answers: 1,
      hasAudio: false,
      hasImages: false,
      ...changes,
    }) as HoldBasis;
  return { context, basis, did, wishes, open: () => open };
}

const shortBy = (available: bigint): Refusal => ({ kind: "short", available });
const refusedWith = (code: string) => (error: unknown) =>
  error instanceof GatewayError && error.code === code;

test("where the lease covers it, the hold is there at once, and settled once", () => {
  const { context, basis, did, open } = scene({}, { atOnce: 5_000n });
  const hold = placeHold(context, basis()) as Hold;
  assert.equal(hold instanceof Promise, false);
  assert.deepEqual([hold.clampedTo, hold.held], [undefined, undefined]);
  assert.deepEqual(hold.settle(30n), {
    holderId: "h1",
    account: { fromLease: 30n, release: 2_070n },
    budget: undefined,
  });
  assert.equal(hold.settle(30n), undefined);
  hold.drop();
  assert.deepEqual([did, open()], [["account ends with 30"], 0]);
});

test("a hold that is dropped is not settled after it, and dropped once", () => {
  const { context, basis, did } = scene({}, { atOnce: 5_000n });
  const hold = placeHold(context, basis()) as Hold;
  hold.drop();
  hold.drop();
  assert.equal(hold.settle(5n), undefined);
  assert.deepEqual(did, ["account dropped"]);
});

test("what is free holds nothing, asks nobody, and ends as often as anybody likes", () => {
  const { context, basis, wishes } = scene({});
  const hold = placeHold(context, basis({ price: free })) as Hold;
  hold.drop();
  hold.doubt();
  assert.deepEqual([hold.settle(0n), hold.clampedTo, wishes], [undefined, undefined, []]);
});

test("a key with a budget holds the same in both, and settles both with the charge", async () => {
  const { context, basis, did, wishes } = scene({ budget: [9_999n] }, { atOnce: 5_000n });
  const hold = await placeHold(context, basis());
  assert.deepEqual(wishes, ["acc_1 at once 2100", "key_1:month:2026-11 2100 at least 612"]);
  const settlement = hold.settle(40n);
  assert.deepEqual(settlement?.budget, { id: "budget_1", fromLease: 40n, release: 2_060n });
  hold.doubt();
  assert.deepEqual(did, ["account ends with 40", "budget ends with 40", "account doubted", "budget doubted"]);
});

test("a hold of both is dropped in both, once", async () => {
  const { context, basis, did } = scene({ account: [9_999n], budget: [9_999n] });
  const hold = await placeHold(context, basis());
  hold.drop();
  hold.drop();
  assert.deepEqual(did, ["account dropped", "budget dropped"]);
});

test("too little: the answer is cut to what the money pays for, and the budget may cut it further", async () => {
  const alone = scene({ account: [1_100n] });
  const hold = await placeHold(alone.context, alone.basis());
  // (1,100 - 100 for the prompt) / 2.
  assert.deepEqual([hold.clampedTo, hold.held], [500, 1_100n]);
  hold.drop();
  const both = scene({ account: [1_100n], budget: [700n] });
  const cut = await placeHold(both.context, both.basis());
  assert.deepEqual([cut.clampedTo, cut.held], [300, 700n]);
  assert.equal(both.wishes.at(-1), "key_1:month:2026-11 1100 at least 612");
  cut.drop();
  const wide = scene({ account: [1_100n], budget: [9_999n] });
  const byAccount = await placeHold(wide.context, wide.basis());
  assert.deepEqual([byAccount.clampedTo, byAccount.held], [500, 1_100n]);
});

test("less than a useful answer is refused, with what it needs and what is left", async () => {
  const { context, basis, open } = scene({ account: [shortBy(611n)] });
  await assert.rejects(
    async () => placeHold(context, basis()),
    (error: GatewayError) => {
      assert.equal(error.code, "insufficient_balance");
      assert.match(error.message, /0\.000000612.*0\.000000611/);
      return true;
    },
  );
  assert.equal(open(), 0);
});

for (const [name, outcome, code] of [
  ["is too small", shortBy(-5n), "budget_exceeded"],
  ["is of a suspended account", { kind: "suspended" }, "account_suspended"],
  ["cannot be asked", new GatewayError("ledger_unavailable"), "ledger_unavailable"],
] as const) {
  test(`a budget that ${name}: what the account held goes back`, async () => {
    const { context, basis, did, open } = scene({ account: [9_999n], budget: [outcome] });
    await assert.rejects(async () => placeHold(context, basis()), refusedWith(code));
    assert.deepEqual([did, open()], [["account dropped"], 0]);
  });
}

test("a budget's refusal says when the next period begins, and never less than nothing", async () => {
  const { context, basis } = scene({ account: [9_999n], budget: [shortBy(-5n)] });
  await assert.rejects(async () => placeHold(context, basis()), / 0\.00 USD .*2026-12-01T00:00:00\.000Z/);
});

test("a suspended account is refused as that, before its budget is asked", async () => {
  const { context, basis, wishes } = scene({ account: [{ kind: "suspended" }] }, { hasBudget: true });
  await assert.rejects(async () => placeHold(context, basis()), refusedWith("account_suspended"));
  assert.equal(wishes.length, 2);
});

test("a process that was thought dead asks again, three times at most", async () => {
  const fenced = { kind: "fenced" } as const;
  const twice = scene({ account: [fenced, fenced, 9_999n] });
  (await placeHold(twice.context, twice.basis())).drop();
  const often = scene({ account: [fenced, fenced, fenced, 9_999n] });
  await assert.rejects(
    async () => placeHold(often.context, often.basis()),
    refusedWith("ledger_unavailable"),
  );
  assert.equal(often.open(), 0);
});

test("a new holder between the two: neither is used, because a settlement names only one", async () => {
  const { context, basis, did, open } = scene({
    account: [9_999n],
    budget: [{ amount: 2_100n, holderId: "h2" }],
  });
  await assert.rejects(async () => placeHold(context, basis()), refusedWith("ledger_unavailable"));
  assert.deepEqual([did, open()], [["budget dropped", "account dropped"], 0]);
});

test("as much is set aside as the dearest that may serve costs; refused is only what was asked for", async () => {
  const { context, basis, wishes } = scene({ account: [9_999n] });
  const asked = basis();
  const other = basis({ price: dear });
  const hold = await placeHold(context, asked, [other, basis({ price: free })]);
  // 200 + 20,000 for the most expensive one; 612 for a useful answer of the requested model.
  assert.deepEqual(wishes, ["acc_1 at once 20200", "acc_1 20200 at least 612"]);
  // Enough for the requested model, so its output is not reduced.
  assert.deepEqual([hold.clampedTo, hold.held], [undefined, 9_999n]);
  assert.equal(outputPaid(hold, asked), undefined);
  assert.equal(outputPaid(hold, other), 489);
  assert.equal(outputPaid(hold, basis({ price: dear, inputTokens: 4_000 })), "too little");
});

test("money for all of it leaves nothing to cut, whoever serves", async () => {
  const { context, basis } = scene({}, { atOnce: 30_000n });
  const hold = await placeHold(context, basis(), [basis({ price: dear })]);
  assert.equal(outputPaid(hold, basis({ price: dear })), undefined);
  hold.drop();
});

test("a free model whose substitutes cost something is served without money, by free ones alone", async () => {
  for (const [outcomes, held] of [
    [{ account: [shortBy(0n)] }, 0n],
    [{ account: [9_999n], budget: [shortBy(0n)] }, 0n],
    [{ account: [300n] }, 300n],
  ] as const) {
    const { context, basis, open, wishes } = scene(outcomes);
    const hold = await placeHold(context, basis({ price: free }), [basis()]);
    assert.equal(wishes[1], "acc_1 2100 at least 1");
    assert.deepEqual([hold.held, hold.clampedTo], [held, undefined]);
    assert.equal(outputPaid(hold, basis({ price: free })), undefined);
    assert.equal(outputPaid(hold, basis()), "too little");
    hold.drop();
    assert.equal(open(), 0);
  }
});

test("a free model is not served where its account is suspended, or the store is away, and others were to pay", async () => {
  for (const [outcome, code] of [
    [{ kind: "suspended" }, "account_suspended"],
    [new GatewayError("ledger_unavailable"), "ledger_unavailable"],
  ] as const) {
    const { context, basis, open } = scene({ account: [outcome] });
    const placing = async () => placeHold(context, basis({ price: free }), [basis()]);
    await assert.rejects(placing, refusedWith(code));
    assert.equal(open(), 0);
  }
});
