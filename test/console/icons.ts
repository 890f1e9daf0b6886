/**
 * `node test/console/icons.ts`: draws the icons of an installed console from `web/public/favicon.svg`, for
 * systems that take no SVG. Run it after the SVG changes.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { rootFolder } from "../rigs/harness/processes/processes.ts";
import { closeBrowser, newWindow } from "./browser.ts";

const folder = `${rootFolder}web/public/`;
const drawing = readFileSync(`${folder}favicon.svg`, "utf8");
/** The drawing's own background. */
const background = "#4453d6";

/** Name, size in pixels, and how much of it the drawing takes; the background fills the rest. */
const icons = [
  // Also the icon of a home screen on iOS, which rounds its corners.
  ["icon-192.png", 192, 0.8],
  // Systems may cut a fifth of it away.
  ["icon-512.png", 512, 0.7],
] as const;

for (const [name, size, share] of icons) {
  const window = await newWindow("http://127.0.0.1", { width: size, height: size });
  const page = await window.newPage();
  await page.setContent(
    `<style>body{margin:0;display:grid;place-items:center;height:100vh;background:${background}}svg{width:${size * share}px}</style>${drawing}`,
  );
  writeFileSync(`${folder}${name}`, await page.screenshot());
  await window.close();
}
await closeBrowser();
