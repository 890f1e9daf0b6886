/**
 * A process that ensures that a test's PostgreSQL server does not outlive the test: when standard input ends,
 * because the test closed it or its process died, it stops the server and removes its directory.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const [directory = ""] = process.argv.slice(2);
const waitMs = 50;
const turnsMax = 200;

/** The server's process id from its directory, if that process is still this server. */
function serverPid(): number | undefined {
  try {
    const pid = Number(readFileSync(join(directory, "data", "postmaster.pid"), "utf8").split("\n")[0]);
    // After a kill -9 the file remains, and its process id may have been reused.
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

// Ctrl-C in a terminal reaches this process too; it must continue until the test has exited.
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => {});
for await (const _ of process.stdin) {
  // Discard input.
}
signal("SIGCONT");
signal("SIGQUIT");
for (let turn = 0; turn < turnsMax && serverPid() !== undefined; turn++) await setTimeout(waitMs);
rmSync(directory, { recursive: true, force: true });
