#!/usr/bin/env node
/**
 * The `plaza` command, through the launcher, on any Node from 12 on: the newest build while it is up to date,
 * otherwise, and with LAUNCH_SOURCES=1, cli/main.ts.
 */
import { fileURLToPath } from "node:url";
import { currentBuild } from "../../tools/build/current-build.mjs";
import { launch } from "../../tools/launch.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const source = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));

launch({
  script: () => (process.env.LAUNCH_SOURCES === "1" ? undefined : currentBuild(root)) || source,
  words: process.argv.slice(2),
  isDev: false,
  title: ["plaza", ...process.argv.slice(2, 3)].join(" "),
});
