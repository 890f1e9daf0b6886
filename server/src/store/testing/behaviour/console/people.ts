/** What every store must do with users, sessions and one-time links. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { NewLink, PeopleStore, Session } from "../../../people/people.ts";
import type { Store } from "../../../store.ts";
import type { NewFixture } from "../../fixture.ts";
import { newAccount } from "../money.ts";

export const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");
export const minuteMs = 60_000;
export const t0 = 1_800_000_000_000;

export const link = (name: string, more: Partial<NewLink> = {}): NewLink => ({
  id: `lnk_${name}`,
  digest: digestOf(name),
  kind: "invitation",
  email: `${name}@x.test`,
  userId: null,
  accountId: null,
  role: null,
  isOperator: false,
  createdBy: null,
  createdAt: t0,
  expiresAt: t0 + minuteMs,
  ...more,
});

export const use = (store: Store, name: string, more: Partial<Parameters<PeopleStore["useLink"]>[0]> = {}) =>
  store.useLink({
    digest: digestOf(name),
    userId: `usr_${name}`,
    password: `hash ${name}`,
    nowMs: t0,
    ...more,
  });

/** Creates a user through an invitation. */
export async function newUser(store: Store, name: string, more: Partial<NewLink> = {}): Promise<string> {
  await store.createLink(link(name, more));
  assert.deepEqual(await use(store, name), { kind: "done", userId: `usr_${name}` });
  return `usr_${name}`;
}

export const inAccount = (accountId: string, role: "owner" | "member" = "owner") => ({ accountId, role });

export const session = (name: string, userId: string, more: Partial<Session> = {}) => ({
  id: `ses_${name}`,
  digest: digestOf(name),
  idleMs: 10 * minuteMs,
  userId,
  csrf: `csrf ${name}`,
  ip: null,
  userAgent: null,
  createdAt: t0,
  rotatedAt: t0,
  seenAt: t0,
  expiresAt: t0 + 60 * minuteMs,
  ...more,
});

