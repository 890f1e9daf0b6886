/** One-time links, members, users, second factors and operator tokens, over real HTTP. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { generate } from "otplib";
import { ensureSetupLink } from "../../../server/src/control/auth/links.ts";
import { type ConsoleRig, startConsole } from "../harness/console-rig.ts";

const dayMs = 24 * 60 * 60_000;
const newPassword = "a wholly new password";

const signIn = ({ nobody }: ConsoleRig, email: string, password: string, code?: string) =>
  nobody.call("POST", "/session", { email, password, ...(code === undefined ? {} : { code }) });

const codeOf = ({ status, body }: { status: number; body: { error: { code: string } } }) =>
  `${status} ${body.error.code}`;

test("the first link makes the operator, owner of the first account, and works once", async (context) => {
  const rig = await startConsole(context, { isBare: true });
  const { nobody, store } = rig;
  await store.createAccount({ id: "acc_first", name: "first", balance: 0n as never });
  assert.equal((await nobody.call("GET", "/session")).body.installation.needsSetup, true);
  const void1 = await ensureSetupLink(rig.context);
  const token = (await ensureSetupLink(rig.context)) ?? "";
  assert.equal(
    codeOf(await nobody.call("GET", `/links/${void1}`)),
    "404 not_found",
    "a restart voids the one before",
  );
  const { body } = await nobody.call("GET", `/links/${token}`);
  assert.deepEqual([body.kind, body.email, body.role], ["setup", null, null]);
  const use = (more: object) =>
    nobody.call("POST", `/links/${token}`, {
      name: "Ana",
      email: "ana@plaza.test",
      password: newPassword,
      ...more,
    });
  const fieldOf = async (more: object) => (await use(more)).body.error.fields[0].path;
  assert.equal(await fieldOf({ password: "short" }), "password");
  assert.equal(await fieldOf({ password: "Password1234" }), "password");
  assert.equal(await fieldOf({ password: "ana@plaza.test" }), "password");
  assert.equal(await fieldOf({ email: undefined }), "email");
  assert.equal(await fieldOf({ name: undefined }), "name");
  const made = await Promise.all([use({}), use({ email: "eve@plaza.test" })]);
  assert.deepEqual(made.map(({ status }) => status).sort(), [200, 409]);
  const [done] = made.filter(({ status }) => status === 200);
  assert.equal(done?.body.user.isOperator, true);
  assert.deepEqual([done?.body.account.id, done?.body.account.role], ["acc_first", "owner"]);
  assert.equal(done?.body.installation.needsSetup, false);
  assert.match(done?.headers.get("set-cookie") ?? "", /^plaza_session=/);
  assert.equal(codeOf(await use({})), "409 already_used");
  assert.equal(codeOf(await nobody.call("GET", `/links/${token}`)), "409 already_used");
  assert.equal(await ensureSetupLink(rig.context), undefined, "there is an operator now");
});

test("a set-up link lives for a day", async (context) => {
  const rig = await startConsole(context, { isBare: true });
  const token = await ensureSetupLink(rig.context);
  rig.clock.add(dayMs);
  assert.equal(codeOf(await rig.nobody.call("GET", `/links/${token}`)), "404 not_found");
  const body = { name: "Ana", email: "ana@plaza.test", password: newPassword };
  assert.equal(codeOf(await rig.nobody.call("POST", `/links/${token}`, body)), "404 not_found");
});

test("an owner invites, the invited join once, and an invitation can be withdrawn", async (context) => {
  const rig = await startConsole(context);
  const owner = rig.as("owner");
  const invite = (email: string, role = "member") =>
    owner.call("POST", "/members/invitations", { email, role });
  const first = await invite("New@A.test");
  assert.equal(first.status, 201);
  assert.equal(first.body.url, `${rig.url}/link/${first.body.token}`);
  const { body: link } = await rig.nobody.call("GET", `/links/${first.body.token}`);
  assert.deepEqual(
    [link.kind, link.email, link.accountName, link.role],
    ["invitation", "new@a.test", "Account A", "member"],
  );
  const second = await invite("other@a.test", "owner");
  const { body: open } = await owner.call("GET", "/members/invitations");
  assert.deepEqual(
    open.invitations.map(({ email }: { email: string }) => email),
    ["other@a.test", "new@a.test"],
  );
  assert.doesNotMatch(JSON.stringify(open), new RegExp(first.body.token));
  const strangers = await rig.as("stranger").call("DELETE", `/members/invitations/${second.body.id}`);
  assert.equal(codeOf(strangers), "404 not_found");
  assert.equal((await owner.call("DELETE", `/members/invitations/${second.body.id}`)).status, 204);
  assert.equal(codeOf(await rig.nobody.call("GET", `/links/${second.body.token}`)), "404 not_found");
  const used = await rig.nobody.call("POST", `/links/${first.body.token}`, {
    email: "somebody-else@a.test",
    password: newPassword,
  });
  assert.deepEqual(
    [used.body.user.email, used.body.user.isOperator, used.body.account.id, used.body.account.role],
    ["new@a.test", false, rig.accountA, "member"],
  );
  assert.equal((await signIn(rig, "new@a.test", newPassword)).status, 200);
  assert.equal(codeOf(await invite("new@a.test")), "409 already_exists");
});

test("roles change at once, and the last owner stays", async (context) => {
  const rig = await startConsole(context);
  const [owner, before] = [rig.as("owner"), rig.as("member")];
  assert.equal((await before.call("GET", "/members/invitations")).status, 403);
  const demoted = await owner.call("PATCH", `/members/${owner.userId}`, { role: "member" });
  assert.equal(codeOf(demoted), "403 not_permitted");
  assert.equal(codeOf(await owner.call("DELETE", `/members/${owner.userId}`)), "403 not_permitted");
  assert.equal(
    (await owner.call("PATCH", `/members/${before.userId}`, { role: "owner" })).body.role,
    "owner",
  );
  assert.equal((await before.call("GET", "/session")).body.user, null, "and is signed out");
  assert.equal((await signIn(rig, before.email, rig.password)).body.account.role, "owner");
  assert.equal((await owner.call("DELETE", `/members/${before.userId}`)).status, 200);
  const member = await rig.newUser({ email: "second@a.test", accountId: rig.accountA });
  assert.equal((await member.call("GET", "/members/invitations")).status, 200);
  const both = await Promise.all([
    owner.call("PATCH", `/members/${member.userId}`, { role: "member" }),
    member.call("PATCH", `/members/${owner.userId}`, { role: "member" }),
  ]);
  const [done, refused] = both.map(({ status }) => status).sort();
  assert.equal(done, 200);
  assert.ok(refused === 403 || refused === 401, `two at once leave one owner: ${refused}`);
  const stays = both[0]?.status === 200 ? owner : member;
  const other = stays === owner ? member : owner;
  assert.equal((await stays.call("DELETE", `/members/${other.userId}`)).status, 200);
  assert.equal((await other.call("GET", "/session")).body.user, null);
  assert.equal(codeOf(await signIn(rig, other.email, rig.password)), "401 sign_in_failed");
});

test("members are paged, and another account's are out of reach", async (context) => {
  const rig = await startConsole(context);
  const owner = rig.as("owner");
  const first = await owner.call("GET", "/members?limit=1");
  assert.deepEqual([first.body.members.length, first.body.members[0].email], [1, "member@a.test"]);
  const second = await owner.call("GET", `/members?limit=1&cursor=${first.body.next}`);
  assert.deepEqual([second.body.members[0].email, second.body.next], ["owner@a.test", null]);
  const theirs = rig.as("stranger").userId;
  assert.equal(codeOf(await owner.call("PATCH", `/members/${theirs}`, { role: "member" })), "404 not_found");
  assert.equal(codeOf(await owner.call("DELETE", `/members/${theirs}`)), "404 not_found");
  assert.equal((await rig.as("stranger").call("GET", "/members")).body.members[0].role, "owner");
});

test("the operator finds, changes and disables users, but neither themselves nor the last of them", async (context) => {
  const rig = await startConsole(context);
  const operator = rig.as("operator");
  const { body: found } = await operator.call("GET", "/operator/users?search=@A.TEST&status=active");
  assert.deepEqual(
    found.users.map(({ email }: { email: string }) => email),
    ["owner@a.test", "member@a.test"],
  );
  assert.equal((await operator.call("GET", "/operator/users?search=%25")).body.users.length, 0);
  const [user] = found.users;
  const path = `/operator/users/${user.id}`;
  const disabled = await operator.call("PATCH", path, { status: "disabled", revision: user.revision });
  assert.equal(disabled.body.status, "disabled");
  assert.equal((await rig.as("owner").call("GET", "/session")).body.user, null, "and is signed out");
  assert.equal(
    codeOf(await operator.call("PATCH", path, { status: "active", revision: user.revision })),
    "409 changed_meanwhile",
  );
  const moved = await operator.call("PATCH", path, {
    status: "active",
    accountId: rig.accountB,
    role: "member",
    revision: disabled.body.revision,
  });
  assert.deepEqual(moved.body.account, { id: rig.accountB, name: "Account B", role: "member" });
  const own = `/operator/users/${operator.userId}`;
  for (const change of [{ status: "disabled" }, { isOperator: false }])
    assert.equal(codeOf(await operator.call("PATCH", own, { ...change, revision: 0 })), "403 not_permitted");
  const token = await rig.withToken("accounts:read", "accounts:write", "installation:write");
  const last = await token.call("PATCH", own, { isOperator: false, revision: 0 });
  assert.match(last.body.error.message, /last operator/);
  const absent = await operator.call("PATCH", path, { accountId: "acc_none", revision: moved.body.revision });
  assert.equal(absent.body.error.fields[0].path, "accountId");
});

test("a token that may change accounts cannot reach those who run the installation", async (context) => {
  const rig = await startConsole(context);
  const { userId } = rig.as("operator");
  const member = rig.as("member").userId;
  const weak = await rig.withToken("accounts:write");
  const attempts = [
    weak.call("POST", "/operator/users/invitations", { email: "x@a.test", isOperator: true }),
    weak.call("PATCH", `/operator/users/${member}`, { isOperator: true, revision: 0 }),
    weak.call("PATCH", `/operator/users/${userId}`, { status: "disabled", revision: 0 }),
    weak.call("POST", `/operator/users/${userId}/reset-link`),
    weak.call("POST", `/operator/users/${userId}/end-sessions`),
  ];
  for (const answer of await Promise.all(attempts)) assert.equal(codeOf(answer), "403 not_permitted");
  assert.equal((await weak.call("POST", `/operator/users/${member}/reset-link`)).status, 201);
  const strong = await rig.withToken("accounts:write", "installation:write");
  assert.equal((await strong.call("POST", `/operator/users/${userId}/reset-link`)).status, 201);
});

test("a reset link sets a new password, takes two-factor away and ends every session", async (context) => {
  const rig = await startConsole(context);
  const owner = rig.as("owner");
  await turnOn(rig, "owner");
  const { body: link } = await rig.as("operator").call("POST", `/operator/users/${owner.userId}/reset-link`);
  const { body: told } = await rig.nobody.call("GET", `/links/${link.token}`);
  assert.deepEqual([told.kind, told.email], ["reset", "owner@a.test"]);
  const used = await rig.nobody.call("POST", `/links/${link.token}`, { password: newPassword });
  assert.deepEqual([used.body.user.id, used.body.user.hasTwoFactor], [owner.userId, false]);
  assert.equal((await owner.call("GET", "/session")).body.user, null);
  assert.equal(codeOf(await signIn(rig, owner.email, rig.password)), "401 sign_in_failed");
  assert.equal((await signIn(rig, owner.email, newPassword)).status, 200);
});

test("a new password needs the old one, and ends the other sessions only", async (context) => {
  const rig = await startConsole(context);
  const owner = rig.as("owner");
  const other = await signIn(rig, owner.email, rig.password);
  const cookie = other.headers.get("set-cookie")?.split(";")[0] ?? "";
  const change = (body: object) => owner.call("POST", "/profile/password", body);
  const wrong = await change({ current: "not the password", next: newPassword });
  assert.equal(wrong.body.error.fields[0].path, "current");
  assert.equal((await change({ next: newPassword })).body.error.fields[0].path, "current");
  assert.equal(
    (await change({ current: rig.password, next: "owner@a.test" })).body.error.fields[0].path,
    "next",
  );
  const done = await change({ current: rig.password, next: newPassword });
  assert.equal(done.status, 200);
  assert.match(done.headers.get("set-cookie") ?? "", /^plaza_session=/, "its own secret is exchanged");
  assert.equal((await rig.nobody.call("GET", "/session", undefined, { cookie })).body.user, null);
  assert.equal((await signIn(rig, owner.email, rig.password)).status, 401);
  assert.equal((await signIn(rig, owner.email, newPassword)).status, 200);
});

/** Turns two-factor on; resolves with its secret and recovery codes. */
async function turnOn(rig: ConsoleRig, role: "owner" | "member") {
  const { call } = rig.as(role);
  // To the start of a code's 30 s, so that it does not change within the test.
  rig.clock.add(30_000 - (rig.clock.wallMs() % 30_000));
  const begun = await call("POST", "/profile/two-factor", { password: rig.password });
  assert.match(begun.body.address, /^otpauth:\/\/totp\/Plaza:/);
  const { secret } = begun.body;
  const codeAt = (steps: number) =>
    generate({ secret, epoch: Math.floor(rig.clock.wallMs() / 1_000) + 30 * steps });
  const confirmed = await call("POST", "/profile/two-factor/confirm", { code: await codeAt(0) });
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
  return { codeAt, recoveryCodes: confirmed.body.recoveryCodes as string[] };
}

