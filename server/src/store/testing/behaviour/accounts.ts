/**
 * What every store must do with accounts, API keys and the feed of their changes. A part of `behaviour.ts`.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { AccountLimits } from "../../accounts/account-shapes.ts";
import type { KeyLimits, NewApiKey } from "../../accounts/key-shapes.ts";
import type { Store } from "../../store.ts";
import type { NewFixture } from "../fixture.ts";

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

const plainKey = (id: string, accountId: string): NewApiKey => ({
  id,
  accountId,
  name: "laptop",
  visiblePrefix: "sk-plaza-ab",
  digest: digestOf(id),
  models: null,
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrency: null,
  budget: null,
  expiresAt: null,
});

const noLimits = { requestsPerMinute: null, tokensPerMinute: null, concurrency: null };

const newAccount = (store: Store, id: string, balance = 0n) =>
  store.createAccount({ id, name: `Account ${id}`, balance: nanoUsd(balance) });

/** Lines of the feed as "kind subject". */
const feedAfter = async (store: Store, id: number): Promise<string[]> =>
  (await store.listChanges(id)).map(({ kind, subject }) => `${kind} ${subject}`);

function balances(newFixture: NewFixture): void {
  test("an account comes back as it was created", async (context) => {
    const { store, reopen } = await newFixture(context);
    const before = Date.now();
    const account = await newAccount(store, "acc_1", 5n);
    assert.ok(account.createdAt >= before && account.createdAt <= Date.now());
    assert.deepEqual(account, {
      id: "acc_1",
      name: "Account acc_1",
      status: "active",
      limits: noLimits,
      responsesKeptMs: null,
      balance: 5n,
      leased: 0n,
      createdAt: account.createdAt,
    });
    assert.deepEqual(await store.findAccount("acc_1"), account);
    assert.deepEqual(await (await reopen()).listAccounts(), [account]);
    assert.equal(await store.findAccount("acc_2"), undefined);
  });

  test("money keeps every digit", async (context) => {
    const { store } = await newFixture(context);
    const amounts = [0n, 1n, 9_007_199_254_740_993n, 10n ** 18n, 5n * 10n ** 18n];
    for (const [index, balance] of amounts.entries()) await newAccount(store, `acc_${index}`, balance);
    for (const [index, balance] of amounts.entries()) {
      assert.equal((await store.findAccount(`acc_${index}`))?.balance, balance);
    }
    assert.deepEqual(
      (await store.listAccounts()).map(({ balance }) => balance).toSorted((a, b) => (a < b ? -1 : 1)),
      amounts,
    );
  });

  test("a balance that is negative or too large creates nothing", async (context) => {
    const { store } = await newFixture(context);
    await assert.rejects(newAccount(store, "acc_1", -1n), { code: "invalid" });
    for (const balance of [5n * 10n ** 18n + 1n, 2n ** 63n]) {
      await assert.rejects(newAccount(store, "acc_1", balance), { code: "invalid" });
    }
    assert.deepEqual(await store.listAccounts(), []);
    assert.deepEqual(await store.listChanges(0), []);
  });

  test("a second account with the same id is refused and leaves the first alone", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 5n);
    await assert.rejects(newAccount(store, "acc_1", 7n), { name: "StoreError", code: "duplicate" });
    assert.equal((await store.findAccount("acc_1"))?.balance, 5n);
    assert.deepEqual(await feedAfter(store, 0), ["account acc_1"]);
  });
}

