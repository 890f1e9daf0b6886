/**
 * Opens every page once: axe-core finds nothing serious, in light and dark, it fits a desktop and a phone,
 * and loading causes no errors.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { closeBrowser, noBrowser, visit } from "./browser.ts";
import { openPage, pages } from "./pages.ts";
import { seededUsers } from "./seed/seed.ts";
import { seededStage, signIn } from "./stage.ts";

after(closeBrowser);

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Resolves when changed colours have been painted, including transitions. */
const painted = `(async () => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  await Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {})));
})()`;

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Serious or critical findings of axe-core on the current page, by all or some rules. */
async function seriousIn(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Evaluated through the debugger, because the content security policy blocks loading scripts.
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe);
  const options = { resultTypes: ["violations"], ...(rules === undefined ? {} : { runOnly: rules }) };
  const found = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as {
    violations: Finding[];
  };
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id} (${nodes.length}): ${nodes[0]?.html.slice(0, 200)}`);
}

test("what is seriously wrong is found", { skip: noBrowser }, async (context) => {
  const { page } = await visit(context, "http://127.0.0.1");
  await page.setContent("<html lang=en><title>x</title><main><h1>x</h1><img src=x><button></button></main>");
  assert.deepEqual((await seriousIn(page)).map((finding) => finding.split(" ")[0]).sort(), [
    "button-name",
    "image-alt",
  ]);
});

/**
 * Colour findings that remain after the colour transition, which takes some frames, more on a busy machine.
 */
async function lasting(page: Page): Promise<string[]> {
  let found: string[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    await page.evaluate(painted);
    found = await seriousIn(page, ["color-contrast"]);
    if (found.length === 0) return found;
    await page.waitForTimeout(200);
  }
  return found;
}

/** Window widths in pixels. */
const desktop = 1280;
const phone = 390;

/** Elements that do not fit into a window of that width. */
async function tooWide(page: Page, width: number): Promise<string[]> {
  await page.setViewportSize({ width, height: 800 });
  await page.evaluate(painted);
  const needed = (await page.evaluate("document.documentElement.scrollWidth")) as number;
  return needed > width ? [`${needed} pixels wide in a window of ${width}`] : [];
}

test("every page is accessible, light and dark, fits its window, and loads without mishap", {
  skip: noBrowser,
}, async (context) => {
  const { origin } = await seededStage(context, 40);
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.operator);
  const stranger = await visit(context, origin);
  // The pages include an unknown model and an unknown link.
  for (const { expect } of [mishaps, stranger.mishaps]) expect(404);
  const findings: string[] = [];
  for (const shown of pages) {
    const { name, isPublic } = shown;
    const seen = isPublic === true ? stranger.page : page;
    await seen.setViewportSize({ width: desktop, height: 800 });
    await seen.emulateMedia({ colorScheme: "light" });
    await openPage(seen, shown);
    findings.push(...(await seriousIn(seen)).map((finding) => `${name}, light: ${finding}`));
    // The same page in the other theme: only colour rules can differ.
    await seen.emulateMedia({ colorScheme: "dark" });
    findings.push(...(await lasting(seen)).map((finding) => `${name}, dark: ${finding}`));
    for (const width of [desktop, phone])
      findings.push(...(await tooWide(seen, width)).map((finding) => `${name}: ${finding}`));
  }
  context.diagnostic(`${pages.length} pages looked through`);
  assert.deepEqual(findings, []);
  assert.deepEqual([...mishaps.list, ...stranger.mishaps.list], []);
});
