/**
 * The cost explorer: read by mouse and keyboard, grouped, kept, shared, downloaded, and followed to
 * requests.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { becomes, closeBrowser, noBrowser, settled, visit } from "./browser.ts";
import { seededUsers } from "./seed/seed.ts";
import { sharedStage, signIn } from "./stage.ts";

/** Shared by all tests of the file, which change nothing but their own browser and labels of a key. */
const stage = sharedStage(500);
after(closeBrowser);

/** Dollars in a text, as a number: for sums of short figures, which are rounded. */
const dollars = (text: string): number => Number(/\$([\d,.]+)/.exec(text)?.[1]?.replaceAll(",", ""));

const chart = (page: Page) => page.getByRole("slider", { name: /Spend by/ });

/** Sets the window's pointer on a chart until it reads a point beyond the fifth: it is drawn late. */
async function pointAt(page: Page, day: () => Promise<number>): Promise<void> {
  const box = (await chart(page).boundingBox()) ?? assert.fail();
  let moves = 0;
  const isPointed = async () => {
    moves += 1;
    await page.mouse.move(box.x + box.width / 2 + (moves % 2), box.y + box.height / 2);
    return (await day()) > 5;
  };
  await becomes(isPointed, true);
}

test("usage is explored by keyboard, grouped, and followed to the requests behind a figure", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.operator);
  await page.goto("/usage");
  await page.getByRole("link", { name: "Explore" }).click();
  await page.getByRole("heading", { name: "Explore usage" }).waitFor();
  await page.getByRole("heading", { name: "Spend by model" }).waitFor();
  // The last three days, read one after the other: each says its total and every part of it.
  await chart(page).press("Home");
  const day = async () => Number(await chart(page).getAttribute("aria-valuenow"));
  await becomes(day, 0);
  const first = await chart(page).getAttribute("aria-valuetext");
  await page.keyboard.press("ArrowRight");
  await becomes(day, 1);
  assert.notEqual(await chart(page).getAttribute("aria-valuetext"), first);
  // A pointer that passes by does not end it.
  await pointAt(page, day);
  await page.mouse.move(0, 0);
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  await page.keyboard.press("ArrowRight");
  assert.ok((await day()) > 5);
  await page.keyboard.press("Home");
  for (let days = 0; days < 25; days++) await page.keyboard.press("ArrowRight");
  await becomes(day, 25);
  const busy = (await chart(page).getAttribute("aria-valuetext")) ?? "";
  const [, ...parts] = [...busy.matchAll(/\$[\d,.]+/g)].map(([text]) => dollars(text));
  const total = dollars(busy);
  const sum = parts.reduce((whole, part) => whole + part, 0);
  assert.ok(total > 0 && Math.abs(sum - total) < 0.02, `${busy}: ${sum}`);
  // What is seen is what is read, and the legend names each colour once.
  await page
    .getByRole("figure")
    .getByRole("cell", { name: "Total" })
    .or(page.getByText("Total").first())
    .waitFor();
  const legend = await page.locator("figure li bdi").allTextContents();
  assert.deepEqual(legend, [...new Set(legend)]);
  assert.ok(legend.length > 1 && legend.length <= 8);
  await page.keyboard.press("Escape");

  await page.getByRole("combobox", { name: "Group by" }).selectOption("key");
  await page.getByRole("heading", { name: "Spend by key" }).waitFor();
  await page.waitForURL(/by=key/);
  const table = page.getByRole("table", { name: "Key" });
  const row = table.locator("tbody tr").first();
  const requests = await row.getByRole("cell").nth(3).innerText();
  await row.getByRole("link").click();
  await page.getByRole("heading", { name: "Requests", exact: true }).waitFor();
  await page.waitForURL(/\/requests\?.*key=key_/);
  const listed = new URL(page.url()).searchParams;
  const { origin } = stage();
  const answer = await page.request.get(
    `${origin}/api/usage?from=2020-01-01T00:00:00Z&to=2025-01-01T00:00:00Z&key=${listed.get("key")}`,
  );
  assert.equal(answer.status(), 200);
  assert.ok(Number(requests.replaceAll(",", "")) > 0);
  assert.deepEqual(mishaps.list, []);
});

