/**
 * A release of this working tree, used as its users use it: `npm run release:check -- installed`. Not among
 * the tests of `npm test`, because it installs a package on this machine.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { root } from "../../tools/release/root.ts";
import { eventually } from "../rigs/harness/measure/clock.ts";
import { complete, startReleased } from "./released.ts";

const version = "0.0.2-check.2";
const folder = mkdtempSync(join(tmpdir(), "plaza-installed-"));
const files = join(folder, "release");
const executable = join(files, `plaza-${version}-linux-x64`);
const deb = join(files, "plaza-gateway_0.0.2~check.2_amd64.deb");

const isLinux = process.platform === "linux" && process.arch === "x64";

const dataFolder = "/var/lib/plaza";
const settingsFile = "/etc/plaza/plaza.env";
const unitFile = "/usr/lib/systemd/system/plaza.service";
const has = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;

/** Why the package cannot be installed here; false when it can. */
function whyNoPackage(): string | false {
  if (process.getuid?.() !== 0) return "only root may install a package";
  if (!has("dpkg") || !has("systemd-sysusers")) return "there is no dpkg or no systemd-sysusers here";
  if (existsSync("/run/systemd/system")) return "systemd runs here: install the package by hand";
  if ([dataFolder, "/etc/plaza", "/usr/bin/plaza"].some(existsSync)) return "Plaza is installed here";
  return false;
}

const dpkg = (...words: string[]): string => execFileSync("dpkg", words, { encoding: "utf8", stdio: "pipe" });
const stateOf = (): string =>
  spawnSync("dpkg-query", ["--show", `--showformat=\${Status}`, "plaza-gateway"], { encoding: "utf8" })
    .stdout;

/** Values of a key of the unit. */
const inUnit = (key: string): string[] =>
  [...readFileSync(unitFile, "utf8").matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(
    ([, value = ""]) => value,
  );

/** Starts what the unit starts, with its user, its folder and its settings, as systemd would. */
async function startService() {
  const [user = "", words = "", mode = ""] = ["User", "ExecStart", "StateDirectoryMode"].flatMap(inUnit);
  const ids = execFileSync("getent", ["passwd", user], { encoding: "utf8" }).split(":");
  mkdirSync(dataFolder, { recursive: true });
  chmodSync(dataFolder, Number.parseInt(mode, 8));
  chownSync(dataFolder, Number(ids[2]), Number(ids[3]));
  const settings = readFileSync(settingsFile, "utf8").split("\n");
  const lines = [...inUnit("Environment"), ...settings].filter((line) => /^\w+=/.test(line));
  const env = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2) as [string, string]));
  const command = ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", ...words.split(" ")];
  return await startReleased(command as [string, ...string[]], dataFolder, { PATH: "/usr/bin:/bin", ...env });
}

/** Modes and owners of everything in the data folder. */
const ownersOf = (path: string): Set<string> =>
  new Set(
    readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => {
      const { mode, uid } = statSync(join(path, name));
      return `${uid} ${(mode & 0o077).toString(8)}`;
    }),
  );

/**
 * Loaded into the executable: the waits of ten minutes and of an hour before old rows are looked for become
 * short, and the time of day is earlier by `BACK_MS`.
 */
const hook = `
const timers = require("node:timers/promises");
const { setTimeout } = timers;
timers.setTimeout = (ms, ...rest) => setTimeout(ms === 600_000 || ms === 3_600_000 ? 100 : ms, ...rest);
const { now } = Date;
const backMs = Number(process.env.BACK_MS);
Date.now = () => now() - backMs;
`;

