/**
 * Hedged requests: when the second attempt starts, which one wins, what happens to the other, and what each
 * costs. Nothing of the loser reaches the caller, and everything taken is released.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import type { Dispatched, DispatchRequest } from "./dispatch.ts";
import { createDispatchRig, type DispatchRig, settled } from "./testing/dispatch-rig.ts";
import type { FakeCall } from "./testing/fake-call.ts";

interface Scene {
  readonly rig: DispatchRig;
  readonly dispatched: Promise<Dispatched>;
  readonly first: FakeCall;
}

/**
 * A request of a model at `a` and `b` (and more) whose first attempt has run for the hedge delay of 100 ms.
 */
async function hedged(
  t: TestContext,
  changes: Partial<DispatchRequest> = {},
  upstreams: Parameters<DispatchRig["model"]>[1] = ["a", "b"],
): Promise<Scene & { readonly second: FakeCall }> {
  const rig = createDispatchRig(t);
  const model = rig.model("m", upstreams, { hedge: { afterMs: 100 } });
  const dispatched = rig.start(model, { isStream: true, ...changes });
  const first = rig.last();
  await rig.pass(90);
  assert.equal(rig.calls.length, 1);
  await rig.pass(10);
  assert.equal(rig.calls.length, 2);
  return { rig, dispatched, first, second: rig.last() };
}

/** Upstreams, faults, prompt tokens and costs as recorded. */
const written = ({ log }: Dispatched) =>
  log?.map(({ upstreamId, fault, usage, isBound, cost }) => [upstreamId, fault, usage?.input, isBound, cost]);

test("a first attempt that begins in time stays alone", async (t) => {
  const rig = createDispatchRig(t);
  const dispatched = rig.start(rig.model("m", ["a", "b"], { hedge: { afterMs: 100 } }), { isStream: true });
  await rig.pass(90);
  rig.last().head().events("one");
  await rig.pass(100);
  rig.last().events("END").end();
  const found = await dispatched;
  assert.deepEqual([rig.calls.length, found.attempts, found.log, rig.left()], [1, 1, undefined, []]);
});

test("the second wins: the first is stopped, nothing of it goes down, and it may have cost the whole prompt", async (t) => {
  const { rig, dispatched, first, second } = await hedged(t);
  second.head().events("ROLE", "b1");
  assert.equal(first.aborted, "another attempt was faster");
  first.head().events("a1", "a2");
  second.events("END").end();
  const found = await dispatched;
  assert.equal(rig.caller.text, "data: ROLE\n\ndata: b1\n\n");
  assert.deepEqual([found.end.kind, found.attempts, found.live?.live.upstream.id], ["stream", 2, "b"]);
  assert.deepEqual(written(found), [
    ["a", "superseded", 100, true, "0.0000001"],
    ["b", null, undefined, undefined, undefined],
  ]);
  assert.deepEqual([found.wastedCost, rig.left()], [100n, []]);
  const starts = found.log?.map(({ upstreamId, startMs }) => [upstreamId, startMs]);
  assert.deepEqual([found.queueMs, Object.fromEntries(starts ?? [])], [0, { a: 0, b: 100 }]);
});

test("the first wins after all: the second is stopped before its first byte", async (t) => {
  const { rig, dispatched, first, second } = await hedged(t);
  first.head().events("a1");
  second.head().events("b1");
  first.events("a2", "END").end();
  const found = await dispatched;
  assert.equal(second.aborted, "another attempt was faster");
  assert.equal(rig.caller.text, "data: a1\n\ndata: a2\n\n");
  assert.deepEqual(
    written(found)?.map(([upstream, fault]) => [upstream, fault]),
    [
      ["b", "superseded"],
      ["a", null],
    ],
  );
  assert.deepEqual(rig.left(), []);
});

