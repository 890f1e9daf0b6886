import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { createLog } from "../../../lib/telemetry/log.ts";
import type { RefusalCount } from "../../../store/requests/refusal-shapes.ts";
import { createRefusals, createStrangers } from "./refusals.ts";

const one = { id: "key_1", accountId: "acc_1" };
const other = { id: "key_2", accountId: "acc_2" };

function create(perMinute: number) {
  const state = { nowMs: 1_000_000 * 60_000, isBroken: false, written: [] as RefusalCount[] };
  const clock = { wallMs: () => state.nowMs, elapsedMs: () => state.nowMs };
  const store = {
    async addRefusals(counts: readonly RefusalCount[]) {
      if (state.isBroken) throw new Error("the disk is gone");
      state.written.push(...counts);
    },
  };
  const log = createLog({ level: "silent", clock, write: () => {} });
  return { state, refusals: createRefusals({ store, clock, log, perMinute }), clock };
}

const many = (count: number, work: () => boolean): number =>
  Array.from({ length: count }, work).filter((isTrue) => isTrue).length;

test("five of a key, a reason and a minute have rows, the rest is counted once", async () => {
  const { state, refusals } = create(1_000_000);
  assert.equal(
    many(12, () => refusals.isRow(one, "model_not_found")),
    5,
  );
  assert.equal(
    many(5, () => refusals.isRow(one, "insufficient_balance")),
    5,
    "another reason",
  );
  assert.equal(
    many(6, () => refusals.isRow(other, "model_not_found")),
    5,
    "another key",
  );
  state.nowMs += 60_000;
  assert.equal(
    many(6, () => refusals.isRow(one, "model_not_found")),
    5,
    "another minute",
  );
  await refusals.close();
  await refusals.close();
  const minute = 1_000_000 * 60_000;
  const of = (key: typeof one, at: number, count: number) => ({
    accountId: key.accountId,
    keyId: key.id,
    errorCode: "model_not_found",
    minute: at,
    count,
  });
  assert.deepEqual(state.written, [of(one, minute, 7), of(other, minute, 1), of(one, minute + 60_000, 1)]);
});

test("what the store does not take is tried again with what comes then", async () => {
  const { state, refusals } = create(1_000_000);
  state.isBroken = true;
  many(9, () => refusals.isRow(one, "model_not_found"));
  await assert.rejects(refusals.close());
  refusals.isRow(one, "model_not_found");
  state.isBroken = false;
  await refusals.close();
  assert.deepEqual(
    state.written.map(({ count }) => count),
    [5],
  );
});

test("a key with too many refusals is refused early, until its rate allows one more", async () => {
  const { state, refusals } = create(600);
  many(200, () => refusals.isRow(one, "ledger_unavailable", true));
  assert.equal(refusals.refuseEarly(one), undefined, "a trouble of ours is not held against it");
  many(100, () => refusals.isRow(one, "model_not_found"));
  const early = refusals.refuseEarly(one);
  assert.deepEqual([early?.code, early?.detail.retryAfterMs], ["rate_limit_exceeded", 1_000]);
  assert.equal(refusals.refuseEarly(other), undefined, "another key goes on");
  state.nowMs += 100;
  assert.equal(refusals.refuseEarly(one), undefined, "ten a second");
  assert.equal(refusals.refuseEarly(one), undefined, "what is served afterwards costs nothing");
  refusals.isRow(one, "model_not_found");
  assert.notEqual(refusals.refuseEarly(one), undefined);
  await refusals.close();
  const sums = new Map(state.written.map(({ errorCode, count }) => [errorCode, count]));
  assert.deepEqual([...sums].sort(), [
    ["ledger_unavailable", 195],
    ["model_not_found", 96],
    ["rate_limit_exceeded", 2],
  ]);
});

test("strangers are counted by address, those of an IPv6 /64 together", () => {
  const { clock } = create(60);
  const strangers = createStrangers({
    clock,
    perMinute: 60,
    senderOf: ({ headers }) => String(headers["ip"]),
  });
  const sent = (ip: string) => ({ peerAddress: undefined, headers: { ip } });
  const refusal = new GatewayError("invalid_api_key");
  assert.equal(strangers.refuseEarly(sent("192.0.2.1")), undefined);
  const told = (ipOf: (index: number) => string) =>
    Array.from({ length: 15 }, (_, index) => strangers.count(sent(ipOf(index)), refusal).code);
  const tenOf = [...Array(10).fill("invalid_api_key"), ...Array(5).fill("rate_limit_exceeded")];
  assert.deepEqual(
    told(() => "192.0.2.1"),
    tenOf,
  );
  assert.deepEqual(
    told((index) => `2001:db8::${index + 1}`),
    tenOf,
  );
  assert.equal(strangers.refuseEarly(sent("192.0.2.1"))?.code, "rate_limit_exceeded");
  assert.equal(strangers.refuseEarly(sent("2001:db8::ffff"))?.code, "rate_limit_exceeded");
  assert.equal(strangers.refuseEarly(sent("2001:db8:0:1::1")), undefined);
});
