/**
 * An Idempotency-Key from claim to end, and what a repeated call gets: while the first runs, after an answer,
 * after a failure, after its process died, with another body, and with a key that may not see the answer. In
 * every case one call is paid at most once.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import { noDelivery } from "../../../domain/money/estimate.ts";
import type {
  IdempotencyClaim,
  Settlement,
  StoredAnswer,
} from "../../../store/requests/settlement-shapes.ts";
import type { RequestRow } from "../../../store/requests/shapes.ts";
import { Reply } from "../reply.ts";
import { createPipelineRig, scriptOf, streamOf } from "../testing/pipeline-rig.ts";
import { ScriptedCaller } from "../testing/scripted-caller.ts";
import {
  answerToKeep,
  claimKey,
  type EarlierAnswer,
  type IdempotencyContext,
  KeyClaim,
  readIdempotencyKey,
  replayAnswer,
} from "./idempotency.ts";

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a key is visible ASCII without blanks, at most 255 characters, sent once", () => {
  const read = (key: string | string[] | undefined) =>
    readIdempotencyKey({ headers: { "idempotency-key": key } as Record<string, string> });
  assert.equal(read(undefined), undefined);
  for (const key of ["k", "~!", "a".repeat(255)]) assert.equal(read(key), key);
  const wrong = ["", " ", "two words", "a".repeat(256), "é", "a\t", "one, two", ["a"]];
  for (const key of wrong) assert.throws(() => read(key), { code: "invalid_request" }, String(key));
});

/** A store that returns these outcomes in turn and fails the first `failedDrops` releases. */
function scripted(outcomes: readonly (IdempotencyClaim | Error)[], failedDrops = 0) {
  const asked: { accountId: string; key: string; holderId: string; expiresAt: number }[] = [];
  const dropped: object[] = [];
  const beats: string[] = [];
  let fails = failedDrops;
  const context = {
    store: {
      async claimIdempotencyKey(claim: (typeof asked)[number]) {
        asked.push(claim);
        const outcome = outcomes[asked.length - 1];
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
      async dropIdempotencyClaim(claim: object) {
        fails -= 1;
        if (fails >= 0) throw new Error("no store");
        dropped.push(claim);
      },
    },
    leases: {
      get holderId() {
        return `h${beats.length + 1}`;
      },
      async beat() {
        beats.push("beat");
      },
    },
    settings: { idempotencyKeptMs: 1_000 },
    clock: { wallMs: () => 500, elapsedMs: () => 0 },
    log: { warn: (event: string) => void beats.push(event) },
  } as unknown as IdempotencyContext;
  return { context, asked, dropped, told: beats };
}

const called = { endpoint: { path: "/v1/chat/completions" }, target: { tail: "", query: "" } };
const call = { key: "k", accountId: "acc", requestId: "req_1", ...called, body: Buffer.from("{}") };

test("a key is taken for the account, under the holder, until it expires", async () => {
  const { context, asked } = scripted([{ kind: "claimed" }]);
  assert.ok((await claimKey(context, call)) instanceof KeyClaim);
  const { accountId, key, holderId, expiresAt } = asked[0] ?? {};
  assert.deepEqual([accountId, key, holderId, expiresAt], ["acc", "k", "h1", 1_500]);
});

test("a process that was thought dead asks once more, as its new holder", async () => {
  const { context, asked, dropped } = scripted([{ kind: "fenced" }, { kind: "claimed" }]);
  assert.ok((await claimKey(context, call)) instanceof KeyClaim);
  assert.deepEqual(
    asked.map(({ holderId }) => holderId),
    ["h1", "h2"],
  );
  assert.deepEqual(dropped, []);
});

test("thought dead twice, or a store that fails: 503, and the key is given free in case it was taken", async () => {
  for (const outcomes of [[{ kind: "fenced" }, { kind: "fenced" }], [new Error("gone")]] as const) {
    const { context, dropped } = scripted(outcomes);
    await assert.rejects(claimKey(context, call), { code: "ledger_unavailable" });
    await settled();
    assert.deepEqual(dropped, [{ accountId: "acc", key: "k", requestId: "req_1" }]);
  }
});

test("what a repeat meets is told as what it is, and nothing is given free", async () => {
  const notKept = { status: 409, headers: [], body: Buffer.from("") };
  for (const [outcome, code, retryAfterMs] of [
    [{ kind: "in_flight" }, "idempotency_in_flight", 1_000],
    [{ kind: "in_journal" }, "idempotency_in_flight", 15_000],
    [{ kind: "other_body" }, "idempotency_key_reused", undefined],
    [{ kind: "done", requestId: "req_0", answer: notKept }, "idempotency_answer_not_kept", undefined],
  ] as const) {
    const { context, dropped } = scripted([outcome]);
    await assert.rejects(claimKey(context, call), (error: GatewayError) => {
      assert.deepEqual([error.code, error.detail.retryAfterMs], [code, retryAfterMs]);
      return true;
    });
    await settled();
    assert.deepEqual(dropped, []);
  }
});

test("a claim ends once: with its settlement, or by being given free", async () => {
  const { context, dropped } = scripted([]);
  const claim = () => new KeyClaim(context, "acc", "k", "req_1");
  const done = claim();
  assert.deepEqual(done.settle(undefined), { key: "k", answer: undefined });
  done.drop();
  const left = claim();
  left.drop();
  left.drop();
  await settled();
  assert.equal(dropped.length, 1);
  const unwritten = claim();
  unwritten.settle(undefined);
  unwritten.free();
  await settled();
  assert.equal(dropped.length, 2);
});

test("giving a key free is tried again after pauses, and not for ever", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms);
    await settled();
  };
  const late = scripted([], 2);
  new KeyClaim(late.context, "acc", "k", "r").drop();
  await settled();
  await pass(999);
  assert.equal(late.told.length, 1);
  await pass(1);
  assert.equal(late.told.length, 2);
  await pass(4_000);
  assert.equal(late.dropped.length, 1);
  const never = scripted([], 100);
  new KeyClaim(never.context, "acc", "k", "r").drop();
  await settled();
  for (let index = 0; index < 10; index += 1) await pass(60_000);
  assert.equal(never.told.length, 4);
});

