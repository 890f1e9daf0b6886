/** Makes all files of a release, in the order in which they need each other. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chartName, packChart } from "./chart.ts";
import { clientArchive, clientPackageFiles } from "./client-package.ts";
import { debName, makeDeb } from "./deb.ts";
import {
  executableCommand,
  targets as executables,
  makeExecutables,
  stripNode,
  type Target,
} from "./executable.ts";
import { formula, formulaName } from "./homebrew.ts";
import { imageFile, makeImage, platforms } from "./image/image.ts";
import type { SystemPackage } from "./image/libraries.ts";
import { licencesFile } from "./licences.ts";
import { packageCommand, packageFiles, packageName, packPackage } from "./npm-package.ts";
import { bundledPackages } from "./packages.ts";
import { type Release, ReleaseFailure } from "./preconditions.ts";
import { type Files, makeConsole, makeServer, readFiles } from "./product.ts";
import { provenance } from "./provenance.ts";
import { billOfMaterials } from "./sbom.ts";
import { sha256Of } from "./sha256.ts";

export interface MakeOptions {
  readonly release: Release;
  /** A release that is in it is replaced. */
  readonly folder: string;
  readonly targets: readonly Target[];
  /** Whether to make images, for which Debian's packages are loaded. */
  readonly hasImages: boolean;
  /** Where the files will be published, for the Homebrew formula. */
  readonly url: string;
  /** Called with what is being made. */
  readonly report: (line: string) => void;
}

const executableName = (version: string, target: Target): string => `plaza-${version}-${target}`;

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

interface PlatformParts {
  readonly write: (name: string, content: Uint8Array | string) => void;
  /** The console and the catalog. */
  readonly shared: Files;
  readonly licences: string;
}

interface Packaged {
  /** Packages of Debian that images contain. */
  readonly system: readonly SystemPackage[];
  /** Programs that the outputs depend on. */
  readonly programs: readonly string[];
}

const none: Packaged = { system: [], programs: [] };

/** Makes executables, Debian packages and images of the targets. */
async function makePlatforms(
  { release, folder, targets, hasImages, report }: MakeOptions,
  { write, shared, licences }: PlatformParts,
): Promise<Packaged> {
  const { version } = release;
  const work = mkdtempSync(join(tmpdir(), "plaza-node-"));
  try {
    const server = await makeServer(version, executableCommand);
    const product = new Map([...server.files, ...shared]);
    const paths = new Map(
      targets.map((target) => {
        const node = join(work, `node-${target}`);
        stripNode(target, work, node);
        return [target, { node, file: join(folder, executableName(version, target)) }];
      }),
    );
    await makeExecutables(product, paths, report);
    const system: SystemPackage[] = [];
    for (const [target, { node, file }] of paths) {
      write(executableName(version, target), readFileSync(file));
      chmodSync(file, 0o755);
      report(`Debian package for ${target}`);
      const name = debName(version, target);
      makeDeb({ release, target, executable: file, licences, file: join(folder, name) });
      write(name, readFileSync(join(folder, name)));
      if (!hasImages) continue;
      report(`image for ${target}`);
      const image = await makeImage({ release, target, node, product, licences });
      write(imageFile(version, target), image.bytes);
      system.push(...image.packages);
    }
    const ofImages = hasImages
      ? ["apt-get", ...targets.map((target) => `${platforms[target].triple}-readelf`)]
      : [];
    return {
      system,
      programs: [...targets.map((target) => executables[target].strip), "dpkg-deb", ...ofImages],
    };
  } finally {
    rmSync(work, { recursive: true });
  }
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
  const npmFile = `${packageName}-${version}.tgz`;
  write(npmFile, await packPackage(packageFiles(version, product, licences), release));

  report("client package");
  write(clientArchive(version), await packPackage(clientPackageFiles(version), release));

  const packaged = targets.length === 0 ? none : await makePlatforms(options, { write, shared, licences });

  report("documents");
  write(chartName(version), await packChart(release));
  const published = (name: string) => ({ name, sha256: sha256Of(outputs.get(name) ?? Buffer.alloc(0)) });
  const executables = new Map(targets.map((target) => [target, published(executableName(version, target))]));
  write(formulaName, formula({ release, url: options.url, npmPackage: published(npmFile), executables }));
  write("THIRD-PARTY-LICENSES", licences);
  write("CHANGES.md", `# Plaza ${version}\n\n${release.changes}\n`);
  write(`${packageName}-${version}.cdx.json`, billOfMaterials(release, packages, packaged.system));
  const tools = {
    node: process.version,
    ...Object.fromEntries(packaged.programs.map((program) => [program, firstLineOf(program, "--version")])),
  };
  const statement = provenance({ release, targets, system: packaged.system, outputs, tools });
  write(`${packageName}-${version}.intoto.json`, statement);
  const sums = [...outputs].map(([name, bytes]) => `${sha256Of(bytes)}  ${name}\n`);
  write(sumsFile, sums.join(""));
  return new Map([...outputs].map(([name, { length }]) => [name, length]));
}
