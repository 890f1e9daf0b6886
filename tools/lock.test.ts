/**
 * package-lock.json has a checksum for every fetched package on every platform, so `npm ci` refuses anything
 * else.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { packagedNodes } from "./launch.mjs";

interface Entry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  /** A folder of this repository. */
  readonly link?: boolean;
  /** Bundled in another package, whose integrity covers it. */
  readonly inBundle?: boolean;
  readonly os?: string;
  readonly cpu?: string;
  readonly optional?: boolean;
  /** Comes with the tools for development alone. */
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly license?: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lock = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")) as {
  readonly packages: Readonly<Record<string, Entry>>;
};
const entries = Object.entries(lock.packages);
const isFetched = ([path, { link, inBundle }]: [string, Entry]): boolean =>
  path.includes("node_modules/") && link !== true && inBundle !== true;

test("everything that is fetched has its integrity", () => {
  const fetched = entries.filter(isFetched);
  assert.ok(fetched.length > 300, `${fetched.length} entries`);
  const open = fetched.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ""));
  assert.deepEqual(
    open.map(([path, { version }]) => `${path} ${version}`),
    [],
    "Take versions whose packages for every platform the registry has.",
  );
});

test("what comes inside another package comes inside one that has its integrity", () => {
  for (const [path] of entries.filter(([, { inBundle }]) => inBundle === true)) {
    const around = entries.filter(([name]) => name !== path && path.startsWith(`${name}/node_modules/`));
    assert.ok(
      around.some((entry) => isFetched(entry)),
      path,
    );
  }
});

test("packages for other platforms are in it, so that `npm ci` works there", () => {
  for (const [path, { optionalDependencies }] of entries.filter(([name]) => name.includes("node_modules/"))) {
    for (const name of Object.keys(optionalDependencies ?? {})) {
      const places = path.split("/node_modules/").map((_, index, parts) => parts.slice(0, index + 1));
      const folders = ["", ...places.map((parts) => `${parts.join("/node_modules/")}/`)];
      assert.ok(
        folders.some((folder) => `${folder}node_modules/${name}` in lock.packages),
        `${path} wants ${name}`,
      );
    }
  }
});

/** What `npm ci --omit=dev` may fetch, by path. */
const installed = entries.filter((entry) => isFetched(entry) && entry[1].dev !== true);

test("nothing that a user installs has an install script", () => {
  assert.ok(installed.length > 200, `${installed.length} entries`);
  const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  assert.deepEqual(
    scripted.map(([path]) => path),
    [],
    "Take another library, or move it to devDependencies if only tests need it.",
  );
  assert.ok(
    entries.some(([, { hasInstallScript }]) => hasInstallScript === true),
    "the lock file says which packages have one",
  );
});

/** MPL-2.0: lightningcss, a tool of the build. Its code is in no release. */
const licences = [
  "MIT",
  "ISC",
  "Apache-2.0",
  "BSD-3-Clause",
  "0BSD",
  "BlueOak-1.0.0",
  "Unlicense",
  "MPL-2.0",
  "CC0-1.0",
];

test("what a user installs has a licence that was looked at", () => {
  const unknown = installed.filter(([, { license = "none" }]) => !licences.includes(license));
  assert.deepEqual(
    unknown.map(([path, { license }]) => `${path} ${license}`),
    [],
    "Read the licence. If it may be used, add it here.",
  );
});

test("every system the launcher brings a Node for has it in the lock, new enough and for that system only", () => {
  const systems = ["darwin arm64", "darwin x64", "linux arm64", "linux x64", "win32 x64"];
  assert.deepEqual(Object.keys(packagedNodes).sort(), systems);
  for (const [system, [name, file]] of Object.entries(packagedNodes)) {
    const entry = lock.packages[`node_modules/${name}`];
    assert.ok(entry, name);
    assert.equal(`${entry.os} ${entry.cpu}`, system);
    assert.equal(entry.optional, true, "absent on the others");
    assert.equal(entry.bin?.["node"], file);
    assert.ok(Number(entry.version?.split(".")[0]) >= 24, `${name} ${entry.version}`);
    assert.equal(lock.packages[""]?.optionalDependencies?.[name], entry.version, "pinned");
  }
});
