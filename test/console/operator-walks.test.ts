/**
 * Operator tasks with accounts: credits and debits with reasons, suspending and reactivating, redemption
 * codes.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { becomes, closeBrowser, noBrowser, visit } from "./browser.ts";
import { seededUsers } from "./seed/seed.ts";
import { sharedStage, signIn } from "./stage.ts";

/** Shared by all tests of the file, which use different items. */
const stage = sharedStage(60);
after(closeBrowser);

const quiet = "Quiet GmbH";

async function openAccount(page: Page, name: string): Promise<void> {
  await page.goto("/operator/accounts");
  await page.getByRole("link", { name }).click();
  await page.getByRole("heading", { name }).waitFor();
}

test("a top-up and a correction with its reason are on the account's ledger and in the audit log", {
  skip: noBrowser,
}, async (context) => {
  const { origin } = stage();
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.operator);
  await openAccount(page, quiet);
  const dialog = page.getByRole("dialog");
  const reason = dialog.getByRole("textbox", { name: "Reason" });

  await page.getByRole("button", { name: "Adjust balance" }).click();
  await dialog.getByLabel("Amount").fill("12.34");
  await reason.fill("invoice of the walk");
  await dialog.getByText(`The balance of ${quiet} increases by $12.34.`).waitFor();
  await dialog.getByRole("button", { name: "Adjust balance" }).click();
  await page.getByText("The new balance is").waitFor();

  await page.getByRole("button", { name: "Adjust balance" }).click();
  await dialog.getByRole("radio", { name: "Adjustment" }).check();
  await dialog.getByText("Subtract", { exact: true }).click();
  await dialog.getByLabel("Amount").fill("2.22");
  await dialog.getByRole("button", { name: "Adjust balance" }).click();
  await dialog.getByText("Enter a reason for the adjustment.").waitFor();
  await becomes(() => dialog.getByLabel("Amount").inputValue(), "2.22", "nothing typed is lost");
  await reason.fill("paid twice, says the walk");
  await dialog.getByRole("button", { name: "Adjust balance" }).click();
  await dialog.waitFor({ state: "detached" });

  await page.getByRole("tab", { name: "Ledger" }).click();
  const lines = page.getByRole("row");
  const line = (text: string) => lines.filter({ hasText: text }).textContent();
  await becomes(() => line("invoice of the walk"), /Top-up.*12\.34/);
  await becomes(() => line("paid twice, says the walk"), /Adjustment.*2\.22/);

  await page.getByRole("link", { name: "View audit log" }).click();
  await page.getByRole("button", { name: "Adjusted a balance" }).first().click();
  await dialog.getByText("paid twice, says the walk").first().waitFor();
  await dialog.getByText(seededUsers.operator).first().waitFor();
  await becomes(() => dialog.textContent(), /-2\.22/);

  const owner = await visit(context, origin);
  await signIn(owner.page, seededUsers.quiet);
  await owner.page.goto("/billing");
  await owner.page.getByText("paid twice, says the walk").waitFor();
  assert.deepEqual([...mishaps.list, ...owner.mishaps.list], []);
});

test("keys and requests of all accounts are filtered by project and tag, and a group's link keeps the filter", {
  skip: noBrowser,
}, async (context) => {
  const { origin, product } = stage();
  const keys = (await product.json(["key", "list"])) as { id: string; name: string; accountId: string }[];
  const labelled = keys.find(({ name }) => name === "production") ?? assert.fail();
  await product.command(["key", "labels", labelled.id, "--project", "web", "--tag", "live", "--tag", "eu"]);
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.operator);
  const pick = async (select: string, option: string) => {
    await page.getByRole("combobox", { name: `${select}:` }).click();
    await page.getByRole("option", { name: option, exact: true }).click();
    await page.keyboard.press("Escape");
  };
  const parameter = (name: string) => new URL(page.url()).searchParams.getAll(name);
  await openAccount(page, quiet);
  await page.getByRole("tab", { name: "Keys" }).click();
  const table = page.getByRole("table", { name: "Keys" });
  await table.getByText("web · live · eu").waitFor();
  await pick("Tags", "No tags");
  await page.getByText("No matching keys").waitFor();
  assert.deepEqual(parameter("tag"), [""]);
  await pick("Tags", "live");
  await table.getByText("production").waitFor();
  assert.deepEqual(parameter("tag"), ["", "live"]);

  await page.goto("/operator/requests");
  await pick("Projects", "web");
  await becomes(async () => parameter("project"), ["web"]);
  const rows = page.getByRole("table").locator("tbody tr");
  const others = rows.filter({ hasNotText: quiet });
  const seen = async () => ({ some: (await rows.count()) > 0, others: await others.count() });
  await becomes(seen, { some: true, others: 0 });

  await page.goto("/operator/usage/explore?by=model&tag=eu");
  await page.getByRole("combobox", { name: "Tags: eu" }).waitFor();
  await page.getByRole("table", { name: "Model" }).locator("tbody tr").first().getByRole("link").click();
  await page.getByRole("heading", { name: "All requests" }).waitFor();
  assert.equal(new URL(page.url()).pathname, "/operator/requests");
  assert.deepEqual([parameter("tag"), parameter("model").length], [["eu"], 1]);
  await becomes(seen, { some: true, others: 0 });
  assert.deepEqual(mishaps.list, []);
});

