import assert from "node:assert/strict";
import { test } from "node:test";
import { chat } from "../endpoints/chat/chat.ts";
import { affinityOf } from "./affinity.ts";

const key = { id: "key_1", accountId: "acc_1" };

/** The hash for a body with these fields. */
function hash(fields: Record<string, unknown>, of = key): number {
  const text = JSON.stringify({ model: "m", ...fields });
  const spanOf = (name: string) => {
    const start = text.indexOf(`"${name}":`) + name.length + 3;
    const end = start + JSON.stringify(fields[name]).length;
    return { start, end };
  };
  const spans = Object.fromEntries(Object.keys(fields).map((name) => [name, spanOf(name)]));
  const request = { body: Buffer.from(text), spans: { model: { start: 9, end: 12 }, ...spans } };
  return affinityOf(request, chat.sessionFields, of);
}

test("the session is the cache key, else the user, else the key, and the rest of the body does not matter", () => {
  assert.equal(hash({ prompt_cache_key: "s" }), hash({ prompt_cache_key: "s", user: "u" }));
  assert.notEqual(hash({ prompt_cache_key: "s" }), hash({ prompt_cache_key: "t" }));
  assert.notEqual(hash({ user: "u" }), hash({ user: "v" }));
  assert.equal(hash({}), hash({ other: 1 }));
  assert.notEqual(hash({}), hash({}, { ...key, id: "key_2" }));
});

test("a session is of its account, whichever of its keys is used", () => {
  assert.equal(hash({ user: "u" }), hash({ user: "u" }, { ...key, id: "key_2" }));
  assert.notEqual(hash({ user: "u" }), hash({ user: "u" }, { ...key, accountId: "acc_2" }));
});

test("what is no name does not count", () => {
  for (const value of [null, 7, "", {}, []]) {
    assert.equal(hash({ prompt_cache_key: value, user: "u" }), hash({ user: "u" }));
    assert.equal(hash({ user: value }), hash({}));
  }
});

test("hashes are unsigned, and sessions spread over them", () => {
  const halves = [0, 0];
  for (let index = 0; index < 1_000; index += 1) {
    const value = hash({ user: `user-${index}` });
    assert.ok(Number.isInteger(value) && value >= 0 && value < 2 ** 32);
    halves[value >= 2 ** 31 ? 1 : 0] = (halves[value >= 2 ** 31 ? 1 : 0] ?? 0) + 1;
  }
  assert.ok(Math.min(...halves) > 350, halves.join());
});
