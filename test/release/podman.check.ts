/**
 * A release's image in containers of podman, started by the commands of docs/operate/containers.md and by
 * compose.yaml: `npm run release:check -- containers`. Needs root, and Debian's podman and podman-compose.
 * Its images and volumes are in a folder of their own.
 */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, suite, test } from "node:test";
import { promisify } from "node:util";
import { root } from "../../tools/release/root.ts";
import { get } from "../rigs/harness/http-client.ts";
import { eventually } from "../rigs/harness/measure/clock.ts";
import { closedPort } from "../rigs/harness/processes/ports.ts";
import { assertConfined, endsCalls } from "./image-tests.ts";
import { complete } from "./released.ts";
import { makeReleaseIn } from "./upgrades/older-releases.ts";

const version = "0.0.3-check.1";
const folder = mkdtempSync(join(tmpdir(), "plaza-podman-"));
const files = join(folder, "release");
const archive = join(files, `plaza-${version}-image-amd64.tar`);
const outputMax = 64 * 1024 ** 2;

/** Storage that any machine has, and control groups without systemd. */
const own = [
  `--root=${join(folder, "images")}`,
  `--runroot=${join(folder, "run")}`,
  `--network-config-dir=${join(folder, "networks")}`,
  ...["--storage-driver=vfs", "--cgroup-manager=cgroupfs", "--events-backend=none"],
];
/** Podman asks for more than root has on some machines. */
const limits = ["--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024"];

function whyNoPodman(): string | false {
  if (process.platform !== "linux" || process.arch !== "x64") return "releases are made on Linux (x64)";
  if (process.getuid?.() !== 0) return "podman is tried as root only";
  const { status } = spawnSync("podman", ["--version"]);
  return status === 0 ? false : "there is no podman here (Debian: apt-get install podman)";
}

function podman(...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("podman", [...own, ...words], {
    encoding: "utf8",
    maxBuffer: outputMax,
  });
  assert.equal(status, 0, `podman ${words.join(" ")}: ${stderr}`);
  return stdout.trim();
}

/** The command of the page that starts a container, as words; health as the page says for podman. */
function documentedRun(port: number): string[] {
  const page = readFileSync(join(root, "docs/operate/containers.md"), "utf8");
  const [, command = ""] = /^docker (run [\s\S]*?[^\\])\n/m.exec(page) ?? [];
  const [, health = ""] = /`--health-cmd '([^']+)'`/.exec(page) ?? [];
  const words = command.replaceAll("\\\n", "").split(/\s+/).filter(Boolean);
  assert.equal(words.at(-1), "plaza:0.2.0");
  assert.ok(words.includes("127.0.0.1:8080:8080"), command);
  const filled = words.map((word) => word.replace("0.2.0", version).replace(":8080:", `:${port}:`));
  return ["run", ...limits, "--health-cmd", health, ...filled.slice(1)];
}

const keyIn = (text: string): string => /API key +(\S+)/.exec(text)?.[1] ?? "";

const isReady = (origin: string) =>
  eventually(async () => (await get(`${origin}/readyz`).catch(() => ({ status: 0 }))).status === 200, 60_000);

/** What is asked of a container; the key is in its log after the first start of its volume. */
function containerOf(name: string, origin: string) {
  const stop = async () => {
    await promisify(execFile)("podman", [...own, "stop", name]);
    return Number(podman("inspect", "--format={{.State.ExitCode}}", name));
  };
  return {
    origin,
    key: keyIn(podman("logs", name)),
    init: Number(podman("inspect", "--format={{.State.Pid}}", name)),
    stop,
  };
}

/** podman-compose calls `podman`: one that adds the words of above. */
function writeWrapper(): string {
  const programs = join(folder, "programs");
  mkdirSync(programs);
  const found = spawnSync("sh", ["-c", "command -v podman"], { encoding: "utf8" }).stdout.trim();
  const text = `#!/bin/sh
if [ "$1" = run ]; then shift; exec ${found} ${own.join(" ")} run ${limits[1]} "$@"; fi
exec ${found} ${own.join(" ")} "$@"
`;
  writeFileSync(join(programs, "podman"), text, { mode: 0o755 });
  return programs;
}

suite("the image in podman", { skip: whyNoPodman() }, () => {
  let whyNot: string | undefined;
  before(() => {
    makeReleaseIn(root, version, files);
    podman("load", "--input", archive);
    const words = ["run", "--rm", ...limits, `plaza:${version}`, "--version"];
    const { stdout, stderr } = spawnSync("podman", [...own, ...words], { encoding: "utf8" });
    if (stdout !== `${version}\n`) whyNot = `podman cannot start a container here: ${stderr}`;
  });
  after(() => {
    spawnSync("podman", [...own, "rm", "--force", "--all", "--time=0"]);
    rmSync(folder, { recursive: true, force: true });
  });

  test("the documented command starts it confined; it stops after its calls and keeps its data", async (context) => {
    if (whyNot !== undefined) return context.skip(whyNot);
    const port = await closedPort();
    const origin = `http://127.0.0.1:${port}`;
    const startMs = performance.now();
    podman(...documentedRun(port));
    assert.ok(await isReady(origin), podman("logs", "plaza"));
    const plaza = containerOf("plaza", origin);
    assert.match(await complete(plaza), /Hello, Plaza!/);
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    context.diagnostic(`${seconds} s from \`podman run\` to the first completion, the image loaded`);
    assertConfined(plaza);
    assert.equal(podman("healthcheck", "run", "plaza"), "");
    assert.match(podman("exec", "plaza", "plaza", "models"), /^demo /m);
    await endsCalls(plaza);
    podman("rm", "plaza");
    podman(...documentedRun(port));
    assert.ok(await isReady(origin), podman("logs", "plaza"));
    assert.match(await complete({ ...containerOf("plaza", origin), key: plaza.key }), /Hello, Plaza!/);
    podman("rm", "--force", "--time=0", "plaza");
  });

  test("compose.yaml starts it and stops it", async (context) => {
    if (whyNot !== undefined) return context.skip(whyNot);
    if (spawnSync("podman-compose", ["--version"]).error !== undefined)
      return context.skip("there is no podman-compose here (Debian: apt-get install podman-compose)");
    const project = join(folder, "compose");
    mkdirSync(project);
    const port = await closedPort();
    const origin = `http://127.0.0.1:${port}`;
    const text = readFileSync(join(root, "packaging/compose/compose.yaml"), "utf8");
    // The most that root may ask for here can be less than what the file does.
    const here = text.replace("nofile: 65536", "nofile: 1024").replace("127.0.0.1:8080:8080", `${port}:8080`);
    writeFileSync(join(project, "compose.yaml"), here);
    const PATH = `${writeWrapper()}${delimiter}${process.env["PATH"]}`;
    const compose = async (...words: readonly string[]) => {
      const env = { ...process.env, PATH, VERSION: version };
      await promisify(execFile)("podman-compose", ["--file", "compose.yaml", ...words], {
        cwd: project,
        env,
      });
    };
    await compose("up", "--detach");
    assert.ok(await isReady(origin));
    const plaza = containerOf("compose_plaza_1", origin);
    assert.match(await complete(plaza), /Hello, Plaza!/);
    assertConfined(plaza);
    // Variables that are not set are not set inside, either.
    const env = podman("inspect", "--format={{.Config.Env}}", "compose_plaza_1");
    assert.doesNotMatch(env, /TOKEN/);
    await compose("down");
    assert.equal(podman("ps", "--all", "--quiet"), "");
  });
});
