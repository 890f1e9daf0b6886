/** What a call refers to is put into its body before money looks at it, and its answer is kept once. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import type { NewStoredResponse } from "../../../store/responses/shapes.ts";
import type { CallState, CompletedCall, StoredState, WrittenAnswer } from "../../endpoints/endpoint.ts";
import type { Admitted, Answered, Resolved } from "../phases.ts";
import { readyEcho } from "../testing/fake-endpoint.ts";
import { completeCall, echoOf, keepAnswer, type StoredAnswersContext } from "./stored-answers.ts";

type State = StoredState<never>;

const stateless = {
  require: () => {},
  complete: () => undefined,
  echo: () => ({}),
  keep: () => undefined,
} satisfies State;

interface Options {
  readonly state?: Partial<State> | undefined;
  /** Of the account; undefined = the setting. */
  readonly responsesKeptMs?: number;
  readonly models?: ReadonlySet<string>;
  readonly body?: string;
  readonly bodyBytesMax?: number;
  readonly makeRoom?: (bytes: number) => void;
  readonly storeResponse?: () => Promise<void>;
}

/** A resolved call of account `acc` at an endpoint with this state, and what became of it. */
function rig({ state, body = '{"which":"m"}', ...options }: Options) {
  const stored: NewStoredResponse[] = [];
  const logged: [string, object][] = [];
  const rooms: number[] = [];
  const context = {
    settings: { responsesKeptMs: 1_000, bodyBytesMax: options.bodyBytesMax ?? 500 },
    clock: { wallMs: () => 77 },
    log: { warn: (event: string, fields: object) => void logged.push([event, fields]) },
    store: {
      storeResponse: async (response: NewStoredResponse) => {
        stored.push(response);
        await options.storeResponse?.();
      },
    },
  } as unknown as StoredAnswersContext;
  const endpoint = {
    ...readyEcho,
    state: state === undefined ? undefined : { ...stateless, ...state },
  };
  const bytes = Buffer.from(body);
  const phase = {
    name: "resolved",
    endpoint,
    call: {
      id: "req_1",
      caller: {
        key: { accountId: "acc" },
        models: options.models,
        responsesKeptMs: options.responsesKeptMs,
      },
      reservation: {
        makeRoom: (wanted: number) => {
          options.makeRoom?.(wanted);
          rooms.push(wanted);
        },
      },
    },
    read: { body: bytes, fields: { model: "m" }, target: { tail: "", query: "" }, completed: undefined },
    resolved: { model: { model: { id: "served" } } },
  } as unknown as Resolved;
  return { context, phase, stored, logged, rooms };
}

const completedWith = (body: string, more: Partial<CompletedCall> = {}): CompletedCall => ({
  body: Buffer.from(body),
  input: [],
  parentId: undefined,
  ...more,
});

const completing = (body: string) => ({
  complete: async () => ({ call: completedWith(body), ties: [] }),
});

async function refusalOf(run: () => unknown): Promise<GatewayError> {
  try {
    await run();
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    return error;
  }
  return assert.fail("accepted");
}

describe("a call with what it refers to", () => {
  test("an endpoint without state, and a call that refers to nothing, cost no promise", () => {
    for (const state of [undefined, {}]) {
      const { context, phase } = rig({ state });
      assert.equal(completeCall(context, phase), undefined);
    }
  });

  test("what is not served is refused before anything is read, by the account's own time before the setting's", () => {
    const seen: unknown[] = [];
    const state: Partial<State> = {
      require: (_fields, keptMs) => {
        seen.push(keptMs);
        if (keptMs === 0) throw new GatewayError("invalid_request", { param: "kept" });
      },
      complete: () => {
        seen.push("read");
        return undefined;
      },
    };
    const off = rig({ state, responsesKeptMs: 0 });
    assert.throws(() => completeCall(off.context, off.phase), { code: "invalid_request" });
    const on = rig({ state });
    assert.equal(completeCall(on.context, on.phase), undefined);
    assert.deepEqual(seen, [0, 1_000, "read"]);
  });

  test("the state is asked for this account, and which models its key may use", async () => {
    let asked: CallState | undefined;
    const state: Partial<State> = {
      complete: async (_fields, _body, calling) => {
        asked = calling;
        return undefined;
      },
    };
    const { context, phase } = rig({ state, models: new Set(["a"]) });
    assert.equal(await completeCall(context, phase), phase);
    assert.deepEqual(
      [asked?.accountId, asked?.store === context.store, asked?.mayUse("a"), asked?.mayUse("b")],
      ["acc", true, true, false],
    );
  });

  test("the completed body is read as if it had come so, and has its room", async () => {
    const { context, phase, rooms } = rig({ state: completing('{"which":"other","live":true}') });
    const next = await completeCall(context, phase);
    const { fields, body, completed } = next?.read ?? assert.fail();
    assert.deepEqual([fields.model, fields.isStream], ["other", true]);
    assert.equal(completed?.body, body);
    assert.deepEqual(rooms, [body.length]);
    assert.equal(phase.read.completed, undefined, "the phase before is another value");
  });

  test("a body too large with what was stored is refused before it takes room", async () => {
    const { context, phase, rooms } = rig({
      state: completing(`{"which":"m","x":"${"x".repeat(100)}"}`),
      bodyBytesMax: 100,
    });
    const { code, messageRef } = await refusalOf(() => completeCall(context, phase));
    assert.deepEqual([code, messageRef.id], ["request_too_large", "responses.tooLargeWithStored"]);
    assert.deepEqual(rooms, []);
    const fitting = `{"which":"m","x":"${"x".repeat(80)}"}`;
    const exact = rig({ state: completing(fitting), bodyBytesMax: fitting.length });
    assert.equal((await completeCall(exact.context, exact.phase))?.read.body.length, fitting.length);
  });

  test("no room for it: the gate's error is the caller's", async () => {
    const makeRoom = () => {
      throw new GatewayError("overloaded");
    };
    const { context, phase } = rig({ state: completing('{"which":"m"}'), makeRoom });
    assert.equal((await refusalOf(() => completeCall(context, phase))).code, "overloaded");
  });

  test("what was stored is under the limits of a body: nested too deeply, it is refused", async () => {
    const deep = `{"which":"m","x":${"[".repeat(20)}${"]".repeat(20)}}`;
    const { context, phase } = rig({ state: completing(deep) });
    const { code, messageRef } = await refusalOf(() => completeCall(context, phase));
    assert.deepEqual([code, messageRef.id], ["request_too_large", "body.tooDeep"]);
  });

  test("a refusal is told as it is; a store that fails is a 503, and its text is for the log alone", async () => {
    const thrown = new GatewayError("not_found");
    const told = rig({ state: { complete: () => Promise.reject(thrown) } });
    assert.equal(await refusalOf(() => completeCall(told.context, told.phase)), thrown);
    assert.deepEqual(told.logged, []);
    const broken = rig({ state: { complete: () => Promise.reject(new Error("table gone")) } });
    const error = await refusalOf(() => completeCall(broken.context, broken.phase));
    assert.deepEqual([error.code, error.messageRef.id], ["ledger_unavailable", "responses.unread"]);
    assert.deepEqual(broken.logged, [["response_not_read", { request: "req_1", error: "table gone" }]]);
  });
});

