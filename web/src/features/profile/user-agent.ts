/** A browser and a system from a User-Agent header, coarse: enough to know one's own devices. */

const browsers: readonly [string, RegExp][] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ["Safari", /\bVersion\/.*Safari\//],
];

const systems: readonly [string, RegExp][] = [
  ["iOS", /iPhone|iPad|iPod/],
  ["Android", /Android/],
  ["Windows", /Windows NT/],
  ["macOS", /Macintosh|Mac OS X/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /Linux/],
];

/** Undefined when not recognized. */
export function deviceOf(
  userAgent: string,
): { readonly browser: string; readonly system: string } | undefined {
  const browser = browsers.find(([, form]) => form.test(userAgent))?.[0];
  const system = systems.find(([, form]) => form.test(userAgent))?.[0];
  return browser === undefined || system === undefined ? undefined : { browser, system };
}
