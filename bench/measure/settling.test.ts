/** When a warm-up is complete, and which windows are discarded. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hasSettled, isDisturbed } from "./settling.ts";

const rule = { sliceMs: 1000, slices: 3, within: 0.08, slicesMax: 10 };

test("settled is when the last slices agree, not when earlier ones did", () => {
  assert.equal(hasSettled([], rule), false);
  assert.equal(hasSettled([100, 100], rule), false);
  assert.equal(hasSettled([230, 150, 110, 102, 99], rule), false);
  assert.equal(hasSettled([230, 150, 110, 102, 99, 101], rule), true);
  assert.equal(hasSettled([100, 100, 100, 130], rule), false);
});

test("a window beside other work, or off the upstream's pace, is disturbed", () => {
  const window = {
    cpuMs: 1,
    durationMs: 1,
    costUs: 1,
    perSecond: 1,
    paceKeptPercent: 100,
    foreignCpuPercent: 20,
  };
  assert.equal(isDisturbed(window), false);
  assert.equal(isDisturbed({ ...window, foreignCpuPercent: 60 }), true);
  assert.equal(isDisturbed({ ...window, paceKeptPercent: 90 }), true);
  assert.equal(isDisturbed({ ...window, paceKeptPercent: 110 }), true);
});
