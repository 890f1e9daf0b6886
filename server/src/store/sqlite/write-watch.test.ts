/** The watch on a real file, where this system supports it, and on systems that fail in every way. */
import assert from "node:assert/strict";
import { closeSync, mkdtempSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createWriteWatch, type StartListening, type WriteWatch } from "./write-watch.ts";

function fileOf(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "plaza-watch-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "log");
  writeFileSync(file, "first");
  return file;
}

const nextWrite = (watch: WriteWatch) =>
  new Promise<void>((resolve) => {
    watch.onWrite(resolve);
  });

test("a write in the middle of the file is heard, and that it was moved away", {
  timeout: 20_000,
}, async (context) => {
  const file = fileOf(context);
  const watch = createWriteWatch(file);
  if (process.platform !== "linux") {
    assert.equal(watch, undefined);
    return;
  }
  assert.ok(watch);
  context.after(watch.close);
  watch.open();
  watch.open();
  assert.equal(watch.isOpen, true);
  const written = nextWrite(watch);
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, "second", 2);
  closeSync(descriptor);
  await written;
  assert.ok(watch.signals > 0);
  const moved = nextWrite(watch);
  renameSync(file, `${file}.old`);
  await moved;
  assert.equal(watch.isOpen, false);
  assert.doesNotThrow(watch.open);
  assert.equal(watch.isOpen, false, "there is no such file");
});

test("a system without watches is asked for one a few times only", () => {
  let asked = 0;
  const start: StartListening = () => {
    asked += 1;
    throw new Error("EMFILE");
  };
  const watch = createWriteWatch("", start);
  for (let count = 0; count < 10; count += 1) watch?.open();
  assert.equal(asked, 3);
  assert.equal(watch?.isOpen, false);
});

test("one that misses three changes in a row is closed for good; a single one is forgiven", () => {
  let stopped = 0;
  const watch = createWriteWatch("", () => () => {
    stopped += 1;
  });
  assert.ok(watch);
  watch.open();
  for (const wasSignalled of [true, false, false, true, false, false]) watch.judge(wasSignalled);
  assert.deepEqual([watch.isOpen, watch.isTrusted], [true, true]);
  watch.judge(false);
  assert.deepEqual([watch.isOpen, watch.isTrusted, stopped], [false, false, 1]);
  watch.open();
  assert.equal(watch.isOpen, false);
});

test("whoever does not wait any more is not called", () => {
  let write = () => {};
  const watch = createWriteWatch("", (onWrite) => {
    write = onWrite;
    return () => {};
  });
  const called: string[] = [];
  watch?.open();
  watch?.onWrite(() => called.push("first"));
  watch?.onWrite(() => called.push("second"))();
  write();
  write();
  assert.deepEqual(called, ["first"]);
  assert.equal(watch?.signals, 2);
});
