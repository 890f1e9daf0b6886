/** Phones: long pages show a part and offer the rest, and nothing that is folded is out of reach. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { becomes, closeBrowser, noBrowser, settled, visit } from "../browser.ts";
import { seededUsers } from "../seed/seed.ts";
import { sharedStage, signIn } from "../stage.ts";

const stage = sharedStage(60);
after(closeBrowser);

const phone = { width: 390, height: 780 } as const;
/** Pixels that a page of a few screens has at most. */
const heightMax = 3_000;

async function heightOf(page: Page): Promise<number> {
  await settled(page);
  return (await page.evaluate("document.documentElement.scrollHeight")) as number;
}

test("the plaza shows eight compact cards and offers the others", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin, phone);
  await signIn(page, seededUsers.member);
  await page.goto("/models");
  const cards = page.getByRole("article");
  await becomes(() => cards.count(), 8);
  const height = await heightOf(page);
  assert.ok(height < heightMax, `${height} pixels`);
  await page.getByRole("button", { name: "Show 4 more" }).click();
  await cards.nth(11).waitFor();
  await page.getByRole("button", { name: /^Show \d+ more$/ }).waitFor({ state: "detached" });
  assert.deepEqual(mishaps.list, []);
});

test("the sections of a model's form fold to a line, and open by a key", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin, phone);
  await signIn(page, seededUsers.operator);
  await page.goto("/operator/models/aurora-large");
  await page.getByText("Input $1.25 · Output $10.00").waitFor();
  const height = await heightOf(page);
  assert.ok(height < heightMax, `${height} pixels`);
  const upstreamModel = page.getByLabel("Upstream model ID");
  await upstreamModel.waitFor({ state: "hidden" });
  const summary = page.locator("summary").filter({ hasText: "Deployments" });
  await summary.filter({ hasText: "main: up-aurora-large" }).press("Enter");
  await upstreamModel.waitFor();
  await becomes(() => upstreamModel.inputValue(), "up-aurora-large");
  assert.deepEqual(mishaps.list, []);
});

test("an error opens the section it is in and takes the focus", { skip: noBrowser }, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin, phone);
  await signIn(page, seededUsers.operator);
  await page.goto("/operator/models?view=new");
  await page.getByLabel("ID", { exact: true }).fill("model-of-a-phone");
  const input = page.getByLabel("Input", { exact: true });
  const price = page.locator("summary").filter({ hasText: "Price" }).first();
  await input.waitFor();
  await price.click();
  await input.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Add model" }).click();
  await input.waitFor();
  await becomes(() => input.evaluate((element) => element.matches(":focus")), true);
  await price.click();
  await price.getByText("Contains errors").waitFor();
  assert.deepEqual(mishaps.list, []);
});