suite("an installed release", { skip: !isLinux && "releases are made on Linux (x64)" }, () => {
  before(() => {
    const words = ["--allow-dirty", "--targets", "linux-x64", "--no-images", "--out", files];
    execFileSync(process.execPath, ["tools/release.ts", version, ...words], { cwd: root, stdio: "pipe" });
  });
  after(() => rmSync(folder, { recursive: true }));

  test("dpkg installs, upgrades, removes and purges the package, and the data stays", {
    skip: whyNoPackage(),
  }, async () => {
    try {
      dpkg("--install", deb);
      assert.equal(stateOf(), "install ok installed");
      const user = execFileSync("getent", ["passwd", "plaza"], { encoding: "utf8" }).trim().split(":");
      assert.deepEqual([user[5], user[6]], [dataFolder, "/usr/sbin/nologin"]);
      assert.equal(statSync(settingsFile).mode & 0o777, 0o600);
      appendFileSync(settingsFile, "PLAZA_PORT=0\n");
      const first = await startService();
      assert.match(await complete(first), /\w/);
      assert.equal(readFileSync(`/proc/${first.pid}/status`, "utf8").match(/^Uid:\s+(\d+)/m)?.[1], user[2]);
      assert.equal(await first.stop(), 0);
      assert.deepEqual(ownersOf(dataFolder), new Set([`${user[2]} 0`]));

      dpkg("--install", deb);
      assert.match(readFileSync(settingsFile, "utf8"), /^PLAZA_PORT=0$/m);
      const second = await startService();
      assert.match(await complete({ ...second, key: first.key }), /\w/);
      assert.equal(await second.stop(), 0);

      dpkg("--remove", "plaza-gateway");
      assert.equal(stateOf(), "deinstall ok config-files");
      assert.deepEqual(
        ["/usr/bin/plaza", unitFile, settingsFile].map((path) => existsSync(path)),
        [false, false, true],
      );
      dpkg("--purge", "plaza-gateway");
      assert.notEqual(stateOf(), "deinstall ok config-files");
      assert.equal(existsSync("/etc/plaza"), false);
      assert.ok(existsSync(join(dataFolder, "plaza.sqlite")));
    } finally {
      spawnSync("dpkg", ["--purge", "plaza-gateway"]);
      rmSync(dataFolder, { recursive: true, force: true });
      spawnSync("userdel", ["plaza"]);
    }
  });

  test("the executable archives old requests as Parquet, and a stop does not wait for a bucket", async () => {
    const data = join(folder, "data");
    const archive = join(folder, "archive");
    mkdirSync(archive);
    const hookFile = join(folder, "hook.cjs");
    writeFileSync(hookFile, hook);
    const env = { PLAZA_PORT: "0", NODE_OPTIONS: `--require=${hookFile}` };
    const dayMs = 86_400_000;
    const before = await startReleased([executable], folder, {
      ...env,
      PLAZA_DATA_DIR: data,
      BACK_MS: String(20 * dayMs),
    });
    for (const text of ["one", "two", "three"]) await complete(before, { model: "demo", text });
    assert.equal(await before.stop(), 0);
    // The process that removes keeps its turn for hours after its end.
    const copy = join(folder, "copy");
    cpSync(data, copy, { recursive: true });
    const old = { ...env, BACK_MS: "0", PLAZA_REQUESTS_KEPT_MS: "7d", PLAZA_ARCHIVE_FORMAT: "parquet" };

    // A bucket that does not answer: a stop does not wait for it, and the rows stay.
    const silent = createServer(() => {})
      .listen(0, "127.0.0.1")
      .unref();
    await once(silent, "listening");
    const asked = once(silent, "request");
    const uploading = await startReleased([executable], folder, {
      ...old,
      PLAZA_DATA_DIR: copy,
      PLAZA_REQUESTS_ARCHIVE: "s3://rows/plaza",
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      AWS_ACCESS_KEY_ID: "id",
      AWS_SECRET_ACCESS_KEY: "secret",
    });
    await asked;
    assert.equal(await uploading.stop(), 0, uploading.output());
    silent.closeAllConnections();
    silent.close();

    const plaza = await startReleased([executable], folder, {
      ...old,
      PLAZA_DATA_DIR: data,
      PLAZA_REQUESTS_ARCHIVE: archive,
    });
    const isDone = await eventually(async () => plaza.output().includes("requests_removed"), 60_000);
    assert.equal(await plaza.stop(), 0);
    assert.ok(isDone, plaza.output());
    const names = readdirSync(archive);
    assert.match(names.join(), /^requests-\d{4}-\d\d-\d\d\.parquet$/);
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(join(archive, names[0] ?? "")) });
    // On SQLite the newest request stays, up to which the sums of usage are.
    assert.equal(rows.length, 2);
    const day = /\d{4}-\d\d-\d\d/.exec(names[0] ?? "")?.[0];
    for (const row of rows) {
      assert.ok(row["created_at"] instanceof Date && row["created_at"].toISOString().startsWith(day ?? ""));
      assert.equal(row["model_id"], "demo");
      assert.equal(typeof row["charge_nanos"], "bigint");
    }
  });
});
