import assert from "node:assert/strict";
import { test } from "node:test";
import { atOnce, inSlices, joinChunks, type Sliced, Turns } from "./slices.ts";

function* counting(slices: number, done: number[]): Sliced<string> {
  for (let index = 1; index <= slices; index += 1) {
    done.push(index);
    if (index < slices) yield;
  }
  return "all";
}

test("work of one slice is done at once, other work a slice after each pause", async () => {
  const done: number[] = [];
  assert.equal(
    inSlices(counting(1, done), () => assert.fail("paused")),
    "all",
  );
  const go: (() => void)[] = [];
  const pause = () => new Promise<void>((resolve) => go.push(resolve));
  const working = inSlices(counting(3, done), pause);
  assert.deepEqual(done, [1, 1]);
  go[0]?.();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([done, go.length], [[1, 1, 2], 2]);
  go[1]?.();
  assert.equal(await working, "all");
  assert.equal(atOnce(counting(3, [])), "all");
});

test("where the pause rejects, no further slice is done", async () => {
  const done: number[] = [];
  const working = inSlices(counting(3, done), () => Promise.reject(new Error("not wanted")));
  await assert.rejects(async () => working, /not wanted/);
  assert.deepEqual(done, [1]);
});

test("each who waits gets a turn of its own, in order, and others run between", async () => {
  const turns = new Turns();
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const got: [who: string, turn: number][] = [];
  const work = async (who: string): Promise<void> => {
    for (let slice = 0; slice < 3; slice += 1) {
      await turns.next();
      got.push([who, turn]);
    }
  };
  await Promise.all([work("a"), work("b"), work("c")]);
  isOver = true;
  assert.equal(got.map(([who]) => who).join(""), "abcabcabc");
  assert.equal(new Set(got.map(([, at]) => at)).size, 9);
});

test("chunks are joined in slices of at most four MiB, and let go", () => {
  const mib = 1024 * 1024;
  const sizes = [3, 2, 9, 0.5, 4];
  const chunks = sizes.map((size, index) => Buffer.alloc(size * mib, index + 1));
  const bytes = 18.5 * mib;
  const expected = Buffer.concat(chunks);
  const given = [...chunks];
  const work = joinChunks(given, bytes);
  let slices = 1;
  let step = work.next();
  for (; step.done !== true; step = work.next()) slices += 1;
  assert.ok((step.value as Buffer).equals(expected));
  // Less than two slices' worth at a time: a slice ends with the first chunk beyond its limit.
  assert.ok(slices >= bytes / (8 * mib) && slices <= bytes / (2 * mib), String(slices));
  assert.ok(given.every(({ length }) => length === 0));
});

test("a single chunk is not copied", () => {
  const chunk = Buffer.from("x");
  assert.equal(atOnce(joinChunks([chunk], 1)), chunk);
  assert.equal(atOnce(joinChunks([], 0)).length, 0);
});
