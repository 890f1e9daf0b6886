/**
 * An operator's and a caller's day: prices changed in the list, a request looked at and repeated, charges by
 * day, and the console on a phone, on paper and by keyboard.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { createIdFactory } from "../../server/src/lib/id.ts";
import { systemClock } from "../../server/src/lib/time/clock.ts";
import { openStoreInProcess } from "../../server/src/store/open.ts";
import type { AttemptRecord, RequestRow } from "../../server/src/store/requests/shapes.ts";
import { requestRow } from "../../server/src/store/testing/behaviour/requests.ts";
import { becomes, closeBrowser, noBrowser, openTab, settled, visit } from "./browser.ts";
import { seededUsers } from "./seed/seed.ts";
import { addModel, type Stage, sharedStage, signIn } from "./stage.ts";

const stage = sharedStage(120);
const newId = createIdFactory(systemClock);
after(closeBrowser);

test("prices are changed in the list, one and many, previewed and saved together", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.operator);
  for (const id of ["price-a", "price-b", "price-c"]) await addModel(page, id, "1", "2");
  await page.goto("/operator/models?q=price-");
  await page.getByRole("button", { name: "Change prices" }).click();
  await page.getByLabel("Input price of price-a").fill("1.5");
  await page.getByText("was $1.00").waitFor();
  await page.getByLabel("Output price of price-a").fill("abc");
  await page.getByText("Enter an amount, for example 0.25.").waitFor();
  await page.getByRole("button", { name: "Save", disabled: true }).waitFor();
  await page.getByLabel("Output price of price-a").fill("2");

  await page.getByLabel("Select price-b").check();
  await page.getByLabel("Select price-c").check();
  await page.getByRole("button", { name: "Change selected prices" }).click();
  const bulk = page.getByRole("dialog", { name: "Change selected prices" });
  await bulk.getByLabel("Percent of the current price").fill("110");
  await bulk.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("status").filter({ hasText: "3 changes" }).waitFor();
  await becomes(() => page.getByLabel("Output price of price-c").inputValue(), "2.2");

  await page.getByRole("button", { name: "Preview" }).click();
  const preview = page.getByRole("dialog", { name: "Preview of price changes" });
  await preview
    .getByRole("row", { name: /price-a.*\$1\.00 → \$1\.50.*\+50\.0%.*200\.0% over cost/ })
    .waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("3 prices saved").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("row", { name: /price-a.*\$1\.50.*\$2\.00/ }).waitFor();
  await page.getByRole("row", { name: /price-b.*\$1\.10.*\$2\.20/ }).waitFor();
  assert.deepEqual(mishaps.list, []);
});

test("a model is disabled in three clicks, found by its status, and enabled; many are at once", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.operator);
  const ids = ["state-a", "state-b", "state-c"];
  for (const id of ids) await addModel(page, id, "1", "2");
  await page.goto("/operator/models?q=state-");
  await page
    .getByRole("row", { name: /state-a/ })
    .getByRole("link")
    .first()
    .click();
  await page.getByRole("button", { name: "Disable" }).click();
  await page
    .getByRole("dialog", { name: "Disable state-a?" })
    .getByRole("button", { name: "Disable" })
    .click();
  await page.getByText("Model disabled").waitFor();
  await page.getByRole("heading", { level: 1 }).getByText("Disabled").waitFor();
  await page.getByRole("link", { name: "View as caller" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Model enabled").waitFor();
  await page.getByRole("button", { name: "Disable", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  await page.getByRole("button", { name: "Enable", exact: true }).waitFor();

  await page.goto("/models?q=state-");
  await page.getByRole("link", { name: "state-b" }).first().waitFor();
  // At once, not a second later: the operator made the change in the process that shows the plaza.
  assert.equal(await page.getByRole("link", { name: "state-a" }).count(), 0);
  await page.goto("/operator/models?q=state-&status=disabled");
  await page.getByRole("row", { name: /state-a.*Disabled/ }).waitFor();
  await page.getByRole("row", { name: /state-b/ }).waitFor({ state: "detached" });

  await page.goto("/operator/models?q=state-&edit=prices");
  for (const id of ids) await page.getByLabel(`Select ${id}`).check();
  await page.getByRole("button", { name: "Disable selected" }).click();
  await page.getByText("2 models disabled").waitFor();
  for (const id of ids) await page.getByRole("row", { name: new RegExp(`${id}.*Disabled`) }).waitFor();
  await page.getByRole("button", { name: "Disable selected" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Enable selected" }).click();
  await page.getByText("3 models enabled").waitFor();
  for (const id of ids) await page.getByRole("row", { name: new RegExp(`${id}.*Available`) }).waitFor();
  assert.deepEqual(mishaps.list, []);
});

test("another user's change is shown before anything is overwritten, and nothing typed is lost", {
  skip: noBrowser,
}, async (context) => {
  const first = await visit(context, stage().origin);
  await signIn(first.page, seededUsers.operator);
  await addModel(first.page, "contested", "1", "2");
  const { page, mishaps } = await openTab(first);
  mishaps.expect(409);
  await page.goto("/operator/models?q=contested&edit=prices");
  await page.getByLabel("Input price of contested").fill("3");

  await first.page.bringToFront();
  await first.page.goto("/operator/models?q=contested&edit=prices");
  await first.page.getByLabel("Input price of contested").fill("7");
  await first.page.getByRole("button", { name: "Save" }).click();
  await first.page.getByText("1 price saved").waitFor();

  await page.bringToFront();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("1 model was changed by another user.").waitFor();
  assert.equal(await page.getByLabel("Input price of contested").inputValue(), "3");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByText("Their price: $7.00 input, $2.00 output").waitFor();
  await page.getByRole("button", { name: "Keep mine" }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("1 price saved").waitFor();
  assert.deepEqual(mishaps.list, []);
});

test("a request shows where its time went, and is repeated without a secret", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.operator);
  await page.goto("/requests?state=complete");
  await page.locator("tbody tr a").first().click();
  const table = page.getByRole("table", { name: "Timeline" });
  await table.waitFor({ state: "attached" });
  await becomes(() => table.textContent(), /Attempt 1/);
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const copied = (await page.evaluate("navigator.clipboard.readText()")) as string;
  assert.match(copied, /^# Plaza does not store prompts.*\ncurl .*\/v1\/chat\/completions/);
  assert.match(copied, /\$PLAZA_API_KEY/);
  await page.getByRole("link", { name: "Replay in playground" }).click();
  await page.waitForURL("**/playground?*");
  await page.getByText(/^Replay of req_/).waitFor();
  await page.getByRole("button", { name: "Dismiss" }).click();
  await page.getByText(/^Replay of req_/).waitFor({ state: "detached" });
  assert.deepEqual(mishaps.list, []);
});

