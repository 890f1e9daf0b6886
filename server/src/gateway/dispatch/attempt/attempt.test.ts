/**
 * One upstream call: its timers, what a valid whole answer is, upstreams that report false usage, and callers
 * that disconnect. `relay.test.ts` covers streams.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Timeouts, Upstream } from "@plaza/contract/catalog.ts";
import type { Dispatched, DispatchRequest } from "../dispatch.ts";
import { createDispatchRig, type DispatchRig, settled } from "../testing/dispatch-rig.ts";

const long: Timeouts = { connectMs: 90_000, firstTokenMs: 90_000, idleMs: 90_000, totalMs: 90_000 };

interface Scene {
  readonly rig: DispatchRig;
  readonly dispatched: Promise<Dispatched>;
}

/** A request at one upstream with these timeouts. */
function begun(
  t: TestContext,
  timeouts: Partial<Timeouts> = {},
  changes: Partial<DispatchRequest> = {},
  upstream: Partial<Upstream> = {},
): Scene {
  const rig = createDispatchRig(t);
  const live = rig.upstream("a", { timeouts: { ...long, ...timeouts }, ...upstream });
  return { rig, dispatched: rig.start(rig.model("m", [live]), changes) };
}

/** Returns the fault the attempt ended with, and checks that everything was released. */
async function faultOf({ rig, dispatched }: Scene) {
  const { end } = await dispatched;
  assert.deepEqual(rig.left(), []);
  return end.kind === "fault" ? end.fault : undefined;
}

const json = { "content-type": "application/json" };

test("no connection in time: the attempt ends, and a connection that comes later is closed", async (t) => {
  const rig = createDispatchRig(t);
  rig.state.connects = false;
  const upstream = rig.upstream("a", { timeouts: { ...long, connectMs: 1_000 } });
  const dispatched = rig.start(rig.model("m", [upstream]));
  await rig.pass(1_000);
  assert.equal(rig.faults().length, 0);
  await rig.pass(100);
  const fault = await faultOf({ rig, dispatched });
  assert.deepEqual([fault?.kind, fault?.status], ["timeout", undefined]);
  rig.last().connect();
  assert.equal(rig.last().aborted, "no longer wanted");
});

test("the timer of a whole answer's beginning is not stopped by its head or by blanks", async (t) => {
  const scene = begun(t, { firstByteMs: 1_000 });
  const call = scene.rig.last().head(200, json);
  for (let index = 0; index < 10; index += 1) {
    await scene.rig.pass(100);
    call.bytes(" \n\t");
  }
  assert.equal(call.aborted, undefined);
  await scene.rig.pass(100);
  assert.equal((await faultOf(scene))?.kind, "timeout");
  assert.equal(call.aborted, "attempt failed");
});

test("a whole answer that has begun is left to its other timers", async (t) => {
  const { rig, dispatched } = begun(t, { firstByteMs: 1_000, idleMs: 2_000 });
  const call = rig.last().head(200, json).bytes(" {");
  await rig.pass(1_900);
  call.bytes('"said":"late"}').end();
  assert.equal((await dispatched).end.kind, "answer");
  assert.deepEqual(rig.left(), []);
});

test("silence after the head ends the attempt; each byte begins it anew", async (t) => {
  const scene = begun(t, { idleMs: 1_000 });
  const call = scene.rig.last().head(200, json).bytes("{");
  await scene.rig.pass(900);
  call.bytes(" ");
  await scene.rig.pass(900);
  assert.equal(call.aborted, undefined);
  await scene.rig.pass(300);
  assert.equal((await faultOf(scene))?.kind, "timeout");
});

test("silence before the head is the first timers' business, not this one's", async (t) => {
  const { rig, dispatched } = begun(t, { idleMs: 1_000 });
  await rig.pass(5_000);
  rig.last().answer();
  assert.equal((await dispatched).end.kind, "answer");
});

