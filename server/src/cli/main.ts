/**
 * The process of the `plaza` command: its streams, environment and exit status. Started by
 * server/bin/plaza.mjs.
 */
import pkg from "../../package.json" with { type: "json" };
import { systemClock } from "../lib/time/clock.ts";
import type { CommandIo } from "./command-io.ts";
import { servePlainly } from "./plain-serve.ts";
import { readyPlainly } from "./ready/ready.ts";

/** A reader that closes early (`plaza requests | head`) is not an error. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

const words = process.argv.slice(2);
const io: CommandIo = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  clock: systemClock,
  terminal: async () => (await import("./connect/terminal.ts")).processTerminal(),
};
const status = (await servePlainly(words, io)) ?? (await readyPlainly(words, io)) ?? (await runWithLibrary());

async function runWithLibrary(): Promise<0 | 1 | 2> {
  const { runCommand } = await import("./run.ts");
  return runCommand(words, io, pkg.version);
}

// A server that failed to start may leave threads that keep the process alive. Flush the output, then exit.
if (status !== 0) {
  process.stdout.write("", () => process.stderr.write("", () => process.exit(status)));
}
