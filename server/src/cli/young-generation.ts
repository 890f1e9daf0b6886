/**
 * Bounds V8's young generation. Left alone it grows to 64 MB twice over, and because every read from a
 * socket hangs a 64 KiB buffer on a small young object, a busy process keeps hundreds of megabytes of
 * buffers waiting for the next collection.
 */
import cluster from "node:cluster";
import { fileURLToPath } from "node:url";

const flagName = "--max-semi-space-size";
const sizeMb = 32;
/**
 * The command from its beginning, so that the launcher does its part again
 * (compile cache, end with its parent).
 */
const command = fileURLToPath(new URL("../../bin/plaza.mjs", import.meta.url));

/**
 * Starts this process over, in place, with the bound; returns when it is set already or cannot be (Windows).
 */
export function boundYoungGeneration(env: Readonly<Record<string, string | undefined>>): void {
  const given = [...process.execArgv, env["NODE_OPTIONS"] ?? ""];
  if (cluster.isWorker || given.some((word) => word.includes(flagName))) return;
  if (process.platform === "win32" || process.execve === undefined) return;
  const words = [...process.execArgv, `${flagName}=${sizeMb}`, command, ...process.argv.slice(2)];
  process.execve(process.execPath, [process.execPath, ...words], { ...env });
}
