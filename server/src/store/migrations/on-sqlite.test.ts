/** The lock of migrations on a SQLite file, which ends with its process. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createFileLock } from "./on-sqlite.ts";

function newFile(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "store-"));
  context.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "plaza.db");
}

const holder = (file: string) => `
  const { createFileLock } = await import(${JSON.stringify(import.meta.resolve("./on-sqlite.ts"))});
  globalThis.lock = createFileLock(${JSON.stringify(file)});
  console.log(await lock.take());
  setInterval(() => {}, 1000);`;

test("a process that was killed holds the lock no longer", async (context) => {
  const file = newFile(context);
  const child = spawn(process.execPath, ["--input-type=module", "-e", holder(file)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  context.after(() => child.kill("SIGKILL"));
  const [said] = await once(child.stdout, "data");
  assert.equal(String(said).trim(), "true");
  const lock = createFileLock(file);
  assert.equal(await lock.take(), false);
  assert.equal(await lock.isTaken(), true);
  child.kill("SIGKILL");
  await once(child, "close");
  assert.equal(await lock.isTaken(), false);
  assert.equal(await lock.take(), true);
  await lock.release();
});

test("one holder at a time; the file is its owner's and does not stay", async (context) => {
  const file = newFile(context);
  const [one, other] = [createFileLock(file), createFileLock(file)];
  assert.equal(await one.isTaken(), false);
  assert.equal(await one.take(), true);
  assert.equal(await other.take(), false);
  assert.equal(await one.isTaken(), true);
  if (process.platform !== "win32") assert.equal(statSync(`${file}-migrating`).mode & 0o777, 0o600);
  await one.release();
  if (process.platform !== "win32") assert.equal(existsSync(`${file}-migrating`), false);
  assert.equal(await other.take(), true);
  await other.release();
});
