/** Two tabs edit the same item: the later one sees the conflict, keeps its input and can save. */
import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { becomes, closeBrowser, noBrowser, openTab, visit } from "./browser.ts";
import { seededUsers } from "./seed/seed.ts";
import { sharedStage, signIn } from "./stage.ts";

/** Shared by all tests of the file, which use different items. */
const stage = sharedStage(20);
after(closeBrowser);

/** Opens two tabs of one window, with the errors of both. The later one is refused with 409, as expected. */
async function twoTabs(context: TestContext, email: string) {
  const one = await visit(context, stage().origin);
  await signIn(one.page, email);
  const two = await openTab(one);
  two.mishaps.expect(409);
  return { first: one.page, later: two.page, mishaps: () => [...one.mishaps.list, ...two.mishaps.list] };
}

/** Opens the page in both tabs, so that both have read the same version. */
async function openBoth(first: Page, later: Page, path: string, heading: string): Promise<void> {
  for (const page of [first, later]) {
    // As a user does; browsers render background tabs only once a second.
    await page.bringToFront();
    await page.goto(path);
    await page.getByRole("heading", { name: heading }).waitFor();
  }
}

test("two tabs change a model's price: both changes are kept", { skip: noBrowser }, async (context) => {
  const { first, later, mishaps } = await twoTabs(context, seededUsers.operator);
  await first.bringToFront();
  await first.goto("/operator/models");
  await first.getByRole("link", { name: "Add model" }).click();
  await first.getByLabel("ID", { exact: true }).fill("of-the-walk");
  await first.getByLabel("Input", { exact: true }).fill("1");
  await first.getByLabel("Output", { exact: true }).fill("4");
  await first.getByRole("combobox", { name: "Upstream" }).click();
  await first.getByRole("option", { name: "demo" }).click();
  await first.getByLabel("Upstream model ID").fill("demo");
  await first.getByRole("button", { name: "Add model" }).click();
  await first.waitForURL(/\/operator\/models\/of-the-walk$/);
  await openBoth(first, later, "/operator/models/of-the-walk", "of-the-walk");

  await later.getByLabel("Output", { exact: true }).fill("5");
  await first.bringToFront();
  await first.getByLabel("Input", { exact: true }).fill("1.5");
  await first.getByRole("button", { name: "Save" }).click();
  await first.getByText("Changes saved. Running servers use them within a second.").waitFor();
  await later.bringToFront();
  await later.getByRole("button", { name: "Save" }).click();
  const told = later.getByRole("alert").filter({ hasText: "Changed by another user" });
  const input = (page: Page) => page.getByLabel("Input", { exact: true });
  const output = (page: Page) => page.getByLabel("Output", { exact: true });
  await becomes(() => told.textContent(), /Price: Input.*Current value: 1\.50/);
  await becomes(() => output(later).inputValue(), "5", "nothing typed is lost");
  await becomes(() => input(later).inputValue(), "1.50", "theirs is not undone");
  await later.getByRole("button", { name: "Save" }).click();
  await later.getByText("Changes saved. Running servers use them within a second.").waitFor();
  await told.waitFor({ state: "detached" });
  await first.bringToFront();
  await first.reload();
  await becomes(() => input(first).inputValue(), "1.50");
  await becomes(() => output(first).inputValue(), "5.00");

  // A tab's own saved value is no conflict, although the server returns it with more decimals.
  await first.getByLabel("Name", { exact: true }).fill("Of the walk");
  await first.getByRole("button", { name: "Save" }).click();
  await first.getByRole("heading", { name: "Of the walk" }).waitFor();
  await later.bringToFront();
  await later.getByLabel("Description").fill("made while walking");
  await later.getByRole("button", { name: "Save" }).click();
  await becomes(() => told.textContent(), /NameCurrent value: Of the walk/);
  assert.doesNotMatch((await told.textContent()) ?? "", /Price/);
  await later.getByRole("button", { name: "Save" }).click();
  await told.waitFor({ state: "detached" });
  await first.bringToFront();
  await first.reload();
  await becomes(() => first.getByLabel("Description").inputValue(), "made while walking");
  await becomes(() => first.getByLabel("Name", { exact: true }).inputValue(), "Of the walk");
  assert.deepEqual(mishaps(), []);
});

