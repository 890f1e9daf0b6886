/** Keys in memory: a change reaches every call that runs, and memory has a bound. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { type KnownKey, KnownKeys, knownKeysMax } from "./known-keys.ts";

const ended = new GatewayError("invalid_api_key");

function entryOf(digest: string, asOf = 0): KnownKey {
  const key = { id: `id-${digest}`, accountId: "acc" };
  return { digest, asOf, key, running: 0, ended: undefined, isKnown: false };
}

/** Keys whose calls all have to stop. `asked`: those that were looked at again. */
function rig() {
  const asked: string[] = [];
  const keys = new KnownKeys(async ({ digest }: KnownKey) => {
    asked.push(digest);
    return ended;
  });
  return { keys, asked };
}

test("a change drops the key or the account's keys it is about, and stops their running calls", async () => {
  const { keys, asked } = rig();
  const [one, two, idle] = [entryOf("one"), entryOf("two"), entryOf("idle")];
  for (const entry of [one, two, idle]) keys.remember(entry);
  for (const entry of [one, two]) keys.begin(entry);
  await keys.forget("key", "id-one");
  assert.deepEqual([keys.get("one"), keys.get("two"), asked], [undefined, two, ["one"]]);
  assert.deepEqual([one.ended, two.ended], [ended, undefined]);
  await keys.forget("account", "acc");
  assert.deepEqual([keys.get("two"), keys.get("idle"), two.ended], [undefined, undefined, ended]);
  assert.deepEqual(asked, ["one", "two"], "a key without a call is not asked for, nor one that has ended");
});

test("a call with a key that is not in memory hears of changes, and of one that it came too late for", async () => {
  const { keys, asked } = rig();
  const early = entryOf("early");
  keys.begin(early);
  keys.begin(early);
  await keys.forget("key", "id-other");
  assert.deepEqual([early.running, asked], [2, []]);
  const late = entryOf("late", 0);
  keys.begin(late);
  await new Promise(setImmediate);
  assert.deepEqual([asked, late.ended], [["late"], ended]);
  await keys.forget("key", "id-early");
  assert.deepEqual(asked, ["late", "early"]);
});

test("what is remembered anew replaces what was known, whose calls are still stopped", async () => {
  const { keys } = rig();
  const [before, after] = [entryOf("one"), entryOf("one")];
  keys.remember(before);
  keys.begin(before);
  keys.remember(after);
  assert.deepEqual([keys.get("one"), before.isKnown, after.isKnown], [after, false, true]);
  await keys.forget("key", "id-one");
  assert.equal(before.ended, ended);
});

test("beyond its bound the oldest key is forgotten", () => {
  const { keys } = rig();
  const first = entryOf("first");
  keys.remember(first);
  for (let index = 1; index < knownKeysMax; index += 1) keys.remember(entryOf(String(index)));
  assert.equal(keys.get("first"), first);
  keys.remember(entryOf("one more"));
  assert.deepEqual([keys.get("first"), first.isKnown], [undefined, false]);
  assert.ok(keys.get("1")?.isKnown && keys.get("one more")?.isKnown);
});
