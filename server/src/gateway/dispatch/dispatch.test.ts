/**
 * Which attempts a request gets and how it ends: fallback, retry, waiting for throttled deployments,
 * substitutes, and every exit before and between attempts. Nothing stays taken.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { readyEcho } from "../request/testing/fake-endpoint.ts";
import type { Dispatched } from "./dispatch.ts";
import { createDispatchRig, type DispatchRig, settled } from "./testing/dispatch-rig.ts";

const faultOf = ({ end }: Dispatched) => (end.kind === "fault" ? end.fault : undefined);
const kindsOf = ({ log }: Dispatched) => log?.map(({ fault }) => fault);
/** The upstreams called, in order. */
const calledBy = ({ calls }: DispatchRig): string[] => calls.map(({ upstream }) => upstream);

/** Waits for the end and checks that everything was released. */
async function ended(rig: DispatchRig, dispatched: Promise<Dispatched>): Promise<Dispatched> {
  const found = await dispatched;
  assert.deepEqual(rig.left(), []);
  return found;
}

/** A rig, and a request at these upstreams whose first call has been made. */
function begun(t: TestContext, ...upstreams: string[]) {
  const rig = createDispatchRig(t);
  return { rig, dispatched: rig.start(upstreams) };
}

test("the first that answers is enough: nothing was wasted, and no log is kept of it", async (t) => {
  const { rig, dispatched } = begun(t, "a", "b");
  rig.health.nowMs = 40;
  rig.last().answer();
  const found = await ended(rig, dispatched);
  assert.deepEqual(
    [found.end.kind, found.attempts, found.log, found.queueMs, found.wastedCost, calledBy(rig)],
    ["answer", 1, undefined, 0, 0n, ["a"]],
  );
  assert.equal(found.end.kind === "answer" && found.end.usage?.output, 5);
  assert.equal(found.live?.live.upstream.id, "a");
  assert.ok(rig.last().headers.includes("Bearer secret-of-a"));
  assert.equal(rig.caller.text, "", "what is answered is the pipeline's to send");
});

test("after a failure of the upstream's the next deployment is called, and both are written down", async (t) => {
  const { rig, dispatched } = begun(t, "a", "b");
  rig.health.nowMs = 30;
  rig.last().refuse(500);
  await settled();
  rig.health.nowMs = 50;
  rig.last().answer();
  const found = await ended(rig, dispatched);
  assert.deepEqual([found.end.kind, found.attempts, calledBy(rig)], ["answer", 2, ["a", "b"]]);
  assert.deepEqual(
    found.log?.map(({ upstreamId, fault, status, startMs, durationMs }) => [
      ...[upstreamId, fault, status, startMs, durationMs],
    ]),
    [
      ["a", "server", 500, 0, 30],
      ["b", null, null, 30, 20],
    ],
  );
  assert.equal(found.queueMs, 0);
  assert.deepEqual(rig.faults(), ["server"]);
});

test("times count from the arrival, and what is rounded never overlaps", async (t) => {
  const rig = createDispatchRig(t);
  rig.health.nowMs = 20.6;
  const dispatched = rig.start(["a", "b"], { arrivedMs: 8 });
  rig.health.nowMs = 30.4;
  rig.last().refuse(500);
  await settled();
  rig.health.nowMs = 50.5;
  rig.last().answer();
  const found = await ended(rig, dispatched);
  assert.deepEqual(
    [found.queueMs, found.log?.map(({ startMs, durationMs }) => [startMs, durationMs])],
    [
      13,
      [
        [13, 9],
        [22, 21],
      ],
    ],
  );
});

for (const [name, status, error] of [
  ["bad_request", 400, { message: "no" }],
  ["content_filter", 400, { code: "content_filter" }],
  ["context_length", 400, { code: "context_length_exceeded" }],
] as const) {
  test(`what the caller made wrong (${name}) is not tried again at a deployment of the same model`, async (t) => {
    const { rig, dispatched } = begun(t, "a");
    rig.last().refuse(status, error);
    const found = await ended(rig, dispatched);
    assert.deepEqual([faultOf(found)?.kind, calledBy(rig)], [name, ["a"]]);
  });
}