function links(newFixture: NewFixture): void {
  test("an invitation makes its user once, however many use it at once", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 0n);
    await store.createLink(link("ana", inAccount("acc_1")));
    const uses = ["a", "b", "c"].map((end) => use(store, "ana", { userId: `usr_${end}`, name: "Ana" }));
    const kinds = (await Promise.all(uses)).map(({ kind }) => kind).sort();
    assert.deepEqual(kinds, ["done", "used", "used"]);
    const [user, ...more] = await store.listUsers({ limit: 10 });
    assert.equal(more.length, 0);
    assert.deepEqual(
      [user?.email, user?.name, user?.account, user?.isOperator, user?.hasPassword, user?.status],
      [
        "ana@x.test",
        "Ana",
        { id: "acc_1", name: "acc_1", role: "owner", status: "active" },
        false,
        true,
        "active",
      ],
    );
    assert.equal((await store.findLink(digestOf("ana")))?.usedAt, t0);
  });

  test("a link is of no use when its time is over, its account closed or its address taken", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 0n);
    await store.createLink(link("late", { expiresAt: t0 }));
    assert.deepEqual(await use(store, "late"), { kind: "missing" });
    assert.deepEqual(await use(store, "never"), { kind: "missing" });
    await store.createLink(link("closed", inAccount("acc_1")));
    await store.setAccountStatus("acc_1", "closed");
    assert.deepEqual(await use(store, "closed"), { kind: "missing" });
    await newUser(store, "ana");
    await store.createLink(link("twin", { email: "ana@x.test" }));
    assert.deepEqual(await use(store, "twin"), { kind: "email_taken" });
    assert.equal((await store.findLink(digestOf("twin")))?.usedAt, null, "a refusal does not use it up");
    assert.equal((await store.listUsers({ limit: 10 })).length, 1);
  });

  test("two set-up links used at once make one operator, and there is none for an installation with one", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    await newAccount(store, "acc_1", 0n);
    const setup = (name: string) => link(name, { kind: "setup", email: null, isOperator: true });
    assert.equal((await store.readInstallation()).hasOperator, false);
    assert.equal(await store.replaceSetupLink(setup("one")), true);
    assert.equal(await store.replaceSetupLink(setup("two")), true);
    assert.equal(await store.findLink(digestOf("one")), undefined);
    await store.createLink(setup("three"));
    const by = (email: string) => ({ email: `${email}@x.test`, name: email });
    const outcomes = await Promise.all([use(store, "two", by("two")), use(other, "three", by("three"))]);
    assert.equal(outcomes.filter(({ kind }) => kind === "done").length, 1, JSON.stringify(outcomes));
    const [operator, ...more] = await store.listOperators();
    assert.equal(more.length, 0);
    assert.equal(operator?.account?.id, "acc_1");
    assert.equal((await store.readInstallation()).hasOperator, true);
    assert.equal(await store.replaceSetupLink(setup("four")), false);
  });

  test("a reset sets the password, ends sessions and second factor, and voids the other resets", async (context) => {
    const { store } = await newFixture(context);
    const userId = await newUser(store, "ana");
    await store.createSession(session("s", userId));
    await store.beginTotp(userId, "SECRET");
    const confirmation = { userId, secret: "SECRET", step: 1, recoveryDigests: [], keepSessionId: "ses_s" };
    assert.equal(await store.confirmTotp({ ...confirmation, nowMs: t0 }), true);
    for (const name of ["one", "two"])
      await store.createLink(link(name, { kind: "reset", email: null, userId }));
    assert.deepEqual(await use(store, "one"), { kind: "done", userId });
    assert.deepEqual(await use(store, "two"), { kind: "missing" });
    const secrets = await store.findUserSecrets({ id: userId });
    assert.deepEqual(
      [secrets?.password, secrets?.totpSecret, secrets?.totpIsConfirmed],
      ["hash one", null, false],
    );
    assert.deepEqual(await store.listSessions(userId), []);
  });

  test("open invitations are listed by account, and withdrawn within it only", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 0n);
    await newAccount(store, "acc_2", 0n);
    await store.createLink(link("a", inAccount("acc_1")));
    await store.createLink(link("b", inAccount("acc_1", "member")));
    await store.createLink(link("c", inAccount("acc_2")));
    await store.createLink(link("old", { ...inAccount("acc_1"), expiresAt: t0 }));
    const emails = async (accountId?: string) =>
      (await store.listInvitations({ accountId, nowMs: t0, limit: 10 })).map(({ email }) => email);
    assert.deepEqual(await emails("acc_1"), ["b@x.test", "a@x.test"]);
    assert.deepEqual(await emails(), ["c@x.test", "b@x.test", "a@x.test"]);
    const withdraw = (id: string) =>
      store.withdrawInvitation(id, { accountId: "acc_1", sparesOperators: true });
    assert.deepEqual(await withdraw("lnk_c"), { kind: "missing" });
    const withdrawn = await withdraw("lnk_a");
    assert.equal(withdrawn.kind === "done" && withdrawn.link.email, "a@x.test");
    assert.deepEqual(await emails("acc_1"), ["b@x.test"]);
  });
}