function keys(newFixture: NewFixture): void {
  test("a key is found by its digest, with every field and its account's status", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1");
    const full: NewApiKey = {
      ...plainKey("key_full", "acc_1"),
      models: ["gpt-5-mini", 'quoted "name" ü'],
      requestsPerMinute: 60,
      tokensPerMinute: 2_000_000,
      concurrency: 0,
      budget: { amount: nanoUsd(9_007_199_254_740_993n), period: "month" },
      expiresAt: 1_900_000_000_000,
      project: "search",
      tags: ["batch", "team a"],
    };
    for (const input of [
      full,
      plainKey("key_plain", "acc_1"),
      { ...plainKey("key_none", "acc_1"), models: [] },
    ]) {
      const created = await store.createKey(input);
      const { digest, ...shown } = input;
      assert.deepEqual(created, {
        ips: null,
        project: null,
        tags: [],
        ...shown,
        status: "active",
        createdAt: created.createdAt,
      });
      assert.deepEqual(await store.findKeyByDigest(digest), {
        key: created,
        accountStatus: "active",
        accountLimits: noLimits,
      });
      assert.ok(
        !JSON.stringify(created, (_, value) => (typeof value === "bigint" ? `${value}` : value)).includes(
          digest,
        ),
      );
    }
    assert.equal(await store.findKeyByDigest(digestOf("another")), undefined);
    await store.setAccountStatus("acc_1", "suspended");
    assert.equal((await store.findKeyByDigest(full.digest))?.accountStatus, "suspended");
  });

  test("a key of another form counts as imported until it is revoked", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1");
    await store.createKey({ ...plainKey("key_own", "acc_1"), visiblePrefix: "sk-plaza-abcd" });
    assert.equal(await store.hasImportedKeys(), false);
    await store.createKey({ ...plainKey("key_imported", "acc_1"), visiblePrefix: "sk-...ab12" });
    assert.equal(await store.hasImportedKeys(), true);
    await store.setKeyStatus("key_imported", "disabled");
    assert.equal(await store.hasImportedKeys(), true);
    await store.setKeyStatus("key_imported", "revoked");
    assert.equal(await store.hasImportedKeys(), false);
  });

  test("a key needs an account and a digest of its own", async (context) => {
    const { store } = await newFixture(context);
    await assert.rejects(store.createKey(plainKey("key_1", "acc_absent")), {
      code: "not_found",
      message: "account acc_absent not found",
    });
    await newAccount(store, "acc_1");
    await store.createKey(plainKey("key_1", "acc_1"));
    const twin = { ...plainKey("key_2", "acc_1"), digest: digestOf("key_1") };
    await assert.rejects(store.createKey(twin), { code: "duplicate" });
    assert.deepEqual(await feedAfter(store, 0), ["account acc_1", "key key_1"]);
  });

  test("a closed account gets no more keys", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1");
    await store.setAccountStatus("acc_1", "closed");
    await assert.rejects(store.createKey(plainKey("key_1", "acc_1")), {
      code: "invalid",
      message: "account acc_1 is closed",
    });
    assert.deepEqual(await store.listKeys("acc_1"), []);
  });

  test("keys are listed, all or one account's", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1");
    await newAccount(store, "acc_2");
    await store.createKey(plainKey("key_1", "acc_1"));
    await store.createKey(plainKey("key_2", "acc_2"));
    const ids = async (accountId?: string) =>
      (await store.listKeys(accountId)).map(({ id }) => id).toSorted();
    assert.deepEqual(await ids(), ["key_1", "key_2"]);
    assert.deepEqual(await ids("acc_2"), ["key_2"]);
    assert.deepEqual(await ids("acc_3"), []);
    assert.deepEqual(await ids(""), []);
  });

  test("a key can be disabled and enabled, and revoked for ever", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1");
    await store.createKey(plainKey("key_1", "acc_1"));
    for (const status of ["disabled", "active", "revoked"] as const) {
      assert.equal((await store.setKeyStatus("key_1", status))?.status, status);
    }
    for (const status of ["active", "disabled"] as const) {
      assert.equal((await store.setKeyStatus("key_1", status))?.status, "revoked");
    }
    assert.equal((await store.findKeyByDigest(digestOf("key_1")))?.key.status, "revoked");
    assert.equal(await store.setKeyStatus("key_absent", "active"), undefined);
  });
}