const charge = nanoUsd(1_500_000_000n);
const free = nanoUsd(0n);
const newReply = () => new Reply(new ScriptedCaller("", {}), "req_1", ["x-common", "1"]);
const text = (kept: StoredAnswer | undefined) => kept && Buffer.from(kept.body).toString();

test("a whole answer is kept with what is true of it again, and not what passes", () => {
  const reply = newReply();
  reply.addHeader("x-plaza-model", "n");
  reply.addPassingHeaders(["x-ratelimit-remaining-requests", "9"]);
  const end = { kind: "answer", body: Buffer.from("said"), usage: undefined, delivered: noDelivery } as const;
  const kept = answerToKeep({ end, error: undefined, reply }, charge, 4);
  assert.deepEqual(kept?.headers, [
    "content-type",
    "application/json; charset=utf-8",
    "x-plaza-model",
    "n",
    "x-plaza-charge",
    "1.50",
  ]);
  assert.equal(text(kept), "said");
  assert.equal(answerToKeep({ end, error: undefined, reply }, charge, 3)?.status, 409);
});

test("a stream is kept with its end, up to the most that is kept", () => {
  for (const [bytesMax, isKept] of [
    [7, true],
    [6, false],
  ] as const) {
    const reply = newReply();
    reply.keepStream(bytesMax);
    reply.beginStream();
    reply.write(Buffer.from("one "));
    const end = {
      kind: "stream",
      tail: Buffer.from("END"),
      usage: undefined,
      delivered: noDelivery,
    } as const;
    const kept = answerToKeep({ end, error: undefined, reply }, charge, bytesMax);
    assert.deepEqual([kept?.status, text(kept)], isKept ? [200, "one END"] : [409, "not kept"]);
  }
});

