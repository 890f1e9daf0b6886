/** Reading what is shipped beside the code; test/release/release.test.ts reads it inside an executable. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openShippedFolder } from "./shipped-folder.ts";

test("files are listed and read by their paths from the folder", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "plaza-shipped-"));
  context.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "assets/deep"), { recursive: true });
  writeFileSync(join(folder, "index.html"), "page");
  writeFileSync(join(folder, "assets/deep/a.js"), "script");
  const shipped = openShippedFolder(`${folder}/`);
  assert.deepEqual([...shipped.list()].sort(), ["assets/deep/a.js", "index.html"]);
  assert.equal(shipped.read("assets/deep/a.js")?.toString(), "script");
  for (const path of ["assets", "assets/deep/b.js", "index.html/a"])
    assert.equal(shipped.read(path), undefined, path);
});

test("a folder that is missing has no files", () => {
  const shipped = openShippedFolder(join(tmpdir(), "plaza-shipped-missing/"));
  assert.deepEqual(shipped.list(), []);
  assert.equal(shipped.read("index.html"), undefined);
});