test("with two-factor a password alone is not enough, and no code works twice", async (context) => {
  const rig = await startConsole(context);
  const owner = rig.as("owner");
  const other = await signIn(rig, owner.email, rig.password);
  const { codeAt, recoveryCodes } = await turnOn(rig, "owner");
  const cookie = other.headers.get("set-cookie")?.split(";")[0] ?? "";
  assert.equal((await rig.nobody.call("GET", "/session", undefined, { cookie })).body.user, null);
  assert.equal(codeOf(await signIn(rig, owner.email, rig.password)), "401 second_factor_required");
  assert.equal(codeOf(await signIn(rig, owner.email, "not the password")), "401 sign_in_failed");
  const code = await codeAt(0);
  assert.equal(
    codeOf(await signIn(rig, owner.email, rig.password, code)),
    "401 sign_in_failed",
    "used to confirm",
  );
  rig.clock.add(30_000);
  const fresh = await codeAt(0);
  assert.equal((await signIn(rig, owner.email, rig.password, fresh)).status, 200);
  assert.equal(codeOf(await signIn(rig, owner.email, rig.password, fresh)), "401 sign_in_failed");
  rig.clock.add(60_000);
  assert.equal(codeOf(await signIn(rig, owner.email, rig.password, await codeAt(-2))), "401 sign_in_failed");
  assert.equal((await signIn(rig, owner.email, rig.password, await codeAt(-1))).status, 200);
  assert.equal(recoveryCodes.length, 10);
  const [recovery = ""] = recoveryCodes;
  const typed = recovery.toUpperCase().replaceAll("-", " ");
  assert.equal((await signIn(rig, owner.email, rig.password, typed)).status, 200);
  assert.equal(codeOf(await signIn(rig, owner.email, rig.password, recovery)), "401 sign_in_failed");
});