test("an answer repeats of its request what the endpoint says, with the account's own time", () => {
  const state: Partial<State> = { echo: (_fields, completed, keptMs) => ({ completed, keptMs }) };
  const { context, phase } = rig({ state, responsesKeptMs: 5 });
  assert.deepEqual(echoOf(context, phase as unknown as Admitted), { completed: undefined, keptMs: 5 });
  const plain = rig({});
  assert.equal(echoOf(plain.context, plain.phase as unknown as Admitted), undefined);
});

describe("an answer that is kept", () => {
  const kept = { id: "resp_1", itemIds: ["item_1"], payload: "p" };
  const live = { live: { upstream: { id: "up" } }, deployment: { model: "their-model" } };
  const answer = { kind: "answer", body: Buffer.from("whole") };
  const stream = { kind: "stream", tail: Buffer.from("last event"), lacking: { id: "resp_1", items: [] } };

  function answeredRig(options: Options, end: object, dispatched: object = { live }) {
    const seen: WrittenAnswer[] = [];
    const keep: State["keep"] = (_fields, _body, written) => {
      seen.push(written);
      return kept;
    };
    const made = rig({ ...options, state: { keep, ...options.state } });
    const completed = completedWith("{}", { parentId: "resp_0" });
    const phase = {
      ...made.phase,
      read: { ...made.phase.read, completed },
      outcome: { dispatched: { end, ...dispatched } },
    } as unknown as Answered;
    return { ...made, phase, seen, completed };
  }

  test("whole, or by a stream's last event: for the account, under the model and deployment that answered", async () => {
    for (const end of [answer, stream]) {
      const { context, phase, stored, seen, completed } = answeredRig({ responsesKeptMs: 9 }, end);
      await keepAnswer(context, phase);
      const said =
        end === answer
          ? { bytes: answer.body, lacking: undefined, isStream: false }
          : { bytes: stream.tail, lacking: stream.lacking, isStream: true };
      assert.deepEqual(seen, [{ ...said, completed }]);
      assert.deepEqual(stored, [
        {
          ...kept,
          accountId: "acc",
          parentId: "resp_0",
          modelId: "served",
          deployment: "up their-model",
          createdAt: 77,
          // The account's own time is the store's to look up: it may have changed since the call came.
          keptMs: 1_000,
        },
      ]);
    }
  });

  test("nothing is kept where the account keeps nothing, of a failure, or where the endpoint wants nothing", () => {
    for (const [options, end, dispatched] of [
      [{ responsesKeptMs: 0 }, answer, { live }],
      [{}, answer, { live: undefined }],
      [{}, { kind: "fault" }, { live }],
      [{}, { kind: "cut" }, { live }],
      [{ state: { keep: () => undefined } }, answer, { live }],
    ] as const) {
      const { context, phase, stored } = answeredRig(options, end, dispatched);
      assert.equal(keepAnswer(context, phase), undefined);
      assert.deepEqual(stored, []);
    }
    const { context, phase } = answeredRig({}, answer);
    const stateless = { ...phase, endpoint: readyEcho };
    assert.equal(keepAnswer(context, stateless), undefined);
  });

  test("an answer that could not be kept still goes out: the promise is fulfilled, and the log says why", async () => {
    const storeResponse = () => Promise.reject(new Error("disk full"));
    const { context, phase, logged } = answeredRig({ storeResponse }, answer);
    await keepAnswer(context, phase);
    assert.deepEqual(logged, [["response_not_stored", { request: "req_1", error: "disk full" }]]);
  });
});
