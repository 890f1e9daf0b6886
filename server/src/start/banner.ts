/** The text printed at startup. The first start shows the first key, once; later starts print less. */

import type { Offer } from "../app/connect-offers.ts";
import type { Ports } from "../app/listening.ts";
import { type Config, schemeOf } from "../config/config.ts";
import { linkAddress } from "../control/auth/links.ts";
import type { FirstRun } from "./first-run.ts";

const shownHost = (host: string): string => {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
};

/** Returns the base_url for callers: the public one if configured, else the listen address. */
function baseUrl(config: Config, port: number): string {
  return config.publicUrl ?? `${schemeOf(config)}://${shownHost(config.host)}:${port}/v1`;
}

/** Returns the URL at which a browser finds the console. */
export function consoleSite(config: Config, ports: Ports): string {
  const { consoleListen, publicUrl, host } = config;
  if (consoleListen === undefined && publicUrl !== undefined) return new URL(publicUrl).origin;
  return `${schemeOf(config)}://${shownHost(consoleListen?.host ?? host)}:${ports.console}`;
}

/** Lists commands that connect what was found, or how to do it by hand. */
function connecting(offers: readonly Offer[]): string[] {
  const width = Math.max(0, ...offers.map(({ command }) => command.length));
  const found = offers.map(({ command, note }) => `  ${command.padEnd(width)}  # ${note}`);
  return [
    "To connect a real upstream, while this runs (docs/start/connect.md):",
    "",
    ...(found.length > 0 ? found : ["  npx plaza connect --help"]),
    "",
  ];
}

export function banner(options: {
  config: Config;
  ports: Ports;
  first: FirstRun;
  /** Token of the one-time setup link; only while there is no operator. */
  setupToken?: string | undefined;
  offers?: readonly Offer[] | undefined;
}): string {
  const { config, ports, first, setupToken, offers = [] } = options;
  const url = baseUrl(config, ports.endpoint);
  const site = consoleSite(config, ports);
  const consoleLines =
    setupToken === undefined
      ? [`  console   ${site}`]
      : [
          `  console   ${linkAddress(site, setupToken)}`,
          "            (sets the console up; works once, for a day)",
        ];
  const lines = [
    "",
    `Plaza is ready, serving ${first.models} ${first.models === 1 ? "model" : "models"}.`,
    "",
    `  base_url  ${url}`,
    ...consoleLines,
  ];
  if (first.secret === undefined) return `${[...lines, `  data      ${config.dataDir}`, ""].join("\n")}\n`;
  const body = JSON.stringify({
    model: first.modelId ?? "MODEL",
    messages: [{ role: "user", content: "Hello, Plaza!" }],
  });
  return `${[
    ...lines,
    `  API key   ${first.secret}   (shown only this once)`,
    `  data      ${config.dataDir}`,
    "",
    "A first completion:",
    "",
    `  curl ${url}/chat/completions \\`,
    `    -H "Authorization: Bearer ${first.secret}" \\`,
    '    -H "Content-Type: application/json" \\',
    `    -d '${body}'`,
    "",
    ...(first.isDemoOnly ? connecting(offers) : []),
  ].join("\n")}\n`;
}
