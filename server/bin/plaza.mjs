#!/usr/bin/env node
/**
 * The `plaza` command, through the launcher, on any Node from 12 on: the newest build while it is up to date,
 * otherwise, and with LAUNCH_SOURCES=1, cli/main.ts.
 */
import { fileURLToPath } from "node:url";
import { addFlags } from "../../tools/node-flags.mjs";

const words = process.argv.slice(2);

/**
 * Megabytes of a half of V8's young generation, which otherwise grows to two halves of 64. It grows with what
 * survives, so a thousand streams that begin fill both halves, and the process keeps them: 66 KB a stream
 * with halves of 16, about 50 with 8, and the CPU of a request cannot be told apart. With 4 it is 5 % more,
 * for 5 KB a stream. Every socket read of node:http also attaches a 64 KiB buffer to a small young object,
 * which is kept until the next collection.
 */
const youngHalf = 8;

/**
 * glibc gives each thread a malloc arena of its own, and what V8's helpers free in theirs stays there: 5 to
 * 25 KB a stream when a thousand begin. And it raises the size from which free memory goes back to the system
 * to twice the largest piece it has seen; fixed at 1 MB, a process is 10 MB smaller after its first hundred
 * requests. (With pieces of 32 KB mapped one by one a stream takes 42 KB instead of 50, but each body of
 * 100 KB costs ten page faults.)
 */
const mallocSettings = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_TRIM_THRESHOLD_: "1048576",
  MALLOC_MMAP_THRESHOLD_: "1048576",
};

/**
 * V8's helper threads, which compile and collect beside the serving thread: four by default. Together they
 * take a busy core for 20 ms at a time, in which callers wait. With one, the 99th percentile of first tokens
 * is 4 to 5 ms, with four it is 3 to 15, and a start takes 15 ms less.
 */
const helpers = 1;

const isServe = words[0] === "serve";
const nodeFlags = isServe ? [`--max-semi-space-size=${youngHalf}`, `--v8-pool-size=${helpers}`] : [];
const variables = isServe ? mallocSettings : {};
// Before anything else is loaded: a restart then costs a start 20 ms less.
addFlags(nodeFlags, variables);

const root = fileURLToPath(new URL("../..", import.meta.url));
const source = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));
Promise.all([import("../../tools/build/current-build.mjs"), import("../../tools/launch.mjs")]).then(
  ([{ currentBuild }, { launch }]) =>
    launch({
      script: () => (process.env.LAUNCH_SOURCES === "1" ? undefined : currentBuild(root)) || source,
      words,
      isDev: false,
      title: ["plaza", ...words.slice(0, 1)].join(" "),
      nodeFlags,
      variables,
    }),
);