test("keys get a project and tags, usage is grouped by them, and a group leads to its requests", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.operator);
  await page.goto("/usage/explore?by=key");
  const first = page.getByRole("table", { name: "Key" }).locator("tbody tr").first();
  const [name = "", requests = ""] = await Promise.all([
    first.getByRole("cell").first().innerText(),
    first.getByRole("cell").nth(3).innerText(),
  ]);
  await page.goto("/keys");
  await page.getByRole("link", { name }).first().click();
  await page.getByLabel("Project").fill("search");
  await page.getByLabel("Tags").fill("batch\nnightly");
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByText("Changes saved").waitFor();
  for (const [by, label, heading] of [
    ["project", "search", "Spend by project"],
    ["tag", "nightly", "Spend by tag"],
  ] as const) {
    await page.goto("/usage/explore");
    await page.getByRole("combobox", { name: "Group by" }).selectOption(by);
    await page.getByRole("heading", { name: heading }).waitFor();
    const row = page.getByRole("row", { name: label });
    await becomes(() => row.getByRole("cell").nth(3).innerText(), requests);
    await becomes(() => page.getByText("groups by tag overlap").count(), by === "tag" ? 1 : 0);
    await row.getByRole("link").click();
    await page.getByRole("heading", { name: "Requests", exact: true }).waitFor();
    await page.waitForURL((url) => url.searchParams.get(by) === label);
  }
  await page.goto("/keys?tag=batch");
  await page.getByText("search · batch · nightly").waitFor();
  assert.deepEqual(mishaps.list, []);
});

test("a view is saved under a name, shared by a link, downloaded as CSV and as a picture", {
  skip: noBrowser,
}, async (context) => {
  const { origin } = stage();
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.operator);
  await page.goto("/operator/usage/explore?by=account&measure=requests");
  await page.getByRole("heading", { name: "Requests by account" }).waitFor();
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("menuitem", { name: "Save this view" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("By account");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByText("View saved").waitFor();
  await page.goto("/operator/usage/explore");
  await page.getByRole("heading", { name: "Spend by model" }).waitFor();
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("menuitem", { name: "By account" }).click();
  await page.getByRole("heading", { name: "Requests by account" }).waitFor();
  await page.waitForURL(/by=account&measure=requests|measure=requests&by=account/);

  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("menuitem", { name: "Copy link" }).click();
  await page.getByText("Link copied").waitFor();
  const link = new URL(await page.evaluate<string>("navigator.clipboard.readText()"));
  assert.equal(link.pathname, "/operator/usage/explore");
  assert.equal(link.searchParams.get("zone"), "Europe/Berlin", "others see the same days");

  const address = await page.getByRole("link", { name: "Export CSV" }).getAttribute("href");
  const csv = await (await page.request.get(`${origin}${address}`)).text();
  const [head, ...lines] = csv.trim().split("\r\n");
  assert.match(head ?? "", /^day,account,name,requests,/);
  const counted = lines.reduce((sum, line) => sum + Number(line.split(",")[3]), 0);
  const shown = async () => Number((await page.locator("tfoot td").nth(5).innerText()).replaceAll(",", ""));
  await becomes(shown, counted, "the file has what the table has");

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save picture (PNG)" }).click();
  const picture = await download;
  assert.equal(picture.suggestedFilename(), "requests-by-account.png");
  const bytes = readFileSync(await picture.path());
  assert.equal(bytes.subarray(1, 4).toString(), "PNG");
  assert.ok(bytes.readUInt32BE(16) > 300 && bytes.length > 2_000, "a picture with something in it");
  assert.deepEqual(mishaps.list, []);
});

test("latency is shown as percentiles of a quarter at most; a longer one offers a shorter", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin, { language: "zh-CN" });
  await signIn(page, seededUsers.member);
  await page.goto("/usage/explore?period=12m");
  await page.getByRole("heading", { name: "用量分析" }).waitFor();
  await page.getByText("延迟", { exact: true }).click();
  await page.getByText("最多选择 92 天").waitFor();
  await page.getByRole("button", { name: "显示 7 天" }).click();
  await page.getByRole("heading", { name: "首 token 时间" }).waitFor();
  await page.getByText("p99", { exact: true }).first().waitFor();
  await page.waitForURL(/period=7d/);
  await settled(page);
  assert.deepEqual(mishaps.list, []);
});

