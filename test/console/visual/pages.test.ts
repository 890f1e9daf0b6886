/**
 * The pages look as they did: pictures of them are compared with the baseline beside this file. After a
 * wanted change, `npm run screenshots -- --baseline` renews it; look at the new sheet before committing it.
 *
 * The same Chromium on the same machine draws the same pixels. What another machine may do differently is how
 * it smooths letters, which the tolerance leaves room for; another major version of Chromium is skipped.
 */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import type { Browser } from "playwright-core";
import { rootFolder } from "../../rigs/harness/processes/processes.ts";
import { noBrowser } from "../browser.ts";
import { chromiumOf, type Difference, openBaseline, readPlaces } from "./baseline.ts";
import { takePictures } from "./pictures.ts";
import { startStillBrowser } from "./still-page.ts";

/**
 * Share of pixels that may differ visibly, and mean difference in levels of 255. With other hinting of its
 * letters (`--font-render-hinting=slight`) a page differed in up to 0.0014 and by up to 0.56.
 */
const tolerance = { share: 0.002, mean: 0.7 };

/** Git ignores it. */
const folder = `${rootFolder}screenshots/visual/`;

let browser: Browser | undefined;
after(async () => await browser?.close());

function isOver({ share, mean }: Difference): boolean {
  return share > tolerance.share || mean > tolerance.mean;
}

function keep({ name, actual, expected, diff }: Difference): void {
  for (const [kind, png] of Object.entries({ actual, expected, diff }))
    if (png !== "") writeFileSync(`${folder}${name}.${kind}.png`, Buffer.from(png, "base64"));
}

test("every page of the baseline looks as it did", { skip: noBrowser }, async (context) => {
  browser = await startStillBrowser();
  const { chromium, places } = readPlaces();
  if (chromiumOf(browser) !== chromium) {
    context.skip(`the baseline was drawn by Chromium ${chromium}, this is ${chromiumOf(browser)}`);
    return;
  }
  const baseline = await openBaseline(browser);
  const byName = new Map<string, Difference>();
  await takePictures(browser, async (picture) => {
    const difference = await baseline.differenceOf(picture);
    byName.set(picture.name, difference);
    return !isOver(difference);
  });
  await baseline.close();
  const differences = [...byName.values()];
  assert.deepEqual(
    differences.map(({ name }) => name),
    places.map(({ name }) => name),
  );
  const largest = differences.toSorted((a, b) => b.share - a.share || b.mean - a.mean)[0];
  context.diagnostic(
    `the largest difference: ${largest?.name}, ${largest?.share.toFixed(5)}, ${largest?.mean.toFixed(4)}`,
  );
  rmSync(folder, { recursive: true, force: true });
  const over = differences.filter(isOver);
  if (over.length === 0) return;
  mkdirSync(folder, { recursive: true });
  for (const one of over) keep(one);
  const found = over.map(
    ({ name, share, mean }) =>
      `${name}: ${(share * 100).toFixed(2)} % of its pixels, ${mean.toFixed(2)} levels`,
  );
  assert.fail(
    `${found.join("\n")}\nsee screenshots/visual/; if the change is wanted: npm run screenshots -- --baseline`,
  );
});