test("asking without a code neither counts as a failure nor forgets any", async (context) => {
  const rig = await startConsole(context);
  await turnOn(rig, "owner");
  const { email } = rig.as("owner");
  for (let round = 0; round < 6; round += 1)
    assert.equal(codeOf(await signIn(rig, email, rig.password)), "401 second_factor_required");
  for (let round = 0; round < 5; round += 1) {
    assert.equal(codeOf(await signIn(rig, email, rig.password, "000000")), "401 sign_in_failed");
    const next = round < 4 ? "401 second_factor_required" : "429 too_many_attempts";
    assert.equal(codeOf(await signIn(rig, email, rig.password)), next);
  }
});

test("two-factor is turned off, and new recovery codes made, with password and code only", async (context) => {
  const rig = await startConsole(context);
  const { call, email } = rig.as("member");
  const { codeAt, recoveryCodes } = await turnOn(rig, "member");
  assert.equal(
    codeOf(await call("POST", "/profile/two-factor", { password: rig.password })),
    "400 invalid_request",
    "it is on already",
  );
  rig.clock.add(30_000);
  const end = (body: object) => call("POST", "/profile/two-factor/end", body);
  assert.equal((await end({ password: rig.password, code: "000000" })).body.error.fields[0].path, "code");
  assert.equal(
    (await end({ password: "wrong password", code: "000000" })).body.error.fields[0].path,
    "password",
  );
  const renewed = await call("POST", "/profile/two-factor/recovery-codes", {
    password: rig.password,
    code: recoveryCodes[0],
  });
  assert.equal(renewed.body.recoveryCodes.length, 10);
  assert.equal(
    (await end({ password: rig.password, code: recoveryCodes[1] })).status,
    400,
    "the old ones ended",
  );
  assert.equal((await end({ password: rig.password, code: await codeAt(0) })).status, 204);
  assert.equal((await signIn(rig, email, rig.password)).status, 200);
});

