/** Which versions are released, in a small repository of its own. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { sectionOf } from "./preconditions.ts";

const changelog = "# Changes\n\n## Unreleased\n\nNew.\n\n## 1.2.0 (2026-11-27)\n\n### Upgrading\n\nOld.\n";
const folder = mkdtempSync(join(tmpdir(), "plaza-preconditions-"));
let checkRelease: typeof import("./preconditions.ts").checkRelease;

before(async () => {
  mkdirSync(join(folder, "tools/release"), { recursive: true });
  for (const name of ["preconditions.ts", "root.ts"])
    cpSync(new URL(name, import.meta.url), join(folder, "tools/release", name));
  writeFileSync(join(folder, "CHANGELOG.md"), changelog);
  writeFileSync(join(folder, "package-lock.json"), "{}");
  writeFileSync(join(folder, "package.json"), `{"type":"module"}`);
  const git = (...words: string[]) => execFileSync("git", words, { cwd: folder, stdio: "pipe" });
  git("init", "--quiet");
  git("add", ".");
  const who = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
  git(...who, "-c", "commit.gpgsign=false", "commit", "--quiet", "-m", "all");
  ({ checkRelease } = await import(pathToFileURL(join(folder, "tools/release/preconditions.ts")).href));
});
after(() => rmSync(folder, { recursive: true }));

test("a version's section is what stands under its heading", () => {
  assert.equal(sectionOf(changelog, "1.2.0"), "### Upgrading\n\nOld.");
  assert.equal(sectionOf(changelog, "Unreleased"), "New.");
  assert.equal(sectionOf(changelog, "1.2"), undefined);
});

test("a version with a section is released, a prerelease also without one", () => {
  const release = checkRelease("1.2.0", false);
  assert.equal(release.changes, "### Upgrading\n\nOld.");
  assert.match(release.commit, /^[0-9a-f]{40}$/);
  assert.equal(release.isDirty, false);
  assert.ok(Math.abs(release.time.getTime() - Date.now()) < 60_000);
  assert.equal(checkRelease("1.3.0-dev.1", false).changes, "New.");
});

for (const version of ["1.2", "v1.2.0", "1.02.0", "1.2.0-", "1.2.0 ", "latest", ""])
  test(`"${version}" is no version`, () => {
    assert.throws(() => checkRelease(version, true), /is not a semantic version/);
  });

test("a version without a section is refused", () => {
  assert.throws(() => checkRelease("1.3.0", true), /CHANGELOG.md has no section "## 1.3.0"/);
});

test("files that are not committed are refused, unless they are allowed", () => {
  writeFileSync(join(folder, "new.txt"), "");
  assert.throws(() => checkRelease("1.2.0", false), /1 files differ from the commit:\n\?\? new.txt/);
  assert.equal(checkRelease("1.2.0", true).isDirty, true);
});

test("SOURCE_DATE_EPOCH decides every time", (context) => {
  context.after(() => delete process.env["SOURCE_DATE_EPOCH"]);
  process.env["SOURCE_DATE_EPOCH"] = "1700000000";
  assert.equal(checkRelease("1.2.0", true).time.toISOString(), "2023-11-14T22:13:20.000Z");
  process.env["SOURCE_DATE_EPOCH"] = "yesterday";
  assert.throws(() => checkRelease("1.2.0", true), /SOURCE_DATE_EPOCH/);
});
