import assert from "node:assert/strict";
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { readText, replaceText } from "./file.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plaza-connect-"));
  file = join(folder, "plaza.yaml");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a file is made where there was none, and replaced where it is as it was", () => {
  assert.equal(readText(file), undefined);
  replaceText(file, undefined, "one");
  assert.equal(readText(file), "one");
  chmodSync(file, 0o640);
  replaceText(file, "one", "two");
  assert.equal(readText(file), "two");
  assert.equal(statSync(file).mode & 0o777, 0o640);
  assert.deepEqual(readdirSync(folder), ["plaza.yaml"]);
});

test("what somebody else wrote meanwhile stays", () => {
  const changed = { code: "changed_meanwhile" };
  writeFileSync(file, "theirs");
  assert.throws(() => replaceText(file, "as it was", "ours"), changed);
  assert.throws(() => replaceText(file, undefined, "ours"), changed);
  rmSync(file);
  assert.throws(() => replaceText(file, "as it was", "ours"), changed);
  assert.deepEqual(readdirSync(folder), []);
});

test("a link stays a link", () => {
  const real = join(folder, "real.yaml");
  writeFileSync(real, "one");
  symlinkSync(real, file);
  replaceText(file, "one", "two");
  assert.ok(lstatSync(file).isSymbolicLink());
  assert.equal(readFileSync(real, "utf8"), "two");
});