test("what is wrong everywhere is tried at one deployment, however many there are", async (t) => {
  const { rig, dispatched } = begun(t, "a", "b", "c");
  rig.last().refuse(400, { message: "no" });
  await ended(rig, dispatched);
  assert.deepEqual(calledBy(rig), ["a"]);
});

test("one try and two more, however many deployments there are; the last fault is the one told", async (t) => {
  const { rig, dispatched } = begun(t, "a", "b", "c", "d");
  for (const status of [500, 502, 503]) {
    rig.last().refuse(status);
    await settled();
  }
  const found = await ended(rig, dispatched);
  assert.deepEqual([calledBy(rig), found.attempts], [["a", "b", "c"], 3]);
  assert.deepEqual(
    [faultOf(found)?.kind, kindsOf(found)],
    ["overloaded", ["server", "server", "overloaded"]],
  );
});

test("the only deployment is tried once more after a broken connection, after a pause, and only once", async (t) => {
  const { rig, dispatched } = begun(t, "a");
  rig.last().break();
  await settled();
  await rig.pass(99);
  assert.equal(rig.calls.length, 1);
  await rig.pass(1);
  assert.equal(rig.calls.length, 2);
  rig.last().break();
  const found = await ended(rig, dispatched);
  assert.deepEqual([kindsOf(found), rig.calls.length], [["network", "network"], 2]);
});

for (const [name, act] of [
  ["a refusal for load", (rig: DispatchRig) => rig.last().refuse(503)],
  ["a time to wait", (rig: DispatchRig) => rig.last().refuse(500, {}, { "retry-after": "7" })],
  ["a wrong credential", (rig: DispatchRig) => rig.last().refuse(401)],
  ["a page instead of an answer", (rig: DispatchRig) => rig.last().answer("<html>")],
] as const) {
  test(`the only deployment is not tried again after ${name}`, async (t) => {
    const { rig, dispatched } = begun(t, "a");
    act(rig);
    await rig.pass(300);
    await ended(rig, dispatched);
    assert.equal(rig.calls.length, 1);
  });
}

test("the caller leaves in the pause before a repetition: nothing more is called", async (t) => {
  const { rig, dispatched } = begun(t, "a");
  rig.last().break();
  await settled();
  rig.caller.leave();
  const found = await ended(rig, dispatched);
  assert.deepEqual([rig.calls.length, found.end.kind], [1, "fault"]);
});

test("a repetition that could not be over in time is not begun", async (t) => {
  const rig = createDispatchRig(t);
  const timeouts = { connectMs: 500, firstTokenMs: 500, idleMs: 500, totalMs: 500 };
  const dispatched = rig.start(rig.model("m", [rig.upstream("a", { timeouts })]));
  rig.health.nowMs = 450;
  rig.last().break();
  await ended(rig, dispatched);
  assert.equal(rig.calls.length, 1);
});

test("the smallest total time of those tried is the request's: what is late is not tried elsewhere", async (t) => {
  const rig = createDispatchRig(t);
  const timeouts = { connectMs: 900, firstTokenMs: 900, idleMs: 900, totalMs: 500 };
  const model = rig.model("m", [rig.upstream("a", { timeouts }), "b"]);
  const dispatched = rig.start(model, { isStream: true });
  await rig.pass(600);
  const found = await ended(rig, dispatched);
  assert.deepEqual(
    [faultOf(found)?.kind, rig.calls[0]?.aborted, calledBy(rig)],
    ["timeout", "attempt failed", ["a"]],
  );
});

function stop({ interruption }: DispatchRig): void {
  interruption.isInterrupted = true;
}

test("a later deployment with more time has no more than is left of the first one's", async (t) => {
  const rig = createDispatchRig(t);
  const timeouts = { connectMs: 900, firstTokenMs: 900, idleMs: 900, totalMs: 500 };
  const dispatched = rig.start(rig.model("m", [rig.upstream("a", { timeouts }), "b"]));
  await rig.pass(200);
  rig.last().refuse(500);
  await settled();
  await rig.pass(200);
  assert.equal(rig.last().aborted, undefined);
  await rig.pass(200);
  const found = await ended(rig, dispatched);
  assert.deepEqual(
    [calledBy(rig), kindsOf(found)],
    [
      ["a", "b"],
      ["server", "timeout"],
    ],
  );
});

