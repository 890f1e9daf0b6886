/** Decides whether a version can be released from this checkout, and reads what the release says of both. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.ts";

/** A failure with a message for the user, without a stack trace. */
export class ReleaseFailure extends Error {}

export interface Release {
  readonly version: string;
  /** Full hash of the commit. */
  readonly commit: string;
  /** True when files differ from the commit. */
  readonly isDirty: boolean;
  /** Every time in the release: of the commit, or SOURCE_DATE_EPOCH. Whole seconds. */
  readonly time: Date;
  /** The version's section of CHANGELOG.md. */
  readonly changes: string;
}

/** From the specification of semantic versions 2.0.0. */
const versionForm =
  /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(-(?:0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*))*)?(?:\+[\da-zA-Z-]+(?:\.[\da-zA-Z-]+)*)?$/;

const git = (...words: string[]): string =>
  execFileSync("git", words, { cwd: root, encoding: "utf8" }).trimEnd();

/** The text under `## NAME`, with or without more words after the name; undefined when there is none. */
export function sectionOf(changelog: string, name: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === name);
  return section?.slice(section.indexOf("\n")).trim();
}

function changesOf(version: string, isPrerelease: boolean): string {
  const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  const section =
    sectionOf(changelog, version) ?? (isPrerelease ? sectionOf(changelog, "Unreleased") : undefined);
  if (section !== undefined) return section;
  throw new ReleaseFailure(
    `CHANGELOG.md has no section "## ${version}": rename "## Unreleased", and begin a new one above it. Prereleases such as ${version}-dev.1 need none.`,
  );
}

function timeOf(commit: string): Date {
  const given = process.env["SOURCE_DATE_EPOCH"];
  if (given !== undefined && !/^\d{1,11}$/.test(given))
    throw new ReleaseFailure(`SOURCE_DATE_EPOCH must be seconds since 1970; it is "${given}".`);
  return new Date(Number(given ?? git("show", "-s", "--format=%ct", commit)) * 1000);
}

/** Throws a ReleaseFailure when this version cannot be released from this tree. */
export function checkRelease(version: string, isDirtyAllowed: boolean): Release {
  const form = versionForm.exec(version);
  if (form === null)
    throw new ReleaseFailure(`"${version}" is not a semantic version such as 1.4.0 or 1.4.0-dev.1.`);
  const changes = changesOf(version, form[1] !== undefined);
  const commit = git("rev-parse", "HEAD");
  const changed = git("status", "--porcelain").split("\n").filter(Boolean);
  if (changed.length > 0 && !isDirtyAllowed) {
    const shown = changed.slice(0, 5).join("\n");
    throw new ReleaseFailure(
      `${changed.length} files differ from the commit:\n${shown}\nCommit them, or add --allow-dirty to try a release that others cannot repeat.`,
    );
  }
  return { version, commit, isDirty: changed.length > 0, time: timeOf(commit), changes };
}
