/** The live page: figures move without a reload, come back after a restart, and fill a wall. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { sendChat } from "../behaviour/harness/caller.ts";
import { type Product, startProduct } from "../behaviour/harness/product.ts";
import { becomes, closeBrowser, noBrowser, visit } from "./browser.ts";
import { seededUsers } from "./seed/seed.ts";
import { seededStage, signIn } from "./stage.ts";

after(closeBrowser);

const state = (page: Page, name: string) => page.getByRole("status").getByText(name, { exact: true });

async function callDemo(product: Product, key: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const { status, text } = await sendChat(product.origin, key, {
      model: "demo",
      // At once: the page counts the calls of one minute.
      messages: [{ role: "user", content: "/slow 0\n/echo hi" }],
      stream: index % 2 === 0,
    });
    assert.equal(status, 200, text);
  }
}

test("figures move without a reload, stop on demand, and come back after a restart", {
  skip: noBrowser,
}, async (context) => {
  const { product, origin } = await seededStage(context, 20);
  const { key } = await product.createKey(await product.createAccount());
  const { page } = await visit(context, origin);
  await signIn(page, seededUsers.operator);
  await page.goto("/operator/live");
  await state(page, "Live").waitFor({ state: "attached" });
  await page.evaluate("window.isSamePage = true");

  await callDemo(product, key, 6);
  await page.getByText("of 6 requests").waitFor();
  const models = page.getByRole("table", { name: "Most requested models" });
  await becomes(() => models.getByRole("row", { name: /demo/ }).textContent(), /6$/);
  await page.getByRole("figure", { name: "Requests per second by outcome" }).waitFor();

  await page.getByRole("button", { name: "Pause" }).click();
  await state(page, "Paused").waitFor({ state: "attached" });
  await callDemo(product, key, 3);
  assert.equal(await page.getByText("of 6 requests").count(), 1, "what is shown stays");
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText("of 9 requests").waitFor();

  await product.stop();
  await page.getByText(/^Reconnecting in \d+ s…$/).waitFor();
  assert.equal(await page.getByText("of 9 requests").count(), 1);
  const { folder, port } = product;
  const again = await startProduct({ folder, serve: ["--port", String(port)] });
  context.after(() => again.stop());
  await state(page, "Live").waitFor({ state: "attached" });
  await callDemo(again, key, 2);
  await page.getByText("of 2 requests").waitFor();
  assert.equal(await page.evaluate("window.isSamePage"), true, "it was never loaded again");
});

test("the wall display has the window for itself, dark and large, and lets go of it", {
  skip: noBrowser,
}, async (context) => {
  const { origin } = await seededStage(context, 20);
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.operator);
  await page.goto("/operator/live");
  await page.getByRole("button", { name: "Open wall display" }).click();
  await page.waitForURL(/wall=1/);
  await state(page, "Live").waitFor({ state: "attached" });
  await becomes(() => page.getByRole("navigation").count(), 0);
  const focused = () => page.evaluate("document.activeElement.textContent");
  await becomes(focused, "Close wall display", "the keyboard goes on where it was");
  const look = "[document.documentElement.dataset.theme, document.documentElement.style.fontSize !== '']";
  await becomes(() => page.evaluate(look), ["dark", true]);
  await page.getByRole("button", { name: "Close wall display" }).click();
  await page.getByRole("navigation", { name: "Main menu" }).waitFor();
  await becomes(() => page.evaluate(look), ["light", false]);
  assert.deepEqual(mishaps.list, []);
});
