/** Temporary files of tests in memory, where the system has such a folder with room (Linux). */
import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { freemem } from "node:os";

const shared = "/dev/shm";
/** The tests of one run need some 500 MB at a time. */
const freeBytesMin = 4 * 1024 ** 3;

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(shared);
    return Math.min(bavail * bsize, freemem()) >= freeBytesMin;
  } catch {
    return false;
  }
}

/** Names the folder for `os.tmpdir()`, removed at exit; undefined: the system's own. */
export function inMemory(): Readonly<Record<string, string>> | undefined {
  if (!hasRoom()) return undefined;
  const folder = mkdtempSync(`${shared}/plaza-tests-`);
  // Like /tmp: some tests run as a user of fewer rights.
  chmodSync(folder, 0o1777);
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return { TMPDIR: folder };
}
