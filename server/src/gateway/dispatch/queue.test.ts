/**
 * Waiting for a permit of an upstream with limited concurrency: in order, within the timeouts, and only while
 * the answer is needed. Every permit is released.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Upstream } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import type { LiveModel } from "../snapshot.ts";
import type { Dispatched, DispatchRequest } from "./dispatch.ts";
import { createDispatchRig, type DispatchRig, settled } from "./testing/dispatch-rig.ts";

const timeouts = { connectMs: 5_000, firstTokenMs: 2_000, idleMs: 5_000, totalMs: 3_000 };

/** A model at an upstream with one permit, which another request holds. */
function taken(t: TestContext, changes: Partial<Upstream> = {}, others: readonly string[] = []) {
  const rig = createDispatchRig(t);
  const upstream = rig.upstream("a", { concurrency: 1, timeouts, ...changes });
  const model = rig.model("m", [upstream, ...others]);
  const before = rig.start(model, { reply: rig.another().reply });
  assert.equal(rig.calls.length, 1);
  return { rig, model, before, first: rig.last() };
}

/** Answers the earlier request. */
async function finish({ rig, before, first }: ReturnType<typeof taken>): Promise<void> {
  first.answer();
  await before;
  await settled();
  assert.deepEqual(rig.left(), []);
}

const faultOf = ({ end }: Dispatched) => (end.kind === "fault" ? end.fault : undefined);

const request = (rig: DispatchRig, model: LiveModel, changes: Partial<DispatchRequest> = {}) =>
  rig.start(model, changes);

test("whoever waits is called when a place is given back, in the order they came", async (t) => {
  const scene = taken(t);
  const { rig, model, first } = scene;
  const second = request(rig, model);
  const third = request(rig, model, { reply: rig.another().reply, body: Buffer.from('{"third":1}') });
  await settled();
  assert.equal(rig.calls.length, 1);
  first.answer();
  await settled();
  assert.equal(rig.calls.length, 2);
  rig.last().answer();
  await second;
  await settled();
  assert.match(rig.last().body, /third/);
  rig.last().answer();
  assert.equal((await third).end.kind, "answer");
  assert.deepEqual(rig.left(), []);
});

test("a place is given back whatever the attempt ends with", async (t) => {
  for (const [name, act] of [
    ["answered", (rig: DispatchRig) => rig.last().answer()],
    ["failed", (rig: DispatchRig) => rig.last().refuse(400, { message: "no" })],
    ["broken", (rig: DispatchRig) => rig.last().break()],
    ["left", (rig: DispatchRig) => rig.caller.leave()],
  ] as const) {
    await t.test(name, async (inner) => {
      const rig = createDispatchRig(inner);
      const dispatched = rig.start(rig.model("m", [rig.upstream("a", { concurrency: 1 })]));
      act(rig);
      await rig.pass(300);
      if (rig.calls.length === 2) rig.last().answer();
      await dispatched;
      assert.deepEqual(rig.left(), []);
    });
  }
});

test("a full line is not waited in: 'overloaded' at once, or the next deployment", async (t) => {
  const scene = taken(t, { queue: 0 });
  const found = await request(scene.rig, scene.model);
  assert.deepEqual(
    [found.attempts, faultOf(found)?.kind, faultOf(found)?.retryAfterMs],
    [0, "overloaded", 1_000],
  );
  await finish(scene);
});

test("where one upstream is full, the next deployment serves", async (t) => {
  const scene = taken(t, { queue: 0 }, ["b"]);
  const { rig } = scene;
  const dispatched = request(rig, scene.model);
  await settled();
  assert.equal(rig.last().upstream, "b");
  rig.last().answer();
  const found = await dispatched;
  assert.deepEqual([found.end.kind, found.attempts, found.live?.live.upstream.id], ["answer", 1, "b"]);
  await finish(scene);
});

test("whoever waits is called up to the last moment of its timers", async (t) => {
  for (const [name, changes, ms] of [
    ["first token", {}, 2_000],
    ["total", { timeouts: { ...timeouts, totalMs: 1_000 } }, 1_000],
  ] as const) {
    await t.test(name, async (inner) => {
      const scene = taken(inner, changes);
      const { rig } = scene;
      const dispatched = request(rig, scene.model);
      await rig.pass(ms - 100);
      assert.equal(rig.calls.length, 1);
      scene.first.answer();
      await settled();
      assert.equal(rig.calls.length, 2);
      rig.last().answer();
      await dispatched;
      assert.deepEqual(rig.left(), []);
    });
  }
});

test("whoever waits longer than the first-token timer is refused without having called anything", async (t) => {
  const scene = taken(t, { timeouts: { ...timeouts, totalMs: 60_000, firstByteMs: 60_000 } as never });
  const { rig } = scene;
  const dispatched = request(rig, scene.model);
  await rig.pass(2_200);
  const found = await dispatched;
  assert.deepEqual([found.attempts, faultOf(found)?.kind, rig.calls.length], [0, "overloaded", 1]);
  await finish(scene);
});

test("a request's own time bounds its wait, too", async (t) => {
  const long = { ...timeouts, firstTokenMs: 60_000, totalMs: 1_000 };
  const scene = taken(t, { timeouts: long });
  const { rig } = scene;
  const dispatched = request(rig, scene.model);
  await rig.pass(1_200);
  const found = await dispatched;
  assert.deepEqual([found.attempts, faultOf(found)?.kind, rig.calls.length], [0, "overloaded", 1]);
  await scene.before;
  assert.deepEqual(rig.left(), []);
});

