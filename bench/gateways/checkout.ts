/** Finds a checkout of Plaza to measure, checks that it can start, and builds what it runs. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const command = join("server", "bin", "plaza.mjs");
const build = join("tools", "build.ts");

/** Builds the server, as `npm start` does first. Older checkouts have no build and run their sources. */
function buildServer(root: string): void {
  if (!existsSync(join(root, build))) return;
  const { status } = spawnSync(process.execPath, [build, "--must"], { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`${root} could not be built; the messages above say why`);
}

/**
 * The path of `plaza.mjs`, given the file or the checkout's folder. Throws with instructions when it is
 * missing, cannot be built, or has no dependencies: the command would otherwise install them during the run.
 */
export function findPlaza(given: string): string {
  const path = resolve(given);
  if (!existsSync(path)) throw new Error(`no Plaza to measure: ${path} does not exist`);
  const script = statSync(path).isDirectory() ? join(path, command) : path;
  if (!existsSync(script)) throw new Error(`${path} is no checkout of Plaza: it has no ${command}`);
  const root = resolve(script, "..", "..", "..");
  if (!existsSync(join(root, "node_modules"))) {
    throw new Error(`${root} has no node_modules: run npm ci in it first`);
  }
  const stamp = join(root, "node_modules", ".plaza-installed");
  const lock = join(root, "package-lock.json");
  if (existsSync(stamp) && existsSync(lock)) {
    const digest = createHash("sha256").update(readFileSync(lock)).digest("hex");
    if (!readFileSync(stamp, "utf8").startsWith(digest)) {
      throw new Error(
        `what is installed in ${root} is not what its package-lock.json asks for: run npm ci in it first`,
      );
    }
  }
  buildServer(root);
  return script;
}
