/** A build counts as up to date only while nothing that it was made of has changed. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { currentBuild, manifestFile, stampOf } from "./current-build.mjs";

/** A root with two sources and a build of them; returns their paths by name. */
function builtRoot(context: TestContext) {
  const root = mkdtempSync(join(tmpdir(), "plaza-build-"));
  context.after(() => rmSync(root, { recursive: true }));
  const paths = {
    lock: join(root, "package-lock.json"),
    source: join(root, "a.ts"),
    other: join(root, "b.ts"),
    script: join(root, "server/dist/1234/main.mjs"),
  };
  mkdirSync(join(root, "server/dist/1234"), { recursive: true });
  for (const path of Object.values(paths)) writeFileSync(path, "{}");
  const manifest = { script: "1234/main.mjs", ...stampOf(root, ["a.ts", "b.ts"]) };
  writeFileSync(manifestFile(root), JSON.stringify(manifest));
  return { root, ...paths };
}

test("an unchanged build is named by its script", (context) => {
  const { root, script } = builtRoot(context);
  assert.equal(currentBuild(root), script);
});

const changes: Readonly<Record<string, (built: ReturnType<typeof builtRoot>) => void>> = {
  "a source got longer": ({ source }) => writeFileSync(source, "{ }"),
  "a source was saved again": ({ source }) => utimesSync(source, 1, 1),
  "a source is gone": ({ other }) => rmSync(other),
  "other libraries are locked": ({ lock }) => writeFileSync(lock, "[]"),
  "the script is gone": ({ script }) => rmSync(script),
  "there is no manifest": ({ root }) => rmSync(manifestFile(root)),
  "the manifest is cut off": ({ root }) => writeFileSync(manifestFile(root), '{"script":'),
};

for (const [name, change] of Object.entries(changes))
  test(`${name}: no build`, (context) => {
    const built = builtRoot(context);
    change(built);
    assert.equal(currentBuild(built.root), undefined);
  });
