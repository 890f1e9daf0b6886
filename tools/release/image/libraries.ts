/**
 * The shared libraries of an image: those that Node needs, from Debian's newest packages for the platform.
 * They come from the package sources of this machine, whatever it has installed itself.
 */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ReleaseFailure } from "../preconditions.ts";
import { runProgram } from "../run-program.ts";
import { sha256Of } from "../sha256.ts";

/** A platform in the words of images and of Debian. */
export interface Platform {
  readonly architecture: "amd64" | "arm64";
  /** The folder of its libraries, and the beginning of the names of its binutils. */
  readonly triple: "x86_64-linux-gnu" | "aarch64-linux-gnu";
}

/** A package of Debian that an image contains files of. */
export interface SystemPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  /** Checksum of the package's file, in hexadecimal. */
  readonly sha256: string;
  /** Its control file, which scanners of images read. */
  readonly control: Buffer;
  readonly copyright: Buffer;
}

/** The name of a package in SBOM and provenance. */
export const systemPurl = ({ name, version, architecture }: SystemPackage): string =>
  `pkg:deb/debian/${name.replaceAll("+", "%2B")}@${version.replaceAll("+", "%2B")}?arch=${architecture}`;

export interface Libraries {
  /** Files by their path in the image, without a leading slash. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly packages: readonly SystemPackage[];
}

/** Debian's packages with the libraries that Node names; apt adds what these depend on. */
const packageNames = ["libc6", "libgcc-s1", "libstdc++6"];

const outputOf = (file: string, ...words: string[]): string =>
  execFileSync(file, words, {
    encoding: "utf8",
    maxBuffer: 64 * 1024 ** 2,
    stdio: ["ignore", "pipe", "pipe"],
  });

/** Downloads packages below the folder, with apt's checks but without this machine's state; returns paths. */
function downloadPackages({ architecture }: Platform, folder: string): string[] {
  for (const name of ["lists/partial", "cache/archives/partial"])
    mkdirSync(join(folder, name), { recursive: true });
  const options = [
    `Dir::State::lists=${join(folder, "lists")}`,
    `Dir::Cache=${join(folder, "cache")}`,
    "Dir::State::status=/dev/null",
    `APT::Architecture=${architecture}`,
    `APT::Architectures=${architecture}`,
    "APT::Sandbox::User=",
    "Acquire::Languages=none",
    "Acquire::Retries=3",
    "Debug::NoLocking=true",
  ].flatMap((option) => ["-o", option]);
  const install = ["--yes", "--download-only", "--no-install-recommends", "install", ...packageNames];
  for (const words of [["update"], install])
    runProgram("apt-get", ["-qq", ...options, ...words], { cwd: folder });
  return globSync("cache/archives/*.deb", { cwd: folder })
    .sort()
    .map((path) => join(folder, path));
}

/** What the program or library names: libraries, and for a program its loader. */
function namesIn({ triple }: Platform, file: string): { loader: string | undefined; needed: string[] } {
  const text = outputOf(`${triple}-readelf`, "--wide", "--program-headers", "--dynamic", file);
  return {
    loader: /\[Requesting program interpreter: \/(.+)\]/.exec(text)?.[1],
    needed: [...text.matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(([, name]) => name as string),
  };
}

function readPackage(deb: string, root: string): SystemPackage {
  const fieldOf = (field: string): string => outputOf("dpkg-deb", "--field", deb, field).trim();
  const name = fieldOf("Package");
  return {
    name,
    version: fieldOf("Version"),
    architecture: fieldOf("Architecture"),
    sha256: sha256Of(readFileSync(deb)),
    control: execFileSync("dpkg-deb", ["--field", deb]),
    copyright: readFileSync(join(root, "usr/share/doc", name, "copyright")),
  };
}

/** Finds the libraries that `program` needs, and theirs. `folder`: an empty one to work in. */
export function findLibraries(platform: Platform, program: string, folder: string): Libraries {
  const debs = downloadPackages(platform, folder);
  const root = join(folder, "root");
  for (const deb of debs) runProgram("dpkg-deb", ["--extract", deb, root], { cwd: folder });
  const folders = [`lib/${platform.triple}`, `usr/lib/${platform.triple}`];
  const pathOf = (name: string): string => {
    const path = folders.map((one) => `${one}/${name}`).find((one) => existsSync(join(root, one)));
    if (path !== undefined) return path;
    throw new ReleaseFailure(`Node needs ${name}, which is not in Debian's ${packageNames.join(", ")}.`);
  };
  const { loader, needed } = namesIn(platform, program);
  if (loader === undefined) throw new ReleaseFailure(`${program} names no loader.`);
  const loaderName = loader.slice(loader.lastIndexOf("/") + 1);
  const sources = new Map([[loader, pathOf(loaderName)]]);
  const waiting = [...needed];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const target = `lib/${platform.triple}/${name}`;
    if (name === loaderName || sources.has(target)) continue;
    sources.set(target, pathOf(name));
    waiting.push(...namesIn(platform, join(root, pathOf(name))).needed);
  }
  const used = new Set(sources.values());
  const owners = debs.filter((deb) =>
    outputOf("dpkg-deb", "--contents", deb)
      .split("\n")
      .some((line) => used.has(/ \.\/(\S+)/.exec(line)?.[1] ?? "")),
  );
  return {
    files: new Map([...sources].map(([path, source]) => [path, readFileSync(join(root, source))])),
    packages: owners.map((deb) => readPackage(deb, root)),
  };
}
