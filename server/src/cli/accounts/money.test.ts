/** Commands about money: top-ups, corrections, verification, and closing accounts. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { nanoUsd } from "@plaza/contract/money.ts";
import { accountSubject, chargedRow, priceOneNano, take } from "../../store/testing/behaviour/money.ts";
import { requestRow } from "../../store/testing/behaviour/requests.ts";
import { commandLine } from "../testing/test-command-line.ts";

type CommandLine = ReturnType<typeof commandLine>;

async function newAccount({ json }: CommandLine, balance = "0"): Promise<string> {
  return (await json("account", "create", "Team Blue", "--balance", balance)).value.id;
}

/** Records a request with this charge, as a server would. */
async function charge(
  { store }: CommandLine,
  number: number,
  account: string,
  nanos: bigint,
): Promise<string> {
  const opened = await store();
  const priceId = await priceOneNano(opened);
  const row = chargedRow(number, account, nanos, priceId);
  await opened.recordRequest(row);
  await opened.close();
  return row.id;
}

const balanceOf = async ({ json }: CommandLine, id: string): Promise<string> =>
  (await json("account", "list")).value.find((account: { id: string }) => account.id === id).balance;

test("topup: adds money, says the new balance, and a repeated reference adds nothing", async () => {
  const line = commandLine();
  const { run, json } = line;
  const id = await newAccount(line, "5.00");
  const words = ["topup", id, "0.000000001", "--note", "invoice 7", "--reference", "pay-7"];
  const first = await json(...words);
  assert.deepEqual([first.status, first.err], [0, ""]);
  const { id: entry, createdAt, ...rest } = first.value;
  assert.equal(typeof entry, "number");
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
  assert.deepEqual(rest, {
    account: id,
    kind: "topup",
    amount: "0.000000001",
    requestId: null,
    reference: "pay-7",
    note: "invoice 7",
    expiresAt: null,
    balance: "5.000000001",
    repeated: false,
  });
  assert.deepEqual(await json(...words), { ...first, value: { ...first.value, repeated: true } });
  const said = await run(...words);
  assert.equal(said.status, 0);
  assert.match(
    said.out,
    /^Nothing changed: the top-up with reference pay-7 already exists \(.+ UTC\)\.\nThe balance is 5\.000000001 USD\.\n$/,
  );
  const other = await json("topup", id, "1", "--reference", "pay-7");
  assert.deepEqual([other.status, other.value.error.code], [1, "duplicate"]);
  const later = await json(...words, "--expires", "2099-01-01");
  assert.deepEqual([later.status, later.value.error.code], [1, "duplicate"]);
  assert.match(later.value.error.message, /reference pay-7 .* belongs to another entry/);
  const noted = await run(...words.with(4, "another"));
  assert.match(
    noted.out,
    /already exists \(.+\)\.\nIts note stays "invoice 7"\.\nThe balance is 5\.000000001 USD\.\n$/,
  );
  assert.equal(
    (await run("topup", id, "2.5")).out,
    `Account ${id} was topped up by 2.50 USD.\nThe balance is 7.500000001 USD.\n`,
  );
  const expiring = await run("topup", id, "1", "--expires", "2099-01-01");
  assert.match(expiring.out, /by 1\.00 USD, unused credit expires 2099-01-01 00:00:00 UTC\.\n/);
  assert.equal(await balanceOf(line, id), "8.500000001");
  const relative = ["topup", id, "1", "--reference", "pay-8", "--expires", "30d"];
  const made = await json(...relative);
  assert.equal(Date.parse(made.value.expiresAt) - Date.parse(made.value.createdAt), 30 * 86_400_000);
  assert.equal((await json(...relative)).value.repeated, true);
  assert.equal((await json(...relative.with(-1, "31d"))).value.error.code, "duplicate");
});