test("keys of a suspended account are refused at once, and work again when it is lifted", {
  skip: noBrowser,
}, async (context) => {
  const { origin, seeded } = stage();
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.operator);
  const ask = async () => {
    const answer = await fetch(`${origin}/v1/models`, {
      headers: { authorization: `Bearer ${seeded.keys["production"]}` },
    });
    const { error } = (await answer.json()) as { error?: { code: string } };
    return error === undefined ? String(answer.status) : `${answer.status} ${error.code}`;
  };
  assert.equal(await ask(), "200");
  await openAccount(page, quiet);
  const change = async (act: string, question: string) => {
    await page.getByRole("main").getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: act }).click();
    const dialog = page.getByRole("dialog", { name: question });
    await dialog.getByRole("button", { name: act }).click();
    await dialog.waitFor({ state: "detached" });
  };

  await change("Suspend account", `Suspend ${quiet}?`);
  const since = performance.now();
  await becomes(ask, "403 account_suspended");
  context.diagnostic(`refused after ${(performance.now() - since).toFixed(0)} ms`);
  await page.getByText("This account is suspended. Plaza rejects its keys").waitFor();
  const owner = await visit(context, origin);
  await signIn(owner.page, seededUsers.quiet);
  await owner.page.goto("/");
  await owner.page.getByText("This account is suspended.").first().waitFor();

  await change("Resume account", `Resume ${quiet}?`);
  await becomes(ask, "200");
  await page.getByText("This account is suspended").waitFor({ state: "detached" });
  assert.deepEqual([...mishaps.list, ...owner.mishaps.list], []);
});

test("codes are made in a batch, shown once, and a redeemed one is shown as used", {
  skip: noBrowser,
}, async (context) => {
  const { origin } = stage();
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.operator);
  await page.goto("/operator/codes");
  await page.getByRole("button", { name: "Create codes" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Number of codes").fill("3");
  await dialog.getByLabel("Amount").fill("1.25");
  await dialog.getByLabel("Note").fill("for the walk");
  await dialog.getByText("Creates 3 codes worth $1.25 each, $3.75 in total.").waitFor();
  await dialog.getByRole("button", { name: "Create codes" }).click();
  const codes = (await dialog.getByLabel("Codes", { exact: true }).inputValue()).split("\n");
  assert.equal(new Set(codes).size, 3);
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.getByText("Close without saving the codes?").waitFor();
  await dialog.getByRole("button", { name: "Copy codes" }).click();
  await becomes(() => page.evaluate("navigator.clipboard.readText()"), codes.join("\n"));
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "detached" });

  const owner = await visit(context, origin);
  await signIn(owner.page, seededUsers.quiet);
  await owner.page.goto("/billing");
  await owner.page.getByLabel("Redemption code").fill(codes[1] as string);
  await owner.page.getByRole("button", { name: "Redeem code" }).click();
  await owner.page.getByText("$1.25 added to the balance").waitFor();

  await page.getByRole("link", { name: "for the walk" }).click();
  await page.getByText("1 of 3").waitFor();
  const rows = page.getByRole("table", { name: "Codes" }).getByRole("row");
  const used = rows.filter({ has: page.getByText("Redeemed", { exact: true }) });
  await becomes(() => used.textContent(), /Quiet GmbH.*Quentin Quiet/);
  assert.ok(
    ((await used.textContent()) ?? "").includes(`…${(codes[1] as string).slice(-7, -2)}`),
    "it is that one",
  );
  await becomes(() => rows.filter({ has: page.getByText("Open", { exact: true }) }).count(), 2);
  assert.deepEqual([...mishaps.list, ...owner.mishaps.list], []);
});