test("what a loser says it used is what it costs, not the most it may have", async (t) => {
  const { rig, dispatched, first, second } = await hedged(t);
  first.head().events("USED 7 2");
  second.head().events("b1", "END").end();
  const found = await dispatched;
  assert.deepEqual(written(found)?.[0], ["a", "superseded", 7, undefined, "0.000000027"]);
  assert.deepEqual([found.wastedCost, rig.left()], [27n, []]);
});

test("a loser that never had a connection costs nothing", async (t) => {
  const rig = createDispatchRig(t);
  rig.state.connects = false;
  const model = rig.model("m", ["a", "b"], { hedge: { afterMs: 100 } });
  const dispatched = rig.start(model, { isStream: true });
  await rig.pass(100);
  rig.last().connect().head().events("b1", "END").end();
  const found = await dispatched;
  assert.deepEqual(written(found)?.[0], ["a", "superseded", undefined, undefined, undefined]);
  assert.deepEqual([found.wastedCost, rig.left()], [0n, []]);
  // A connection that opens now is closed at once.
  rig.calls[0]?.connect();
  assert.equal(rig.calls[0]?.aborted, "no longer wanted");
});

test("of a whole answer a loser may have written all that was asked for", async (t) => {
  const { rig, dispatched, second } = await hedged(t, { isStream: false });
  second.answer();
  const found = await dispatched;
  assert.equal(found.end.kind === "answer" && found.end.usage?.output, 5);
  // 100 tokens in, 1,000 out.
  assert.deepEqual([found.wastedCost, rig.left()], [10_100n, []]);
});

test("the first fails while both run: the second goes on, and serves", async (t) => {
  const { rig, dispatched, first, second } = await hedged(t);
  first.refuse(500);
  assert.equal(second.aborted, undefined);
  second.head().events("b1", "END").end();
  const found = await dispatched;
  assert.deepEqual(written(found), [
    ["a", "server", undefined, undefined, undefined],
    ["b", null, undefined, undefined, undefined],
  ]);
  assert.deepEqual([found.end.kind, rig.faults(), rig.left()], ["stream", ["server"], []]);
});

test("both fail: the fault that came last is told, and a third deployment is tried", async (t) => {
  const { rig, dispatched, first, second } = await hedged(t, {}, ["a", "b", "c"]);
  first.refuse(500);
  second.refuse(503);
  await settled();
  assert.equal(rig.last().upstream, "c");
  rig.last().refuse(502);
  const found = await dispatched;
  assert.deepEqual([found.attempts, found.end.kind], [3, "fault"]);
  assert.deepEqual(
    found.log?.map(({ upstreamId, status }) => [upstreamId, status]),
    [
      ["a", 500],
      ["b", 503],
      ["c", 502],
    ],
  );
  assert.deepEqual(rig.left(), []);
});

test("what the caller made wrong is wrong everywhere: the other attempt is stopped, whichever said so", async (t) => {
  for (const teller of ["first", "second"] as const) {
    await t.test(teller, async (inner) => {
      const scene = await hedged(inner);
      const other = teller === "first" ? scene.second : scene.first;
      scene[teller].refuse(400, { message: "no such field" });
      await settled();
      assert.equal(other.aborted, "another attempt was faster");
      const found = await scene.dispatched;
      assert.deepEqual(
        [found.end.kind === "fault" && found.end.fault.kind, found.attempts],
        ["bad_request", 2],
      );
      assert.deepEqual(scene.rig.left(), []);
    });
  }
});

test("a fault of the caller's is told although another one came after it", async (t) => {
  const { rig, dispatched, first, second } = await hedged(t);
  first.refuse(400, { message: "no such field" });
  second.refuse(500);
  const found = await dispatched;
  assert.equal(found.end.kind === "fault" && found.end.fault.kind, "bad_request");
  assert.deepEqual(rig.left(), []);
});

