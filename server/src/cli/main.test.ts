import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));
const bin = fileURLToPath(new URL("../../bin/plaza.mjs", import.meta.url));
const manifest = new URL("../../package.json", import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, "utf8"));

const directory = mkdtempSync(join(tmpdir(), "plaza-main-"));
after(() => rmSync(directory, { recursive: true, force: true }));

const env: NodeJS.ProcessEnv = { ...process.env, PLAZA_DATA_DIR: join(directory, "data") };

test("answers on standard output, errors on standard error, and nothing else on either", () => {
  const told = spawnSync(process.execPath, [main, "--version"], { env, encoding: "utf8" });
  assert.deepEqual([told.status, told.stdout, told.stderr], [0, `${version}\n`, ""]);
  const created = spawnSync(process.execPath, [main, "account", "create", "a", "--json"], {
    env,
    encoding: "utf8",
  });
  assert.deepEqual([created.status, created.stderr], [0, ""]);
  assert.equal(JSON.parse(created.stdout).name, "a");
  const failed = spawnSync(process.execPath, [main, "key", "revoke", "x", "--json"], {
    env,
    encoding: "utf8",
  });
  assert.deepEqual([failed.status, failed.stderr], [1, "error: key x not found; see: npx plaza key list\n"]);
  assert.equal(JSON.parse(failed.stdout).error.code, "not_found");
});

test("a reader that has seen enough is no fault", async () => {
  const child = spawn(process.execPath, [main, "account", "list", "--json"], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();
  let err = "";
  child.stderr.on("data", (bytes) => {
    err += bytes;
  });
  const [status] = await once(child, "close");
  assert.deepEqual([status, err], [0, ""]);
});

/** The machine's Node, which may be too old, and the one running this test. */
function nodes(): string[] {
  const onPath = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((place) => place !== "" && !place.includes("node_modules"))
    .map((place) => join(place, "node"));
  return [process.execPath, ...onPath.filter((file) => existsSync(file)).slice(0, 1)];
}

test("plaza.mjs runs the command under this Node and under the machine's own", () => {
  // If dependencies are out of date this fails with a message, because a test must not install them.
  const noNpm = join(directory, "npm-cli.js");
  writeFileSync(noNpm, `console.error("run npm ci first"); process.exit(1);`);
  for (const node of nodes()) {
    const told = spawnSync(node, [bin, "--version"], {
      env: { ...env, npm_execpath: noNpm },
      encoding: "utf8",
    });
    assert.deepEqual([told.status, told.stdout, told.stderr], [0, `${version}\n`, ""], node);
    const failed = spawnSync(node, [bin, "key", "revoke"], {
      env: { ...env, npm_execpath: noNpm },
      encoding: "utf8",
    });
    assert.equal(failed.status, 2, node);
  }
});