test("topup: what is no amount, no account or no date is refused by name, and nothing is written", async () => {
  const line = commandLine();
  const { run, json } = line;
  const id = await newAccount(line, "5.00");
  const refused: [string, RegExp][] = [
    ["$5", /Remove the currency/],
    ["5 EUR", /'5 EUR'.*Remove the currency/],
    ["1e3", /'1e3'.*Exponents are not allowed/],
    ["-1", /'-1'.*The amount cannot be negative/],
    ["+1", /'\+1'.*Remove the \+ sign/],
    ["0.0000000001", /Use at most nine decimals/],
    ["NaN", /'NaN'.*This is not a number\. Enter US dollars/],
    ["Infinity", /'Infinity'.*This is not a number/],
    ["0x10", /'0x10'.*Write the amount in decimal digits/],
    ["5 USD", /Remove the currency/],
    ["€5", /Remove the currency/],
    ["+5", /'\+5'.*Remove the \+ sign/],
    ["-5", /'-5'.*The amount cannot be negative/],
    ["0", /The amount cannot be 0/],
    ["5,00", /Use a decimal point/],
    ["1000000001", /The largest amount is/],
    ["", /Enter US dollars/],
  ];
  for (const [amount, message] of refused) {
    const { status, value } = await json("topup", id, amount);
    assert.deepEqual([status, value.error.code], [2, "usage"], amount);
    assert.match(value.error.message, message);
    assert.equal((await run("ledger", "adjust", id, amount.replace(/^[+-]/, "--"), "--note", "x")).status, 2);
  }
  for (const date of ["2020-01-01", "soon"]) {
    assert.equal((await json("topup", id, "1", "--expires", date)).status, 2);
  }
  assert.equal((await json("topup", id, "1", "--note", "a\nb")).status, 2);
  const nobody = await json("topup", "acc_none", "1");
  assert.deepEqual([nobody.status, nobody.value.error.code], [1, "not_found"]);
  assert.match(nobody.err, /^error: account acc_none not found; see: npx plaza account list\n$/);
  await json("topup", id, "999999995");
  for (let times = 0; times < 4; times++) await json("topup", id, "1000000000");
  const tooMuch = await json("topup", id, "0.000000001");
  assert.match(tooMuch.value.error.message, /the balance cannot exceed 5000000000\.00 USD/);
  assert.equal((await json("ledger", "list", id)).value.length, 6);
});

test("ledger list, adjust and refund", async () => {
  const line = commandLine();
  const { run, json } = line;
  const id = await newAccount(line);
  assert.equal(
    (await run("ledger", "list", id)).out,
    `No entries yet. Top up:  npx plaza topup ${id} 5.00\n`,
  );
  await json("topup", id, "2", "--reference", "pay-1", "--expires", "2099-01-01");
  const request = await charge(line, 1, id, 700_000_000n);
  const adjusted = await json("ledger", "adjust", id, "-0.25", "--note", "typo");
  assert.equal(adjusted.status, 0);
  assert.deepEqual(
    [adjusted.value.kind, adjusted.value.amount, adjusted.value.note, adjusted.value.balance],
    ["adjustment", "-0.25", "typo", "1.05"],
  );
  assert.equal(
    (await run("ledger", "adjust", id, "0.25", "--note", "no typo")).out,
    `Account ${id} was adjusted by 0.25 USD.\nThe balance is 1.30 USD.\n`,
  );
  assert.match((await run("ledger", "adjust", id, "1")).err, /required option '--note <text>' not specified/);
  const tooMuch = await run("ledger", "adjust", id, "-1.300000001", "--note", "x");
  assert.deepEqual(
    [tooMuch.status, tooMuch.err],
    [1, `error: at most 1.30 USD can be subtracted from account ${id}\n`],
  );

  const above = await run("ledger", "refund", request, "0.700000001");
  assert.match(above.err, /request req_000000001 was charged only 0\.70 USD: enter at most/);
  const back = await run("ledger", "refund", request, "--note", "sorry");
  assert.equal(
    back.out,
    `Account ${id} was refunded 0.70 USD for request ${request}.\nThe balance is 2.00 USD.\n`,
  );
  const again = await json("ledger", "refund", request);
  assert.deepEqual([again.status, again.value.error.code], [1, "duplicate"]);
  const unknown = await json("ledger", "refund", "req_none");
  assert.deepEqual([unknown.status, unknown.value.error.code], [1, "not_found"]);
  const free = await charge(line, 2, id, 0n);
  assert.equal((await json("ledger", "refund", free)).value.error.code, "nothing_paid");

  const { value: entries } = await json("ledger", "list", id);
  assert.deepEqual(
    entries.map(({ kind, amount }: { kind: string; amount: string }) => `${kind} ${amount}`),
    ["refund 0.70", "adjustment 0.25", "adjustment -0.25", "charge -0.70", "topup 2.00"],
  );
  assert.equal(entries[4].expiresAt, "2099-01-01T00:00:00.000Z");
  const table = (await run("ledger", "list", id, "--limit", "2")).out.split("\n");
  assert.match(
    table[0] ?? "",
    /^time \(UTC\) +id +kind +amount USD +request or reference +expires \(UTC\) +note$/,
  );
  assert.match(table[1] ?? "", /^\d{4}-.* +5 +refund +0\.70 +req_000000001 +- +sorry$/);
  assert.deepEqual(table.slice(3), ["The balance is 2.00 USD.", ""]);
  assert.equal((await json("ledger", "list", "acc_none")).value.error.code, "not_found");
});

