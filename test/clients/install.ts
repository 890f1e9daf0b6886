/**
 * Installs client programs from their registry on demand, npm's, each in a folder of its own below
 * node_modules/.cache, once. No script of a package runs: native programs come as platform packages.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { promisify } from "node:util";
import { eventually } from "../rigs/harness/measure/clock.ts";
import { rootFolder } from "../rigs/harness/processes/processes.ts";
import { pythonWith, whyNoPython } from "../sdk/python.ts";
import { type PackageName, type PythonPackage, packages, registryDate } from "./packages.ts";

const run = promisify(execFile);
const cacheFolder = `${rootFolder}node_modules/.cache/plaza-clients/`;
/** Less than a test may take, so that a slow registry is told as one. */
const installMsMax = 3 * 60_000;

/** A package's folder (the Python to run, for a library of Python), or why there is none here. */
export type Installed = { readonly folder: string } | { readonly why: string };

const made = new Map<PackageName, Promise<Installed>>();

/** Installs the package, or finds what an earlier call, of this process or another, installed. */
export async function install(name: PackageName | PythonPackage): Promise<Installed> {
  if (typeof name !== "string")
    return whyNoPython === false ? { folder: await pythonWith(name.requirements) } : { why: whyNoPython };
  const known = made.get(name) ?? installPackages(name, packages[name].spec);
  made.set(name, known);
  return known;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Is another process installing it, into its own folder? */
function isBeingMade(folder: string): boolean {
  const start = `${basename(folder)}.`;
  return readdirSync(cacheFolder).some(
    (name) => name.startsWith(start) && isAlive(Number(name.slice(start.length))),
  );
}

/** npm's words for a registry that lacks a package or version, or that cannot be reached. */
const lacking = /\b(E404|ETARGET|ENOVERSIONS|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT)\b/;

/**
 * Installs packages of npm into a folder of their own, or finds that folder.
 * @param name begins the folder's name.
 * @param spec as `npm install` takes it.
 * @param overrides npm's `overrides`: versions of what the packages depend on.
 */
export async function installPackages(
  name: string,
  spec: string,
  overrides: Readonly<Record<string, string>> = {},
): Promise<Installed> {
  const platform = `${process.platform} ${process.arch} ${registryDate}`;
  const forced = Object.keys(overrides).length === 0 ? "" : JSON.stringify(overrides);
  const digest = createHash("sha256").update(`${spec} ${platform}${forced}`).digest("hex").slice(0, 16);
  const folder = `${cacheFolder}${name}-${digest}`;
  mkdirSync(cacheFolder, { recursive: true });
  await eventually(() => existsSync(folder) || !isBeingMade(folder), installMsMax, 200);
  if (existsSync(folder)) return { folder };
  const making = `${folder}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  try {
    writeFileSync(`${making}/package.json`, JSON.stringify({ private: true, overrides }));
    const quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
    const words = ["install", "--ignore-scripts", `--before=${registryDate}`, ...quiet, ...spec.split(" ")];
    await run("npm", words, { cwd: making, timeout: installMsMax });
    // The first writer wins.
    if (!existsSync(folder)) renameSync(making, folder);
    return { folder };
  } catch (error) {
    if ((error as { killed?: boolean }).killed === true)
      return { why: `the registry did not deliver ${spec} in ${installMsMax / 60_000} minutes` };
    const said = `${(error as { stderr?: string }).stderr ?? ""}${(error as Error).message}`;
    const [code] = lacking.exec(said) ?? [];
    if (code === undefined) throw new Error(`${spec} could not be installed: ${said.slice(-2_000)}`);
    return { why: `the registry has no ${spec} (${code})` };
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}