for (const [name, act, kind] of [
  ["the caller has left", (rig: DispatchRig) => rig.caller.leave(), undefined],
  ["the process stops", stop, "stopping"],
] as const) {
  test(`nothing is called once ${name}`, async (t) => {
    const rig = createDispatchRig(t);
    act(rig);
    const found = await ended(rig, rig.start(["a"]));
    assert.deepEqual([found.attempts, rig.calls.length], [0, 0]);
    assert.deepEqual(
      [found.end.kind, faultOf(found)?.kind],
      [kind === undefined ? "aborted" : "fault", kind],
    );
  });
}

test("nothing is called for a key that was shut down", async (t) => {
  const rig = createDispatchRig(t);
  const caller = { key: { id: "k", accountId: "a" }, ended: new GatewayError("api_key_disabled") };
  const found = await ended(rig, rig.start(["a"], { caller }));
  assert.deepEqual([rig.calls.length, faultOf(found)?.kind, found.queueMs], [0, "key_ended", null]);
});

test("the caller leaves while the upstream works: it is stopped, and nothing else is called", async (t) => {
  const { rig, dispatched } = begun(t, "a", "b");
  rig.caller.leave();
  const found = await ended(rig, dispatched);
  assert.deepEqual([found.end.kind, rig.calls[0]?.aborted], ["aborted", "the caller left"]);
  assert.deepEqual([calledBy(rig), found.log], [["a"], undefined]);
});

test("an answer that is kept for the next try goes on without its caller, from one deployment to the next", async (t) => {
  const rig = createDispatchRig(t);
  const dispatched = rig.start(["a", "b"], { isKept: true });
  rig.caller.leave();
  assert.equal(rig.calls[0]?.aborted, undefined);
  rig.last().refuse(500);
  await settled();
  assert.deepEqual(calledBy(rig), ["a", "b"]);
  assert.equal(rig.state.readingOn, 1, "counts among those that are read on");
  rig.last().answer();
  const found = await ended(rig, dispatched);
  assert.equal(found.end.kind, "answer");
});

test("the process stops, or the key ends, while the upstream works: no other is called", async (t) => {
  for (const kind of ["stopping", "key_ended"] as const) {
    await t.test(kind, async (inner) => {
      const rig = createDispatchRig(inner);
      const caller = { key: { id: "k", accountId: "a" }, ended: undefined as GatewayError | undefined };
      const dispatched = rig.start(["a", "b"], { caller });
      if (kind === "stopping") rig.interruption.isInterrupted = true;
      else caller.ended = new GatewayError("api_key_disabled");
      await rig.pass(100);
      const found = await ended(rig, dispatched);
      assert.deepEqual(
        [faultOf(found)?.kind, calledBy(rig), rig.calls[0]?.aborted],
        [kind, ["a"], "attempt failed"],
      );
      // The failure was not the upstream's, so it stays healthy.
      assert.equal(rig.health.next(rig.model("n", ["a"])), "a");
    });
  }
});

test("a credential that is refused is forgotten with its token, and the next one is tried", async (t) => {
  const rig = createDispatchRig(t);
  const dispatched = rig.start(rig.model("m", [rig.upstream("a", { credentials: ["one", "two"] })]));
  rig.last().refuse(401);
  await settled();
  assert.ok(rig.last().headers.includes("Bearer two"));
  rig.last().answer();
  const found = await ended(rig, dispatched);
  assert.deepEqual([rig.forgotten, kindsOf(found)], [["one"], ["upstream_auth", null]]);
});

test("throttled for a moment, and nothing else to call: it waits, and is served", async (t) => {
  const rig = createDispatchRig(t);
  const model = rig.model("m", ["a"]);
  for (let index = 0; index < 8; index += 1) rig.health.next(model);
  const dispatched = rig.start(model);
  rig.last().refuse(429, {}, { "retry-after": "1" });
  await rig.pass(1_000);
  assert.equal(rig.calls.length, 1);
  await rig.pass(300);
  assert.equal(rig.calls.length, 2);
  rig.last().answer();
  const found = await ended(rig, dispatched);
  assert.deepEqual(kindsOf(found), ["rate_limit", null]);
});