test("the caller leaves while two run: both are stopped, and nothing is charged", async (t) => {
  const { rig, dispatched, first, second } = await hedged(t);
  rig.caller.leave();
  const found = await dispatched;
  assert.deepEqual([first.aborted, second.aborted], ["the caller left", "the caller left"]);
  assert.deepEqual([found.end.kind, rig.caller.text, rig.left()], ["aborted", "", []]);
  // Neither was faster. The possible cost of the first is counted as usual.
  assert.deepEqual(written(found), [
    ["a", "caller_left", 100, true, "0.0000001"],
    ["b", null, undefined, undefined, undefined],
  ]);
});

test("the caller leaves one that is stopped then, and one that goes on and wins: the first was left", async (t) => {
  const rig = createDispatchRig(t);
  const upstreams = [rig.upstream("a"), rig.upstream("b", { onDisconnect: "finish" })];
  const dispatched = rig.start(rig.model("m", upstreams, { hedge: { afterMs: 100 } }), { isStream: true });
  await rig.pass(100);
  rig.caller.leave();
  await settled();
  rig.last().head().events("b1", "END").end();
  const found = await dispatched;
  assert.deepEqual(
    written(found)?.map(([upstream, fault]) => [upstream, fault]),
    [
      ["a", "caller_left"],
      ["b", null],
    ],
  );
  assert.deepEqual(rig.left(), []);
});

test("the caller leaves before the second begins: it never does", async (t) => {
  const rig = createDispatchRig(t);
  const model = rig.model("m", ["a", "b"], { hedge: { afterMs: 100 } });
  const dispatched = rig.start(model, { isStream: true });
  await rig.pass(50);
  rig.caller.leave();
  await rig.pass(200);
  const found = await dispatched;
  assert.deepEqual([found.end.kind, rig.calls.length, rig.left()], ["aborted", 1, []]);
});

test("the caller leaves the winner: it is stopped where it is", async (t) => {
  const { rig, dispatched, second } = await hedged(t);
  second.head().events("b1");
  rig.caller.leave();
  const found = await dispatched;
  assert.deepEqual([found.end.kind, second.aborted], ["aborted", "the caller left"]);
  assert.equal(found.end.kind === "aborted" && found.end.delivered.events, 1);
  assert.deepEqual(rig.left(), []);
});

test("an answer that is kept is won without its caller", async (t) => {
  const { rig, dispatched, first, second } = await hedged(t, { isKept: true });
  rig.caller.leave();
  await settled();
  assert.deepEqual([first.aborted, second.aborted], [undefined, undefined]);
  second.head().events("b1", "END").end();
  const found = await dispatched;
  assert.deepEqual([found.end.kind, first.aborted], ["stream", "another attempt was faster"]);
  assert.deepEqual(rig.left(), []);
});

test("a slow caller holds up the winner alone, and is told of its bytes once it has caught up", async (t) => {
  const { rig, dispatched, second } = await hedged(t);
  rig.caller.write = () => false;
  second.head().events("b1");
  assert.equal(second.isPaused, true);
  rig.caller.listener?.drained();
  assert.equal(second.isPaused, false);
  second.events("END").end();
  await dispatched;
  assert.deepEqual(rig.left(), []);
});

test("the process stops, or the key ends, while two run: both end, and no third is called", async (t) => {
  for (const kind of ["stopping", "key_ended"] as const) {
    await t.test(kind, async (inner) => {
      const caller = { key: { id: "k", accountId: "a" }, ended: undefined as GatewayError | undefined };
      const { rig, dispatched } = await hedged(inner, { caller }, ["a", "b", "c"]);
      if (kind === "stopping") rig.interruption.isInterrupted = true;
      else caller.ended = new GatewayError("api_key_disabled");
      await rig.pass(100);
      const found = await dispatched;
      assert.equal(found.end.kind === "fault" && found.end.fault.kind, kind);
      assert.deepEqual([rig.calls.length, rig.left()], [2, []]);
    });
  }
});

test("no second attempt begins in a process that stops", async (t) => {
  const rig = createDispatchRig(t);
  const model = rig.model("m", ["a", "b"], { hedge: { afterMs: 50 } });
  const dispatched = rig.start(model, { isStream: true });
  rig.interruption.isInterrupted = true;
  await rig.pass(100);
  const found = await dispatched;
  assert.deepEqual([found.attempts, rig.calls.length, rig.left()], [1, 1, []]);
});

