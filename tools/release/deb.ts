/** The Debian package: the executable for a platform with its service (`packaging/`). */

import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Target } from "./executable.ts";
import { packageName } from "./npm-package.ts";
import type { Release } from "./preconditions.ts";
import { root } from "./root.ts";
import { runProgram } from "./run-program.ts";

const architectures: Readonly<Record<Target, string>> = { "linux-x64": "amd64", "linux-arm64": "arm64" };

/** Prereleases sort before their release: `0.2.0-dev.1` is `0.2.0~dev.1`. */
const debianVersion = (version: string): string => version.replace("-", "~");

export const debName = (version: string, target: Target): string =>
  `${packageName}_${debianVersion(version)}_${architectures[target]}.deb`;

const settingsFile = "etc/plaza/plaza.env";

/** Files of this repository by their path in the package. */
const packaged: Readonly<Record<string, string>> = {
  [settingsFile]: "packaging/systemd/plaza.env",
  "usr/lib/systemd/system/plaza.service": "packaging/systemd/plaza.service",
  "usr/lib/sysusers.d/plaza.conf": "packaging/systemd/plaza.sysusers",
};
const scripts = ["postinst", "postrm", "prerm"];

function control(version: string, target: Target, bytes: number): string {
  const { description } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    description: string;
  };
  return `Package: ${packageName}
Version: ${debianVersion(version)}
Architecture: ${architectures[target]}
Maintainer: The Plaza authors <plaza@localhost>
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: libc6 (>= 2.28), libstdc++6, systemd
Section: net
Priority: optional
Description: self-hosted model gateway
 ${description}
`;
}

export interface DebOptions {
  readonly release: Release;
  readonly target: Target;
  readonly executable: string;
  /** THIRD-PARTY-LICENSES. */
  readonly licences: string;
  /** Where to write the package. */
  readonly file: string;
}

/** Makes the package at `file`. Its bytes depend on the release and the executable alone. */
export function makeDeb({ release, target, executable, licences, file }: DebOptions): void {
  const { version, time } = release;
  const folder = mkdtempSync(join(tmpdir(), "plaza-deb-"));
  const write = (path: string, content: Buffer | string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  try {
    for (const [path, source] of Object.entries(packaged)) write(path, readFileSync(join(root, source)));
    const licence = readFileSync(join(root, "LICENSE"), "utf8");
    write(`usr/share/doc/${packageName}/copyright`, `${licence}\n${licences}`);
    mkdirSync(join(folder, "usr/bin"));
    copyFileSync(executable, join(folder, "usr/bin/plaza"));
    const paths = globSync("**", { cwd: folder, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .sort();
    const bytes = paths.reduce((sum, path) => sum + statSync(join(folder, path)).size, 0);
    const md5 = (path: string) =>
      createHash("md5")
        .update(readFileSync(join(folder, path)))
        .digest("hex");
    write("DEBIAN/control", control(version, target, bytes));
    write("DEBIAN/conffiles", `/${settingsFile}\n`);
    write("DEBIAN/md5sums", paths.map((path) => `${md5(path)}  ${path}\n`).join(""));
    for (const name of scripts) write(`DEBIAN/${name}`, readFileSync(join(root, "packaging/deb", name)));
    for (const entry of globSync(["**", "."], { cwd: folder, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const isProgram =
        path.endsWith("/usr/bin/plaza") || scripts.some((name) => path.endsWith(`/DEBIAN/${name}`));
      // The settings may have a password in them; systemd reads them as root.
      const fileMode = path.endsWith(settingsFile) ? 0o600 : 0o644;
      chmodSync(path, entry.isDirectory() || isProgram ? 0o755 : fileMode);
      utimesSync(path, time, time);
    }
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(time.getTime() / 1000) };
    runProgram("dpkg-deb", ["--root-owner-group", "-Zgzip", "-z3", "--build", folder, file], {
      cwd: folder,
      env,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
