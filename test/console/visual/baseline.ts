/**
 * The baseline: all pictures at a third of their size on one sheet, `baseline.webp`, with their places in
 * `baseline.json`. A browser encodes, decodes and compares, since Node has no decoder of pictures.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import type { Picture } from "./pictures.ts";
import { inBrowser } from "./pixels.ts";

const sheetFile = fileURLToPath(new URL("./baseline.webp", import.meta.url));
const placesFile = fileURLToPath(new URL("./baseline.json", import.meta.url));

/** Where a picture is on the sheet, in its pixels. */
interface Place {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Places {
  /** Major version of the browser that drew it: another one draws letters in another way. */
  readonly chromium: string;
  readonly places: readonly Place[];
}

/** How a picture differs from its place on the sheet; the three pictures are PNG in base64. */
export interface Difference {
  readonly name: string;
  /** Share of pixels that differ visibly, from 0 to 1; 1 where the size differs or the picture is new. */
  readonly share: number;
  /** Mean difference of all channels, in levels of 255. */
  readonly mean: number;
  readonly actual: string;
  readonly expected: string;
  readonly diff: string;
}

export const chromiumOf = (browser: Browser): string => browser.version().split(".")[0] ?? "";

export function readPlaces(): Places {
  return JSON.parse(readFileSync(placesFile, "utf8")) as Places;
}

const base64 = (bytes: Buffer): string => bytes.toString("base64");

async function openWorkbench(browser: Browser): Promise<Page> {
  const page = await browser.newPage();
  await page.evaluate(inBrowser);
  return page;
}

/** Draws the sheet from these pictures and writes both files. */
export async function writeBaseline(browser: Browser, pictures: readonly Picture[]): Promise<void> {
  const page = await openWorkbench(browser);
  const given = JSON.stringify(pictures.map(({ name, png }) => ({ name, png: base64(png) })));
  const made = (await page.evaluate(`pixels.makeSheet(${given})`)) as {
    readonly webp: string;
    readonly places: readonly Place[];
  };
  await page.close();
  writeFileSync(sheetFile, Buffer.from(made.webp, "base64"));
  const places: Places = { chromium: chromiumOf(browser), places: made.places };
  writeFileSync(placesFile, `${JSON.stringify(places, null, 2)}\n`);
}

/** The baseline, to compare pictures with; open until it is closed. */
export interface Baseline {
  differenceOf(picture: Picture): Promise<Difference>;
  close(): Promise<void>;
}

/** Reads the sheet into a page of the browser, which compares. */
export async function openBaseline(browser: Browser): Promise<Baseline> {
  const { places } = readPlaces();
  const page = await openWorkbench(browser);
  await page.evaluate(`pixels.readSheet("${base64(readFileSync(sheetFile))}")`);
  return {
    async differenceOf({ name, png }) {
      const place = places.find((one) => one.name === name) ?? null;
      const compared = await page.evaluate(`pixels.compare("${base64(png)}", ${JSON.stringify(place)})`);
      return { name, ...(compared as Omit<Difference, "name">) };
    },
    close: () => page.close(),
  };
}
