import assert from "node:assert/strict";
import { test } from "node:test";
import type { Usage } from "@plaza/contract/usage.ts";
import type { AnswerController } from "../../../lib/net/http-client.ts";
import type { AnswerPart, CallBatch, Fault, UpstreamCall } from "../../../protocols/protocol.ts";
import { settled } from "../testing/dispatch-rig.ts";
import { FakeCall } from "../testing/fake-call.ts";
import { type BatchAttempt, BatchCall } from "./batch-call.ts";

const json = { "content-type": "application/json" };

interface RigOptions {
  readonly calls?: number;
  readonly bytesMax?: number;
  readonly sign?: (call: UpstreamCall) => Promise<UpstreamCall> | undefined;
  /** Slices per answer; the test must call `go` between two of them. */
  readonly slices?: number;
  /** True (the default): upstreams accept connections at once. */
  readonly connects?: boolean;
  readonly take?: (body: string) => AnswerPart | undefined;
}

/**
 * Each part is the answer's text, worth two tokens. "none" is not a valid answer; "throw" simulates a bug.
 */
function takeText(body: string): AnswerPart | undefined {
  if (body === "throw") throw new Error("a mistake");
  return body === "none" ? undefined : { bytes: Buffer.from(body), inputTokens: 2 };
}

/** A batch whose upstream and slices the test controls; records all events of its attempt. */
function startBatch({
  calls: count = 8,
  bytesMax = 1_000,
  sign,
  slices = 1,
  connects = true,
  take = takeText,
}: RigOptions = {}) {
  const calls: FakeCall[] = [];
  const told: string[] = [];
  const bodies: string[] = [];
  const wasted: Usage[] = [];
  const pauses: (() => void)[] = [];
  let controller: AnswerController | undefined;
  let progress = 0;
  const attempt: BatchAttempt = {
    onRequestStart(given) {
      told.push("sent");
      controller = given;
    },
    onResponseStart: (_, status) => void told.push(`head ${status}`),
    onResponseError: (_, error) => void told.push(`broke ${error.message}`),
    progress() {
      progress += 1;
    },
    spent: (usage) => void wasted.push(usage),
    complete(body, report) {
      told.push(`complete ${JSON.stringify(report)}`);
      bodies.push(body.toString());
    },
    failWith: (status, headers, body) => void told.push(`failed ${status} ${headers["x-id"] ?? ""} ${body}`),
    refuse: ({ kind, note }: Fault) => void told.push(`refused ${kind} ${note}`),
  };
  const batch: CallBatch = {
    calls: Array.from({ length: count }, (_, at) => ({
      path: `/${at}`,
      headers: [],
      body: Buffer.from(`${at}`),
    })),
    *take(_index, body) {
      for (let slice = 1; slice < slices; slice += 1) yield;
      return take(body.toString());
    },
    *join(parts) {
      return { body: Buffer.from(parts.map(({ bytes }) => bytes.toString()).join(",")), usage: parts.length };
    },
  };
  const whole = new BatchCall(batch, attempt, {
    client: {
      post(call, handler) {
        const made = new FakeCall("up", call, handler);
        calls.push(made);
        if (connects) made.connect();
      },
    },
    bytesMax,
    sign: sign ?? (() => undefined),
    pause: () => new Promise((resolve) => pauses.push(resolve)),
  });
  whole.start();
  return {
    whole,
    calls,
    told,
    bodies,
    wasted,
    pauses,
    controller: () => controller as AnswerController,
    progress: () => progress,
    /** The call of the n-th body. */
    call: (at: number): FakeCall => calls.find(({ body }) => body === `${at}`) as FakeCall,
  };
}

const answer = (call: FakeCall, text: string): void => call.head(200, json).bytes(text).end();

test("six calls run at a time, and answers come together in the order of what was asked", () => {
  const { calls, told, bodies, call, wasted } = startBatch({ calls: 9 });
  assert.deepEqual([calls.length, told], [6, ["sent"]]);
  for (const [at, begun] of [
    [5, 7],
    [2, 8],
    [0, 9],
    [8, 9],
    [7, 9],
    [6, 9],
    [4, 9],
    [3, 9],
  ] as const) {
    answer(call(at), `a${at}`);
    assert.equal(calls.length, begun);
    assert.deepEqual(bodies, []);
  }
  answer(call(1), "a1");
  assert.deepEqual(bodies, ["a0,a1,a2,a3,a4,a5,a6,a7,a8"]);
  assert.deepEqual(told, ["sent", "head 200", "complete 9"]);
  assert.deepEqual(
    wasted.map(({ input }) => input),
    [2, 4, 6, 8, 10, 12, 14, 16, 18],
  );
  assert.ok(calls.every(({ aborted }) => aborted === undefined));
});

