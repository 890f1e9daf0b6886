/**
 * Builds the console and the server unless they are up to date. `npm start` runs it at the first start and
 * after updates; with `--must` a failure ends with status 1.
 */
import { buildConsole } from "./build/console.ts";
import { buildServer } from "./build/server.ts";

async function attempt(build: () => void | Promise<void>, otherwise: string): Promise<boolean> {
  try {
    await build();
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${reason}\n${otherwise}\n`);
    return false;
  }
}

const isConsole = await attempt(
  buildConsole,
  "The console could not be built; the messages above say why. The gateway starts without it.",
);
const isServer = await attempt(
  buildServer,
  "The server could not be built; the messages above say why. It runs from its sources, which is slower.",
);
if (process.argv.includes("--must") && !(isConsole && isServer)) process.exitCode = 1;
