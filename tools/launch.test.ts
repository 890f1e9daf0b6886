import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ensureInstalled } from "./launch.mjs";

const launcher = fileURLToPath(new URL("./launch.mjs", import.meta.url));
const made: string[] = [];
after(() => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true });
});

const packages = {
  "": { name: "x" },
  contract: { version: "1.0.0" },
  "node_modules/contract": { resolved: "contract", link: true },
  "node_modules/a": { version: "1.0.0" },
  "node_modules/tool": { version: "2.0.0", dev: true },
  "node_modules/platform": { version: "3.0.0", optional: true },
};

/** A repository with a lock file and a fake npm that records each call and pretends to install. */
function repository(options: { npmFails?: boolean; npmWaitsFor?: string } = {}) {
  const root = mkdtempSync(join(tmpdir(), "plaza-launch-"));
  made.push(root);
  const lock = JSON.stringify({ packages });
  writeFileSync(join(root, "package-lock.json"), lock);
  const npm = join(root, "npm-cli.js");
  const calls = join(root, "calls");
  writeFileSync(
    npm,
    `const fs = require("fs");
     fs.appendFileSync(${JSON.stringify(calls)}, process.argv.slice(2).join(" ") + "\\n");
     if (${options.npmFails === true}) process.exit(7);
     const wait = () => {
       if (${JSON.stringify(options.npmWaitsFor ?? "")} && !fs.existsSync(${JSON.stringify(options.npmWaitsFor ?? "")})) return setTimeout(wait, 20);
       fs.rmSync(${JSON.stringify(join(root, "node_modules"))}, { recursive: true, force: true });
       fs.mkdirSync(${JSON.stringify(join(root, "node_modules"))});
     };
     wait();`,
  );
  return {
    root,
    npm,
    digest: createHash("sha256").update(lock).digest("hex"),
    stamp: join(root, "node_modules", ".plaza-installed"),
    calls: () => (existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : []),
    /** Writes npm's record of installed packages. */
    record(installed: Record<string, object>) {
      mkdirSync(join(root, "node_modules"), { recursive: true });
      writeFileSync(
        join(root, "node_modules", ".package-lock.json"),
        JSON.stringify({ packages: installed }),
      );
    },
    async ensure(isDev: boolean) {
      process.env["npm_execpath"] = npm;
      await ensureInstalled(root, isDev);
    },
  };
}

test("installs once, for production or for development, and again when the lock file changes", async () => {
  const { root, digest, stamp, calls, ensure } = repository();
  await ensure(false);
  assert.deepEqual(calls(), ["ci --omit=dev --loglevel=error"]);
  assert.equal(readFileSync(stamp, "utf8"), `${digest} prod\n`);
  await ensure(false);
  assert.equal(calls().length, 1);
  await ensure(true);
  assert.deepEqual(calls().slice(1), ["ci --include=dev --loglevel=error"]);
  await ensure(false);
  await ensure(true);
  assert.equal(calls().length, 2);
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages, changed: true }));
  await ensure(false);
  assert.deepEqual(
    calls().slice(2),
    ["ci --include=dev --loglevel=error"],
    "a development checkout stays one",
  );
  assert.equal(existsSync(join(root, ".cache", "install.lock")), false);
});

test("believes an npm run by hand when it installed what the lock file asks for", async () => {
  const { "node_modules/tool": tool, "node_modules/platform": platform, ...production } = packages;
  const cases: [Record<string, object>, string | undefined][] = [
    [packages, "dev"],
    [{ ...production, "node_modules/tool": tool }, "dev"],
    [{ ...production, "node_modules/platform": platform }, "prod"],
    [production, "prod"],
    [{ ...packages, "node_modules/a": { version: "1.0.1" } }, undefined],
    [{ ...packages, "node_modules/tool": { version: "2.0.1" } }, undefined],
    [{ "node_modules/tool": tool }, undefined],
  ];
  for (const [installed, mode] of cases) {
    const { digest, stamp, calls, record, ensure } = repository();
    record(installed);
    await ensure(false);
    assert.equal(calls().length, mode === undefined ? 1 : 0, JSON.stringify(installed));
    assert.equal(readFileSync(stamp, "utf8"), `${digest} ${mode ?? "prod"}\n`);
    await ensure(true);
    assert.equal(calls().length, (mode === undefined ? 1 : 0) + (mode === "dev" ? 0 : 1));
  }
});