test("one call fails: the others are stopped, no more are made, what was used is known", () => {
  const { calls, told, call, wasted } = startBatch();
  answer(call(0), "a0");
  call(3).head(429, { "x-id": "r7" }).bytes('{"error":').bytes("1}").end();
  assert.deepEqual(told.slice(2), ['failed 429 r7 {"error":1}']);
  assert.deepEqual(wasted.at(-1)?.input, 2);
  assert.equal(calls.length, 7);
  for (const at of [1, 2, 4, 5, 6]) assert.match(call(at).aborted ?? "", /another call/, String(at));
  answer(call(1), "a1");
  assert.deepEqual([calls.length, told.length, wasted.length], [7, 3, 1]);
});

test("an answer that is none fails the attempt with its beginning, and not with all of it", () => {
  const { told } = (() => {
    const rig = startBatch({
      take: (body) => (body.startsWith("n") ? undefined : takeText(body)),
      bytesMax: 1e6,
    });
    answer(rig.call(0), "n".repeat(100_000));
    return rig;
  })();
  assert.equal(told.at(-1), `failed 200  ${"n".repeat(64 * 1024)}`);
});

test("an error is read up to 64 KiB, and one that breaks off is still read", () => {
  const first = startBatch();
  first
    .call(0)
    .head(500, json)
    .bytes("e".repeat(64 * 1024))
    .bytes("never looked at");
  assert.equal(first.told.at(-1), `failed 500  ${"e".repeat(64 * 1024)}`);
  const second = startBatch();
  second.call(0).head(503, json).bytes("busy").break();
  assert.equal(second.told.at(-1), "failed 503  busy");
});

test("a connection that breaks ends all", () => {
  const { told, calls, call } = startBatch();
  call(2).head(200, json).bytes("half").break("ECONNRESET");
  assert.equal(told.at(-1), "broke ECONNRESET");
  for (const at of [0, 1, 3, 4, 5]) assert.match(call(at).aborted ?? "", /another call/, String(at));
  assert.equal(calls.length, 6);
});

test("an attempt that is ended midway stops every call and makes no more", () => {
  const { whole, calls, told, bodies, call } = startBatch();
  answer(call(0), "a0");
  whole.abort(new Error("the caller left"));
  assert.equal(calls.length, 7);
  for (const at of [1, 2, 3, 4, 5, 6]) assert.equal(call(at).aborted, "the caller left", String(at));
  for (const at of [1, 2, 3, 4, 5, 6]) answer(call(at), "late");
  assert.deepEqual([calls.length, told, bodies], [7, ["sent", "head 200"], []]);
});

test("a caller that is gone before anything was sent: the calls end as they begin", () => {
  const posted: FakeCall[] = [];
  const told: string[] = [];
  let isGone = false;
  const attempt = {
    onRequestStart(controller: AnswerController) {
      told.push("sent");
      isGone = true;
      controller.abort(new Error("gone"));
    },
    onResponseError: () => void told.push("broke"),
  } as unknown as BatchAttempt;
  const batch = {
    calls: [0, 1, 2].map((at) => ({ path: "/", headers: [], body: Buffer.from(`${at}`) })),
  } as unknown as CallBatch;
  new BatchCall(batch, attempt, {
    client: { post: (call, handler) => void posted.push(new FakeCall("up", call, handler).connect()) },
    bytesMax: 10,
    sign: () => undefined,
    pause: () => Promise.resolve(),
  }).start();
  assert.ok(isGone);
  assert.deepEqual([posted.length, told], [1, ["sent"]]);
  assert.ok(posted.every(({ aborted }) => aborted !== undefined));
});

test("every piece of an answer, and every slice of reading one, restarts the idle timer", async () => {
  const { call, progress, pauses } = startBatch({ calls: 2, slices: 3 });
  assert.equal(progress(), 0);
  call(0).head(200, json);
  call(0).bytes("a");
  call(1).head(200, json).bytes("b");
  assert.equal(progress(), 2);
  call(0).end();
  pauses[0]?.();
  await settled();
  assert.equal(progress(), 3);
  pauses[1]?.();
  await settled();
  // One for the pause, one for the finished part.
  assert.equal(progress(), 5);
});

test("answers are read one at a time, however many are there", async () => {
  const { call, pauses, bodies } = startBatch({ calls: 3, slices: 2 });
  for (const at of [2, 0, 1]) answer(call(at), `a${at}`);
  for (let read = 1; read <= 3; read += 1) {
    assert.equal(pauses.length, read);
    assert.deepEqual(bodies, []);
    pauses[read - 1]?.();
    await settled();
  }
  assert.deepEqual([bodies, pauses.length], [["a0,a1,a2"], 3]);
});

