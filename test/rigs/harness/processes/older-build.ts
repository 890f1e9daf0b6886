/**
 * Builds of Plaza as they were at a commit, from the checkout's git history: its files in a folder of their
 * own, with this checkout's packages. Needs the history, which a shallow clone lacks.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootFolder } from "./processes.ts";

/** The workspaces' own packages, which are files of the commit. */
const ownScope = "@plaza";
const ownPackages = ["contract", "server", "web"];
/** What the launcher and npm note of an installation. */
const stamp = ".plaza-installed";
const installRecords = [stamp, ".package-lock.json"];
const archiveBytesMax = 256 * 1024 ** 2;

/** True when this checkout knows the commit. */
export function hasCommit(commit: string): boolean {
  const words = ["cat-file", "-e", `${commit}^{commit}`];
  return spawnSync("git", words, { cwd: rootFolder, stdio: "ignore" }).status === 0;
}

/** Puts the files of a commit into a new folder. Returns the script of its `plaza` command. */
export function unpackBuild(commit: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const words = ["archive", "--format=tar", commit];
  const archive = execFileSync("git", words, { cwd: rootFolder, maxBuffer: archiveBytesMax });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  const packages = join(folder, "node_modules");
  mkdirSync(join(packages, ownScope), { recursive: true });
  for (const name of readdirSync(join(rootFolder, "node_modules"))) {
    if (name !== ownScope && !installRecords.includes(name))
      symlinkSync(join(rootFolder, "node_modules", name), join(packages, name));
  }
  // Its launcher would install its own packages, over these.
  const lock = createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .digest("hex");
  writeFileSync(join(packages, stamp), `${lock} dev\n`);
  for (const name of ownPackages) symlinkSync(join(folder, name), join(packages, ownScope, name));
  return join(folder, "server/src/cli/main.ts");
}
