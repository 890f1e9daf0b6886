/**
 * What every store must do with keys, ephemeral keys and accounts as the console
 * changes them. A part of `behaviour.ts`.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { NewApiKey } from "../../../accounts/key-shapes.ts";
import type { ConsoleKey, KeyOutcome } from "../../../accounts/keys.ts";
import type { Store } from "../../../store.ts";
import type { NewFixture } from "../../fixture.ts";
import { newAccount, topup } from "../money.ts";

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");
const hourMs = 3_600_000;

export const plainKey = (id: string, accountId: string, more: Partial<NewApiKey> = {}): NewApiKey => ({
  id,
  accountId,
  name: id,
  visiblePrefix: `sk-plaza-${id.slice(-4)}`,
  digest: digestOf(id),
  models: null,
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrency: null,
  budget: null,
  expiresAt: null,
  ...more,
});

/** Creates a user of an account through an invitation. */
export async function newUser(store: Store, id: string, accountId: string | null): Promise<void> {
  const nowMs = Date.now();
  const digest = digestOf(`link ${id}`);
  await store.createLink({
    id: `lnk_${id}`,
    digest,
    kind: "invitation",
    email: `${id}@example.com`,
    userId: null,
    accountId,
    role: accountId === null ? null : "member",
    isOperator: accountId === null,
    createdBy: null,
    createdAt: nowMs,
    expiresAt: nowMs + hourMs,
  });
  const use = { digest, userId: id, name: `Name of ${id}`, password: "x", nowMs };
  assert.equal((await store.useLink(use)).kind, "done");
}

async function newSession(store: Store, id: string, userId: string, expiresAt = Date.now() + hourMs) {
  const nowMs = Date.now();
  await store.createSession({
    id,
    digest: digestOf(`session ${id}`),
    userId,
    csrf: "c",
    ip: null,
    userAgent: null,
    createdAt: nowMs,
    rotatedAt: nowMs,
    seenAt: nowMs,
    expiresAt,
    idleMs: hourMs,
  });
}

const ephemeralDigest = (name: string): string => digestOf(`pass ${name}`);

const addEphemeralKey = (
  store: Store,
  name: string,
  keyId: string,
  sessionId: string,
  expiresAt = Date.now() + 900_000,
) => store.addEphemeralKey({ digest: ephemeralDigest(name), keyId, sessionId, expiresAt });

const idsOf = (keys: readonly { id: string }[]): string[] => keys.map(({ id }) => id);

function done(outcome: KeyOutcome): ConsoleKey {
  assert.ok(outcome.kind === "done", outcome.kind);
  return outcome.key;
}

