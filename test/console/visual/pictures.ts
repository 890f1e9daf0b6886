/**
 * Takes the pictures that are compared: some pages of an installation that is the same in every run, light,
 * dark and as phones show them.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { buildConsole } from "../../../tools/build/console.ts";
import { startProduct } from "../../behaviour/harness/product.ts";
import { monotonicMs, pause } from "../../rigs/harness/measure/clock.ts";
import { nodeBinary, rootFolder } from "../../rigs/harness/processes/processes.ts";
import { openPage, pages } from "../pages.ts";
import { seededUsers } from "../seed/seed.ts";
import { signIn } from "../stage.ts";
import { earlierEnv, openStillPage, type StillWindow, stillEnv, takePicture } from "./still-page.ts";

/** Its name says page, theme and width: `plaza-light-1280`. */
export interface Picture {
  readonly name: string;
  readonly png: Buffer;
}

interface Series extends StillWindow {
  readonly pages: readonly string[];
}

const desktop = { width: 1_280, height: 860 } as const;
const phone = { width: 390, height: 844 } as const;

const series: readonly Series[] = [
  {
    ...desktop,
    theme: "light",
    pages: [
      "sign-in",
      "plaza",
      "model",
      "keys",
      "usage",
      "requests",
      "request",
      "billing",
      "upstreams",
      "models-and-prices",
      "settings",
      "health",
    ],
  },
  { ...desktop, theme: "dark", pages: ["plaza", "model-form"] },
  { ...phone, theme: "light", pages: ["plaza", "model-form", "requests"] },
];

/** Whether a picture is the one that is expected. */
type IsExpected = (picture: Picture) => Promise<boolean>;

/** Most milliseconds in which a page comes to look as expected. */
const looksWithinMs = 10_000;
const looksEveryMs = 250;

/**
 * Takes pictures until one is as expected, or time is up: on a machine with much else to do, a page may rest
 * for longer than half a second before its last parts are asked for. Resolves with the last picture.
 */
async function takeUntil(isExpected: IsExpected, take: () => Promise<Picture>): Promise<Picture> {
  for (const untilMs = monotonicMs() + looksWithinMs; ; await pause(looksEveryMs)) {
    const taken = await take();
    if ((await isExpected(taken)) || monotonicMs() > untilMs) return taken;
  }
}

async function takeSeries(
  browser: Browser,
  origin: string,
  one: Series,
  isExpected: IsExpected,
): Promise<Picture[]> {
  const page = await openStillPage(browser, origin, one);
  const taken: Picture[] = [];
  let isSignedIn = false;
  for (const shown of pages.filter(({ name }) => one.pages.includes(name))) {
    if (shown.isPublic !== true && !isSignedIn) {
      await signIn(page, seededUsers.operator);
      isSignedIn = true;
    }
    await openPage(page, shown);
    await page.waitForLoadState("networkidle");
    const name = `${shown.name}-${one.theme}-${one.width}`;
    taken.push(await takeUntil(isExpected, async () => ({ name, png: await takePicture(page) })));
  }
  await page.context().close();
  return taken;
}

/** Takes all of them, in a fixed order; pages that do not look as expected are given some time. */
export async function takePictures(
  browser: Browser,
  isExpected: IsExpected = async () => true,
): Promise<readonly Picture[]> {
  buildConsole();
  const data = mkdtempSync(join(tmpdir(), "plaza-visual-"));
  // In a process of its own, whose clock is the installation's.
  await promisify(execFile)(
    nodeBinary,
    [`${rootFolder}test/console/seed/seed.ts`, "--data", data, "--requests", "400"],
    { env: { ...process.env, ...earlierEnv } },
  );
  const product = await startProduct({ folder: data, env: stillEnv });
  try {
    const taken: Picture[] = [];
    for (const one of series) taken.push(...(await takeSeries(browser, product.origin, one, isExpected)));
    return taken;
  } finally {
    await product.stop();
    rmSync(data, { recursive: true, force: true });
  }
}
