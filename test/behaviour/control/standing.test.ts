/** Changes of rights take effect on existing links, sessions, invitations and tokens, over real HTTP. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startConsole } from "../harness/console-rig.ts";

const newPassword = "a wholly new password";
const codeOf = ({ status, body }: { status: number; body: { error: { code: string } } }) =>
  `${status} ${body.error.code}`;

test("a reset link from before its user became an operator is of no use", async (context) => {
  const rig = await startConsole(context);
  const weak = await rig.withToken("accounts:write");
  const owner = rig.as("owner");
  const { body: link } = await weak.call("POST", `/operator/users/${owner.userId}/reset-link`);
  const promoted = await rig.as("operator").call("PATCH", `/operator/users/${owner.userId}`, {
    isOperator: true,
    revision: 0,
  });
  assert.equal(promoted.status, 200);
  const use = await rig.nobody.call("POST", `/links/${link.token}`, { password: newPassword });
  assert.equal(codeOf(use), "404 not_found");
  assert.equal((await owner.call("GET", "/session")).body.user, null);
  assert.equal(
    codeOf(await weak.call("POST", `/operator/users/${owner.userId}/reset-link`)),
    "403 not_permitted",
  );
});

test("an operator's invitation is withdrawn by those who may make one, and by nobody else", async (context) => {
  const rig = await startConsole(context);
  const weak = await rig.withToken("accounts:write");
  const strong = await rig.withToken("accounts:write", "installation:write");
  const owner = rig.as("owner");
  const invite = async (email: string) => {
    const given = { email, accountId: rig.accountA, isOperator: true };
    return (await rig.as("operator").call("POST", "/operator/users/invitations", given)).body;
  };
  const [one, two] = [await invite("one@a.test"), await invite("two@a.test")];
  assert.equal(
    codeOf(await weak.call("DELETE", `/operator/users/invitations/${one.id}`)),
    "403 not_permitted",
  );
  assert.equal(codeOf(await owner.call("DELETE", `/members/invitations/${one.id}`)), "403 not_permitted");
  assert.equal((await rig.nobody.call("GET", `/links/${one.token}`)).status, 200);
  assert.equal((await strong.call("DELETE", `/operator/users/invitations/${one.id}`)).status, 204);
  assert.equal(
    (await rig.as("operator").call("DELETE", `/operator/users/invitations/${two.id}`)).status,
    204,
  );
  const plain = await weak.call("POST", "/operator/users/invitations", {
    email: "three@a.test",
    accountId: rig.accountA,
  });
  assert.equal((await weak.call("DELETE", `/operator/users/invitations/${plain.body.id}`)).status, 204);
});

test("a token's child ends when it does, and dies with it", async (context) => {
  const rig = await startConsole(context);
  const operator = rig.as("operator");
  const expiresAt = new Date(rig.clock.wallMs() + 3_600_000).toISOString();
  const scopes = ["accounts:read", "installation:write"];
  const parent = (await operator.call("POST", "/operator/tokens", { name: "parent", scopes, expiresAt }))
    .body;
  const as = (secret: string) => ({ authorization: `Bearer ${secret}` });
  const mint = (secret: string, more: object = {}) =>
    rig.nobody.call("POST", "/operator/tokens", { name: "child", scopes, ...more }, as(secret));
  const list = (secret: string) => rig.nobody.call("GET", "/operator/users", undefined, as(secret));
  const later = new Date(rig.clock.wallMs() + 7_200_000).toISOString();
  const refused = await mint(parent.secret, { expiresAt: later });
  assert.equal(refused.body.error.fields[0].path, "expiresAt");
  const child = (await mint(parent.secret)).body;
  assert.equal(child.token.expiresAt, expiresAt, "as its parent, where nothing is said");
  const grandchild = (await mint(child.secret, { expiresAt: null })).body;
  assert.equal(grandchild.token.expiresAt, expiresAt);
  for (const { secret } of [parent, child, grandchild]) assert.equal((await list(secret)).status, 200);
  assert.equal((await operator.call("DELETE", `/operator/tokens/${parent.token.id}`)).status, 204);
  for (const { secret } of [parent, child, grandchild])
    assert.equal(codeOf(await list(secret)), "401 not_signed_in");
});

test("who is no operator any more has no token of theirs, and no link they made", async (context) => {
  const rig = await startConsole(context);
  const second = await rig.newUser({ email: "second@plaza.test", isOperator: true });
  const { secret } = (
    await second.call("POST", "/operator/tokens", { name: "mine", scopes: ["accounts:read"] })
  ).body;
  const victim = rig.as("owner").userId;
  const { token: reset } = (await second.call("POST", `/operator/users/${victim}/reset-link`)).body;
  const given = { email: "friend@plaza.test", isOperator: true };
  const { token: invitation } = (await second.call("POST", "/operator/users/invitations", given)).body;
  const { body: row } = await rig.as("operator").call("GET", `/operator/users/${second.userId}`);
  const demoted = await rig.as("operator").call("PATCH", `/operator/users/${second.userId}`, {
    isOperator: false,
    revision: row.revision,
  });
  assert.equal(demoted.status, 200);
  const headers = { authorization: `Bearer ${secret}` };
  assert.equal((await rig.nobody.call("GET", "/operator/users", undefined, headers)).status, 401);
  for (const token of [reset, invitation])
    assert.equal(codeOf(await rig.nobody.call("GET", `/links/${token}`)), "404 not_found");
  assert.equal((await second.call("GET", "/session")).body.user, null);
});

test("who gets another role in its account is signed out, and what it gave out before is dead", async (context) => {
  const rig = await startConsole(context);
  const [owner, member] = [rig.as("owner"), rig.as("member")];
  const promoted = await owner.call("PATCH", `/members/${member.userId}`, { role: "owner" });
  assert.equal(promoted.status, 200);
  assert.equal((await member.call("GET", "/session")).body.user, null);
  assert.equal(codeOf(await member.call("GET", "/members")), "401 not_signed_in");
  assert.notEqual((await owner.call("GET", "/session")).body.user, null);
});

for (const keys of ["keep", "revoke"] as const) {
  test(`keys of somebody who is removed: ${keys}`, async (context) => {
    const rig = await startConsole(context);
    const [owner, member] = [rig.as("owner"), rig.as("member")];
    const make = async (by: typeof owner) => (await by.call("POST", "/keys", { name: "laptop" })).body.key;
    const [one, two, others] = [await make(member), await make(member), await make(owner)];
    assert.equal((await member.call("POST", `/keys/${two.id}/revoke`)).status, 200);
    const { body } = await owner.call("GET", "/members");
    assert.deepEqual(
      body.members.map(({ email, keysMade }: { email: string; keysMade: number }) => [email, keysMade]),
      [
        ["member@a.test", 1],
        ["owner@a.test", 1],
      ],
    );
    assert.equal((await owner.call("DELETE", `/members/${member.userId}?keys=some`)).status, 400);
    const query = keys === "keep" ? "" : "?keys=revoke";
    const removed = await owner.call("DELETE", `/members/${member.userId}${query}`);
    const told = keys === "keep" ? { kept: 1, revoked: 0 } : { kept: 0, revoked: 1 };
    assert.deepEqual([removed.status, removed.body], [200, { keys: told }]);
    const statusOf = async (id: string) =>
      (await rig.store.findConsoleKey(id, { accountId: rig.accountA }))?.status;
    assert.equal(await statusOf(one.id), keys === "keep" ? "active" : "revoked");
    assert.equal(await statusOf(others.id), "active");
    const changes = await rig.store.listChanges(0);
    assert.equal(changes.filter(({ subject }) => subject === one.id).length, keys === "keep" ? 1 : 2);
  });
}