function keyPages(newFixture: NewFixture): void {
  test("keys come in pages, newest first, to who may see them", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 0n);
    await newAccount(store, "acc_2", 0n);
    await newUser(store, "usr_1", "acc_1");
    for (let number = 1; number <= 5; number += 1) {
      const createdBy = number % 2 === 0 ? "usr_1" : null;
      await store.createKey(plainKey(`key_000${number}`, "acc_1", { createdBy }));
    }
    await store.createKey(plainKey("key_other", "acc_2"));
    const scope = { accountId: "acc_1" };
    const first = await store.pageKeys({ scope, limit: 2 });
    const all = [...first];
    for (let page = first; page.length > 0; ) {
      page = await store.pageKeys({ scope, after: page.at(-1), limit: 2 });
      all.push(...page);
    }
    assert.deepEqual(idsOf(all), ["key_0005", "key_0004", "key_0003", "key_0002", "key_0001"]);
    assert.deepEqual(all[1]?.createdBy, { id: "usr_1", name: "Name of usr_1" });
    assert.equal(all[0]?.createdBy, null);
    const own = { ...scope, createdBy: "usr_1" };
    assert.deepEqual(idsOf(await store.pageKeys({ scope: own, limit: 9 })), ["key_0004", "key_0002"]);
    assert.equal((await store.findConsoleKey("key_0004", own))?.id, "key_0004");
    assert.equal(await store.findConsoleKey("key_0001", own), undefined);
    assert.equal(await store.findConsoleKey("key_other", scope), undefined);
    assert.equal(await store.countKeys("acc_1"), 5);
  });

  test("keys are found by a part of the name, whatever it holds, by prefix, and by status", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 0n);
    const names = ["Laptop 50%", "laptop_2", "مفتاح 🎁", `${"x".repeat(199)}\\`, "Ärger"];
    for (const [index, name] of names.entries())
      await store.createKey(plainKey(`key_${index}`, "acc_1", { name, visiblePrefix: `sk-plaza-A${index}` }));
    await store.createKey(plainKey("key_old", "acc_1", { name: "old", expiresAt: 1 }));
    await store.createKey(plainKey("key_off", "acc_1", { name: "off", expiresAt: 1 }));
    await store.setKeyStatus("key_off", "disabled");
    await store.createKey(plainKey("key_gone", "acc_1", { name: "gone" }));
    await store.setKeyStatus("key_gone", "revoked");
    const scope = { accountId: "acc_1" };
    const found = async (search: string) => idsOf(await store.pageKeys({ scope, search, limit: 9 }));
    assert.deepEqual(await found("LAPTOP"), ["key_1", "key_0"]);
    assert.deepEqual(await found("%"), ["key_0"]);
    assert.deepEqual(await found("p_"), ["key_1"]);
    assert.deepEqual(await found("\\"), ["key_3"]);
    assert.deepEqual(await found("Ä"), ["key_4"]);
    assert.deepEqual(await found("مفتاح 🎁"), ["key_2"]);
    assert.deepEqual(await found("sk-plaza-A2"), ["key_2"]);
    assert.deepEqual(await found("sk-plaza-a2"), []);
    assert.deepEqual(await found("' or 1=1 --"), []);
    const having = async (...statuses: ("active" | "disabled" | "revoked" | "expired")[]) =>
      idsOf(await store.pageKeys({ scope, statuses, limit: 9 })).sort();
    assert.deepEqual(await having("expired"), ["key_old"]);
    assert.deepEqual(await having("disabled", "revoked"), ["key_gone", "key_off"]);
    assert.deepEqual(await having("active"), ["key_0", "key_1", "key_2", "key_3", "key_4"]);
    assert.equal(await store.countKeys("acc_1"), 7);
  });
}

function keyChanges(newFixture: NewFixture): void {
  test("what is given of a key is changed, the rest stays, and the feed tells", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 0n);
    const scope = { accountId: "acc_1" };
    await store.createKey(plainKey("key_1", "acc_1", { models: ["a"], ips: ["10.0.0.0/8"], concurrency: 3 }));
    const seen = await store.lastChangeId();
    const budget = { amount: nanoUsd(5_000_000_000n), period: "month" } as const;
    const expiresAt = Date.now() + hourMs;
    const limits = { requestsPerMinute: 60 };
    const change = { name: "new", budget, expiresAt, limits, ips: ["::1"] };
    const changed = done(await store.changeKey("key_1", scope, 0, change));
    assert.equal(changed.name, "new");
    assert.deepEqual([changed.requestsPerMinute, changed.concurrency], [60, 3]);
    assert.deepEqual([changed.models, changed.ips], [["a"], ["::1"]]);
    assert.deepEqual([changed.budget, changed.expiresAt, changed.revision], [budget, expiresAt, 1]);
    assert.deepEqual(
      await store.listChanges(seen).then((all) => all.map(({ kind, subject }) => [kind, subject])),
      [["key", "key_1"]],
    );
    assert.equal((await store.findKeyByDigest(digestOf("key_1")))?.key.name, "new");
    const none = {
      models: null,
      ips: null,
      budget: null,
      expiresAt: null,
      limits: { requestsPerMinute: null },
    };
    const cleared = done(await store.changeKey("key_1", scope, 1, { ...none, status: "disabled" }));
    assert.deepEqual(
      [cleared.models, cleared.ips, cleared.budget, cleared.expiresAt, cleared.requestsPerMinute],
      [null, null, null, null, null],
    );
    assert.deepEqual([cleared.status, cleared.concurrency], ["disabled", 3]);
    await assert.rejects(store.changeKey("key_1", scope, 2, { limits: { concurrency: -1 } }), {
      code: "invalid",
    });
  });

  test("of two who change a key at once one is told, also when the command line changed it", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    await newAccount(store, "acc_1", 0n);
    const scope = { accountId: "acc_1" };
    await store.createKey(plainKey("key_1", "acc_1"));
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0 ? store : other).changeKey("key_1", scope, 0, { name: `n${index}` }),
      ),
    );
    assert.equal(outcomes.filter(({ kind }) => kind === "done").length, 1);
    assert.equal(outcomes.filter(({ kind }) => kind === "changed_meanwhile").length, 9);
    await store.setKeyLimits("key_1", { concurrency: 1 });
    assert.equal((await store.changeKey("key_1", scope, 1, { name: "x" })).kind, "changed_meanwhile");
    await store.setKeyStatus("key_1", "disabled");
    assert.equal((await store.findConsoleKey("key_1", scope))?.revision, 3);
    assert.equal((await store.changeKey("key_2", scope, 0, {})).kind, "missing");
    assert.equal((await store.changeKey("key_1", { accountId: "acc_2" }, 3, {})).kind, "missing");
    assert.equal((await store.revokeKey("key_1", scope))?.status, "revoked");
    assert.equal((await store.revokeKey("key_1", scope))?.revision, 4);
    assert.equal((await store.changeKey("key_1", scope, 4, { status: "active" })).kind, "revoked");
  });

  test("a key tells what its budget's period has seen", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 100n);
    const budget = { amount: nanoUsd(10n), period: "day" } as const;
    await store.createKey(plainKey("key_1", "acc_1", { budget }));
    assert.equal((await store.findConsoleKey("key_1", { accountId: "acc_1" }))?.spent, 0n);
  });
}

