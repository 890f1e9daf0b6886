/**
 * A model's operations in the console: set by the operator, shown and filtered in the plaza, left out of
 * chats.
 */
import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { becomes, closeBrowser, noBrowser, visit } from "./browser.ts";
import { seededUsers } from "./seed/seed.ts";
import { addModel, sharedStage, signIn } from "./stage.ts";

// Enough that each account has calls of every model; which ones depends on the time.
const stage = sharedStage(200);
after(closeBrowser);

/** The embeddings model that the first test makes in the form. */
const vectors = "vectors-of-the-walk";

/** Makes that model for a test that runs alone. */
async function haveVectors(context: TestContext): Promise<void> {
  const { page } = await visit(context, stage().origin);
  await signIn(page, seededUsers.operator);
  const answer = await page.request.get("/api/operator/catalog");
  const { models } = (await answer.json()) as { models: { id: string }[] };
  if (!models.some(({ id }) => id === vectors))
    await addModel(page, vectors, "0.02", "0", { operations: ["embeddings"] });
}

/** Calls it with a key of the second account. */
async function callVectors(context: TestContext): Promise<void> {
  await haveVectors(context);
  const { origin, seeded } = stage();
  const answer = await fetch(`${origin}/v1/embeddings`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${seeded.keys["production"]}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ model: vectors, input: "a red cat sleeps" }),
  });
  assert.equal(answer.status, 200, await answer.text());
}

/** Selects in a multi-select, and closes it. */
async function choose(page: Page, list: string, ...names: readonly string[]): Promise<void> {
  await page.getByRole("combobox", { name: list }).click();
  for (const name of names) await page.getByRole("option", { name }).click();
  await page.keyboard.press("Escape");
}

test("an embeddings model is made, shown as one, found by it, and offered for no chat", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.operator);
  await page.goto("/operator/models?view=new");
  await page.getByLabel("ID", { exact: true }).fill(vectors);
  await choose(page, "Operations", "Embeddings", "Chat");
  await page.getByLabel("Input", { exact: true }).fill("0.02");
  await page.getByLabel("Output", { exact: true }).fill("0");
  await page.getByRole("combobox", { name: "Upstream" }).click();
  await page.getByRole("option", { name: "demo" }).click();
  await page.getByLabel("Upstream model ID").fill("demo");
  await page.getByRole("button", { name: "Add model" }).click();
  await page.waitForURL(/\/operator\/models\/vectors-of-the-walk$/);
  await becomes(() => page.getByRole("combobox", { name: "Operations" }).textContent(), /Embeddings/);

  await page.goto("/operator/models");
  await choose(page, "Operation", "Embeddings");
  await page.getByText(vectors).first().waitFor();
  await page.getByText("Aurora Mini").first().waitFor({ state: "detached" });

  await page.goto("/models");
  const card = page.getByRole("article").filter({ hasText: vectors });
  await card.getByText("Embeddings", { exact: true }).waitFor();
  await page.getByRole("checkbox", { name: "Embeddings, 1 model" }).check();
  await page.waitForURL(/operation=embeddings/);
  await page.getByRole("article").filter({ hasText: "Aurora Mini" }).waitFor({ state: "detached" });
  await becomes(() => page.getByRole("article").count(), 1);
  await page.goto("/models?view=table&operation=embeddings");
  await page.getByRole("row").filter({ hasText: vectors }).getByText("Embeddings").waitFor();

  await page.goto(`/models/${vectors}`);
  await page.getByText("This model does not support chat").waitFor();
  await page.getByText("POST /v1/embeddings").waitFor();
  assert.equal(await page.getByRole("link", { name: "Open in playground" }).count(), 0);
  await page.getByRole("tab", { name: "Code" }).click();
  const code = page.getByRole("tabpanel");
  await code.getByText("/v1/embeddings'").first().waitFor();
  assert.equal(await code.getByText("Streaming", { exact: true }).count(), 0);
  await code.getByText("Python").first().click();
  await code.getByText("client.embeddings.create").first().waitFor();
  await page.getByRole("tab", { name: "Cost" }).waitFor();

  await page.goto("/compare?model=vectors-of-the-walk&model=demo");
  await page.getByRole("row").filter({ hasText: "Operations" }).getByText("Embeddings").waitFor();

  await page.goto("/playground");
  await page.getByRole("combobox", { name: "Model" }).first().click();
  await page.getByRole("option", { name: "Aurora Mini" }).waitFor();
  assert.equal(await page.getByRole("option", { name: vectors }).count(), 0);
  assert.deepEqual(mishaps.list, []);
});

