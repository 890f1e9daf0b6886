/** Which limits apply to a request, in which order, and which buckets are dropped. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "../request/authenticate.ts";
import type { LocalBucket } from "./bucket.ts";
import { LimitRegistry, type LimitSubjects } from "./subjects.ts";

const none = { requestsPerMinute: null, tokensPerMinute: null, concurrency: null };
const subjects = (changes: {
  key?: object;
  account?: object;
  catalog?: object;
  model?: object;
  installation?: object;
}): LimitSubjects => ({
  caller: {
    key: { id: "k", accountId: "a", ...none, ...changes.key },
    accountLimits: { ...none, ...changes.account },
  } as unknown as Caller,
  snapshot: { limits: changes.catalog ?? {}, installation: changes.installation },
  model: changes.model === undefined ? undefined : { id: "m", limits: changes.model },
});

const collect = (registry: LimitRegistry, of: LimitSubjects, kind: "rpm" | "tpm" | "conc" = "rpm") => {
  const into: LocalBucket[] = [];
  registry.collect(of, kind, into);
  return into;
};
const named = (buckets: readonly LocalBucket[]) => buckets.map(({ subject, limit }) => `${subject} ${limit}`);

test("key, account, model and installation, in this order; nobody's where no number is", () => {
  const registry = new LimitRegistry();
  const limit = { requestsPerMinute: 5, tokensPerMinute: 7, concurrency: 9 };
  const all = subjects({ key: limit, account: limit, model: limit, installation: limit });
  for (const [kind, number] of [
    ["rpm", 5],
    ["tpm", 7],
    ["conc", 9],
  ] as const) {
    assert.deepEqual(named(collect(registry, all, kind)), [
      `key:k:${kind} ${number}`,
      `account:a:${kind} ${number}`,
      `model:m:${kind} ${number}`,
      `all::${kind} ${number}`,
    ]);
  }
  assert.deepEqual(collect(registry, subjects({})), []);
  assert.equal(registry.count, 12);
});

test("an account without a number of its own has the catalog's; a number of its own wins, also 0", () => {
  const catalog = { requestsPerMinute: 50 };
  assert.deepEqual(named(collect(new LimitRegistry(), subjects({ catalog }))), ["account:a:rpm 50"]);
  const own = subjects({ catalog, account: { requestsPerMinute: 0 } });
  assert.deepEqual(named(collect(new LimitRegistry(), own)), ["account:a:rpm 0"]);
});

test("the same limit is the same bucket; a changed number takes effect on it", () => {
  const registry = new LimitRegistry();
  const [first] = collect(registry, subjects({ key: { requestsPerMinute: 5 } }));
  const [second] = collect(registry, subjects({ key: { requestsPerMinute: 5 } }));
  assert.ok(first);
  assert.equal(second, first);
  first.free = 4;
  const [changed] = collect(registry, subjects({ key: { requestsPerMinute: 2 } }));
  assert.equal(changed, first);
  assert.deepEqual([first.limit, first.free, registry.count], [2, 0, 1]);
});

test("subjects as good as new are forgotten, a few at a time, and those in use stay", () => {
  const registry = new LimitRegistry();
  for (let index = 0; index < 10; index += 1) {
    const [bucket] = collect(registry, subjects({ key: { id: `k${index}`, requestsPerMinute: 5 } }));
    if (bucket !== undefined && index === 3) bucket.held = 1;
  }
  assert.equal(registry.count, 10);
  registry.sweep(0, 4);
  assert.ok(registry.count >= 6, "no more than it was told to look at");
  for (let index = 0; index < 10; index += 1) registry.sweep(0, 4);
  assert.equal(registry.count, 1);
});
