/**
 * A real browser for the console's walks: the system's Chromium, or the one in CHROMIUM. Without one the
 * walks are skipped with a reason.
 */
import { existsSync } from "node:fs";
import type { TestContext } from "node:test";
import { type Browser, type BrowserContext, chromium, type Page, type Request } from "playwright-core";

const places = [
  process.env["CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/snap/bin/chromium",
];

const executable = places.find((place) => place !== undefined && existsSync(place));

/** Why walks cannot be made here; false when they can. For a test's `skip`. */
export const noBrowser: string | false =
  executable === undefined
    ? "no browser: install Debian's chromium, or set CHROMIUM to the path of one"
    : false;

/** Errors of a page between checks. */
export interface Mishaps {
  /** Script errors, content-policy refusals, unexpected failed requests. */
  readonly list: string[];
  /** Says that an answer with this status is part of the walk. */
  expect(status: number): void;
}

export interface Visit {
  readonly page: Page;
  readonly mishaps: Mishaps;
}

export interface VisitOptions {
  readonly language?: "en" | "zh-CN";
  readonly theme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
  /** Judges pages without the content policy. */
  readonly bypassCSP?: boolean;
}

let browser: Promise<Browser> | undefined;

/** One browser for all walks of a test file; closed by `closeBrowser` in its `after`. */
function theBrowser(): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: executable as string,
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"],
  });
  return browser;
}

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

function watch(page: Page): Mishaps {
  const list: string[] = [];
  const expected = new Set<number>();
  page.on("pageerror", (error) => list.push(`script: ${error.message}`));
  page.on("console", (message) => {
    // The browser's own line about a status adds nothing to the response.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      list.push(`console: ${message.text()}`);
    }
  });
  page.on("response", (response) => {
    const status = response.status();
    if (status >= 400 && !expected.has(status))
      list.push(`${status}: ${response.request().method()} ${response.url()}`);
  });
  return { list, expect: (status) => void expected.add(status) };
}

/** Requests of a page that are under way. */
const underWay = new WeakMap<Page, Set<Request>>();

function follow(page: Page): void {
  const open = new Set<Request>();
  underWay.set(page, open);
  page.on("request", (request) => void open.add(request));
  page.on("requestfinished", (request) => void open.delete(request));
  page.on("requestfailed", (request) => void open.delete(request));
}

/**
 * How long nothing may be under way for a page to count as finished: its own
 * next request would have begun by then.
 */
const quietMs = 100;
const looksEveryMs = 20;

/**
 * Resolves when the page has what it asked for. Playwright's `networkidle` waits for half a second each time.
 */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState("load");
  const open = underWay.get(page);
  for (let quiet = 0; quiet < quietMs; quiet += looksEveryMs) {
    await page.waitForTimeout(looksEveryMs);
    if (open !== undefined && open.size > 0) quiet = 0;
  }
}

/** A new window without cookies; the caller closes it. */
export async function newWindow(origin: string, options: VisitOptions = {}): Promise<BrowserContext> {
  const { language = "en", theme = "light", width = 1280, height = 800, bypassCSP = false } = options;
  const window = await (await theBrowser()).newContext({
    baseURL: origin,
    locale: language,
    colorScheme: theme,
    viewport: { width, height },
    bypassCSP,
    timezoneId: "Europe/Berlin",
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  window.setDefaultTimeout(15_000);
  window.on("page", follow);
  return window;
}

/** A window of its own for one test, and a page in it; closed with the test. */
export async function visit(
  context: TestContext,
  origin: string,
  options: VisitOptions = {},
): Promise<Visit> {
  const window = await newWindow(origin, options);
  context.after(() => window.close());
  const page = await window.newPage();
  return { page, mishaps: watch(page) };
}

/** One more tab of the same window: the same cookies, a page of its own. */
export async function openTab(beside: Visit): Promise<Visit> {
  const page = await beside.page.context().newPage();
  return { page, mishaps: watch(page) };
}