test("the total time ends an answer that drips", async (t) => {
  const scene = begun(t, { totalMs: 2_000, idleMs: 500 });
  const call = scene.rig.last().head(200, json).bytes("{");
  for (let index = 0; index < 20; index += 1) {
    await scene.rig.pass(100);
    call.bytes(" ");
  }
  assert.equal(call.aborted, undefined);
  await scene.rig.pass(100);
  assert.equal((await faultOf(scene))?.kind, "timeout");
});

test("heads before the answer's own (100, 103) mean nothing", async (t) => {
  const { rig, dispatched } = begun(t);
  rig.last().head(103, { link: "</x>" }).head(100, {}).answer();
  assert.equal((await dispatched).end.kind, "answer");
});

for (const [name, act, kind, status] of [
  [
    "compressed",
    (rig: DispatchRig) => rig.last().head(200, { ...json, "content-encoding": "gzip" }),
    "server",
    200,
  ],
  ["a web page", (rig: DispatchRig) => rig.last().head(200, { "content-type": "text/html" }), "server", 200],
  ["a redirect", (rig: DispatchRig) => rig.last().refuse(302), "server", 302],
  ["empty", (rig: DispatchRig) => rig.last().head(200, json).end(), "server", 200],
  ["no JSON", (rig: DispatchRig) => rig.last().answer("certainly!"), "server", 200],
  ["another JSON", (rig: DispatchRig) => rig.last().answer('{"hello":1}'), "server", 200],
  [
    "an error in a 200",
    (rig: DispatchRig) => rig.last().answer('{"error":{"code":"insufficient_quota"}}'),
    "upstream_quota",
    200,
  ],
  [
    "larger than allowed",
    (rig: DispatchRig) =>
      rig
        .last()
        .head(200, json)
        .bytes(`"${"x".repeat(1_000)}`),
    "server",
    undefined,
  ],
] as const) {
  test(`an answer that is ${name} is a fault, and nothing of it goes down`, async (t) => {
    const scene = begun(t);
    act(scene.rig);
    await scene.rig.pass(400);
    const fault = await faultOf(scene);
    assert.deepEqual([fault?.kind, fault?.status, scene.rig.caller.text], [kind, status, ""]);
  });
}

test("an answer is taken without a content type, and as text of JSON", async (t) => {
  for (const type of ["", "text/plain; charset=utf-8", "application/problem+json", "APPLICATION/JSON"]) {
    await t.test(type, async (inner) => {
      const { rig, dispatched } = begun(inner);
      rig
        .last()
        .head(200, type === "" ? {} : { "content-type": type })
        .bytes('{"said":"x"}')
        .end();
      assert.equal((await dispatched).end.kind, "answer");
    });
  }
});

test("an answer in many pieces is handed on as it was, whole", async (t) => {
  const { rig, dispatched } = begun(t);
  const call = rig.last().head(200, json);
  for (const piece of [' {"sa', 'id":', ' "h\\u00e9"} ']) call.bytes(piece);
  call.end();
  const { end } = await dispatched;
  assert.equal(end.kind === "answer" && end.body.toString(), ' {"said": "h\\u00e9"} ');
});

test("an error without an end is classified by its first bytes, and the rest is not read", async (t) => {
  const scene = begun(t);
  const call = scene.rig.last().head(429, { ...json, "retry-after": "30" });
  call.bytes("x".repeat(65_535));
  assert.equal(call.aborted, undefined);
  call.bytes("x");
  assert.equal(call.aborted, "attempt failed");
  const fault = await faultOf(scene);
  assert.deepEqual([fault?.kind, fault?.retryAfterMs], ["rate_limit", 30_000]);
});

test("a connection that breaks within an error still tells the error", async (t) => {
  const scene = begun(t);
  scene.rig.last().head(401, json).bytes('{"err').break();
  assert.equal((await faultOf(scene))?.kind, "upstream_auth");
});

