/** Makes all files of a release, in the order in which they need each other. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { debName, makeDeb } from "./deb.ts";
import { executableCommand, makeExecutables, targets as platforms, type Target } from "./executable.ts";
import { licencesFile } from "./licences.ts";
import { packageCommand, packageFiles, packageName, packPackage } from "./npm-package.ts";
import { bundledPackages } from "./packages.ts";
import { type Release, ReleaseFailure } from "./preconditions.ts";
import { type Files, makeConsole, makeServer, readFiles } from "./product.ts";
import { provenance, sha256Of } from "./provenance.ts";
import { billOfMaterials } from "./sbom.ts";

export interface MakeOptions {
  readonly release: Release;
  /** A release that is in it is replaced. */
  readonly folder: string;
  readonly targets: readonly Target[];
  /** Called with what is being made. */
  readonly report: (line: string) => void;
}

const sumsFile = "SHA256SUMS";

const firstLineOf = (command: string, ...words: string[]): string =>
  execFileSync(command, words, { encoding: "utf8" }).split("\n", 1)[0] ?? "";

/** Makes the folder, or removes the release in it. Throws when there is anything else in it. */
function emptyFolder(folder: string): void {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  if (names.length > 0 && !names.includes(sumsFile))
    throw new ReleaseFailure(`${folder} has files that are no release: name another folder with --out.`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}

/** Makes the release's files in the folder; returns their sizes in bytes by name. */
export async function makeRelease(options: MakeOptions): Promise<ReadonlyMap<string, number>> {
  const { release, folder, targets, report } = options;
  const { version } = release;
  emptyFolder(folder);
  const outputs = new Map<string, Uint8Array>();
  const write = (name: string, content: Uint8Array | string): void => {
    const bytes = Buffer.from(content);
    writeFileSync(join(folder, name), bytes);
    outputs.set(name, bytes);
  };

  report("console");
  const site = await makeConsole();
  report("server");
  const server = await makeServer(version, packageCommand);
  const packages = bundledPackages([...site.moduleIds, ...server.moduleIds]);
  const licences = licencesFile(packages);
  const shared: Files = new Map([...site.files, ...readFiles("catalog/models/*.json")]);

  report("npm package");
  const product = new Map([...server.files, ...shared]);
  write(
    `${packageName}-${version}.tgz`,
    await packPackage(packageFiles(version, product, licences), release),
  );

  if (targets.length > 0) {
    const named = await makeServer(version, executableCommand);
    const files = new Map(targets.map((target) => [target, join(folder, `plaza-${version}-${target}`)]));
    await makeExecutables(new Map([...named.files, ...shared]), files, report);
    for (const [target, executable] of files) {
      chmodSync(executable, 0o755);
      outputs.set(`plaza-${version}-${target}`, readFileSync(executable));
      report(`Debian package for ${target}`);
      const name = debName(version, target);
      makeDeb({ release, target, executable, licences, file: join(folder, name) });
      outputs.set(name, readFileSync(join(folder, name)));
    }
  }

  report("documents");
  write("THIRD-PARTY-LICENSES", licences);
  write("CHANGES.md", `# Plaza ${version}\n\n${release.changes}\n`);
  write(`${packageName}-${version}.cdx.json`, billOfMaterials(release, packages));
  const programs =
    targets.length > 0 ? [...targets.map((target) => platforms[target].strip), "dpkg-deb"] : [];
  const tools = {
    node: process.version,
    ...Object.fromEntries(programs.map((program) => [program, firstLineOf(program, "--version")])),
  };
  write(`${packageName}-${version}.intoto.json`, provenance({ release, targets, outputs, tools }));
  const sums = [...outputs].map(([name, bytes]) => `${sha256Of(bytes)}  ${name}\n`);
  write(sumsFile, sums.join(""));
  return new Map([...outputs].map(([name, { length }]) => [name, length]));
}