test("throttled for longer than it is worth waiting: the caller is told the soonest time of all", async (t) => {
  const { rig, dispatched } = begun(t, "a", "b");
  rig.last().refuse(429, {}, { "retry-after": "20" });
  await settled();
  rig.last().refuse(429, {}, { "retry-after": "40" });
  const found = await ended(rig, dispatched);
  assert.deepEqual([faultOf(found)?.kind, faultOf(found)?.retryAfterMs], ["rate_limit", 20_000]);
  // The next request, on a newer snapshot, makes no call and gets the remaining wait.
  rig.health.nowMs = 5_000;
  const next = await ended(rig, rig.start(["a", "b"]));
  assert.deepEqual(
    [faultOf(next)?.kind, faultOf(next)?.retryAfterMs, next.attempts],
    ["rate_limit", 15_000, 0],
  );
});

test("a deployment that was not called, because it rests, may be ready sooner than the one that refused", async (t) => {
  const rig = createDispatchRig(t);
  const model = rig.model("m", ["a", "b"]);
  const other = rig.health.choose(rig.model("other", ["b"]));
  assert.ok(other);
  rig.health.call(other, { kind: "rate_limit", retryAfterMs: 12_000 });
  const dispatched = rig.start(model);
  rig.last().refuse(429, {}, { "retry-after": "40" });
  const found = await ended(rig, dispatched);
  assert.deepEqual([calledBy(rig), faultOf(found)?.retryAfterMs], [["a"], 12_000]);
});

test("a request whose model's retry budget is spent does not wait for a pause, either", async (t) => {
  const rig = createDispatchRig(t);
  const model = rig.model("m", ["a", "b"]);
  for (let index = 0; index < 8; index += 1) rig.health.next(model);
  const budget = rig.budgets.of("m", 0);
  while (budget.begin(0)) budget.settle(true);
  const dispatched = rig.start(model);
  rig.last().refuse(429, {}, { "retry-after": "1" });
  const found = await ended(rig, dispatched);
  assert.deepEqual([calledBy(rig), faultOf(found)?.kind], [["a"], "rate_limit"]);
});

test("waiting for a pause ends when the caller leaves, and its place in the line is given back", async (t) => {
  const rig = createDispatchRig(t);
  const model = rig.model("m", ["a"]);
  for (let index = 0; index < 8; index += 1) rig.health.next(model);
  const dispatched = rig.start(model);
  rig.last().refuse(429, {}, { "retry-after": "2" });
  await rig.pass(500);
  assert.notDeepEqual(rig.left(), []);
  rig.caller.leave();
  const found = await ended(rig, dispatched);
  assert.deepEqual([rig.calls.length, faultOf(found)?.kind], [1, "rate_limit"]);
});

test("every deployment rests because it is overloaded: 'overloaded' with a time, and no call", async (t) => {
  const rig = createDispatchRig(t);
  const first = rig.start(["a"]);
  rig.last().refuse(503, {}, { "retry-after": "30" });
  await ended(rig, first);
  const found = await ended(rig, rig.start(["a"]));
  assert.deepEqual(
    [faultOf(found)?.kind, faultOf(found)?.retryAfterMs, found.attempts],
    ["overloaded", 30_000, 0],
  );
});

test("too long for this model: only one with more room is tried, under its own name and bound", async (t) => {
  const rig = createDispatchRig(t);
  const candidates = [
    rig.candidate(rig.model("m", ["a", "a2"], { context: 100 }), { outputTokensMax: 9 }),
    rig.candidate(rig.model("same", ["b"], { context: 100 })),
    rig.candidate(rig.model("unknown", ["c"])),
    rig.candidate(rig.model("large", ["d"], { context: 200 }), { outputTokensMax: 77 }),
  ];
  const dispatched = rig.start(candidates);
  rig.last().refuse(400, { code: "context_length_exceeded" });
  await settled();
  rig.last().answer();
  const found = await ended(rig, dispatched);
  assert.deepEqual(calledBy(rig), ["a", "d"]);
  assert.equal(found.resolved.model.model.id, "large");
  assert.deepEqual(rig.reply.addedHeaders, ["x-plaza-model", "large", "x-plaza-max-tokens", "77"]);
  assert.deepEqual(
    found.log?.map(({ model, askedModel }) => [model, askedModel]),
    [
      [undefined, undefined],
      ["large", "m"],
    ],
  );
});

