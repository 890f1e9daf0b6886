/** What every store must do with the reasoning of tool calls. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { NewFixture } from "../fixture.ts";

const day = 24 * 60 * 60 * 1000;

export function reasoningBehaviour(newFixture: NewFixture): void {
  const entry = (toolCallId: string, value = `thought of ${toolCallId}`, accountId = "acc_1") => ({
    accountId,
    toolCallId,
    value,
  });
  const sorted = (entries: readonly { toolCallId: string; value: string }[]) =>
    entries.map(({ toolCallId, value }) => `${toolCallId}: ${value}`).sort();

  test("reasoning is found by account and tool call at another process, the last of two", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    await store.storeReasoning([], Date.now() + day);
    await store.storeReasoning([entry("a"), entry("b", "ü 𝔾 \u0000")], Date.now() + day);
    await other.storeReasoning([entry("a", "newer")], Date.now() + day);
    assert.deepEqual(sorted(await other.findReasoning("acc_1", ["a", "b", "c"])), [
      "a: newer",
      "b: ü 𝔾 \u0000",
    ]);
    assert.deepEqual(await other.findReasoning("acc_2", ["a", "b"]), []);
    assert.deepEqual(await other.findReasoning("acc_1", []), []);
  });

  test("reasoning that has expired is not found", async (context) => {
    const { store } = await newFixture(context);
    await store.storeReasoning([entry("a")], Date.now() - 1);
    assert.deepEqual(await store.findReasoning("acc_1", ["a"]), []);
    // The next heartbeat deletes it; entries that have not expired stay.
    await store.storeReasoning([entry("b")], Date.now() + day);
    await store.openHolder("h1");
    await store.heartbeat("h1");
    assert.deepEqual(sorted(await store.findReasoning("acc_1", ["a", "b"])), ["b: thought of b"]);
  });

  test("reasoning sealed with another key is as if it were not there; an exchanged key still opens it", async (context) => {
    const { reopen } = await newFixture(context);
    const [old, fresh] = [randomBytes(32), randomBytes(32)];
    const before = await reopen(old);
    await before.storeReasoning([entry("a")], Date.now() + day);
    const between = await reopen(Buffer.concat([fresh, old]));
    assert.equal((await between.findReasoning("acc_1", ["a"])).length, 1);
    assert.deepEqual(await (await reopen(fresh)).findReasoning("acc_1", ["a"]), []);
  });

  test("an account that stores too much keeps the newest 32 MiB; others keep theirs", async (context) => {
    const { store } = await newFixture(context);
    await store.storeReasoning([entry("mine", "x", "acc_2")], Date.now() + day - 1_000);
    const large = "x".repeat(1024 * 1024);
    for (let number = 0; number < 50; number += 1) {
      await store.storeReasoning([entry(`call-${number}`, large)], Date.now() + day + number);
    }
    const ids = Array.from({ length: 50 }, (_, number) => `call-${number}`);
    const kept = (await store.findReasoning("acc_1", ids)).map(({ toolCallId }) => toolCallId);
    assert.ok(kept.length >= 20 && kept.length <= 32, `${kept.length} kept`);
    assert.ok(kept.includes("call-49") && !kept.includes("call-0"));
    assert.equal((await store.findReasoning("acc_2", ["mine"])).length, 1);
  });
}
