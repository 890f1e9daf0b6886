/** A script makes the same handler calls in the same order as a real answer, and ends once. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { AnswerController, AnswerHandler } from "../../../lib/net/http-client.ts";
import type { Script } from "../../../providers/provider.ts";
import { playScript } from "./local-transport.ts";

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Plays a script whose pieces come one second apart. */
function play(t: TestContext, pieces: readonly string[], ending: Script["ending"] = "end", status = 200) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const did: string[] = [];
  const state = {
    controller: undefined as AnswerController | undefined,
    onHead: (): void => {},
    onData: (): void => {},
  };
  const handler: AnswerHandler = {
    onRequestStart(controller) {
      state.controller = controller;
      did.push("start");
    },
    onResponseStart(_controller, code, headers) {
      did.push(`head ${code} ${headers["content-type"]}`);
      state.onHead();
    },
    onResponseData(_controller, chunk) {
      did.push(chunk.toString());
      state.onData();
    },
    onResponseEnd: () => did.push("end"),
    onResponseError: (_controller, error) => did.push(`error: ${error.message}`),
  };
  const steps = pieces.map((piece) => ({ afterMs: 1_000, bytes: Buffer.from(piece) }));
  playScript({ status, headers: { "content-type": "x/y" }, steps, ending }, handler);
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms);
    await settled();
  };
  return { did, state, pass };
}

test("the head comes with the first piece, each piece after its pause, then the end", async (t) => {
  const { did, pass } = play(t, ["one", "two"]);
  assert.deepEqual(did, ["start"]);
  await pass(999);
  assert.deepEqual(did, ["start"]);
  await pass(1);
  assert.deepEqual(did, ["start", "head 200 x/y", "one"]);
  await pass(1_000);
  await settled();
  assert.deepEqual(did, ["start", "head 200 x/y", "one", "two", "end"]);
});

test("a script without pieces still has a head", async (t) => {
  const { did, pass } = play(t, [], "end", 503);
  await pass(0);
  assert.deepEqual(did, ["start", "head 503 x/y", "end"]);
});

test("a script that is cut breaks after its last piece; one that hangs says nothing more", async (t) => {
  const cut = play(t, ["one"], "cut");
  await cut.pass(1_000);
  await settled();
  assert.deepEqual(cut.did.slice(2), ["one", "error: the script cut the connection"]);
  await t.test("hang", async (inner) => {
    const { did, pass } = play(inner, ["one"], "hang");
    await pass(100_000);
    await settled();
    assert.deepEqual(did.slice(2), ["one"]);
  });
});

test("an abort ends it at once and once, whenever it comes", async (t) => {
  for (const when of ["before", "in a piece", "at the end"] as const) {
    await t.test(when, async (inner) => {
      const { did, state, pass } = play(inner, ["one", "two"]);
      const abort = () => state.controller?.abort(new Error("enough"));
      if (when === "before") abort();
      if (when === "in a piece") state.onData = abort;
      await pass(1_000);
      await pass(1_000);
      if (when === "at the end") abort();
      abort();
      await pass(5_000);
      const last = when === "at the end" ? "end" : "error: enough";
      assert.equal(did.at(-1), last);
      assert.equal(did.filter((one) => one === "end" || one.startsWith("error")).length, 1);
      assert.equal(did.includes("two"), when === "at the end");
    });
  }
});

test("while it is paused nothing comes, not even its end; resumed, nothing is lost or said twice", async (t) => {
  const { did, state, pass } = play(t, ["one", "two"]);
  await pass(500);
  state.controller?.pause();
  await pass(5_000);
  assert.deepEqual(did, ["start"]);
  state.controller?.resume();
  state.controller?.resume();
  await pass(1_000);
  state.onData = () => state.controller?.pause();
  await pass(1_000);
  await pass(5_000);
  assert.deepEqual(did.slice(2), ["one", "two"]);
  state.controller?.resume();
  await pass(0);
  assert.deepEqual(did.slice(2), ["one", "two", "end"]);
});

test("paused between its last piece and its end, it does not end", async (t) => {
  const { did, state, pass } = play(t, ["one"]);
  const passing = pass(1_000);
  state.controller?.pause();
  await passing;
  assert.deepEqual(did.slice(2), ["one"]);
  state.controller?.resume();
  await pass(0);
  assert.deepEqual(did.slice(2), ["one", "end"]);
});

test("whoever refuses its head gets nothing of its body", async (t) => {
  const { did, state, pass } = play(t, ["one", "two"]);
  state.onHead = () => state.controller?.abort(new Error("not this"));
  await pass(1_000);
  await pass(1_000);
  assert.deepEqual(did, ["start", "head 200 x/y", "error: not this"]);
});