test("ledger refund: a part of what was paid, the operator's loss not included", async () => {
  const line = commandLine();
  const id = await newAccount(line, "0.5");
  const request = await charge(line, 1, id, 700_000_000n);
  assert.equal((await line.json("ledger", "refund", request, "0.500000001")).status, 1);
  const { value } = await line.json("ledger", "refund", request, "0.2", "--note", "half");
  assert.deepEqual([value.requestId, value.amount, value.balance], [request, "0.20", "0.20"]);
  const rows = await line.run("requests");
  assert.match(rows.out, /charge USD +loss USD/);
  assert.match(rows.out, / 0\.70 +0\.20 +210 +4200\n/);
  const { value: requests } = await line.json("requests");
  assert.deepEqual([requests[0].charge, requests[0].loss], ["0.70", "0.20"]);
});

test("requests: costs have a column where there is one, and are null in JSON where unknown", async () => {
  const line = commandLine();
  const id = await newAccount(line, "5");
  await charge(line, 1, id, 700_000_000n);
  assert.doesNotMatch((await line.run("requests")).out, /cost/);
  const opened = await line.store();
  const priceId = await priceOneNano(opened);
  const used = (number: number, cost: bigint) =>
    chargedRow(number, id, 1_000_000_000n, priceId, { cost: nanoUsd(cost) });
  await opened.recordRequest(used(2, 0n));
  await opened.recordRequest(requestRow(3, { accountId: id, usageSource: "none", cost: nanoUsd(0n) }));
  assert.doesNotMatch((await line.run("requests")).out, /cost/);
  await opened.recordRequest(used(4, 800_000_001n));
  await opened.close();
  const rows = (await line.run("requests")).out.trimEnd().split("\n");
  assert.match(rows[0] ?? "", / charge USD {5}cost USD +first token ms /);
  assert.deepEqual(
    rows.slice(1).map((row) => row.split(/ {2,}/).at(-3)),
    ["0.800000001", "-", "0.00", "?"],
  );
  const { value } = await line.json("requests");
  assert.deepEqual(
    value.map(({ cost }: { cost: string | null }) => cost),
    ["0.800000001", "0.00", "0.00", null],
  );
  assert.equal((await line.json("ledger", "verify")).value.ok, true);
});

