/** Keys in the console's API: visibility, form errors, and that a key works as configured. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { digestApiKey } from "../../../server/src/domain/keys/api-key.ts";
import { type Answer, startConsole } from "../harness/console-rig.ts";

const fieldsOf = ({ body }: Answer): string[] =>
  (body.error.fields ?? []).map(({ path }: { path: string }) => path);

const namesOf = ({ body }: Answer): string[] => body.keys.map(({ name }: { name: string }) => name);

test("a key is made with everything a form offers, its secret is shown once, and the store knows it", async (t) => {
  const rig = await startConsole(t);
  const member = rig.as("member");
  const expiresAt = new Date(rig.clock.wallMs() + 86_400_000).toISOString();
  const made = await member.call("POST", "/keys", {
    name: "  مفتاح 🎁 ",
    models: ["demo", "demo"],
    ips: ["203.0.113.0/24", "2001:DB8::1"],
    limits: { requestsPerMinute: 60 },
    budget: { amount: "10", period: "month" },
    expiresAt,
    project: " Search ",
    tags: ["team a", "batch", "team a"],
  });
  assert.equal(made.status, 201);
  const { key, secret } = made.body;
  assert.deepEqual(
    { ...key, id: 0, createdAt: 0, budget: { ...key.budget, resetsAt: 0 } },
    {
      id: 0,
      name: "مفتاح 🎁",
      visiblePrefix: secret.slice(0, key.visiblePrefix.length),
      status: "active",
      models: ["demo"],
      ips: ["203.0.113.0/24", "2001:db8::1"],
      limits: { requestsPerMinute: 60, tokensPerMinute: null, concurrency: null },
      budget: { amount: "10.00", period: "month", spent: "0.00", resetsAt: 0 },
      expiresAt,
      project: "Search",
      tags: ["team a", "batch"],
      createdAt: 0,
      createdBy: { id: member.userId, name: "member" },
      lastUsedAt: null,
      last30Days: { requests: 0, charge: "0.00" },
      revision: 0,
    },
  );
  assert.ok(Date.parse(key.budget.resetsAt) > rig.clock.wallMs());
  assert.equal((await rig.store.findKeyByDigest(digestApiKey(secret)))?.key.id, key.id);
  const shown = await member.call("GET", `/keys/${key.id}`);
  assert.deepEqual(shown.body, key);
  assert.ok(!JSON.stringify(shown.body).includes(secret));
  const audit = await rig.as("owner").call("GET", "/audit?action=createKey");
  assert.equal(audit.body.entries[0].subject, key.id);
  assert.ok(!JSON.stringify(audit.body).includes(secret));
});

test("a member sees and changes the keys they made, an owner all of the account, nobody another account's", async (t) => {
  const rig = await startConsole(t);
  const [member, owner, stranger] = [rig.as("member"), rig.as("owner"), rig.as("stranger")];
  const other = await rig.newUser({ email: "other@a.test", accountId: rig.accountA, role: "member" });
  const mine = (await member.call("POST", "/keys", { name: "mine" })).body.key;
  await owner.call("POST", "/keys", { name: "owner's" });
  await other.call("POST", "/keys", { name: "other's" });
  assert.deepEqual(namesOf(await member.call("GET", "/keys")), ["mine"]);
  assert.deepEqual(namesOf(await owner.call("GET", "/keys")), ["other's", "owner's", "mine"]);
  assert.deepEqual(namesOf(await stranger.call("GET", "/keys")), []);
  for (const outsider of [other, stranger]) {
    assert.equal((await outsider.call("GET", `/keys/${mine.id}`)).status, 404);
    assert.equal((await outsider.call("PATCH", `/keys/${mine.id}`, { name: "x", revision: 0 })).status, 404);
    assert.equal((await outsider.call("POST", `/keys/${mine.id}/revoke`)).status, 404);
    assert.equal((await outsider.call("POST", `/keys/${mine.id}/ephemeral-key`)).status, 404);
  }
  assert.equal((await owner.call("PATCH", `/keys/${mine.id}`, { name: "x", revision: 0 })).body.name, "x");
  assert.equal((await rig.as("operator").call("GET", "/keys")).status, 403);
});

test("what cannot be is refused beside its field, and nothing is made", async (t) => {
  const rig = await startConsole(t);
  const owner = rig.as("owner");
  const cases: [body: object, fields: string[]][] = [
    [{}, ["name"]],
    [{ name: "   " }, ["name"]],
    [{ name: "x".repeat(201) }, ["name"]],
    [{ name: "tab\tinside" }, ["name"]],
    [{ name: "a", models: ["demo", "gpt-none"] }, ["models.1"]],
    [{ name: "a", models: [] }, ["models"]],
    [{ name: "a", ips: [] }, ["ips"]],
    [{ name: "a", ips: ["10.0.0.1", "10.0.0.1/8", "999.1.1.1", "example.com"] }, ["ips.1", "ips.2", "ips.3"]],
    [{ name: "a", expiresAt: "2020-01-01T00:00:00Z" }, ["expiresAt"]],
    [{ name: "a", expiresAt: "tomorrow" }, ["expiresAt"]],
    [{ name: "a", project: " " }, ["project"]],
    [{ name: "a", project: "x".repeat(41) }, ["project"]],
    [{ name: "a", project: "a\nb" }, ["project"]],
    [{ name: "a", tags: ["ok", "", "x".repeat(41), "a\tb"] }, ["tags.1", "tags.2", "tags.3"]],
    [{ name: "a", tags: ["1", "2", "3", "4", "5", "6", "7", "8", "9"] }, ["tags"]],
    [{ name: "a", limits: { concurrency: -1 } }, ["limits.concurrency"]],
    [{ name: "a", limits: { tokensPerMinute: 1.5 } }, ["limits.tokensPerMinute"]],
    ...["1e3", "-5", "+5", "0.0000000001", "1,5", "$5", "", "1000000001", "NaN"].map(
      (amount): [object, string[]] => [{ name: "a", budget: { amount, period: "day" } }, ["budget.amount"]],
    ),
    [{ name: "a", budget: { amount: "0", period: "day" } }, ["budget.amount"]],
    [{ name: "a", budget: { amount: "1", period: "week" } }, ["budget.period"]],
    [
      { name: "a", models: [], ips: ["x"], expiresAt: "2020-01-01T00:00:00Z" },
      ["models", "ips.0", "expiresAt"],
    ],
  ];
  for (const [body, fields] of cases) {
    const answer = await owner.call("POST", "/keys", body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.deepEqual(fieldsOf(answer), fields, JSON.stringify(body));
  }
  assert.deepEqual(namesOf(await owner.call("GET", "/keys")), []);
  assert.equal((await owner.call("POST", "/keys", { name: "x".repeat(200) })).status, 201);
});

test("a key's labels are changed and taken away, and the list filters by them and names them", async (t) => {
  const rig = await startConsole(t);
  const [member, owner] = [rig.as("member"), rig.as("owner")];
  const labels = { project: "x".repeat(40), tags: ["1", "2", "3", "4", "5", "6", "7", "8"] };
  const { key } = (await member.call("POST", "/keys", { name: "mine", ...labels })).body;
  assert.deepEqual([key.project, key.tags], [labels.project, labels.tags]);
  const changed = await member.call("PATCH", `/keys/${key.id}`, { project: "a", tags: ["b"], revision: 0 });
  assert.deepEqual([changed.body.project, changed.body.tags, changed.body.revision], ["a", ["b"], 1]);
  const same = await member.call("PATCH", `/keys/${key.id}`, { project: "a", tags: ["b", "b"], revision: 0 });
  assert.equal(same.body.revision, 1, "nothing is changed");
  await owner.call("POST", "/keys", { name: "other", project: "c" });
  assert.deepEqual(namesOf(await owner.call("GET", "/keys?project=a&project=")), ["mine"]);
  assert.deepEqual(namesOf(await owner.call("GET", "/keys?tag=")), ["other"]);
  assert.deepEqual((await owner.call("GET", "/keys")).body.labels, { projects: ["a", "c"], tags: ["b"] });
  assert.deepEqual((await member.call("GET", "/keys")).body.labels, { projects: ["a"], tags: ["b"] });
  const first = (await owner.call("GET", "/keys?limit=1")).body;
  assert.equal((await owner.call("GET", `/keys?limit=1&cursor=${first.next}`)).body.labels, null);
  const operator = rig.as("operator");
  const labelsOf = async (query = "") => (await operator.call("GET", `/operator/labels${query}`)).body;
  const ownLabels = { projects: ["a", "c"], tags: ["b"], isWhole: true };
  assert.deepEqual(await labelsOf(), ownLabels);
  assert.deepEqual(await labelsOf(`?account=${rig.accountA}&account=x`), ownLabels);
  assert.deepEqual(await labelsOf(`?account=${rig.accountB}`), { projects: [], tags: [], isWhole: true });
  assert.deepEqual(await labelsOf("?search=C"), { projects: ["c"], tags: [], isWhole: true });
  assert.equal((await owner.call("GET", "/operator/labels")).status, 403);
  const listed = `/operator/accounts/${rig.accountA}/keys`;
  assert.deepEqual(namesOf(await operator.call("GET", `${listed}?project=a&tag=b`)), ["mine"]);
  const none = await member.call("PATCH", `/keys/${key.id}`, { project: null, tags: [], revision: 1 });
  assert.deepEqual([none.body.project, none.body.tags], [null, []]);
  const audit = await owner.call("GET", "/audit?action=changeKey");
  assert.deepEqual(audit.body.entries[1].detail, { project: "a", tags: ["b"] });
});

test("two tabs: the second change is refused, the first stays", async (t) => {
  const rig = await startConsole(t);
  const owner = rig.as("owner");
  const { key } = (await owner.call("POST", "/keys", { name: "a", models: ["demo"] })).body;
  const first = await owner.call("PATCH", `/keys/${key.id}`, {
    limits: { concurrency: 2 },
    revision: key.revision,
  });
  assert.deepEqual([first.status, first.body.revision], [200, 1]);
  const second = await owner.call("PATCH", `/keys/${key.id}`, { name: "b", revision: key.revision });
  assert.deepEqual([second.status, second.body.error.code], [409, "changed_meanwhile"]);
  const now = (await owner.call("GET", `/keys/${key.id}`)).body;
  assert.deepEqual([now.name, now.limits.concurrency], ["a", 2]);
  const cleared = { models: null, limits: { concurrency: null }, status: "disabled", revision: 1 };
  const changed = await owner.call("PATCH", `/keys/${key.id}`, cleared);
  assert.deepEqual(
    [changed.body.models, changed.body.limits.concurrency, changed.body.status],
    [null, null, "disabled"],
  );
});

test("a model that left the catalog may stay on a list, and a time that has passed in a form", async (t) => {
  const rig = await startConsole(t);
  const owner = rig.as("owner");
  const expiresAt = new Date(rig.clock.wallMs() + 60_000).toISOString();
  const { key } = (await owner.call("POST", "/keys", { name: "a", models: ["demo"], expiresAt })).body;
  await rig.store.applyCatalog({ upstreams: [], models: [], limits: {} });
  rig.clock.add(120_000);
  assert.equal((await owner.call("GET", `/keys/${key.id}`)).body.status, "expired");
  const same = { name: "b", models: ["demo"], expiresAt, revision: 0 };
  assert.equal((await owner.call("PATCH", `/keys/${key.id}`, same)).status, 200);
});

test("revoking is for ever and ends ephemeral keys; a key that does not work gets none", async (t) => {
  const rig = await startConsole(t);
  const owner = rig.as("owner");
  const { key } = (await owner.call("POST", "/keys", { name: "a" })).body;
  const ephemeral = await owner.call("POST", `/keys/${key.id}/ephemeral-key`);
  assert.equal(ephemeral.status, 201);
  assert.ok(Math.abs(Date.parse(ephemeral.body.expiresAt) - rig.clock.wallMs() - 900_000) < 30_000);
  const former = await owner.call("POST", `/keys/${key.id}/pass`);
  assert.deepEqual(
    [former.status, former.headers.get("deprecation"), former.headers.get("link")],
    [201, "@1795392000", `</api/keys/${key.id}/ephemeral-key>; rel="successor-version"`],
  );
  assert.equal(ephemeral.headers.get("deprecation"), null);
  const digest = digestApiKey(ephemeral.body.secret);
  assert.equal((await rig.store.findKeyByDigest(digest))?.key.id, key.id);
  await owner.call("PATCH", `/keys/${key.id}`, { status: "disabled", revision: 0 });
  assert.equal((await owner.call("POST", `/keys/${key.id}/ephemeral-key`)).status, 400);
  assert.equal((await owner.call("POST", `/keys/${key.id}/revoke`)).body.status, "revoked");
  assert.equal(await rig.store.findKeyByDigest(digest), undefined);
  assert.equal((await owner.call("POST", `/keys/${key.id}/revoke`)).status, 200);
  assert.equal((await owner.call("POST", `/keys/${key.id}/ephemeral-key`)).status, 400);
  const back = await owner.call("PATCH", `/keys/${key.id}`, { status: "active", revision: 2 });
  assert.equal(back.status, 400);
  const short = new Date(rig.clock.wallMs() + 60_000).toISOString();
  const brief = (await owner.call("POST", "/keys", { name: "b", expiresAt: short })).body.key;
  assert.equal((await owner.call("POST", `/keys/${brief.id}/ephemeral-key`)).body.expiresAt, short);
  rig.clock.add(120_000);
  assert.equal((await owner.call("POST", `/keys/${brief.id}/ephemeral-key`)).status, 400);
});

test("lists are searched, filtered and paged to their end; a made-up cursor is refused", async (t) => {
  const rig = await startConsole(t);
  const owner = rig.as("owner");
  for (let number = 1; number <= 7; number += 1) await owner.call("POST", "/keys", { name: `key ${number}` });
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: Answer = await owner.call("GET", `/keys?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`);
    seen.push(...namesOf(page));
    cursor = page.body.next;
  }
  assert.deepEqual(
    seen,
    [7, 6, 5, 4, 3, 2, 1].map((number) => `key ${number}`),
  );
  assert.deepEqual(namesOf(await owner.call("GET", "/keys?search=KEY%204")), ["key 4"]);
  assert.deepEqual(namesOf(await owner.call("GET", "/keys?status=revoked&status=disabled")), []);
  assert.equal((await owner.call("GET", "/keys?status=active")).body.keys.length, 7);
  for (const made of ["x", "e30", "W10", "WyJhIiwxXQ", "%00"]) {
    assert.equal((await owner.call("GET", `/keys?cursor=${made}`)).status, 400, made);
  }
  assert.equal((await owner.call("GET", "/keys?status=nonsense")).status, 400);
});

test("a closed account gets no key, and a code no balance beyond the largest", async (t) => {
  const rig = await startConsole(t);
  const [owner, stranger] = [rig.as("owner"), rig.as("stranger")];
  await rig.store.setAccountStatus(rig.accountA, "closed");
  const refused = await owner.call("POST", "/keys", { name: "a" });
  assert.deepEqual([refused.status, refused.body.error.code], [403, "account_suspended"]);
  const requested = { count: 6, amount: "1000000000" };
  const { codes } = (await rig.as("operator").call("POST", "/operator/code-batches", requested)).body;
  const statuses: number[] = [];
  for (const code of codes) statuses.push((await stranger.call("POST", "/redeem", { code })).status);
  assert.deepEqual(statuses, [200, 200, 200, 200, 400, 400]);
  assert.equal((await rig.store.verifyLedger()).isOk, true);
});