test("texts are tried: how many vectors of which size, what they cost, and which are alike", {
  skip: noBrowser,
}, async (context) => {
  await haveVectors(context);
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.quiet);
  await page.goto(`/models/${vectors}`);
  await page.getByLabel("Text", { exact: true }).fill("a red cat sleeps\nthe red cat sleeps\nprices fell");
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText(/^3 vectors of 1,536 numbers · \d+ tokens · \$/).waitFor();
  const rows = page.getByRole("tabpanel").getByRole("listitem");
  await becomes(() => rows.count(), 3);
  const near = async (row: number) =>
    Number((await rows.nth(row).locator("span").first().textContent()) ?? "");
  assert.equal(await near(0), 1);
  assert.ok((await near(1)) > (await near(2)));
  assert.deepEqual(mishaps.list, []);
});

test("a model for legacy completions says where it is called, and gives the code", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.operator);
  await page.goto("/operator/models?view=new");
  await page.getByLabel("ID", { exact: true }).fill("text-of-the-walk");
  await choose(page, "Operations", "Text completion", "Chat");
  await page.getByLabel("Input", { exact: true }).fill("0.02");
  await page.getByLabel("Output", { exact: true }).fill("0.04");
  await page.getByRole("combobox", { name: "Upstream" }).click();
  await page.getByRole("option", { name: "demo" }).click();
  await page.getByLabel("Upstream model ID").fill("demo");
  await page.getByRole("button", { name: "Add model" }).click();
  await page.waitForURL(/\/operator\/models\/text-of-the-walk$/);

  await page.goto("/models/text-of-the-walk");
  await page.getByText("POST /v1/completions").waitFor();
  assert.equal(await page.getByRole("tab", { name: "Try model" }).count(), 0);
  await page.getByRole("tab", { name: "Code" }).click();
  const code = page.getByRole("tabpanel");
  await code.getByText("/v1/completions'").first().waitFor();
  await code.getByText("Python").first().click();
  await code.getByText("client.completions.create").first().waitFor();
  assert.deepEqual(mishaps.list, []);
});

test("a call for what a model is not for is in the list of requests, which is filtered by operation", {
  skip: noBrowser,
}, async (context) => {
  await callVectors(context);
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.quiet);
  await page.goto("/requests");
  await page.getByRole("row").nth(1).waitFor();
  await choose(page, "Operation", "Chat");
  await page.waitForURL(/operation=chat/);
  await page.getByRole("row").nth(1).waitFor();
  await page.getByRole("row").nth(1).getByRole("link").first().click();
  await page.getByText("Operation", { exact: true }).waitFor();
  await page.goto("/requests?operation=embeddings");
  await page.getByRole("row").filter({ hasText: vectors }).first().waitFor();
  await page.goto("/requests?operation=rerank");
  await page.getByText("No matching requests").waitFor();
  assert.deepEqual(mishaps.list, []);
});

test("usage is grouped by operation, in the table and in the chart; a row leads to its requests", {
  skip: noBrowser,
}, async (context) => {
  await callVectors(context);
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.quiet);
  await page.goto("/usage?measure=requests");
  await page.getByRole("tab", { name: "By operation" }).click();
  await page.waitForURL(/view=operation/);
  const row = page.getByRole("row").filter({ hasText: "Embeddings" });
  await row.waitFor();
  await page.getByRole("row").filter({ hasText: "Chat" }).waitFor();
  await page.getByRole("combobox", { name: "Group by" }).selectOption("operation");
  await page.waitForURL(/split=operation/);
  await choose(page, "Operation", "Embeddings");
  await page.waitForURL(/operation=embeddings/);
  await page.getByRole("row").filter({ hasText: "Chat" }).waitFor({ state: "detached" });
  await row.getByRole("link").first().click();
  await page.waitForURL(/\/requests\?.*operation=embeddings/);
  await page.getByRole("row").filter({ hasText: vectors }).first().waitFor();
  assert.deepEqual(mishaps.list, []);
});
