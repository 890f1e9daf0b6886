/**
 * The ways of installing a release that can be run on this machine: the npm package, the executable, the
 * Debian package, and the image as a container. Each gives the commands that an operator would give.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeBinary } from "../../rigs/harness/processes/processes.ts";
import { findRuntime, unpackImage } from "../container.ts";
import { target } from "./older-releases.ts";

/** Files of an installation that outlive its versions. */
export interface Place {
  /** The data folder on this machine. */
  readonly data: string;
  /** The data folder as `plaza` sees it. */
  readonly seen: string;
}

export interface Installed {
  readonly version: string;
  /** The command line of `plaza WORDS` with these settings. */
  command(place: Place, words: readonly string[], env: Readonly<Record<string, string>>): Command;
}

export interface Command {
  readonly words: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** The process that takes signals; `started` is the one that was started. */
  readonly target: (started: number) => number;
}

/** Where a release is, and an empty folder to install it in. */
interface Release {
  readonly version: string;
  readonly files: string;
  readonly folder: string;
}

export interface Way {
  readonly name: string;
  /** Installs a release; returns why it cannot be run here as text. */
  install(release: Release): Installed | string;
  /** Makes the data folder below an empty one. */
  place(folder: string): Place;
}

const debVersion = (version: string): string => version.replace("-", "~");

function plainPlace(folder: string): Place {
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  return { data, seen: data };
}

const plain = (version: string, ...program: [string, ...string[]]): Installed => ({
  version,
  command: (_, words, env) => ({ words: [...program, ...words], env, target: (started) => started }),
});

const npm: Way = {
  name: "npm package",
  install({ version, files, folder }) {
    writeFileSync(join(folder, "package.json"), "{}");
    const flags = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
    const tarball = join(files, `plaza-gateway-${version}.tgz`);
    execFileSync("npm", ["install", ...flags, tarball], { cwd: folder, stdio: "pipe" });
    return plain(version, nodeBinary, join(folder, "node_modules/.bin/plaza"));
  },
  place: plainPlace,
};

const executable: Way = {
  name: "executable",
  install: ({ version, files }) => plain(version, join(files, `plaza-${version}-${target}`)),
  place: plainPlace,
};

const deb: Way = {
  name: "Debian package",
  install({ version, files, folder }) {
    const file = join(files, `plaza-gateway_${debVersion(version)}_amd64.deb`);
    execFileSync("dpkg-deb", ["--extract", file, folder]);
    return plain(version, join(folder, "usr/bin/plaza"));
  },
  place: plainPlace,
};

/** The user of images. */
const imageUser = 65_532;

const image: Way = {
  name: "image",
  install({ version, files, folder }) {
    if (process.getuid?.() !== 0) return "containers are started here as root only";
    const unpacked = unpackImage(join(files, `plaza-${version}-image-amd64.tar`), join(folder, "unpacked"));
    const probe = join(folder, "probe");
    mkdirSync(probe);
    const { runtime, reasons } = findRuntime(unpacked, probe, version);
    if (runtime === undefined) return reasons.join("; ");
    return {
      version,
      command({ data }, words, env) {
        // A container of its own for each command, as `docker run` makes them.
        const bundle = mkdtempSync(join(folder, "container-"));
        symlinkSync(data, join(bundle, "volume"));
        const run = { image: unpacked, folder: bundle, env, words };
        return { words: runtime.run(run), env: {}, target: (started) => runtime.initOf(run, started) };
      },
    };
  },
  place(folder) {
    const { data } = plainPlace(folder);
    // The user of the image walks through the folder.
    chmodSync(folder, 0o755);
    chownSync(data, imageUser, imageUser);
    return { data, seen: "/data" };
  },
};

export const ways = { npm, executable, deb, image } as const;