test("two tabs change an account's limits: what is there now can be taken instead", {
  skip: noBrowser,
}, async (context) => {
  const { first, later, mishaps } = await twoTabs(context, seededUsers.operator);
  const account = stage().seeded.accounts[1] as string;
  await openBoth(first, later, `/operator/accounts/${account}`, "Quiet GmbH");
  const requests = (page: Page) => page.getByLabel("Requests per minute");
  const tokens = (page: Page) => page.getByLabel("Tokens per minute");
  const concurrent = (page: Page) => page.getByLabel("Concurrent requests");

  await requests(later).fill("20");
  await later.getByLabel("Concurrent requests").fill("3");
  await first.bringToFront();
  await requests(first).fill("30");
  await tokens(first).fill("9000");
  await first.getByRole("button", { name: "Save" }).click();
  await first.getByText("Saved. Takes effect within a second.").waitFor();
  await later.bringToFront();
  await later.getByRole("button", { name: "Save" }).click();
  const told = later.getByRole("alert").filter({ hasText: "Changed by another user" });
  await becomes(
    () => told.textContent(),
    /Requests per minuteCurrent value: 30Your value: 20.*Tokens per minuteCurrent value: 9000/,
  );
  await becomes(() => requests(later).inputValue(), "20");
  await becomes(() => tokens(later).inputValue(), "9000");
  await becomes(() => concurrent(later).inputValue(), "3");
  await told.getByRole("button", { name: "Use current values" }).click();
  await becomes(() => requests(later).inputValue(), "30");
  await becomes(() => concurrent(later).inputValue(), "3", "only what both changed is taken");
  await later.getByLabel("Concurrent requests").fill("4");
  await later.getByRole("button", { name: "Save" }).click();
  await later.getByText("Saved. Takes effect within a second.").waitFor();
  await first.bringToFront();
  await first.reload();
  await becomes(() => requests(first).inputValue(), "30");
  await becomes(() => concurrent(first).inputValue(), "4");
  assert.deepEqual(mishaps(), []);
});

test("two tabs rename a key: the later one is asked which name stays", {
  skip: noBrowser,
}, async (context) => {
  const { first, later, mishaps } = await twoTabs(context, seededUsers.quiet);
  await first.bringToFront();
  await first.goto("/keys");
  await first.getByRole("link", { name: "production" }).click();
  await first.getByRole("heading", { name: "production" }).waitFor();
  const path = new URL(first.url()).pathname;
  await openBoth(first, later, path, "production");

  await later.getByLabel("Name").fill("production, renamed later");
  await later.getByLabel("Concurrent requests").fill("7");
  await first.bringToFront();
  await first.getByLabel("Name", { exact: true }).fill("production, renamed first");
  await first.getByRole("button", { name: "Save changes" }).click();
  await first.getByRole("heading", { name: "production, renamed first" }).waitFor();
  await later.bringToFront();
  await later.getByRole("button", { name: "Save changes" }).click();
  const told = later.getByRole("alert").filter({ hasText: "Changed by another user" });
  await becomes(() => told.textContent(), /renamed first.*renamed later/);
  await becomes(() => later.getByLabel("Name").inputValue(), "production, renamed later");
  await told.getByRole("button", { name: "Use current values" }).click();
  await told.waitFor({ state: "detached" });
  await becomes(() => later.getByLabel("Name").inputValue(), "production, renamed first");
  const concurrent = (page: Page) => page.getByLabel("Concurrent requests");
  await becomes(() => concurrent(later).inputValue(), "7", "only what both changed is taken");
  await later.getByRole("button", { name: "Save changes" }).click();
  await later.getByText("Changes saved", { exact: true }).waitFor();
  await first.bringToFront();
  await first.reload();
  await becomes(() => first.getByLabel("Name", { exact: true }).inputValue(), "production, renamed first");
  await becomes(() => concurrent(first).inputValue(), "7");
  assert.deepEqual(mishaps(), []);
});
