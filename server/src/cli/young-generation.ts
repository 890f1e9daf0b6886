/**
 * Limits V8's young generation, which otherwise grows to two halves of 64 MB. Every socket read attaches a 64
 * KiB buffer to a small young object, so a busy process would keep hundreds of megabytes of buffers until the
 * next collection.
 */
import cluster from "node:cluster";
import { commandFile } from "../process/command-file.ts";

const flagName = "--max-semi-space-size";
const sizeMb = 32;

/**
 * Restarts this process in place with the limit. Returns when it is already set or cannot be set (Windows).
 */
export function boundYoungGeneration(env: Readonly<Record<string, string | undefined>>): void {
  const given = [...process.execArgv, env["NODE_OPTIONS"] ?? ""];
  if (cluster.isWorker || given.some((word) => word.includes(flagName))) return;
  if (process.platform === "win32" || process.execve === undefined) return;
  const words = [...process.execArgv, `${flagName}=${sizeMb}`, commandFile, ...process.argv.slice(2)];
  process.execve(process.execPath, [process.execPath, ...words], { ...env });
}