function people(newFixture: NewFixture): void {
  test("of two owners that demote or remove each other at once, one stays", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    for (let round = 0; round < 4; round += 1) {
      const accountId = `acc_${round}`;
      await newAccount(store, accountId, 0n);
      const [a, b] = [
        await newUser(store, `a${round}`, inAccount(accountId)),
        await newUser(store, `b${round}`, inAccount(accountId)),
      ];
      const act = (at: Store, userId: string) =>
        round % 2 === 0
          ? at.changeMember({ accountId, userId, role: "member" })
          : at.removeMember({ accountId, userId, revokesKeys: false });
      const kinds = (await Promise.all([act(store, a), act(other, b)])).map(({ kind }) => kind).sort();
      assert.deepEqual(kinds, ["done", "last_owner"]);
      const members = await store.listMembers(accountId, { limit: 10 });
      assert.equal(members.filter(({ account }) => account?.role === "owner").length, 1);
      assert.equal(members.length, round % 2 === 0 ? 2 : 1);
    }
  });

  test("of two operators that disable each other at once, one stays", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    const a = await newUser(store, "a", { isOperator: true });
    const b = await newUser(store, "b", { isOperator: true });
    const outcomes = await Promise.all([
      store.changeUser({ id: a, revision: 0, status: "disabled" }),
      other.changeUser({ id: b, revision: 0, isOperator: false }),
    ]);
    assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ["done", "last_operator"]);
    assert.equal((await store.listOperators()).length, 1);
  });

  test("a user changed meanwhile is not changed again, and who is moved or disabled is signed out", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 0n);
    const id = await newUser(store, "ana");
    await store.createSession(session("s", id));
    assert.deepEqual(await store.changeUser({ id, revision: 7, status: "disabled" }), {
      kind: "changed_meanwhile",
    });
    assert.deepEqual(await store.changeUser({ id, revision: 0, accountId: "acc_none" }), {
      kind: "no_account",
    });
    assert.deepEqual(await store.changeUser({ id, revision: 0, role: "owner" }), { kind: "no_account" });
    assert.equal((await store.listSessions(id)).length, 1);
    const moved = await store.changeUser({ id, revision: 0, ...inAccount("acc_1", "member") });
    assert.deepEqual(moved.kind === "done" && [moved.user.account?.role, moved.user.revision], ["member", 1]);
    assert.equal((await store.listSessions(id)).length, 0);
    const out = await store.changeUser({ id, revision: 1, accountId: null });
    assert.equal(out.kind === "done" && out.user.account, null);
  });

  test("users are found by parts of name and address, a percent sign by itself, page by page", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 0n);
    for (const name of ["a1", "a2", "a3"])
      await newUser(store, name, name === "a2" ? inAccount("acc_1") : {});
    await store.setProfile("usr_a1", { name: "100% Ana_B" });
    const ids = async (filter: object) =>
      (await store.listUsers({ limit: 10, ...filter })).map(({ id }) => id);
    assert.deepEqual(await ids({}), ["usr_a3", "usr_a2", "usr_a1"]);
    assert.deepEqual(await ids({ search: "A2@X" }), ["usr_a2"]);
    assert.deepEqual(await ids({ search: "0% ana_" }), ["usr_a1"]);
    assert.deepEqual(await ids({ search: "%" }), ["usr_a1"]);
    assert.deepEqual(await ids({ search: "a_" }), ["usr_a1"]);
    assert.deepEqual(await ids({ accountId: "acc_1" }), ["usr_a2"]);
    assert.deepEqual(await ids({ isOperator: true }), []);
    assert.deepEqual(await ids({ limit: 2, afterId: "usr_a3" }), ["usr_a2", "usr_a1"]);
  });

  test("a profile keeps each language of the console, and none", async (context) => {
    const { store } = await newFixture(context);
    const id = await newUser(store, "ana");
    assert.equal((await store.findUser(id))?.language, null);
    for (const language of ["ja", "zh", "ja", null, "en"] as const) {
      assert.equal((await store.setProfile(id, { language }))?.language, language);
      await store.setProfile(id, { theme: "dark" });
      assert.equal((await store.findUser(id))?.language, language);
    }
  });

  test("an identity is linked by a verified address once; the password set before no longer counts", async (context) => {
    const { store } = await newFixture(context);
    const id = await newUser(store, "ana");
    await store.createSession(session("s", id));
    const ana = { issuer: "https://idp.test", subject: "1", email: "ana@x.test", name: "Ana" };
    const making = { userId: "usr_new", nowMs: t0 };
    assert.deepEqual(await store.findIdentity({ ...ana, email: null }, making), { kind: "unknown" });
    assert.deepEqual(await store.findIdentity({ ...ana, email: "bea@x.test" }, making), { kind: "unknown" });
    assert.deepEqual(await store.findIdentity(ana, making), { kind: "linked", userId: id });
    assert.deepEqual(await store.findIdentity({ ...ana, email: null }, making), {
      kind: "known",
      userId: id,
    });
    assert.equal((await store.findUserSecrets({ id }))?.password, null);
    assert.deepEqual(await store.listSessions(id), []);
    const bea = { ...ana, subject: "2", email: "bea@x.test", name: "Bea" };
    const signUp = { ...making, signUp: { accountId: "acc_new" } };
    assert.deepEqual(await store.findIdentity(bea, signUp), { kind: "joined", userId: "usr_new" });
    assert.equal((await store.findAccount("acc_new"))?.balance, 0n);
    assert.ok((await store.listChanges(0)).some(({ subject }) => subject === "acc_new"));
  });
}