function limits(newFixture: NewFixture): void {
  test("an account's limits are changed one by one, back to the default, and found with its keys", async (context) => {
    const { store, reopen } = await newFixture(context);
    const account = await newAccount(store, "acc_1", 5n);
    await newAccount(store, "acc_2");
    await store.createKey({ ...plainKey("key_1", "acc_1"), requestsPerMinute: 7 });
    const max = Number.MAX_SAFE_INTEGER;
    const steps: [change: Partial<AccountLimits>, after: AccountLimits][] = [
      [{ requestsPerMinute: 0 }, { ...noLimits, requestsPerMinute: 0 }],
      [
        { tokensPerMinute: max, concurrency: 3 },
        { requestsPerMinute: 0, tokensPerMinute: max, concurrency: 3 },
      ],
      [{ requestsPerMinute: null }, { requestsPerMinute: null, tokensPerMinute: max, concurrency: 3 }],
      [noLimits, noLimits],
    ];
    for (const [change, after] of steps) {
      const before = await store.lastChangeId();
      assert.deepEqual(await store.setAccountLimits("acc_1", change), { ...account, limits: after });
      assert.deepEqual((await store.findKeyByDigest(digestOf("key_1")))?.accountLimits, after);
      assert.deepEqual((await (await reopen()).findAccount("acc_1"))?.limits, after);
      assert.deepEqual(await feedAfter(store, before), ["account acc_1"]);
    }
    assert.equal((await store.findKeyByDigest(digestOf("key_1")))?.key.requestsPerMinute, 7);
    assert.deepEqual((await store.findAccount("acc_2"))?.limits, noLimits);
  });

  test("how long an account's responses are kept is found with its keys, back to the default", async (context) => {
    const { store, reopen } = await newFixture(context);
    const account = await newAccount(store, "acc_1");
    await newAccount(store, "acc_2");
    await store.createKey(plainKey("key_1", "acc_1"));
    for (const keptMs of [0, 7 * 86_400_000, null]) {
      const before = await store.lastChangeId();
      const changed = await store.setResponsesKept("acc_1", keptMs);
      assert.deepEqual(changed, { ...account, responsesKeptMs: keptMs });
      assert.equal((await store.findKeyByDigest(digestOf("key_1")))?.responsesKeptMs, keptMs ?? undefined);
      assert.equal((await (await reopen()).findAccount("acc_1"))?.responsesKeptMs, keptMs);
      assert.deepEqual(await feedAfter(store, before), ["account acc_1"]);
    }
    const last = await store.lastChangeId();
    await store.setResponsesKept("acc_1", null);
    assert.equal(await store.setResponsesKept("acc_absent", 0), undefined);
    for (const keptMs of [-1, 0.5, 366 * 86_400_000])
      await assert.rejects(store.setResponsesKept("acc_1", keptMs), { code: "invalid" });
    assert.equal(await store.lastChangeId(), last);
    assert.equal((await store.findAccount("acc_2"))?.responsesKeptMs, null);
  });

  test("limits set to what they are, of nobody, or to what is none leave everything as it was", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1");
    await store.setAccountLimits("acc_1", { concurrency: 3 });
    const last = await store.lastChangeId();
    for (const change of [{}, { concurrency: 3 }, { requestsPerMinute: null }]) {
      assert.equal((await store.setAccountLimits("acc_1", change))?.limits.concurrency, 3);
    }
    assert.equal(await store.setAccountLimits("acc_absent", { concurrency: 3 }), undefined);
    for (const limit of [-1, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]) {
      await assert.rejects(store.setAccountLimits("acc_1", { tokensPerMinute: limit }), {
        code: "invalid",
        message: "tokensPerMinute must be a whole number from 0 to 9007199254740991",
      });
    }
    assert.deepEqual((await store.findAccount("acc_1"))?.limits, { ...noLimits, concurrency: 3 });
    assert.equal(await store.lastChangeId(), last);
  });
}

