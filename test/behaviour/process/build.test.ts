/** `plaza` runs the build of the server while it is up to date, in all its threads and processes. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { before, type TestContext, test } from "node:test";
import { currentBuild } from "../../../tools/build/current-build.mjs";
import { buildServer } from "../../../tools/build/server.ts";
import { post } from "../../rigs/harness/http-client.ts";
import { nodeBinary, rootFolder } from "../../rigs/harness/processes/processes.ts";
import { demoUpstream, model } from "../harness/catalogs.ts";
import { recordLoadedFiles } from "../harness/loaded-files.ts";
import { startProduct, temporaryFolder } from "../harness/product.ts";

before(buildServer);

const catalog = { upstreams: [demoUpstream], models: [model("demo", ["demo", "demo"])] };

/** Files of this repository that a start with a catalog file and one call load. */
async function loadedBy(context: TestContext, env: Record<string, string>): Promise<string[]> {
  const folder = temporaryFolder();
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const loaded = recordLoadedFiles(folder);
  const product = await startProduct({ catalog, env: { ...loaded.env, ...env } });
  try {
    const body = JSON.stringify({ model: "demo", messages: [{ role: "user", content: "x" }] });
    const { status } = await post({ url: product.chatUrl, key: product.firstKey, body });
    assert.equal(status, 200);
  } finally {
    await product.stop();
  }
  return loaded.read().filter((url) => /\/(?:server|contract)\/(?!bin\/)/.test(url));
}

const isBuilt = (url: string): boolean => url.includes("/server/dist/");

test("a server with its threads and the process that reads its catalog load the build alone", async (context) => {
  const files = await loadedBy(context, {});
  assert.deepEqual(
    files.filter((url) => !isBuilt(url)),
    [],
  );
  for (const entry of ["main", "store-thread", "catalog-process"])
    assert.ok(
      files.some((url) => new RegExp(`/server/dist/[0-9a-f]{16}/${entry}[^/]*\\.mjs$`).test(url)),
      entry,
    );
});

/** Every part of a build runs: the commands' parts are loaded by no other test as they were built. */
test("every file of the build can be loaded, and commands run from it", async () => {
  const script = currentBuild(rootFolder) ?? "";
  const folder = dirname(script);
  const others = readdirSync(folder).filter((file) => !/^(?:main|[\w-]*thread|catalog-process)/.test(file));
  const code = `for (const file of ${JSON.stringify(others)}) await import(${JSON.stringify(`${folder}/`)} + file);`;
  const loading = spawnSync(nodeBinary, ["--input-type=module", "--eval", code], { encoding: "utf8" });
  assert.equal(loading.stderr, "");
  for (const words of [["--help"], ["account", "--help"], ["connect", "--help"], ["migrate", "--help"]]) {
    const { status, stdout } = spawnSync(nodeBinary, [`${rootFolder}server/bin/plaza.mjs`, ...words], {
      encoding: "utf8",
    });
    assert.equal(status, 0, words.join(" "));
    assert.match(stdout, /plaza/);
  }
});

test("with LAUNCH_SOURCES=1 they load the sources alone", async (context) => {
  const files = await loadedBy(context, { LAUNCH_SOURCES: "1" });
  assert.deepEqual(files.filter(isBuilt), []);
  assert.ok(files.some((url) => url.endsWith("/server/src/store/thread/store-thread.ts")));
});
