/**
 * A real browser for the console's tests: the one in CHROMIUM, or the system's Chromium. Its headless shell,
 * the same engine without windows, is preferred: the tests take a third less CPU with it. Without a browser
 * they are skipped with a reason.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import type { TestContext } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { type Browser, type BrowserContext, chromium, type Page, type Request } from "playwright-core";
import { eventually } from "../rigs/harness/measure/clock.ts";

const places = [
  process.env["CHROMIUM"],
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/snap/bin/chromium",
];

/** The path of the browser; undefined without one. */
export const executable = places.find((place) => place !== undefined && existsSync(place));

/** The reason why browser tests cannot run here, or false; for a test's `skip`. */
export const noBrowser: string | false =
  executable === undefined
    ? "no browser: install Debian's chromium-headless-shell, or set CHROMIUM to the path of one"
    : false;

/** Errors of a page since the last check. */
export interface Mishaps {
  /** Script errors, content-policy refusals, unexpected failed requests. */
  readonly list: string[];
  /** What failed requests answered, to explain a failed test. */
  readonly answers: readonly string[];
  /** Allows a response with this status in the current test. */
  expect(status: number): void;
}

export interface Visit {
  readonly page: Page;
  readonly mishaps: Mishaps;
}

export interface VisitOptions {
  readonly language?: "en" | "zh-CN" | "ja";
  readonly theme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
  /** Disables the content security policy. */
  readonly bypassCSP?: boolean;
}

let browser: Promise<Browser> | undefined;

/** One browser for all tests of a file; closed by `closeBrowser` in its `after`. */
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
  const answers: string[] = [];
  const expected = new Set<number>();
  page.on("pageerror", (error) => list.push(`script: ${error.message}`));
  page.on("console", (message) => {
    // The browser's own message about a status repeats the recorded response.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      list.push(`console: ${message.text()}`);
    }
  });
  page.on("response", (response) => {
    const status = response.status();
    if (status < 400) return;
    if (!expected.has(status)) list.push(`${status}: ${response.request().method()} ${response.url()}`);
    const sent = response.request().postData() ?? "";
    response.text().then(
      (text) => answers.push(`${sent.slice(0, 2_000)} → ${status} ${text.slice(0, 2_000)}`),
      () => {},
    );
  });
  return { list, answers, expect: (status) => void expected.add(status) };
}

const underWay = new WeakMap<Page, Set<Request>>();

/** A stream of events that never finishes. */
const isLive = (request: Request): boolean => request.url().endsWith("/api/operator/live");

function follow(page: Page): void {
  const open = new Set<Request>();
  underWay.set(page, open);
  page.on("request", (request) => void (isLive(request) || open.add(request)));
  page.on("requestfinished", (request) => void open.delete(request));
  page.on("requestfailed", (request) => void open.delete(request));
}

/**
 * A page counts as finished when nothing was requested for this long: a follow-up request would have started
 * by then.
 */
const quietMs = 100;
const looksEveryMs = 20;

/** Resolves when the page has finished loading. Playwright's `networkidle` waits half a second each time. */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState("load");
  const open = underWay.get(page);
  for (let quiet = 0; quiet < quietMs; quiet += looksEveryMs) {
    await page.waitForTimeout(looksEveryMs);
    if (open !== undefined && open.size > 0) quiet = 0;
  }
}

/** Most milliseconds that a page may take to show something, for a machine that has much else to do. */
const showsWithinMs = 15_000;

/**
 * Asserts that what `read` finds on a page becomes `expected`, or matches it: for everything that a page
 * shows some time after a step. Fails with what was read last.
 */
export async function becomes<T>(
  read: () => Promise<T>,
  expected: NoInfer<T> | RegExp,
  why?: string,
): Promise<void> {
  let last: T | undefined;
  const isThere = await eventually(async () => {
    last = await read();
    return expected instanceof RegExp ? expected.test(String(last)) : isDeepStrictEqual(last, expected);
  }, showsWithinMs);
  if (isThere) return;
  const found = why === undefined ? undefined : `${why}; it was ${JSON.stringify(last)}`;
  if (expected instanceof RegExp) assert.match(String(last), expected, found);
  else assert.deepEqual(last, expected, found);
}

/** Opens a window without cookies; the caller closes it. */
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

/** Opens a separate window with a page for one test; closed at its end. */
export async function visit(
  context: TestContext,
  origin: string,
  options: VisitOptions = {},
): Promise<Visit> {
  const window = await newWindow(origin, options);
  const page = await window.newPage();
  const mishaps = watch(page);
  context.after(async () => {
    // Not in the types of Node 24 yet.
    if (!(context as TestContext & { readonly passed: boolean }).passed)
      await describe(context, page, mishaps);
    // A made-up answer that is under way is no fault of the test.
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await window.close();
  });
  return { page, mishaps };
}

/** Says what a failed test's page showed, because a timeout alone does not say why. */
async function describe(context: TestContext, page: Page, { list, answers }: Mishaps): Promise<void> {
  const text = await page.innerText("body", { timeout: 1_000 }).catch((error: Error) => error.message);
  context.diagnostic(`${page.url()} showed: ${text.replace(/\s+/g, " ").slice(0, 3_000)}`);
  if (list.length > 0) context.diagnostic(`errors of the page: ${list.join("; ")}`);
  for (const answer of answers) context.diagnostic(`a failed request: ${answer}`);
}

/** Opens another tab in the same window, with the same cookies. */
export async function openTab(beside: Visit): Promise<Visit> {
  const page = await beside.page.context().newPage();
  return { page, mishaps: watch(page) };
}
