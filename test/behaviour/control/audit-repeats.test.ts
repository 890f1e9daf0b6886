/** What the audit log omits: changes without effect, and repeated refusals. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { apiRoutes, type RouteSpec } from "@plaza/contract/api/index.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { type Answer, type ConsoleRig, startConsole } from "../harness/console-rig.ts";

interface Line {
  readonly action: string;
  readonly outcome: string;
  readonly detail: { repeated?: number } | null;
}

async function linesOf(rig: ConsoleRig, action: string): Promise<Line[]> {
  const { body } = await rig.as("operator").call("GET", `/operator/audit?limit=500&action=${action}`);
  return body.entries;
}

/** Each call has a new effect or is refused, so it has an entry. */
const acts: readonly string[] = [
  ...["signIn", "signOut", "useLink", "redeem", "startLedgerCheck", "checkConnection"],
  ...["changePassword", "beginTwoFactor", "confirmTwoFactor", "endTwoFactor", "newRecoveryCodes"],
  ...[
    "createKey",
    "createAccountKey",
    "testUpstream",
    "createAccount",
    "createCodes",
    "createToken",
    "createUpstream",
    "createModel",
  ],
  ...["addEntry", "inviteMember", "inviteUser", "makeResetLink"],
  // A deleted item cannot be deleted again: 404.
  ...["endSession", "removeMember", "withdrawInvitation", "withdrawUserInvitation"],
  ...["removeUpstream", "removeModel"],
];

interface Repeated {
  readonly action: string;
  readonly call: () => Promise<Answer>;
}

const upstreamForm = {
  provider: "openai",
  preset: null,
  baseUrl: "https://a.example/v1",
  options: {},
  timeouts: { connectMs: 5_000, firstByteMs: null, firstTokenMs: 60_000, idleMs: 60_000, totalMs: 900_000 },
  concurrency: 10,
  queue: null,
  affinity: "key",
  onDisconnect: "stop",
};

const modelForm = {
  name: "Large",
  description: null,
  operations: ["chat"],
  family: null,
  context: 1_000,
  maxOutput: null,
  modalities: { input: ["text"], output: ["text"] },
  capabilities: ["tools"],
  deprecated: null,
  price: { input: "1", output: "2", tiers: [{ abovePromptTokens: 500, input: "2", output: "4" }] },
  scheduledPrices: [{ validFrom: "2099-01-01T00:00:00.000Z", input: "3", output: "4" }],
  deployments: [
    { upstream: "own", model: "large", priority: 1, weight: 1, cost: null, timeouts: null, formats: null },
  ],
  limits: { requestsPerMinute: null, tokensPerMinute: null, concurrency: 5 },
  fallbacks: [],
  hedge: null,
};

/** Catalog changes that can be repeated; only the first has an effect. */
async function catalogChanges(rig: ConsoleRig): Promise<Repeated[]> {
  const operator = rig.as("operator");
  const own = { id: "own", ...upstreamForm, credentials: ["sk-1"] };
  for (const [path, form] of Object.entries({ upstreams: own, models: { id: "large", ...modelForm } })) {
    const { status, body } = await operator.call("POST", `/operator/${path}`, form);
    assert.equal(status, 201, JSON.stringify(body));
  }
  const { limits, installation, revision } = (await operator.call("GET", "/operator/catalog")).body;
  const put = (action: string, path: string, body: object): Repeated => ({
    action,
    call: () => operator.call("PUT", path, body),
  });
  return [
    put("changeUpstream", "/operator/upstreams/own", { ...upstreamForm, concurrency: 20, revision: 0 }),
    put("changeUpstream", "/operator/upstreams/own", {
      ...upstreamForm,
      baseUrl: "https://b.example/v1",
      credentials: ["sk-2", "sk-3"],
      revision: 1,
    }),
    put("changeModel", "/operator/models/large", {
      ...modelForm,
      price: { input: "1.50", output: "2" },
      revision: 0,
    }),
    {
      action: "changeModelState",
      call: () => operator.call("PATCH", "/operator/models/large", { disabled: true, revision: 1 }),
    },
    put("changeLimits", "/operator/limits", {
      limits: { ...limits, concurrency: 7 },
      installation,
      revision,
    }),
    {
      action: "connect",
      call: () =>
        operator.call("POST", "/operator/connect", {
          upstreamId: "own",
          models: [
            {
              id: "large",
              upstreamModel: "larger",
              ...{ name: "Large", family: null, context: null, maxOutput: null, modalities: null },
              ...{ capabilities: null, price: null, scheduledPrices: [] },
            },
          ],
        }),
    },
  ];
}

