/**
 * What every store must do with the sessions, links and tokens of a user or operator token whose rights
 * change. A part of `behaviour.ts`.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PeopleStore } from "../../../people/people.ts";
import type { Store } from "../../../store.ts";
import type { NewFixture } from "../../fixture.ts";
import { newAccount } from "../money.ts";
import { digestOf, inAccount, link, minuteMs, newUser, session, t0, use } from "./people.ts";

type Change = Omit<Parameters<PeopleStore["changeUser"]>[0], "id" | "revision">;

const token = (id: string, createdBy: string | null, expiresAt: number | null = null) => ({
  id,
  name: id,
  visiblePrefix: "plz-op-abcd",
  digest: digestOf(id),
  scopes: ["accounts:write"] as const,
  createdBy,
  createdAt: t0,
  expiresAt,
});

const isInForce = async (store: Store, id: string): Promise<boolean> => {
  const found = await store.findOperatorToken(digestOf(id));
  return found !== undefined && found.revokedAt === null;
};

/** Links a user created or received, by name, and one of another user. */
async function makeLinks(store: Store, userId: string, email: string): Promise<void> {
  const reset = { kind: "reset", email: null } as const;
  await store.createLink(link("own-reset", { ...reset, userId, isOperator: true }));
  await store.createLink(link("other-reset", { ...reset, userId: "usr_other", createdBy: userId }));
  await store.createLink(link("made", { ...inAccount("acc_1"), createdBy: userId }));
  await store.createLink(link("made-operator", { isOperator: true, createdBy: userId }));
  await store.createLink(link("got", { ...inAccount("acc_2"), email }));
  await store.createLink(link("stays", { ...inAccount("acc_1"), createdBy: "usr_other" }));
}

const ofUser = ["own-reset", "other-reset", "made", "made-operator", "got"];

async function openLinks(store: Store): Promise<string[]> {
  const names = [...ofUser, "stays"];
  const found = await Promise.all(names.map((name) => store.findLink(digestOf(name))));
  return names.filter((_, index) => found[index] !== undefined);
}

async function fixture(store: Store, more: object) {
  await newAccount(store, "acc_1", 0n);
  await newAccount(store, "acc_2", 0n);
  await newUser(store, "boss", { isOperator: true });
  await newUser(store, "other", inAccount("acc_1"));
  const userId = await newUser(store, "ana", { ...inAccount("acc_1", "member"), ...more });
  await store.createSession(session("s", userId));
  await makeLinks(store, userId, "ana@x.test");
  return userId;
}

const changes: readonly (readonly [string, object, Change])[] = [
  ["becomes an operator", {}, { isOperator: true }],
  ["is no operator any more", { isOperator: true }, { isOperator: false }],
  ["is disabled", {}, { status: "disabled" }],
  ["becomes an owner", {}, { role: "owner" }],
  ["moves to another account", {}, { accountId: "acc_2", role: "member" }],
  ["leaves its account", {}, { accountId: null }],
];

