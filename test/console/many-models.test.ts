/**
 * The models page with two thousand models: only what is near the window is drawn, and all of it is reached.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { becomes, closeBrowser, noBrowser, settled, visit } from "./browser.ts";
import { seededUsers } from "./seed/seed.ts";
import { sharedStage, signIn } from "./stage.ts";

const stage = sharedStage(60, { moreModels: 2_000 });
after(closeBrowser);

/** Runs in the page: texts of the table's cells whose content is wider than the cell. */
const wideCells = `[...document.querySelectorAll("main section :is(td, th)")]
  .filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.innerText)`;

/** All that can be chosen, which is more than fits. */
const manyColumns = [
  ...["id", "maker", "operations", "status", "input", "cached", "output", "context", "maxoutput"],
  ...["modalities", "can", "fast", "slowest", "speed", "success", "used", "newest", "deprecated"],
];

test("two thousand cards: a few are drawn, the last one is reached, a search has the best first", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.member);
  await page.goto("/models");
  await page.getByText(/^2,0\d\d of 2,0\d\d models/).waitFor();
  const cards = page.getByRole("article");
  await cards.first().waitFor();
  assert.ok((await cards.count()) < 60, `${await cards.count()} cards`);
  const items = page.getByRole("listitem").filter({ has: cards });
  const all = Number(await items.first().getAttribute("aria-setsize"));
  assert.ok(all > 1_900);
  // Heights are measured on the way, so the end may move once.
  const toTheEnd = `(() => {
    scrollTo(0, document.body.scrollHeight);
    return document.querySelector('[aria-posinset="${all}"]') !== null;
  })()`;
  await becomes(() => page.evaluate(toTheEnd), true);
  assert.ok((await cards.count()) < 60);
  await page.getByRole("searchbox", { name: "Search models" }).fill("gpt5");
  await page.waitForURL(/q=gpt5/);
  await cards.first().filter({ hasText: "GPT-5" }).waitFor();
  assert.deepEqual(mishaps.list, []);
});

/** Runs in the page: goes to a page of the menu; resolves with how many rows came with its heading. */
const rowsWithHeading = (path: string, rows: string): string => `new Promise((resolve) => {
  const before = document.querySelector("main h1");
  const observer = new MutationObserver(() => {
    const heading = document.querySelector("main h1");
    if (heading === null || heading === before || location.pathname !== "${path}") return;
    observer.disconnect();
    resolve(document.querySelectorAll("${rows}").length);
  });
  observer.observe(document.querySelector("main"), { childList: true, subtree: true });
  document.querySelector('nav a[href="${path}"]').click();
})`;

test("the heading of a long page waits for none of its rows, also when they are known", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.operator);
  await page.goto("/keys");
  await page.getByRole("heading", { level: 1 }).waitFor();
  const pages = [
    { path: "/models", rows: "main article" },
    { path: "/status", rows: "main li svg" },
    { path: "/operator/models", rows: "main tbody a" },
  ];
  for (const turn of ["first", "again"])
    for (const { path, rows } of pages) {
      assert.equal(await page.evaluate(rowsWithHeading(path, rows)), 0, `${path}, ${turn}`);
      await page.locator(rows).first().waitFor();
    }
  assert.deepEqual(mishaps.list, []);
});

test("on the way back the list is where it was left", { skip: noBrowser }, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.operator);
  for (const { path, link } of [
    { path: "/models", link: "main article h2 a" },
    { path: "/operator/models", link: "main tbody a" },
  ]) {
    await page.goto(path);
    await page.locator(link).first().waitFor();
    await page.evaluate("scrollTo(0, 3_000)");
    const inView = `[...document.querySelectorAll("${link}")].find((one) => {
      const { top } = one.getBoundingClientRect();
      return top > 100 && top < 700;
    })`;
    const isInView = () => page.evaluate<boolean>(`${inView} !== undefined`);
    await becomes(isInView, true);
    const top = await page.evaluate<number>("scrollY");
    await page.evaluate(`${inView}.click()`);
    await page.waitForURL(`**${path}/*`);
    await page.locator(link).first().waitFor({ state: "detached" });
    await page.goBack();
    await becomes(isInView, true, `${path}: nothing is in view`);
    assert.ok(Math.abs((await page.evaluate<number>("scrollY")) - top) < 50, path);
  }
  assert.deepEqual(mishaps.list, []);
});

for (const language of ["en", "zh-CN", "ja"] as const)
  test(`the default columns fit beside the menu, in ${language}`, { skip: noBrowser }, async (context) => {
    const { page, mishaps } = await visit(context, stage().origin, { language, width: 1280 });
    await signIn(page, seededUsers.quiet);
    for (const width of [1280, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto("/models?view=table");
      await page.locator("tbody th a").first().waitFor();
      const room = await page.evaluate(`(() => {
        const block = document.querySelector("main section:has(table)");
        return { width: block.scrollWidth - block.clientWidth, cells: ${wideCells} };
      })()`);
      assert.deepEqual(room, { width: 0, cells: [] }, `${width} pixels`);
    }
    assert.deepEqual(mishaps.list, []);
  });

test("two thousand rows: head and names stay while the table scrolls both ways", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.member);
  await page.addInitScript(
    `localStorage.setItem("plaza.models.columns", ${JSON.stringify(JSON.stringify(manyColumns))})`,
  );
  await page.goto("/models?view=table&sort=name");
  const table = page.getByRole("table", { name: "Models" });
  const all = Number(await table.getAttribute("aria-rowcount"));
  assert.ok(all > 1_900);
  const rows = table.getByRole("row");
  await settled(page);
  assert.ok((await rows.count()) < 100, `${await rows.count()} rows`);
  const head = table.getByRole("columnheader", { name: "Model" });
  const before = await head.boundingBox();
  const toTheEnd = `(() => {
    const scroller = document.querySelector('section[aria-label="Models"]');
    scroller.scrollTo(400, scroller.scrollHeight);
    return document.querySelector('[aria-rowindex="${all}"]') !== null;
  })()`;
  await becomes(() => page.evaluate(toTheEnd), true);
  const afterwards = await head.boundingBox();
  assert.deepEqual([afterwards?.x, afterwards?.y], [before?.x, before?.y]);
  const name = await table.locator("tbody th").last().boundingBox();
  assert.equal(name?.x, before?.x);
  // The page itself does not scroll sideways, and nothing in a cell is wider than the cell.
  const overflowing = await page.evaluate(wideCells);
  assert.ok((await rows.count()) < 100);
  assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
  assert.deepEqual(overflowing, []);
  assert.deepEqual(mishaps.list, []);
});