function ephemeralKeys(newFixture: NewFixture): void {
  test("an ephemeral key is the key until the earlier end of both", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 0n);
    await newUser(store, "usr_1", "acc_1");
    await newSession(store, "ses_1", "usr_1");
    await store.createKey(plainKey("key_1", "acc_1", { concurrency: 2, ips: ["10.0.0.0/8"] }));
    await store.createKey(plainKey("key_2", "acc_1", { expiresAt: 5_000 }));
    const end = Date.now() + 900_000;
    assert.equal(await addEphemeralKey(store, "a", "key_1", "ses_1", end), true);
    assert.equal(await addEphemeralKey(store, "b", "key_2", "ses_1", end), true);
    const byKey = await store.findKeyByDigest(digestOf("key_1"));
    const byEphemeral = await store.findKeyByDigest(ephemeralDigest("a"));
    assert.deepEqual(byEphemeral, { ...byKey, isEphemeral: true, key: { ...byKey?.key, expiresAt: end } });
    assert.equal((await store.findKeyByDigest(ephemeralDigest("b")))?.key.expiresAt, 5_000);
    assert.equal(byKey?.isEphemeral, undefined);
    assert.equal(await store.findKeyByDigest(ephemeralDigest("c")), undefined);
  });

  test("an ephemeral key ends with its session, its key, and its user's place in the account", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 0n);
    await newAccount(store, "acc_2", 0n);
    for (const [index, userId] of ["usr_1", "usr_2", "usr_3", "usr_4"].entries()) {
      await newUser(store, userId, "acc_1");
      await newSession(store, `ses_${index + 1}`, userId);
    }
    await store.createKey(plainKey("key_1", "acc_1"));
    await store.createKey(plainKey("key_2", "acc_1"));
    const found = async (name: string) => (await store.findKeyByDigest(ephemeralDigest(name)))?.key.status;
    for (const number of [1, 2, 3, 4]) await addEphemeralKey(store, `p${number}`, "key_1", `ses_${number}`);
    await addEphemeralKey(store, "other", "key_2", "ses_4");
    await store.endSession("usr_1", "ses_1");
    assert.equal(await found("p1"), undefined);
    const user = await store.findUser("usr_2");
    await store.changeUser({ id: "usr_2", revision: user?.revision ?? 0, status: "disabled" });
    assert.equal(await found("p2"), undefined);
    await store.removeMember({ accountId: "acc_1", userId: "usr_3", revokesKeys: false });
    assert.equal(await found("p3"), undefined);
    assert.equal(await found("p4"), "active");
    await store.setAccountStatus("acc_1", "suspended");
    assert.equal((await store.findKeyByDigest(ephemeralDigest("p4")))?.accountStatus, "suspended");
    await store.setKeyStatus("key_1", "disabled");
    assert.equal(await found("p4"), "disabled");
    await store.revokeKey("key_1", { accountId: "acc_1" });
    assert.equal(await found("p4"), undefined);
    assert.equal(await found("other"), "active");
    await store.setKeyStatus("key_2", "revoked");
    assert.notEqual(await found("other"), "active");
  });

  test("a session that is over gets no ephemeral key, and one keeps its newest twenty", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 0n);
    await newUser(store, "usr_1", "acc_1");
    await newSession(store, "ses_1", "usr_1");
    await newSession(store, "ses_old", "usr_1", Date.now() - 1);
    await store.createKey(plainKey("key_1", "acc_1"));
    assert.equal(await addEphemeralKey(store, "x", "key_1", "ses_never"), false);
    assert.equal(await addEphemeralKey(store, "y", "key_1", "ses_old"), false);
    for (let number = 1; number <= 25; number += 1)
      assert.equal(await addEphemeralKey(store, `n${number}`, "key_1", "ses_1"), true);
    let alive = 0;
    for (let number = 1; number <= 25; number += 1)
      if ((await store.findKeyByDigest(ephemeralDigest(`n${number}`))) !== undefined) alive += 1;
    assert.equal(alive, 20);
    assert.ok((await store.findKeyByDigest(ephemeralDigest("n25"))) !== undefined);
  });
}