function users(newFixture: NewFixture): void {
  for (const [what, is, change] of changes) {
    test(`who ${what} keeps no session, link or invitation`, async (context) => {
      const { store } = await newFixture(context);
      const id = await fixture(store, is);
      const none = await store.changeUser({ id, revision: 0 });
      assert.equal(none.kind, "done");
      assert.equal((await store.listSessions(id)).length, 1, "a change of nothing ends nothing");
      assert.equal((await openLinks(store)).length, 6);
      assert.equal((await store.changeUser({ id, revision: 1, ...change })).kind, "done");
      assert.deepEqual(await openLinks(store), ["stays"]);
      assert.deepEqual(await store.listSessions(id), []);
    });
  }

  test("so it is with members whose role changes, and with those who are removed and come again", async (context) => {
    const { store } = await newFixture(context);
    const userId = await fixture(store, {});
    const accountId = "acc_1";
    assert.equal((await store.changeMember({ accountId, userId, role: "owner" })).kind, "done");
    assert.deepEqual(await openLinks(store), ["stays"]);
    assert.deepEqual(await store.listSessions(userId), []);
    await store.createLink(link("again", { ...inAccount("acc_2"), email: "ana@x.test" }));
    assert.equal((await store.removeMember({ accountId, userId, revokesKeys: false })).kind, "done");
    assert.deepEqual(await use(store, "again"), { kind: "missing" }, "from before it was removed");
    await store.createLink(link("later", { ...inAccount("acc_2"), email: "ana@x.test" }));
    assert.equal((await use(store, "later", { userId: "usr_ana2" })).kind, "done");
  });

  test("a reset link made by somebody who may not do so for operators is of no use for one", async (context) => {
    const { store } = await newFixture(context);
    const userId = await fixture(store, { isOperator: true });
    const reset = { kind: "reset", email: null, userId } as const;
    // Written after its user became an operator, by a caller that had checked before.
    await store.createLink(link("weak", { ...reset, isOperator: false }));
    assert.deepEqual(await use(store, "weak"), { kind: "missing" });
    await store.createLink(link("strong", { ...reset, isOperator: true }));
    assert.equal((await use(store, "strong")).kind, "done");
  });

  test("an operator's invitation is spared where only others may be withdrawn", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 0n);
    await store.createLink(link("op", { ...inAccount("acc_1"), isOperator: true }));
    const which = { accountId: "acc_1", sparesOperators: true };
    assert.deepEqual(await store.withdrawInvitation("lnk_op", which), { kind: "of_operator" });
    assert.equal((await store.listInvitations({ nowMs: t0, limit: 10 })).length, 1);
    assert.equal(
      (await store.withdrawInvitation("lnk_op", { ...which, sparesOperators: false })).kind,
      "done",
    );
  });
}

function tokens(newFixture: NewFixture): void {
  test("a token takes along those made with it, and those, and links made with any", async (context) => {
    const { store } = await newFixture(context);
    await newUser(store, "boss", { isOperator: true });
    for (const [id, by] of [
      ["otk_1", "usr_boss"],
      ["otk_2", "otk_1"],
      ["otk_3", "otk_2"],
      ["otk_other", "usr_boss"],
    ] as const)
      assert.equal(await store.createOperatorToken(token(id, by)), true);
    await store.createLink(link("by1", { createdBy: "otk_1" }));
    await store.createLink(link("by3", { createdBy: "otk_3" }));
    await store.revokeOperatorToken("otk_1", t0 + 1);
    const inForce = await Promise.all(
      ["otk_1", "otk_2", "otk_3", "otk_other"].map((id) => isInForce(store, id)),
    );
    assert.deepEqual(inForce, [false, false, false, true]);
    assert.deepEqual(await use(store, "by1"), { kind: "missing" });
    assert.deepEqual(await use(store, "by3"), { kind: "missing" });
    assert.equal(await store.createOperatorToken(token("otk_4", "otk_1")), false, "its maker is gone");
  });

  test("none outlives the one it is made with", async (context) => {
    const { store } = await newFixture(context);
    const ends = t0 + minuteMs;
    await store.createOperatorToken(token("otk_1", null, ends));
    assert.equal(await store.createOperatorToken(token("otk_2", "otk_1", null)), false);
    assert.equal(await store.createOperatorToken(token("otk_3", "otk_1", ends + 1)), false);
    assert.equal(await store.createOperatorToken(token("otk_4", "otk_1", ends)), true);
    const late = { ...token("otk_5", "otk_1", ends), createdAt: ends };
    assert.equal(await store.createOperatorToken(late), false);
  });

  for (const change of [{ isOperator: false }, { status: "disabled" }] as const) {
    test(`tokens end with their maker's rights: ${JSON.stringify(change)}`, async (context) => {
      const { store } = await newFixture(context);
      const id = await newUser(store, "ana", { isOperator: true });
      await newUser(store, "boss", { isOperator: true });
      await store.createOperatorToken(token("otk_1", id));
      await store.createOperatorToken(token("otk_2", "otk_1"));
      await store.createOperatorToken(token("otk_boss", "usr_boss"));
      await store.changeUser({ id, revision: 0, ...change });
      const inForce = await Promise.all(["otk_1", "otk_2", "otk_boss"].map((one) => isInForce(store, one)));
      assert.deepEqual(inForce, [false, false, true]);
      assert.equal(await store.createOperatorToken(token("otk_3", id)), false);
    });
  }
}

export function consoleStandingBehaviour(newFixture: NewFixture): void {
  users(newFixture);
  tokens(newFixture);
}
