/**
 * Python's SDKs for tests: virtual environments with the packages of a requirements file, wheels of
 * pinned versions only, made once and kept under node_modules/.cache. Where Python is missing it says so.
 * Knows nothing of what is run in them.
 */
import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { promisify } from "node:util";
import { rootFolder } from "../rigs/harness/processes/processes.ts";

const run = promisify(execFile);

/** Where requirements files and drivers are. */
export const pythonFolder = `${rootFolder}test/sdk/python/`;
const cacheFolder = `${rootFolder}node_modules/.cache/plaza-python/`;

// Without what Python keeps of compiled modules, LiteLLM alone takes ten seconds to load, each time.
delete process.env["PYTHONDONTWRITEBYTECODE"];

const minorMin = 10;
const installMsMax = 10 * 60_000;
const probe =
  "import ensurepip, sys, venv; print('.'.join(map(str, sys.version_info[:3])), sys.version_info[0], sys.version_info[1])";

const probed = spawnSync("python3", ["-c", probe], { encoding: "utf8" });
const [version = "", major = "0", minor = "0"] = (probed.stdout ?? "").trim().split(" ");

/** Why there is no Python for tests here; false when there is. For a test's `skip`. */
export const whyNoPython: string | false =
  probed.error !== undefined
    ? "python3 is not on this machine"
    : probed.status !== 0
      ? "python3 has no venv or pip here (Debian: apt-get install python3-venv)"
      : Number(major) !== 3 || Number(minor) < minorMin
        ? `python3 is ${version} here; its SDKs need 3.${minorMin}`
        : false;

const made = new Map<string, Promise<string>>();

/**
 * The Python that has the packages of this file in `pythonFolder`. The file pins all of them, so nothing else
 * is resolved; a second call, of this process or another, finds what the first one made.
 */
export function pythonWith(requirements: string): Promise<string> {
  return pythonOf(pythonFolder + requirements);
}

/** The same for a requirements file anywhere. */
export function pythonOf(file: string): Promise<string> {
  const known = made.get(file) ?? makePython(file);
  made.set(file, known);
  return known;
}

async function makePython(file: string): Promise<string> {
  const digest = createHash("sha256").update(`${version}\n`).update(readFileSync(file)).digest("hex");
  const folder = `${cacheFolder}${digest.slice(0, 16)}`;
  const python = "bin/python";
  if (existsSync(folder)) return `${folder}/${python}`;
  const making = `${folder}.${process.pid}`;
  mkdirSync(cacheFolder, { recursive: true });
  try {
    await run("python3", ["-m", "venv", making]);
    const words = ["-m", "pip", "install", "-q", "--disable-pip-version-check"];
    // Of thousands of modules few are loaded: Python compiles those when they are.
    const only = ["--only-binary=:all:", "--no-deps", "--no-compile", "-r", file];
    await run(`${making}/${python}`, [...words, ...only], { timeout: installMsMax });
    // The first writer wins; a virtual environment's Python works in any folder.
    if (!existsSync(folder)) renameSync(making, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return `${folder}/${python}`;
}
