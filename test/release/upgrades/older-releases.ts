/**
 * Finds the releases that an upgrade can begin at: every tag `v…`; or, as long as there is none, the last
 * commit of every landed schema that `npm run release` can make a release of. Makes each once and keeps it in
 * `dist/upgrades`. Needs the git history, which a shallow clone lacks.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockBytes, root } from "../../../tools/release/root.ts";

export interface Older {
  readonly version: string;
  /** Full hash. */
  readonly commit: string;
  /** The newest schema that it knows. */
  readonly schema: number;
}

export type MadeRelease = { readonly folder: string } | { readonly reason: string };

const migrationsFolder = "server/src/store/migrations";
/** Folders with the packages that releases are made with. */
const packageFolders = ["node_modules", "web/node_modules", "client/node_modules"];
/** Tools write into these files in place, which would change those of this checkout. */
const caches = [".cache", ".vite"];
const outputMax = 64 * 1024 ** 2;
export const target = "linux-x64";

type Git = (...words: string[]) => string;

const gitIn =
  (checkout: string): Git =>
  (...words) =>
    execFileSync("git", words, { cwd: checkout, encoding: "utf8", maxBuffer: outputMax }).trim();
const linesOf = (text: string): string[] => text.split("\n").filter(Boolean);

/** The newest schema among the migrations of a commit. */
function schemaAt(git: Git, commit: string): number {
  const names = linesOf(git("ls-tree", "-r", "--name-only", commit, `${migrationsFolder}/`));
  const versions = names.map((name) => Number(/\/(\d{4})-[a-z-]+\.ts$/.exec(name)?.[1] ?? 0));
  return Math.max(0, ...versions);
}

/** Why no older release can be found; undefined when they can. */
function whyNoHistory(checkout: string): string | undefined {
  const words = ["rev-parse", "--is-shallow-repository"];
  const { status, stdout } = spawnSync("git", words, { cwd: checkout, encoding: "utf8" });
  if (status !== 0) return "this is no git checkout, and older releases are made from its history";
  if (stdout.trim() === "true")
    return "this clone is shallow, and older releases are made from its history: git fetch --unshallow --tags";
  return undefined;
}

function tagged(git: Git): Older[] {
  const tags = git("tag", "--merged", "HEAD", "--list", "v[0-9]*", "--sort=version:refname");
  return linesOf(tags).map((tag) => {
    const commit = git("rev-parse", `${tag}^{commit}`);
    return { version: tag.slice(1), commit, schema: schemaAt(git, commit) };
  });
}

/** The last commits of the schemas before this one, oldest first. */
function landed(git: Git): Older[] {
  const added = git("log", "--reverse", "--diff-filter=A", "--format=%H", "--", "tools/release.ts");
  const [first] = linesOf(added);
  if (first === undefined) return [];
  const able = new Set([first, ...linesOf(git("rev-list", "--ancestry-path", `${first}..HEAD`))]);
  const found: Older[] = [];
  let newer = schemaAt(git, "HEAD");
  for (const change of linesOf(git("rev-list", "--first-parent", "HEAD", "--", migrationsFolder))) {
    if (!able.has(change) || change === first) break;
    const commit = git("rev-parse", `${change}^`);
    if (!able.has(commit)) break;
    const schema = schemaAt(git, commit);
    if (schema < newer) found.unshift({ version: `0.0.1-schema.${schema}`, commit, schema });
    newer = schema;
  }
  return found;
}

/** Releases to begin at, oldest first; or why there is none. */
export function findOlder(checkout = root): readonly Older[] | string {
  const reason = whyNoHistory(checkout);
  if (reason !== undefined) return reason;
  const git = gitIn(checkout);
  const tags = tagged(git);
  const found = tags.length > 0 ? tags : landed(git);
  return found.length > 0
    ? found
    : "no version is tagged, and no commit with `npm run release` has an older schema";
}

const kept = join(root, "dist/upgrades");
const folderOf = ({ version, commit }: Older): string => join(kept, `${version}-${commit.slice(0, 12)}`);

/** Removes kept releases that no check needs any more. */
export function forgetOthers(all: readonly Older[]): void {
  const folders = new Set(all.map(folderOf));
  for (const name of existsSync(kept) ? readdirSync(kept) : []) {
    const folder = join(kept, name);
    if (!folders.has(folder)) rmSync(folder, { recursive: true });
  }
}

/** Links the packages of this checkout into another one on the same disk, or copies them. */
function sharePackages(checkout: string): void {
  for (const name of packageFolders) {
    const from = join(root, name);
    const to = join(checkout, name);
    if (!existsSync(from)) continue;
    if (spawnSync("cp", ["-al", from, to]).status !== 0) {
      rmSync(to, { recursive: true, force: true });
      execFileSync("cp", ["-a", from, to]);
    }
    for (const cache of caches) rmSync(join(to, cache), { recursive: true, force: true });
  }
}

/** Gives a checkout the packages of its lock file; returns why that cannot be done. */
function addPackages(checkout: string): string | undefined {
  if (readFileSync(join(checkout, "package-lock.json")).equals(lockBytes)) {
    sharePackages(checkout);
    return undefined;
  }
  const words = ["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  const { status, stderr } = spawnSync("npm", words, { cwd: checkout, encoding: "utf8" });
  return status === 0 ? undefined : `npm cannot install the packages of its commit: ${stderr.slice(-500)}`;
}

/** Makes a release of the checkout in `cwd`. */
export function makeReleaseIn(cwd: string, version: string, out: string): void {
  const words = ["tools/release.ts", version, "--allow-dirty", "--targets", target, "--out", out];
  execFileSync(process.execPath, words, { cwd, stdio: ["ignore", "pipe", "inherit"] });
}

/** Makes the release unless it is kept from before. Returns its folder, or why it cannot be made. */
export function releaseOf(older: Older, report: (line: string) => void): MadeRelease {
  const folder = folderOf(older);
  if (existsSync(join(folder, "SHA256SUMS"))) return { folder };
  const work = mkdtempSync(join(tmpdir(), "plaza-older-"));
  const checkout = join(work, "checkout");
  try {
    report(`making ${older.version} of commit ${older.commit.slice(0, 12)}`);
    // A clone, because a worktree would be written into this repository.
    gitIn(root)("clone", "--quiet", "--shared", "--no-checkout", root, checkout);
    execFileSync("git", ["checkout", "--quiet", "--detach", older.commit], { cwd: checkout });
    const reason = addPackages(checkout);
    if (reason !== undefined) return { reason };
    mkdirSync(kept, { recursive: true });
    makeReleaseIn(checkout, older.version, folder);
    return { folder };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
