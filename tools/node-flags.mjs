/**
 * Node flags that a command wants. Imports nothing, so that a restart costs little; parses on Node 12.
 */

/**
 * Restarts this process in place with those of the flags, `--name=value`, and variables that were not given.
 * Returns when no flag is missing, in a worker, which has those of its primary, and on Windows, which cannot
 * do it.
 */
export function addFlags(flags, variables) {
  const given = [...process.execArgv, process.env.NODE_OPTIONS || ""].join(" ");
  const missing = flags.filter((flag) => !given.includes(flag.split("=")[0]));
  if (missing.length === 0 || process.env.NODE_UNIQUE_ID !== undefined) return;
  if (process.platform === "win32" || process.execve === undefined) return;
  const words = [process.execPath, ...process.execArgv, ...missing, ...process.argv.slice(1)];
  process.execve(process.execPath, words, { ...variables, ...process.env });
}
