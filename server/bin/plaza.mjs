#!/usr/bin/env node
/** The `plaza` command: runs cli/main.ts through the launcher, on any Node from 12 on. */
import { fileURLToPath } from "node:url";
import { launch } from "../../tools/launch.mjs";

launch({
  script: fileURLToPath(new URL("../src/cli/main.ts", import.meta.url)),
  words: process.argv.slice(2),
  isDev: false,
  title: ["plaza", ...process.argv.slice(2, 3)].join(" "),
});