function accounts(newFixture: NewFixture): void {
  test("accounts come in pages with their people and keys counted, and are found by name, email and id", async (context) => {
    const { store } = await newFixture(context);
    for (const id of ["acc_1", "acc_2", "acc_3"]) await newAccount(store, id, 7n);
    await newUser(store, "usr_1", "acc_2");
    await newUser(store, "usr_2", "acc_2");
    await store.createKey(plainKey("key_1", "acc_2"));
    await store.createKey(plainKey("key_2", "acc_2"));
    await store.setKeyStatus("key_2", "revoked");
    await store.setAccountStatus("acc_3", "closed");
    await store.setAccountStatus("acc_1", "suspended");
    const [first] = await store.pageAccounts({ limit: 1 });
    assert.equal(first?.id, "acc_3");
    const rest = await store.pageAccounts({ limit: 9, after: first });
    assert.deepEqual(idsOf(rest), ["acc_2", "acc_1"]);
    assert.deepEqual([rest[0]?.users, rest[0]?.keys, rest[0]?.balance], [2, 1, 7n]);
    const found = async (search: string) => idsOf(await store.pageAccounts({ search, limit: 9 }));
    assert.deepEqual(await found("USR_1@EXAMPLE"), ["acc_2"]);
    assert.deepEqual(await found("cc_3"), ["acc_3"]);
    assert.deepEqual(await found("nobody"), []);
    const having = async (...statuses: ("active" | "suspended" | "closed")[]) =>
      idsOf(await store.pageAccounts({ statuses, limit: 9 }));
    assert.deepEqual(await having("closed"), ["acc_3"]);
    assert.deepEqual(await having("active", "suspended"), ["acc_2", "acc_1"]);
    assert.deepEqual(idsOf(await store.listAccountPeople("acc_2")), ["usr_1", "usr_2"]);
    assert.equal(await store.findConsoleAccount("acc_9"), undefined);
  });

  test("accounts and keys with limits of their own are found among all the others", async (context) => {
    const { store } = await newFixture(context);
    for (const id of ["acc_1", "acc_2", "acc_3", "acc_4", "acc_5"]) await newAccount(store, id, 0n);
    await store.changeAccount("acc_1", 0, { limits: { requestsPerMinute: 0 } });
    await store.changeAccount("acc_3", 0, { limits: { tokensPerMinute: 1 } });
    await store.changeAccount("acc_4", 0, { limits: { concurrency: 7 } });
    await store.changeAccount("acc_4", 1, { limits: { concurrency: null } });
    await store.changeAccount("acc_5", 0, { limits: { concurrency: 7 } });
    const limited = await store.pageAccounts({ hasOwnLimits: true, limit: 9 });
    assert.deepEqual(idsOf(limited), ["acc_5", "acc_3", "acc_1"]);
    const page = await store.pageAccounts({ hasOwnLimits: true, limit: 1, after: limited[0] });
    assert.deepEqual(idsOf(page), ["acc_3"]);
    assert.deepEqual(idsOf(await store.pageAccounts({ hasOwnLimits: true, search: "acc_4", limit: 9 })), []);
    assert.equal((await store.pageAccounts({ hasOwnLimits: false, limit: 9 })).length, 5);

    const budget = { amount: nanoUsd(5n), period: "day" } as const;
    await store.createKey(plainKey("key_1", "acc_1"));
    await store.createKey(plainKey("key_2", "acc_1", { requestsPerMinute: 0 }));
    await store.createKey(plainKey("key_3", "acc_2", { tokensPerMinute: 5 }));
    await store.createKey(plainKey("key_4", "acc_2", { concurrency: 5 }));
    await store.createKey(plainKey("key_5", "acc_3", { budget }));
    await store.createKey(plainKey("key_6", "acc_3", { concurrency: 5 }));
    await store.revokeKey("key_6", { accountId: "acc_3" });
    const keys = await store.pageLimitedKeys({ limit: 9 });
    assert.deepEqual(idsOf(keys), ["key_5", "key_4", "key_3", "key_2"]);
    assert.deepEqual(
      [keys[0]?.accountId, keys[0]?.accountName, keys[0]?.budget, keys[0]?.spent],
      ["acc_3", "acc_3", budget, 0n],
    );
    assert.deepEqual(idsOf(await store.pageLimitedKeys({ limit: 2, after: keys[1] })), ["key_3", "key_2"]);
    const found = async (search: string) => idsOf(await store.pageLimitedKeys({ search, limit: 9 }));
    assert.deepEqual(await found("ACC_2"), ["key_4", "key_3"]);
    assert.deepEqual(await found("key_2"), ["key_2"]);
    assert.deepEqual(await found("key_1"), []);
  });

  test("an account is changed by who saw it as it is; closed is for ever", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 7n);
    const seen = await store.lastChangeId();
    const lowBalance = nanoUsd(5n);
    const limits = { tokensPerMinute: 9 };
    const changed = await store.changeAccount("acc_1", 0, { name: "ü", lowBalance, limits });
    assert.ok(changed.kind === "done");
    assert.deepEqual(
      [changed.account.name, changed.account.lowBalance, changed.account.revision],
      ["ü", 5n, 1],
    );
    assert.deepEqual(changed.account.limits, {
      requestsPerMinute: null,
      tokensPerMinute: 9,
      concurrency: null,
    });
    assert.equal((await store.listChanges(seen)).length, 1);
    assert.equal((await store.changeAccount("acc_1", 0, { name: "x" })).kind, "changed_meanwhile");
    await store.setAccountLimits("acc_1", { concurrency: 1 });
    assert.equal((await store.changeAccount("acc_1", 1, { name: "x" })).kind, "changed_meanwhile");
    await store.addEntry(topup("acc_1", 3n));
    assert.equal(
      (await store.changeAccount("acc_1", 2, { lowBalance: null, status: "suspended" })).kind,
      "done",
    );
    assert.equal((await store.findConsoleAccount("acc_1"))?.balance, 10n);
    await assert.rejects(store.changeAccount("acc_1", 3, { lowBalance: nanoUsd(-1n) }), { code: "invalid" });
    assert.equal((await store.changeAccount("acc_1", 3, { status: "closed" })).kind, "done");
    assert.equal((await store.changeAccount("acc_1", 4, { status: "active" })).kind, "closed");
    assert.equal((await store.changeAccount("acc_9", 0, {})).kind, "missing");
  });
}

export function consoleKeysBehaviour(newFixture: NewFixture): void {
  keyPages(newFixture);
  keyChanges(newFixture);
  ephemeralKeys(newFixture);
  accounts(newFixture);
}