test("a connection that is not there in the system's time is a timeout, any other is broken", async (t) => {
  for (const [code, kind] of [
    ["ETIMEDOUT", "timeout"],
    ["UND_ERR_CONNECT_TIMEOUT", "timeout"],
    ["ECONNREFUSED", "network"],
    ["HPE_INVALID_CONSTANT", "network"],
  ] as const) {
    await t.test(code, async (inner) => {
      const { rig, dispatched } = begun(inner);
      rig.last().break(code);
      await rig.pass(300);
      if (rig.calls.length > 1) rig.last().answer();
      const found = await dispatched;
      assert.deepEqual([rig.faults(), rig.left(), found.attempts], [[kind], [], kind === "network" ? 2 : 1]);
    });
  }
});

test("what comes after the end changes nothing, and bytes close the connection", async (t) => {
  const { rig, dispatched } = begun(t);
  const call = rig.last();
  call.answer('{"said":"once"}');
  call.end();
  call.bytes("more");
  call.break();
  const { end, attempts } = await dispatched;
  assert.equal(end.kind === "answer" && end.body.toString(), '{"said":"once"}');
  assert.deepEqual([attempts, call.aborted, rig.left()], [1, "bytes after the end", []]);
});

const health = ({ health: { events } }: DispatchRig) => events.map(({ name }) => name);

test("usage that cannot be true is not believed: the request is counted by what was delivered", async (t) => {
  for (const used of ['{"in":-5,"out":3}', '{"in":10,"out":1e300}', '{"in":1e9,"out":1}']) {
    await t.test(used, async (inner) => {
      const { rig, dispatched } = begun(inner);
      const body = `{"said":"x","used":${used}}`;
      rig.last().answer(body);
      const { end } = await dispatched;
      assert.deepEqual(end.kind === "answer" && [end.usage, end.delivered.contentBytes], [
        undefined,
        body.length,
      ]);
      assert.deepEqual(health(rig), ["usage_distrusted"]);
    });
  }
});

test("usage beyond the model's context, for every answer asked for, is not believed", async (t) => {
  const rig = createDispatchRig(t);
  const model = rig.model("m", ["a"], { context: 100 });
  const most = { inputTokens: 10, outputTokens: 90, furtherTokens: 0, answers: 2 };
  for (const [out, name] of [
    [150, undefined],
    [250, "usage_distrusted"],
  ] as const) {
    const dispatched = rig.start(model, { most, reply: rig.another().reply });
    rig.last().answer(`{"said":"x","used":{"in":10,"out":${out}}}`);
    const { end } = await dispatched;
    assert.equal(end.kind === "answer" && end.usage === undefined, name !== undefined);
    assert.equal(health(rig)[0], name);
  }
});

test("usage beyond what was asked for is charged, and the operator is told", async (t) => {
  for (const [used, changes, names] of [
    ['{"in":10,"out":1010}', {}, []],
    ['{"in":10,"out":2000}', {}, ["usage_beyond_asked"]],
    ['{"in":5000,"out":1}', {}, ["usage_beyond_asked"]],
    // An image brings tokens that the length of its URL does not show.
    ['{"in":5000,"out":1}', { body: Buffer.from('{"which":"https://i.test/a.png"}') }, []],
    [
      '{"in":10,"out":1900}',
      { most: { inputTokens: 1, outputTokens: 1_000, furtherTokens: 0, answers: 2 } },
      [],
    ],
    [
      '{"in":10,"out":1900}',
      { most: { inputTokens: 1, outputTokens: 1_000, furtherTokens: 900, answers: 1 } },
      [],
    ],
  ] as const) {
    await t.test(`${used} ${JSON.stringify(changes)}`, async (inner) => {
      const { rig, dispatched } = begun(inner, {}, changes as Partial<DispatchRequest>);
      rig.last().answer(`{"said":"x","used":${used}}`);
      const { end } = await dispatched;
      assert.ok(end.kind === "answer" && end.usage !== undefined);
      assert.deepEqual(health(rig), names);
    });
  }
});