/** Records a request of the first seeded account that three upstreams were asked for, and returns its id. */
async function recordThree({ product, seeded }: Stage, changes: Partial<RequestRow>): Promise<string> {
  const store = await openStoreInProcess({
    database: { kind: "sqlite", file: join(product.folder, "plaza.sqlite") },
    secretKey: readFileSync(join(product.folder, "secret.key")),
  });
  const id = newId("req");
  const tried = (upstreamId: string, fault: string | null, times: Partial<AttemptRecord>) => ({
    ...{ upstreamId, upstreamModel: "up-1", fault, status: null, durationMs: 0, ...times },
  });
  const attemptLog = [
    tried("first", "server", { startMs: 40, durationMs: 300 }),
    tried("second", "timeout", { startMs: 350, durationMs: 5_000 }),
    tried("third", null, { startMs: 5_360, durationMs: 2_640 }),
  ];
  const times = { createdAt: Date.now(), firstTokenMs: 6_360, durationMs: 8_000, queueMs: 40 };
  const accountId = seeded.accounts[0] ?? "";
  await store.recordRequest(requestRow(1, { ...times, id, accountId, attempts: 3, attemptLog, ...changes }));
  await store.close();
  return id;
}

/** The cells of the timeline's table, row by row. */
async function timelineOf(page: Page): Promise<string[][]> {
  const table = page.getByRole("table", { name: "Timeline" });
  await table.waitFor({ state: "attached" });
  const rows = await table.locator("tbody tr").all();
  return await Promise.all(rows.map((row) => row.locator("th, td").allTextContents()));
}

