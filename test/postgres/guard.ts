/**
 * A process beside a test's PostgreSQL server, so that none outlives its test: when standard input
 * ends, because the test closed it or because the test's process died in whatever way, it stops
 * the server and removes its directory.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const [directory = ""] = process.argv.slice(2);
const waitMs = 50;
const turnsMax = 200;

/** The server's process id, while its directory says there is one and that process is this server. */
function serverPid(): number | undefined {
  try {
    const pid = Number(readFileSync(join(directory, "data", "postmaster.pid"), "utf8").split("\n")[0]);
    // After a kill -9 the file stays, and the number may be another process's by now.
    const words = existsSync("/proc") ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : directory;
    return words.includes(directory) ? pid : undefined;
  } catch {
    return undefined;
  }
}

function signal(name: NodeJS.Signals): void {
  const pid = serverPid();
  if (pid !== undefined) process.kill(pid, name);
}

// A terminal's Ctrl-C reaches this process too; its work begins when the test is gone.
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => {});
for await (const _ of process.stdin) {
  // Nothing is ever sent.
}
signal("SIGCONT");
signal("SIGQUIT");
for (let turn = 0; turn < turnsMax && serverPid() !== undefined; turn++) await setTimeout(waitMs);
rmSync(directory, { recursive: true, force: true });