/** The same for users, keys and accounts. */
async function otherChanges(rig: ConsoleRig): Promise<Repeated[]> {
  const [member, owner, operator] = [rig.as("member"), rig.as("owner"), rig.as("operator")];
  const newKey = async () =>
    (await owner.call("POST", "/keys", { name: "k", models: ["demo"], limits: {} })).body.key;
  const [changed, changedByOperator] = [await newKey(), await newKey()];
  const [revoked, revokedByOperator] = [await newKey(), await newKey()];
  const account = (await operator.call("GET", `/operator/accounts/${rig.accountB}`)).body;
  const settings = (await operator.call("GET", "/operator/settings")).body;
  const own = (await owner.call("GET", "/balance")).body.account;
  const user = (await operator.call("GET", `/operator/users/${member.userId}`)).body;
  const scopes = ["health:read"];
  const { token } = (await operator.call("POST", "/operator/tokens", { name: "t", scopes })).body;
  const codes = { note: "n", amount: "1", count: 2 };
  const { batch } = (await operator.call("POST", "/operator/code-batches", codes)).body;
  const guest = await rig.newUser({ email: "guest@a.test", accountId: rig.accountA, role: "member" });
  const visitor = await rig.newUser({ email: "visitor@a.test", accountId: rig.accountA, role: "member" });
  const another = (email: string) =>
    rig.nobody.call("POST", "/session", { email, password: rig.password }, { "user-agent": "another" });
  await another("owner@a.test");
  return [
    { action: "changeProfile", call: () => member.call("PATCH", "/profile", { name: "N", theme: "dark" }) },
    { action: "endOtherSessions", call: () => owner.call("DELETE", "/sessions") },
    {
      action: "changeKey",
      call: () => owner.call("PATCH", `/keys/${changed.id}`, { name: "k2", revision: changed.revision }),
    },
    {
      action: "changeAccountKey",
      call: () =>
        operator.call("PATCH", `/operator/accounts/${rig.accountA}/keys/${changedByOperator.id}`, {
          name: "k3",
          revision: changedByOperator.revision,
        }),
    },
    { action: "revokeKey", call: () => owner.call("POST", `/keys/${revoked.id}/revoke`) },
    {
      action: "revokeAccountKey",
      call: () =>
        operator.call("POST", `/operator/accounts/${rig.accountA}/keys/${revokedByOperator.id}/revoke`),
    },
    {
      action: "changeAccount",
      call: () =>
        operator.call("PATCH", `/operator/accounts/${rig.accountB}`, {
          name: "Another",
          lowBalance: "2.50",
          limits: { concurrency: 3 },
          revision: account.revision,
        }),
    },
    {
      action: "setLowBalance",
      call: () => owner.call("PATCH", "/account", { lowBalance: "1.25", revision: own.revision }),
    },
    {
      action: "changeSettings",
      call: () => operator.call("PUT", "/operator/settings", { ...settings, name: "Another" }),
    },
    {
      action: "changeMember",
      call: () => owner.call("PATCH", `/members/${guest.userId}`, { role: "owner" }),
    },
    {
      action: "changeUser",
      call: () =>
        operator.call("PATCH", `/operator/users/${member.userId}`, {
          status: "disabled",
          revision: user.revision,
        }),
    },
    {
      action: "endUserSessions",
      call: () => operator.call("POST", `/operator/users/${visitor.userId}/end-sessions`),
    },
    { action: "revokeToken", call: () => operator.call("DELETE", `/operator/tokens/${token.id}`) },
    { action: "voidCodeBatch", call: () => operator.call("POST", `/operator/code-batches/${batch.id}/void`) },
  ];
}

test("the same change three times is one line, at every route, and is answered as ever", async (context) => {
  const rig = await startConsole(context);
  const repeated = [...(await catalogChanges(rig)), ...(await otherChanges(rig))];
  for (const { action, call } of repeated) {
    const before = (await linesOf(rig, action)).length;
    const first = await call();
    assert.ok(first.status < 300, `${action}: ${first.status} ${JSON.stringify(first.body)}`);
    assert.equal((await linesOf(rig, action)).length, before + 1, action);
    for (let turn = 0; turn < 2; turn += 1) {
      const { status, body } = await call();
      assert.equal(status, first.status, `${action}: ${JSON.stringify(body)}`);
      if (action.startsWith("change")) assert.deepEqual(body, first.body, action);
    }
    assert.equal((await linesOf(rig, action)).length, before + 1, `${action} again`);
  }
  const audited = Object.entries(apiRoutes as Readonly<Record<string, RouteSpec>>)
    .filter(([, spec]) => spec.method !== "get" && spec.isAudited !== false)
    .map(([name]) => name);
  const known = new Set([...acts, ...repeated.map(({ action }) => action)]);
  assert.deepEqual([...known].sort(), audited.sort(), "every route that changes something is in one list");
});

test("a stale form that would undo somebody's change is refused, though a part of it is as it is", async (context) => {
  const rig = await startConsole(context);
  const [owner, operator] = [rig.as("owner"), rig.as("operator")];
  const { key } = (await owner.call("POST", "/keys", { name: "k", models: ["demo"], limits: {} })).body;
  const { id, revision } = key;
  assert.equal((await owner.call("PATCH", `/keys/${id}`, { name: "k2", revision })).status, 200);
  const stale = { name: "k2", models: null, revision };
  assert.equal((await owner.call("PATCH", `/keys/${id}`, stale)).body.error.code, "changed_meanwhile");
  const own = { id: "own", ...upstreamForm, credentials: ["sk-1"] };
  await operator.call("POST", "/operator/upstreams", own);
  const put = (body: object) => operator.call("PUT", "/operator/upstreams/own", { ...upstreamForm, ...body });
  assert.equal((await put({ concurrency: 20, revision: 0 })).body.revision, 1);
  assert.equal((await put({ revision: 0 })).body.error.code, "changed_meanwhile");
  assert.equal((await put({ concurrency: 20, credentials: ["sk-2"], revision: 0 })).status, 409);
  assert.equal((await put({ concurrency: 20, credentials: ["sk-2"], revision: 1 })).body.revision, 2);
});

test("refusals of a minute share a line from the sixth on, which says how many", async (context) => {
  const rig = await startConsole(context);
  const owner = rig.as("owner");
  // Start a new minute, so that all calls are in one minute.
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