function sessions(newFixture: NewFixture): void {
  test("a session is found by its secret, and by the one before for a moment", async (context) => {
    const { store } = await newFixture(context);
    const userId = await newUser(store, "ana");
    await store.createSession(session("s", userId));
    const found = await store.findSession(digestOf("s"), t0);
    assert.deepEqual([found?.session.csrf, found?.user.id, found?.isPrevious], ["csrf s", userId, false]);
    const rotations = await Promise.all(
      ["x", "y", "z"].map((to) =>
        store.rotateSession({ id: "ses_s", from: digestOf("s"), to: digestOf(to), nowMs: t0 + 5 }),
      ),
    );
    assert.equal(rotations.filter(Boolean).length, 1);
    assert.equal((await store.findSession(digestOf("s"), t0 + 5))?.isPrevious, true);
    assert.equal(await store.findSession(digestOf("s"), t0 + 6), undefined);
    const now = ["x", "y", "z"][rotations.indexOf(true)] ?? "";
    assert.equal((await store.findSession(digestOf(now), t0 + 6))?.isPrevious, false);
  });

  test("sessions that are over are dropped, and a user has a hundred at most", async (context) => {
    const { store } = await newFixture(context);
    const userId = await newUser(store, "ana");
    const other = await newUser(store, "bea");
    await store.createSession(session("idle", other, { seenAt: t0 - 11 * minuteMs }));
    await store.createSession(session("over", other, { expiresAt: t0 + 1 }));
    await store.createSession(session("kept", other));
    for (let index = 0; index <= 100; index += 1)
      await store.createSession(session(`s${index}`, userId, { createdAt: t0 + 2, seenAt: t0 + 2 + index }));
    assert.deepEqual(
      (await store.listSessions(other)).map(({ id }) => id),
      ["ses_kept"],
    );
    const own = await store.listSessions(userId);
    assert.deepEqual([own.length, own[0]?.id, own.at(-1)?.id], [100, "ses_s100", "ses_s1"]);
    assert.equal(await store.endSession(other, "ses_s1"), false);
    assert.equal(await store.endSessions(userId, "ses_s50"), 99);
  });

  test("a session takes its ephemeral keys along, and serving processes are told", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 0n);
    const userId = await newUser(store, "ana", inAccount("acc_1"));
    const now = Date.now();
    const times = { createdAt: now, rotatedAt: now, seenAt: now, expiresAt: now + minuteMs };
    await store.createSession(session("s", userId, times));
    await store.createSession(session("plain", userId, times));
    await store.createKey({
      id: "key_1",
      accountId: "acc_1",
      name: "laptop",
      visiblePrefix: "sk-plaza-ab",
      digest: digestOf("key"),
      models: null,
      requestsPerMinute: null,
      tokensPerMinute: null,
      concurrency: null,
      budget: null,
      expiresAt: null,
    });
    const ephemeral = { digest: digestOf("pass"), keyId: "key_1", expiresAt: now + minuteMs };
    assert.equal(await store.addEphemeralKey({ ...ephemeral, sessionId: "ses_s" }), true);
    assert.equal((await store.findKeyByDigest(ephemeral.digest))?.key.id, "key_1");
    const before = await store.lastChangeId();
    await store.endSession(userId, "ses_plain");
    assert.deepEqual(await store.listChanges(before), [], "none without an ephemeral key");
    await store.endSession(userId, "ses_s");
    assert.deepEqual(
      (await store.listChanges(before)).map(({ kind, subject }) => [kind, subject]),
      [["key", "key_1"]],
    );
    assert.equal(await store.findKeyByDigest(ephemeral.digest), undefined);
  });
}

export function consolePeopleBehaviour(newFixture: NewFixture): void {
  links(newFixture);
  people(newFixture);
  sessions(newFixture);
}
