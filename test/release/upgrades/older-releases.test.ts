/** Which commits a check of upgrades begins at, in small repositories. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { findOlder } from "./older-releases.ts";

function newFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "plaza-older-test-"));
  context.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

const author = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
const git = (folder: string, ...words: string[]): string =>
  execFileSync("git", [...author, ...words], { cwd: folder, encoding: "utf8", stdio: "pipe" }).trim();

const migration = (name: string): string => `server/src/store/migrations/${name}.ts`;

/** Each commit adds these files. */
function repository(context: TestContext, ...commits: string[][]): { folder: string; hashes: string[] } {
  const folder = newFolder(context);
  git(folder, "init", "--quiet");
  const hashes = commits.map((files) => {
    for (const file of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), file);
    }
    git(folder, "add", ".");
    git(folder, "commit", "--quiet", "--message", files.join(", "));
    return git(folder, "rev-parse", "HEAD");
  });
  return { folder, hashes };
}

const commits = [
  [migration("0001-0015/0001-initial")],
  [migration("0001-0015/0002-ledger"), migration("0001-0015/0002-ledger.test")],
  ["tools/release.ts"],
  [migration("0016-next")],
  [migration("backfill"), "readme"],
  [migration("0017-last")],
  ["docs"],
];

test("without a tag: the last commit of each older schema that can be released", (context) => {
  const { folder, hashes } = repository(context, ...commits);
  assert.deepEqual(findOlder(folder), [
    { version: "0.0.1-schema.2", commit: hashes[2], schema: 2 },
    { version: "0.0.1-schema.16", commit: hashes[4], schema: 16 },
  ]);
});

test("with tags: every tagged version, by number", (context) => {
  const { folder, hashes } = repository(context, ...commits);
  for (const [tag, index] of [
    ["v0.10.0", 5],
    ["v0.9.0", 3],
    ["vendor", 2],
  ] as const)
    git(folder, "tag", tag, String(hashes[index]));
  assert.deepEqual(findOlder(folder), [
    { version: "0.9.0", commit: hashes[3], schema: 16 },
    { version: "0.10.0", commit: hashes[5], schema: 17 },
  ]);
});

test("without a history it says why there is none", (context) => {
  const { folder } = repository(context, ...commits);
  const shallow = join(newFolder(context), "clone");
  git(folder, "clone", "--quiet", "--depth=1", pathToFileURL(folder).href, shallow);
  assert.match(String(findOlder(shallow)), /this clone is shallow.*git fetch --unshallow --tags/);
  assert.match(String(findOlder(newFolder(context))), /no git checkout/);
  const young = repository(context, ["tools/release.ts", migration("0001-initial")]);
  assert.match(String(findOlder(young.folder)), /no version is tagged/);
});
