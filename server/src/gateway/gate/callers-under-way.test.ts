/** Callers with running calls are checked again after a change, until the store has answered. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { type CallerUnderWay, createCallersUnderWay } from "./callers-under-way.ts";

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const callerOf = (id: string, accountId = "acc_1", running = 1): CallerUnderWay => ({
  key: { id, accountId },
  running,
  ended: undefined,
});
const ended = new GatewayError("api_key_disabled");

test("those a change is about are asked about, by key or by account, and nobody else", async () => {
  const asked: string[] = [];
  const callers = createCallersUnderWay<CallerUnderWay>(async ({ key }) => {
    asked.push(key.id);
    return ended;
  });
  const all = [callerOf("k1"), callerOf("k2"), callerOf("k3", "acc_2"), callerOf("idle", "acc_1", 0)];
  for (const caller of all) callers.add(caller);
  await callers.lookAgainAtAll("key", "k3");
  assert.deepEqual(asked.splice(0), ["k3"]);
  await callers.lookAgainAtAll("account", "acc_1");
  assert.deepEqual(asked, ["k1", "k2"]);
  assert.deepEqual(
    all.map((caller) => caller.ended === ended),
    [true, true, true, false],
  );
});

test("one that may go on is left alone, and one that has ended is not asked about again", async () => {
  let asked = 0;
  const callers = createCallersUnderWay<CallerUnderWay>(async ({ key }) => {
    asked += 1;
    return key.id === "bad" ? ended : undefined;
  });
  const [good, bad] = [callerOf("good"), callerOf("bad")];
  for (const caller of [good, bad]) callers.add(caller);
  await callers.lookAgainAtAll("account", "acc_1");
  await callers.lookAgainAtAll("account", "acc_1");
  assert.deepEqual([good.ended, bad.ended, asked], [undefined, ended, 3]);
});

test("while the store does not answer it is asked again, until it does or nothing is under way", async () => {
  let asked = 0;
  const callers = createCallersUnderWay<CallerUnderWay>(async ({ key }) => {
    asked += 1;
    if (key.id === "gone" && asked === 1) gone.running = 0;
    if (asked < 3) throw new Error("no store");
    return ended;
  });
  const gone = callerOf("gone");
  await callers.lookAgain(gone);
  assert.deepEqual([asked, gone.ended], [1, undefined]);
  const idle = callerOf("idle", "acc_1", 0);
  await callers.lookAgain(idle);
  assert.equal(asked, 1, "nothing of it is under way");
});

test("a change about very many is looked at a few at a time", async () => {
  let running = 0;
  let most = 0;
  const callers = createCallersUnderWay<CallerUnderWay>(async () => {
    running += 1;
    most = Math.max(most, running);
    await settled();
    running -= 1;
    return ended;
  });
  const all = Array.from({ length: 100 }, (_, index) => callerOf(`k${index}`));
  for (const caller of all) callers.add(caller);
  await callers.lookAgainAtAll("account", "acc_1");
  assert.equal(most, 32);
  assert.ok(all.every((caller) => caller.ended === ended));
});
