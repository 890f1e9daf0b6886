/** A request's units: all or nothing, ended once, and what each ending costs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Admission } from "./admission.ts";
import { LocalBucket } from "./bucket.ts";

function scene(free: Readonly<Record<"rpm" | "tpm" | "conc", number>> = { rpm: 5, tpm: 100, conc: 2 }) {
  const touched: string[] = [];
  const buckets = (["rpm", "tpm", "conc"] as const).map((kind) => {
    const bucket = new LocalBucket("key", "k", kind, 1_000);
    bucket.free = free[kind];
    return bucket;
  });
  const owner = { touched: ({ kind }: LocalBucket) => void touched.push(kind) };
  const admission = new Admission(owner, buckets, [1, 40, 1]);
  const counts = () => buckets.map(({ free: left, held, spent, debt }) => [left, held, spent, debt]);
  return { admission, buckets, counts, touched };
}

test("it takes of every limit, or of none where one has too little", () => {
  const whole = scene();
  assert.equal(whole.admission.take(7), true);
  assert.deepEqual(whole.counts(), [
    [4, 1, 0, 0],
    [60, 40, 0, 0],
    [1, 1, 0, 0],
  ]);
  assert.equal(whole.buckets[0]?.usedMs, 7);
  for (const kind of ["rpm", "tpm", "conc"] as const) {
    const { admission, counts } = scene({ rpm: 5, tpm: 100, conc: 2, [kind]: 0 });
    const before = counts();
    assert.equal(admission.take(7), false);
    assert.deepEqual(counts(), before);
    admission.start();
    admission.end(5);
    assert.deepEqual(counts(), before, "what took nothing gives nothing back");
  }
});

test("one that never began gives all of it back, however many tokens are said", () => {
  const { admission, counts } = scene();
  const before = counts();
  admission.take(0);
  admission.end(30);
  admission.end(30);
  admission.start();
  assert.deepEqual(counts(), before);
});

test("one that began has used a request, and so many tokens; its slot is free again; each once", () => {
  const { admission, counts, touched } = scene();
  admission.take(0);
  admission.start();
  admission.start();
  assert.deepEqual(counts()[0], [4, 0, 1, 0]);
  admission.end(30);
  admission.end(30);
  assert.deepEqual(counts(), [
    [4, 0, 1, 0],
    [70, 0, 30, 0],
    [2, 0, 0, 0],
  ]);
  assert.deepEqual(touched, ["rpm", "tpm", "conc"]);
});

test("more tokens than were taken come from what is free, and beyond that are a debt that stops others", () => {
  const { admission, buckets, counts } = scene();
  admission.take(0);
  admission.start();
  admission.end(130);
  assert.deepEqual(counts()[1], [0, 0, 130, 30]);
  const tokens = buckets[1];
  assert.ok(tokens);
  tokens.free = 50;
  assert.equal(tokens.has(1), false);
});

test("whoever finds others waiting for any of its limits has to wait behind them", () => {
  const { admission, buckets } = scene();
  assert.equal(admission.hasToWait(), false);
  (buckets[2] as LocalBucket).waiting = 1;
  assert.equal(admission.hasToWait(), true);
});