test("where none serves, the request is about the model asked for", async (t) => {
  const rig = createDispatchRig(t);
  const dispatched = rig.start([
    rig.candidate(rig.model("m", ["a"])),
    rig.candidate(rig.model("other", ["b"]), { outputTokensMax: 5 }),
  ]);
  rig.last().refuse(500);
  await settled();
  rig.last().refuse(500);
  const found = await ended(rig, dispatched);
  assert.deepEqual([calledBy(rig), found.resolved.model.model.id], [["a", "b"], "m"]);
  assert.deepEqual(rig.reply.addedHeaders, []);
});

test("the bound that is paid for is told before the first attempt, where only one model may serve", async (t) => {
  const rig = createDispatchRig(t);
  const dispatched = rig.start([rig.candidate(rig.model("m", ["a"]), { outputTokensMax: 7 })]);
  assert.deepEqual(rig.reply.addedHeaders, ["x-plaza-max-tokens", "7"]);
  rig.last().answer();
  await ended(rig, dispatched);
});

const use = (model: object) =>
  ({ model, inputTokens: 1, outputTokens: 1, answers: 1, maxOutput: undefined }) as never;

test("a substitute's own limits are taken once for all its deployments, and left to the caller to end", async (t) => {
  const rig = createDispatchRig(t);
  const other = rig.model("other", ["b", "c"]);
  const dispatched = rig.start([
    rig.candidate(rig.model("m", ["a"])),
    rig.candidate(other, { limitUse: use(other) }),
  ]);
  for (const _ of ["a", "b"]) {
    rig.last().refuse(500);
    await settled();
  }
  rig.last().answer();
  const found = await dispatched;
  assert.deepEqual([calledBy(rig), rig.state.admissions], [["a", "b", "c"], ["open"]]);
  for (const admission of found.admissions) admission.end(15);
  assert.deepEqual([rig.state.admissions, rig.left()], [[15], []]);
});

test("a substitute beyond its limits is passed over for the next", async (t) => {
  const rig = createDispatchRig(t);
  const full = rig.model("full", ["b"]);
  rig.state.admitSubstitute = ({ model }) => {
    if ((model as object) === full) throw new GatewayError("rate_limit_exceeded");
  };
  const dispatched = rig.start([
    rig.candidate(rig.model("m", ["a"])),
    rig.candidate(full, { limitUse: use(full) }),
    rig.candidate(rig.model("third", ["c"])),
  ]);
  rig.last().refuse(500);
  await settled();
  rig.last().answer();
  const found = await ended(rig, dispatched);
  assert.deepEqual([calledBy(rig), found.resolved.model.model.id], [["a", "c"], "third"]);
});

test("limits of a substitute that cannot be asked end the request, and all it took is given back", async (t) => {
  const rig = createDispatchRig(t);
  const second = rig.model("second", ["b"]);
  const third = rig.model("third", ["c"]);
  rig.state.admitSubstitute = ({ model }) => {
    if ((model as object) === third) throw new GatewayError("overloaded");
  };
  const dispatched = rig.start([
    rig.candidate(rig.model("m", ["a"])),
    rig.candidate(second, { limitUse: use(second) }),
    rig.candidate(third, { limitUse: use(third) }),
  ]);
  const rejected = assert.rejects(dispatched, { code: "overloaded" });
  for (const _ of ["a", "b"]) {
    rig.last().refuse(500);
    await settled();
  }
  await rejected;
  assert.deepEqual([rig.state.admissions, rig.left()], [[0], []]);
});

