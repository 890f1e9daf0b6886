import assert from "node:assert/strict";
import { test } from "node:test";
import { bounded, startProgress } from "./progress.ts";

function shown(isShown: boolean) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  return { lines, progress: startProgress({ rig: "P00", estimateMs: 90_000, isShown, write }) };
}

test("a long form tells its estimate and every part, a short one nothing", () => {
  const { lines, progress } = shown(true);
  progress.begin("round 1");
  assert.deepEqual(lines, ["     P00 takes about 90 s\n", "     P00 0 s, about 90 s left: round 1\n"]);
  const silent = shown(false);
  silent.progress.begin("round 1");
  assert.deepEqual(silent.lines, []);
});

test("work that hangs is given up with the part it hung in; other work keeps its outcome", async () => {
  const { progress } = shown(false);
  progress.begin("round 2");
  await assert.rejects(
    bounded(progress, 1, () => new Promise(() => {})),
    /not over after 0 s, in: round 2/,
  );
  assert.equal(await bounded(progress, 60_000, async () => 7), 7);
  await assert.rejects(
    bounded(progress, 60_000, async () => assert.fail("its own")),
    /its own/,
  );
});
