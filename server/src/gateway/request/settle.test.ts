/**
 * A settlement that breaks an invariant: nothing is written, the holds end, and the error is sent and logged.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { BrokenInvariant } from "../../lib/invariant.ts";
import type { Hold } from "../money/holds.ts";
import type { RequestPhase } from "./phases.ts";
import { type Ending, type SettleContext, settle } from "./settle.ts";

/** An answered request with ten output tokens at `rate` NanoUsd per million. */
function scene(rate: bigint, settleFunds: Hold["settle"]) {
  const did: string[] = [];
  const lines: [string, unknown][] = [];
  const context = {
    clock: { wallMs: () => 0, elapsedMs: () => 0 },
    store: {
      async recordRequest() {
        did.push("record");
      },
    },
    log: { error: (name: string, fields: unknown) => lines.push([name, fields]) },
    thinking: { learn: () => {}, estimate: () => undefined },
    observe: { settled: (told: { isRecorded: boolean }) => did.push(`told ${told.isRecorded}`) },
    tracer: undefined,
    requestLog: undefined,
  };
  const hold: Hold = {
    clampedTo: undefined,
    held: undefined,
    settle(charge) {
      did.push(`settle ${charge}`);
      return settleFunds(charge);
    },
    drop: () => void did.push("drop"),
    doubt: () => void did.push("doubt"),
  };
  const price = { input: nanoUsd(0n), output: nanoUsd(rate) };
  const request = {
    call: { id: "req_1", createdAt: 0, startedMs: 0, caller: { key: { id: "key_1", accountId: "acc_1" } } },
    endpoint: { operation: "chat" },
    resolved: { price, priceId: 1, model: { model: { id: "m" } } },
    taken: {
      claim: { free: () => void did.push("free"), settle: () => undefined },
      admissions: [],
      hold,
    },
    outcome: {
      dispatched: {
        end: { kind: "answer", usage: { input: 0, cachedInput: 0, cacheWrite: 0, output: 10, reasoning: 0 } },
        attempts: 1,
        log: null,
        wastedCost: nanoUsd(0n),
        live: undefined,
      },
    },
  };
  const ending: Ending = { status: 200, state: "complete", errorCode: null, kept: undefined };
  const run = () => settle(context as unknown as SettleContext, request as unknown as RequestPhase, ending);
  return { run, did, lines };
}

test("a sound settlement is recorded", async () => {
  const { run, did } = scene(1_000_000n, () => undefined);
  assert.equal(await run(), 10n);
  assert.deepEqual(did, ["settle 10", "record", "told true"]);
});

test("a charge of less than nothing is not written: the holds end and the caller is told", async () => {
  const { run, did, lines } = scene(-1_000_000n, () => undefined);
  await assert.rejects(run(), { code: "ledger_unavailable" });
  assert.deepEqual(did, ["free", "drop", "doubt", "told false"]);
  assert.deepEqual(lines, [
    [
      "request_not_recorded",
      { request: "req_1", error: "broken invariant: a charge is never negative (req_1)" },
    ],
  ]);
});

test("a hold that cannot be ended as it should be is not settled", async () => {
  const { run, did, lines } = scene(1_000_000n, () => {
    throw new BrokenInvariant("a hold ends once", "acc_1");
  });
  await assert.rejects(run(), { code: "ledger_unavailable" });
  assert.deepEqual(did, ["settle 10", "free", "drop", "doubt", "told false"]);
  assert.equal(lines.length, 1);
});