test("the caller leaves while it waits: the line is left, and the place goes to the next", async (t) => {
  const scene = taken(t);
  const { rig, model, first } = scene;
  const dispatched = request(rig, model);
  const next = request(rig, model, { reply: rig.another().reply });
  await settled();
  rig.caller.leave();
  const found = await dispatched;
  assert.deepEqual([found.end.kind, found.attempts], ["aborted", 0]);
  first.answer();
  await settled();
  assert.equal(rig.calls.length, 2);
  rig.last().answer();
  await next;
  assert.deepEqual(rig.left(), []);
});

test("one whose answer is kept waits on without its caller", async (t) => {
  const scene = taken(t);
  const { rig, model, first } = scene;
  const dispatched = request(rig, model, { isKept: true });
  await settled();
  rig.caller.leave();
  first.answer();
  await settled();
  rig.last().answer();
  assert.equal((await dispatched).end.kind, "answer");
  assert.deepEqual(rig.left(), []);
});

test("a caller that left just before its turn takes no place with it", async (t) => {
  const scene = taken(t);
  const { rig, model, first } = scene;
  const dispatched = request(rig, model);
  await settled();
  first.answer();
  rig.caller.leave();
  const found = await dispatched;
  assert.deepEqual([found.end.kind, rig.calls.length], ["aborted", 1]);
  await scene.before;
  assert.deepEqual(rig.left(), []);
});

test("a caller that leaves in the moment in which it is given a place gives it back", async (t) => {
  const scene = taken(t, {}, ["b"]);
  const { rig, model, first } = scene;
  const dispatched = request(rig, model);
  await settled();
  // The failed attempt is logged just after its permit went to the waiting request.
  rig.state.onLog = () => rig.caller.leave();
  first.refuse(400, { message: "no" });
  const found = await dispatched;
  assert.deepEqual([found.end.kind, rig.calls.length], ["aborted", 1]);
  await scene.before;
  assert.deepEqual(rig.left(), []);
});

test("a caller that has left before it gets in line is not waited for", async (t) => {
  const rig = createDispatchRig(t);
  const full = rig.model("full", [rig.upstream("a", { concurrency: 1, timeouts })]);
  const before = rig.start(full, { reply: rig.another().reply });
  const out = rig.model("m", [rig.upstream("none", { credentials: ["x"] })]);
  const slot = rig.health.choose(out);
  assert.ok(slot);
  rig.health.call(slot, { kind: "rate_limit", retryAfterMs: 60_000 });
  // The caller disconnects while the substitute's limits are checked.
  rig.state.admitSubstitute = () => rig.caller.leave();
  const limitUse = {
    model: full,
    inputTokens: 1,
    outputTokens: 1,
    answers: 1,
    maxOutput: undefined,
  } as never;
  const dispatched = rig.start([rig.candidate(out), rig.candidate(full, { limitUse })]);
  await settled();
  const early = await Promise.race([dispatched, settled()]);
  assert.equal(early?.end.kind, "aborted");
  for (const admission of early?.admissions ?? []) admission.end(0);
  rig.last().answer();
  await before;
  assert.deepEqual(rig.left(), []);
});

test("the process stops, or the key ends, while it waits: nothing more is called", async (t) => {
  for (const kind of ["stopping", "key_ended"] as const) {
    await t.test(kind, async (inner) => {
      const scene = taken(inner, { timeouts: { ...timeouts, firstTokenMs: 60_000, totalMs: 60_000 } });
      const { rig } = scene;
      const caller = { key: { id: "k", accountId: "a" }, ended: undefined as GatewayError | undefined };
      const dispatched = request(rig, scene.model, { caller });
      await settled();
      if (kind === "stopping") rig.interruption.isInterrupted = true;
      else caller.ended = new GatewayError("api_key_disabled");
      await rig.pass(100);
      const found = await Promise.race([dispatched, settled()]);
      assert.equal(found === undefined ? "still in line" : faultOf(found)?.kind, kind);
      if (kind === "key_ended") scene.first.answer();
      await scene.before;
      assert.deepEqual(rig.left(), []);
    });
  }
});

test("a stream that waits says that it lives, and its head says nothing of an error that may come", async (t) => {
  const patient = { ...timeouts, firstTokenMs: 200_000, totalMs: 200_000 };
  const scene = taken(t, { timeouts: patient });
  const { rig } = scene;
  rig.health.nowMs = 50_000;
  const dispatched = request(rig, scene.model, { isStream: true });
  await rig.pass(14_900);
  assert.equal(rig.caller.text, "");
  await rig.pass(200);
  assert.equal(rig.caller.text, ": keep-alive\n\n");
  await rig.pass(15_000);
  assert.equal(rig.caller.text, ": keep-alive\n\n".repeat(2));
  scene.first.answer();
  await settled();
  rig.last().head().events("one", "END").end();
  assert.equal((await dispatched).end.kind, "stream");
  await finish({ ...scene, first: { answer() {} } as never });
});

test("a whole answer that waits is told nothing before it is there", async (t) => {
  const scene = taken(t, { timeouts: { ...timeouts, firstTokenMs: 60_000, totalMs: 60_000 } });
  const { rig } = scene;
  const dispatched = request(rig, scene.model);
  await rig.pass(40_000);
  assert.deepEqual([rig.caller.status, rig.caller.text], [0, ""]);
  rig.caller.leave();
  await dispatched;
  await finish(scene);
});
