/** Balance, ledger and codes through the console's API. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { type Answer, startConsole } from "../harness/console-rig.ts";

const fieldsOf = ({ body }: Answer): string[] =>
  (body.error.fields ?? []).map(({ path }: { path: string }) => path);

const usd = (dollars: number) => nanoUsd(BigInt(dollars) * 1_000_000_000n);

test("the balance tells what is held, and is low below the threshold in force", async (t) => {
  const rig = await startConsole(t);
  const [owner, operator] = [rig.as("owner"), rig.as("operator")];
  await rig.store.openHolder("hld_1");
  const subject = { kind: "account", id: rig.accountA, ownerId: rig.accountA } as const;
  const lent = usd(2);
  await rig.store.takeLease("hld_1", subject, { atLeast: lent, need: lent, want: lent, unit: lent });
  const first = (await rig.as("member").call("GET", "/balance")).body;
  assert.deepEqual(
    [first.balance, first.held, first.available, first.lowBalance, first.isLow],
    ["5.00", "2.00", "3.00", null, false],
  );
  const settings = (await operator.call("GET", "/operator/settings")).body;
  await operator.call("PUT", "/operator/settings", { ...settings, lowBalance: "5.000000001" });
  const low = (await owner.call("GET", "/balance")).body;
  assert.deepEqual([low.lowBalance, low.account.lowBalance, low.isLow], ["5.000000001", null, true]);
  const own = await owner.call("PATCH", "/account", { lowBalance: "5", name: "New ü", revision: 0 });
  assert.deepEqual(
    [own.status, own.body.lowBalance, own.body.isLow, own.body.account.name, own.body.account.revision],
    [200, "5.00", false, "New ü", 1],
  );
  const stale = await owner.call("PATCH", "/account", { lowBalance: null, revision: 0 });
  assert.equal(stale.body.error.code, "changed_meanwhile");
  assert.equal((await rig.as("member").call("PATCH", "/account", { name: "x", revision: 1 })).status, 403);
  const exponent = await owner.call("PATCH", "/account", { lowBalance: "1e2", revision: 1 });
  assert.deepEqual([exponent.status, fieldsOf(exponent)], [400, ["lowBalance"]]);
});

test("the ledger shows the balance after each line, page by page, and the same as CSV", async (t) => {
  const rig = await startConsole(t);
  const owner = rig.as("owner");
  for (let number = 1; number <= 6; number += 1) {
    const note = number === 6 ? '=HYPERLINK("x"),1' : `n${number}`;
    await rig.store.addEntry({ accountId: rig.accountA, kind: "topup", amount: usd(number), note });
  }
  await rig.store.addEntry({
    accountId: rig.accountA,
    kind: "adjustment",
    amount: nanoUsd(-1n),
    note: "slip",
  });
  const lines: { amount: string; balanceAfter: string; kind: string }[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const path: string = `/ledger?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const page = await rig.as("member").call("GET", path);
    lines.push(...page.body.entries);
    cursor = page.body.next;
  }
  assert.deepEqual(
    lines.map(({ amount, balanceAfter }) => [amount, balanceAfter]),
    [
      ["-0.000000001", "25.999999999"],
      ["6.00", "26.00"],
      ["5.00", "20.00"],
      ["4.00", "15.00"],
      ["3.00", "11.00"],
      ["2.00", "8.00"],
      ["1.00", "6.00"],
      ["5.00", "5.00"],
    ],
  );
  const adjusted = await owner.call("GET", "/ledger?kind=adjustment&kind=refund");
  assert.deepEqual(adjusted.body.entries, [lines[0]]);
  const later = new Date(rig.clock.wallMs() + 60_000).toISOString();
  assert.deepEqual((await owner.call("GET", `/ledger?from=${later}`)).body, { entries: [], next: null });
  assert.equal((await owner.call("GET", `/ledger?to=${later}`)).body.entries.length, 8);
  assert.equal((await rig.as("stranger").call("GET", "/ledger")).body.entries.length, 1);
  const csv = await owner.call("GET", "/ledger.csv");
  assert.match(csv.headers.get("content-disposition") ?? "", /ledger\.csv/);
  const rows = String(csv.body).trimEnd().split("\r\n");
  assert.equal(rows.length, 9);
  assert.match(rows[1] ?? "", /,adjustment,-0\.000000001,25\.999999999,,,slip,$/);
  assert.match(rows[2] ?? "", /,"'=HYPERLINK\(""x""\),1",$/);
  for (const made of ["e30", "WzFd", "WyIxIiwiMSJd"])
    assert.equal((await owner.call("GET", `/ledger?cursor=${made}`)).status, 400, made);
});

test("codes are made once, read leniently, and bring their amount once", async (t) => {
  const rig = await startConsole(t);
  const [owner, operator] = [rig.as("owner"), rig.as("operator")];
  const made = await operator.call("POST", "/operator/code-batches", {
    count: 3,
    amount: "2.50",
    note: "fair",
  });
  assert.equal(made.status, 201);
  const { batch, codes } = made.body;
  assert.deepEqual(
    [batch.codes, batch.redeemed, batch.status, batch.createdBy.name],
    [3, 0, "open", "operator"],
  );
  const loose = ` ${codes[0].toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l")} `;
  const got = await rig.as("member").call("POST", "/redeem", { code: loose });
  assert.deepEqual([got.status, got.body.balance, got.body.entry.balanceAfter], [200, "7.50", "7.50"]);
  const again = await owner.call("POST", "/redeem", { code: codes[0] });
  assert.deepEqual([again.status, again.body.error.code, fieldsOf(again)], [409, "already_used", ["code"]]);
  assert.match(again.body.error.message, /This account/);
  const others = await rig.as("stranger").call("POST", "/redeem", { code: codes[0] });
  assert.doesNotMatch(others.body.error.message, /account/);
  const shown = (await operator.call("GET", `/operator/code-batches/${batch.id}`)).body;
  assert.deepEqual(
    shown.codes.map(({ status, account, user }: Record<string, { name: string } | null>) => [
      status,
      account?.name,
      user?.name,
    ]),
    [
      ["redeemed", "Account A", "member"],
      ["open", undefined, undefined],
      ["open", undefined, undefined],
    ],
  );
  assert.ok(!JSON.stringify(shown).includes(codes[1].slice(6, 15)));
  const voided = await operator.call("POST", `/operator/code-batches/${batch.id}/void`);
  assert.equal(voided.body.status, "voided");
  const late = await owner.call("POST", "/redeem", { code: codes[1] });
  assert.deepEqual([late.status, fieldsOf(late)], [400, ["code"]]);
  const list = (await operator.call("GET", "/operator/code-batches")).body;
  assert.deepEqual([list.batches.length, list.next], [1, null]);
  assert.equal((await operator.call("GET", "/operator/code-batches/none")).status, 404);
  assert.equal((await owner.call("GET", "/operator/code-batches")).status, 403);
  const audit = JSON.stringify((await operator.call("GET", "/operator/audit")).body);
  for (const code of codes) assert.ok(!audit.includes(code));
  assert.equal((await rig.store.verifyLedger()).isOk, true);
});

test("a code that expired says until when it was good", async (t) => {
  const rig = await startConsole(t);
  const expiresAt = new Date(rig.clock.wallMs() + 60_000).toISOString();
  const requested = { count: 1, amount: "1", expiresAt };
  const { codes, batch } = (await rig.as("operator").call("POST", "/operator/code-batches", requested)).body;
  rig.clock.add(120_000);
  const late = await rig.as("owner").call("POST", "/redeem", { code: codes[0] });
  assert.deepEqual([late.status, fieldsOf(late)], [400, ["code"]]);
  assert.ok(late.body.error.message.includes(expiresAt.slice(0, 10)));
  const shown = (await rig.as("operator").call("GET", `/operator/code-batches/${batch.id}`)).body;
  assert.deepEqual([shown.batch.status, shown.codes[0].status], ["expired", "expired"]);
});

test("a batch that makes no sense is refused beside its field", async (t) => {
  const rig = await startConsole(t);
  const cases: [body: object, field: string][] = [
    [{ count: 0, amount: "1" }, "count"],
    [{ count: 1_001, amount: "1" }, "count"],
    [{ count: 1.5, amount: "1" }, "count"],
    [{ count: 1, amount: "0" }, "amount"],
    [{ count: 1, amount: "1e1" }, "amount"],
    [{ count: 1, amount: "-1" }, "amount"],
    [{ count: 1, amount: "1", expiresAt: "2020-01-01T00:00:00Z" }, "expiresAt"],
    [{ count: 1, amount: "1", note: "x".repeat(1_001) }, "note"],
  ];
  for (const [body, field] of cases) {
    const answer = await rig.as("operator").call("POST", "/operator/code-batches", body);
    assert.deepEqual([answer.status, fieldsOf(answer)], [400, [field]], JSON.stringify(body));
  }
});

test("guessing codes is slowed down, mistyped ones are not counted, and a good one is not in the way", async (t) => {
  const rig = await startConsole(t);
  const owner = rig.as("owner");
  const { createRedemptionCode } = await import("../../../server/src/domain/keys/redemption-code.ts");
  const guess = () => createRedemptionCode(rig.context.randomBytes).text;
  for (let slip = 0; slip < 20; slip += 1)
    assert.equal((await owner.call("POST", "/redeem", { code: "plaza-1234" })).status, 400);
  const statuses: number[] = [];
  for (let turn = 0; turn < 8; turn += 1)
    statuses.push((await owner.call("POST", "/redeem", { code: guess() })).status);
  assert.equal(statuses[0], 400);
  assert.equal(statuses.at(-1), 429);
  const { codes } = (
    await rig.as("operator").call("POST", "/operator/code-batches", { count: 1, amount: "1" })
  ).body;
  const blocked = await owner.call("POST", "/redeem", { code: codes[0] });
  assert.deepEqual([blocked.status, blocked.body.error.code], [429, "too_many_attempts"]);
  rig.clock.add(60_000);
  assert.equal((await owner.call("POST", "/redeem", { code: codes[0] })).status, 200);
});
