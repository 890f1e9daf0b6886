/** What every store must do with refused calls that have no row. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewFixture } from "../fixture.ts";

const minute = 1_763_700_000_000 - (1_763_700_000_000 % 60_000);

export function refusalBehaviour(newFixture: NewFixture): void {
  test("refusals without rows are added up by key, reason and minute", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    const count = (keyId: string, errorCode: string, many: number, at = minute, accountId = "acc_1") => ({
      accountId,
      keyId,
      errorCode,
      minute: at,
      count: many,
    });
    await store.addRefusals([]);
    await Promise.all([
      store.addRefusals([count("key_1", "rate_limit_exceeded", 7), count("key_2", "model_not_found", 2)]),
      other.addRefusals([count("key_2", "model_not_found", 3), count("key_1", "rate_limit_exceeded", 5)]),
    ]);
    await store.addRefusals([
      count("key_1", "rate_limit_exceeded", 100, minute + 60_000),
      count("key_9", "model_not_found", 1, minute, "acc_2"),
    ]);
    const sums = async (filter: Parameters<typeof store.sumRefusals>[0]) =>
      (await store.sumRefusals(filter)).map(({ accountId, keyId, errorCode, count: many }) =>
        [accountId, keyId, errorCode, many].join(" "),
      );
    assert.deepEqual(await sums({}), [
      "acc_1 key_1 rate_limit_exceeded 112",
      "acc_1 key_2 model_not_found 5",
      "acc_2 key_9 model_not_found 1",
    ]);
    assert.deepEqual(await sums({ accounts: ["acc_2"] }), ["acc_2 key_9 model_not_found 1"]);
    assert.deepEqual(await sums({ accounts: ["acc_1"], keys: ["key_2"] }), ["acc_1 key_2 model_not_found 5"]);
    assert.deepEqual(await sums({ errorCode: "rate_limit_exceeded", toMs: minute + 60_000 }), [
      "acc_1 key_1 rate_limit_exceeded 12",
    ]);
    const [late] = await store.sumRefusals({ fromMs: minute + 60_000 });
    assert.deepEqual(
      [late?.count, late?.firstMinute, late?.lastMinute],
      [100, minute + 60_000, minute + 60_000],
    );
  });

  test("counts of refusals are forgotten by their minute, some at a time, each once", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    const counts = ["acc_1", "acc_2", "acc_3"].flatMap((accountId) =>
      [0, 1, 2].map((at) => ({
        ...{ accountId, keyId: `key ${accountId}`, errorCode: "model_not_found", count: 1 },
        minute: minute + at * 60_000,
      })),
    );
    assert.equal(await store.pruneRefusals(minute, 100), 0, "there are none");
    await store.addRefusals(counts);
    assert.equal(await store.pruneRefusals(minute, 100), 0, "none is older");
    const before = minute + 2 * 60_000;
    const gone = await Promise.all([store.pruneRefusals(before, 2), other.pruneRefusals(before, 2)]);
    assert.ok(gone.every((many) => many <= 2));
    let left = 6 - gone.reduce((sum, many) => sum + many, 0);
    for (let step = 0; left > 0 && step < 10; step += 1) left -= await store.pruneRefusals(before, 2);
    assert.equal(left, 0);
    assert.equal(await store.pruneRefusals(before, 100), 0);
    const kept = await store.sumRefusals({});
    assert.deepEqual(
      kept.map(({ accountId, count, firstMinute }) => [accountId, count, firstMinute]).sort(),
      ["acc_1", "acc_2", "acc_3"].map((id) => [id, 1, before]),
    );
  });
}