/** Starts Node with a script; returns its output lines and exit. */
function start(words: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, words, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let err = "";
  child.stderr.on("data", (bytes) => {
    err += bytes;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    line: async () => (await lines.next()).value as string | undefined,
    err: () => err,
    ended: once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>,
  };
}

test("of two that start together one installs and the other waits for it", async () => {
  const directory = mkdtempSync(join(tmpdir(), "plaza-launch-"));
  made.push(directory);
  const gate = join(directory, "go");
  const { root, npm, calls } = repository({ npmWaitsFor: gate });
  const script = `import { ensureInstalled } from ${JSON.stringify(pathToFileURL(launcher).href)};
    await ensureInstalled(${JSON.stringify(root)}, false); console.log("ready");`;
  const words = ["--input-type=module", "-e", script];
  const two = [start(words, { npm_execpath: npm }), start(words, { npm_execpath: npm })];
  await Promise.race(
    two.map(({ child, err }) => until(child, () => err().includes("Another start is installing"))),
  );
  assert.ok(existsSync(join(root, ".cache", "install.lock")), "who waits leaves the lock alone");
  writeFileSync(gate, "");
  for (const { line, ended } of two) {
    assert.equal(await line(), "ready");
    assert.deepEqual(await ended, [0, null]);
  }
  assert.equal(calls().length, 1);
});

/** Resolves when the condition holds after output on standard error. */
function until(child: ChildProcess, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    child.stderr?.on("data", () => {
      if (condition()) resolve();
    });
  });
}

test("a lock whose holder died holds nothing", async () => {
  const { root, calls, ensure } = repository();
  const dead = spawnSync(process.execPath, ["-e", ""]).pid;
  mkdirSync(join(root, ".cache"));
  writeFileSync(join(root, ".cache", "install.lock"), String(dead));
  await ensure(false);
  assert.equal(calls().length, 1);
});

test("a failed install says what to check, and the lock is free again", async () => {
  const { root, calls, ensure } = repository({ npmFails: true });
  await assert.rejects(ensure(false), /npm ci ended with 7\.\nCheck that npm can reach its registry/);
  assert.equal(existsSync(join(root, ".cache", "install.lock")), false);
  await assert.rejects(ensure(false), /npm ci ended with 7/);
  assert.equal(calls().length, 2);
});

/** A script that runs itself again as an old Node runs the packaged one; `inner` is the inner script. */
function relayed(inner: string) {
  const directory = mkdtempSync(join(tmpdir(), "plaza-launch-"));
  made.push(directory);
  const script = join(directory, "relay.mjs");
  writeFileSync(
    script,
    `import { dieWithLauncher, runUnder } from ${JSON.stringify(pathToFileURL(launcher).href)};
     if (process.env.LAUNCH_LIFELINE === undefined) { runUnder(process.execPath); }
     else { dieWithLauncher(); ${inner} }`,
  );
  return start([script, "a", "b c"]);
}

test("arguments and the exit status pass through", async () => {
  const { line, ended } = relayed(
    `console.log(JSON.stringify(process.argv.slice(2)), process.env.LAUNCH_LIFELINE); process.exit(5);`,
  );
  assert.equal(await line(), '["a","b c"] undefined');
  assert.deepEqual(await ended, [5, null]);
});

test("SIGTERM, SIGINT and SIGHUP pass through, and so does a death by signal", async () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    const graceful = relayed(
      `process.on("${signal}", () => { console.log("stopping"); process.exit(0); }); setInterval(() => {}, 1e6); console.log("up");`,
    );
    assert.equal(await graceful.line(), "up");
    graceful.child.kill(signal);
    assert.equal(await graceful.line(), "stopping");
    assert.deepEqual(await graceful.ended, [0, null]);
  }
  const killed = relayed(`setInterval(() => {}, 1e6); console.log(process.pid);`);
  process.kill(Number(await killed.line()), "SIGKILL");
  assert.deepEqual(await killed.ended, [null, "SIGKILL"]);
});

test("a launcher that is killed outright takes the process with it", async () => {
  const { child, line, ended } = relayed(`setInterval(() => {}, 1e6); console.log("up");`);
  assert.equal(await line(), "up");
  child.kill("SIGKILL");
  // Standard output closes only when the inner process, which also holds it, has exited.
  assert.deepEqual(await ended, [null, "SIGKILL"]);
});

test("stays in the JavaScript that Node 12 reads, which would fail before it could say anything", () => {
  const others = ["../server/bin/plaza.mjs", "./build/current-build.mjs"];
  for (const file of [launcher, ...others.map((path) => fileURLToPath(new URL(path, import.meta.url)))]) {
    assert.doesNotMatch(
      readFileSync(file, "utf8"),
      /\?\?|\?\.(?!\d)|^await|\.at\(|replaceAll|[|&]{2}=|^\s*#\w/m,
      file,
    );
  }
});