test("the timeline has the queue, each attempt with its upstream and result, and the first token", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin, { width: 390, height: 780 });
  await signIn(page, seededUsers.operator);
  await page.goto(`/operator/requests/${await recordThree(stage(), {})}`);
  assert.deepEqual(await timelineOf(page), [
    ["Queue", "Queue", "0 ms", "40 ms", "40 ms"],
    ["Attempt 1, first · Failed", "No response used", "40 ms", "340 ms", "300 ms"],
    ["Attempt 2, second · Timed out", "No response used", "350 ms", "5.4 s", "5 s"],
    ["Attempt 3, third", "Until first token", "5.4 s", "6.4 s", "1 s"],
    ["Attempt 3, third", "Generation", "6.4 s", "8 s", "1.6 s"],
  ]);
  await page.getByText("Times count from the arrival of the request.").waitFor();
  await becomes(() => page.evaluate("document.documentElement.scrollWidth"), 390);

  const plain = await recordThree(stage(), {
    isStream: false,
    firstTokenMs: null,
    attempts: 1,
    attemptLog: null,
  });
  await page.goto(`/operator/requests/${plain}`);
  assert.deepEqual(await timelineOf(page), [
    ["Queue", "Queue", "0 ms", "40 ms", "40 ms"],
    ["Attempt 1, main", "Until the whole response", "40 ms", "8 s", "8 s"],
  ]);

  const unrecorded = { attempts: 1, attemptLog: null, queueMs: null };
  await page.goto(`/operator/requests/${await recordThree(stage(), unrecorded)}`);
  await page.getByText("When attempts began was not recorded for this request").waitFor();
  assert.deepEqual(await timelineOf(page), [
    ["Attempt 1", "Until first token", "0 ms", "6.4 s", "6.4 s"],
    ["Attempt 1", "Generation", "6.4 s", "8 s", "1.6 s"],
  ]);
  assert.deepEqual(mishaps.list, []);
});

test("charges are grouped by day and model, add up, and are printed without the frame", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin, { theme: "dark" });
  await signIn(page, seededUsers.operator);
  await page.goto("/billing");
  await page.getByText("Charges by day and model", { exact: true }).click();
  const days = page.locator("details");
  await days.first().getByRole("link").first().waitFor();
  await days.nth(5).waitFor();
  await page.getByText("Charges in this period").waitFor();
  await page.emulateMedia({ media: "print" });
  await page.getByRole("navigation", { name: "Main menu" }).waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Print statement" }).waitFor({ state: "hidden" });
  // The browser tells the page of the medium a moment later.
  const background = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
  await becomes(background, "rgb(255, 255, 255)");
  await days.nth(3).locator("tbody tr").first().waitFor();
  await page.emulateMedia({ media: "screen" });
  await days.first().getByRole("link").first().click();
  await page.waitForURL("**/requests?*");
  await page.locator("tbody tr").first().waitFor();
  assert.deepEqual(mishaps.list, []);
});

test("on a phone the pages used most are below, filters fold, and lists are no longer than a few screens", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin, { width: 390, height: 780 });
  await signIn(page, seededUsers.operator);
  await page.goto("/operator/requests");
  await page.locator("tbody tr").nth(5).waitFor();
  await settled(page);
  const height = (await page.evaluate("document.documentElement.scrollHeight")) as number;
  assert.ok(height < 5_000, `${height} pixels`);
  await page.goto("/requests");
  const bar = page.getByRole("navigation", { name: "Quick menu" });
  await becomes(() => bar.getByRole("link").count(), 5);
  await page.getByRole("button", { name: "Filters" }).click();
  await page.getByRole("button", { name: "Filters", expanded: true }).waitFor();
  await bar.getByRole("link", { name: "Keys" }).click();
  await page.waitForURL("**/keys");
  await bar.getByRole("button", { name: "More" }).click();
  await page.getByRole("dialog").getByRole("link", { name: "Members" }).click();
  await page.waitForURL("**/members");
  assert.deepEqual(mishaps.list, []);
});

test("the menu fits a window of 700 pixels, and the first Tab leads to the page's first control", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin, { width: 1_280, height: 700 });
  await signIn(page, seededUsers.operator);
  await page.goto("/keys");
  const nav = page.getByRole("navigation", { name: "Main menu" });
  await nav.getByRole("link", { name: "Settings" }).waitFor();
  await becomes(() => nav.evaluate((element) => element.scrollHeight - element.clientHeight), 0);
  await page.locator("tbody tr").first().waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await becomes(() => page.evaluate("document.activeElement?.textContent"), "Create key");
  assert.deepEqual(mishaps.list, []);
});

test("the console can be installed: its manifest and every icon are there, of the right type", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await page.goto("/sign-in");
  const link = await page.locator("link[rel=manifest]").getAttribute("href");
  const answer = await page.request.get(link ?? "");
  assert.equal(answer.headers()["content-type"], "application/manifest+json; charset=utf-8");
  const manifest = (await answer.json()) as { icons: { src: string; type: string; sizes: string }[] };
  assert.ok(manifest.icons.some(({ sizes }) => sizes === "512x512"));
  for (const { src, type } of manifest.icons) {
    const icon = await page.request.get(src);
    assert.deepEqual([icon.status(), icon.headers()["content-type"]], [200, type], src);
  }
  assert.deepEqual(mishaps.list, []);
});