test("a parameter an upstream refuses by name is left out, once, for a caller that allows it, and named", async (t) => {
  const rig = createDispatchRig(t);
  const endpoint = { ...readyEcho, droppable: new Set(["loud", "quiet"]) };
  const body = Buffer.from('{"loud":1,"quiet":2,"which":"m"}');
  const dispatched = rig.start(["a"], { endpoint, body, dropsParams: true });
  rig.last().refuse(400, { code: "unsupported_parameter", param: "loud", message: "no" });
  await settled();
  assert.deepEqual(calledBy(rig), ["a", "a"]);
  assert.doesNotMatch(rig.last().body, /loud/);
  rig.last().answer();
  await ended(rig, dispatched);
  assert.deepEqual(rig.reply.addedHeaders, ["x-plaza-dropped-params", "loud"]);
});

test("what an upstream would charge apart never reaches it", async (t) => {
  const rig = createDispatchRig(t);
  const found = await ended(rig, rig.start(["a", "b"], { apart: ["web_search_options"] }));
  assert.deepEqual(
    [rig.calls.length, faultOf(found)?.kind, faultOf(found)?.param],
    [0, "unsupported", "web_search_options"],
  );
});

test("a call that cannot be built fails the attempt, is logged, and the next deployment is tried", async (t) => {
  const rig = createDispatchRig(t);
  const broken = rig.upstream("a", { baseUrl: "no address" });
  const dispatched = rig.start(rig.model("m", [broken, "b"]));
  await settled();
  rig.last().answer();
  const found = await ended(rig, dispatched);
  assert.deepEqual([calledBy(rig), kindsOf(found)], [["b"], ["server", null]]);
  assert.deepEqual(
    rig.logged.map(({ event }) => event),
    ["attempt_not_started", "attempt_failed"],
  );
});

/** An upstream with one permit whose streams fail to start. */
function brokenUpstream(rig: DispatchRig) {
  const live = rig.upstream("b", { concurrency: 1 });
  assert.ok(live.provider.transport === "http");
  const stream = () => {
    throw new Error("a mistake of ours");
  };
  const translation = { streamType: "text/event-stream", stream, whole: () => undefined };
  const { provider } = live;
  const formats = provider.formats.map((spoken) => {
    assert.ok(spoken.passing !== undefined);
    return { ...spoken, passing: { ...spoken.passing, translation } };
  });
  return { ...live, provider: { ...provider, formats } };
}

/** Excludes what only a bug leaves behind: an attempt that runs until its timeouts. */
const leftOfMistake = (rig: DispatchRig) => rig.left().filter((one) => !/ticker|watch/.test(one));

test("a mistake of ours in starting an attempt costs the upstream no place and the budget nothing", async (t) => {
  const rig = createDispatchRig(t);
  const dispatched = rig.start(rig.model("m", ["a", brokenUpstream(rig)]), { isStream: true });
  const rejected = assert.rejects(dispatched, /a mistake of ours/);
  rig.last().refuse(500);
  await rejected;
  assert.deepEqual(leftOfMistake(rig), []);
});

test("a second attempt that a mistake of ours keeps from starting does not end the first, or the process", async (t) => {
  const rig = createDispatchRig(t);
  const model = rig.model("m", ["a", brokenUpstream(rig)], { hedge: { afterMs: 10 } });
  const dispatched = rig.start(model, { isStream: true });
  await rig.pass(20);
  rig.last().head().events("one", "END").end();
  const found = await dispatched;
  assert.deepEqual([found.end.kind, rig.caller.text], ["stream", "data: one\n\n"]);
  assert.deepEqual(
    rig.logged.map(({ event }) => event),
    ["attempt_not_started"],
  );
  assert.deepEqual(leftOfMistake(rig), []);
});

test("extra attempts stop when they only bring more failures: the retry budget is spent", async (t) => {
  const rig = createDispatchRig(t);
  const model = rig.model("m", ["a", "b"]);
  const attempts: number[] = [];
  for (let index = 0; index < 8; index += 1) {
    const dispatched = rig.start(model);
    for (let more = 0; more < 2; more += 1) {
      rig.last().refuse(502, {}, {});
      await settled();
    }
    attempts.push((await dispatched).attempts);
  }
  assert.deepEqual(attempts.slice(0, 3), [2, 2, 2]);
  assert.equal(attempts.at(-1), 1);
  assert.deepEqual(rig.left(), []);
});
