/** Tests of the image in a release, which release.test.ts makes: what is in it, and that it runs as one. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { closedPort } from "../rigs/harness/processes/ports.ts";
import {
  type Container,
  findRuntime,
  type Runtimes,
  startContainer,
  type UnpackedImage,
  unpackImage,
} from "./container.ts";
import { complete } from "./released.ts";

const megabyte = 1_000_000;

/** Paths below the folder that are no folders, but those of the product. */
function systemFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
    .filter((path) => !path.startsWith("/opt/plaza/"))
    .sort();
}

/** A line of /proc/PID/status. */
const statusOf = (pid: number, name: string): string =>
  new RegExp(`^${name}:\\s*(.*)$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "";

/** `release`: the folder of a release with an image for this machine's platform. */
export function imageTests(release: string, version: string): void {
  suite("its image", () => {
    let folder: string;
    const archive = join(release, `plaza-${version}-image-amd64.tar`);
    let image: UnpackedImage;
    let found: Runtimes;
    before(() => {
      folder = mkdtempSync(join(tmpdir(), "plaza-image-test-"));
      // Processes of the image's user walk through it.
      chmodSync(folder, 0o755);
      image = unpackImage(archive, join(folder, "unpacked"));
      mkdirSync(join(folder, "probe"));
      found = findRuntime(image, join(folder, "probe"), version);
    });
    after(() => rmSync(folder, { recursive: true }));

    test("has what runs and no more, and is small", () => {
      assert.ok(image.layersBytes < 60 * megabyte, `${image.layersBytes} bytes`);
      assert.equal(image.architecture, "amd64");
      const files = systemFiles(image.rootfs);
      const libraries = files.filter((path) => path.startsWith("/lib"));
      assert.ok(libraries.includes("/lib/x86_64-linux-gnu/libc.so.6"), libraries.join(" "));
      assert.deepEqual(
        files.filter(
          (path) => !libraries.includes(path) && !/^\/(?:usr\/share\/doc|var\/lib\/dpkg)\//.test(path),
        ),
        [
          "/etc/group",
          "/etc/nsswitch.conf",
          "/etc/os-release",
          "/etc/passwd",
          "/usr/bin/node",
          "/usr/bin/plaza",
        ],
      );
      for (const name of ["libc6", "libgcc-s1", "libstdc++6", "plaza"])
        assert.ok(files.includes(`/usr/share/doc/${name}/copyright`), name);
      const { uid, mode } = statSync(join(image.rootfs, "data"));
      assert.deepEqual([uid, mode & 0o7777], [65_532, 0o700]);
      assert.equal(statSync(join(image.rootfs, "tmp")).mode & 0o7777, 0o1777);
    });

    test("is read by the programs that others have", (context) => {
      const layout = join(folder, "unpacked/layout");
      const words = ["stat", "--image", `${layout}:${version}`, "--json"];
      const { status, stdout, stderr, error } = spawnSync("umoci", words, { encoding: "utf8" });
      if (error !== undefined) return context.skip("there is no umoci here (Debian: apt-get install umoci)");
      assert.equal(status, 0, stderr);
      const layers = (JSON.parse(stdout).history as { created_by: string }[]).map(({ created_by: by }) => by);
      assert.deepEqual(layers, ["tools/release.ts: Node and its libraries", "tools/release.ts: Plaza"]);
      const [loaded] = JSON.parse(readFileSync(join(layout, "manifest.json"), "utf8"));
      assert.deepEqual(loaded.RepoTags, [`plaza:${version}`]);
      const names = execFileSync("tar", ["-tf", archive], { encoding: "utf8" }).split("\n");
      for (const path of [loaded.Config, ...loaded.Layers]) assert.ok(names.includes(path), path);
    });

    test("runs unprivileged on a read-only disk, and ends a call before it ends", async (context) => {
      for (const reason of found.reasons) context.diagnostic(reason);
      if (found.runtime === undefined) return context.skip("containers cannot be started here");
      context.diagnostic(`run by ${found.runtime.name}`);
      const port = String(await closedPort());
      mkdirSync(join(folder, "run"));
      const startMs = performance.now();
      const env = { PLAZA_PORT: port, PLAZA_LAME_DUCK_MS: "0" };
      const plaza = await startContainer(found.runtime, image, join(folder, "run"), env);
      try {
        assert.match(await complete(plaza), /Hello, Plaza!/);
        context.diagnostic(`${((performance.now() - startMs) / 1000).toFixed(1)} s to the first completion`);
        assertConfined(plaza);
        const { status, stdout, stderr } = plaza.checkHealth();
        assert.deepEqual([status, stdout], [0, "ready\n"], stderr);
        await endsCalls(plaza);
      } finally {
        plaza.kill();
      }
    });
  });
}

/** Its first process: the image's user, no capabilities, a read-only root. */
export function assertConfined({ init }: Pick<Container, "init">): void {
  assert.match(statusOf(init, "Uid"), /^65532\s+65532\s+65532\s+65532$/);
  assert.match(statusOf(init, "Gid"), /^65532\s/);
  assert.equal(Number.parseInt(statusOf(init, "CapEff"), 16), 0);
  assert.equal(statusOf(init, "NSpid").split(/\s+/).at(-1), "1");
  const mounts = readFileSync(`/proc/${init}/mountinfo`, "utf8").trim().split("\n");
  const optionsOf = (path: string) =>
    mounts
      .map((line) => line.split(" "))
      .findLast((parts) => parts[4] === path)?.[5]
      ?.split(",") ?? [];
  assert.ok(optionsOf("/").includes("ro"), mounts.join("\n"));
  assert.ok(optionsOf("/data").includes("rw"), mounts.join("\n"));
}

/** A signal to stop while a call runs: the caller gets its whole answer, then the process ends with 0. */
export async function endsCalls(plaza: Pick<Container, "origin" | "key" | "stop">): Promise<void> {
  const response = await fetch(`${plaza.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${plaza.key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "demo",
      stream: true,
      messages: [{ role: "user", content: "/words 40 /slow 20" }],
    }),
  });
  let text = "";
  let ended: Promise<number | NodeJS.Signals> | undefined;
  for await (const part of (response.body ?? assert.fail()).pipeThrough(new TextDecoderStream())) {
    text += part;
    ended ??= plaza.stop();
  }
  assert.match(text, /data: \[DONE\]\s*$/);
  assert.equal(await ended, 0);
}