test("ledger verify: right sums are status 0, wrong ones are findings and status 1", async () => {
  const line = commandLine();
  const { run, json, dataDir } = line;
  const empty = await json("ledger", "verify");
  assert.deepEqual([empty.status, empty.value.ok, empty.value.accounts], [0, true, 0]);
  const id = await newAccount(line, "5.00");
  await charge(line, 1, id, 700_000_000n);
  const right = await json("ledger", "verify");
  assert.deepEqual(right, {
    status: 0,
    err: "",
    value: {
      ok: true,
      accounts: 1,
      entries: 2,
      requests: 1,
      leases: 0,
      totals: { balance: "4.30", leased: "0.00", credited: "5.00", charged: "0.70", lost: "0.00" },
      findings: [],
      moreFindings: 0,
    },
  });
  const said = await run("ledger", "verify");
  assert.match(said.out, /^Checked 1 account, 2 entries, 1 request and 0 leases\.\n/);
  assert.match(said.out, /\ncharged +0\.70\n(.*\n)+All sums are correct\.\n$/);

  const database = new DatabaseSync(join(dataDir, "plaza.sqlite"));
  database.exec("update accounts set balance_nanos = balance_nanos + 1");
  database.close();
  const wrong = await json("ledger", "verify");
  assert.equal(wrong.status, 1);
  assert.equal(wrong.value.ok, false);
  const finding = {
    what: "balance",
    subject: id,
    text: "the balance is 4.300000001 USD, but its entries sum to 4.30 USD",
  };
  assert.deepEqual(wrong.value.findings, [finding]);
  const error =
    "error: the ledger does not balance: 1 finding; back up the database before you do anything else\n";
  assert.equal(wrong.err, error);
  const told = await run("ledger", "verify");
  assert.deepEqual([told.status, told.err], [1, error]);
  assert.ok(told.out.includes(`balance  ${id}  ${finding.text}\n`), told.out);
  assert.equal(told.out.includes("Every sum is right"), false);
});

test("accounts are suspended, resumed and closed; the lists show what is lent", async () => {
  const line = commandLine();
  const { run, json } = line;
  const id = await newAccount(line, "5.00");
  const opened = await line.store();
  await opened.openHolder("h1");
  await take(opened, "h1", accountSubject(id), 2_000_000_000n);
  await opened.close();
  assert.match((await run("account", "list")).out, /balance USD +of it lent USD .*\n.* 5\.00 +2\.00 /);
  const funds = { balance: "5.00", leased: "2.00" };
  for (const [verb, status] of [
    ["suspend", "suspended"],
    ["suspend", "suspended"],
    ["resume", "active"],
  ] as const) {
    assert.deepEqual((await json("account", verb, id)).value, { id, status, ...funds });
  }
  assert.equal(
    (await run("account", "suspend", id)).out,
    `Account ${id} (Team Blue), with a balance of 5.00 USD, is suspended; resume it with: npx plaza account resume ${id}.\n`,
  );
  assert.match(
    (await run("account", "close", id)).out,
    /, with a balance of 5\.00 USD, is permanently closed\.\n$/,
  );
  for (const verb of ["resume", "suspend"]) {
    const { status, value } = await json("account", verb, id);
    assert.deepEqual([status, value.error.code], [1, "account_closed"]);
  }
  assert.equal((await json("account", "close", id)).status, 0);
  const shut = await json("topup", id, "1");
  assert.deepEqual([shut.status, shut.value.error.message], [1, `account ${id} is closed`]);
  const unknown = await json("account", "suspend", "acc_none");
  assert.deepEqual([unknown.status, unknown.value.error.code], [1, "not_found"]);
});

test("verify, topup and list work while another process writes charges, and every look adds up", async (context) => {
  const line = commandLine();
  const id = await newAccount(line, "1");
  const script = fileURLToPath(new URL("../testing/test-charger.ts", import.meta.url));
  const child = spawn(process.execPath, [script, line.dataDir, id], { stdio: ["pipe", "pipe", "inherit"] });
  context.after(() => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  for (let look = 0; look < 5; look++) {
    const topped = await line.json("topup", id, "0.01", "--reference", `pay-${look}`);
    assert.deepEqual([topped.status, topped.value.repeated], [0, false]);
    const { status, value } = await line.json("ledger", "verify");
    assert.deepEqual([status, value.findings], [0, []]);
    assert.ok(value.requests > 0);
  }
  child.stdin.end();
  await once(child, "close");
  const { status, value } = await line.json("ledger", "verify");
  assert.equal(status, 0);
  assert.equal(value.totals.credited, "1.05");
});

test("amounts beyond what a float holds are told digit by digit", async () => {
  const line = commandLine();
  const id = await newAccount(line, "9007199.254740993");
  assert.equal(await balanceOf(line, id), "9007199.254740993");
  const { value } = await line.json("topup", id, "900000000.000000001");
  assert.equal(value.balance, "909007199.254740994");
  assert.equal(nanoUsd(909_007_199_254_740_994n), BigInt(value.balance.replace(".", "")));
});