test("what was not paid is not kept; what was paid is, with the error that ended it", () => {
  const fault = { kind: "server" } as const;
  const kept = (
    end: Parameters<typeof answerToKeep>[0]["end"],
    paid: typeof charge,
    error?: GatewayError,
  ) => {
    const reply = newReply();
    reply.keepStream(10_000);
    reply.write(Buffer.from("data: one\n\n"));
    return text(answerToKeep({ end, error, reply }, paid, 10_000));
  };
  const rest = { usage: undefined, delivered: noDelivery };
  assert.equal(kept({ kind: "fault", fault, usage: undefined }, charge), undefined);
  assert.equal(kept({ kind: "cut", fault, ...rest }, free), undefined);
  assert.equal(kept({ kind: "aborted", ...rest }, free), undefined);
  assert.match(
    kept({ kind: "cut", fault, ...rest }, charge, new GatewayError("upstream_timeout")) ?? "",
    /^data: one\n\ndata: .*"upstream_timeout".*\n\n$/,
  );
  assert.match(kept({ kind: "aborted", ...rest }, charge) ?? "", /^data: one\n\ndata: .*"upstream_error"/);
});

test("an answer is given again with the same status and bytes, and names the request it is of", () => {
  const caller = new ScriptedCaller("", {});
  const body = new Uint8Array(Buffer.from("xsaidx").buffer, Buffer.from("xsaidx").byteOffset, 6).subarray(
    1,
    5,
  );
  const headers = ["content-type", "text/event-stream", "x-plaza-model", "n"];
  replayAnswer(new Reply(caller, "req_2", undefined), {
    requestId: "req_1",
    answer: { status: 200, headers, body },
  });
  assert.deepEqual(
    [
      "content-type",
      "content-length",
      "x-plaza-model",
      "idempotent-replayed",
      "x-plaza-original-request",
    ].map((name) => caller.headerOf(name)),
    ["text/event-stream", "4", "n", "true", "req_1"],
  );
  assert.deepEqual([caller.text, caller.headerOf("x-request-id")], [Buffer.from(body).toString(), "req_2"]);
});

interface Kept {
  readonly fingerprint: string;
  readonly requestId: string;
  readonly holderId: string;
  answer: StoredAnswer | undefined;
}

/** The store's keys, shared by several calls in turn, from processes that may die. */
function createKeys() {
  const keys = new Map<string, Kept>();
  const rows: RequestRow[] = [];
  const state = { ids: 0, isBroken: false };
  const store = {
    async claimIdempotencyKey(claim: Kept & { accountId: string; key: string }): Promise<IdempotencyClaim> {
      const name = `${claim.accountId} ${claim.key}`;
      const known = keys.get(name);
      if (known === undefined) {
        keys.set(name, { ...claim, answer: undefined });
        return { kind: "claimed" };
      }
      if (known.fingerprint !== claim.fingerprint) return { kind: "other_body" };
      const { answer, requestId } = known;
      return answer === undefined ? { kind: "in_flight" } : { kind: "done", requestId, answer };
    },
    async dropIdempotencyClaim({ accountId, key, requestId }: Record<string, string>) {
      const name = `${accountId} ${key}`;
      const known = keys.get(name);
      if (known?.requestId === requestId && known?.answer === undefined) keys.delete(name);
    },
    async recordRequest(row: RequestRow, settlement: Settlement | undefined) {
      if (state.isBroken) throw new Error("no store");
      rows.push(row);
      const ended = settlement?.idempotency;
      if (ended === undefined) return;
      const name = `${row.accountId} ${ended.key}`;
      const known = keys.get(name);
      if (ended.answer === undefined) keys.delete(name);
      else if (known !== undefined) known.answer = ended.answer;
    },
  };
  /** Prepares one more call with the key `k1`, not yet served. Its write waits for `gate`. */
  const next = (body?: string, gate: Promise<void> = Promise.resolve()) => {
    state.ids += 1;
    const rig = createPipelineRig(body, { "idempotency-key": "k1" }, `req_${state.ids}`);
    const recordRequest: typeof store.recordRequest = async (...written) => {
      await gate;
      return store.recordRequest(...written);
    };
    Object.assign(rig.context, { store: { ...store, recordRequest } });
    return rig;
  };
  return {
    state,
    rows,
    next,
    /** Total charge of all calls. */
    paid: () => rows.reduce((sum, row) => sum + row.charge, 0n),
    /** The store expires a process: its claims are released. */
    bury(holderId: string) {
      for (const [name, kept] of keys) if (kept.holderId === holderId && !kept.answer) keys.delete(name);
    },
  };
}

