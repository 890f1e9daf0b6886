/** The command palette and the shortcuts: finds, goes, acts, takes back; by keyboard, and on a phone. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { becomes, closeBrowser, noBrowser, visit } from "./browser.ts";
import { seededUsers } from "./seed/seed.ts";
import { addModel, makeKey, sharedStage, signIn } from "./stage.ts";

const stage = sharedStage(60);
after(closeBrowser);

const field = (page: Page) => page.getByRole("combobox", { name: /^(Search pages|Which)/ });
const chosen = (page: Page) => page.getByRole("option", { selected: true });

async function open(page: Page): Promise<void> {
  // The keys are heard once the frame is there.
  await page.getByRole("button", { name: "Search", exact: true }).waitFor();
  await page.keyboard.press("Control+k");
  await field(page).waitFor();
}

test("the palette finds pages, models, accounts and requests, and remembers them", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.operator);
  await page.goto("/");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await field(page).fill("audti");
  await becomes(() => chosen(page).textContent(), /^Audit log/);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/operator/audit");
  // The focus is the new page's, not the button's.
  await becomes(() => page.evaluate("document.activeElement?.tagName"), "H1");

  await open(page);
  await page.getByRole("group", { name: "Recent" }).getByRole("option", { name: "Audit log" }).waitFor();
  await field(page).fill("aurora-mini");
  await page.getByRole("group", { name: "Models & prices" }).getByRole("option").first().click();
  await page.waitForURL("**/operator/models/aurora-mini");

  await open(page);
  await field(page).fill("quiet");
  await page.getByRole("group", { name: "Accounts" }).getByRole("option").first().click();
  await page.waitForURL("**/operator/accounts/acc_*");

  await page.goto("/operator/requests");
  const id = (await page.locator("tbody tr a").first().getAttribute("href"))?.split("/").at(-1) ?? "";
  await open(page);
  await field(page).fill(id);
  await page.getByRole("group", { name: "All requests" }).getByRole("option", { name: id }).click();
  await page.waitForURL(`**/operator/requests/${id}`);
  assert.deepEqual(mishaps.list, []);
});

test("arrows, Home and End move; Escape goes a step back, then closes and gives the focus back", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.operator);
  await page.goto("/keys");
  const button = page.getByRole("button", { name: "Search", exact: true });
  await button.focus();
  await page.keyboard.press("Enter");
  await field(page).waitFor();
  const first = await chosen(page).textContent();
  await page.keyboard.press("ArrowUp");
  await becomes(async () => (await chosen(page).textContent()) !== first, true);
  const last = await chosen(page).textContent();
  await page.keyboard.press("Home");
  await becomes(() => chosen(page).textContent(), first);
  await page.keyboard.press("End");
  await becomes(() => chosen(page).textContent(), last);
  await page.keyboard.press("ArrowDown");
  await becomes(() => chosen(page).textContent(), first);
  const named = await field(page).getAttribute("aria-activedescendant");
  assert.equal(await chosen(page).getAttribute("id"), named);

  await page.getByRole("option", { name: "Top up account…" }).click();
  await page.getByRole("combobox", { name: "Which account?" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("combobox", { name: "Search pages" }).waitFor();
  await page.keyboard.press("Escape");
  await field(page).waitFor({ state: "detached" });
  await becomes(() => page.evaluate("document.activeElement?.textContent"), /Search/);
  assert.deepEqual(mishaps.list, []);
});

test("an account is topped up in three presses, a key is disabled and enabled again", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.operator);
  await page.goto("/operator/health");
  await open(page);
  await field(page).fill("top up");
  await page.keyboard.press("Enter");
  await page.getByRole("combobox", { name: "Which account?" }).fill("quiet");
  await page.getByRole("option", { name: /Quiet/ }).click();
  await page.getByRole("dialog").getByLabel("Amount").fill("3");
  await page.getByRole("dialog").getByRole("button", { name: "Adjust balance" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });

  await makeKey(page, "Palette key");
  await open(page);
  await field(page).fill("disable key");
  await page.keyboard.press("Enter");
  await page.getByRole("combobox", { name: "Which key?" }).fill("Palette key");
  await page.getByRole("option", { name: /Palette key/ }).click();
  const row = page.getByRole("row", { name: /Palette key/ });
  await row.getByText("Disabled").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await row.getByText("Active").waitFor();
  assert.deepEqual(mishaps.list, []);
});

