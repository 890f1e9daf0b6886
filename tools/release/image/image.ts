/** The image of a release for a platform: what is in it, and what it is started with. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Target } from "../executable.ts";
import type { Release } from "../preconditions.ts";
import type { Files } from "../product.ts";
import { root } from "../root.ts";
import { type ImageArchive, type ImageConfig, makeArchive } from "./archive.ts";
import { findLibraries, type Platform, type SystemPackage } from "./libraries.ts";
import { command, dataFolder, rootLayers, userId } from "./root-files.ts";

export const platforms: Readonly<Record<Target, Platform>> = {
  "linux-x64": { architecture: "amd64", triple: "x86_64-linux-gnu" },
  "linux-arm64": { architecture: "arm64", triple: "aarch64-linux-gnu" },
};

/** The name of the image, without registry and tag. */
const imageName = "plaza";

export const imageFile = (version: string, target: Target): string =>
  `plaza-${version}-image-${platforms[target].architecture}.tar`;

/** Settings of Node and of glibc's malloc, as server/bin/plaza.mjs has them. */
const nodeVariables = [
  "NODE_OPTIONS=--v8-pool-size=1",
  "MALLOC_ARENA_MAX=1",
  "MALLOC_TRIM_THRESHOLD_=1048576",
  "MALLOC_MMAP_THRESHOLD_=1048576",
];

const secondNs = 1_000_000_000;

/** What containers of the image start with. */
export function imageConfig({ version, commit }: Pick<Release, "version" | "commit">): ImageConfig {
  const { description, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    description: string;
    license: string;
  };
  return {
    User: `${userId}:${userId}`,
    ExposedPorts: { "8080/tcp": {} },
    Env: ["PATH=/usr/bin", ...nodeVariables, "PLAZA_HOST=0.0.0.0", `PLAZA_DATA_DIR=${dataFolder}`],
    Entrypoint: [command],
    Cmd: ["serve"],
    Volumes: { [dataFolder]: {} },
    WorkingDir: dataFolder,
    Labels: {
      "org.opencontainers.image.title": "Plaza",
      "org.opencontainers.image.description": description,
      "org.opencontainers.image.version": version,
      "org.opencontainers.image.revision": commit,
      "org.opencontainers.image.licenses": license,
    },
    StopSignal: "SIGTERM",
    Healthcheck: {
      Test: ["CMD", command, "ready"],
      Interval: 15 * secondNs,
      Timeout: 10 * secondNs,
      StartPeriod: 120 * secondNs,
      StartInterval: secondNs,
      Retries: 3,
    },
  };
}

export interface ImageOptions {
  readonly release: Release;
  readonly target: Target;
  /** Path of the platform's Node, stripped. */
  readonly node: string;
  /** The server, the console and the catalog. */
  readonly product: Files;
  /** THIRD-PARTY-LICENSES. */
  readonly licences: string;
}

export interface Image extends ImageArchive {
  readonly packages: readonly SystemPackage[];
}

/** Makes the image. Throws a ReleaseFailure when Debian's packages cannot be had. */
export async function makeImage({ release, target, node, product, licences }: ImageOptions): Promise<Image> {
  const platform = platforms[target];
  const folder = mkdtempSync(join(tmpdir(), "plaza-image-"));
  try {
    const libraries = findLibraries(platform, node, folder);
    const { time, version } = release;
    const [system, plaza] = rootLayers({ libraries, node: readFileSync(node), product, licences, time });
    const archive = await makeArchive({
      // A tag has no `+`.
      name: `${imageName}:${version.replace("+", "_")}`,
      architecture: platform.architecture,
      time,
      config: imageConfig(release),
      layers: [
        { entries: system ?? [], createdBy: "tools/release.ts: Node and its libraries" },
        { entries: plaza ?? [], createdBy: "tools/release.ts: Plaza" },
      ],
    });
    return { ...archive, packages: libraries.packages };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