/** The old and the new spelling of the setting. */
const finish = { whenCallerLeaves: "finish", onDisconnect: "finish" } as Partial<Upstream>;

test("a caller that leaves an upstream that bills on: the answer is read to its usage", async (t) => {
  const { rig, dispatched } = begun(t, {}, {}, finish);
  const call = rig.last().head(200, json).bytes('{"said":"x",');
  rig.caller.leave();
  assert.equal(call.aborted, undefined);
  call.bytes('"used":{"in":1,"out":2}}').end();
  const { end } = await dispatched;
  assert.equal(end.kind === "answer" && end.usage?.output, 2);
  assert.deepEqual(rig.left(), []);
});

test("it is not read on for ever: a minute after the caller has left it is stopped", async (t) => {
  const { rig, dispatched } = begun(t, {}, {}, finish);
  const call = rig.last().head(200, json);
  await rig.pass(10_000);
  rig.caller.leave();
  for (let index = 0; index < 60; index += 1) {
    await rig.pass(1_000);
    call.bytes("[");
  }
  assert.equal(call.aborted, undefined);
  await rig.pass(200);
  const { end } = await dispatched;
  assert.deepEqual([end.kind, call.aborted, rig.left()], ["aborted", "the caller left", []]);
});

test("an answer that is kept is read on for longer than that", async (t) => {
  const { rig, dispatched } = begun(t, {}, { isKept: true });
  rig.caller.leave();
  await rig.pass(80_000);
  rig.last().answer();
  assert.equal((await dispatched).end.kind, "answer");
  assert.deepEqual(rig.left(), []);
});

test("an upstream's own timers end what is read on, too", async (t) => {
  const scene = begun(t, { idleMs: 1_000 }, { isKept: true });
  scene.rig.last().head(200, json).bytes("{");
  scene.rig.caller.leave();
  await scene.rig.pass(1_200);
  await settled();
  assert.equal((await faultOf(scene))?.kind, "timeout");
});

test("an attempt that was given up may have cost the whole prompt and all the output paid for", async (t) => {
  const cost = async (act: (rig: DispatchRig) => void, candidate: number | undefined, isStream: boolean) => {
    let found: Dispatched | undefined;
    await t.test(`${candidate} ${isStream}`, async (inner) => {
      const rig = createDispatchRig(inner);
      const live = rig.upstream("a", { timeouts: { ...long, totalMs: 1_000 } });
      const candidates = [rig.candidate(rig.model("m", [live]), { outputTokensMax: candidate })];
      const dispatched = rig.start(candidates, { isStream });
      act(rig);
      await rig.pass(1_100);
      found = await dispatched;
    });
    return [found?.wastedCost, found?.log?.[0]?.isBound];
  };
  const nothing = () => {};
  // 100 tokens in at 1 NanoUsd, 1,000 (or 50) out at 10 NanoUsd each.
  assert.deepEqual(await cost(nothing, undefined, false), [10_100n, true]);
  assert.deepEqual(await cost(nothing, 50, false), [600n, true]);
  // A stream that had not begun has no output.
  assert.deepEqual(await cost(nothing, undefined, true), [100n, true]);
  // A 504 comes from the upstream itself, which then bills nothing.
  assert.deepEqual(await cost((rig) => rig.last().refuse(504), undefined, false), [0n, undefined]);
});

test("how long whole answers take is known once enough have come", async (t) => {
  const rig = createDispatchRig(t);
  const model = rig.model("m", ["a"]);
  for (let index = 0; index < 20; index += 1) {
    assert.equal(rig.health.upstreamHealth.p95AnswerMs(model, false), undefined);
    const dispatched = rig.start(model, { reply: rig.another().reply });
    rig.health.nowMs += 300;
    rig.last().answer();
    await dispatched;
  }
  assert.ok((rig.health.upstreamHealth.p95AnswerMs(model, false) ?? 0) >= 300);
  assert.equal(rig.health.upstreamHealth.p95AnswerMs(model, true), undefined);
});
