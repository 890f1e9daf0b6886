/**
 * What callers do in the console: create and use a key, run out of balance, find a model, revoke a key,
 * redeem a code.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import OpenAI from "openai";
import { becomes, closeBrowser, noBrowser, visit } from "./browser.ts";
import { seededUsers } from "./seed/seed.ts";
import { makeKey, sharedStage, signIn } from "./stage.ts";

/** Shared by all tests of the file, which use different items. */
const stage = sharedStage(400);
after(closeBrowser);

test("a key made in the console works with the official SDK, and its call and charge are there", {
  skip: noBrowser,
}, async (context) => {
  const { origin } = stage();
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.quiet);
  const secret = await makeKey(page, "walk");
  const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey: secret });
  const { data, response } = await client.chat.completions
    .create({ model: "demo", messages: [{ role: "user", content: "/slow 0\n/echo from the walk" }] })
    .withResponse();
  assert.equal(data.choices[0]?.message.content, "from the walk");
  const requestId = response.headers.get("x-request-id") ?? "";
  const charge = response.headers.get("x-plaza-charge") ?? "";
  await page.goto(`/requests/${requestId}`);
  await page.getByText(requestId).first().waitFor();
  await page.getByText(charge.replace(/0+$/, "")).first().waitFor();
  await becomes(() => page.locator("main").textContent(), /demo/);
  await page.goto("/requests");
  await page.getByText("walk", { exact: true }).first().waitFor();
  assert.deepEqual(mishaps.list, []);
});

test("out of balance: the playground says so, a top-up mends it", { skip: noBrowser }, async (context) => {
  const { origin, product, seeded } = stage();
  const { page, mishaps } = await visit(context, origin);
  mishaps.expect(402);
  await signIn(page, seededUsers.broke);
  await page.goto("/playground?model=cirrus%2Fcirrus-4-opus");
  await page.getByRole("textbox", { name: "Message" }).fill("Hello?");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("The balance is too low for this request").waitFor();
  await page.getByRole("link", { name: "Open billing" }).waitFor();
  await product.command(["topup", seeded.accounts[2] as string, "5.00"]);
  await page.goto("/playground?model=demo");
  await page.getByRole("textbox", { name: "Message" }).fill("/slow 0\n/echo paid for");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("paid for", { exact: true }).last().waitFor();
  await page.goto("/billing");
  await page.getByText("Top-up").first().waitFor();
  assert.deepEqual(mishaps.list, []);
});

test("the plaza's search forgives typing errors, and its filters live in the address", {
  skip: noBrowser,
}, async (context) => {
  const { origin } = stage();
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.member);
  await page.goto("/models");
  await page.getByText("12 of 12 models").waitFor();
  await page.getByRole("searchbox", { name: "Search models" }).fill("auroraa");
  await page.getByText("3 of 12 models").waitFor();
  await page.reload();
  await page.getByText("3 of 12 models").waitFor();
  await page.waitForURL(/auroraa/);
  await page.getByRole("searchbox", { name: "Search models" }).fill("cirrus4sonet");
  await page.getByText("1 of 12 models").waitFor();
  await page.getByRole("searchbox", { name: "Search models" }).fill("");
  await page.getByText("12 of 12 models").waitFor();
  await page.getByRole("checkbox", { name: "Halo, 2 models" }).check();
  await page.getByText("2 of 12 models").waitFor();
  // Another maker is an alternative; its count says how many it would add.
  await page.getByRole("checkbox", { name: "Aurora Labs, 3 models" }).check();
  await page.getByText("5 of 12 models").waitFor();
  await page.getByRole("checkbox", { name: "Reasoning, 2 models" }).check();
  await page.getByText("2 of 12 models").waitFor();
  await page.reload();
  await page.getByText("2 of 12 models").waitFor();
  await page.getByRole("button", { name: "Remove filter: Maker: Halo" }).click();
  await page.getByText("1 of 12 models").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("link", { name: "Aurora Mini" }).first().click();
  await page.getByRole("heading", { name: "Aurora Mini" }).waitFor();
  assert.deepEqual(mishaps.list, []);
});