test("two that failed one after the other leave one more attempt, and no second beside it", async (t) => {
  const rig = createDispatchRig(t);
  const model = rig.model("m", ["a", "b", "c", "d"], { hedge: { afterMs: 50 } });
  const dispatched = rig.start(model, { isStream: true });
  for (const _ of ["a", "b"]) {
    rig.last().refuse(500);
    await settled();
  }
  await rig.pass(300);
  assert.equal(rig.calls.length, 3);
  rig.last().head().events("one", "END").end();
  const found = await dispatched;
  assert.deepEqual([found.attempts, found.live?.live.upstream.id, rig.left()], [3, "c", []]);
});

test("a full upstream is no second deployment, and that costs the budget nothing", async (t) => {
  const rig = createDispatchRig(t);
  const full = rig.upstream("b", { concurrency: 1 });
  const before = rig.start(rig.model("other", [full]), { reply: rig.another().reply });
  const model = rig.model("m", ["a", full], { hedge: { afterMs: 100 } });
  const dispatched = rig.start(model, { isStream: true });
  await rig.pass(200);
  assert.deepEqual(
    rig.calls.map(({ upstream }) => upstream),
    ["b", "a"],
  );
  rig.last().head().events("a1", "END").end();
  rig.calls[0]?.answer();
  await Promise.all([before, dispatched]);
  assert.deepEqual(rig.left(), []);
});

test("the place of a bounded upstream comes back from a loser and from a winner", async (t) => {
  for (const winner of ["first", "second"] as const) {
    await t.test(winner, async (inner) => {
      const rig = createDispatchRig(inner);
      const upstreams = ["a", "b"].map((id) => rig.upstream(id, { concurrency: 1 }));
      const model = rig.model("m", upstreams, { hedge: { afterMs: 100 } });
      const dispatched = rig.start(model, { isStream: true });
      await rig.pass(100);
      const [first, second] = rig.calls;
      (winner === "first" ? first : second)?.head().events("one", "END").end();
      await dispatched;
      assert.deepEqual(rig.left(), []);
    });
  }
});

test("second attempts are paid for whatever they bring, so that a slow model does not double its traffic", async (t) => {
  const rig = createDispatchRig(t);
  const model = rig.model("m", ["a", "b"], { hedge: { afterMs: 100 } });
  const attempts: number[] = [];
  for (let index = 0; index < 8; index += 1) {
    const dispatched = rig.start(model, { isStream: true, reply: rig.another().reply });
    await rig.pass(100);
    const sent = rig.calls.length;
    rig.last().head().events("one", "END").end();
    attempts.push((await dispatched).attempts);
    assert.ok(sent > index);
  }
  assert.deepEqual([attempts.slice(0, 3), attempts.at(-1)], [[2, 2, 2], 1]);
  assert.deepEqual(rig.left(), []);
});

test("without a time in the catalog it is the model's own slowest twentieth, once enough is known", async (t) => {
  const rig = createDispatchRig(t);
  const model = rig.model("m", ["a", "b"], { hedge: {} });
  const unknown = rig.start(model, { isStream: true });
  await rig.pass(5_000);
  assert.equal(rig.calls.length, 1);
  rig.last().head().events("one", "END").end();
  await unknown;
  for (let index = 0; index < 40; index += 1) {
    const choice = rig.health.choose(model);
    assert.ok(choice);
    rig.health.call(choice, undefined, 300);
  }
  const known = rig.start(model, { isStream: true, reply: rig.another().reply });
  await rig.pass(200);
  assert.equal(rig.calls.length, 2);
  await rig.pass(5_000);
  assert.equal(rig.calls.length, 3);
  rig.last().head().events("one", "END").end();
  await known;
  assert.deepEqual(rig.left(), []);
});
