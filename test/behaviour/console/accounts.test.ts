/** Accounts through the operator's API. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { requestRow } from "../../../server/src/store/testing/behaviour/requests.ts";
import { type Answer, startConsole } from "../harness/console-rig.ts";

const fieldsOf = ({ body }: Answer): string[] =>
  (body.error.fields ?? []).map(({ path }: { path: string }) => path);

test("an account is made, found, changed, suspended and closed", async (t) => {
  const rig = await startConsole(t);
  const operator = rig.as("operator");
  const made = await operator.call("POST", "/operator/accounts", {
    name: "Ærø 🎁",
    balance: "12.5",
    limits: { concurrency: 4 },
  });
  assert.equal(made.status, 201);
  const account = made.body;
  assert.deepEqual(
    [account.name, account.balance, account.available, account.limits.concurrency, account.people],
    ["Ærø 🎁", "12.50", "12.50", 4, []],
  );
  const list = (await operator.call("GET", "/operator/accounts?limit=2")).body;
  assert.deepEqual([list.accounts[0].id, list.accounts.length], [account.id, 2]);
  const rest = (await operator.call("GET", `/operator/accounts?limit=2&cursor=${list.next}`)).body;
  assert.deepEqual([rest.accounts.length, rest.next], [1, null]);
  const byEmail = (await operator.call("GET", "/operator/accounts?search=member@a")).body;
  assert.deepEqual([byEmail.accounts[0].name, byEmail.accounts[0].users], ["Account A", 2]);
  const path = `/operator/accounts/${account.id}`;
  const { revision } = account;
  const suspended = await operator.call("PATCH", path, { status: "suspended", lowBalance: "1", revision });
  assert.deepEqual([suspended.body.status, suspended.body.lowBalance], ["suspended", "1.00"]);
  const stale = await operator.call("PATCH", path, { name: "x", revision });
  assert.equal(stale.body.error.code, "changed_meanwhile");
  assert.equal((await operator.call("GET", "/operator/accounts?status=suspended")).body.accounts.length, 1);
  const closed = await operator.call("PATCH", path, { status: "closed", revision: revision + 1 });
  assert.equal(closed.body.status, "closed");
  assert.equal((await operator.call("PATCH", path, { name: "x", revision: revision + 2 })).status, 400);
  assert.equal((await operator.call("GET", "/operator/accounts/none")).status, 404);
  const shown = (await operator.call("GET", `/operator/accounts/${rig.accountA}`)).body;
  assert.deepEqual(
    shown.people.map(({ email, role }: { email: string; role: string }) => [email, role]).toSorted(),
    [
      ["member@a.test", "member"],
      ["owner@a.test", "owner"],
    ],
  );
});

test("how long an account's responses are kept is the operator's to say, within bounds", async (t) => {
  const rig = await startConsole(t);
  const operator = rig.as("operator");
  const path = `/operator/accounts/${rig.accountA}`;
  const { responsesKeptMs, revision } = (await operator.call("GET", path)).body;
  assert.equal(responsesKeptMs, null);
  let at = revision;
  for (const kept of [0, 3_600_000, null]) {
    const changed = await operator.call("PATCH", path, { responsesKeptMs: kept, revision: at });
    assert.deepEqual([changed.status, changed.body.responsesKeptMs], [200, kept]);
    at = changed.body.revision;
  }
  for (const kept of [-1, 0.5, 366 * 86_400_000, "1d"]) {
    const refused = await operator.call("PATCH", path, { responsesKeptMs: kept, revision: at });
    assert.deepEqual([refused.status, fieldsOf(refused)], [400, ["responsesKeptMs"]]);
  }
  const lines = (await operator.call("GET", "/operator/audit?limit=5")).body;
  assert.match(JSON.stringify(lines), /responsesKeptMs/);
});

test("money comes in, is corrected with a reason and refunded, each as a line; what makes no sense is none", async (t) => {
  const rig = await startConsole(t);
  const operator = rig.as("operator");
  const path = `/operator/accounts/${rig.accountA}/entries`;
  const add = (body: object) => operator.call("POST", path, body);
  const charge = nanoUsd(1_000_000_000n);
  const row = requestRow(1, { accountId: rig.accountA, charge, priceId: 1 });
  await rig.store.recordRequest(row);
  const topup = { kind: "topup", amount: "20", reason: "invoice 7", reference: "inv-7" };
  const first = await add(topup);
  assert.deepEqual(
    [first.body.isNew, first.body.balance, first.body.entry.balanceAfter],
    [true, "24.00", "24.00"],
  );
  const again = await add(topup);
  assert.deepEqual(
    [again.body.isNew, again.body.entry.id, again.body.balance],
    [false, first.body.entry.id, "24.00"],
  );
  const down = await add({ kind: "adjustment", amount: "-0.5", reason: "slip" });
  assert.deepEqual(
    [down.body.entry.amount, down.body.balance, down.body.entry.note],
    ["-0.50", "23.50", "slip"],
  );
  const back = await add({ kind: "refund", amount: "1", requestId: row.id });
  assert.equal(back.body.balance, "24.50");
  const cases: [body: object, status: number, fields: string[]][] = [
    [{ ...topup, amount: "21" }, 409, ["reference"]],
    [{ kind: "refund", amount: "1", requestId: row.id }, 409, ["requestId"]],
    [{ kind: "refund", amount: "1", requestId: "req_none" }, 400, ["amount"]],
    [{ kind: "refund", amount: "1" }, 400, ["requestId"]],
    [{ kind: "topup", amount: "-1" }, 400, ["amount"]],
    [{ kind: "topup", amount: "0" }, 400, ["amount"]],
    [{ kind: "topup", amount: "1", requestId: row.id }, 400, ["requestId"]],
    [{ kind: "topup", amount: "1", expiresAt: "2020-01-01T00:00:00Z" }, 400, ["expiresAt"]],
    [{ kind: "adjustment", amount: "1" }, 400, ["reason"]],
    [{ kind: "adjustment", amount: "1", reason: "  " }, 400, ["reason"]],
    [{ kind: "adjustment", amount: "-25", reason: "too much" }, 400, ["amount"]],
    [{ kind: "charge", amount: "1" }, 400, ["kind"]],
    ...["1e5", "--5", "- 5", "+5", "1_000", "0.1234567891", "٥", "1000000000.1", ""].map(
      (amount): [object, number, string[]] => [{ kind: "adjustment", amount, reason: "x" }, 400, ["amount"]],
    ),
  ];
  for (const [body, status, fields] of cases) {
    const answer = await add(body);
    assert.deepEqual([answer.status, fieldsOf(answer)], [status, fields], JSON.stringify(body));
  }
  assert.equal((await operator.call("POST", "/operator/accounts/none/entries", topup)).status, 404);
  const lines = (await operator.call("GET", path)).body.entries;
  assert.deepEqual(
    lines.map(({ kind, balanceAfter }: Record<string, string>) => [kind, balanceAfter]),
    [
      ["refund", "24.50"],
      ["adjustment", "23.50"],
      ["topup", "24.00"],
      ["charge", "4.00"],
      ["topup", "5.00"],
    ],
  );
  const audit = (await operator.call("GET", `/operator/audit?account=${rig.accountA}&action=addEntry`)).body;
  const done = audit.entries.filter(({ outcome }: { outcome: string }) => outcome === "done");
  assert.equal(done.length, 4);
  // The request above has no price; every balance still equals the sum of its ledger entries.
  const { findings } = await rig.store.verifyLedger();
  assert.deepEqual(
    findings.filter(({ what }) => what === "balance"),
    [],
  );
});

test("the operator sees and revokes an account's keys, with what they were used for", async (t) => {
  const rig = await startConsole(t);
  const operator = rig.as("operator");
  const { key } = (await rig.as("owner").call("POST", "/keys", { name: "a" })).body;
  const createdAt = rig.clock.wallMs();
  const charge = nanoUsd(250_000_000n);
  const dayMs = 86_400_000;
  const firstDay = (Math.floor(createdAt / dayMs) - 29) * dayMs;
  // Thirty UTC days up to today: the third time is a millisecond before them.
  for (const [at, madeAt] of [createdAt, firstDay, firstDay - 1].entries())
    await rig.store.recordRequest(
      requestRow(at + 1, { accountId: rig.accountA, keyId: key.id, charge, priceId: 1, createdAt: madeAt }),
    );
  const path = `/operator/accounts/${rig.accountA}/keys`;
  const [listed] = (await operator.call("GET", path)).body.keys;
  assert.deepEqual([listed.id, listed.last30Days], [key.id, { requests: 2, charge: "0.50" }]);
  assert.equal(listed.lastUsedAt, new Date(createdAt).toISOString());
  const [row] = (await operator.call("GET", "/operator/accounts?search=acc_a")).body.accounts;
  assert.deepEqual([row.keys, row.last30Days], [1, { requests: 2, charge: "0.50" }]);
  const elsewhere = `/operator/accounts/${rig.accountB}/keys/${key.id}/revoke`;
  assert.equal((await operator.call("POST", elsewhere)).status, 404);
  assert.equal((await operator.call("POST", `${path}/${key.id}/revoke`)).body.status, "revoked");
  assert.equal((await operator.call("GET", "/operator/accounts/none/keys")).status, 404);
});

test("a token does what its scopes say, and is named in the audit log", async (t) => {
  const rig = await startConsole(t);
  const reader = await rig.withToken("accounts:read");
  const writer = await rig.withToken("accounts:write");
  const body = { kind: "topup", amount: "1" };
  const path = `/operator/accounts/${rig.accountA}/entries`;
  assert.equal((await reader.call("GET", path)).status, 200);
  assert.equal((await reader.call("POST", path, body)).status, 403);
  assert.equal((await writer.call("POST", path, body)).status, 200);
  const made = await writer.call("POST", "/operator/code-batches", { count: 1, amount: "1" });
  assert.deepEqual(made.body.batch.createdBy, { id: writer.id, name: "rig" });
  const [entry] = (await rig.as("operator").call("GET", "/operator/audit?action=addEntry")).body.entries;
  assert.deepEqual([entry.actor.kind, entry.actor.name, entry.account.name], ["token", "rig", "Account A"]);
});

test("accounts and keys with limits of their own are listed with them, page by page", async (t) => {
  const rig = await startConsole(t);
  const [operator, owner] = [rig.as("operator"), rig.as("owner")];
  const listed = async () =>
    (await operator.call("GET", "/operator/accounts?hasOwnLimits=true")).body.accounts;
  assert.deepEqual(await listed(), []);
  await rig.store.setAccountLimits(rig.accountB, { requestsPerMinute: 60 });
  const [found, ...others] = await listed();
  assert.deepEqual(
    [found.id, found.limits, others],
    [rig.accountB, { requestsPerMinute: 60, tokensPerMinute: null, concurrency: null }, []],
  );
  assert.equal((await operator.call("GET", "/operator/accounts?hasOwnLimits=false")).body.accounts.length, 2);

  await owner.call("POST", "/keys", { name: "free" });
  await owner.call("POST", "/keys", { name: "tight", limits: { concurrency: 1 } });
  await rig.as("stranger").call("POST", "/keys", { name: "thrifty", budget: { amount: "3", period: "day" } });
  const first = (await operator.call("GET", "/operator/limits/keys?limit=1")).body;
  const rest = (await operator.call("GET", `/operator/limits/keys?limit=1&cursor=${first.next}`)).body;
  assert.deepEqual(
    [...first.keys, ...rest.keys].map(({ name, account, limits, budget }) => [
      name,
      account,
      limits.concurrency,
      budget?.amount,
    ]),
    [
      ["thrifty", { id: rig.accountB, name: "Account B" }, null, "3.00"],
      ["tight", { id: rig.accountA, name: "Account A" }, 1, undefined],
    ],
  );
  assert.equal(rest.next, null);
  const named = (await operator.call("GET", "/operator/limits/keys?search=account%20a")).body.keys;
  assert.deepEqual(
    named.map(({ name }: { name: string }) => name),
    ["tight"],
  );
  assert.equal((await owner.call("GET", "/operator/limits/keys")).status, 403);
});