test("a card is one link with its other controls above it; on phones the filters are a sheet", {
  skip: noBrowser,
}, async (context) => {
  const { origin } = stage();
  const { page, mishaps } = await visit(context, origin, { width: 390 });
  await signIn(page, seededUsers.member);
  await page.goto("/models");
  const card = page.getByRole("article").filter({ hasText: "Aurora Nano" });
  await card.getByRole("checkbox", { name: "Compare Aurora Nano" }).check();
  await page.waitForURL(/compare=aurora-nano/);
  await card.getByRole("button", { name: "Copy ID" }).click();
  await card.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await card.getByRole("link").count(), 1);
  await page.getByRole("button", { name: "Filters", exact: true }).click();
  const sheet = page.getByRole("dialog", { name: "Filters" });
  await sheet.getByRole("checkbox", { name: "Cirrus, 2 models" }).check();
  await sheet.getByRole("button", { name: "Show 2 models" }).click();
  await page.getByRole("button", { name: "Filters (1)" }).waitFor();
  // A press beside the text of a card is one on its link.
  await page
    .getByRole("article")
    .filter({ hasText: "Cirrus 4 Opus" })
    .click({ position: { x: 150, y: 140 } });
  await page.getByRole("heading", { name: "Cirrus 4 Opus" }).waitFor();
  assert.deepEqual(mishaps.list, []);
});

test("the table is sorted by its heads with unknown values last, and remembers its columns", {
  skip: noBrowser,
}, async (context) => {
  const { origin } = stage();
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.member);
  await page.goto("/models?view=table");
  const names = page.locator("tbody th a");
  await page.getByRole("button", { name: "Input price" }).click();
  await page.waitForURL(/sort=input/);
  const ends = async () => [await names.first().textContent(), await names.last().textContent()];
  await becomes(ends, ["Open 8B", "Tomorrow 1"]);
  await page.getByRole("button", { name: "Input price" }).click();
  await page.waitForURL(/sort=-input/);
  await becomes(ends, ["Cirrus 4 Opus", "Tomorrow 1"]);
  await page.getByRole("button", { name: "Columns" }).click();
  const dialog = page.getByRole("dialog", { name: "Columns" });
  // Without its own column, the id stands below the name.
  assert.equal(await page.locator("tbody th code").count(), await names.count());
  await dialog.getByRole("checkbox", { name: "ID", exact: true }).check();
  await dialog.getByRole("checkbox", { name: "Context", exact: true }).uncheck();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("columnheader", { name: "ID", exact: true }).waitFor();
  assert.equal(await page.getByRole("columnheader", { name: "Context" }).count(), 0);
  assert.equal(await page.locator("tbody th code").count(), 0);
  assert.deepEqual(mishaps.list, []);
});

test("up to four models are compared: the best values say so, and differences can be shown alone", {
  skip: noBrowser,
}, async (context) => {
  const { origin } = stage();
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.member);
  await page.goto("/models?view=table");
  for (const name of ["Aurora Mini", "Aurora Large", "Halo 2.5 Pro", "Deep V3"])
    await page.getByRole("checkbox", { name: `Compare ${name}` }).check();
  await page.getByRole("checkbox", { name: "Compare Aurora Nano", disabled: true }).waitFor();
  await page.getByRole("link", { name: "Compare models" }).click();
  await page.getByRole("columnheader", { name: "Deep V3" }).waitFor();
  const input = page.getByRole("row", { name: /^Input price/ });
  await input.getByRole("cell", { name: "$0.25 Best" }).waitFor();
  assert.equal(await input.getByText("Best").count(), 1);
  await page.getByRole("row", { name: /^Operations/ }).waitFor();
  await page.getByRole("switch", { name: "Differences only" }).check();
  await page.getByRole("row", { name: /^Operations/ }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Remove Deep V3 from the comparison" }).click();
  await page.getByRole("columnheader", { name: "Deep V3" }).waitFor({ state: "detached" });
  await page.getByRole("combobox", { name: "Add model" }).waitFor();
  await page.reload();
  await page.getByRole("switch", { name: "Differences only", checked: true }).waitFor();
  assert.deepEqual(mishaps.list, []);
});

