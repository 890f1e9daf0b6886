import assert from "node:assert/strict";
import { test } from "node:test";
import { HealthView } from "./view.ts";

const reasonOf = (view: HealthView): string | undefined => view.readiness().body.reason;

test("before anything is heard: alive, but starting", () => {
  const view = new HealthView(10_000);
  view.pass(3_600_000);
  assert.equal(view.health().status, 200);
  assert.deepEqual(view.readiness(), { status: 503, body: { status: "not_ready", reason: "starting" } });
});

test("a process is ready while it says so, and its reason is told while it does not", () => {
  const view = new HealthView(10_000);
  view.beat(7, "the database does not answer");
  assert.equal(reasonOf(view), "the database does not answer");
  view.beat(7, undefined);
  assert.deepEqual(view.readiness(), { status: 200, body: { status: "ready" } });
  view.gone(7);
  assert.equal(reasonOf(view), "starting");
});

test("one that is silent for longer than the bound stands still: not alive, and not ready", () => {
  const view = new HealthView(10_000);
  view.beat(7, undefined);
  view.pass(10_000);
  assert.deepEqual([view.health().status, view.readiness().status], [200, 200]);
  view.pass(2_100);
  assert.deepEqual(view.health(), {
    status: 503,
    body: { status: "stalled", reason: "the event loop of process 7 has stood still for 12 s" },
  });
  assert.match(reasonOf(view) ?? "", /stands still/);
  view.beat(7, undefined);
  assert.deepEqual([view.health().status, view.readiness().status], [200, 200]);
});

test("of several one standing still makes all red for liveness, and one that is ready is enough for readiness", () => {
  const view = new HealthView(1_000);
  view.beat(7, undefined);
  view.beat(8, undefined);
  view.pass(900);
  view.beat(8, undefined);
  view.pass(900);
  assert.match(view.health().body.reason ?? "", /process 7/);
  assert.equal(view.readiness().status, 200);
  view.gone(7);
  assert.equal(view.health().status, 200);
});

test("a stop makes it not ready, whatever processes say, and leaves it alive", () => {
  const view = new HealthView(1_000);
  view.beat(7, undefined);
  view.stop();
  view.beat(7, undefined);
  assert.equal(reasonOf(view), "stopping");
  assert.equal(view.health().status, 200);
});
