/**
 * A page that looks the same in every run: its clock stands still, its only font is one of the tests',
 * nothing moves, and text that differs from run to run is replaced. Knows no page of the console.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { executable } from "../browser.ts";

/** A Thursday morning, in Unix milliseconds. */
const stillMs = Date.UTC(2026, 10, 12, 10, 30);

/** For a server whose pages are shown: its clock stands still, too. */
export const stillEnv: Readonly<Record<string, string>> = {
  NODE_OPTIONS: `--import=${new URL("./still-clock.ts", import.meta.url).href}`,
  STILL_CLOCK_MS: String(stillMs),
};

/** For a program that makes that server's data: it starts a minute earlier, and its clock moves in steps. */
export const earlierEnv: Readonly<Record<string, string>> = {
  ...stillEnv,
  STILL_CLOCK_MS: String(stillMs - 60_000),
  STILL_CLOCK_STEP_MS: "1",
};

const fontFile = fileURLToPath(
  import.meta.resolve("@fontsource-variable/inter/files/inter-latin-wght-normal.woff2"),
);

/** Runs in the browser before the page's own scripts. */
const dressPage = `(() => {
  const font = new FontFace("Test", "url(data:font/woff2;base64,${readFileSync(fontFile).toString("base64")})", {
    weight: "100 900",
  });
  document.fonts.add(font);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    "*, ::before, ::after { font-family: Test !important; animation: none !important;" +
      "transition: none !important; caret-color: transparent !important; }",
  );
  document.adoptedStyleSheets = [sheet];
  globalThis.testFont = font.load();
})()`;

/**
 * Runs in the browser before a picture is taken. Ids, key prefixes and ends of codes are random, the port is
 * any, seconds depend on how long things took, the figures of processes are the machine's, and letters that
 * the font lacks would come from the system.
 */
const replaceTexts = `(async () => {
  await testFont;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.data
      .replace(/127\\.0\\.0\\.1:\\d+/g, "127.0.0.1:12345")
      .replace(/\\b([a-z]{3}_)[0-9A-Za-z]{8,}/g, "$1xxxxxxxx")
      .replace(/\\bsk-plaza-[\\w…]+/g, "sk-plaza-xxxxxx")
      .replace(/…[0-9A-Z]{4}$/, "…xxxx")
      .replace(/^\\d+ seconds? ago$/, "10 seconds ago")
      .replace(/\\b\\d\\d:\\d\\d:\\d\\d\\b/g, "10:30:00")
      .replace(/[^\\u0000-\\u00ff\\u2000-\\u206f\\u20ac\\u2122\\u2212]/g, "x");
    if (text !== node.data) node.data = text;
  }
  for (const cell of document.querySelectorAll('table[aria-label="Processes"] td')) {
    // Not only unseen: the widths of columns would follow its figures.
    cell.style.display = "none";
  }
  await document.fonts.ready;
})()`;

/** Starts a browser that draws letters in the same way on every machine, as far as flags can say so. */
export async function startStillBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: executable as string,
    args: [
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--force-color-profile=srgb",
      "--font-render-hinting=none",
      "--disable-lcd-text",
      "--hide-scrollbars",
    ],
  });
}

export interface StillWindow {
  readonly theme: "light" | "dark";
  readonly width: number;
  readonly height: number;
}

/** Opens a page in a window of its own. */
export async function openStillPage(
  browser: Browser,
  origin: string,
  { theme, width, height }: StillWindow,
): Promise<Page> {
  const window = await browser.newContext({
    baseURL: origin,
    locale: "en",
    colorScheme: theme,
    viewport: { width, height },
    timezoneId: "UTC",
    reducedMotion: "reduce",
    // The tests' font comes from a data URL.
    bypassCSP: true,
  });
  window.setDefaultTimeout(15_000);
  const page = await window.newPage();
  await page.clock.setFixedTime(stillMs);
  await page.addInitScript(dressPage);
  return page;
}

/** A PNG of what the window shows. */
export async function takePicture(page: Page): Promise<Buffer> {
  await page.evaluate(replaceTexts);
  return await page.screenshot();
}