type Rig = ReturnType<ReturnType<typeof createKeys>["next"]>;

/** Serves the call, checks that nothing is left taken, and returns what the caller got. */
async function serve(rig: Rig): Promise<string> {
  await rig.serve();
  assert.deepEqual(rig.left(), []);
  const { text: got } = rig.exchange;
  return got.startsWith("{") ? (rig.code() ?? got) : got;
}

const answer = '{"said":"hi","used":{"in":10,"out":5}}';

test("a repeat while the first one runs is told to come back, and takes nothing", async () => {
  const keys = createKeys();
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const first = keys.next(undefined, gate);
  const serving = first.serve();
  await settled();
  const second = keys.next();
  assert.equal(await serve(second), "idempotency_in_flight");
  assert.equal(second.exchange.headerOf("retry-after"), "1");
  assert.deepEqual(second.taken(), ["place", "call"]);
  open();
  await serving;
  assert.equal(first.exchange.text, answer);
  assert.equal(await serve(keys.next()), answer);
  assert.equal(keys.paid(), 20_000n);
});

test("a repeat of an answered call gets its bytes and headers, and costs nothing", async () => {
  const keys = createKeys();
  await serve(keys.next());
  const repeat = keys.next();
  assert.equal(await serve(repeat), answer);
  assert.equal(repeat.exchange.headerOf("x-plaza-original-request"), "req_1");
  assert.equal(repeat.exchange.headerOf("x-plaza-charge"), "0.00002");
  assert.deepEqual(
    [repeat.taken(), keys.paid(), keys.rows.length],
    [["place", "call", "limits"], 20_000n, 2],
  );
});

test("a repeat of a stream gets all of it, end included", async () => {
  const keys = createKeys();
  const body = '{"which":"m","live":true}';
  const first = keys.next(body);
  first.steps.script = () => streamOf("one", "two", "END");
  await serve(first);
  const repeat = keys.next(body);
  assert.equal(await serve(repeat), "data: one\n\ndata: two\n\ndata: END\n\n");
  assert.match(repeat.exchange.headerOf("content-type") ?? "", /^text\/event-stream/);
});

function fail({ steps }: Rig): void {
  steps.script = () => ({ ...scriptOf("{}"), status: 400 });
}

function impoverish({ steps }: Rig): void {
  steps.available = 1n;
}

function limit({ steps }: Rig): void {
  steps.limit = () => {
    throw new GatewayError("rate_limit_exceeded");
  };
}

for (const [name, arrange, told] of [
  ["failed", fail, "upstream_error"],
  ["was refused for want of money", impoverish, "insufficient_balance"],
  ["was refused by a limit", limit, "rate_limit_exceeded"],
] as const) {
  test(`after a call that ${name} its key is free: the next one is served and paid`, async () => {
    const keys = createKeys();
    const first = keys.next();
    arrange(first);
    assert.equal(await serve(first), told);
    await settled();
    assert.equal(keys.paid(), 0n);
    const second = keys.next();
    assert.equal(await serve(second), answer);
    assert.equal(second.exchange.headerOf("idempotent-replayed"), undefined);
    assert.equal(keys.paid(), 20_000n);
  });
}

