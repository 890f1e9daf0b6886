/** Addresses with wrong values, as in an old or mistyped link: pages are shown with their defaults. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../rigs/harness/measure/clock.ts";
import { closeBrowser, noBrowser, settled, visit } from "./browser.ts";
import { seededUsers } from "./seed/seed.ts";
import { sharedStage, signIn } from "./stage.ts";

const stage = sharedStage(60);
after(closeBrowser);

/** A bad link, and what the page shows with its defaults. */
interface BadLink {
  readonly path: string;
  readonly title: string;
  /** A selected tab, option or radio button. */
  readonly chosen: string;
}

const badLinks: readonly BadLink[] = [
  { path: "/?period=never&zone=Moon/Crater", title: "Overview", chosen: "7 days" },
  { path: "/models?view=cube&status=sleeping&operation=dance&sort=%00", title: "Models", chosen: "Cards" },
  { path: "/models/aurora-mini?tab=nonsense&lang=cobol", title: "Aurora Mini", chosen: "Try model" },
  {
    path: "/usage?period=never&operation=dance&measure=weight&view=sphere",
    title: "Usage",
    chosen: "30 days",
  },
  { path: "/usage/explore?by=colour&grain=year&measure=x", title: "Explore usage", chosen: "By day" },
  { path: "/requests?period=9d&operation=dance&sort=x", title: "Requests", chosen: "All time" },
  { path: "/billing?ledger=weeks&period=x&kind=gift", title: "Billing", chosen: "All entries" },
  { path: "/members?tab=robots&new=yes", title: "Members", chosen: "Members" },
  { path: "/operator/users?status=asleep&rights=all", title: "Users", chosen: "All statuses" },
  { path: "/operator/upstreams/main?view=x", title: "main", chosen: "State" },
  { path: "/operator/settings?view=x&set=y", title: "Settings", chosen: "Installation" },
];

/** The texts of what is chosen on the page. */
const chosenOn = (page: Page) =>
  page.evaluate(`[
    ...[...document.querySelectorAll("main select")].map((one) => one.selectedOptions[0]?.textContent),
    ...[...document.querySelectorAll('main [role="tab"][aria-selected="true"]')].map((one) => one.textContent),
    ...[...document.querySelectorAll("main input:checked")].map((one) => one.closest("label")?.textContent),
  ]`) as Promise<string[]>;

test("a link with wrong values shows the page with its defaults", { skip: noBrowser }, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.operator);
  for (const { path, title, chosen } of badLinks) {
    await page.goto(path);
    await settled(page);
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    const isChosen = await eventually(async () => (await chosenOn(page)).includes(chosen), 5_000);
    assert.ok(isChosen, `${path}: ${JSON.stringify(await chosenOn(page))}`);
    assert.equal(await page.getByRole("alert").count(), 0, path);
    assert.deepEqual(mishaps.list, [], path);
  }
});
