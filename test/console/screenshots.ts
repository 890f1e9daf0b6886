/**
 * `npm run screenshots`: pictures of every page of a seeded installation, light and dark, at three widths, in
 * `screenshots/`, which git ignores. `-- --only plaza,usage` takes some pages, `-- --widths 390` some widths,
 * `--themes dark` one theme, `--languages zh-CN,ja` other languages than English; `--full` takes whole pages,
 * as far as they scroll, and prints their heights. `--origin URL` photographs a seeded server that runs.
 * `-- --docs` renews the few that the documentation shows, in docs/screenshots. `-- --baseline` renews the
 * pictures that tests compare with, in test/console/visual.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { buildConsole } from "../../tools/build/console.ts";
import { startProduct } from "../behaviour/harness/product.ts";
import { rootFolder } from "../rigs/harness/processes/processes.ts";
import { closeBrowser, newWindow, noBrowser } from "./browser.ts";
import { type ConsolePage, openPage, pages } from "./pages.ts";
import { seed, seededUsers } from "./seed/seed.ts";
import { signIn } from "./stage.ts";
import { writeBaseline } from "./visual/baseline.ts";
import { takePictures } from "./visual/pictures.ts";
import { startStillBrowser } from "./visual/still-page.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    widths: { type: "string", default: "1440,1280,390" },
    themes: { type: "string", default: "light,dark" },
    languages: { type: "string", default: "en" },
    full: { type: "boolean", default: false },
    origin: { type: "string" },
    docs: { type: "boolean", default: false },
    baseline: { type: "boolean", default: false },
  },
});

type Theme = "light" | "dark";

/** What the documentation shows: few, and small (a test bounds them). */
const docsPictures: readonly { readonly name: string; readonly theme: Theme }[] = [
  { name: "plaza", theme: "light" },
  { name: "plaza", theme: "dark" },
  { name: "model", theme: "light" },
  { name: "playground", theme: "light" },
  { name: "request", theme: "light" },
  { name: "health", theme: "light" },
  { name: "models-and-prices", theme: "dark" },
];

const folder = values.docs ? `${rootFolder}docs/screenshots` : `${rootFolder}screenshots`;
const widths = values.docs ? [1280] : values.widths.split(",").map(Number);
const only = values.only?.split(",");
const themes = (["light", "dark"] as const).filter((theme) => values.themes.split(",").includes(theme));
const languages = (["en", "zh-CN", "ja"] as const).filter((id) => values.languages.split(",").includes(id));

function isWanted(name: string, theme: Theme): boolean {
  if (only !== undefined && !only.includes(name)) return false;
  return !values.docs || docsPictures.some((one) => one.name === name && one.theme === theme);
}

/** Runs in the browser, which has a WebP encoder: a fifth of the PNG. */
const encodeWebp = (png: string): string => `(async () => {
  const image = new Image();
  image.src = "data:image/png;base64,${png}";
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL("image/webp", 0.82);
})()`;

async function asWebp(page: Page, png: Buffer): Promise<Buffer> {
  const blank = await page.context().newPage();
  const url = (await blank.evaluate(encodeWebp(png.toString("base64")))) as string;
  await blank.close();
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

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

/** One window's pictures. */
interface Look {
  readonly theme: Theme;
  readonly width: number;
  readonly language: (typeof languages)[number];
}

async function photograph(origin: string, { theme, width, language }: Look): Promise<void> {
  const window = await newWindow(origin, { theme, width, height: width < 600 ? 844 : 860, language });
  const page = await window.newPage();
  const wanted = pages.filter(({ name }) => isWanted(name, theme));
  const take = async (shown: ConsolePage): Promise<void> => {
    const { name } = shown;
    await openPage(page, shown);
    // Charts are drawn last.
    if (shown.isLive === true) await page.locator("main svg").first().waitFor();
    else await page.waitForLoadState("networkidle");
    if (name === "playground" && language === "en") await talk(page);
    const height = await page.evaluate("document.documentElement.scrollHeight");
    const png = await page.screenshot({ fullPage: values.full });
    const suffix = language === "en" ? "" : `-${language}`;
    const file = values.docs ? `${name}-${theme}.webp` : `${name}-${theme}-${width}${suffix}.png`;
    writeFileSync(`${folder}/${file}`, values.docs ? await asWebp(page, png) : png);
    process.stdout.write(values.full ? `${file} ${height}\n` : `${file}\n`);
  };
  for (const shown of wanted) if (shown.isPublic === true) await take(shown);
  await signIn(page, seededUsers.operator);
  for (const shown of wanted) if (shown.isPublic !== true) await take(shown);
  await window.close();
}

async function photographAt(origin: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const language of languages)
    for (const width of widths)
      for (const theme of themes) await photograph(origin, { theme, width, language });
}

async function photographSeeded(): Promise<void> {
  buildConsole();
  const data = mkdtempSync(join(tmpdir(), "plaza-pictures-"));
  await seed({ data, requests: 3_000 });
  const product = await startProduct({ folder: data });
  try {
    await photographAt(product.origin);
  } finally {
    await product.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

if (noBrowser !== false) throw new Error(noBrowser);
if (values.baseline) {
  const browser = await startStillBrowser();
  await writeBaseline(browser, await takePictures(browser));
  await browser.close();
} else {
  try {
    await (values.origin === undefined ? photographSeeded() : photographAt(values.origin));
  } finally {
    await closeBrowser();
  }
}
