/**
 * Failures behind an open page: an upstream or server that dies during an answer, an unknown model, parts of
 * the page that load late.
 */
import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { chunk } from "../behaviour/harness/openai-shapes.ts";
import { startProduct } from "../behaviour/harness/product.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../behaviour/harness/scripted-upstream.ts";
import { closeBrowser, noBrowser, visit } from "./browser.ts";
import { seededUsers } from "./seed/seed.ts";
import { type Stage, seededStage, signIn } from "./stage.ts";

after(closeBrowser);

async function stageWithUpstream(context: TestContext): Promise<Stage & { upstream: ScriptedUpstream }> {
  const upstream = await startScriptedUpstream();
  context.after(() => upstream.stop());
  return { ...(await seededStage(context, 20, { upstreamUrl: upstream.baseUrl })), upstream };
}

const pieces = [chunk({ role: "assistant", content: "" }), chunk({ content: "as far as it came" })];

async function askInPlayground(page: Page): Promise<void> {
  await page.goto("/playground?model=aurora-mini");
  await page.getByRole("textbox", { name: "Message" }).fill("Tell me a story.");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("as far as it came").waitFor();
}

test("an answer that breaks off is kept, and says so: upstream gone, then the server gone", {
  skip: noBrowser,
}, async (context) => {
  const { origin, product, upstream } = await stageWithUpstream(context);
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.quiet);
  let seen: () => void = () => undefined;
  upstream.answerWith({
    events: [...pieces, new Promise<void>((done) => (seen = done))],
    ending: "cut",
  });
  await askInPlayground(page);
  seen();
  await page.getByText("The response was interrupted. The received part is kept").waitFor();
  assert.equal(await page.getByText("as far as it came").count(), 1);

  upstream.answerWith({ events: pieces, ending: "hang" });
  await page.getByRole("button", { name: "Regenerate" }).click();
  await page.getByText("Generating response…").waitFor();
  await page.getByText("as far as it came").waitFor();
  // The server died before it recorded the request.
  mishaps.expect(404);
  await product.running.stop("SIGKILL");
  await page
    .getByText("The connection was lost. The received part is kept. Try again when you are online.")
    .waitFor();
  assert.equal(await page.getByText("as far as it came").count(), 1);

  const again = await startProduct({ folder: product.folder, serve: ["--port", String(product.port)] });
  context.after(async () => void (await again.stop()));
  assert.equal(again.origin, origin);
  upstream.answerWith({
    events: [...pieces, chunk({ content: ", and to its end" }), chunk({}, "stop"), "[DONE]"],
  });
  await page.getByRole("button", { name: "Regenerate" }).click();
  await page.getByText("as far as it came, and to its end").waitFor();
  await page.getByText("The response is complete.").waitFor({ state: "attached" });
  assert.equal(await page.getByText("The connection was lost").count(), 0);
  assert.deepEqual(mishaps.list, []);
});

test("a model that is not there, and parts that come late", { skip: noBrowser }, async (context) => {
  const { origin } = await seededStage(context, 20);
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.operator);
  mishaps.expect(404);
  await page.goto("/models/aurora-minni");
  await page.getByRole("heading", { name: "Model not found" }).waitFor();
  await page.getByText("Similar models:").waitFor();
  await page.getByRole("link", { name: "Aurora Mini" }).click();
  await page.getByRole("heading", { name: "Aurora Mini" }).waitFor();
  await page.goto("/models/%F0%9F%8E%81%20%3Cb%3E");
  await page.getByText("🎁 <b>").waitFor();
  await page.getByRole("link", { name: "All models" }).last().click();
  await page.getByText("12 of 12 models").waitFor();

  // A click while the list is loading opens it once it has loaded.
  let release: () => void = () => undefined;
  const held = new Promise<void>((done) => (release = done));
  await page.route(/\/(?:menu|multi-select)-body-[^/]+\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`/operator/audit`);
  const filter = page.getByRole("combobox", { name: "Action" });
  await filter.click();
  assert.equal(await filter.getAttribute("aria-expanded"), "false");
  release();
  await page.getByRole("option", { name: "Signed in", exact: true }).click();
  await page.waitForURL(/action=signIn/);
  assert.deepEqual(mishaps.list, []);
});

test("a server that is gone is asked again, and what was typed is still there", {
  skip: noBrowser,
}, async (context) => {
  const { origin, product } = await seededStage(context, 20);
  const { page } = await visit(context, origin);
  await signIn(page, seededUsers.quiet);
  await page.goto("/keys?new=1");
  const name = page.getByLabel("Name", { exact: true });
  await name.fill("typed before the server went");
  await product.running.stop("SIGKILL");
  await page.getByRole("button", { name: "Create key" }).last().click();
  await page.getByText("Cannot reach the server. Your input is kept").waitFor();
  await page.getByText(/^Next try in \d+ s\.$/).waitFor();
  assert.equal(await name.inputValue(), "typed before the server went");

  const again = await startProduct({ folder: product.folder, serve: ["--port", String(product.port)] });
  context.after(async () => void (await again.stop()));
  await page.getByText("Cannot reach the server. Your input is kept").waitFor({ state: "detached" });
  assert.equal(await name.inputValue(), "typed before the server went");
  await page.getByRole("button", { name: "Create key" }).last().click();
  await page.getByText("Copy the key now").waitFor();
});

test("a part that did not load leaves the page as it is, and loads when asked again", {
  skip: noBrowser,
}, async (context) => {
  const { origin } = await seededStage(context, 60);
  const { page } = await visit(context, origin);
  await signIn(page, seededUsers.operator);
  let isAway = true;
  await page.route(/\/drawing-[^/]+\.js$/, (route) => (isAway ? route.abort() : route.continue()));
  await page.goto("/usage");
  const card = page.locator("figure").first();
  const again = card.getByRole("button", { name: "Try again" });
  await again.waitFor();
  isAway = false;
  await again.click();
  await card.locator("canvas").waitFor();
  assert.equal(await page.getByRole("heading", { name: "Usage", level: 1 }).count(), 1);
});