test("the chart's points are reached by the keyboard, follow the filters, and stand in a table", {
  skip: noBrowser,
}, async (context) => {
  const { origin } = stage();
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.member);
  await page.goto("/models?view=chart&y=first");
  const chart = page.getByRole("group", { name: /^Chart of Output price/ });
  const points = chart.getByRole("link");
  await points.nth(1).waitFor();
  const all = await points.count();
  await becomes(() => chart.locator('a[tabindex="0"]').count(), 1);
  await points.first().focus();
  await page.keyboard.press("ArrowRight");
  await chart.locator('a[tabindex="0"]:focus').waitFor();
  const second = (await points.nth(1).getAttribute("aria-label")) ?? "";
  assert.match(second, /^.+: .+, .+, .+$/);
  await becomes(() => chart.locator("a:focus").getAttribute("aria-label"), second);
  await page.getByText("Show values as table").click();
  await page.getByRole("table", { name: "Show values as table" }).waitFor();
  await page.getByRole("searchbox", { name: "Search models" }).fill("Aurora");
  await page.waitForURL(/q=Aurora/);
  await page.getByText("3 of 12 models").waitFor();
  await becomes(async () => (await points.count()) < all, true);
  await points.first().focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/models\/aurora-/);
  assert.deepEqual(mishaps.list, []);
});

test("a revoked key is refused within a second", { skip: noBrowser }, async (context) => {
  const { origin } = stage();
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.quiet);
  const secret = await makeKey(page, "to be revoked");
  const models = () => fetch(`${origin}/v1/models`, { headers: { authorization: `Bearer ${secret}` } });
  assert.equal((await models()).status, 200);
  await page.getByRole("button", { name: "More actions for to be revoked" }).click();
  await page.getByRole("menuitem", { name: "Revoke key" }).click();
  const answered = page.waitForResponse(/\/revoke$/);
  await page
    .getByRole("alertdialog")
    .or(page.getByRole("dialog"))
    .getByRole("button", { name: "Revoke key" })
    .click();
  await answered;
  const since = performance.now();
  let status = 200;
  while (status === 200 && performance.now() - since < 5_000) status = (await models()).status;
  assert.equal(status, 401);
  context.diagnostic(`refused after ${(performance.now() - since).toFixed(0)} ms`);
  assert.deepEqual(mishaps.list, []);
});

test("a code made by the operator is redeemed once", { skip: noBrowser }, async (context) => {
  const { origin } = stage();
  const operator = await visit(context, origin);
  await signIn(operator.page, seededUsers.operator);
  const session = (await (await operator.page.request.get("/api/session")).json()) as { csrfToken: string };
  const made = await operator.page.request.post("/api/operator/code-batches", {
    data: { count: 1, amount: "7.50", note: "walk" },
    headers: { "x-plaza-csrf": session.csrfToken },
  });
  const { codes } = (await made.json()) as { codes: string[] };
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.quiet);
  await page.goto("/billing");
  await page.getByLabel("Redemption code").fill(String(codes[0]).toLowerCase().replaceAll("-", " "));
  await page.getByRole("button", { name: "Redeem code" }).click();
  await page.getByText("$7.50 added to the balance").waitFor();
  mishaps.expect(409);
  await page.getByLabel("Redemption code").fill(String(codes[0]));
  await page.getByRole("button", { name: "Redeem code" }).click();
  await page.getByText("This account redeemed the code on").first().waitFor();
  assert.deepEqual(mishaps.list, []);
});
