/**
 * The packages from which the catalog is generated, with exact versions, and how they are fetched: `npm pack`
 * into a temporary folder, checked against the digests below.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type SourceName = "pi-ai" | "genai-prices" | "pi-catalog";

/** One pinned package. */
export interface SourcePackage {
  readonly name: SourceName;
  readonly package: string;
  readonly version: string;
  /** The registry's digest of the tarball. */
  readonly integrity: string;
  /** The date of its figures: from its manifest, otherwise of its publication. */
  readonly date: string;
  readonly copyright: string;
  readonly licenceFile: string | undefined;
}

/** In order of trust: the first package with a fact wins. */
export const sourcePackages: readonly SourcePackage[] = [
  {
    name: "pi-ai",
    package: "@earendil-works/pi-ai",
    version: "1.5.2",
    integrity:
      "sha512-2tWPSnV3qzfiDIY3aWluBag3vC++Vs+VsXt/UquSU5onPMohPih72FUhIhaqmDdMYubOgB3Byl9uF4Vk40JLvQ==",
    date: "2026-11-10",
    copyright: "Mario Zechner",
    licenceFile: undefined,
  },
  {
    name: "pi-catalog",
    package: "@oh-my-pi/pi-catalog",
    version: "18.2.11",
    integrity:
      "sha512-EGdYEeC77mGfBy7xvEcpAigvY+5cuNSjXjcjP0iza+xUHci3fsBYv6yonnJtwWHQF1gX1SLlmIT7desek1hf0g==",
    date: "2026-09-23",
    copyright: "Can Bölük and Stencil Labs, Inc.",
    licenceFile: "LICENSE",
  },
  {
    name: "genai-prices",
    package: "@pydantic/genai-prices",
    version: "0.1.8",
    integrity:
      "sha512-h7CYw6qTyflG2zUndO8tXyL8Xopf+tX9JZu13h0ZFgeyYj+J2gm1edR4+R+mbQ2vPdkFjtTmmmu1cYQPM5/KTA==",
    date: "2026-09-23",
    copyright: "Pydantic Services Inc.",
    licenceFile: "LICENSE",
  },
];

/** "@earendil-works/pi-ai@1.5.2" */
export const specifierOf = (source: SourcePackage): string => `${source.package}@${source.version}`;

/** A file of an unpacked package, by its path from the package's root. */
export type PackageFiles = (path: string) => string;

function digestOf(file: string): string {
  return `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
}

function unpack(source: SourcePackage, folder: string): PackageFiles {
  mkdirSync(folder);
  // Only files are read: no scripts are run and no dependencies installed.
  const words = ["pack", specifierOf(source), "--pack-destination", folder, "--ignore-scripts", "--silent"];
  execFileSync("npm", words, { stdio: ["ignore", "ignore", "inherit"] });
  const [tarball = "", ...others] = readdirSync(folder);
  if (others.length > 0) throw new Error(`npm pack left more than one file for ${specifierOf(source)}`);
  const digest = digestOf(join(folder, tarball));
  if (digest !== source.integrity) {
    throw new Error(`${specifierOf(source)} is not the tarball that is pinned: its digest is ${digest}`);
  }
  execFileSync("tar", ["-xzf", join(folder, tarball), "-C", folder]);
  return (path) => readFileSync(join(folder, "package", path), "utf8");
}

/** Passes the files of all packages to `work`; removes them when it returns. */
export function withPackages<T>(work: (filesOf: (name: SourceName) => PackageFiles) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "plaza-catalog-"));
  try {
    const files = new Map(
      sourcePackages.map((source) => [source.name, unpack(source, join(folder, source.name))]),
    );
    return work((name) => files.get(name) as PackageFiles);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
