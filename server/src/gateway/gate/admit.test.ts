/** The gate: each admitted request and its body bytes are counted until it ends, once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { createGate, declaredBytes } from "./admit.ts";
import type { Overload } from "./overload.ts";

/** An overload watch that refuses on demand and has room for 100 bytes. */
function scene() {
  const state = {
    inFlight: 0,
    bytes: 0,
    refusal: undefined as GatewayError | undefined,
    asked: [] as unknown[],
  };
  const overload = {
    get inFlight() {
      return state.inFlight;
    },
    refusalOf(bytes: number | undefined) {
      state.asked.push(bytes);
      return state.refusal;
    },
    enter() {
      state.inFlight += 1;
    },
    leave() {
      state.inFlight -= 1;
    },
    holdBytes(bytes: number) {
      if (state.bytes + bytes > 100) return new GatewayError("overloaded");
      state.bytes += bytes;
      return undefined;
    },
    freeBytes(bytes: number) {
      state.bytes -= bytes;
    },
  } as unknown as Overload;
  return { state, gate: createGate(overload) };
}

const overloaded = { code: "overloaded" };

test("the size of a body is what its head declares, nothing without one, and unknown where it comes in chunks", () => {
  assert.equal(declaredBytes({ headers: { "content-length": "12" } }), 12);
  assert.equal(declaredBytes({ headers: {} }), 0);
  assert.equal(declaredBytes({ headers: { "transfer-encoding": "chunked" } }), undefined);
});

test("one that is refused takes nothing; the size it declared was looked at", () => {
  const { state, gate } = scene();
  state.refusal = new GatewayError("overloaded");
  assert.throws(() => gate.admit(7), overloaded);
  assert.throws(() => gate.glance(), overloaded);
  assert.equal(gate.refusalOf(9), state.refusal);
  assert.deepEqual([state.inFlight, state.asked], [0, [7, 0, 9]]);
});

test("what a body takes is held until the end, given back once, and nothing is held after it", () => {
  const { state, gate } = scene();
  const one = gate.admit(undefined);
  const other = gate.admit(0);
  one.makeRoom(30);
  one.makeRoom(20);
  other.makeRoom(10);
  assert.deepEqual([gate.inFlight, state.bytes], [2, 60]);
  one.end();
  one.end();
  one.makeRoom(40);
  assert.deepEqual([gate.inFlight, state.bytes], [1, 10]);
  other.end();
  assert.deepEqual([gate.inFlight, state.bytes], [0, 0]);
});

test("bytes there is no room for are refused, and are not given back as if they had been held", () => {
  const { state, gate } = scene();
  const reservation = gate.admit(0);
  reservation.makeRoom(90);
  assert.throws(() => reservation.makeRoom(20), overloaded);
  reservation.end();
  assert.deepEqual([state.bytes, state.inFlight], [0, 0]);
});

test("a gate that is shut lets nobody in, tells when to come back, and lets those inside finish", async () => {
  const { state, gate } = scene();
  const inside = gate.admit(0);
  gate.shut();
  assert.throws(
    () => gate.admit(0),
    (error: GatewayError) => error.detail.retryAfterMs === 1_000,
  );
  gate.glance();
  state.refusal = new GatewayError("overloaded");
  assert.equal(gate.refusalOf(0), undefined);
  let isEmpty = false;
  const empty = gate.whenEmpty().then(() => {
    isEmpty = true;
  });
  await Promise.resolve();
  assert.equal(isEmpty, false);
  inside.end();
  await empty;
});

test("it is empty at once where nothing is in flight, and only when the last has ended", async () => {
  const { gate } = scene();
  await gate.whenEmpty();
  const [one, two] = [gate.admit(0), gate.admit(0)];
  let isEmpty = false;
  const empty = gate.whenEmpty().then(() => {
    isEmpty = true;
  });
  one.end();
  await Promise.resolve();
  assert.equal(isEmpty, false);
  two.end();
  await empty;
});

test("a process that leaves goes on serving what comes", () => {
  const { gate } = scene();
  assert.equal(gate.isDraining, false);
  gate.leave();
  assert.equal(gate.isDraining, true);
  gate.admit(0).end();
});