test("the usage page shows percentiles, and its chart is read by keyboard", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.member);
  await page.goto("/usage?measure=latency&zone=UTC");
  await page.getByRole("list", { name: "Time to first token: requests by time" }).waitFor();
  await page.getByText(/^p95 .* · p99 /).waitFor();
  const lines = page.getByRole("slider", { name: "Latency by day" });
  await lines.focus();
  const named = page.getByRole("figure").getByText("Duration p95");
  await becomes(() => named.count(), 1, "the legend alone");
  await page.keyboard.press("End");
  const read = () => lines.getAttribute("aria-valuetext");
  const times = /^\w+ \d+: First token p50 .+, First token p95 .+, Duration p50 .+, Duration p95 /;
  await becomes(read, times);
  await named.nth(1).waitFor();
  const last = await read();
  await page.keyboard.press("ArrowLeft");
  await becomes(async () => (await read()) !== last, true);
  await page.keyboard.press("Escape");
  await becomes(() => named.count(), 1, "Escape leaves the chart");
  assert.deepEqual(mishaps.list, []);
});

test("on paper a chart has the light colours and a table its heads, in any theme", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin, { theme: "dark" });
  await signIn(page, seededUsers.member);
  await page.goto("/usage");
  await page.locator("figure canvas").first().waitFor();
  /** Whether the chart has pixels of the first series' colour in each theme: light, dark. */
  const colours = () =>
    page.evaluate(`(() => {
      const canvas = document.querySelector("figure canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const pixels = new Uint32Array(data.buffer);
      const word = (red, green, blue) => (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
      return [word(0x44, 0x77, 0xaa), word(0x77, 0xaa, 0xdd)].map((one) => pixels.includes(one));
    })()`);
  await becomes(colours, [false, true]);
  await page.emulateMedia({ media: "print" });
  await becomes(colours, [true, false]);
  // The heads of columns are buttons, of which others are not printed.
  await page.getByRole("columnheader", { name: "Requests" }).getByText("Requests").waitFor();
  await page.emulateMedia({ media: "screen" });
  await becomes(colours, [false, true]);
  assert.deepEqual(mishaps.list, []);
});

test("where times are of a sample, the pages say so, with its error", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin, { width: 390, height: 780 });
  await signIn(page, seededUsers.member);
  // A sample needs more requests than a test records: only this field is made up.
  const sample = {
    oneIn: 8,
    firstToken: { p50ErrorMs: 3, p95ErrorMs: 12 },
    duration: { p50ErrorMs: 20, p95ErrorMs: null },
  };
  await page.route("**/api/usage/latency?*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), sample } });
  });
  const note =
    "With more than 100,000 requests, times are of a sample: one request in 8, all those in stretches of time that are spread over the period. With 95% confidence, the p95 of all requests differs by at most 12 ms (first token) and an unknown time (duration).";
  await page.goto("/usage/explore?measure=latency&period=7d&zone=UTC");
  await page.getByText(note).waitFor();
  await page.getByText("Requests in the sample").first().waitFor();
  await page.goto("/usage?measure=latency&zone=UTC");
  await page.getByText(note).waitFor();
  await page.getByText(/^p95 .* · sample$/).waitFor();
  await becomes(() => page.evaluate("document.documentElement.scrollWidth"), 390);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto("/usage?view=model&zone=UTC");
  await page
    .getByTitle(/Of a sample of \d+ requests$/)
    .first()
    .waitFor();
  await page.unrouteAll({ behavior: "wait" });
  await page.reload();
  await page
    .getByTitle(/Of \d+ requests$/)
    .first()
    .waitFor();
  assert.equal(await page.getByTitle(/Of a sample of/).count(), 0);
  assert.deepEqual(mishaps.list, []);
});

test("an explorer that cannot be read says so, and tries again", { skip: noBrowser }, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.member);
  mishaps.expect(400);
  let isBroken = true;
  await page.route("**/api/usage/explore?*", async (route) => {
    if (!isBroken) return await route.fallback();
    const error = { code: "invalid_request", message: "Broken on purpose.", type: "invalid_request_error" };
    return await route.fulfill({ status: 400, json: { error } });
  });
  await page.goto("/usage/explore");
  await page.getByText("Broken on purpose.").first().waitFor();
  isBroken = false;
  await page.getByRole("button", { name: "Try again" }).first().click();
  await page.getByRole("heading", { name: "Spend by model" }).waitFor();
  assert.deepEqual(mishaps.list, []);
});