function keyLimits(newFixture: NewFixture): void {
  test("a key's limits are changed one by one and taken away, and nothing else of it or of another key", async (context) => {
    const { store, reopen } = await newFixture(context);
    await newAccount(store, "acc_1");
    const budget = { amount: nanoUsd(7n), period: "day" } as const;
    const key = await store.createKey({
      ...plainKey("key_1", "acc_1"),
      models: ["m"],
      budget,
      concurrency: 7,
    });
    const other = await store.createKey({ ...plainKey("key_2", "acc_1"), concurrency: 7 });
    const max = Number.MAX_SAFE_INTEGER;
    const steps: [change: Partial<KeyLimits>, after: KeyLimits][] = [
      [{ requestsPerMinute: 0 }, { ...noLimits, requestsPerMinute: 0, concurrency: 7 }],
      [
        { tokensPerMinute: max, concurrency: 3 },
        { requestsPerMinute: 0, tokensPerMinute: max, concurrency: 3 },
      ],
      [{ requestsPerMinute: null }, { requestsPerMinute: null, tokensPerMinute: max, concurrency: 3 }],
      [noLimits, noLimits],
    ];
    for (const [change, after] of steps) {
      const before = await store.lastChangeId();
      const changed = { ...key, ...after };
      assert.deepEqual(await store.setKeyLimits("key_1", change), changed);
      const found = await (await reopen()).findKeyByDigest(digestOf("key_1"));
      assert.deepEqual(found, { key: changed, accountStatus: "active", accountLimits: noLimits });
      assert.deepEqual(await feedAfter(store, before), ["key key_1"]);
    }
    assert.deepEqual((await store.findKeyByDigest(digestOf("key_2")))?.key, other);
  });

  test("a key's limits set to what they are, of no key, of a revoked one, or to what is none change nothing", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1");
    const key = await store.createKey({ ...plainKey("key_1", "acc_1"), concurrency: 3 });
    const last = await store.lastChangeId();
    const same = [{}, { concurrency: 3 }, { requestsPerMinute: null }, { tokensPerMinute: undefined }];
    for (const change of same as Partial<KeyLimits>[]) {
      assert.deepEqual(await store.setKeyLimits("key_1", change), key);
    }
    for (const change of [{}, { concurrency: 3 }]) {
      assert.equal(await store.setKeyLimits("key_absent", change), undefined);
    }
    for (const limit of [-1, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]) {
      await assert.rejects(store.setKeyLimits("key_1", { tokensPerMinute: limit }), {
        code: "invalid",
        message: "tokensPerMinute must be a whole number from 0 to 9007199254740991",
      });
    }
    assert.equal(await store.lastChangeId(), last);
    await store.setKeyStatus("key_1", "disabled");
    assert.equal((await store.setKeyLimits("key_1", { concurrency: 4 }))?.concurrency, 4);
    await store.setKeyStatus("key_1", "revoked");
    const revoked = await store.lastChangeId();
    const left = { ...key, concurrency: 4, status: "revoked" };
    assert.deepEqual(await store.setKeyLimits("key_1", { concurrency: 5 }), left);
    assert.deepEqual((await store.findKeyByDigest(digestOf("key_1")))?.key, left);
    assert.equal(await store.lastChangeId(), revoked);
  });

  test("changes of a key's different limits at once, from two stores, all hold", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    await newAccount(store, "acc_1");
    await store.createKey(plainKey("key_1", "acc_1"));
    for (let limit = 1; limit <= 10; limit += 1) {
      await Promise.all([
        store.setKeyLimits("key_1", { requestsPerMinute: limit }),
        other.setKeyLimits("key_1", { tokensPerMinute: limit }),
        other.setKeyLimits("key_1", { concurrency: limit }),
      ]);
      const [key] = await store.listKeys();
      assert.deepEqual(
        [key?.requestsPerMinute, key?.tokensPerMinute, key?.concurrency],
        [limit, limit, limit],
      );
    }
  });
}

function feed(newFixture: NewFixture): void {
  test("every change of an account or key is in the feed once, and nothing else is", async (context) => {
    const { store, reopen } = await newFixture(context);
    assert.equal(await store.lastChangeId(), 0);
    await newAccount(store, "acc_1");
    const afterAccount = await store.lastChangeId();
    await store.createKey(plainKey("key_1", "acc_1"));
    const afterKey = await store.lastChangeId();
    assert.ok(afterKey > afterAccount && afterAccount > 0);
    await store.setKeyStatus("key_1", "active");
    await store.setAccountStatus("acc_1", "active");
    await store.setKeyStatus("key_absent", "disabled");
    assert.equal(await store.setAccountStatus("acc_absent", "suspended"), undefined);
    assert.equal(await store.lastChangeId(), afterKey);
    await store.setKeyStatus("key_1", "revoked");
    await store.setKeyStatus("key_1", "active");
    assert.equal((await store.setAccountStatus("acc_1", "suspended"))?.status, "suspended");
    assert.equal((await store.setAccountStatus("acc_1", "suspended"))?.status, "suspended");
    const other = await reopen();
    assert.deepEqual(await feedAfter(other, afterAccount), ["key key_1", "key key_1", "account acc_1"]);
    assert.deepEqual(await feedAfter(other, await other.lastChangeId()), []);
  });
}

export function accountBehaviour(newFixture: NewFixture): void {
  balances(newFixture);
  keys(newFixture);
  limits(newFixture);
  keyLimits(newFixture);
  feed(newFixture);
}
