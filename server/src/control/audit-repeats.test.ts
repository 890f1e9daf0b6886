/** What the audit log does not repeat: changes that change nothing, and refusals that come again and again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ConsoleRig, startConsole } from "../../../test/behaviour/console-rig.ts";
import { eventually } from "../../../test/rigs/harness/clock.ts";

interface Line {
  readonly action: string;
  readonly outcome: string;
  readonly detail: { repeated?: number } | null;
}

async function linesOf(rig: ConsoleRig, action: string): Promise<Line[]> {
  const { body } = await rig.as("operator").call("GET", `/operator/audit?limit=500&action=${action}`);
  return body.entries;
}

test("a change that changes nothing has no line, and is answered as ever", async (context) => {
  const rig = await startConsole(context);
  const [member, owner, operator] = [rig.as("member"), rig.as("owner"), rig.as("operator")];
  const { key } = (await owner.call("POST", "/keys", { name: "k", models: ["demo"], limits: {} })).body;
  const account = (await operator.call("GET", `/operator/accounts/${rig.accountA}`)).body;
  const settings = (await operator.call("GET", "/operator/settings")).body;
  const catalog = (await operator.call("GET", "/operator/catalog")).body;
  const own = (await owner.call("GET", "/balance")).body.account;
  const { limits, installation, revision } = catalog;
  await member.call("PATCH", "/profile", { name: "the same", theme: "dark" });
  const user = (await operator.call("GET", `/operator/users/${member.userId}`)).body;
  const calls: [string, string, () => Promise<{ status: number }>][] = [
    ["changeProfile", "name", () => member.call("PATCH", "/profile", { name: "the same", theme: "dark" })],
    [
      "changeKey",
      "key",
      () => owner.call("PATCH", `/keys/${key.id}`, { name: "k", models: ["demo"], revision: key.revision }),
    ],
    [
      "changeAccount",
      "account",
      () =>
        operator.call("PATCH", `/operator/accounts/${rig.accountA}`, {
          name: account.name,
          revision: account.revision,
        }),
    ],
    [
      "setLowBalance",
      "own account",
      () => owner.call("PATCH", "/account", { lowBalance: own.lowBalance, revision: own.revision }),
    ],
    ["changeSettings", "settings", () => operator.call("PUT", "/operator/settings", settings)],
    [
      "changeLimits",
      "limits",
      () => operator.call("PUT", "/operator/limits", { limits, installation, revision }),
    ],
    ["changeMember", "member", () => owner.call("PATCH", `/members/${member.userId}`, { role: "member" })],
    [
      "changeUser",
      "user",
      () =>
        operator.call("PATCH", `/operator/users/${member.userId}`, {
          status: "active",
          revision: user.revision,
        }),
    ],
  ];
  const before = (await linesOf(rig, "changeProfile")).length;
  assert.equal(before, 1);
  for (const [action, what, call] of calls) {
    for (let turn = 0; turn < 3; turn += 1) assert.equal((await call()).status, 200, what);
    assert.equal((await linesOf(rig, action)).length, action === "changeProfile" ? 1 : 0, what);
  }
  const renamed = await owner.call("PATCH", `/keys/${key.id}`, { name: "another", revision: key.revision });
  assert.equal(renamed.status, 200, "the revision is the one that was read");
  assert.equal((await linesOf(rig, "changeKey")).length, 1);
});

test("refusals of a minute share a line from the sixth on, which says how many", async (context) => {
  const rig = await startConsole(context);
  const owner = rig.as("owner");
  // Not at the end of a minute, so that all of them are in one.
  rig.clock.add(60_000 - (rig.clock.wallMs() % 60_000));
  for (let turn = 0; turn < 25; turn += 1)
    assert.equal((await owner.call("POST", "/keys/nothing/revoke")).status, 404);
  assert.equal((await linesOf(rig, "revokeKey")).length, 6);
  const isTold = async () => (await linesOf(rig, "revokeKey")).some(({ detail }) => detail?.repeated === 20);
  assert.ok(await eventually(isTold, 10_000));
  rig.clock.add(60_000);
  await owner.call("POST", "/keys/nothing/revoke");
  const lines = await linesOf(rig, "revokeKey");
  assert.equal(lines.length, 7, "the next minute begins anew");
  assert.ok(lines.every(({ outcome }) => outcome === "refused"));
});

test("guesses at signing in share a line, too, and a success has its own", async (context) => {
  const rig = await startConsole(context, { env: { PLAZA_TRUSTED_PROXIES: "127.0.0.0/8" } });
  rig.clock.add(60_000 - (rig.clock.wallMs() % 60_000));
  const from = (index: number) => ({ "x-forwarded-for": `192.0.${index}.1` });
  for (let turn = 0; turn < 12; turn += 1) {
    const claim = { email: `nobody${turn}@example.com`, password: "a wrong password" };
    assert.equal((await rig.nobody.call("POST", "/session", claim, from(turn))).status, 401);
  }
  const claim = { email: "owner@a.test", password: rig.password };
  assert.equal((await rig.nobody.call("POST", "/session", claim, from(99))).status, 200);
  const lines = await linesOf(rig, "signIn");
  assert.equal(lines.filter(({ outcome }) => outcome === "refused").length, 6);
  assert.equal(lines.filter(({ outcome }) => outcome === "done").length, 1);
});
