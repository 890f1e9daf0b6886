/**
 * How fast the console's pages are with many requests and models: for each page of the menu, the time from a
 * press to its heading (the route's change) and to its last answer of `/api`, the slowest answer, the longest
 * task of the browser's main thread, and the slowest frame while the list of requests is scrolled. Each page
 * is visited twice; the second time its code is loaded. In milliseconds, by the browser's own clock.
 *
 * Run: node bench/micro/console-pages.ts [--requests 1000000] [--models 2000] [--data DIR]
 *
 * `--data`: a folder to keep the seeded data in, or with data from such a run. Needs Chromium.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { startProduct } from "../../test/behaviour/harness/product.ts";
import { closeBrowser, newWindow, noBrowser, settled } from "../../test/console/browser.ts";
import { seed, seededUsers } from "../../test/console/seed/seed.ts";
import { signIn } from "../../test/console/stage.ts";
import { buildConsole } from "../../tools/build/console.ts";

const { values: options } = parseArgs({
  options: {
    requests: { type: "string", default: "1000000" },
    models: { type: "string", default: "2000" },
    data: { type: "string" },
  },
});

/** What one visit took. */
interface Visit {
  /** From the press to the heading of the page. */
  readonly routeMs: number;
  /** From the press to the last answer. */
  readonly dataMs: number;
  readonly slowestMs: number;
  readonly slowest: string;
  readonly longestTaskMs: number;
}

/** Runs in the page: keeps long tasks from now on. */
const watchTasks = `(() => {
  globalThis.longTasks = [];
  new PerformanceObserver((list) => globalThis.longTasks.push(...list.getEntries()))
    .observe({ type: "longtask", buffered: true });
  performance.setResourceTimingBufferSize(10_000);
})()`;

/** Runs in the page: presses the menu's link; resolves with the times of the press and of the heading. */
const press = (path: string): string => `new Promise((resolve) => {
  const heading = () => document.querySelector("main h1");
  const before = heading();
  const from = performance.now();
  document.querySelector('nav a[href="${path}"]').click();
  const look = () =>
    location.pathname === "${path}" && heading() !== null && heading() !== before
      ? resolve({ from, routeMs: performance.now() - from })
      : requestAnimationFrame(look);
  look();
})`;

/** Runs in the page: what came since. */
const since = (from: number): string => `(() => {
  const answers = performance.getEntriesByType("resource")
    .filter((one) => one.startTime >= ${from} && new URL(one.name).pathname.startsWith("/api/") && one.responseEnd > 0);
  const slowest = answers.toSorted((a, b) => b.duration - a.duration)[0];
  return {
    dataMs: Math.max(0, ...answers.map((one) => one.responseEnd - ${from})),
    slowestMs: slowest?.duration ?? 0,
    slowest: slowest === undefined ? "" : new URL(slowest.name).pathname,
    longestTaskMs: Math.max(0, ...globalThis.longTasks.filter((one) => one.startTime >= ${from}).map((one) => one.duration)),
  };
})()`;

/** Runs in the page: scrolls through what is there; resolves with the longest time between two frames. */
const scroll = `new Promise((resolve) => {
  const place = document.scrollingElement;
  let [longest, last, step] = [0, performance.now(), 0];
  const frame = (now) => {
    longest = Math.max(longest, now - last);
    last = now;
    place.scrollTop = (step % 60) * 80;
    step += 1;
    if (step < 120) requestAnimationFrame(frame);
    else resolve(longest);
  };
  requestAnimationFrame(frame);
})`;

async function visit(page: Page, path: string): Promise<Visit> {
  const { from, routeMs } = (await page.evaluate(press(path))) as { from: number; routeMs: number };
  await settled(page);
  return { routeMs, ...((await page.evaluate(since(from))) as Omit<Visit, "routeMs">) };
}

const menuPaths = `[...new Set([...document.querySelectorAll("nav a[href]")].map((link) => link.getAttribute("href")))]
  .filter((path) => path.startsWith("/"))`;

/** Waits until the server has added all requests to the sums of usage, as one that runs for a month has. */
async function untilSummed(file: string): Promise<void> {
  const database = new DatabaseSync(file, { readOnly: true });
  const left = database.prepare(
    "select (select max(rowid) from requests) - (select mark from usage_progress) as left",
  );
  for (let told = Number.POSITIVE_INFINITY; ; await pause(1_000)) {
    const rows = Number(left.get()?.["left"] ?? 0);
    if (rows === 0) break;
    if (rows < told - 100_000) console.log(`${rows} requests are to be added to the sums`);
    if (rows < told - 100_000) told = rows;
  }
  database.close();
}

async function measure(origin: string): Promise<void> {
  const window = await newWindow(origin, { width: 1440, height: 900 });
  const page = await window.newPage();
  await page.addInitScript(watchTasks);
  await signIn(page, seededUsers.operator);
  await page.goto("/");
  await page.locator('nav a[href="/requests"]').waitFor();
  await settled(page);
  const found = (await page.evaluate(menuPaths)) as string[];
  // The one that is shown comes last; the live view never comes to rest.
  const paths = [...found.filter((path) => path !== "/" && path !== "/operator/live"), "/"];
  const firsts: Visit[] = [];
  for (const path of paths) firsts.push(await visit(page, path));
  const cell = (ms: number): string => ms.toFixed(0).padStart(6);
  console.log(
    "page                      route   again    data   again  slowest answer                 longest task",
  );
  for (const [index, path] of paths.entries()) {
    const first = firsts[index] as Visit;
    const again = await visit(page, path);
    console.log(
      `${path.padEnd(24)} ${cell(first.routeMs)}  ${cell(again.routeMs)}  ${cell(first.dataMs)}  ${cell(again.dataMs)}  ` +
        `${cell(again.slowestMs)} ${again.slowest.padEnd(30)} ${cell(again.longestTaskMs)}`,
    );
    if (path.endsWith("/requests"))
      console.log(`  scrolled: longest frame ${cell((await page.evaluate(scroll)) as number)}`);
  }
  await window.close();
}

if (noBrowser !== false) throw new Error(noBrowser);
buildConsole();
const data = options.data ?? mkdtempSync(join(tmpdir(), "plaza-console-"));
if (!existsSync(join(data, "plaza.sqlite"))) {
  console.log(`filling ${data} with ${options.requests} requests and ${options.models} models`);
  await seed({ data, requests: Number(options.requests), moreModels: Number(options.models) });
}
const product = await startProduct({ folder: data });
try {
  await untilSummed(join(data, "plaza.sqlite"));
  await measure(product.origin);
} finally {
  await product.stop();
  await closeBrowser();
  if (options.data === undefined) rmSync(data, { recursive: true, force: true });
}
