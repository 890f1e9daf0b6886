/**
 * `npm run screenshots`: screenshots of every page of a seeded installation, light and dark, in
 * docs/screenshots. The README shows one.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { buildConsole } from "../../tools/build/console.ts";
import { startProduct } from "../behaviour/harness/product.ts";
import { rootFolder } from "../rigs/harness/processes/processes.ts";
import { closeBrowser, newWindow, noBrowser } from "./browser.ts";
import { type ConsolePage, openPage, pages } from "./pages.ts";
import { seed, seededUsers } from "./seed.ts";
import { signIn } from "./stage.ts";

const folder = `${rootFolder}docs/screenshots`;

/** Holds a conversation to show. */
async function talk(page: Page): Promise<void> {
  const said = [
    "# What is a lease?",
    "",
    "A part of a balance **lent to one process**, so that a request need not ask the database:",
    "",
    "| step | where |",
    "|---|---|",
    "| take | database |",
    "| hold, settle | memory, then one commit |",
  ].join("\n");
  await page.getByRole("textbox", { name: "Message" }).fill(`/slow 0\n/echo ${said}`);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("heading", { name: "What is a lease?" }).waitFor();
  await page.waitForLoadState("networkidle");
}

async function photograph(origin: string, theme: "light" | "dark"): Promise<void> {
  const window = await newWindow(origin, { theme, width: 1280, height: 860 });
  const page = await window.newPage();
  const open = pages.filter(({ isPublic }) => isPublic === true);
  const closed = pages.filter(({ isPublic }) => isPublic !== true);
  const take = async (shown: ConsolePage): Promise<void> => {
    const { name } = shown;
    await openPage(page, shown);
    // Charts are drawn last.
    await page.waitForLoadState("networkidle");
    if (name === "playground") await talk(page);
    await page.screenshot({ path: `${folder}/${name}-${theme}.png` });
    process.stdout.write(`${name}-${theme}.png\n`);
  };
  for (const shown of open) await take(shown);
  await signIn(page, seededUsers.operator);
  for (const shown of closed) await take(shown);
  await window.close();
}

if (noBrowser !== false) throw new Error(noBrowser);
buildConsole();
mkdirSync(folder, { recursive: true });
const data = mkdtempSync(join(tmpdir(), "plaza-pictures-"));
await seed({ data, requests: 3_000 });
const product = await startProduct({ folder: data });
try {
  for (const theme of ["light", "dark"] as const) await photograph(product.origin, theme);
} finally {
  await closeBrowser();
  await product.stop();
  rmSync(data, { recursive: true, force: true });
}