test("a model is disabled from the palette and enabled again", { skip: noBrowser }, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.operator);
  await addModel(page, "to-disable", "1", "2");
  await page.goto("/operator/health");
  await open(page);
  await field(page).fill("disable model");
  await page.keyboard.press("Enter");
  await page.getByRole("combobox", { name: "Which model?" }).fill("to-disable");
  await page
    .getByRole("option", { name: /to-disable/ })
    .first()
    .click();
  await page
    .getByRole("dialog", { name: /^Disable/ })
    .getByRole("button", { name: "Disable" })
    .click();
  await page.getByText("Model disabled").waitFor();
  await page.getByRole("heading", { level: 1 }).getByText("Disabled").waitFor();
  await page.getByRole("button", { name: "Enable" }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Model enabled").waitFor();
  await page.getByRole("button", { name: "Disable" }).waitFor();
  assert.deepEqual(mishaps.list, []);
});

test("a disabled model is enabled from the palette, where no other model is offered", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.operator);
  await addModel(page, "to-enable", "1", "2");
  await addModel(page, "to-enable-not", "1", "2");
  await page.goto("/operator/models/to-enable?stop=1");
  const question = page.getByRole("dialog", { name: "Disable to-enable?" });
  await question.getByRole("button", { name: "Disable" }).click();
  await page.getByText("Model disabled").waitFor();

  await page.goto("/operator/models/to-enable");
  const heading = page.getByRole("heading", { level: 1 });
  await heading.getByText("Disabled").waitFor();
  await open(page);
  await field(page).fill("enable model");
  assert.match((await chosen(page).textContent()) ?? "", /^Enable model/);
  await page.keyboard.press("Enter");
  await page.getByRole("combobox", { name: "Which model?" }).fill("to-enable");
  await page.getByRole("option", { name: /to-enable/ }).waitFor();
  assert.equal(await page.getByRole("option").count(), 1);
  await page.keyboard.press("Enter");
  await page.getByText("Model enabled").waitFor();
  await heading.getByText("Disabled").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await heading.getByText("Disabled").waitFor();
  assert.deepEqual(mishaps.list, []);
});

test("one key goes places, never while typing, and not once switched off", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.quiet);
  await page.goto("/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("?");
  await page
    .getByRole("dialog", { name: "Keyboard shortcuts" })
    .getByText("Command", { exact: false })
    .first()
    .waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.type("gk");
  await page.waitForURL("**/keys");
  await page.getByRole("searchbox").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("n?gb");
  await becomes(() => page.getByRole("searchbox").inputValue(), "n?gb");
  assert.match(page.url(), /\/keys/);
  await page.getByRole("searchbox").fill("");
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("n");
  await page.getByRole("dialog", { name: "Create key" }).waitFor();
  await page.keyboard.press("Escape");

  await page.goto("/profile");
  await page.getByLabel("Single-key shortcuts").uncheck();
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.type("gk");
  await page.keyboard.press("?");
  await open(page);
  assert.match(page.url(), /\/profile/);
  assert.equal(await page.getByRole("dialog", { name: "Keyboard shortcuts" }).count(), 0);
  assert.deepEqual(mishaps.list, []);
});

test("on a phone the palette fills the window; a member sees no operator's pages", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin, { width: 390, height: 780 });
  await signIn(page, seededUsers.member);
  await page.goto("/");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await field(page).waitFor();
  await becomes(() => page.evaluate("document.documentElement.scrollWidth"), 390);
  await field(page).fill("audit");
  await page.getByText("No results for").waitFor();
  await field(page).fill("usage");
  await page.getByRole("option", { name: "Usage" }).click();
  await page.waitForURL("**/usage");
  assert.deepEqual(mishaps.list, []);
});