test("what waits to be read counts among the six", async () => {
  const { call, calls, pauses } = startBatch({ calls: 9, slices: 2 });
  for (const at of [0, 1, 2]) answer(call(at), "a");
  assert.equal(calls.length, 6);
  pauses[0]?.();
  await settled();
  assert.equal(calls.length, 7);
});

test("an attempt that ends while an answer is read: no further slice, and nothing is told", async () => {
  const { whole, call, pauses, told, progress } = startBatch({ slices: 3 });
  answer(call(0), "a0");
  answer(call(1), "a1");
  const [before, toldBefore] = [progress(), told.length];
  whole.abort(new Error("the caller left"));
  pauses[0]?.();
  await settled();
  assert.deepEqual([pauses.length, progress(), told.length], [1, before, toldBefore]);
});

test("all answers together may not be larger than the bound; what was written of them counts instead", () => {
  const { call, told, calls } = startBatch({
    bytesMax: 10,
    take: () => ({ bytes: Buffer.from("ab"), inputTokens: undefined }),
  });
  answer(call(0), "12345678");
  // Two bytes are held now. Eight more fit the limit, nine do not.
  call(1).head(200, json).bytes("12345678");
  assert.deepEqual(told, ["sent", "head 200"]);
  call(2).head(200, json).bytes("1");
  assert.equal(told.at(-1), "refused server answers larger than the limit");
  assert.ok(calls.slice(1).every(({ aborted }) => aborted !== undefined));
});

test("a call that cannot be signed ends the attempt; others that are signed later are not made", async () => {
  const signed: ((call: UpstreamCall) => void)[] = [];
  const { told, calls } = startBatch({
    calls: 3,
    sign: (call) =>
      call.path === "/1"
        ? Promise.reject(new Error("no key"))
        : new Promise((resolve) => signed.push(resolve)),
  });
  assert.equal(calls.length, 0);
  await settled();
  assert.deepEqual(told, ["refused server a call could not be signed"]);
  for (const sign of signed) sign({ path: "/", headers: [], body: Buffer.alloc(0) });
  await settled();
  assert.deepEqual([calls.length, told.length], [0, 1]);
});

test("signed calls are made, as they were signed", async () => {
  const { calls, call, bodies } = startBatch({
    calls: 2,
    sign: (call) => Promise.resolve({ ...call, headers: ["authorization", "AWS4"] }),
  });
  await settled();
  assert.deepEqual(
    calls.map(({ headers }) => headers),
    [
      ["authorization", "AWS4"],
      ["authorization", "AWS4"],
    ],
  );
  for (const at of [0, 1]) answer(call(at), `a${at}`);
  assert.deepEqual(bodies, ["a0,a1"]);
});

test("an upstream that answers after the end is stopped, and nobody hears of it", () => {
  const { call, told, whole } = startBatch({ calls: 2, connects: false });
  call(0).connect().head(200, json).bytes("a0");
  whole.abort(new Error("enough"));
  assert.equal(call(0).aborted, "enough");
  const before = told.length;
  call(0).bytes("more").end();
  // It had no connection yet when the batch ended.
  call(1).connect();
  assert.equal(call(1).aborted, "no longer wanted");
  call(1).head(500, json).bytes("late").end();
  assert.equal(told.length, before);
});

test("a mistake in reading an answer ends the attempt and not the process", async () => {
  const { call, told } = startBatch();
  answer(call(0), "throw");
  assert.equal(told.at(-1), "refused server an answer that could not be read");
  const sliced = startBatch({ slices: 2 });
  answer(sliced.call(0), "throw");
  sliced.pauses[0]?.();
  await settled();
  assert.equal(sliced.told.at(-1), "refused server an answer that could not be read");
});

test("an answer of no bytes is read like any other; a batch of no calls is refused", () => {
  const { call, bodies } = startBatch({ calls: 2 });
  call(0).head(200, json).end();
  answer(call(1), "a1");
  assert.deepEqual(bodies, [",a1"]);
  assert.deepEqual(startBatch({ calls: 0 }).told, ["refused server no call to make"]);
});

test("where a call tells no tokens, what the others used is still known", () => {
  const { call, wasted } = startBatch({
    calls: 2,
    take: (body) => ({ bytes: Buffer.from(body), inputTokens: body === "told" ? 5 : undefined }),
  });
  answer(call(0), "untold");
  assert.equal(wasted.length, 0);
  answer(call(1), "told");
  assert.equal(wasted.at(-1)?.input, 5);
});