test("what people set of themselves is kept, and a time zone must be one", async (context) => {
  const rig = await startConsole(context);
  const { call } = rig.as("member");
  const changed = await call("PATCH", "/profile", {
    name: "Åsa 王 🌸",
    language: "zh",
    theme: "dark",
    timeZone: "Asia/Shanghai",
  });
  const { name, language, theme, timeZone } = changed.body.user;
  assert.deepEqual([name, language, theme, timeZone], ["Åsa 王 🌸", "zh", "dark", "Asia/Shanghai"]);
  const back = await call("PATCH", "/profile", { theme: null });
  assert.deepEqual([back.body.user.theme, back.body.user.language], [null, "zh"]);
  for (const language of ["ja", "en", "ja", null]) {
    const { body } = await call("PATCH", "/profile", { language });
    assert.equal(body.user.language, language);
    assert.equal((await call("GET", "/session")).body.user.language, language);
  }
  assert.equal((await call("PATCH", "/profile", { language: "tlh" })).status, 400);
  assert.equal(
    (await call("PATCH", "/profile", { timeZone: "Mars/Base" })).body.error.fields[0].path,
    "timeZone",
  );
});

test("operator tokens do what their scopes say, until they expire or are revoked", async (context) => {
  const rig = await startConsole(context, { env: { PLAZA_OPERATOR_TOKEN: "from-the-settings-0123456789" } });
  const operator = rig.as("operator");
  const expiresAt = new Date(rig.clock.wallMs() + dayMs).toISOString();
  const made = await operator.call("POST", "/operator/tokens", {
    name: "CI",
    scopes: ["accounts:read", "installation:write"],
    expiresAt,
  });
  assert.equal(made.status, 201);
  const { secret, token } = made.body;
  assert.match(secret, /^plz-op-[0-9A-Za-z]{38}$/);
  assert.deepEqual(
    [token.createdBy, token.usedAt, token.visiblePrefix],
    ["operator@plaza.test", null, secret.slice(0, 11)],
  );
  const as = (bearer: string) => ({ authorization: `Bearer ${bearer}` });
  const list = (bearer: string) => rig.nobody.call("GET", "/operator/users", undefined, as(bearer));
  assert.equal((await list(secret)).status, 200);
  assert.equal((await list("from-the-settings-0123456789")).status, 200);
  const other = `${secret.slice(0, -1)}${secret.endsWith("x") ? "y" : "x"}`;
  for (const wrong of ["from-the-settings-0123456788", other, "sk-plaza-abc"])
    assert.equal((await list(wrong)).status, 401, wrong);
  const mint = (scopes: string[]) =>
    rig.nobody.call("POST", "/operator/tokens", { name: "more", scopes }, as(secret));
  assert.equal((await mint(["accounts:read"])).status, 201, "no CSRF token is needed");
  assert.equal(codeOf(await mint(["accounts:read", "accounts:write"])), "403 not_permitted");
  const { body: listed } = await operator.call("GET", "/operator/tokens");
  assert.deepEqual(
    listed.tokens.map(({ name, usedAt }: { name: string; usedAt: string | null }) => [name, usedAt !== null]),
    [
      ["more", false],
      ["CI", true],
    ],
  );
  assert.doesNotMatch(JSON.stringify(listed), new RegExp(secret.slice(12)));
  for (const path of ["/members", "/profile", "/sessions"]) {
    const method = path === "/profile" ? "PATCH" : "GET";
    const body = method === "PATCH" ? {} : undefined;
    assert.equal((await rig.nobody.call(method, path, body, as(secret))).status, 403, path);
  }
  assert.equal((await rig.nobody.call("GET", "/session", undefined, as(secret))).body.user, null);
  assert.equal((await operator.call("DELETE", `/operator/tokens/${listed.tokens[0].id}`)).status, 204);
  rig.clock.add(dayMs);
  assert.equal(codeOf(await list(secret)), "401 not_signed_in", "it has expired");
  const past = { name: "x", scopes: ["health:read"], expiresAt: "2020-01-01T00:00:00Z" };
  const { body: refused } = await rig.as("operator").call("POST", "/operator/tokens", past);
  assert.equal(refused.error.code, "not_signed_in", "the session was idle for a day");
});