test("a settlement that could not be written: no answer was given, the key is free, and one call is paid", async () => {
  const keys = createKeys();
  keys.state.isBroken = true;
  assert.equal(await serve(keys.next()), "ledger_unavailable");
  keys.state.isBroken = false;
  await settled();
  assert.equal(await serve(keys.next()), answer);
  assert.equal(keys.paid(), 20_000n);
});

test("the process died with the call: once the store knows, a repeat is served, and paid once", async () => {
  const keys = createKeys();
  // This call never reaches its settlement.
  void keys.next(undefined, new Promise(() => {})).serve();
  await settled();
  assert.equal(await serve(keys.next()), "idempotency_in_flight");
  keys.bury("hld_1");
  assert.equal(await serve(keys.next()), answer);
  assert.deepEqual([keys.paid(), keys.rows.filter(({ charge: paid }) => paid > 0n).length], [20_000n, 1]);
});

test("another body under the same key is refused, whatever became of the first", async () => {
  const keys = createKeys();
  await serve(keys.next());
  const other = keys.next('{"which":"m" }');
  assert.equal(await serve(other), "idempotency_key_reused");
  assert.deepEqual([other.taken(), keys.paid()], [["place", "call"], 20_000n]);
});

test("the same key of another account is another key", async () => {
  const keys = createKeys();
  await serve(keys.next());
  const stranger = keys.next();
  stranger.caller.key.accountId = "acc_2";
  await serve(stranger);
  assert.equal(stranger.exchange.headerOf("idempotent-replayed"), undefined);
  assert.equal(keys.paid(), 40_000n);
});

test("a key that may not use the model gets no answer of it, and none of the model that served in its place", async () => {
  const keys = createKeys();
  await serve(keys.next());
  const refused = keys.next();
  Object.assign(refused.caller, { models: new Set(["other"]) });
  assert.equal(await serve(refused), "model_not_allowed");
  const earlier: EarlierAnswer & { kind: "done" } = {
    kind: "done",
    requestId: "req_0",
    answer: {
      status: 200,
      headers: ["content-type", "x/y", "x-plaza-model", "n"],
      body: Buffer.from("secret"),
    },
  };
  for (const [models, told] of [
    [new Set(["m"]), "model_not_allowed"],
    [new Set(["m", "n"]), "secret"],
    [undefined, "secret"],
  ] as const) {
    const rig = createPipelineRig(undefined, { "idempotency-key": "k1" });
    Object.assign(rig.caller, { models });
    rig.steps.claim = () => earlier;
    await rig.serve();
    assert.ok(rig.exchange.text.includes(told));
    assert.deepEqual([rig.taken().includes("limits"), rig.left()], [told === "secret", []]);
  }
});

test("the caller left before its answer: the next try gets it, for nothing more", async () => {
  const keys = createKeys();
  const first = keys.next();
  const { script } = first.steps;
  first.steps.script = () => {
    queueMicrotask(() => first.exchange.leave());
    return script();
  };
  await first.serve();
  assert.deepEqual([first.exchange.text, first.left()], ["", []]);
  assert.equal(await serve(keys.next()), answer);
  assert.equal(keys.paid(), 20_000n);
});

test("an answer too large to keep is given once; its repeat is told so, and is not paid again", async () => {
  const keys = createKeys();
  const first = keys.next();
  const said = "x".repeat(2_000);
  first.steps.script = () => scriptOf(`{"said":"${said}","used":{"in":10,"out":5}}`);
  assert.match(await serve(first), /xxx/);
  const repeat = keys.next();
  assert.equal(await serve(repeat), "idempotency_answer_not_kept");
  assert.match(repeat.exchange.text, /req_1/);
  assert.equal(keys.paid(), 20_000n);
});
